// What integrity_check says of the columns of a row and of its entries in the indexes.

/// The registers of a running check, and the messages.
struct CheckReport {
  let emitter: Emitter
  /// Messages that may still follow the next one.
  let remaining: RegisterIndex
  let message: RegisterIndex
  let part: RegisterIndex
  let end: Label

  func load(_ text: String, into target: RegisterIndex) throws(SQLError) {
    let builder = emitter.builder
    let constant = builder.addConstant(
      try Register.makeText(text, encoding: builder.encoding))
    emitter.emit(.constant, 0, target.rawValue, p4: constant)
  }

  func append(_ value: RegisterIndex) {
    emitter.emit(.concat, message.rawValue, value.rawValue, message.rawValue)
  }

  func append(_ text: String) throws(SQLError) {
    try load(text, into: part)
    append(part)
  }

  /// A row with the message; the program ends when no more are wanted.
  func emitRow() {
    emitter.emit(.resultRow, message.rawValue, 1)
    let goesOn = emitter.newLabel()
    emitter.emit(.ifPositive, remaining.rawValue, goesOn.operand, 1)
    emitter.emit(.halt)
    emitter.place(goesOn)
  }
}

extension Emitter {
  /// NOT NULL; the exact type in STRICT tables; in others, no numbers in TEXT columns and no texts
  /// in numeric columns that are numbers.
  func emitColumnCheck(
    _ check: BoundTableCheck, _ column: Int, _ report: CheckReport
  ) throws(SQLError) {
    let table = check.table, definition = table.columns[column]
    let type = TypeCheck(definition, isStrict: table.isStrict)
    guard definition.isNotNull || type != nil else { return }
    let name = "\(table.name.string).\(definition.name.string)"
    let value = newRegister(), done = newLabel()
    try emitColumn(check.source.id, Int32(column), value)
    if definition.isNotNull {
      let isThere = newLabel()
      emit(.notNull, value.rawValue, isThere.operand)
      try report.load("NULL value in \(name)", into: report.message)
      report.emitRow()
      emitGoto(done)
      place(isThere)
    }
    if let type {
      emit(.isType, value.rawValue, done.operand, Int32(type.classes))
      if type.isNumeric {
        emit(.affinity, value.rawValue, 1, p4: builder.addAffinities([.numeric]))
        emit(.isType, value.rawValue, done.operand, Int32(StorageClass.text.bit))
      }
      try report.load("\(type.complaint) value in \(name)", into: report.message)
      report.emitRow()
    }
    place(done)
  }

  /// The entry of the row in an index.
  func emitEntryCheck(
    _ check: BoundTableCheck, _ index: Index, _ cursor: CursorID, _ number: RegisterIndex,
    _ report: CheckReport
  ) throws(SQLError) {
    let done = newLabel(), isThere = newLabel(), name = index.name.string
    try emitJump(unlessIn: index, check.source, to: done)
    let count = index.columns.count
    let key = builder.newRegisters(count)
    try emitKey(of: index, check.source, into: key)
    emit(.found, cursor.rawValue, isThere.operand, key.rawValue, p4: Int32(count))
    try emitRowReport(number, "row ", " missing from index \(name)", report)
    emitGoto(done)
    place(isThere)
    if !check.table.isWithoutRowid {
      let rowid = newRegister(), isAtEnd = newLabel()
      emit(.indexRowid, cursor.rawValue, rowid.rawValue)
      emit(.equal, rowid.rawValue, isAtEnd.operand, (key + (count - 1)).rawValue)
      try emitRowReport(
        number, "rowid not at end-of-record for row ", " of index \(name)", report)
      emitGoto(done)
      place(isAtEnd)
    }
    try emitValueCheck(index, cursor, key, number, done, report)
    if index.isUnique { try emitUniquenessCheck(check.table, index, cursor, key, done, report) }
    place(done)
  }

  /// Texts that are equal under a collation need not be the same.
  private func emitValueCheck(
    _ index: Index, _ cursor: CursorID, _ key: RegisterIndex, _ number: RegisterIndex,
    _ done: Label, _ report: CheckReport
  ) throws(SQLError) {
    let collated = (0..<index.keyColumnCount).filter { position in
      index.columns[position].collation.map { $0 != .binaryCollation } ?? false
    }
    if collated.isEmpty { return }
    let differs = newLabel(), agrees = newLabel(), stored = newRegister()
    for position in collated {
      emit(.column, cursor.rawValue, Int32(position), stored.rawValue)
      emit(.notEqual, stored.rawValue, differs.operand, (key + position).rawValue)
    }
    emitGoto(agrees)
    place(differs)
    try emitRowReport(number, "row ", " values differ from index \(index.name.string)", report)
    emitGoto(done)
    place(agrees)
  }

  private func emitUniquenessCheck(
    _ table: Table, _ index: Index, _ cursor: CursorID, _ key: RegisterIndex, _ done: Label,
    _ report: CheckReport
  ) throws(SQLError) {
    for position in 0..<index.keyColumnCount {
      let column = index.columns[position].tableColumn
      if column >= 0 && table.columns[column].isNotNull { continue }
      emit(.isNull, (key + position).rawValue, done.operand)
    }
    let hasNext = newLabel()
    emit(.next, cursor.rawValue, hasNext.operand)
    emitGoto(done)
    place(hasNext)
    emit(
      .indexGreater, cursor.rawValue, done.operand, key.rawValue,
      p4: Int32(index.keyColumnCount))
    try report.load("non-unique entry in index \(index.name.string)", into: report.message)
    report.emitRow()
  }

  private func emitRowReport(
    _ number: RegisterIndex, _ before: String, _ after: String, _ report: CheckReport
  ) throws(SQLError) {
    try report.load(before, into: report.message)
    report.append(number)
    try report.append(after)
    report.emitRow()
  }
}

/// The storage classes that a column may have, as the bits of `isType`.
struct TypeCheck {
  let classes: UInt8
  let complaint: String
  /// A text is right if it is no number.
  var isNumeric = false

  init?(_ column: Table.Column, isStrict: Bool) {
    if isStrict {
      guard let type = column.declaredType else { return nil }
      switch type.uppercased() {
      case "INT", "INTEGER": classes = StorageClass.integer.bit | StorageClass.null.bit
      case "REAL":
        classes = StorageClass.integer.bit | StorageClass.real.bit | StorageClass.null.bit
      case "TEXT": classes = StorageClass.text.bit | StorageClass.null.bit
      case "BLOB": classes = StorageClass.blob.bit | StorageClass.null.bit
      default: return nil
      }
      complaint = "non-\(type.uppercased())"
      return
    }
    switch column.affinity {
    case .text:
      classes = StorageClass.text.bit | StorageClass.blob.bit | StorageClass.null.bit
      complaint = "NUMERIC"
    case .numeric, .integer, .real:
      classes =
        StorageClass.integer.bit | StorageClass.real.bit | StorageClass.blob.bit
        | StorageClass.null.bit
      complaint = "TEXT"
      isNumeric = true
    default: return nil
    }
  }
}
