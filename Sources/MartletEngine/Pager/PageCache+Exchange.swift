extension PageCache {
  /// Lets two pages that are both writable exchange their numbers, and so their places in the file;
  /// content and pins stay with the frames (SQLite's PagerRekey).
  func exchangeNumbers(_ left: PagePointer, _ right: PagePointer) {
    assert(left.pointee.isDirty && right.pointee.isDirty && left != right)
    assert(!left.pointee.isWorthless && !right.pointee.isWorthless)
    let leftNumber = left.pointee.number, rightNumber = right.pointee.number
    unchain(left)
    unchain(right)
    chain(left, rightNumber)
    chain(right, leftNumber)
    // Whether the journal has to be synced first depends on the place, not on the content.
    let needsSync = left.pointee.needsSync
    left.pointee.needsSync = right.pointee.needsSync
    right.pointee.needsSync = needsSync
  }

  private func unchain(_ frame: PagePointer) {
    let bucket = Int(frame.pointee.number.rawValue & bucketMask)
    if buckets[bucket] == frame {
      buckets[bucket] = frame.pointee.nextInBucket
      return
    }
    var previous = buckets[bucket]
    while let link = previous, link.pointee.nextInBucket != frame {
      previous = link.pointee.nextInBucket
    }
    previous?.pointee.nextInBucket = frame.pointee.nextInBucket
  }

  private func chain(_ frame: PagePointer, _ number: PageNumber) {
    let bucket = Int(number.rawValue & bucketMask)
    frame.pointee.number = number
    frame.pointee.nextInBucket = buckets[bucket]
    buckets[bucket] = frame
  }
}
