/// The machines of the statements between their first step and their end, the one that started last
/// in front.
///
/// They are linked through themselves, so that a statement that starts and ends takes no memory and
/// counts no references. Who starts a statement keeps its machine until it has ended.
struct RunningStatements {
  private var newest: Unmanaged<VM>?
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  @inline(__always)
  mutating func append(_ vm: VM) {
    vm.nextRunning = newest
    newest?._withUnsafeGuaranteedRef { $0.previousRunning = .passUnretained(vm) }
    newest = .passUnretained(vm)
    count &+= 1
  }

  @inline(__always)
  mutating func remove(_ vm: VM) {
    let next = vm.nextRunning, previous = vm.previousRunning
    if let previous {
      previous._withUnsafeGuaranteedRef { $0.nextRunning = next }
    } else {
      newest = next
    }
    next?._withUnsafeGuaranteedRef { $0.previousRunning = previous }
    vm.nextRunning = nil
    vm.previousRunning = nil
    count &-= 1
  }

  /// `body` starts and ends no statements.
  func forEach<Failure: Error>(_ body: (VM) throws(Failure) -> Void) throws(Failure) {
    var place = newest
    while let vm = place?.takeUnretainedValue() {
      try body(vm)
      place = vm.nextRunning
    }
  }
}
