import MartletEngine

/// A dot-command: its words, and where it stood.
struct Command {
  enum Result { case done, failed, quit }

  struct Word {
    let text: String
    /// Where the word begins in the line, counted in bytes.
    let offset: Int
  }

  let line: String
  let words: [Word]
  /// `line 7` or `argv[2]`, as messages name the place.
  let place: String

  var arguments: [String] { words.dropFirst().map(\.text) }

  init(_ line: String, place: String) {
    self.line = line
    self.place = place
    words = Self.split(line)
  }

  /// Splits at blanks; `'…'` and `"…"` keep them, the latter with C escapes (cli §3.2).
  private static func split(_ line: String) -> [Word] {
    var bytes = line.fileNameBytes
    // A semicolon at the end is no part of it; of several only the last one.
    while let last = bytes.last, isSpace(last) { bytes.removeLast() }
    if bytes.last == UInt8(ascii: ";") { bytes.removeLast() }
    var words: [Word] = []
    var index = 1
    while index < bytes.count {
      if isSpace(bytes[index]) {
        index += 1
        continue
      }
      let start = index
      let quote = bytes[index]
      var text: [UInt8] = []
      if quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") {
        index += 1
        while index < bytes.count, bytes[index] != quote {
          if quote == UInt8(ascii: "\""), bytes[index] == UInt8(ascii: "\\"),
            index + 1 < bytes.count
          {
            text.append(bytes[index])
            index += 1
          }
          text.append(bytes[index])
          index += 1
        }
        index += 1
        if quote == UInt8(ascii: "\"") { text = resolvingEscapes(text) }
      } else {
        while index < bytes.count, !isSpace(bytes[index]) {
          text.append(bytes[index])
          index += 1
        }
      }
      words.append(
        Word(
          text: text.withUnsafeBytes { String(fileNameBytes: $0) }, offset: start))
    }
    return words
  }

  /// What a mistaken word gets: the line again, and an arrow below the word.
  func complaint(
    about index: Int, _ message: String, hint: Bool, detail: String? = nil
  ) -> String {
    let offset = index < words.count ? words[index].offset : 0
    func blanks(_ count: Int) -> String { String(repeating: " ", count: count) }
    // Before the arrow where there is room.
    let before = offset - message.utf8.count - 4
    let arrow =
      before > 0
      ? "\(blanks(before))\(message) ---^" : "\(blanks(offset))^--- \(message)"
    let help = hint ? "\(place): Use \".help .\(words[0].text)\" for more info\n" : ""
    let detail = detail.map { "\(place): \($0)\n" } ?? ""
    return "\(place): \(line)\n\(place): \(arrow)\n" + help + detail
  }
}

/// The text with C's backslash escapes resolved.
func resolvingEscapes(_ text: [UInt8]) -> [UInt8] {
  var result: [UInt8] = []
  var index = 0
  while index < text.count {
    guard text[index] == UInt8(ascii: "\\"), index + 1 < text.count else {
      result.append(text[index])
      index += 1
      continue
    }
    index += 1
    let byte = text[index]
    index += 1
    switch byte {
    case UInt8(ascii: "n"): result.append(10)
    case UInt8(ascii: "t"): result.append(9)
    case UInt8(ascii: "r"): result.append(13)
    case UInt8(ascii: "a"): result.append(7)
    case UInt8(ascii: "b"): result.append(8)
    case UInt8(ascii: "f"): result.append(12)
    case UInt8(ascii: "v"): result.append(11)
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      var value = Int(byte - UInt8(ascii: "0"))
      var digits = 1
      let octalDigits = UInt8(ascii: "0")...UInt8(ascii: "7")
      while digits < 3, index < text.count, octalDigits.contains(text[index]) {
        value = value * 8 + Int(text[index] - UInt8(ascii: "0"))
        index += 1
        digits += 1
      }
      result.append(UInt8(truncatingIfNeeded: value))
    default: result.append(byte)
    }
  }
  return result
}
