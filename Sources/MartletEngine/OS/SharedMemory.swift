/// What the connections of one file share beside it: the index of a write-ahead log (walformat §2).
public enum SharedMemory {
  /// Memory comes in regions of this size.
  public static let regionByteCount = 32768
  /// How many slots can be locked (walformat §2.1.3).
  public static let slotCount = 8

  public enum Lock: Sendable {
    case shared
    case exclusive
  }

  /// The slots that one file has locked, a bit each.
  struct HeldSlots {
    private var shared: UInt8 = 0
    private var exclusive: UInt8 = 0

    func contain(_ slot: Int, _ kind: Lock) -> Bool {
      (kind == .shared ? shared : exclusive) & 1 << UInt8(slot) != 0
    }

    mutating func insert(_ slots: Range<Int>, _ kind: Lock) {
      for slot in slots {
        if kind == .shared { shared |= 1 << UInt8(slot) } else { exclusive |= 1 << UInt8(slot) }
      }
    }

    mutating func remove(_ slots: Range<Int>) {
      for slot in slots {
        shared &= ~(1 << UInt8(slot))
        exclusive &= ~(1 << UInt8(slot))
      }
    }
  }
}
