import TestSupport
import Testing

@testable import MartletEngine

/// Programs over a file that C SQLite has written.
@Suite(.enabled(if: OracleShell.isAvailable, "needs MARTLET_ORACLE"))
struct VMTreeTests {
  static let sql = """
    create table t(a integer primary key, b int, c text);
    with recursive s(i) as (select 1 union all select i + 1 from s where i < 500)
    insert into t select i * 2, i % 37, 'text ' || (i % 11) from s;
    create index tb on t(b, c);
    alter table t add column d default 'new';
    """

  private func machine() throws -> (TestDatabase, TestMachine) {
    let database = try TestDatabase(Self.sql)
    return (database, try TestMachine(database.tree))
  }

  /// Registers as the shell prints them.
  private func lines(_ machine: TestMachine) throws -> [String] {
    try machine.rows().map { row in
      row.map { value in
        switch value {
        case .null: ""
        case .text(let text): text
        default: "\(value)"
        }
      }.joined(separator: "|")
    }
  }

  private func open(_ machine: TestMachine, _ database: TestDatabase, index: Bool = false) throws
    -> Int32
  {
    let cursor = machine.builder.newCursor().rawValue
    var keyInfo: Int32 = -1
    if index {
      keyInfo = machine.builder.addKeyInfo(
        KeyInfo(columns: Array(repeating: TestRows.column(), count: 3), encoding: .utf8))
    }
    let root = try database.root(of: index ? "tb" : "t")
    machine.builder.emit(.openRead, cursor, Int32(root.rawValue), 0, p4: keyInfo)
    return cursor
  }

  @Test(arguments: [Opcode.next, .previous])
  func `a scan reads rows in both directions, with defaults for added columns`(
    step: Opcode
  ) throws {
    let (database, machine) = try machine()
    let builder = machine.builder
    let cursor = try open(machine, database)
    let added = try machine.constant(.text("new"))
    let base = machine.registers(4), end = builder.newLabel()
    builder.emit(step == .next ? .rewind : .last, cursor, end.operand)
    let loop = builder.placeNewLabel()
    builder.emit(.rowid, cursor, base)
    builder.emit(.column, cursor, 1, base + 1)
    builder.emit(.column, cursor, 2, base + 2)
    builder.emit(.column, cursor, 3, base + 3, p4: 0)
    builder.emit(.resultRow, base, 4)
    builder.emit(step, cursor, loop.operand)
    builder.place(end)
    _ = added
    let order = step == .next ? "" : "order by a desc"
    #expect(try lines(machine) == database.lines("select * from t \(order);"))
    #expect(try machine.rows().count == 500)
  }

  /// SQL operator, seek, move, and the comparison that ends the walk upwards.
  @Test(arguments: [
    (">", Opcode.seekGreater, Opcode.next), (">=", .seekGreaterOrEqual, .next),
    ("<", .seekLess, .previous), ("<=", .seekLessOrEqual, .previous),
  ])
  func `seeks find the nearest entry of tables and indexes`(
    sql: String, seek: Opcode, step: Opcode
  ) throws {
    let order = step == .next ? "" : "desc"
    for key in [TestValue.integer(36), .integer(35), .real(35.5), .integer(-1), .integer(5_000),
      .text("x"), .real(-0.5), .real(1000.0)]
    {
      let (database, machine) = try machine()
      let cursor = try open(machine, database)
      try walk(machine, cursor, key, seek, step, .rowid)
      let expected = try database.lines(
        "select a from t where a \(sql) \(key) order by a \(order);")
      #expect(try lines(machine) == expected, "\(key)")
    }
    for key in [TestValue.integer(12), .real(12.5), .integer(-3), .integer(99)] {
      let (database, machine) = try machine()
      let cursor = try open(machine, database, index: true)
      try walk(machine, cursor, key, seek, step, .indexRowid)
      let expected = try database.lines(
        "select a from t where b \(sql) \(key) order by b \(order), c \(order), a \(order);")
      #expect(try lines(machine) == expected, "\(key)")
    }
  }

  private func walk(
    _ machine: TestMachine, _ cursor: Int32, _ key: TestValue, _ seek: Opcode, _ step: Opcode,
    _ read: Opcode
  ) throws {
    let builder = machine.builder
    let sought = try machine.constant(key), result = machine.register()
    let end = builder.newLabel()
    builder.emit(seek, cursor, end.operand, sought, p4: 1)
    let loop = builder.placeNewLabel()
    builder.emit(read, cursor, result)
    builder.emit(.resultRow, result, 1)
    builder.emit(step, cursor, loop.operand)
    builder.place(end)
  }

  @Test func `an index range with a deferred seek reads the table only where it must`() throws {
    let (database, machine) = try machine()
    let builder = machine.builder
    let table = try open(machine, database), index = try open(machine, database, index: true)
    builder.tables.columnMaps.append([3, 1, 2, 0])
    let key = try machine.constant(.integer(5)), base = machine.registers(4)
    let end = builder.newLabel()
    builder.emit(.seekGreaterOrEqual, index, end.operand, key, p4: 1)
    let loop = builder.placeNewLabel()
    builder.emit(.indexGreater, index, end.operand, key, p4: 1)
    builder.emit(.deferredSeek, index, 0, table, p4: 0)
    builder.emit(.rowid, table, base)
    builder.emit(.column, table, 1, base + 1)
    builder.emit(.column, table, 2, base + 2)
    builder.emit(.column, table, 3, base + 3)
    builder.emit(.resultRow, base, 4)
    builder.emit(.next, index, loop.operand)
    builder.place(end)
    let expected = try database.lines("select a, b, c, null from t where b = 5 order by b, c, a;")
    #expect(try lines(machine) == expected)
  }

  @Test func `a null row gives NULL until the cursor moves`() throws {
    let (database, machine) = try machine()
    let builder = machine.builder
    let cursor = try open(machine, database)
    let base = machine.registers(4), end = builder.newLabel()
    builder.emit(.nullRow, cursor)
    builder.emit(.rowid, cursor, base)
    builder.emit(.column, cursor, 1, base + 1)
    builder.emit(.rewind, cursor, end.operand)
    builder.emit(.rowid, cursor, base + 2)
    builder.emit(.column, cursor, 1, base + 3)
    builder.place(end)
    builder.emit(.resultRow, base, 4)
    #expect(try machine.rows() == [[.null, .null, .integer(2), .integer(1)]])
  }

  @Test func `found looks at a prefix of the key and seekRowid wants an integer`() throws {
    let (database, machine) = try machine()
    let builder = machine.builder
    let table = try open(machine, database), index = try open(machine, database, index: true)
    let result = machine.register()
    func report(_ opcode: Opcode, _ cursor: Int32, _ key: TestValue) throws {
      let register = try machine.constant(key), missing = builder.newLabel()
      builder.emit(.integer, 0, result)
      builder.emit(opcode, cursor, missing.operand, register, p4: 1)
      builder.emit(.integer, 1, result)
      builder.place(missing)
      builder.emit(.resultRow, result, 1)
    }
    try report(.notFound, index, .integer(36))
    try report(.notFound, index, .integer(37))
    try report(.seekRowid, table, .integer(4))
    try report(.seekRowid, table, .text("4"))
    try report(.seekRowid, table, .real(4))
    try report(.seekRowid, table, .integer(5))
    try report(.seekRowid, table, .real(4.5))
    try report(.seekRowid, table, .null)
    #expect(
      try machine.rows() == [1, 0, 1, 1, 1, 0, 0, 0].map { [.integer($0)] })
  }
}
