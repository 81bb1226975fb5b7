/// How values are made to fit: limits, widths and alignment (climode §3.6, §6).
struct FitSettings: Equatable {
  /// The most characters of a value, lines of a value, characters of a title; 0 is no limit.
  var characters = 0
  var lines = 0
  var titleCharacters = 0
  /// Where columns wrap; 0 is nowhere.
  var wrap = 0
  /// Whether that happens between words; nil where nothing was said: it does.
  var wrapsWords: Bool?
  /// Of each column; 0 follows the content, and a negative one aligns to the right.
  var widths: [Int] = []
  /// A letter a column: L, C, R.
  var alignment = ""
  var screen = ScreenWidth.off
  /// What `-screenwidth` says in place of the terminal.
  var automaticColumns: Int?

  /// The columns to fit into; 0 is any number.
  var screenColumns: Int {
    switch screen {
    case .off: 0
    case .automatic: automaticColumns ?? TerminalSize.current.columns
    case .columns(let count): count
    }
  }

  mutating func setStandardLimits() { (lines, characters, titleCharacters) = (5, 300, 20) }

  var limits: String {
    switch (lines, characters, titleCharacters) {
    case (5, 300, 20): "on"
    case (0, 0, 0): "off"
    default: "\(lines),\(characters),\(titleCharacters)"
    }
  }

  /// The value, or its beginning and three dots.
  func limited(_ text: [UInt8]) -> [UInt8] {
    guard characters > 0, text.count > characters else { return text }
    let length = prefixLength(of: text[...], width: characters)
    return length == text.count ? text : text[..<length] + Array("...".utf8)
  }

  /// A title on one line, not longer than the limit with its dots.
  func limitedTitle(_ text: [UInt8]) -> [UInt8] {
    guard titleCharacters > 0 else { return text }
    let line = text.map { $0 == 9 || $0 == 10 || $0 == 13 ? UInt8(ascii: " ") : $0 }
    guard displayWidth(line[...]) > titleCharacters else { return line }
    let dots = Array("...".utf8.prefix(titleCharacters))
    return line[..<prefixLength(of: line[...], width: titleCharacters - dots.count)] + dots
  }

  /// The lines of a value in a column of a width; what is beyond the limit becomes three dots.
  func lines(of text: [UInt8], width: Int, expandsTabs: Bool = true) -> [[UInt8]] {
    var result: [[UInt8]] = []
    for line in displayLines(text, expandsTabs: expandsTabs) {
      result += width > 0 ? wrapped(line[...], width: width) : [line]
    }
    guard lines > 0, result.count > lines else { return result }
    let dots = Array("...".utf8)
    return result[..<lines] + [width > 0 ? Array(dots.prefix(width)) : dots]
  }

  private func wrapped(_ line: ArraySlice<UInt8>, width: Int) -> [[UInt8]] {
    var rest = line
    var result: [[UInt8]] = []
    repeat {
      var length = prefixLength(of: rest, width: width)
      // A character that is wider than the column stands out.
      if length == 0, !rest.isEmpty { length = prefixLength(of: rest, width: width + 1) }
      if length == 0, !rest.isEmpty { length = 1 }
      let end = rest.startIndex + length
      let shown = end < rest.endIndex && wrapsWords != false ? wordEnd(rest, end) : end
      result.append(Array(rest[rest.startIndex..<shown]))
      rest = rest[shown...]
      if !rest.isEmpty { rest = rest.drop { $0 == 0x20 || $0 == 9 || $0 == 13 } }
    } while !rest.isEmpty
    return result
  }

  private func isWord(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) }

  /// Where to break before `end`, in the second half of the line: at a blank, or else where a word
  /// begins or ends.
  private func wordEnd(_ line: ArraySlice<UInt8>, _ end: Int) -> Int {
    if isSpace(line[end]) { return end }
    let half = line.startIndex + (end - line.startIndex) / 2
    let places = (max(half, line.startIndex + 1)...end).reversed()
    if let blank = places.first(where: { $0 < end && isSpace(line[$0]) }) { return blank }
    return places.first { isWord(line[$0 - 1]) != isWord(line[$0]) && line[$0] & 0xc0 != 0x80 }
      ?? end
  }

  /// How many bytes fit into so many columns.
  private func prefixLength(of text: ArraySlice<UInt8>, width: Int) -> Int {
    var used = 0
    var index = text.startIndex
    while index < text.endIndex {
      var next = index + 1
      while next < text.endIndex, text[next] & 0xc0 == 0x80 { next += 1 }
      used += text[index] < 0x80 ? 1 : displayWidth(text[index..<next])
      if used > width { break }
      index = next
    }
    return index - text.startIndex
  }
}

/// The widths that columns get on the screen.
struct ColumnFit {
  private(set) var widths: [Int]
  /// Whether a blank stands on each side of a value.
  private(set) var hasMargins = true

  private static let narrow = 8
  private static let wide = 16

  /// Narrows what is not fixed until the rows fit: the margins go first, and then the widest column
  /// loses half of itself, again and again. A column keeps eight characters; down to sixteen of
  /// them it gives only while it has more than half of what it wants.
  init(natural: [Int], fixed: [Bool], isPlain: Bool, hasBorder: Bool, screen: Int) {
    widths = natural
    let count = natural.count
    let sides = isPlain || hasBorder ? 0 : 2
    var total = natural.reduce(0, +)
    let roomy = isPlain ? count * 2 - 2 : count * 3 + 1 - sides
    guard screen > 0, total + roomy > screen else { return }
    hasMargins = false
    let target = screen - (isPlain ? count - 1 : count + 1 - sides)
    while total > target {
      let eligible = natural.indices.filter { column in
        let width = widths[column]
        return !fixed[column] && width > Self.narrow
          && (width > Self.wide || width * 2 > natural[column])
      }
      let widest = eligible.max { (widths[$0], -$0) < (widths[$1], -$1) }
      guard let column = widest else { break }
      let width = widths[column]
      var gain = width >= Self.wide ? width / 2 : width - Self.narrow
      gain = min(gain, total - target)
      total -= gain
      widths[column] -= gain
    }
  }
}
