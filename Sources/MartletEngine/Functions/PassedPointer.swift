// Objects of the application that pass through SQL as NULL (bindptr).
//
// A register is plain data, so it holds a number, and the object behind it is in a table of the
// process. The number has the place in the table and how often the place was used: what outlives
// its object finds nothing.
import Synchronization

/// Keeps an object in the table.
final class PassedPointer: Sendable {
  private struct Slot {
    var useCount: UInt32 = 0
    var object: AnyObject?
    var type = ""
  }

  private struct Table {
    var slots: [Slot] = []
    var free: [Int] = []
  }

  private struct Lent: @unchecked Sendable { let object: AnyObject? }

  private static let table = Mutex(Table())

  let number: UInt64

  init(_ object: AnyObject, type: String) {
    let lent = Lent(object: object)
    number = PassedPointer.table.withLock { table in
      let place: Int
      if let free = table.free.popLast() {
        place = free
      } else {
        place = table.slots.count
        table.slots.append(Slot())
      }
      table.slots[place].useCount &+= 1
      table.slots[place].object = lent.object
      table.slots[place].type = type
      return UInt64(table.slots[place].useCount) << 32 | UInt64(UInt32(truncatingIfNeeded: place))
    }
  }

  deinit {
    let place = Int(number & 0xffff_ffff)
    // The object's own end may come back here, so it comes after the lock.
    let last = PassedPointer.table.withLock { table in
      let lent = Lent(object: table.slots[place].object)
      table.slots[place].object = nil
      table.free.append(place)
      return lent
    }
    _ = last
  }

  /// Makes a register stand for the object.
  func set(_ register: inout Register) {
    register.setNull()
    register.flags = .pointer
    register.bits = number
  }

  /// The object that a register stands for, if it was given under that type.
  static func object(_ register: borrowing Register, type: String) -> AnyObject? {
    guard register.tag == .null, register.flags.contains(.pointer) else { return nil }
    let number = register.bits
    let place = Int(number & 0xffff_ffff)
    return table.withLock { table in
      guard place < table.slots.count, UInt64(table.slots[place].useCount) == number >> 32,
        table.slots[place].type == type
      else { return Lent(object: nil) }
      return Lent(object: table.slots[place].object)
    }.object
  }
}

extension ResultPlace {
  /// NULL for SQL; who asks for a pointer of that type gets the object (bindptr §1), while what is
  /// returned lives.
  public func set(pointer object: AnyObject, type: String) -> AnyObject {
    let pointer = PassedPointer(object, type: type)
    pointer.set(&register.pointee)
    return pointer
  }

  /// The same once more, with what the first call has returned.
  public func set(kept pointer: AnyObject) {
    (pointer as? PassedPointer)?.set(&register.pointee)
  }
}
