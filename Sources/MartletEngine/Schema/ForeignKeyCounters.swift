/// Broken foreign keys of a connection's transaction, as counted so far (foreignkeys §4.2): a commit
/// needs that there are none.
struct ForeignKeyCounters {
  /// Of keys that are deferred.
  var deferred: Int64 = 0
  /// Of other keys, while `defer_foreign_keys` is on.
  var deferredByPragma: Int64 = 0

  var isBroken: Bool { deferred &+ deferredByPragma != 0 }
  var isZero: Bool { deferred == 0 && deferredByPragma == 0 }
}

extension SQLError {
  static var foreignKey: SQLError {
    SQLError(.constraintForeignKey, "FOREIGN KEY constraint failed")
  }
}
