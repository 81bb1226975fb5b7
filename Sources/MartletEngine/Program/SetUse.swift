/// What a set is for.
enum SetUse: UInt8 {
  /// Keys are looked up, and may be walked, too.
  case lookup
  /// Keys are walked when all are there; nobody asks before what there is.
  case union
  /// So, without the keys that were marked behind the last insertion.
  case except
  /// So, with them alone.
  case intersect

  /// Whether a walk shows a key.
  @inline(__always)
  func shows(isMarked: Bool) -> Bool {
    switch self {
    case .lookup, .union: true
    case .except: !isMarked
    case .intersect: isMarked
    }
  }
}
