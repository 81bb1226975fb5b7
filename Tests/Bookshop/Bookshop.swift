import Foundation
import MartletTyped

/// A bookshop, as a program that was written for SQLite.swift: nothing but the import is another.
public final class Bookshop {
  let db: Connection
  public private(set) var events: [String] = []

  public init(path: String? = nil) throws {
    if let path = path {
      db = try Connection(path)
    } else {
      db = try Connection(.inMemory)
    }
    db.busyTimeout = 5
    db.busyHandler({ tries in
      return tries < 3
    })
    try migrate()
    try addFunctions()
    db.updateHook { [weak self] operation, db, table, rowid in
      self?.events.append("\(operation) \(table) \(rowid)")
    }
  }

  // MARK: Schema

  private func migrate() throws {
    if db.userVersion == 0 {
      try db.transaction {
        try createTables()
      }
      db.userVersion = 1
    }
    if db.userVersion == 1 {
      try db.run(Orders.table.addColumn(Orders.note))
      let schemaChanger = SchemaChanger(connection: db)
      try schemaChanger.alter(table: "books") { table in
        table.add(column: ColumnDefinition(name: "shelf", type: .TEXT, nullable: true))
      }
      db.userVersion = 2
    }
    db.foreignKeys = true
  }

  private func createTables() throws {
    try db.run(
      Authors.table.create(ifNotExists: true) { t in
        t.column(Authors.id, primaryKey: .autoincrement)
        t.column(Authors.name, unique: true, check: Authors.name.length > 0)
        t.column(Authors.born)
      })
    try db.run(
      Books.table.create { t in
        t.column(Books.id, primaryKey: true)
        t.column(Books.authorId, references: Authors.table, Authors.id)
        t.column(Books.isbn, unique: true, collate: .nocase)
        t.column(Books.title)
        t.column(Books.price, check: Books.price >= 0, defaultValue: 9.5)
        t.column(Books.stock, defaultValue: 0)
        t.column(Books.published)
        t.column(Books.cover)
        t.check(Books.stock >= 0)
      })
    try db.run(
      Orders.table.create { t in
        t.column(Orders.id, primaryKey: true)
        t.column(Orders.customer)
        t.column(Orders.bookId)
        t.column(Orders.count, defaultValue: 1)
        t.column(Orders.state, defaultValue: .open)
        t.foreignKey(
          Orders.bookId, references: Books.table, Books.id, update: .cascade, delete: .restrict)
      })
    try db.run(
      Reviews.table.create { t in
        t.column(Reviews.id, primaryKey: true)
        t.column(Reviews.bookId, references: Books.table, Books.id)
        t.column(Reviews.text)
        t.column(Reviews.stars)
        t.column(Reviews.mood)
        t.column(Reviews.place)
        t.column(Reviews.written)
        t.unique(Reviews.bookId, Reviews.text)
      })
    try db.run(Books.table.createIndex(Books.title, ifNotExists: true))
    try db.run(Orders.table.createIndex(Orders.customer, Orders.state))
    let expensive = View("expensive_books")
    try db.run(expensive.create(Books.table.select(Books.id, Books.title).filter(Books.price > 20)))
  }

  // MARK: Functions

  var initials: ((Expression<String>) -> Expression<String>)!

  private func addFunctions() throws {
    initials = try db.createFunction("initials", deterministic: true) { (name: String) -> String in
      return name.split(separator: " ").map { String($0.prefix(1)) }.joined(separator: ".")
    }
    db.createFunction("shout", argumentCount: 1) { args in
      guard let text = args[0] as? String else { return nil }
      return text.uppercased() + "!"
    }
    db.createAggregation(
      "longest", argumentCount: 1, initialValue: "",
      reduce: { (last: String, bindings: [Binding?]) -> String in
        let text = bindings[0] as? String ?? ""
        return text.count > last.count ? text : last
      },
      result: { $0 })
    try db.createCollation("BY_LENGTH") { lhs, rhs in
      if lhs.count == rhs.count { return lhs.compare(rhs) }
      return lhs.count < rhs.count ? .orderedAscending : .orderedDescending
    }
  }

