import Martlet

// Requests with associations, whose SQL is compared with GRDB's.

extension Library {
  /// A request under the rule that its SQL shows.
  struct AssociationCase {
    let rule: String
    let run: (Database) throws -> Void

    init(_ rule: String, _ run: @escaping (Database) throws -> Void) {
      self.rule = rule
      self.run = run
    }

    init<T>(_ rule: String, _ request: @autoclosure @escaping () -> QueryInterfaceRequest<T>) {
      self.init(rule) { db in _ = try Row.fetchAll(db, request()) }
    }

  }

  static var cases: [AssociationCase] {
    joins + keys + derivations + aliases + prefetching + aggregates + deeds
  }
}
