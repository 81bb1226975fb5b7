/// Makes an observation's values of what it fetches.
///
/// Fetching may happen on any thread; the rest one after the other.
public protocol ValueReducer: SendableMetatype {
  /// Fetches.
  associatedtype Fetcher: _ValueReducerFetcher
  /// The values of the observation.
  associatedtype Value: Sendable

  /// What fetches.
  func _makeFetcher() -> Fetcher

  /// The value for what was fetched; nil if the observation has nothing to tell.
  mutating func _value(_ fetched: Fetcher.Value) throws -> Value?
}

/// Fetches what a reducer makes values of.
public protocol _ValueReducerFetcher: Sendable {
  /// What is fetched.
  associatedtype Value

  /// Fetches.
  func fetch(_ db: Database) throws -> Value
}

/// The reducers of observations.
public enum ValueReducers {
  /// Gives what it fetches.
  public struct Fetch<Value: Sendable>: ValueReducer {
    private let fetcher: _Fetcher

    init(_ fetch: @escaping @Sendable (Database) throws -> Value) {
      fetcher = _Fetcher(body: fetch)
    }

    /// Calls the observation's function.
    public struct _Fetcher: _ValueReducerFetcher {
      let body: @Sendable (Database) throws -> Value

      /// Fetches.
      public func fetch(_ db: Database) throws -> Value { try body(db) }
    }

    /// What fetches.
    public func _makeFetcher() -> _Fetcher { fetcher }

    /// What was fetched.
    public func _value(_ fetched: Value) -> Value? { fetched }
  }

  /// Transforms the values of another reducer.
  public struct Map<Base: ValueReducer, Value: Sendable>: ValueReducer {
    var base: Base
    let transform: (Base.Value) throws -> Value

    /// What fetches.
    public func _makeFetcher() -> Base.Fetcher { base._makeFetcher() }

    /// The transformed value.
    public mutating func _value(_ fetched: Base.Fetcher.Value) throws -> Value? {
      try base._value(fetched).map { try transform($0) }
    }
  }

  /// Leaves out values that are the same as the one before.
  public struct RemoveDuplicates<Base: ValueReducer>: ValueReducer {
    var base: Base
    let areSame: (Base.Value, Base.Value) -> Bool
    private var last: Base.Value?

    init(base: Base, areSame: @escaping (Base.Value, Base.Value) -> Bool) {
      self.base = base
      self.areSame = areSame
    }

    /// What fetches.
    public func _makeFetcher() -> Base.Fetcher { base._makeFetcher() }

    /// The value, unless it is the same as the last one.
    public mutating func _value(_ fetched: Base.Fetcher.Value) throws -> Base.Value? {
      guard let value = try base._value(fetched) else { return nil }
      if let last, areSame(last, value) { return nil }
      last = value
      return value
    }
  }

  /// Tells of the work of another reducer.
  public struct Trace<Base: ValueReducer>: ValueReducer {
    var base: Base
    let willFetch: @Sendable () -> Void
    let didReceiveValue: (Base.Value) -> Void

    /// Tells that it fetches.
    public struct _Fetcher: _ValueReducerFetcher {
      let base: Base.Fetcher
      let willFetch: @Sendable () -> Void

      /// Fetches.
      public func fetch(_ db: Database) throws -> Base.Fetcher.Value {
        willFetch()
        return try base.fetch(db)
      }
    }

    /// What fetches.
    public func _makeFetcher() -> _Fetcher {
      _Fetcher(base: base._makeFetcher(), willFetch: willFetch)
    }

    /// The value of the other reducer.
    public mutating func _value(_ fetched: Base.Fetcher.Value) throws -> Base.Value? {
      guard let value = try base._value(fetched) else { return nil }
      didReceiveValue(value)
      return value
    }
  }
}