  // MARK: Changes

  @discardableResult
  public func addAuthor(_ name: String, born: Int? = nil) throws -> Int64 {
    return try db.run(Authors.table.insert(Author(id: nil, name: name, born: born)))
  }

  @discardableResult
  public func addBook(_ title: String, by author: Int64, isbn: String, price: Double, stock: Int)
    throws
    -> Int64
  {
    return try db.run(
      Books.table.upsert(
        Books.title <- title, Books.authorId <- author, Books.isbn <- isbn, Books.price <- price,
        Books.stock <- stock, onConflictOf: Books.isbn))
  }

  public enum OrderError: Error {
    case outOfStock(String)
  }

  @discardableResult
  public func order(_ count: Int, ofBook id: Int64, for customer: UUID) throws -> Int64 {
    var order: Int64 = 0
    try db.transaction(.immediate) {
      let book = Books.table.filter(Books.id == id)
      guard let row = try db.pluck(book), row[Books.stock] >= count else {
        throw OrderError.outOfStock("book \(id)")
      }
      try db.run(book.update(Books.stock -= count))
      order = try db.run(
        Orders.table.insert(
          Orders.customer <- customer, Orders.bookId <- id, Orders.count <- count))
    }
    return order
  }

  public func ship(_ order: Int64) throws -> Bool {
    let open = Orders.table.filter(Orders.id == order && Orders.state != .shipped)
    return try db.run(open.update(Orders.state <- .shipped, Orders.note <- "on its way")) > 0
  }

  public func raisePrices() throws -> Int {
    try db.savepoint("raise") {
      try db.run(Books.table.filter(Books.price < 10).update(Books.price += 1))
      try db.run(Books.table.filter(10...100 ~= Books.price).update(Books.price *= 1.5))
    }
    return db.changes
  }

  public func importReviews(_ reviews: [(book: Int64, text: String, stars: Int)]) throws {
    let rows = reviews.enumerated().map { index, review in
      Review(
        id: Int64(index + 1), book_id: review.book, text: review.text, stars: review.stars,
        mood: review.stars > 2 ? .good : .bad,
        place: index % 2 == 0 ? Review.Place(page: index, line: 1) : nil,
        written: Date(timeIntervalSince1970: 1_400_000_000 + Double(index)))
    }
    try db.run(Reviews.table.insertMany(rows))
  }

  public func forget(_ author: Int64) throws -> Int {
    try db.run(Books.table.filter(Books.authorId == author && Books.stock == 0).delete())
  }

  // MARK: Questions

  public func catalogue() throws -> [String] {
    let query = Books.table
      .join(Authors.table, on: Books.authorId == Authors.table[Authors.id])
      .order(Authors.name, Books.title.desc)
    var lines: [String] = []
    for row in try db.prepare(query) {
      let title = row[Books.title], name = row[Authors.name]
      lines.append("\(title) by \(name), \(row[Books.stock]) left")
    }
    return lines
  }

  public func authors(withoutBooks: Bool = false) throws -> [String] {
    let books = Books.table
    let query = Authors.table
      .join(.leftOuter, books, on: books[Books.authorId] == Authors.table[Authors.id])
      .select(Authors.table[Authors.id], Authors.name, books[Books.id].count)
      .group(Authors.table[Authors.id])
      .order(Authors.name)
    return try db.prepareRowIterator(query).compactMap { row in
      let count = try row.get(books[Books.id].count)
      guard withoutBooks == (count == 0) else { return nil }
      return "\(try row.get(Authors.name)): \(count)"
    }
  }

