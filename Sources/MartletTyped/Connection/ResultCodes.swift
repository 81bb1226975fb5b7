// SQLite's primary result codes (rescode §4), by the names that programs compare `Result` with.

/// No error.
public let SQLITE_OK: Int32 = 0

/// The statement is wrong.
public let SQLITE_ERROR: Int32 = 1

/// A mistake of the engine.
public let SQLITE_INTERNAL: Int32 = 2

/// The file may not be used so.
public let SQLITE_PERM: Int32 = 3

/// A callback has ended the statement.
public let SQLITE_ABORT: Int32 = 4

/// Another connection has locked the database.
public let SQLITE_BUSY: Int32 = 5

/// The connection itself has locked the table.
public let SQLITE_LOCKED: Int32 = 6

/// There is no memory left.
public let SQLITE_NOMEM: Int32 = 7

/// The database can only be read.
public let SQLITE_READONLY: Int32 = 8

/// `Connection.interrupt` has ended the statement.
public let SQLITE_INTERRUPT: Int32 = 9

/// The disk has failed.
public let SQLITE_IOERR: Int32 = 10

/// The file is no database, or damaged.
public let SQLITE_CORRUPT: Int32 = 11

/// Something is not known.
public let SQLITE_NOTFOUND: Int32 = 12

/// The disk is full.
public let SQLITE_FULL: Int32 = 13

/// The file cannot be opened.
public let SQLITE_CANTOPEN: Int32 = 14

/// A lock could not be got.
public let SQLITE_PROTOCOL: Int32 = 15

/// Not used.
public let SQLITE_EMPTY: Int32 = 16

/// The schema has changed.
public let SQLITE_SCHEMA: Int32 = 17

/// A text or a blob is too long.
public let SQLITE_TOOBIG: Int32 = 18

/// A constraint is broken.
public let SQLITE_CONSTRAINT: Int32 = 19

/// A value has the wrong type.
public let SQLITE_MISMATCH: Int32 = 20

/// The library was used wrongly.
public let SQLITE_MISUSE: Int32 = 21

/// The system has no large files.
public let SQLITE_NOLFS: Int32 = 22

/// It is not allowed.
public let SQLITE_AUTH: Int32 = 23

/// Not used.
public let SQLITE_FORMAT: Int32 = 24

/// There is no such parameter.
public let SQLITE_RANGE: Int32 = 25

/// The file is no database.
public let SQLITE_NOTADB: Int32 = 26

/// A note for the log.
public let SQLITE_NOTICE: Int32 = 27

/// A warning for the log.
public let SQLITE_WARNING: Int32 = 28

/// There is a row.
public let SQLITE_ROW: Int32 = 100

/// The statement is done.
public let SQLITE_DONE: Int32 = 101
