import Martlet

struct Player: Codable, FetchableRecord, MutablePersistableRecord, Identifiable {
  var id: Int64?
  var name: String
  var points: Int

  enum Columns {
    static let name = Column("name")
    static let points = Column("points")
  }

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

struct Game: Codable, FetchableRecord, MutablePersistableRecord {
  var id: Int64?
  var winnerId: Int64
  var points: Int
}

@main
struct Main {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let gameCount = Int(arguments[2]) else {
      print("usage: Scoreboard FILE GAMES")
      return
    }
    let pool = try DatabasePool(path: arguments[1])
    try migrator.migrate(pool)
    let observer = Task { try await printLeaders(pool) }
    try await play(gameCount / 2, in: pool)
    let halfTime = try pool.makeSnapshot()
    try await play(gameCount - gameCount / 2, in: pool)
    observer.cancel()
    try report(pool, halfTime)
  }

  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("players and games") { db in
      try db.create(table: "player") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("name", .text).notNull().unique()
        t.column("points", .integer).notNull()
      }
      try db.create(table: "game") { t in
        t.autoIncrementedPrimaryKey("id")
        t.column("winnerId", .integer).notNull().references("player")
        t.column("points", .integer).notNull()
      }
      for name in ["Arthur", "Barbara", "Craig", "Diane"] {
        var player = Player(name: name, points: 0)
        try player.insert(db)
      }
    }
    return migrator
  }

  /// Four tasks play at the same time; each game is one transaction.
  static func play(_ count: Int, in pool: DatabasePool) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask {
          for _ in stride(from: task, to: count, by: 4) {
            try await pool.write { db in
              let points = Int.random(in: 1...10)
              guard var winner = try Player.order(sql: "RANDOM()").fetchOne(db) else { return }
              winner.points += points
              try winner.update(db)
              var game = Game(winnerId: winner.id ?? 0, points: points)
              try game.insert(db)
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// Prints who leads, each time that it is somebody else.
  static func printLeaders(_ pool: DatabasePool) async throws {
    let leader = ValueObservation.tracking { db in
      try Player.order { [$0.points.desc, $0.name] }.fetchOne(db)
    }
    .map { $0?.name ?? "nobody" }
    .removeDuplicates()
    for try await name in leader.values(in: pool) { print("leader:", name) }
  }

  static func report(_ pool: DatabasePool, _ halfTime: DatabaseSnapshot) throws {
    for (title, reader) in [("half time", halfTime as any DatabaseReader), ("end", pool)] {
      let (players, games) = try reader.read { db in
        (
          try Player.order { $0.name }.fetchAll(db),
          try Int.fetchOne(db, sql: "SELECT TOTAL(points) FROM game") ?? 0
        )
      }
      let scores = players.map { "\($0.name) \($0.points)" }.joined(separator: ", ")
      print("\(title): \(scores)")
      guard players.reduce(0, { $0 + $1.points }) == games else {
        throw DatabaseError(message: "points were lost")
      }
    }
  }
}
