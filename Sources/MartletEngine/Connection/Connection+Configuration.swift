// Switches of a connection that are no pragmas (`sqlite3_db_config`).

/// What can be switched on or off for a connection (c3ref c_dbconfig_defensive). The raw values are
/// SQLite's.
public enum ConnectionSwitch: Int32, Sendable {
  /// As `PRAGMA foreign_keys`.
  case enableForeignKeys = 1002
  /// Views may be read.
  case enableViews = 1015
  /// A name in double quotes that is no column is a text, in statements that are not definitions.
  case doubleQuotedStringsInStatements = 1013
  /// The same in CREATE TABLE and CREATE INDEX.
  case doubleQuotedStringsInDefinitions = 1014
  /// As `PRAGMA trusted_schema`.
  case trustedSchema = 1017
  /// Nothing may be done that can damage the file deliberately: writing the schema tables, journal
  /// mode OFF, changing the schema version.
  case defensive = 1010
  /// As `PRAGMA writable_schema`.
  case writableSchema = 1011
  /// As `PRAGMA legacy_alter_table`.
  case legacyAlterTable = 1012
  /// Triggers fire; those of the temporary database do in any case.
  case enableTriggers = 1003
  /// Plans do not depend on what parameters are bound to.
  case stablePlans = 1007
  /// EXPLAIN QUERY PLAN shows the plans of triggers, too, behind that of the statement.
  case triggerPlans = 1008
  /// As `PRAGMA reverse_unordered_selects`.
  case reverseScanOrder = 1019
  /// ATTACH makes a database that does not exist.
  case attachMayCreate = 1020
  /// ATTACH opens databases for writing.
  case attachMayWrite = 1021
  /// SQL may have comments.
  case enableComments = 1022
  /// VACUUM leaves an empty database, whatever the file holds.
  case resetDatabase = 1009
  /// New databases get schema format 1, which SQLite reads since 3.0 (fileformat2 §1.3.9).
  case legacyFileFormat = 1016
  /// The last connection to a write-ahead log leaves it as it is.
  case noCheckpointOnClose = 1006
  /// Statements count what their loops do (`Statement.scanElements`). Off at first, as it takes
  /// time.
  case statementScanStatus = 1018
}

extension Connection {
  /// As `PRAGMA wal_autocheckpoint`.
  public var checkpointInterval: Int {
    get { locked { settings.checkpointInterval } }
    set { locked { settings.checkpointInterval = newValue } }
  }

  /// All foreign keys are as if declared with ON UPDATE NO ACTION and ON DELETE NO ACTION, for the
  /// statements that run from now on: what applies a changeset asks for it
  /// (session, SQLITE_CHANGESETAPPLY_FKNOACTION).
  public var ignoresForeignKeyActions: Bool {
    get { locked { settings.flags.contains(.ignoresForeignKeyActions) } }
    set {
      locked {
        guard settings.flags.contains(.ignoresForeignKeyActions) != newValue else { return }
        if newValue {
          settings.flags.insert(.ignoresForeignKeyActions)
        } else {
          settings.flags.remove(.ignoresForeignKeyActions)
        }
        expireStatements()
      }
    }
  }

  /// Bytes that the sorters, hash tables, queues and row stores of one statement may take
  /// together; what needs more goes on in temporary files, unless `PRAGMA temp_store = MEMORY`
  /// says that there are none. 16 MB, if neither this nor `PRAGMA work_memory` nor the environment
  /// variable `MARTLET_WORK_MEMORY` says otherwise. Statements that are prepared keep theirs.
  public var workMemoryLimit: Int {
    get { locked { settings.workMemoryLimit } }
    set { locked { settings.workMemoryLimit = max(1, newValue) } }
  }

