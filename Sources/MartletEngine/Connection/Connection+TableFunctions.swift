// Table-valued functions: their cursors, and the rows of pragmas (pragma, PRAGMA functions).

extension Connection {
  func callTableFunction(
    _ function: TableFunction, _ arguments: UnsafeMutablePointer<Register>, for vm: VM,
    _ body: (UnsafeMutablePointer<Register>) throws(SQLError) -> Void
  ) throws(SQLError) {
    let statement = try prepare(try pragmaText(of: function, arguments, vm.encoding))
    let columnCount = function.columns.count, hiddenCount = function.hiddenColumns.count
    let row = try RegisterBlock(count: function.columnCount + 1)
    defer { row.deallocate() }
    var rowid: Int64 = 0
    while try statement.step() {
      rowid += 1
      for column in 0..<min(columnCount, statement.columnCount) {
        row.base[column].borrow(from: statement.vm.resultBase[column])
      }
      for position in 0..<hiddenCount {
        row.base[columnCount + position].borrow(from: arguments[position])
      }
      row.base[function.columnCount].setInteger(rowid)
      try body(row.base)
    }
  }

  func openTableFunction(
    _ function: TableFunction, encoding: TextEncoding
  ) throws(SQLError) -> TableFunctionCursor {
    switch function.kind {
    case .json(let isRecursive, let isBinary):
      return JSONTableCursor(
        isRecursive: isRecursive, form: isBinary ? .binary : .text, host: functionHost,
        encoding: encoding)
    case .series: return SeriesCursor(encoding: encoding)
    case .pragma: throw SQLError(.internal, "the rows of pragmas are made at once")
    }
  }

  private func pragmaText(
    of function: TableFunction, _ arguments: UnsafeMutablePointer<Register>,
    _ encoding: TextEncoding
  ) throws(SQLError) -> String {
    var texts: [String?] = function.takesArgument ? [] : [nil]
    for position in function.hiddenColumns.indices {
      let argument = arguments + position
      guard argument.pointee.tag != .null else {
        texts.append(nil)
        continue
      }
      try Cast.apply(.text, to: &argument.pointee, encoding: encoding)
      var copy = Register()
      defer { copy.deinitialize() }
      try copy.assign(from: argument.pointee)
      try copy.changeEncoding(from: encoding, to: .utf8)
      texts.append(String(decoding: copy.byteBuffer.prefix { $0 != 0 }, as: UTF8.self))
    }
    var text = "PRAGMA "
    if texts.count > 1, let schema = texts[1] { text += Quoting.string(schema) + "." }
    text += function.pragmaName
    if let argument = texts.first, let argument { text += "=" + Quoting.string(argument) }
    return text
  }
}
