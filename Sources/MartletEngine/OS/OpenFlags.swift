/// How a database or another file is opened, with the bit values of `sqlite3_open_v2`.
public struct OpenFlags: OptionSet, Sendable {
  public let rawValue: Int32

  public init(rawValue: Int32) { self.rawValue = rawValue }

  public static let readOnly = OpenFlags(rawValue: 0x1)
  public static let readWrite = OpenFlags(rawValue: 0x2)
  /// Make the file if it does not exist.
  public static let create = OpenFlags(rawValue: 0x4)
  public static let `default`: OpenFlags = [.readWrite, .create]
  /// The file loses its name as soon as it is open, so that it vanishes with its last descriptor.
  public static let deleteOnClose = OpenFlags(rawValue: 0x8)
  /// The file must not exist before.
  public static let exclusive = OpenFlags(rawValue: 0x10)
  /// A name that begins with `file:` is a URI.
  public static let uri = OpenFlags(rawValue: 0x40)
  public static let memory = OpenFlags(rawValue: 0x80)

  // What kind of file it is.
  public static let mainDatabase = OpenFlags(rawValue: 0x100)
  public static let temporaryDatabase = OpenFlags(rawValue: 0x200)
  /// Of a statement, for its sorters and intermediate tables.
  public static let transientDatabase = OpenFlags(rawValue: 0x400)
  public static let mainJournal = OpenFlags(rawValue: 0x800)
  public static let temporaryJournal = OpenFlags(rawValue: 0x1000)
  public static let statementJournal = OpenFlags(rawValue: 0x2000)
  public static let superJournal = OpenFlags(rawValue: 0x4000)
  public static let writeAheadLog = OpenFlags(rawValue: 0x80000)

  public static let noMutex = OpenFlags(rawValue: 0x8000)
  public static let fullMutex = OpenFlags(rawValue: 0x10000)
  public static let sharedCache = OpenFlags(rawValue: 0x20000)
  public static let privateCache = OpenFlags(rawValue: 0x40000)
  /// A name that is or goes through a symbolic link is refused.
  public static let noFollow = OpenFlags(rawValue: 0x0100_0000)
  public static let extendedResultCodes = OpenFlags(rawValue: 0x0200_0000)
}
