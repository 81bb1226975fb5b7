/// What docs/c-api.md says besides the names of the functions.
enum FunctionTable {
  static let introduction = """
    # The C interface

    `make libsqlite3` builds `.build/lib/libsqlite3.so.0`, a library with SQLite's C interface
    (3.53.4) on Martlet's engine: programs that load SQLite's shared library run on it without being
    rebuilt. Its functions are Swift (`Sources/MartletC`), checked by the compiler against our header;
    C (`Sources/CSQLite3`) are the header, the exported data, and what takes a variable number of
    arguments.

    - Handles are marked, and memory of handles is used again late: a finalized statement or a closed
      connection gets SQLITE_MISUSE, also where C's documents promise nothing.
    - Text and blobs of a column are copied when they are asked for, into memory that the statement
      keeps; no lock is taken and nothing is allocated for a column that is read as a number.
    - What is bound is copied, and its destructor is called at once.
    - "Not available" functions give the result that a library without that part gives: never success.

    This file is generated: `MARTLET_WRITE_DOCS=1 swift test --filter FunctionTableTests`.

    """

  static let notes: [String: String] = [:]
}
