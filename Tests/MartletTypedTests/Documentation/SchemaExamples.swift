import Foundation
import MartletTyped
import Testing

/// The code of the article "Schemas".
@Suite struct SchemaExamples {
  let users = Table("users"), posts = Table("posts"), archive = Table("archive")
  let notes = Table("notes"), boxes = VirtualTable("boxes"), mails = VirtualTable("mails")
  let id = Expression<Int64>("id"), email = Expression<String>("email")
  let name = Expression<String?>("name"), suffix = Expression<String?>("suffix")
  let managerId = Expression<Int64?>("manager_id"), userId = Expression<Int64?>("user_id")
  let minX = Expression<Double>("minX"), maxX = Expression<Double>("maxX")
  let minY = Expression<Double>("minY"), maxY = Expression<Double>("maxY")

  @Test func `schemas are made, changed and read`() throws {
    let db = try Connection()
    try db.run(
      users.create(ifNotExists: true) { t in
        t.column(id, primaryKey: .autoincrement)
        t.column(email, unique: true, check: email.like("%@%"), collate: .nocase)
        t.column(name, defaultValue: "Anonymous")
        t.column(managerId, references: users, id)
        t.check(name != email)
        t.unique(name, managerId)
      })
    try db.run(
      posts.create(withoutRowid: true) { t in
        t.column(id, primaryKey: true)
        t.column(userId)
        t.foreignKey(userId, references: users, id, delete: .cascade)
      })
    try db.run(archive.create(users.filter(name == nil)))
    try db.run(View("named").create(users.filter(name != nil)))

    try db.run(users.addColumn(suffix, defaultValue: "SR"))
    try db.run(users.createIndex(email, unique: true, ifNotExists: true))
    try db.run(users.dropIndex(email, ifExists: true))
    try db.run(archive.rename(Table("attic")))
    try db.run(Table("attic").drop(ifExists: true))

    let changer = SchemaChanger(connection: db)
    try changer.alter(table: "users") { table in
      table.add(column: ColumnDefinition(name: "born", type: .INTEGER))
      table.rename(column: "suffix", to: "title")
    }
    if db.userVersion == 0 {
      try db.run(notes.create { $0.column(id) })
      db.userVersion = 1
    }
    for column in try db.schema.columnDefinitions(table: "users") {
      print(column.name, column.type, column.nullable, column.defaultValue)
    }
    let tables = try db.schema.objectDefinitions(type: .table).map(\.name)
    #expect(Set(tables) == ["users", "posts", "notes", "sqlite_sequence"])

    try db.run(boxes.create(.RTree(id, (minX, maxX), (minY, maxY))))
    let config = FTS5Config().column(email).column(name, [.unindexed]).tokenizer(.Porter)
    let sql = mails.create(.FTS5(config))
    let found: VirtualTable = mails.match("wonder*")
    #expect(sql.hasSuffix("fts5(\"email\", \"name\" UNINDEXED, tokenize=porter)"))
    expectSQL("SELECT * FROM \"mails\" WHERE (\"mails\" MATCH 'wonder*')", found)
  }
}
