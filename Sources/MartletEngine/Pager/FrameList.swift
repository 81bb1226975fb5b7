/// Frames in the order of their use, linked through the frames themselves.
struct FrameList {
  private(set) var oldest: PagePointer?
  private var newest: PagePointer?
  private(set) var count = 0

  mutating func appendNewest(_ frame: PagePointer) {
    frame.pointee.older = newest
    frame.pointee.newer = nil
    if let newest { newest.pointee.newer = frame } else { oldest = frame }
    newest = frame
    count &+= 1
  }

  mutating func prependOldest(_ frame: PagePointer) {
    frame.pointee.newer = oldest
    frame.pointee.older = nil
    if let oldest { oldest.pointee.older = frame } else { newest = frame }
    oldest = frame
    count &+= 1
  }

  mutating func remove(_ frame: PagePointer) {
    let newer = frame.pointee.newer, older = frame.pointee.older
    if let older { older.pointee.newer = newer } else { oldest = newer }
    if let newer { newer.pointee.older = older } else { newest = older }
    frame.pointee.newer = nil
    frame.pointee.older = nil
    count &-= 1
  }
}
