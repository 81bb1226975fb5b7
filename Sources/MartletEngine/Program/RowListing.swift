/// A value of a row that is known when the statement is prepared.
enum ListedValue {
  case null
  case integer(Int64)
  case text(String)
}

/// Rows that a program delivers one after the other: those of PRAGMA and EXPLAIN.
struct RowListing {
  var columns: [Name]
  var rows: [[ListedValue]]

  static let none = RowListing(columns: [], rows: [])

  /// The program that delivers the rows. `database` is the one that it reads, if any: when its
  /// schema changes, the statement is prepared again.
  func program(
    catalog: Catalog, database: Int?, explain: ExplainMode
  ) throws(SQLError) -> Program {
    let builder = ProgramBuilder(catalog: catalog)
    if let database, !rows.isEmpty {
      builder.emitTransaction(onDatabase: database, .read)
    }
    let first = builder.newRegisters(max(1, columns.count))
    for row in rows {
      for (offset, value) in row.enumerated() {
        try emit(value, into: first + offset, Int32(database ?? 0), builder)
      }
      builder.emit(.resultRow, first.rawValue, Int32(columns.count))
    }
    builder.emit(.halt)
    return builder.finish(
      columns: columns.map { OutputColumn(label: $0) }, explain: explain)
  }

  private func emit(
    _ value: ListedValue, into target: RegisterIndex, _ database: Int32,
    _ builder: ProgramBuilder
  ) throws(SQLError) {
    var constant = Register()
    switch value {
    case .null: return _ = builder.emit(.null, 0, target.rawValue, target.rawValue)
    case .integer(let number): constant.setInteger(number)
    case .text(let string):
      constant = try Register.makeText(string, encoding: builder.encoding)
    }
    builder.emit(.constant, 0, target.rawValue, p4: builder.addConstant(constant))
  }
}

extension Register {
  /// A text with bytes of its own.
  static func makeText(_ string: String, encoding: TextEncoding) throws(SQLError) -> Register {
    var string = string
    // `withUTF8` passes no typed errors on.
    let made = string.withUTF8 { bytes in
      Result { () throws(SQLError) -> Register in
        var register = Register()
        if let base = bytes.baseAddress {
          try register.setOwned(.text, copying: base, bytes.count)
        } else {
          register.setBorrowed(.text, Register.emptyBytes, 0)
        }
        return register
      }
    }
    var register = try made.get()
    try register.changeEncoding(from: .utf8, to: encoding)
    return register
  }
}
