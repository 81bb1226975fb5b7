import MartletEngine

/// Decides what becomes of a change that cannot be applied.
public typealias ConflictHandler = (Conflict) throws(SQLError) -> ConflictResolution

/// Says which tables, or which changes, are applied.
public enum ApplyFilter {
  case all
  /// Asked once for each table.
  case tables((_ table: String) -> Bool)
  /// Asked for each change.
  case changes((ChangesetReader) -> Bool)
}

extension Changeset {
  /// Applies the changes to the main database of a connection (`sqlite3changeset_apply_v3`).
  ///
  /// Changes of tables that are not there, that have fewer columns or another primary key, are left
  /// out. Where an error is thrown, the database is as before, unless `options` has `noSavepoint`.
  ///
  /// - Parameters:
  ///   - onConflict: Asked for each change that cannot be applied. It may run statements.
  /// - Returns: What conflicts led to, for a `Rebaser`; nil where there were none, and for a
  ///   patchset.
  /// - Throws: `abort` where the handler aborts, `misuse` where it replaces what cannot be replaced,
  ///   `constraint` where foreign keys are violated, and that is not accepted; `corrupt`; the errors
  ///   of statements.
  @discardableResult
  public func apply(
    to connection: Connection, _ options: ApplyOptions = [], filter: ApplyFilter = .all,
    onConflict: @escaping ConflictHandler = { _ in .abort }
  ) throws(SQLError) -> RebaseInformation? {
    let reader = ChangesetReader(
      bytes, inverts: options.contains(.invert), skipsEmptyUpdates: true)
    return try Changeset.apply(
      reader, to: connection, options, filter: filter, onConflict: onConflict)
  }

  /// Applies a changeset that comes in pieces (`sqlite3changeset_apply_v3_strm`). The reader has to
  /// skip updates that change nothing, and to invert where `options` says so.
  @discardableResult
  public static func apply(
    _ reader: ChangesetReader, to connection: Connection, _ options: ApplyOptions = [],
    filter: ApplyFilter = .all, warn: (String) -> Void = { _ in },
    onConflict: @escaping ConflictHandler
  ) throws(SQLError) -> RebaseInformation? {
    connection.enter()
    defer { connection.leave() }
    let withoutActions =
      options.contains(.foreignKeyNoAction) && !connection.ignoresForeignKeyActions
    if withoutActions { connection.ignoresForeignKeyActions = true }
    defer { if withoutActions { connection.ignoresForeignKeyActions = false } }
    let applier = ChangeApplier(reader, connection, options, onConflict)
    if options.contains(.noSavepoint) {
      try applier.run(filter, warn)
    } else {
      try connection.inSavepoint("changeset_apply") { () throws(SQLError) in
        try applier.run(filter, warn)
      }
    }
    return applier.rebaseInformation
  }
}

/// What conflicts led to while a changeset was applied: what a `Rebaser` is configured with.
public struct RebaseInformation: Sendable, Equatable {
  public var bytes: [UInt8]
  public init(bytes: [UInt8]) { self.bytes = bytes }
}

/// Applies the changes of one changeset.
///
/// A change that violates a constraint is kept until those of its table are through: another may
/// make room for it. What is left then is tried again as long as that leads on, and at last without
/// hope. Updates that wait for each other in a circle are made by taking one of the rows out.
final class ChangeApplier {
  private let connection: Connection
  private let reader: ChangesetReader
  private let options: ApplyOptions
  private let handler: ConflictHandler
  private let rebase: RebaseWriter
  @exclusivity(unchecked) private var target: TargetTable?
  @exclusivity(unchecked) private var header: ChangesetReader.TableHeader?
  /// Changes that have violated a constraint, as they stand in the changeset.
  @exclusivity(unchecked) private var deferred: [[UInt8]] = []
  @exclusivity(unchecked) private var defersConstraints = true

