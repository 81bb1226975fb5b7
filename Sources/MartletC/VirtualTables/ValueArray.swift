// Values that a method of a virtual table gets as `argv`, and lists among them
// (c3ref/vtab_in_first).
import CSQLite3
import MartletEngine

/// Values, and the array of pointers to them, in memory that is used again for the next call.
struct ValueArray {
  private var values: UnsafeMutablePointer<ValueState>?
  private(set) var pointers: UnsafeMutablePointer<OpaquePointer?>?
  private var capacity = 0
  /// Behind the pointers: there was no memory for one of the values.
  private var loss: UnsafeMutablePointer<Bool>?
  /// Some of the values are lists.
  private var hasLists = false

  mutating func reserve(_ count: Int) throws(SQLError) {
    loss?.pointee = false
    if count <= capacity { return }
    let values = malloc(count * MemoryLayout<ValueState>.stride)
    guard let values, let pointers = malloc(count * MemoryLayout<OpaquePointer?>.stride + 1)
    else {
      free(values)
      throw SQLError(.outOfMemory)
    }
    deallocate()
    let states = values.bindMemory(to: ValueState.self, capacity: count)
    let places = pointers.bindMemory(to: OpaquePointer?.self, capacity: count)
    let loss = (pointers + count * MemoryLayout<OpaquePointer?>.stride)
      .bindMemory(to: Bool.self, capacity: 1)
    loss.initialize(to: false)
    for index in 0..<count {
      (states + index).initialize(to: ValueState(.lastingNull, loss: loss))
      (places + index).initialize(to: OpaquePointer(states + index))
    }
    self.values = states
    self.pointers = places
    capacity = count
    self.loss = loss
  }

  /// To be called behind the method. A value that was lost must not pass for NULL.
  func checkNothingIsLost() throws(SQLError) {
    if let loss, loss.pointee { throw SQLError(.outOfMemory) }
  }

  @inline(__always)
  func set(_ position: Int, _ source: ValueReference?) {
    guard let source, let values else { return }
    values[position].renew(source, generation: 0)
  }

  /// A list is NULL, but for those who ask for its values.
  mutating func set(_ position: Int, _ list: VirtualTableList) throws(SQLError) {
    guard let values else { return }
    values[position].renew(.lastingNull, generation: 0)
    guard let memory = malloc(MemoryLayout<ListState>.stride) else {
      throw SQLError(.outOfMemory)
    }
    let state = memory.bindMemory(to: ListState.self, capacity: 1)
    state.initialize(to: ListState(list: list, value: ValueState(.lastingNull, loss: loss)))
    values[position].list = state
    hasLists = true
  }

  /// The lists are over.
  mutating func endLists() {
    guard hasLists, let values else { return }
    hasLists = false
    for index in 0..<capacity {
      guard let list = values[index].list else { continue }
      values[index].list = nil
      list.pointee.value.text.deallocate()
      list.deinitialize(count: 1)
      free(list)
    }
  }

  mutating func deallocate() {
    if let values {
      for index in 0..<capacity { values[index].text.deallocate() }
    }
    free(values)
    free(pointers)
    self = ValueArray()
  }
}

/// All values of an IN, one of which is given out.
struct ListState {
  let list: VirtualTableList
  var value: ValueState
}

@c @implementation
public func sqlite3_vtab_in_first(
  _ value: OpaquePointer!, _ result: UnsafeMutablePointer<OpaquePointer?>!
) -> Int32 { read(value, result, restarting: true) }

@c @implementation
public func sqlite3_vtab_in_next(
  _ value: OpaquePointer!, _ result: UnsafeMutablePointer<OpaquePointer?>!
) -> Int32 { read(value, result, restarting: false) }

private func read(
  _ value: OpaquePointer?, _ result: UnsafeMutablePointer<OpaquePointer?>?, restarting: Bool
) -> Int32 {
  result?.pointee = nil
  guard let value = ValueHandle(value), let result else { return SQLITE_MISUSE }
  guard let list = value.pointee.list else { return SQLITE_ERROR }
  do throws(SQLError) {
    guard let next = try list.pointee.list.next(restarting: restarting) else {
      return SQLITE_DONE
    }
    list.pointee.value.renew(next, generation: 0)
    result.pointee = withUnsafeMutablePointer(to: &list.pointee.value) { $0.opaque }
    return SQLITE_OK
  } catch {
    return error.code.rawValue
  }
}
