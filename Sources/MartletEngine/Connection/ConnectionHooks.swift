/// What the application wants to be told or asked by a connection.
struct ConnectionHooks {
  var preparedAgain: Connection.PreparedAgainHook?
  var authorizer: Authorizer?
  var update: Connection.UpdateHook?
  var preupdate: Connection.PreupdateHook?
  /// What records changes beside it, the newest first.
  var changeRecorders: [(owner: ObjectIdentifier, hook: Connection.PreupdateHook)] = []
  var deletesRowByRow = false
  var commit: (@Sendable () -> Bool)?
  var log: Connection.LogHook?
  var autoVacuum: Connection.AutoVacuumHook?
  var rollback: (@Sendable () -> Void)?
  var trace: (@Sendable (TraceEvent) -> Void)?
  var tracedEvents: TraceEvents = []
  var progress: (@Sendable () -> Bool)?
  /// Instructions between two calls of `progress`, and those that are left.
  var progressInterval = 0
  var progressCountdown = 0
  var collationNeeded: (@Sendable (Connection, TextEncoding, String) -> Void)?

  /// Somebody wants to know of each row that is about to change.
  var announcesChanges: Bool { preupdate != nil || !changeRecorders.isEmpty }
}
