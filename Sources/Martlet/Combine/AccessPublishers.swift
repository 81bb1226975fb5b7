#if canImport(Combine)
  import Combine
  import Foundation

  extension DatabaseReader {
    /// A publisher of one value, which is read when a subscriber asks for it.
    ///
    /// ```swift
    /// let count = dbQueue.readPublisher { db in try Player.fetchCount(db) }
    /// ```
    ///
    /// - Parameters:
    ///   - scheduler: Where the value or the error is published; the main queue by default.
    ///   - value: Reads the value.
    public func readPublisher<Output>(
      receiveOn scheduler: some Combine.Scheduler = DispatchQueue.main,
      value: @escaping @Sendable (Database) throws -> Output
    ) -> DatabasePublishers.Read<Output> {
      DatabasePublishers.Read(
        access: PublishedAccess(on: scheduler) { complete in
          self.asyncRead { access in complete(access.flatMap { db in Result { try value(db) } }) }
        })
    }
  }

  extension DatabaseWriter {
    /// A publisher of what one transaction returns, which begins when a subscriber asks for it.
    ///
    /// ```swift
    /// let count = dbQueue.writePublisher { db in
    ///   try Player(name: "Arthur").insert(db)
    ///   return try Player.fetchCount(db)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - scheduler: Where the value or the error is published; the main queue by default.
    ///   - updates: Writes; the transaction is taken back if it throws.
    public func writePublisher<Output>(
      receiveOn scheduler: some Combine.Scheduler = DispatchQueue.main,
      updates: @escaping @Sendable (Database) throws -> Output
    ) -> DatabasePublishers.Write<Output> {
      DatabasePublishers.Write(
        access: PublishedAccess(on: scheduler) { complete in
          self.asyncWrite(updates) { _, result in complete(result) }
        })
    }

    /// A publisher of what is read after one transaction: in a pool by a connection that reads, so
    /// that other accesses may write meanwhile.
    ///
    /// - Parameters:
    ///   - scheduler: Where the value or the error is published; the main queue by default.
    ///   - updates: Writes; the transaction is taken back if it throws.
    ///   - value: Reads the state that the transaction has left; gets what `updates` has returned.
    public func writePublisher<T: Sendable, Output>(
      receiveOn scheduler: some Combine.Scheduler = DispatchQueue.main,
      updates: @escaping @Sendable (Database) throws -> T,
      thenRead value: @escaping @Sendable (Database, T) throws -> Output
    ) -> DatabasePublishers.Write<Output> {
      DatabasePublishers.Write(
        access: PublishedAccess(on: scheduler) { complete in
          self.asyncWrite(updates) { _, result in
            switch result {
            case .success(let written):
              self.spawnConcurrentRead { access in
                complete(access.flatMap { db in Result { try value(db, written) } })
              }
            case .failure(let error): complete(.failure(error))
            }
          }
        })
    }
  }

  extension DatabaseMigrator {
    /// A publisher that migrates a database when a subscriber asks for it.
    ///
    /// - Parameters:
    ///   - writer: The database.
    ///   - scheduler: Where the end or the error is published; the main queue by default.
    public func migratePublisher(
      _ writer: any DatabaseWriter, receiveOn scheduler: some Scheduler = DispatchQueue.main
    ) -> DatabasePublishers.Migrate {
      DatabasePublishers.Migrate(
        access: PublishedAccess(on: scheduler) { complete in
          asyncMigrate(writer) { result in complete(result.map { _ in }) }
        })
    }
  }

  /// An access whose result is published: made when a subscriber asks for it, and told by a
  /// scheduler.
  struct PublishedAccess<Output> {
    typealias Start = @Sendable (@escaping @Sendable (Result<Output, any Error>) -> Void) -> Void

    fileprivate let start: Start
    fileprivate let schedule: (@escaping () -> Void) -> Void

    init(on scheduler: some Scheduler, _ start: @escaping Start) {
      self.start = start
      schedule = { scheduler.schedule($0) }
    }

    func subscribe<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == any Error {
      let subscription = AccessSubscription(self, Downstream(subscriber))
      subscriber.receive(subscription: subscription)
    }
  }

  /// One subscriber of an access.
  private final class AccessSubscription<Output>: Subscription, @unchecked Sendable {
    /// Guards what changes; nothing is called while it is held.
    private let lock = NSLock()
    private let access: PublishedAccess<Output>
    private var isStarted = false
    /// Nothing when all was told, or when the subscriber has cancelled.
    private var downstream: Downstream<Output>?

    init(_ access: PublishedAccess<Output>, _ downstream: Downstream<Output>) {
      self.access = access
      self.downstream = downstream
    }

    func request(_ demand: Subscribers.Demand) {
      let starts = lock.withLock {
        guard demand > .none, !isStarted, downstream != nil else { return false }
        isStarted = true
        return true
      }
      if starts { access.start { self.schedule($0) } }
    }

    func cancel() { _ = end() }

    private func schedule(_ result: Result<Output, any Error>) {
      access.schedule { self.tell(result) }
    }

    private func tell(_ result: Result<Output, any Error>) {
      switch result {
      case .success(let value):
        _ = lock.withLock { downstream }?.receive(value)
        end()?.complete(.finished)
      case .failure(let error): end()?.complete(.failure(error))
      }
    }

    private func end() -> Downstream<Output>? {
      lock.withLock {
        defer { downstream = nil }
        return downstream
      }
    }
  }
#endif
