/// What calls of the application's functions keep while their statement runs: states of aggregates,
/// auxiliary data and pointers.
///
/// Registers are plain data, so they hold a number, and the object behind it is here. All of it is
/// released when the statement ends, however it ends. A site is a place in the program that calls a
/// function.
final class CallMemory {
  typealias Site = UnsafeRawPointer

  private struct Auxiliary {
    /// nil for data that all calls of the statement share.
    let site: Site?
    let argument: Int
    var value: Any
  }

  private var states: [AnyObject?] = []
  private var freeStates: [Int] = []
  private var auxiliary: [Auxiliary] = []
  private var pointers: [(site: Site, object: AnyObject, type: String)] = []
  /// A call has set auxiliary data, of which only that of constant arguments stays.
  private(set) var hasNewAuxiliary = false

  func removeAll() {
    states.removeAll()
    freeStates.removeAll()
    auxiliary.removeAll()
    pointers.removeAll()
    hasNewAuxiliary = false
  }

  // MARK: States of aggregates

  /// The state whose number is in the accumulator; nil before the first row.
  func state(_ accumulator: borrowing Register) -> AnyObject? {
    guard accumulator.tag == .integer else { return nil }
    let number = Int(truncatingIfNeeded: accumulator.integer)
    return states.indices.contains(number) ? states[number] : nil
  }

  func keep(_ state: AnyObject, in accumulator: inout Register) {
    let number: Int
    if let free = freeStates.popLast() {
      number = free
      states[free] = state
    } else {
      number = states.count
      states.append(state)
    }
    accumulator.setInteger(Int64(number))
  }

  func releaseState(of accumulator: inout Register) {
    guard accumulator.tag == .integer else { return }
    let number = Int(truncatingIfNeeded: accumulator.integer)
    if states.indices.contains(number), states[number] != nil {
      states[number] = nil
      freeStates.append(number)
    }
    accumulator.setNull()
  }

  // MARK: Auxiliary data

  func auxiliary(_ argument: Int, at site: Site) -> Any? {
    place(argument, site).map { auxiliary[$0].value }
  }

  func setAuxiliary(_ value: Any?, _ argument: Int, at site: Site) {
    hasNewAuxiliary = true
    let known = place(argument, site)
    guard let value else {
      if let known { auxiliary.remove(at: known) }
      return
    }
    if let known {
      auxiliary[known].value = value
    } else {
      auxiliary.append(
        Auxiliary(site: argument < 0 ? nil : site, argument: argument, value: value))
    }
  }

  private func place(_ argument: Int, _ site: Site) -> Int? {
    auxiliary.firstIndex { $0.argument == argument && (argument < 0 || $0.site == site) }
  }

  /// Drops what a call has set for arguments that may be others with the next row. `constant` has a
  /// bit for each of the first 32 arguments.
  func dropAuxiliary(at site: Site, except constant: UInt32) {
    hasNewAuxiliary = false
    auxiliary.removeAll {
      guard $0.site == site, $0.argument >= 0 else { return false }
      return $0.argument > 31 || constant & 1 << UInt32($0.argument) == 0
    }
  }

  // MARK: Pointers

  /// Keeps an object that the result of a call stands for, until the same place gives another.
  func setPointer(_ object: AnyObject, type: String, at site: Site, in result: inout Register) {
    result.setNull()
    result.flags = .pointer
    result.bits = UInt64(UInt(bitPattern: site))
    if let known = pointers.firstIndex(where: { $0.site == site }) {
      pointers[known] = (site, object, type)
    } else {
      pointers.append((site, object, type))
    }
  }

  /// The object that a register stands for, if it was given under that type.
  func pointer(_ register: borrowing Register, type: String) -> AnyObject? {
    guard register.tag == .null, register.flags.contains(.pointer) else { return nil }
    let bits = register.bits
    return pointers.first {
      UInt64(UInt(bitPattern: $0.site)) == bits && $0.type == type
    }?.object
  }
}
