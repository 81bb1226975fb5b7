#if MARTLET
  import Martlet
#else
  import GRDB
#endif

/// Read by the names of the columns.
struct Item: FetchableRecord, PersistableRecord {
  let id: Int64
  let name: String
  let kind: String
  let note: String?
  let count: Int
  let size: Int
  let rank: Int
  let score: Double

  init(_ id: Int64) {
    self.id = id
    name = "item number \(id)"
    kind = "kind \(id % 17)"
    note = id % 3 == 0 ? nil : "a note of some words about number \(id)"
    count = Int(id) * 7 % 1_000
    size = Int(id) << 20
    rank = Int(id) % 100
    score = Double(id) * 0.25
  }

  init(row: Row) {
    id = row["id"]
    name = row["name"]
    kind = row["kind"]
    note = row["note"]
    count = row["count"]
    size = row["size"]
    rank = row["rank"]
    score = row["score"]
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["name"] = name
    container["kind"] = kind
    container["note"] = note
    container["count"] = count
    container["size"] = size
    container["rank"] = rank
    container["score"] = score
  }

  var sum: Int { Int(id) &+ name.utf8.count &+ (note?.utf8.count ?? 0) &+ count &+ rank }
}

/// The same, derived from its properties.
struct CodableItem: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "item"

  let id: Int64
  let name: String
  let kind: String
  let note: String?
  let count: Int
  let size: Int
  let rank: Int
  let score: Double

  init(_ item: Item) {
    id = item.id
    name = item.name
    kind = item.kind
    note = item.note
    count = item.count
    size = item.size
    rank = item.rank
    score = item.score
  }

  var sum: Int { Int(id) &+ name.utf8.count &+ (note?.utf8.count ?? 0) &+ count &+ rank }
}

/// The same, read by the positions of the columns.
struct OptimizedItem: FetchableRecord, TableRecord {
  static let databaseTableName = "item"

  let id: Int64
  let name: String
  let kind: String
  let note: String?
  let count: Int
  let size: Int
  let rank: Int
  let score: Double

  init(row: Row) {
    id = row[0]
    name = row[1]
    kind = row[2]
    note = row[3]
    count = row[4]
    size = row[5]
    rank = row[6]
    score = row[7]
  }

  var sum: Int { Int(id) &+ name.utf8.count &+ (note?.utf8.count ?? 0) &+ count &+ rank }
}
