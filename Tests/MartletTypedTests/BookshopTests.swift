import Bookshop
import Foundation
import Testing

/// A program of another library does here what it did there.
@Suite struct BookshopTests {
  private func shop(_ path: String? = nil) throws -> Bookshop {
    let shop = try Bookshop(path: path)
    let ada = try shop.addAuthor("Ada Lovelace", born: 1815), emil = try shop.addAuthor("Emil Post")
    try shop.addAuthor("Kurt Gödel")
    try shop.addBook("Notes", by: ada, isbn: "x1", price: 8, stock: 3)
    try shop.addBook("100% Engines", by: ada, isbn: "x2", price: 30, stock: 0)
    try shop.addBook("Tags", by: emil, isbn: "x3", price: 12, stock: 5)
    try shop.addBook("Notes again", by: ada, isbn: "X1", price: 9, stock: 4)
    return shop
  }

  @Test func `the shop sells`() throws {
    let shop = try shop(), customer = UUID()
    #expect(
      try shop.catalogue() == [
        "Notes again by Ada Lovelace, 4 left", "100% Engines by Ada Lovelace, 0 left",
        "Tags by Emil Post, 5 left",
      ])
    let order = try shop.order(3, ofBook: 1, for: customer)
    #expect(throws: Bookshop.OrderError.self) { try shop.order(2, ofBook: 1, for: customer) }
    try shop.order(1, ofBook: 3, for: customer)
    #expect(try shop.openOrders(of: customer).map(\.title) == ["Notes again", "Tags"])
    #expect(try shop.ship(order) && !shop.ship(order))
    #expect(try shop.openOrders(of: customer).map(\.count) == [1])
    #expect(try shop.raisePrices() == 3)
    #expect(try shop.forget(1) == 1)
    #expect(shop.events.first == "insert authors 1" && shop.events.last == "delete books 2")
  }

  @Test func `the shop answers`() throws {
    let shop = try shop()
    #expect(try shop.authors() == ["Ada Lovelace: 2", "Emil Post: 1"])
    #expect(try shop.authors(withoutBooks: true) == ["Kurt Gödel: 0"])
    #expect(
      try shop.statistics() == [
        "books": 3, "authors": 2, "average": 17, "dearest": 30, "stock": 9, "value": 96,
      ])
    #expect(try shop.search("0%") == ["100% Engines"])
    #expect(try shop.search("X3") == ["Tags"])
    #expect(try shop.search("g").first == "Tags")
    #expect(try shop.initialsOfAuthors() == ["A.L", "E.P", "K.G"])
    #expect(try shop.ranking() == ["1. 100% Engines", "2. Tags", "3. Notes again"])
    #expect(try shop.everything(named: "a") == ["Ada Lovelace", "Notes again", "Tags"])
    #expect(
      try shop.raw() == [
        "1 Notes again NOTES AGAIN!", "2 100% Engines 100% ENGINES!", "3 Tags TAGS!",
        "longest: 100% Engines", "large orders: 0", "id INTEGER false", "name TEXT false",
        "born INTEGER true",
      ])
  }

  @Test func `the shop keeps reviews, files and backups`() throws {
    let file = TemporaryFile(), copy = TemporaryFile()
    do {
      let shop = try shop(file.path)
      try shop.importReviews([(1, "fine", 4), (1, "it's dull", 1), (3, "fine", 5)])
      let reviews = try shop.reviews(of: 1)
      #expect(reviews.map(\.text) == ["fine", "it's dull"])
      #expect(reviews.map(\.mood) == [.good, .bad] && reviews.map { $0.place?.page } == [0, nil])
      try shop.backup(to: copy.path)
    }
    let again = try Bookshop(path: copy.path)
    #expect(try again.reviews(of: 3).map(\.stars) == [5])
    if let found = try again.fullTextSearch("engine") { #expect(found == ["100% Engines"]) }
  }
}
