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
  private var pointers: [(site: Site, pointer: PassedPointer)] = []
  /// A call has set auxiliary data, of which only that of constant arguments stays.
  private(set) var hasNewAuxiliary = false

  /// Memory of groups whose aggregates have not ended.
  private(set) var groups: GroupMemory?
  private var plainAuxiliary: [PlainAuxiliary] = []

  func removeAll() {
    states.removeAll()
    let plain = plainAuxiliary
    plainAuxiliary.removeAll()
    for item in plain { item.end() }
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
    func isDropped(_ place: Site?, _ argument: Int) -> Bool {
      guard place == site, argument >= 0 else { return false }
      return argument > 31 || constant & 1 << UInt32(argument) == 0
    }
    auxiliary.removeAll { isDropped($0.site, $0.argument) }
    guard !plainAuxiliary.isEmpty else { return }
    let dropped = plainAuxiliary.filter { isDropped($0.site, $0.argument) }
    plainAuxiliary.removeAll { isDropped($0.site, $0.argument) }
    for item in dropped { item.end() }
  }

  // MARK: Plain auxiliary data

  func plainAuxiliary(_ argument: Int, at site: Site) -> UnsafeMutableRawPointer? {
    for item in plainAuxiliary where item.isAt(argument, at: site) { return item.pointer }
    return nil
  }

  func setPlainAuxiliary(_ item: PlainAuxiliary) {
    hasNewAuxiliary = true
    let known = plainAuxiliary.firstIndex { $0.isAt(item.argument, at: item.site) }
    guard let known else { return plainAuxiliary.append(item) }
    let old = plainAuxiliary[known]
    plainAuxiliary[known] = item
    old.end()
  }

  // MARK: Memory of groups

  /// The memory of the group whose accumulator it is, zeroed when it is made; nil where there is
  /// none and no bytes are asked for.
  func groupMemory(
    _ accumulator: inout Register, byteCount: Int, of function: AggregateFunction
  ) throws(SQLError) -> UnsafeMutableRawPointer? {
    if let known = GroupMemory(accumulator) { return known.contents }
    guard byteCount > 0 else { return nil }
    let group = try GroupMemory.make(byteCount, function, before: groups)
    groups = group
    let stepCount = accumulator.byteCount
    accumulator.setInteger(Int64(Int(bitPattern: group.header)))
    accumulator.byteCount = stepCount
    return group.contents
  }

  /// The group has ended.
  func freeGroupMemory(of accumulator: inout Register) {
    if let group = GroupMemory(accumulator) {
      if groups?.header == group.header { groups = group.header.pointee.next }
      group.free()
    }
    accumulator.setNull()
  }

  // MARK: Pointers

  /// Keeps an object that the result of a call stands for, until the same place gives another.
  func setPointer(_ object: AnyObject, type: String, at site: Site, in result: inout Register) {
    let pointer = PassedPointer(object, type: type)
    pointer.set(&result)
    if let known = pointers.firstIndex(where: { $0.site == site }) {
      pointers[known].pointer = pointer
    } else {
      pointers.append((site, pointer))
    }
  }
}
