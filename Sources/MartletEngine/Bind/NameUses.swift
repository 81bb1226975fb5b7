/// Notes where a table, or one of its columns, is named in a text that is bound: what ALTER TABLE
/// renames (SQLite's RenameToken).
final class NameUses {
  let table: Table
  /// The column; nil where the table itself is renamed.
  let column: Int?
  /// The text in which names are noted.
  @exclusivity(unchecked) var text: SQLText
  @exclusivity(unchecked) private(set) var offsets: Set<Int32> = []

  /// Strings in double quotes: when a column is renamed or dropped, they get single ones, so that
  /// they mean no column that has such a name by then.
  @exclusivity(unchecked) private(set) var strings: Set<Int32> = []
  @exclusivity(unchecked) private(set) var firstUse: String?
  /// The column is to go. Those that get values may be gone, and in a view or trigger a bare name
  /// in double quotes is a string from then on.
  @exclusivity(unchecked) var dropsColumn = false

  init(of table: Table, column: Int?, in text: SQLText) {
    self.table = table
    self.column = column
    self.text = text
  }

  /// The name of the column; nil where the table is renamed.
  var columnName: Name? { column.map { table.columns[$0].name } }

  /// The column is to go and hides the rowid: what queries, CHECK and the conditions of indexes
  /// call by its name is the rowid from then on.
  private var leavesRowid: Bool {
    dropsColumn && !table.isWithoutRowid && columnName.map(Binder.isRowidName) == true
  }

  func note(_ name: Name) {
    if name.offset >= 0 { offsets.insert(name.offset) }
  }

  /// A name says which column of a table gets a value.
  func noteTarget(_ name: Name, of found: Table) {
    if !dropsColumn && found === table && name == columnName { note(name) }
  }

  /// A name was found to mean a table.
  func note(_ name: Name, as found: Table, in text: SQLText) {
    if column == nil && found === table && text === self.text { note(name) }
  }

  /// A name was found to mean a column of a source. Those that `*` and NATURAL stand for are not in
  /// the text.
  func note(_ name: Binder.ColumnName, _ index: Int32, of source: BoundSource, in text: SQLText) {
    guard text === self.text, name.column.offset >= 0, case .table(let found) = source.kind,
      found === table
    else { return }
    if let column {
      let position = index < 0 ? table.rowidColumn : Int(index)
      // SQLite renames rowid too, where it is that column.
      if dropsColumn && name.table == nil && name.column.isInDoubleQuotes { return }
      if leavesRowid { return }
      if position == column && (index < 0 || name.column == table.columns[column].name) {
        if firstUse == nil { firstUse = name.text }
        note(name.column)
      }
    } else if let prefix = name.table, !source.hasAlias, prefix == table.name {
      note(prefix)
    }
  }

  /// A name in double quotes turned out to be a string.
  func noteString(_ name: Name, in text: SQLText) {
    if column != nil && text === self.text && name.offset >= 0 { strings.insert(name.offset) }
  }

  /// Notes the names in what nothing reads: a column may be dropped that is named only there.
  func noteUnread(_ body: () -> Void) {
    let (offsets, firstUse) = (offsets, firstUse)
    body()
    self.firstUse = firstUse
    if dropsColumn { self.offsets = offsets }
  }

  // MARK: Expressions of definitions

  /// Notes the strings in double quotes in an expression that can see the columns of `other` only.
  func noteStrings(in expression: Expression?, of other: Table) {
    guard let expression else { return }
    var waiting = [expression]
    while let node = waiting.popLast() {
      if case .identifier(let name) = node.kind, name.isInDoubleQuotes,
        other.columnIndex(of: name) < 0, !Binder.isRowidName(name)
      {
        noteString(name, in: text)
      }
      waiting.append(contentsOf: node.operands)
    }
  }

  /// Notes the names in a CHECK, or in the condition of an index: they can see the rowid, too.
  func noteColumns(inCondition condition: Expression?) {
    if !leavesRowid { noteColumns(in: condition) }
  }

  /// Notes the names in an expression that can see the columns of the table only.
  func noteColumns(in expression: Expression?) {
    guard let expression else { return }
    var waiting = [expression]
    while let node = waiting.popLast() {
      switch node.kind {
      case .identifier(let name):
        if name == columnName {
          if dropsColumn && firstUse == nil { firstUse = name.inMessage }
          note(name)
        }
      case .column(let prefix, let name): noteColumn(prefix, name)
      case .qualifiedColumn(let name): noteColumn(name.object.table, name.object.column)
      case .inList(let operand, let items, _) where items.isEmpty && !operand.hasCall: continue
      default: break
      }
      waiting.append(contentsOf: node.operands)
    }
  }

  /// Notes the names in a term of an index, of PRIMARY KEY or of UNIQUE.
  func noteColumns(inIndexed term: Expression) {
    guard let name = term.columnInString else { return noteColumns(in: term) }
    if name == columnName { note(name) }
  }

  private func noteColumn(_ prefix: Name, _ name: Name) {
    if name == columnName {
      if dropsColumn && firstUse == nil { firstUse = "\(prefix.string).\(name.string)" }
      note(name)
    }
    if column == nil && prefix == table.name { note(prefix) }
  }

  // MARK: Result

  /// The text with a new name in the places that were noted. As in SQLite, it is put in quotes where
  /// the old one had some, or where `isQuoted` says so.
  func replacing(with name: Name, isQuoted: Bool) -> [UInt8] {
    let quoted = name.string.quotedIdentifier.textBytes, bare = Array(name.buffer)
    var result: [UInt8] = []
    var end = 0
    for offset in offsets.union(strings).sorted()
    where Int(offset) >= end && Int(offset) < text.count {
      let token = Tokenizer.token(text.start, from: Int(offset))
      result.append(contentsOf: bytes(end, token.start))
      end = token.end
      if strings.contains(offset) {
        result += singleQuoted(token)
        continue
      }
      let first = text.start[token.start]
      if !isQuoted && (ASCII.isLetter(first) || ASCII.isDigit(first) || first == UInt8(ascii: "_") || first >= 0x80) {
        result.append(contentsOf: bare)
      } else {
        result.append(contentsOf: quoted)
        if text.start[token.end] == UInt8(ascii: "\"") { result.append(UInt8(ascii: " ")) }
      }
    }
    result.append(contentsOf: bytes(end, text.count))
    return result
  }

  /// A part of the text with its strings in single quotes.
  func withSingleQuotes(from start: Int, to end: Int) -> [UInt8] {
    var result: [UInt8] = []
    var done = start
    for offset in strings.sorted() where Int(offset) >= done && Int(offset) < end {
      let token = Tokenizer.token(text.start, from: Int(offset))
      result.append(contentsOf: bytes(done, token.start))
      result += singleQuoted(token)
      done = token.end
    }
    result.append(contentsOf: bytes(done, max(done, end)))
    return result
  }

  private func bytes(_ start: Int, _ end: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: text.start + start, count: end - start)
  }

  /// A string in double quotes in single ones, apart from a quote that follows.
  private func singleQuoted(_ token: Token) -> [UInt8] {
    let double = UInt8(ascii: "\""), single = UInt8(ascii: "'")
    var result = [single]
    var isDoubled = false
    for byte in bytes(token.start + 1, max(token.end - 1, token.start + 1)) {
      if byte == double && !isDoubled {
        isDoubled = true
        continue
      }
      isDoubled = false
      if byte == single { result.append(single) }
      result.append(byte)
    }
    result.append(single)
    if text.start[token.end] == single { result.append(UInt8(ascii: " ")) }
    return result
  }
}
