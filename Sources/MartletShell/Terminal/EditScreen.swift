// Where the edited text stands on the screen. Lines are broken here and not by the terminal, whose
// ways at its right margin differ; a character of two columns is never cut.

/// The rows of the edited text, and where the cursor is in them.
struct EditLayout {
  private(set) var rows: [[UInt8]] = [[]]
  /// How many columns each row takes.
  private(set) var widths = [0]
  private(set) var cursorRow = 0
  private(set) var cursorColumn = 0

  private let width: Int
  private var column = 0
  private var style = TextStyle.plain

  /// Rows that are not the first of their line begin with `continuation` where a line begins.
  init(
    prompt: String, continuation: String, text: [Character], styles: [TextStyle], cursor: Int,
    width: Int
  ) {
    self.width = max(width, 2)
    for character in prompt { put(character) }
    for (index, character) in text.enumerated() {
      if index == cursor { markCursor() }
      set(styles.isEmpty ? .plain : styles[index])
      if character == "\n" {
        set(.plain)
        newRow()
        for character in continuation { put(character) }
      } else {
        put(character)
      }
    }
    set(.plain)
    if cursor >= text.count { markCursor() }
  }

  private mutating func markCursor() {
    if column >= width { newRow() }
    (cursorRow, cursorColumn) = (rows.count - 1, column)
  }

  private mutating func newRow() {
    if style != .plain { rows[rows.count - 1] += Array(TextStyle.plain.sequence.utf8) }
    rows.append(style == .plain ? [] : Array(style.sequence.utf8))
    widths.append(0)
    column = 0
  }

  private mutating func set(_ new: TextStyle) {
    guard new != style else { return }
    if style != .plain { rows[rows.count - 1] += Array(TextStyle.plain.sequence.utf8) }
    style = new
    if new != .plain { rows[rows.count - 1] += Array(new.sequence.utf8) }
  }

  private mutating func put(_ character: Character) {
    if character == "\t" {
      for _ in 0..<(8 - column % 8) { put(" ") }
      return
    }
    if let byte = character.asciiValue, byte < 0x20 || byte == 0x7f {
      put("^")
      put(Character(UnicodeScalar(byte ^ 0x40)))
      return
    }
    let size = terminalWidth(of: character)
    if column + size > width { newRow() }
    rows[rows.count - 1] += Array(String(character).utf8)
    column += size
    widths[widths.count - 1] = column
  }
}

/// The columns that a character takes on a terminal.
func terminalWidth(of character: Character) -> Int {
  if character.isASCII { return 1 }
  var width = 0
  for scalar in character.unicodeScalars {
    if scalar.value == 0xfe0f || scalar.properties.isEmojiPresentation { return 2 }
    width = max(width, displayWidth(of: scalar))
  }
  return width
}

/// Draws the edited text and what stands below it, in place of what was drawn before.
struct EditScreen {
  private let output: Output
  /// On which of the rows that were drawn the cursor is.
  private var cursorRow = 0
  private var cursorColumn = 0
  /// The widths of the rows that were drawn above the cursor.
  private var widths: [Int] = []

  init(_ output: Output) { self.output = output }

  /// Shows the rows around the cursor where there are more than the screen has.
  mutating func draw(_ layout: EditLayout, notes: [[UInt8]] = [], size: TerminalSize) {
    var text = home()
    let height = max(size.rows, 2)
    let first = max(min(layout.cursorRow - height / 2, layout.rows.count - height), 0)
    var shown = Array(layout.rows[first..<min(first + height, layout.rows.count)])
    shown += notes.prefix(max(height - shown.count, 0))
    text += Array(shown.joined(separator: Array("\r\n".utf8)))
    cursorRow = layout.cursorRow - first
    cursorColumn = layout.cursorColumn
    widths = Array(layout.widths[first..<layout.cursorRow])
    let below = shown.count - 1 - cursorRow
    if below > 0 { text += Array("\u{1b}[\(below)A".utf8) }
    text += Array("\r".utf8)
    if layout.cursorColumn > 0 { text += Array("\u{1b}[\(layout.cursorColumn)C".utf8) }
    output.write(text)
    output.flush()
  }

  /// To the first row that was drawn, and nothing behind it.
  private func home() -> [UInt8] {
    let up = cursorRow > 0 ? "\u{1b}[\(cursorRow)A" : ""
    return Array((up + "\r\u{1b}[J").utf8)
  }

  /// The terminal has other columns now; rows that no longer fit were broken by it.
  mutating func refit(to columns: Int) {
    let broken = widths.map { max(($0 + columns - 1) / columns, 1) }.reduce(0, +)
    cursorRow = min(broken + cursorColumn / columns, TerminalSize.current.rows - 1)
  }

  /// Leaves what is drawn and goes to the row below.
  mutating func finish() {
    output.write("\r\n")
    output.flush()
    cursorRow = 0
  }

  mutating func clear() {
    output.write("\u{1b}[H\u{1b}[2J")
    cursorRow = 0
  }

  /// After a stop the cursor is on a row of its own.
  mutating func forget() { cursorRow = 0 }

  func bell() {
    output.write("\u{7}")
    output.flush()
  }
}
