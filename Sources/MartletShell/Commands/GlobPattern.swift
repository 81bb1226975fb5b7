/// Whether a name fits a GLOB pattern: `*`, `?` and `[…]`, as SQL's GLOB has them.
func fitsGlob(_ text: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
  var text = text
  var pattern = pattern
  while let wanted = pattern.popFirst() {
    switch wanted {
    case UInt8(ascii: "*"):
      while pattern.first == wanted { pattern.removeFirst() }
      if pattern.isEmpty { return true }
      return (text.startIndex...text.endIndex).contains { fitsGlob(text[$0...], pattern) }
    case UInt8(ascii: "?"):
      guard text.popFirst() != nil else { return false }
    case UInt8(ascii: "["):
      guard let byte = text.popFirst(), isInSet(byte, &pattern) else { return false }
    default:
      guard text.popFirst() == wanted else { return false }
    }
  }
  return text.isEmpty
}

/// Reads a set up to its `]`; false where it does not end or has not got the byte.
private func isInSet(_ byte: UInt8, _ pattern: inout ArraySlice<UInt8>) -> Bool {
  let isInverted = pattern.first == UInt8(ascii: "^")
  if isInverted { pattern.removeFirst() }
  var isFound = false
  var isFirst = true
  while let low = pattern.popFirst() {
    if low == UInt8(ascii: "]"), !isFirst { return isFound != isInverted }
    isFirst = false
    if pattern.first == UInt8(ascii: "-"), let high = pattern.dropFirst().first,
      high != UInt8(ascii: "]")
    {
      pattern = pattern.dropFirst(2)
      if low <= byte, byte <= high { isFound = true }
    } else if low == byte {
      isFound = true
    }
  }
  return false
}
