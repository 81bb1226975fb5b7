#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Reads what is typed on a terminal and lets it be edited: a statement as a whole, whatever lines
/// it has.
final class LineEditor {
  enum Reading {
    case text(String)
    /// Ctrl-C dropped what was typed.
    case interrupted
    case end
  }

  /// Whether Enter ends the entry, or only its line.
  var isComplete: (String) -> Bool = { _ in true }
  var complete: (String) -> Completion = { _ in Completion() }
  var isKeyword: (String) -> Bool = { _ in false }

  var history: History
  private(set) var buffer = EditBuffer()
  private var keys = KeyReader()
  private var screen: EditScreen
  private let output: Output
  private let isColoured: Bool
  private var prompt = ""
  private var continuation = ""
  /// What is shown below the text until the next key.
  private var notes: [[UInt8]] = []

  /// The entry of the history that is shown; one behind the last is what is being typed.
  private var place = 0
  /// What was changed of the entries, so that going up and down loses nothing.
  private var drafts: [Int: EditBuffer] = [:]
  private var killed: [String] = []
  /// How much of `killed` was yanked last, and where; nil where another key came between.
  private var yanked: (index: Int, range: Range<Int>)?
  private var undone: [EditBuffer] = []
  private var last = Key.unknown
  private static let undoLimit = 500
  private static let killLimit = 30

  init(history: History, isColoured: Bool) {
    self.history = history
    self.isColoured = isColoured
    output = Output(descriptor: STDOUT_FILENO)
    screen = EditScreen(output)
  }

  /// Whether the terminal can be edited on; a dumb one cannot move its cursor.
  static var isPossible: Bool {
    guard let terminal = environment("TERM"), !terminal.isEmpty else { return false }
    return !["dumb", "cons25", "emacs"].contains(terminal)
  }

  /// `NO_COLOR` asks for none (no-color.org).
  static var isColourWanted: Bool { environment("NO_COLOR")?.isEmpty ?? true }

  func read(prompt: String, continuation: String) -> Reading {
    (self.prompt, self.continuation) = (prompt, continuation)
    buffer = EditBuffer()
    (place, drafts, undone, last) = (history.entries.count, [:], [], .unknown)
    guard RawMode.enter() else { return .end }
    defer { RawMode.leave() }
    draw()
    while true {
      switch keys.next() {
      case .redraw:
        screen.refit(to: TerminalSize.current.columns)
        draw()
      case .interrupted: return drop()
      case .end: return end()
      case .key(let key):
        if let reading = take(key) { return reading }
        last = key
        if !keys.hasMore { draw() }
      }
    }
  }

  // MARK: Drawing

  private func draw(prompt shown: String? = nil) {
    let size = TerminalSize.current
    let styles = isColoured ? Highlighter.styles(of: buffer.text, isKeyword: isKeyword) : []
    let layout = EditLayout(
      prompt: shown ?? prompt, continuation: continuation, text: buffer.text, styles: styles,
      cursor: buffer.cursor, width: size.columns)
    screen.draw(layout, notes: notes, size: size)
  }

  private func finish(_ mark: String = "") {
    notes = []
    buffer.move(to: buffer.text.count)
    draw()
    output.write(mark)
    screen.finish()
  }

  private func drop() -> Reading {
    finish("^C")
    return .interrupted
  }

  private func end() -> Reading {
    finish()
    return .end
  }

  // MARK: Keys

  /// Does what the key says; gives the result where it ends the entry.
  private func take(_ key: Key) -> Reading? {
    notes = []
    switch key {
    case .enter: return enter()
    case .interrupt: return drop()
    case .endOfInput where buffer.isEmpty: return end()
    case .endOfInput: change { $0.deleteForward() }
    case .suspend:
      finish("^Z")
      RawMode.suspend()
      screen.forget()
    case .clearScreen: screen.clear()
    case .searchOlder: return search(isOlder: true)
    case .searchNewer: return search(isOlder: false)
    case .tab: completeWord()
    case .undo: if let earlier = undone.popLast() { buffer = earlier }
    case .up: if !buffer.moveUp() { show(place - 1) }
    case .down: if !buffer.moveDown() { show(place + 1) }
    case .olderEntry: show(place - 1)
    case .newerEntry: show(place + 1)
    case .text(let text): insert(text, merging: isText(last))
    case .paste(let text): insert(text, merging: false)
    case .newLine: insert("\n", merging: false)
    case .cancel, .escape, .unknown: break
    default: if !move(key) { edit(key) }
    }
    if key != .yank, key != .yankOlder { yanked = nil }
    return nil
  }

