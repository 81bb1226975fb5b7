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
}
