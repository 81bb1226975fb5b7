import Synchronization

/// The brokers whose observers are being told of changes, by thread: the last one is the current
/// one. In the middle of a statement on one database, a function or an observer may change another.
enum CurrentBrokers {
  private static let brokers = Mutex<[UInt: [Reference]]>([:])

  private struct Reference: @unchecked Sendable {
    weak var broker: ObservationBroker?
  }

  static var current: ObservationBroker? {
    brokers.withLock { $0[Database.currentThread] }?.last?.broker
  }

  static func enter(_ broker: ObservationBroker) {
    let thread = Database.currentThread
    brokers.withLock { known in
      var inner = known[thread] ?? []
      inner.last?.broker?.isCurrent = false
      inner.append(Reference(broker: broker))
      known[thread] = inner
      broker.isCurrent = true
    }
  }

  /// Ends what the broker has entered last, in the middle, too.
  static func leave(_ broker: ObservationBroker) {
    let thread = Database.currentThread
    brokers.withLock { known in
      guard var inner = known[thread],
        let index = inner.lastIndex(where: { $0.broker === broker })
      else { return forget(broker, &known) }
      broker.isCurrent = false
      inner.remove(at: index)
      inner.last?.broker?.isCurrent = true
      known[thread] = inner.isEmpty ? nil : inner
    }
  }

  /// A connection may be closed on another thread than it was used on.
  static func forget(_ broker: ObservationBroker) { brokers.withLock { forget(broker, &$0) } }

  private static func forget(
    _ broker: ObservationBroker, _ known: inout sending [UInt: [Reference]]
  ) {
    broker.isCurrent = false
    for (thread, inner) in known {
      let left = inner.filter { $0.broker != nil && $0.broker !== broker }
      known[thread] = left.isEmpty ? nil : left
    }
  }

  static func during(_ broker: ObservationBroker, _ body: () -> Void) {
    enter(broker)
    defer { leave(broker) }
    body()
  }
}
