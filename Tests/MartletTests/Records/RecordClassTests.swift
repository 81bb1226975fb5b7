import Martlet
import Testing

private final class Person: Record {
  var id: Int64?
  var name: String

  init(name: String) {
    self.name = name
    super.init()
  }

  required init(row: Row) throws {
    id = row["id"]
    name = row["name"]
    try super.init(row: row)
  }

  override class var databaseTableName: String { "person" }

  override func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["name"] = name
  }

  override func didInsert(_ inserted: InsertionSuccess) {
    super.didInsert(inserted)
    id = inserted.rowID
  }
}

@Suite struct RecordClassTests {
  @Test func `records know what has changed since they were fetched or saved`() throws {
    try inEmptyDatabase { db in
      try db.execute(sql: "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT)")
      let person = Person(name: "a")
      #expect(person.hasDatabaseChanges)
      try person.insert(db)
      #expect(person.id == 1 && !person.hasDatabaseChanges)
      person.name = "b"
      #expect(try person.databaseChanges == ["name": "a".databaseValue])
      #expect(try person.updateChanges(db) && !person.updateChanges(db))
      let fetched = try Person.find(db, key: 1)
      #expect(fetched.name == "b" && !fetched.hasDatabaseChanges)
      fetched.name = "c"
      try fetched.update(db)
      #expect(!fetched.hasDatabaseChanges)
      #expect(try fetched.delete(db) && fetched.hasDatabaseChanges)
    }
  }

  @Test func `a record of a row that no statement gave is new`() throws {
    let person = try Person(row: ["id": 1, "name": "a"])
    #expect(try person.databaseChanges == ["id": nil, "name": nil])
  }
}
