import Dispatch
import Martlet
import Testing

/// The code of the article "Observation".
@Suite struct ObservationExamples {
  struct Player: Codable, FetchableRecord, PersistableRecord, Equatable {
    var id: Int64
    var score: Int

    enum Columns {
      static let id = Column("id")
      static let score = Column("score")
    }
  }

  @Test func `changes are told`() async throws {
    let dbQueue = try emptyDatabase()
    try await dbQueue.write { db in
      try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, score INTEGER NOT NULL)")
      try Player(id: 1, score: 10).insert(db)
    }
    let queue = DispatchQueue(label: "observation")
    let list = LockedList()
    @Sendable func show(_ players: [Player]) { list.append("\(players.count)") }
    @Sendable func report(_ error: any Error) { list.append("\(error)") }
    @Sendable func audit(_ db: Database) { list.append("audit") }

    let observation = ValueObservation.tracking { db in
      try Player.order { $0.score.desc }.fetchAll(db)
    }
    let count = ValueObservation.tracking { try Player.fetchCount($0) }
      .removeDuplicates()
      .map { "\($0) players" }
    for try await text in count.values(in: dbQueue) {
      #expect(text == "1 players")
      break
    }

    try await dbQueue.write { try Player(id: 2, score: 20).insert($0) }
    for try await players in observation.values(in: dbQueue) {
      show(players)
      if players.count > 1 { break }
    }
    #expect(list.take() == ["2"])

    let changes = DatabaseRegionObservation(tracking: Player.all())
      .start(in: dbQueue) { error in
        report(error)
      } onChange: { db in
        audit(db)
      }
    try write(dbQueue, show)
    #expect(list.take() == ["audit", "0"])
    changes.cancel()

    let cancellable = observation.start(in: dbQueue, scheduling: .async(onQueue: queue)) { error in
      report(error)
    } onChange: { players in
      show(players)
    }
    try await dbQueue.write { _ in }
    queue.sync {}
    cancellable.cancel()
  }

  private func write(
    _ dbQueue: DatabaseQueue, _ show: @escaping @Sendable ([Player]) -> Void
  ) throws {
    try dbQueue.write { db in
      db.afterNextTransaction { _ in show([]) }
      try Player.deleteAll(db)
    }
  }
}
