import TestSupport
import Testing

@testable import MartletEngine

@Suite(.enabled(if: OracleShell.isAvailable, "needs MARTLET_ORACLE"))
struct FreelistTests {
  @Test(arguments: [512, 4096])
  func `the freelist has as many pages as the header says`(pageSize: Int) throws {
    let database = try TestDatabase(
      """
      pragma page_size = \(pageSize); create table t(a); create table u(a);
      insert into t select zeroblob(pageSize) from generate_series(1, 400), (select 3000 as pageSize);
      drop table t;
      """)
    var pages: Set<PageNumber> = []
    try database.tree.visitFreePages { page, _ in pages.insert(page) }
    let count = try database.lines("pragma freelist_count;")
    #expect(["\(pages.count)"] == count)
    #expect(pages.count > 400)
    #expect(try "\(database.tree.meta(.freePageCount))" == count[0])
  }

  @Test(arguments: [512, 4096])
  func `the pointer map knows every page`(pageSize: Int) throws {
    let database = try TestDatabase(
      TestDatabase.mixedRows(pageSize: pageSize, autoVacuum: 2) + "drop index bn;")
    let tree = database.tree
    var free: Set<PageNumber> = []
    try tree.visitFreePages { page, _ in free.insert(page) }
    #expect(!free.isEmpty)
    var kinds: Set<PointerMapKind> = []
    for number in 3...tree.pager.pageCount {
      let page = PageNumber(number)
      if tree.pointerMapPage(for: page) == page { continue }
      let entry = try tree.pointerMapEntry(for: page)
      kinds.insert(entry.kind)
      #expect((entry.kind == .freePage) == free.contains(page))
    }
    #expect(kinds.count == 5)
    #expect(try tree.pointerMapEntry(for: try database.root(of: "t")).kind == .rootPage)
  }

  @Test func `page 1 keeps the numbers that pragmas set`() throws {
    let database = try TestDatabase(
      """
      pragma encoding = 'UTF-16be'; pragma user_version = 77; pragma application_id = 12345;
      create table t(a);
      """)
    #expect(try database.tree.meta(.userVersion) == 77)
    #expect(try database.tree.meta(.applicationID) == 12345)
    #expect(try database.tree.meta(.textEncoding) == 3)
    #expect(try database.tree.meta(.schemaFormat) == 4)
    #expect(try database.tree.meta(.schemaCookie) == 1)
  }
}
