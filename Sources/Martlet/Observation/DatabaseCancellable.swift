import Synchronization

/// Something that goes on until it is cancelled.
public protocol DatabaseCancellable: Sendable {
  /// Ends it.
  func cancel()
}

/// Something that goes on until it is cancelled, or until nobody keeps this object.
public final class AnyDatabaseCancellable: DatabaseCancellable {
  private let action: Mutex<(@Sendable () -> Void)?>

  /// Calls a function when it is cancelled.
  public init(cancel: @escaping @Sendable () -> Void) { action = Mutex(cancel) }

  /// Hides the kind of a cancellable.
  public convenience init(_ base: some DatabaseCancellable) { self.init { base.cancel() } }

  deinit { cancel() }

  /// Ends it. The second time it does nothing.
  public func cancel() {
    let action = action.withLock { action in
      defer { action = nil }
      return action
    }
    action?()
  }
}
