// `.recover`: writes SQL that makes anew what can still be read of a damaged database.
//
// The trees that the schema names are walked from their roots. What no tree leads to and still
// looks like a leaf goes into a table of its own, `lost_and_found`, by the root above it that is
// left.

import MartletEngine

struct RecoveryOptions {
  var lostAndFound = "lost_and_found"
  var ignoresFreelist = false
  var keepsRowIDs = true
}

struct Recovery {
  struct SchemaRow {
    let type: String
    let name: String
    let table: String
    let root: Int
    let sql: String
  }

  let options: RecoveryOptions
  let source: PageSource
  let output: Output
  /// Spells numbers.
  private let speller: Statement
  private let encoding: UInt32
  private var seen: Set<Int> = []
  private var schema: [SchemaRow] = []
  private var bar: ProgressBar
  /// Pages whose rows are written.
  private var writtenCount = 0

  init(_ options: RecoveryOptions, _ source: PageSource, to output: Output) throws(SQLError) {
    self.options = options
    self.source = source
    self.output = output
    encoding = source.headerField(56)
    bar = ProgressBar(unit: "pages", total: source.pageCount, unless: output.fillsTerminal)
    speller = try Connection(path: ":memory:").prepare("SELECT quote(?1)")
  }

  // MARK: The script

  mutating func write() throws(SQLError) {
    defer { bar.finish() }
    writeSettings()
    readSchema()
    let tables = schema.filter { $0.type == "table" || Self.isVirtual($0) }
    let sequence = tables.filter { $0.name == "sqlite_sequence" }
    let others = tables.filter { $0.name != "sqlite_sequence" }
    for table in sequence + others { writeDefinition(of: table) }
    // Before the rows, so that each of them is taken once only.
    let unique = schema.filter { $0.sql.uppercased().hasPrefix("CREATE UNIQUE") }
    for index in unique { output.write(index.sql + ";\n") }
    for table in others where !Self.isVirtual(table) { try writeRows(of: table) }
    for table in sequence {
      output.write("DELETE FROM sqlite_sequence;\n")
      try writeRows(of: table)
    }
    // The trees of indexes are no finds.
    for row in schema where row.type == "index" { _ = leaves(of: row.root) }
    try writeLost()
    let names = Set(schema.filter { ["table", "view"].contains($0.type) }.map(\.name))
    for row in schema where ["index", "view", "trigger"].contains(row.type) && !row.sql.isEmpty {
      let isWritten = row.sql.uppercased().hasPrefix("CREATE UNIQUE")
      if isWritten || !names.contains(row.table) { continue }
      // A comment at the end would take the semicolon.
      let isWhole = isCompleteStatement(Array((row.sql + ";").utf8))
      output.write(row.sql + (isWhole ? ";\n" : "\n;\n"))
    }
    output.write("PRAGMA writable_schema = off;\nCOMMIT;\n")
  }

  private func writeSettings() {
    let encodings: [UInt32: String] = [2: "UTF-16le", 3: "UTF-16be"]
    let isIncremental = source.headerField(64) != 0
    let vacuum = source.headerField(52) == 0 ? 0 : isIncremental ? 2 : 1
    output.write(
      """
      PRAGMA encoding = '\(encodings[encoding] ?? "UTF-8")';
      PRAGMA page_size = '\(source.pageSize)';
      PRAGMA auto_vacuum = '\(vacuum)';
      PRAGMA user_version = '\(Int32(bitPattern: source.headerField(60)))';
      PRAGMA application_id = '\(Int32(bitPattern: source.headerField(68)))';\n
      """)
  }

  private static func isVirtual(_ row: SchemaRow) -> Bool {
    row.sql.uppercased().hasPrefix("CREATE VIRTUAL")
  }

  private mutating func readSchema() {
    for (_, cell) in rows(of: 1) {
      let values = readRecord(cell.payload, encoding: encoding)
      guard values.count >= 4, let type = values[0].text, let name = values[1].text else {
        continue
      }
      schema.append(
        SchemaRow(
          type: type, name: name, table: values[2].text ?? "",
          root: Int(clamping: values[3].integer ?? 0),
          sql: values.count > 4 ? values[4].text ?? "" : ""))
    }
  }

