#if canImport(Combine)
  import Combine
  import Dispatch
  import Foundation
  import Martlet
  import Testing

  @Suite struct PublisherTests {
    /// What a publisher tells, as texts, up to a number of values or its end.
    private func recorded<P: Publisher>(
      _ publisher: P, _ count: Int, then act: () throws -> Void = {}
    ) throws -> [String] {
      let list = LockedList()
      let valueCount = LockedCounter()
      let isDone = DispatchSemaphore(value: 0)
      let cancellable = publisher.sink { completion in
        switch completion {
        case .finished: list.append("finished")
        case .failure(let error): list.append("\(error)")
        }
        isDone.signal()
      } receiveValue: { value in
        list.append("\(value)")
        if valueCount.next() == count { isDone.signal() }
      }
      try act()
      #expect(isDone.wait(timeout: .now() + 30) == .success)
      cancellable.cancel()
      return list.take()
    }

    private func makeDatabases() throws -> [any DatabaseWriter] {
      let path = NSTemporaryDirectory() + "publishers-\(UUID().uuidString).sqlite"
      let databases: [any DatabaseWriter] = [try emptyDatabase(), try DatabasePool(path: path)]
      for database in databases { try database.write { try $0.execute(sql: "CREATE TABLE t(a)") } }
      return databases
    }

    private func discard(_ databases: [any DatabaseWriter]) throws {
      for database in databases {
        try database.close()
        guard database.path != ":memory:" else { continue }
        try FileManager.default.removeItem(atPath: database.path)
      }
    }

    private let queue = DispatchQueue(label: "publishers")

    @Test func `a read publishes one value`() throws {
      let databases = try makeDatabases()
      for database in databases {
        let count = database.readPublisher(receiveOn: queue) { db in
          try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")!
        }
        #expect(try recorded(count, 2) == ["0", "finished"])
        let failure = database.readPublisher(receiveOn: queue) { db in
          try Int.fetchOne(db, sql: "SELECT b FROM t")
        }
        #expect(try recorded(failure, 2).first?.contains("no such column: b") == true)
      }
      try discard(databases)
    }

    @Test func `a write is one transaction for each subscriber`() throws {
      let databases = try makeDatabases()
      for database in databases {
        let insertion = database.writePublisher(receiveOn: queue) { db in
          try db.execute(sql: "INSERT INTO t VALUES (1)")
          return db.lastInsertedRowID
        }
        #expect(try recorded(insertion, 2) == ["1", "finished"])
        #expect(try recorded(insertion, 2) == ["2", "finished"])
        let failure = database.writePublisher(receiveOn: queue) { db in
          try db.execute(sql: "INSERT INTO t VALUES (1)")
          throw DatabaseError(message: "refused")
        }
        #expect(try recorded(failure, 2).first?.contains("refused") == true)
        let count = database.writePublisher(receiveOn: queue) { db in
          try db.execute(sql: "DELETE FROM t WHERE rowid = 1")
          return "left: "
        } thenRead: { db, title in
          title + (try String.fetchOne(db, sql: "SELECT COUNT(*) FROM t")!)
        }
        #expect(try recorded(count, 2) == ["left: 1", "finished"])
      }
      try discard(databases)
    }

    @Test func `nothing is done before a subscriber asks for it`() throws {
      let database = try emptyDatabase()
      let isRead = LockedCounter()
      let publisher = database.readPublisher(receiveOn: queue) { _ in isRead.next() }
      var subscription: (any Subscription)?
      publisher.subscribe(
        AnySubscriber<Int, any Error>(receiveSubscription: { subscription = $0 }))
      try database.read { _ in }
      subscription?.request(.none)
      subscription?.cancel()
      subscription?.request(.unlimited)
      try database.read { _ in }
      #expect(isRead.next() == 1)
    }

    @Test func `a migrator publishes its end`() throws {
      let database = try emptyDatabase()
      var migrator = DatabaseMigrator()
      migrator.registerMigration("t") { try $0.execute(sql: "CREATE TABLE t(a)") }
      let migration = migrator.migratePublisher(database, receiveOn: queue)
      #expect(try recorded(migration, 2) == ["()", "finished"])
      #expect(try database.read { try $0.tableExists("t") })
      migrator.registerMigration("u") { try $0.execute(sql: "CREATE TABLE t(a)") }
      let failure = migrator.migratePublisher(database, receiveOn: queue)
      #expect(try recorded(failure, 2).first?.contains("already exists") == true)
    }

    @Test func `an observation publishes its values`() throws {
      let databases = try makeDatabases()
      for database in databases {
        let observation = ValueObservation.trackingConstantRegion { db in
          try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")!
        }
        .removeDuplicates()
        let values = try recorded(
          observation.publisher(in: database, scheduling: .async(onQueue: queue)), 1)
        #expect(values == ["0"])
        let shared = observation.shared(in: database, scheduling: .async(onQueue: queue))
        let told = LockedList()
        let kept = shared.start(onError: { _ in }, onChange: { told.append("\($0)") })
        let later = try recorded(shared.publisher().drop { $0 == 0 }, 1) {
          try database.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        }
        #expect(later == ["1"])
        kept.cancel()
        #expect(told.take().last == "1")
      }
      try discard(databases)
    }

    @Test func `an observation publishes what was asked for, and its error`() throws {
      let database = try emptyDatabase()
      try database.write { try $0.execute(sql: "CREATE TABLE t(a)") }
      let list = LockedList()
      let isTold = DispatchSemaphore(value: 0)
      var subscription: (any Subscription)?
      ValueObservation.tracking { db in
        let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")!
        if count > 2 { throw DatabaseError(message: "too many") }
        return count
      }
      .publisher(in: database, scheduling: .async(onQueue: queue))
      .subscribe(
        AnySubscriber {
          subscription = $0
        } receiveValue: { count in
          list.append("\(count)")
          isTold.signal()
          return .none
        } receiveCompletion: { completion in
          list.append("\(completion)")
          isTold.signal()
        })
      subscription?.request(.max(2))
      #expect(isTold.wait(timeout: .now() + 30) == .success)
      try database.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
      #expect(isTold.wait(timeout: .now() + 30) == .success)
      for _ in 0..<2 { try database.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") } }
      #expect(isTold.wait(timeout: .now() + 30) == .success)
      let told = list.take()
      #expect(told.prefix(2) == ["0", "1"])
      #expect(told.count == 3 && told.last?.contains("too many") == true)
    }

    @Test func `a region publishes the connection that has modified it`() throws {
      let databases = try makeDatabases()
      for database in databases {
        let changes = DatabaseRegionObservation(tracking: Table("t")).publisher(in: database)
          .map { db in db.totalChangesCount }
        let counts = try recorded(changes, 2) {
          for _ in 0..<2 { try database.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") } }
        }
        #expect(counts == ["1", "2"])
        let failure = DatabaseRegionObservation(
          tracking: SQLRequest<Row>(sql: "SELECT * FROM missing")
        )
        .publisher(in: database).map { _ in 0 }
        #expect(try recorded(failure, 1).first?.contains("no such table: missing") == true)
      }
      try discard(databases)
    }
  }
#endif
