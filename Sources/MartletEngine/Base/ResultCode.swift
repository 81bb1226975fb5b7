/// A SQLite result code, primary or extended.
///
/// The low 8 bits are the primary code; extended codes add detail above them (rescode §2).
/// `~=` lets a primary code match its extended ones, so `catch` patterns read naturally.
public struct ResultCode: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int32

  public init(rawValue: Int32) { self.rawValue = rawValue }

  @usableFromInline
  init(_ rawValue: Int32) { self.rawValue = rawValue }

  init(_ primary: ResultCode, detail: Int32) { rawValue = primary.rawValue | detail << 8 }

  /// The primary code of this code: itself, unless it is an extended code.
  public var primary: ResultCode { ResultCode(rawValue & 0xff) }

  public static func ~= (pattern: ResultCode, value: ResultCode) -> Bool {
    pattern == value || (pattern.rawValue <= 0xff && pattern == value.primary)
  }
}

extension ResultCode {
  public static let ok = ResultCode(0)
  public static let error = ResultCode(1)
  public static let `internal` = ResultCode(2)
  public static let permission = ResultCode(3)
  public static let abort = ResultCode(4)
  public static let busy = ResultCode(5)
  public static let locked = ResultCode(6)
  public static let outOfMemory = ResultCode(7)
  public static let readOnly = ResultCode(8)
  public static let interrupt = ResultCode(9)
  public static let ioError = ResultCode(10)
  public static let corrupt = ResultCode(11)
  public static let notFound = ResultCode(12)
  public static let full = ResultCode(13)
  public static let cannotOpen = ResultCode(14)
  public static let lockProtocol = ResultCode(15)
  public static let empty = ResultCode(16)
  public static let schema = ResultCode(17)
  public static let tooBig = ResultCode(18)
  public static let constraint = ResultCode(19)
  public static let mismatch = ResultCode(20)
  public static let misuse = ResultCode(21)
  public static let noLargeFileSupport = ResultCode(22)
  public static let authorization = ResultCode(23)
  public static let format = ResultCode(24)
  public static let range = ResultCode(25)
  public static let notADatabase = ResultCode(26)
  public static let notice = ResultCode(27)
  public static let warning = ResultCode(28)
  public static let row = ResultCode(100)
  public static let done = ResultCode(101)
}

