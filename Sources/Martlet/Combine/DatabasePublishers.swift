#if canImport(Combine)
  import Combine
  import Dispatch

  /// The publishers of databases.
  public enum DatabasePublishers {}

  extension DatabasePublishers {
    /// Publishes one value that was read: see `DatabaseReader.readPublisher(receiveOn:value:)`.
    public struct Read<Output>: Publisher {
      /// What may fail.
      public typealias Failure = any Error
      let access: PublishedAccess<Output>

      /// Reads once for a subscriber.
      public func receive<S: Subscriber>(
        subscriber: S
      ) where S.Input == Output, S.Failure == any Error { access.subscribe(subscriber) }
    }

    /// Publishes what a transaction has returned: see
    /// `DatabaseWriter.writePublisher(receiveOn:updates:)`.
    public struct Write<Output>: Publisher {
      /// What may fail.
      public typealias Failure = any Error
      let access: PublishedAccess<Output>

      /// Writes once for a subscriber.
      public func receive<S: Subscriber>(
        subscriber: S
      ) where S.Input == Output, S.Failure == any Error { access.subscribe(subscriber) }
    }

    /// Publishes that migrations have run: see `DatabaseMigrator.migratePublisher(_:receiveOn:)`.
    public struct Migrate: Publisher {
      /// Nothing but that it has happened.
      public typealias Output = Void
      /// What may fail.
      public typealias Failure = any Error
      let access: PublishedAccess<Void>

      /// Migrates once for a subscriber.
      public func receive<S: Subscriber>(
        subscriber: S
      ) where S.Input == Void, S.Failure == any Error { access.subscribe(subscriber) }
    }

    /// Publishes the values of an observation: see `ValueObservation.publisher(in:scheduling:)`.
    public struct Value<Output>: Publisher {
      /// What may fail.
      public typealias Failure = any Error
      let observation: PublishedObservation<Output>

      /// Observes for a subscriber.
      public func receive<S: Subscriber>(
        subscriber: S
      ) where S.Input == Output, S.Failure == any Error { observation.subscribe(subscriber) }
    }

    /// Publishes the connection after each transaction that has modified a region: see
    /// `DatabaseRegionObservation.publisher(in:)`.
    public struct DatabaseRegion: Publisher {
      /// The connection that has written.
      public typealias Output = Database
      /// What may fail.
      public typealias Failure = any Error
      let observation: PublishedObservation<Database>

      /// Observes for a subscriber.
      public func receive<S: Subscriber>(
        subscriber: S
      ) where S.Input == Database, S.Failure == any Error { observation.subscribe(subscriber) }
    }
  }

  extension ValueObservation {
    /// A publisher of the values, each subscription of which is an observation of its own.
    ///
    /// Values that nobody has asked for are lost. With the scheduler `.immediate` the first value
    /// is there when the subscription is.
    public func publisher(
      in reader: any DatabaseReader,
      scheduling scheduler: some ValueObservationScheduler = .async(onQueue: .main)
    ) -> DatabasePublishers.Value<Reducer.Value> {
      DatabasePublishers.Value(
        observation: PublishedObservation { onError, onChange in
          start(in: reader, scheduling: scheduler, onError: onError, onChange: onChange)
        })
    }
  }

  extension SharedValueObservation {
    /// A publisher of the values: its subscribers share the observation with its other observers.
    public func publisher() -> DatabasePublishers.Value<Element> {
      DatabasePublishers.Value(
        observation: PublishedObservation { onError, onChange in
          self.start(onError: onError, onChange: onChange)
        })
    }
  }

  extension DatabaseRegionObservation {
    /// A publisher of transactions that have modified the regions.
    ///
    /// The connection is published where it has written, before other accesses: do not use it
    /// elsewhere.
    public func publisher(in writer: any DatabaseWriter) -> DatabasePublishers.DatabaseRegion {
      DatabasePublishers.DatabaseRegion(
        observation: PublishedObservation { onError, onChange in
          start(in: writer, onError: onError, onChange: onChange)
        })
    }
  }
#endif