  /// Without a condition or order that asks for it, a table may be scanned by an index that has all
  /// columns that are read and is smaller; true at first (`SQLITE_CONFIG_COVERING_INDEX_SCAN`).
  public var scansCoveringIndexes: Bool {
    get { locked { !settings.flags.contains(.scansNoCoveringIndexes) } }
    set {
      locked {
        settings.flags.set(.scansNoCoveringIndexes, !newValue)
        expireStatements()
      }
    }
  }

  /// CREATE TABLE fails, as it would be meant for an imposter table (`SQLITE_TESTCTRL_IMPOSTER`).
  package var refusesImposters: Bool {
    get { locked { settings.flags.contains(.refusesImposters) } }
    set { locked { settings.flags.set(.refusesImposters, newValue) } }
  }

  /// Significant digits that a real has where it becomes text, 4 to 23; others change nothing
  /// (`SQLITE_DBCONFIG_FP_DIGITS`). Functions that write SQL or JSON keep to 17.
  public var realDigitCount: Int {
    get { locked { settings.realDigitCount } }
    set {
      locked {
        guard RealDigits.allowed.contains(newValue) else { return }
        settings.realDigitCount = newValue
        RealDigits.noteSet()
      }
    }
  }

  /// Runs the function, in which reals that become text have `realDigitCount` digits. So it is while a
  /// statement steps; it is needed where values are read by `TerminatedText`.
  public func showingReals<Result>(_ body: () -> Result) -> Result {
    guard RealDigits.areSet else { return body() }
    let outer = RealDigits.begin(settings.realDigitCount)
    defer { RealDigits.end(outer) }
    return body()
  }

  /// Gives the main database another name, by which it can be named in place of `main`.
  public func renameMain(_ name: String) {
    locked {
      databases[0].name = name
      forgetSchema(0)
      expireStatements()
    }
  }

  /// Whether something is switched on.
  public func isOn(_ item: ConnectionSwitch) -> Bool {
    locked { settings.flags.contains(ConnectionFlags(item)) != ConnectionFlags.isInverted(item) }
  }

  /// Switches something on or off, and gives what it is then.
  @discardableResult
  public func set(_ item: ConnectionSwitch, on isOn: Bool) -> Bool {
    locked {
      let flag = ConnectionFlags(item)
      if isOn != ConnectionFlags.isInverted(item) {
        settings.flags.insert(flag)
      } else {
        settings.flags.remove(flag)
      }
      if item == .noCheckpointOnClose { applyFlags() }
      expireStatements()
      return isOn
    }
  }
}

extension ConnectionFlags {
  fileprivate init(_ item: ConnectionSwitch) {
    self =
      switch item {
      case .enableForeignKeys: .hasForeignKeys
      case .enableViews: .refusesViews
      case .doubleQuotedStringsInStatements: .refusesDoubleQuotedStrings
      case .doubleQuotedStringsInDefinitions: .refusesDoubleQuotedDefinitions
      case .trustedSchema: .trustsSchema
      case .defensive: .isDefensive
      case .writableSchema: .isSchemaWritable
      case .legacyAlterTable: .altersAsBefore
      case .enableTriggers: .refusesTriggers
      case .stablePlans: .hasStablePlans
      case .triggerPlans: .explainsTriggers
      case .reverseScanOrder: .reversesOrder
      case .attachMayCreate: .attachesExistingOnly
      case .attachMayWrite: .attachesReadOnly
      case .enableComments: .refusesComments
      case .legacyFileFormat: .makesOldFormat
      case .resetDatabase: .resetsDatabase
      case .noCheckpointOnClose: .keepsLogOnClose
      case .statementScanStatus: .measuresScans
      }
  }

  /// The flag is set where the switch is off.
  fileprivate static func isInverted(_ item: ConnectionSwitch) -> Bool {
    switch item {
    case .enableViews, .doubleQuotedStringsInStatements, .doubleQuotedStringsInDefinitions,
      .enableTriggers, .attachMayCreate, .attachMayWrite, .enableComments:
      true
    default: false
    }
  }
}
