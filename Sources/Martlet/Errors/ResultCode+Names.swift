// SQLite's result codes under the names of its C interface (rescode §3, §4).

extension ResultCode {
  /// SQLite's primary code 0.
  public static let SQLITE_OK = ResultCode(rawValue: 0)
  /// SQLite's primary code 1.
  public static let SQLITE_ERROR = ResultCode(rawValue: 1)
  /// SQLite's primary code 2.
  public static let SQLITE_INTERNAL = ResultCode(rawValue: 2)
  /// SQLite's primary code 3.
  public static let SQLITE_PERM = ResultCode(rawValue: 3)
  /// SQLite's primary code 4.
  public static let SQLITE_ABORT = ResultCode(rawValue: 4)
  /// SQLite's primary code 5.
  public static let SQLITE_BUSY = ResultCode(rawValue: 5)
  /// SQLite's primary code 6.
  public static let SQLITE_LOCKED = ResultCode(rawValue: 6)
  /// SQLite's primary code 7.
  public static let SQLITE_NOMEM = ResultCode(rawValue: 7)
  /// SQLite's primary code 8.
  public static let SQLITE_READONLY = ResultCode(rawValue: 8)
  /// SQLite's primary code 9.
  public static let SQLITE_INTERRUPT = ResultCode(rawValue: 9)
  /// SQLite's primary code 10.
  public static let SQLITE_IOERR = ResultCode(rawValue: 10)
  /// SQLite's primary code 11.
  public static let SQLITE_CORRUPT = ResultCode(rawValue: 11)
  /// SQLite's primary code 12.
  public static let SQLITE_NOTFOUND = ResultCode(rawValue: 12)
  /// SQLite's primary code 13.
  public static let SQLITE_FULL = ResultCode(rawValue: 13)
  /// SQLite's primary code 14.
  public static let SQLITE_CANTOPEN = ResultCode(rawValue: 14)
  /// SQLite's primary code 15.
  public static let SQLITE_PROTOCOL = ResultCode(rawValue: 15)
  /// SQLite's primary code 16.
  public static let SQLITE_EMPTY = ResultCode(rawValue: 16)
  /// SQLite's primary code 17.
  public static let SQLITE_SCHEMA = ResultCode(rawValue: 17)
  /// SQLite's primary code 18.
  public static let SQLITE_TOOBIG = ResultCode(rawValue: 18)
  /// SQLite's primary code 19.
  public static let SQLITE_CONSTRAINT = ResultCode(rawValue: 19)
  /// SQLite's primary code 20.
  public static let SQLITE_MISMATCH = ResultCode(rawValue: 20)
  /// SQLite's primary code 21.
  public static let SQLITE_MISUSE = ResultCode(rawValue: 21)
  /// SQLite's primary code 22.
  public static let SQLITE_NOLFS = ResultCode(rawValue: 22)
  /// SQLite's primary code 23.
  public static let SQLITE_AUTH = ResultCode(rawValue: 23)
  /// SQLite's primary code 24.
  public static let SQLITE_FORMAT = ResultCode(rawValue: 24)
  /// SQLite's primary code 25.
  public static let SQLITE_RANGE = ResultCode(rawValue: 25)
  /// SQLite's primary code 26.
  public static let SQLITE_NOTADB = ResultCode(rawValue: 26)
  /// SQLite's primary code 27.
  public static let SQLITE_NOTICE = ResultCode(rawValue: 27)
  /// SQLite's primary code 28.
  public static let SQLITE_WARNING = ResultCode(rawValue: 28)
  /// SQLite's primary code 100.
  public static let SQLITE_ROW = ResultCode(rawValue: 100)
  /// SQLite's primary code 101.
  public static let SQLITE_DONE = ResultCode(rawValue: 101)
  /// An extended code of `SQLITE_ERROR`.
  public static let SQLITE_ERROR_MISSING_COLLSEQ = ResultCode(rawValue: 257)
  /// An extended code of `SQLITE_ERROR`.
  public static let SQLITE_ERROR_RETRY = ResultCode(rawValue: 513)
  /// An extended code of `SQLITE_ERROR`.
  public static let SQLITE_ERROR_SNAPSHOT = ResultCode(rawValue: 769)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_READ = ResultCode(rawValue: 266)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_SHORT_READ = ResultCode(rawValue: 522)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_WRITE = ResultCode(rawValue: 778)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_FSYNC = ResultCode(rawValue: 1034)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_DIR_FSYNC = ResultCode(rawValue: 1290)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_TRUNCATE = ResultCode(rawValue: 1546)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_FSTAT = ResultCode(rawValue: 1802)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_UNLOCK = ResultCode(rawValue: 2058)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_RDLOCK = ResultCode(rawValue: 2314)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_DELETE = ResultCode(rawValue: 2570)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_BLOCKED = ResultCode(rawValue: 2826)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_NOMEM = ResultCode(rawValue: 3082)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_ACCESS = ResultCode(rawValue: 3338)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_CHECKRESERVEDLOCK = ResultCode(rawValue: 3594)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_LOCK = ResultCode(rawValue: 3850)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_CLOSE = ResultCode(rawValue: 4106)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_DIR_CLOSE = ResultCode(rawValue: 4362)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_SHMOPEN = ResultCode(rawValue: 4618)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_SHMSIZE = ResultCode(rawValue: 4874)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_SHMLOCK = ResultCode(rawValue: 5130)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_SHMMAP = ResultCode(rawValue: 5386)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_SEEK = ResultCode(rawValue: 5642)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_DELETE_NOENT = ResultCode(rawValue: 5898)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_MMAP = ResultCode(rawValue: 6154)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_GETTEMPPATH = ResultCode(rawValue: 6410)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_CONVPATH = ResultCode(rawValue: 6666)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_VNODE = ResultCode(rawValue: 6922)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_AUTH = ResultCode(rawValue: 7178)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_BEGIN_ATOMIC = ResultCode(rawValue: 7434)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_COMMIT_ATOMIC = ResultCode(rawValue: 7690)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_ROLLBACK_ATOMIC = ResultCode(rawValue: 7946)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_DATA = ResultCode(rawValue: 8202)
  /// An extended code of `SQLITE_IOERR`.
  public static let SQLITE_IOERR_CORRUPTFS = ResultCode(rawValue: 8458)
  /// An extended code of `SQLITE_LOCKED`.
  public static let SQLITE_LOCKED_SHAREDCACHE = ResultCode(rawValue: 262)
  /// An extended code of `SQLITE_LOCKED`.
  public static let SQLITE_LOCKED_VTAB = ResultCode(rawValue: 518)
  /// An extended code of `SQLITE_BUSY`.
  public static let SQLITE_BUSY_RECOVERY = ResultCode(rawValue: 261)
  /// An extended code of `SQLITE_BUSY`.
  public static let SQLITE_BUSY_SNAPSHOT = ResultCode(rawValue: 517)
  /// An extended code of `SQLITE_BUSY`.
  public static let SQLITE_BUSY_TIMEOUT = ResultCode(rawValue: 773)
  /// An extended code of `SQLITE_CANTOPEN`.
  public static let SQLITE_CANTOPEN_NOTEMPDIR = ResultCode(rawValue: 270)
  /// An extended code of `SQLITE_CANTOPEN`.
  public static let SQLITE_CANTOPEN_ISDIR = ResultCode(rawValue: 526)
  /// An extended code of `SQLITE_CANTOPEN`.
  public static let SQLITE_CANTOPEN_FULLPATH = ResultCode(rawValue: 782)
  /// An extended code of `SQLITE_CANTOPEN`.
  public static let SQLITE_CANTOPEN_CONVPATH = ResultCode(rawValue: 1038)
  /// An extended code of `SQLITE_CANTOPEN`.
  public static let SQLITE_CANTOPEN_DIRTYWAL = ResultCode(rawValue: 1294)
  /// An extended code of `SQLITE_CANTOPEN`.
  public static let SQLITE_CANTOPEN_SYMLINK = ResultCode(rawValue: 1550)
  /// An extended code of `SQLITE_CORRUPT`.
  public static let SQLITE_CORRUPT_VTAB = ResultCode(rawValue: 267)
  /// An extended code of `SQLITE_CORRUPT`.
  public static let SQLITE_CORRUPT_SEQUENCE = ResultCode(rawValue: 523)
  /// An extended code of `SQLITE_CORRUPT`.
  public static let SQLITE_CORRUPT_INDEX = ResultCode(rawValue: 779)
  /// An extended code of `SQLITE_READONLY`.
  public static let SQLITE_READONLY_RECOVERY = ResultCode(rawValue: 264)
  /// An extended code of `SQLITE_READONLY`.
  public static let SQLITE_READONLY_CANTLOCK = ResultCode(rawValue: 520)
  /// An extended code of `SQLITE_READONLY`.
  public static let SQLITE_READONLY_ROLLBACK = ResultCode(rawValue: 776)
  /// An extended code of `SQLITE_READONLY`.
  public static let SQLITE_READONLY_DBMOVED = ResultCode(rawValue: 1032)
  /// An extended code of `SQLITE_READONLY`.
  public static let SQLITE_READONLY_CANTINIT = ResultCode(rawValue: 1288)
  /// An extended code of `SQLITE_READONLY`.
  public static let SQLITE_READONLY_DIRECTORY = ResultCode(rawValue: 1544)
  /// An extended code of `SQLITE_ABORT`.
  public static let SQLITE_ABORT_ROLLBACK = ResultCode(rawValue: 516)
  /// An extended code of `SQLITE_CONSTRAINT`.
  public static let SQLITE_CONSTRAINT_CHECK = ResultCode(rawValue: 275)
  /// An extended code of `SQLITE_CONSTRAINT`.
  public static let SQLITE_CONSTRAINT_COMMITHOOK = ResultCode(rawValue: 531)
  /// An extended code of `SQLITE_CONSTRAINT`.
  public static let SQLITE_CONSTRAINT_FOREIGNKEY = ResultCode(rawValue: 787)
  /// An extended code of `SQLITE_CONSTRAINT`.
  public static let SQLITE_CONSTRAINT_FUNCTION = ResultCode(rawValue: 1043)
  /// An extended code of `SQLITE_CONSTRAINT`.
  public static let SQLITE_CONSTRAINT_NOTNULL = ResultCode(rawValue: 1299)
  /// An extended code of `SQLITE_CONSTRAINT`.
  public static let SQLITE_CONSTRAINT_PRIMARYKEY = ResultCode(rawValue: 1555)
  /// An extended code of `SQLITE_CONSTRAINT`.
  public static let SQLITE_CONSTRAINT_TRIGGER = ResultCode(rawValue: 1811)
  /// An extended code of `SQLITE_CONSTRAINT`.
  public static let SQLITE_CONSTRAINT_UNIQUE = ResultCode(rawValue: 2067)
  /// An extended code of `SQLITE_CONSTRAINT`.
  public static let SQLITE_CONSTRAINT_VTAB = ResultCode(rawValue: 2323)
  /// An extended code of `SQLITE_CONSTRAINT`.
  public static let SQLITE_CONSTRAINT_ROWID = ResultCode(rawValue: 2579)
  /// An extended code of `SQLITE_CONSTRAINT`.
  public static let SQLITE_CONSTRAINT_PINNED = ResultCode(rawValue: 2835)
  /// An extended code of `SQLITE_CONSTRAINT`.
  public static let SQLITE_CONSTRAINT_DATATYPE = ResultCode(rawValue: 3091)
  /// An extended code of `SQLITE_NOTICE`.
  public static let SQLITE_NOTICE_RECOVER_WAL = ResultCode(rawValue: 283)
  /// An extended code of `SQLITE_NOTICE`.
  public static let SQLITE_NOTICE_RECOVER_ROLLBACK = ResultCode(rawValue: 539)
  /// An extended code of `SQLITE_WARNING`.
  public static let SQLITE_WARNING_AUTOINDEX = ResultCode(rawValue: 284)
  /// An extended code of `SQLITE_AUTH`.
  public static let SQLITE_AUTH_USER = ResultCode(rawValue: 279)
  /// An extended code of `SQLITE_OK`.
  public static let SQLITE_OK_LOAD_PERMANENTLY = ResultCode(rawValue: 256)
  /// An extended code of `SQLITE_OK`.
  public static let SQLITE_OK_SYMLINK = ResultCode(rawValue: 512)
}