  private func writeDefinition(of table: SchemaRow) {
    guard Self.isVirtual(table) else {
      if !table.sql.isEmpty { output.write(table.sql + ";\n") }
      return
    }
    let name = sqlText(table.name)
    output.write(
      "INSERT INTO sqlite_schema VALUES('table', \(name), \(name), 0, \(sqlText(table.sql)));\n")
  }

  // MARK: Tables

  private mutating func writeRows(of table: SchemaRow) throws(SQLError) {
    guard let shape = TableShape(table.sql, name: table.name) else { return }
    var current = 0
    for (page, cell) in rows(of: table.root) {
      if Interruption.isPending { throw SQLError(.interrupt) }
      if page != current {
        current = page
        writtenCount += 1
        bar.show(done: writtenCount, often: false)
      }
      let values = readRecord(cell.payload, encoding: encoding)
      if values.isEmpty { continue }
      var names: [String] = []
      var literals: [[UInt8]] = []
      if let name = shape.rowIDName, let rowID = cell.rowID {
        names.append(name)
        literals.append(Array((options.keepsRowIDs ? String(rowID) : "NULL").utf8))
      }
      var given: [Int: [UInt8]] = [:]
      for (place, value) in zip(shape.stored, values) {
        given[place] = literal(value)
        if place == shape.rowIDColumn, let rowID = cell.rowID {
          given[place] = Array(String(rowID).utf8)
        }
      }
      for (index, column) in shape.columns.enumerated() where !shape.generated.contains(index) {
        guard let literal = given[index] else { continue }
        names.append(sqlText(column))
        literals.append(literal)
      }
      output.write(
        "INSERT OR IGNORE INTO \(sqlText(table.name))(\(names.joined(separator: ", "))) VALUES (")
      output.write(literals.joined(separator: Array(", ".utf8)))
      output.write(");\n")
    }
  }

  private func literal(_ value: RecoveredValue) -> [UInt8] {
    value.literal { number in
      do throws(SQLError) {
        try speller.reset()
        try speller.bind(number, at: 1)
        return try speller.step() ? speller.columnText(0) : "NULL"
      } catch {
        return "NULL"
      }
    }
  }

  // MARK: Trees

  /// The leaf pages under a root, in order; every page is walked once, whatever leads to it.
  private mutating func leaves(of root: Int) -> [(number: Int, page: DamagedPage)] {
    var found: [(number: Int, page: DamagedPage)] = []
    var waiting = [root]
    while let number = waiting.popLast() {
      guard !seen.contains(number), let bytes = source.page(number),
        let page = DamagedPage(bytes, number: number)
      else { continue }
      seen.insert(number)
      if page.kind != .tableInterior { found.append((number, page)) }
      guard page.isInterior else { continue }
      let right = page.rightChild.map { [$0] } ?? []
      let children = page.cellOffsets.compactMap { offset in
        page.cell(at: offset, usableSize: source.usableSize) { _, _ in [] }?.child
      }
      // The last child first, as sqlite3's shell has it; the schema in its order.
      waiting += (root == 1 ? children + right : right + children).reversed()
    }
    return found
  }

  /// The cells with content under a root, and the pages that they stand on.
  private mutating func rows(of root: Int) -> [(page: Int, cell: DamagedPage.Cell)] {
    leaves(of: root).flatMap { number, page in cells(on: page).map { (number, $0) } }
  }

  private mutating func cells(on page: DamagedPage) -> [DamagedPage.Cell] {
    var found: [DamagedPage.Cell] = []
    for offset in page.cellOffsets {
      var chain: Set<Int> = []
      let cell = page.cell(at: offset, usableSize: source.usableSize) { first, size in
        overflow(from: first, size: size, chain: &chain)
      }
      seen.formUnion(chain)
      if let cell { found.append(cell) }
    }
    return found
  }