  init(
    _ reader: ChangesetReader, _ connection: Connection, _ options: ApplyOptions,
    _ handler: @escaping ConflictHandler
  ) {
    self.reader = reader
    self.connection = connection
    self.options = options
    self.handler = handler
    rebase = RebaseWriter()
  }

  var rebaseInformation: RebaseInformation? {
    guard !reader.isPatchset, !rebase.bytes.isEmpty else { return nil }
    return RebaseInformation(bytes: rebase.bytes)
  }

  func run(_ filter: ApplyFilter, _ warn: (String) -> Void) throws(SQLError) {
    try connection.execute("PRAGMA defer_foreign_keys = 1")
    do throws(SQLError) {
      try applyAll(filter, warn)
      try checkForeignKeys()
    } catch {
      // The error that led here counts.
      do throws(SQLError) { try connection.execute("PRAGMA defer_foreign_keys = 0") } catch {}
      throw error
    }
    try connection.execute("PRAGMA defer_foreign_keys = 0")
  }

  private func applyAll(_ filter: ApplyFilter, _ warn: (String) -> Void) throws(SQLError) {
    var table: [UInt8]?
    while try reader.advance() {
      if let name = reader.tableName, table.map({ !isSameName($0, name) }) ?? true {
        try applyDeferred()
        table = name
        try begin(filter, warn)
      }
      guard let target else { continue }
      if case .changes(let isWanted) = filter, !isWanted(reader) { continue }
      try apply(reader, to: target)
    }
    try applyDeferred()
  }

  private func begin(_ filter: ApplyFilter, _ warn: (String) -> Void) throws(SQLError) {
    target = nil
    header = reader.header
    defersConstraints = true
    rebase.endTable()
    if case .tables(let isWanted) = filter, !isWanted(reader.table) { return }
    target = try TargetTable(reader, connection, options, warn)
  }

  private func checkForeignKeys() throws(SQLError) {
    let count = connection.count(of: .deferredForeignKeys)
    guard count != 0 else { return }
    let none = ChangesetReader([])
    let conflict = Conflict(
      kind: .foreignKey, reader: none, row: nil, violatedForeignKeyCount: count)
    guard try handler(conflict) == .omit else { throw SQLError(.constraint) }
  }

  // MARK: One change

  private enum Outcome { case settled, tryAgain, replaceRow }

  private func apply(_ reader: ChangesetReader, to target: TargetTable) throws(SQLError) {
    switch try attempt(reader, target, mayReplace: true) {
    case .settled: return
    case .tryAgain:
      // The row is not as it was, and goes or changes all the same.
      _ = try attempt(reader, target, mayReplace: false)
    case .replaceRow:
      try connection.execute("SAVEPOINT replace_op")
      try target.deleteByKey(reader)
      _ = try attempt(reader, target, mayReplace: false)
      try connection.execute("RELEASE replace_op")
    }
  }

  private func attempt(
    _ reader: ChangesetReader, _ target: TargetTable, mayReplace: Bool
  ) throws(SQLError) -> Outcome {
    let violatesConstraint: Bool
    do throws(SQLError) {
      let isChanged =
        switch reader.kind {
        case .insert: try target.insert(reader)
        case .delete: try target.delete(reader, whateverItIs: !mayReplace || reader.isPatchset)
        case .update: try target.update(reader, whateverItIs: !mayReplace || reader.isPatchset)
        }
      if isChanged { return .settled }
      violatesConstraint = false
    } catch {
      guard error.code.primary == .constraint else { throw error }
      violatesConstraint = true
    }
    let seeks = reader.kind == .insert ? mayReplace : mayReplace && !violatesConstraint
    let isInTheWay = reader.kind == .insert
    return try resolve(
      reader, target, violatesConstraint: violatesConstraint || isInTheWay, seeksRow: seeks)
  }

