/// Text that is being edited, and the place of the cursor in it.
struct EditBuffer: Equatable {
  private(set) var text: [Character] = []
  private(set) var cursor = 0

  init() {}

  init(_ string: String) {
    text = Array(string)
    cursor = text.count
  }

  var string: String { String(text) }
  var isEmpty: Bool { text.isEmpty }
  var beforeCursor: String { String(text[..<cursor]) }

  // MARK: Moves

  mutating func move(to place: Int) { cursor = min(max(place, 0), text.count) }

  mutating func moveLeft() { move(to: cursor - 1) }
  mutating func moveRight() { move(to: cursor + 1) }

  /// Where the line that the cursor is in begins and ends.
  var lineStart: Int { text[..<cursor].lastIndex(of: "\n").map { $0 + 1 } ?? 0 }
  var lineEnd: Int { text[cursor...].firstIndex(of: "\n") ?? text.count }

  /// Moves into the line above, as far to the right; false on the first line.
  mutating func moveUp() -> Bool {
    let start = lineStart
    guard start > 0 else { return false }
    let column = cursor - start
    cursor = start - 1
    cursor = min(lineStart + column, start - 1)
    return true
  }

  mutating func moveDown() -> Bool {
    let column = cursor - lineStart
    let end = lineEnd
    guard end < text.count else { return false }
    cursor = end + 1
    cursor = min(cursor + column, lineEnd)
    return true
  }

  private static func isWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }

  var wordStart: Int {
    var place = cursor
    while place > 0, !Self.isWord(text[place - 1]) { place -= 1 }
    while place > 0, Self.isWord(text[place - 1]) { place -= 1 }
    return place
  }

  var wordEnd: Int {
    var place = cursor
    while place < text.count, !Self.isWord(text[place]) { place += 1 }
    while place < text.count, Self.isWord(text[place]) { place += 1 }
    return place
  }

  /// Where the word begins that blanks set apart.
  var blankWordStart: Int {
    var place = cursor
    while place > 0, text[place - 1].isWhitespace { place -= 1 }
    while place > 0, !text[place - 1].isWhitespace { place -= 1 }
    return place
  }

  // MARK: Changes

  mutating func insert(_ string: String) {
    // Joined as text: a mark that was typed for itself goes to the letter before it.
    let before = Array(String(text[..<cursor]) + string)
    text.replaceSubrange(..<cursor, with: before)
    cursor = before.count
  }

  /// Takes a part out and gives it; the cursor goes to where it was.
  @discardableResult
  mutating func remove(_ range: Range<Int>) -> String {
    let removed = String(text[range])
    text.removeSubrange(range)
    cursor = range.lowerBound
    return removed
  }

  mutating func deleteBackward() {
    if cursor > 0 { remove(cursor - 1..<cursor) }
  }

  mutating func deleteForward() {
    if cursor < text.count { remove(cursor..<cursor + 1) }
  }

  /// Swaps the two characters around the cursor; at the end the last two.
  mutating func transpose() {
    let second = cursor == text.count ? cursor - 1 : cursor
    guard second > 0 else { return }
    text.swapAt(second - 1, second)
    cursor = second + 1
  }

  /// Changes the rest of the word at the cursor, and goes behind it.
  mutating func changeWord(_ change: (String) -> String) {
    let end = wordEnd
    while cursor < end, !Self.isWord(text[cursor]) { cursor += 1 }
    let changed = Array(change(String(text[cursor..<end])))
    text.replaceSubrange(cursor..<end, with: changed)
    cursor += changed.count
  }
}