  /// The rest of a payload along its chain of pages, as far as that goes.
  private func overflow(from first: Int, size: Int, chain: inout Set<Int>) -> [UInt8] {
    var bytes: [UInt8] = []
    var number = first
    while bytes.count < size, !seen.contains(number), chain.insert(number).inserted,
      let page = source.page(number)
    {
      bytes += page[4..<min(source.usableSize, 4 + size - bytes.count)]
      number = page[..<4].reduce(0) { $0 << 8 | Int($1) }
    }
    return bytes
  }

  // MARK: What is lost

  private static let mostMissing = 100_000

  private mutating func writeLost() throws(SQLError) {
    if options.ignoresFreelist { seen.formUnion(freePages()) }
    var lost: [Int: DamagedPage] = [:]
    var parents: [Int: Int] = [:]
    var missing = 0
    for number in 1...max(source.pageCount, 1) where !seen.contains(number) {
      if Interruption.isPending { throw SQLError(.interrupt) }
      guard let bytes = source.page(number) else {
        // A damaged header may count pages that the file never had.
        missing += 1
        if missing > Self.mostMissing { break }
        continue
      }
      missing = 0
      guard let page = DamagedPage(bytes, number: number) else { continue }
      lost[number] = page
      guard page.isInterior else { continue }
      let children = page.cellOffsets.compactMap { offset in
        page.cell(at: offset, usableSize: source.usableSize) { _, _ in [] }?.child
      }
      for child in children + [page.rightChild ?? 0] where child != number {
        parents[child] = number
      }
    }
    var finds: [(root: Int, page: Int, rowID: Int64?, values: [RecoveredValue])] = []
    for number in lost.keys.sorted() {
      guard let page = lost[number], page.kind != .tableInterior, !seen.contains(number) else {
        continue
      }
      var root = number
      var steps = 0
      while let parent = parents[root], lost[parent] != nil, steps < lost.count {
        root = parent
        steps += 1
      }
      for cell in cells(on: page) {
        if Interruption.isPending { throw SQLError(.interrupt) }
        let values = readRecord(cell.payload, encoding: encoding)
        if !values.isEmpty { finds.append((root, number, cell.rowID, values)) }
      }
    }
    guard let width = finds.map(\.values.count).max() else { return }
    let name = freeName()
    let columns = (0..<width).map { ", c\($0)" }.joined()
    output.write(
      "CREATE TABLE \(name)"
        + "(rootpgno INTEGER, pgno INTEGER, nfield INTEGER, id INTEGER\(columns));\n")
    let order = finds.indices.sorted { (finds[$0].root, $0) < (finds[$1].root, $1) }
    for find in order.map({ finds[$0] }) {
      let rowID = find.rowID.map(String.init) ?? "NULL"
      let place = "\(find.root), \(find.page), \(find.values.count), \(rowID)"
      output.write("INSERT INTO \(name) VALUES(\(place)")
      for index in 0..<width {
        output.write(", ")
        output.write(index < find.values.count ? literal(find.values[index]) : Array("NULL".utf8))
      }
      output.write(");\n")
    }
  }

  /// The name that was asked for, or with a number where the schema has it.
  private func freeName() -> String {
    let taken = Set(schema.map { $0.name.lowercased() })
    var name = options.lostAndFound
    var number = 0
    while taken.contains(name.lowercased()) {
      name = "\(options.lostAndFound)_\(number)"
      number += 1
    }
    return identifier(name)
  }

  /// The pages of the freelist (fileformat2 §1.5).
  private func freePages() -> Set<Int> {
    var pages: Set<Int> = []
    var trunk = Int(source.headerField(32))
    while pages.insert(trunk).inserted, let page = source.page(trunk) {
      let count = page[4..<8].reduce(0) { $0 << 8 | Int($1) }
      for index in 0..<min(count, (source.usableSize - 8) / 4) {
        let start = 8 + 4 * index
        pages.insert(page[start..<start + 4].reduce(0) { $0 << 8 | Int($1) })
      }
      trunk = page[..<4].reduce(0) { $0 << 8 | Int($1) }
    }
    return pages
  }
}