  /// Asks what shall become of a change that was not made.
  private func resolve(
    _ reader: ChangesetReader, _ target: TargetTable, violatesConstraint: Bool, seeksRow: Bool
  ) throws(SQLError) -> Outcome {
    var resolution = ConflictResolution.omit
    if seeksRow, let row = try target.seek(reader) {
      if !target.isNoop(row) {
        let kind = violatesConstraint ? ConflictKind.conflict : .data
        let conflict = Conflict(
          kind: kind, reader: reader, row: row, violatedForeignKeyCount: 0)
        do throws(SQLError) {
          resolution = try handler(conflict)
        } catch {
          try target.endSeek()
          throw error
        }
      }
      try target.endSeek()
    } else if violatesConstraint && defersConstraints {
      try deferred.makeRoom()
      try MemoryUse.requireRoom(forArrayOf: reader.changeBytes.count)
      deferred.append(Array(reader.changeBytes))
      return .settled
    } else {
      let isIgnored =
        reader.kind == .delete && !violatesConstraint && options.contains(.ignoreNoop)
      if !isIgnored {
        let conflict = Conflict(
          kind: violatesConstraint ? .constraint : .notFound, reader: reader, row: nil,
          violatedForeignKeyCount: 0)
        resolution = try handler(conflict)
        if resolution == .replace { throw SQLError(.misuse) }
      }
    }
    if resolution == .abort { throw SQLError(.abort) }
    try rebase.note(reader, isReplaced: resolution == .replace)
    guard resolution == .replace else { return .settled }
    return reader.kind == .insert ? .replaceRow : .tryAgain
  }

  // MARK: Changes that wait for others

  private func applyDeferred() throws(SQLError) {
    guard let target else { return }
    while !deferred.isEmpty {
      let count = deferred.count
      try applyRound(target)
      guard deferred.count == count else { continue }
      if defersConstraints && !options.contains(.noUpdateLoop) { try breakCircles(target) }
      // No change leads on: now each that is left is a conflict.
      defersConstraints = false
    }
  }

  /// Tries all changes that wait once more.
  private func applyRound(_ target: TargetTable) throws(SQLError) {
    let changes = deferred
    deferred = []
    for change in changes {
      let reader = try reader(of: change)
      if try reader.advance() { try apply(reader, to: target) }
    }
  }

  private func reader(of change: [UInt8]) throws(SQLError) -> ChangesetReader {
    guard let header else { throw SQLError(.internal) }
    return ChangesetReader(change, of: header, inverts: options.contains(.invert))
  }

  /// Takes the row of an update out, makes the other changes, and puts the row in again as it is to
  /// be: for one update after the other, and from the start once that has led on.
  private func breakCircles(_ target: TargetTable) throws(SQLError) {
    var index = 0
    while index < deferred.count {
      let change = try reader(of: deferred[index])
      guard try change.advance(), change.kind == .update else {
        index += 1
        continue
      }
      let waiting = deferred
      deferred.remove(at: index)
      if try make(change, after: waiting.count, target) {
        index = 0
      } else {
        deferred = waiting
        index += 1
      }
    }
  }

  /// Returns whether the update was made; if not, nothing was.
  private func make(
    _ change: ChangesetReader, after waitingCount: Int, _ target: TargetTable
  ) throws(SQLError) -> Bool {
    try connection.execute("SAVEPOINT update_op")
    let rebaseSize = rebase.bytes.count
    if let row = try target.takeOut(change) {
      var count = waitingCount
      while !deferred.isEmpty && deferred.count < count {
        count = deferred.count
        try applyRound(target)
      }
      do throws(SQLError) {
        try target.putBack(row, change)
        try connection.execute("RELEASE update_op")
        return true
      } catch {
        guard error.code.primary == .constraint else { throw error }
      }
    }
    try connection.execute("ROLLBACK TO update_op")
    try connection.execute("RELEASE update_op")
    rebase.cut(to: rebaseSize)
    return false
  }
}
