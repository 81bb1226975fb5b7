// NOCASE and RTRIM on UTF-16 texts: as their UTF-8 would compare, code point by code point.

extension UTF16Text {
  func compareNoCase(_ other: UTF16Text) -> Int {
    var offset = 0, otherOffset = 0
    while offset < byteCount && otherOffset < other.byteCount {
      let left = UTF16Text.fold(next(&offset)), right = UTF16Text.fold(other.next(&otherOffset))
      if left != right { return left < right ? -1 : 1 }
      if left == 0 { break }
    }
    return utf8Count &- other.utf8Count
  }

  func compareRightTrim(_ other: UTF16Text) -> Int {
    let left = withoutTrailingSpaces, right = other.withoutTrailingSpaces
    var offset = 0, otherOffset = 0
    while offset < left.byteCount && otherOffset < right.byteCount {
      let leftPoint = left.next(&offset), rightPoint = right.next(&otherOffset)
      if leftPoint != rightPoint { return leftPoint < rightPoint ? -1 : 1 }
    }
    return (left.byteCount &- offset) &- (right.byteCount &- otherOffset)
  }

  @inline(__always)
  private static func fold(_ point: UInt32) -> UInt32 { point &- 0x41 < 26 ? point | 0x20 : point }
}