  private func isText(_ key: Key) -> Bool {
    if case .text = key { true } else { false }
  }

  private func enter() -> Reading? {
    let text = buffer.string
    guard isComplete(text) else {
      insert("\n", merging: false)
      return nil
    }
    finish()
    history.add(text)
    return .text(text)
  }

  private func move(_ key: Key) -> Bool {
    switch key {
    case .left: buffer.moveLeft()
    case .right: buffer.moveRight()
    case .wordLeft: buffer.move(to: buffer.wordStart)
    case .wordRight: buffer.move(to: buffer.wordEnd)
    case .lineStart: buffer.move(to: buffer.lineStart)
    case .lineEnd: buffer.move(to: buffer.lineEnd)
    case .textStart: buffer.move(to: 0)
    case .textEnd: buffer.move(to: buffer.text.count)
    default: return false
    }
    return true
  }

  private func edit(_ key: Key) {
    switch key {
    case .backspace: change { $0.deleteBackward() }
    case .delete: change { $0.deleteForward() }
    case .killToEnd:
      // At the end of a line that is not the last, its end goes.
      let end = max(buffer.lineEnd, min(buffer.cursor + 1, buffer.text.count))
      kill(buffer.cursor..<(buffer.lineEnd > buffer.cursor ? buffer.lineEnd : end))
    case .killToStart: kill(buffer.lineStart..<buffer.cursor, isBackward: true)
    case .killWordBefore: kill(buffer.wordStart..<buffer.cursor, isBackward: true)
    case .killBlankWordBefore: kill(buffer.blankWordStart..<buffer.cursor, isBackward: true)
    case .killWordAfter: kill(buffer.cursor..<buffer.wordEnd)
    case .yank: yank(killed.count - 1)
    case .yankOlder: yankOlder()
    case .transpose: change { $0.transpose() }
    case .upperCase: change { $0.changeWord { $0.uppercased() } }
    case .lowerCase: change { $0.changeWord { $0.lowercased() } }
    case .capitalise:
      change { $0.changeWord { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() } }
    default: break
    }
  }

  // MARK: Changes

  private func change(_ change: (inout EditBuffer) -> Void) {
    let earlier = buffer
    change(&buffer)
    guard buffer.text != earlier.text else { return }
    undone.append(earlier)
    if undone.count > Self.undoLimit { undone.removeFirst() }
  }

  /// Inserts; letters typed one after the other are undone together.
  private func insert(_ text: String, merging: Bool) {
    if merging { buffer.insert(text) } else { change { $0.insert(text) } }
  }

  private static func isKill(_ key: Key) -> Bool {
    [.killToEnd, .killToStart, .killWordBefore, .killBlankWordBefore, .killWordAfter].contains(key)
  }

  /// Takes a part out and keeps it for yanking; parts taken one after the other are kept as one.
  private func kill(_ range: Range<Int>, isBackward: Bool = false) {
    guard !range.isEmpty else { return }
    var part = ""
    change { part = $0.remove(range) }
    if Self.isKill(last), let newest = killed.popLast() {
      part = isBackward ? part + newest : newest + part
    }
    killed.append(part)
    if killed.count > Self.killLimit { killed.removeFirst() }
  }

  private func yank(_ index: Int) {
    guard killed.indices.contains(index) else { return screen.bell() }
    let start = buffer.cursor
    change { $0.insert(killed[index]) }
    yanked = (index, start..<buffer.cursor)
  }

