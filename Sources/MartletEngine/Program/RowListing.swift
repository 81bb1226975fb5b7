/// A value of a row that is known when the statement is prepared.
enum ListedValue {
  case null
  case integer(Int64)
  case text(String)
  case fileName(String)
}

/// Rows that a program delivers one after the other: those of PRAGMA and EXPLAIN.
struct RowListing {
  var columns: [Name]
  var rows: [[ListedValue]]

  static let none = RowListing(columns: [], rows: [])

  /// The program that delivers the rows.
  ///
  /// - Parameter verified: Databases whose files must have the schemas that the rows come from.
  func program(
    catalog: Catalog, verifying verified: [Int] = [], explain: ExplainMode
  ) throws(SQLError) -> Program {
    let builder = ProgramBuilder(catalog: catalog)
    for database in verified { builder.emitTransaction(onDatabase: database, .read) }
    let first = builder.newRegisters(max(1, columns.count))
    for row in rows {
      for (offset, value) in row.enumerated() {
        try emit(value, into: first + offset, builder)
      }
      builder.emit(.resultRow, first.rawValue, Int32(columns.count))
    }
    builder.emit(.halt)
    return builder.finish(
      columns: columns.map { OutputColumn(label: $0) }, explain: explain)
  }

  private func emit(
    _ value: ListedValue, into target: RegisterIndex, _ builder: ProgramBuilder
  ) throws(SQLError) {
    if case .null = value { return _ = builder.emit(.null, 0, target.rawValue, target.rawValue) }
    let constant = try value.register(encoding: builder.encoding)
    builder.emit(.constant, 0, target.rawValue, p4: builder.addConstant(constant))
  }
}

extension ListedValue {
  /// A register with bytes of its own.
  func register(encoding: TextEncoding) throws(SQLError) -> Register {
    var register = Register()
    switch self {
    case .null: break
    case .integer(let number): register.setInteger(number)
    case .text(let string): return try Register.makeText(string, encoding: encoding)
    case .fileName(let name):
      try name.fileNameBytes.withUnsafeBufferPointer { (bytes) throws(SQLError) in
        try register.setOwnedText(bytes, in: encoding)
      }
    }
    return register
  }
}

extension Register {
  /// A text with bytes of its own.
  static func makeText(_ string: String, encoding: TextEncoding) throws(SQLError) -> Register {
    // What lends the bytes passes no typed errors on.
    let made = string.withTextBytes { bytes in
      Result { () throws(SQLError) -> Register in
        var register = Register()
        try register.setOwnedText(bytes, in: encoding)
        return register
      }
    }
    return try made.get()
  }
}
