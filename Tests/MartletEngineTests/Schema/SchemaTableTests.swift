import Testing

@testable import MartletEngine

struct SchemaTableTests {
  @Test func `a schema table is what its definition says`() throws {
    for (definition, index) in [(SchemaTable.main, 0), (SchemaTable.temporary, 1)] {
      let bytes = UnsafeBufferPointer(
        start: definition.text.start, count: definition.text.count)
      let text = try SQLText(copying: bytes)
      let statement = try #require(try Parser.parse(text, isLoadingSchema: true)).statement
      guard case .createTable(let createTable) = statement else {
        Issue.record("no CREATE TABLE")
        continue
      }
      let builder = SchemaBuilder(
        databaseIndex: index, databaseName: Name("main"), nameText: nil)
      let read = try builder.makeTable(createTable, text, rootPage: PageNumber(1))
      let made = definition.makeTable(index, Name("main"))
      #expect(description(of: made) == description(of: read))
    }
  }

  private func description(of table: Table) -> [String] {
    let columns = table.columns.map {
      "\($0.name.string) \($0.declaredType ?? "") \($0.affinity) \($0.sizeEstimate)"
    }
    return columns + [
      table.name.string, "\(table.databaseIndex)", "\(table.rowidColumn)",
      "\(table.rowSizeEstimate)", "\(table.rowEstimate)", "\(table.columnHashes)",
    ]
  }
}