extension ResultCode {
  public static let ioErrorRead = ResultCode(.ioError, detail: 1)
  public static let ioErrorShortRead = ResultCode(.ioError, detail: 2)
  public static let ioErrorWrite = ResultCode(.ioError, detail: 3)
  public static let ioErrorFsync = ResultCode(.ioError, detail: 4)
  public static let ioErrorDirectoryFsync = ResultCode(.ioError, detail: 5)
  public static let ioErrorTruncate = ResultCode(.ioError, detail: 6)
  public static let ioErrorFstat = ResultCode(.ioError, detail: 7)
  public static let ioErrorUnlock = ResultCode(.ioError, detail: 8)
  public static let ioErrorReadLock = ResultCode(.ioError, detail: 9)
  public static let ioErrorDelete = ResultCode(.ioError, detail: 10)
  public static let ioErrorNoMemory = ResultCode(.ioError, detail: 12)
  public static let ioErrorAccess = ResultCode(.ioError, detail: 13)
  public static let ioErrorCheckReservedLock = ResultCode(.ioError, detail: 14)
  public static let ioErrorLock = ResultCode(.ioError, detail: 15)
  public static let ioErrorClose = ResultCode(.ioError, detail: 16)
  public static let ioErrorSharedMemoryOpen = ResultCode(.ioError, detail: 18)
  public static let ioErrorSharedMemorySize = ResultCode(.ioError, detail: 19)
  public static let ioErrorSharedMemoryLock = ResultCode(.ioError, detail: 20)
  public static let ioErrorSharedMemoryMap = ResultCode(.ioError, detail: 21)
  public static let ioErrorSeek = ResultCode(.ioError, detail: 22)
  public static let ioErrorGetTempPath = ResultCode(.ioError, detail: 25)
  public static let busyRecovery = ResultCode(.busy, detail: 1)
  public static let busySnapshot = ResultCode(.busy, detail: 2)
  public static let cannotOpenIsDirectory = ResultCode(.cannotOpen, detail: 2)
  public static let cannotOpenFullPath = ResultCode(.cannotOpen, detail: 3)
  public static let cannotOpenSymlink = ResultCode(.cannotOpen, detail: 6)
  public static let corruptVirtualTable = ResultCode(.corrupt, detail: 1)
  public static let corruptSequence = ResultCode(.corrupt, detail: 2)
  public static let corruptIndex = ResultCode(.corrupt, detail: 3)
  public static let readOnlyRecovery = ResultCode(.readOnly, detail: 1)
  public static let readOnlyCannotLock = ResultCode(.readOnly, detail: 2)
  public static let readOnlyRollback = ResultCode(.readOnly, detail: 3)
  public static let readOnlyDatabaseMoved = ResultCode(.readOnly, detail: 4)
  public static let readOnlyCannotInit = ResultCode(.readOnly, detail: 5)
  public static let readOnlyDirectory = ResultCode(.readOnly, detail: 6)
  public static let abortRollback = ResultCode(.abort, detail: 2)
  public static let errorMissingCollation = ResultCode(.error, detail: 1)
  public static let errorRetry = ResultCode(.error, detail: 2)
  public static let errorSnapshot = ResultCode(.error, detail: 3)
  public static let constraintCheck = ResultCode(.constraint, detail: 1)
  public static let constraintCommitHook = ResultCode(.constraint, detail: 2)
  public static let constraintForeignKey = ResultCode(.constraint, detail: 3)
  public static let constraintFunction = ResultCode(.constraint, detail: 4)
  public static let constraintNotNull = ResultCode(.constraint, detail: 5)
  public static let constraintPrimaryKey = ResultCode(.constraint, detail: 6)
  public static let constraintTrigger = ResultCode(.constraint, detail: 7)
  public static let constraintUnique = ResultCode(.constraint, detail: 8)
  public static let constraintVirtualTable = ResultCode(.constraint, detail: 9)
  public static let constraintRowID = ResultCode(.constraint, detail: 10)
  public static let constraintPinned = ResultCode(.constraint, detail: 11)
  public static let constraintDataType = ResultCode(.constraint, detail: 12)
  public static let noticeRecoverWAL = ResultCode(.notice, detail: 1)
  public static let noticeRecoverRollback = ResultCode(.notice, detail: 2)
}

extension ResultCode: CustomStringConvertible {
  /// The English text that SQLite gives for the primary code (`sqlite3_errstr`).
  public var description: String {
    if self == .abortRollback { return "abort due to ROLLBACK" }
    return switch primary {
    case .ok: "not an error"
    case .error: "SQL logic error"
    case .permission: "access permission denied"
    case .abort: "query aborted"
    case .busy: "database is locked"
    case .locked: "database table is locked"
    case .outOfMemory: "out of memory"
    case .readOnly: "attempt to write a readonly database"
    case .interrupt: "interrupted"
    case .ioError: "disk I/O error"
    case .corrupt: "database disk image is malformed"
    case .notFound: "unknown operation"
    case .full: "database or disk is full"
    case .cannotOpen: "unable to open database file"
    case .lockProtocol: "locking protocol"
    case .schema: "database schema has changed"
    case .tooBig: "string or blob too big"
    case .constraint: "constraint failed"
    case .mismatch: "datatype mismatch"
    case .misuse: "bad parameter or other API misuse"
    case .authorization: "authorization denied"
    case .range: "column index out of range"
    case .notADatabase: "file is not a database"
    case .notice: "notification message"
    case .warning: "warning message"
    case .row: "another row available"
    case .done: "no more rows available"
    default: "unknown error"
    }
  }
}