  /// Puts what was killed before that in the place of what was just yanked.
  private func yankOlder() {
    guard let (index, range) = yanked else { return screen.bell() }
    let older = index == 0 ? killed.count - 1 : index - 1
    change { $0.remove(range) }
    yank(older)
  }

  /// Replaces what stands before the cursor.
  private func replace(_ count: Int, with text: String) {
    change {
      $0.remove($0.cursor - count..<$0.cursor)
      $0.insert(text)
    }
  }

  // MARK: History

  private func show(_ wanted: Int) {
    guard (0...history.entries.count).contains(wanted), wanted != place else {
      return screen.bell()
    }
    drafts[place] = buffer
    place = wanted
    let entry = wanted < history.entries.count ? history.entries[wanted] : ""
    buffer = drafts[wanted] ?? EditBuffer(entry)
    undone = []
  }

  /// Ctrl-R: shows the newest entry that has in it what is typed; again, the one before.
  private func search(isOlder direction: Bool) -> Reading? {
    let original = (buffer, place)
    var wanted = ""
    var isOlder = direction
    var isFound = true
    while true {
      let label = isFound ? "" : "failed "
      draw(prompt: "(\(label)\(isOlder ? "reverse" : "forward")-i-search)`\(wanted)': ")
      let event = keys.next()
      guard case .key(let key) = event else {
        if case .redraw = event { continue }
        if case .interrupted = event { return drop() }
        return end()
      }
      switch key {
      case .text(let text):
        wanted += text
        isFound = find(wanted, from: place, isOlder: isOlder)
      case .backspace:
        wanted = String(wanted.dropLast())
        (buffer, place) = original
        isFound = wanted.isEmpty || find(wanted, from: place, isOlder: isOlder)
      case .searchOlder, .searchNewer:
        isOlder = key == .searchOlder
        isFound = find(wanted, from: place + (isOlder ? -1 : 1), isOlder: isOlder)
      case .cancel, .interrupt:
        (buffer, place) = original
        return nil
      case .escape, .unknown: return nil
      default: return take(key)
      }
      if !isFound { screen.bell() }
    }
  }

  private func find(_ wanted: String, from start: Int, isOlder: Bool) -> Bool {
    let entries = history.entries
    let pattern = Array(wanted.lowercased())
    var index = min(start, entries.count - 1)
    guard !pattern.isEmpty else { return true }
    while entries.indices.contains(index) {
      let text = Array(entries[index].lowercased())
      if let found = firstPlace(of: pattern, in: text) {
        place = index
        buffer = EditBuffer(entries[index])
        buffer.move(to: found)
        return true
      }
      index += isOlder ? -1 : 1
    }
    return false
  }

  private func firstPlace(of part: [Character], in text: [Character]) -> Int? {
    guard part.count <= text.count else { return nil }
    return (0...(text.count - part.count)).first { text[$0...].starts(with: part) }
  }

  // MARK: Completion

  /// Tab: adds what all candidates share; shows them where that is nothing.
  private func completeWord() {
    let completion = complete(buffer.beforeCursor)
    guard !completion.candidates.isEmpty else { return screen.bell() }
    let typed = String(buffer.beforeCursor.suffix(completion.replacedCount))
    let common = completion.commonPrefix
    if completion.candidates.count == 1 || common.count > typed.count {
      let isWhole = completion.candidates.count == 1
      return replace(typed.count, with: isWhole ? completion.candidates[0] : common)
    }
    showCandidates(completion.candidates)
  }

  /// Shows the candidates below until the next key.
  private func showCandidates(_ candidates: [String]) {
    let size = TerminalSize.current
    let listed = splitColumns(
      candidates.map { Cell(bytes: Array($0.utf8), isNumber: false) }, width: size.columns - 1)
    notes = listed.split(separator: 10).map { Array($0) }
    let room = max(size.rows - 4, 1)
    if notes.count > room {
      notes = notes.prefix(room) + [Array("… \(candidates.count) in all".utf8)]
    }
  }
}