  public func statistics() throws -> [String: Double] {
    return [
      "books": Double(try db.scalar(Books.table.count)),
      "authors": Double(try db.scalar(Books.table.select(Books.authorId.distinct.count))),
      "average": try db.scalar(Books.table.select(Books.price.average)) ?? 0,
      "dearest": try db.scalar(Books.table.select(Books.price.max)) ?? 0,
      "stock": Double(try db.scalar(Books.table.select(Books.stock.sum)) ?? 0),
      "value": try db.scalar(Books.table.select((Books.price * Books.stock.cast()).total)),
    ]
  }

  public func search(_ words: String) throws -> [String] {
    let pattern = "%" + words.replacingOccurrences(of: "%", with: "\\%") + "%"
    let query = Books.table.select(Books.title, Books.id)
      .filter(Books.title.like(pattern, escape: "\\") || Books.isbn == words)
      .order(Books.title.collate(.custom("BY_LENGTH")))
      .limit(10)
    return try db.prepare(query).map { $0[Books.title] }
  }

  public func initialsOfAuthors() throws -> [String] {
    let short = initials(Authors.name)
    return try db.prepare(Authors.table.select(short, Authors.id).order(Authors.id)).map {
      $0[short]
    }
  }

  public func ranking() throws -> [String] {
    let place = rank(Books.price.desc)
    let query = Books.table.select(Books.title, place).order(place, Books.title)
    return try db.prepareRowIterator(query).map { "\($0[place]). \($0[Books.title])" }
  }

  public func reviews(of book: Int64) throws -> [Review] {
    let rows = try db.prepare(Reviews.table.filter(Reviews.bookId == book).order(Reviews.written))
    return try rows.map { try $0.decode() }
  }

  public func openOrders(of customer: UUID) throws -> [(title: String, count: Int)] {
    let open = Orders.table.filter(
      Orders.customer == customer && [State.open, .paid].contains(Orders.state))
    let query = open.join(Books.table, on: Orders.bookId == Books.table[Books.id])
    return try db.prepare(query).map { ($0[Books.title], $0[Orders.table[Orders.count]]) }
  }

  public func everything(named text: String) throws -> [String] {
    let names = Authors.table.select(Authors.name).filter(Authors.name.like("%\(text)%"))
    let titles = Books.table.select(Books.title).filter(Books.title.like("%\(text)%"))
    return try db.prepare(names.union(titles)).map { $0[Authors.name] }.sorted()
  }

  /// Full-text search, where the module is there.
  public func fullTextSearch(_ words: String) throws -> [String]? {
    let index = VirtualTable("book_index")
    do {
      try db.run(index.create(.FTS4([Books.title], tokenize: .Porter), ifNotExists: true))
    } catch let Result.error(message, _, _) where message.contains("no such module") {
      return nil
    }
    try db.run(index.insert(Books.table.select(Books.title)))
    return try db.prepare(index.match(words) as QueryType).map { $0[Books.title] }
  }

  // MARK: Raw SQL

  public func raw() throws -> [String] {
    var lines: [String] = []
    let statement = try db.prepare(
      "SELECT id, title, shout(title) FROM books WHERE price > ? ORDER BY id")
    for row in statement.bind(5.0) {
      if let id = row[0] as? Int64, let title = row[1] as? String, let loud = row[2] as? String {
        lines.append("\(id) \(title) \(loud)")
      }
    }
    if let longest = try db.scalar("SELECT longest(title) FROM books") as? String {
      lines.append("longest: \(longest)")
    }
    let count = try db.scalar("SELECT count(*) FROM orders WHERE count > :count", [":count": 1])
    lines.append("large orders: \(count as? Int64 ?? -1)")
    for definition in try db.schema.columnDefinitions(table: "authors") {
      lines.append("\(definition.name) \(definition.type) \(definition.nullable)")
    }
    return lines
  }

  public func backup(to path: String) throws {
    let target = try Connection(path)
    let backup = try db.backup(usingConnection: target)
    try backup.step()
    backup.finish()
  }
}
