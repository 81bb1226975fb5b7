#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The bytes of a script. Lines end with a line feed, the last one, too; a carriage return before
/// it is dropped. What is known of a script are places in it: a corpus has millions of lines, and a
/// String for each would cost more than the statements.
final class ScriptText: Sendable {
  static let lineFeed = UInt8(ascii: "\n")

  let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    var bytes = bytes
    if bytes.contains(UInt8(ascii: "\r")) { Self.dropCarriageReturns(&bytes) }
    if bytes.last != Self.lineFeed { bytes.append(Self.lineFeed) }
    self.bytes = bytes
  }

  private static func dropCarriageReturns(_ bytes: inout [UInt8]) {
    var kept = 0
    for index in bytes.indices {
      let isBeforeEnd = index + 1 == bytes.count || bytes[index + 1] == lineFeed
      if bytes[index] == UInt8(ascii: "\r"), isBeforeEnd { continue }
      bytes[kept] = bytes[index]
      kept += 1
    }
    bytes.removeLast(bytes.count - kept)
  }

  /// Where the line that begins at `start` ends: at its line feed.
  func lineEnd(from start: Int) -> Int {
    bytes.withUnsafeBytes { all in
      guard start < all.count, let base = all.baseAddress,
        let found = memchr(base + start, Int32(Self.lineFeed), all.count - start)
      else { return all.count }
      return UnsafeRawPointer(found) - base
    }
  }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// The lines of a range, as texts.
  func lines(_ range: Range<Int>) -> [String] { linesOfText(bytes[range]) }

  func isEqual(_ range: Range<Int>, _ text: StaticString) -> Bool {
    range.count == text.utf8CodeUnitCount && starts(range, with: text)
  }

  func starts(_ range: Range<Int>, with text: StaticString) -> Bool {
    bytes.withUnsafeBytes { all in
      range.count >= text.utf8CodeUnitCount
        && memcmp(
          all.baseAddress.unsafelyUnwrapped + range.lowerBound, text.utf8Start,
          text.utf8CodeUnitCount) == 0
    }
  }

  /// The words between blanks and tabs.
  func words(in line: Range<Int>) -> [Range<Int>] {
    var words: [Range<Int>] = []
    var start: Int?
    for index in line {
      let isBlank = bytes[index] == UInt8(ascii: " ") || bytes[index] == UInt8(ascii: "\t")
      if isBlank, let begun = start {
        words.append(begun..<index)
        start = nil
      } else if !isBlank, start == nil {
        start = index
      }
    }
    if let begun = start { words.append(begun..<line.upperBound) }
    return words
  }
}

/// Lines that end with a line feed each, as texts.
func linesOfText(_ bytes: ArraySlice<UInt8>) -> [String] {
  bytes.split(separator: ScriptText.lineFeed, omittingEmptySubsequences: false)
    .dropLast().map { String(decoding: $0, as: UTF8.self) }
}
