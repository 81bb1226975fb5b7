extension Command {
  /// What `.help` says of one command below its line.
  static func options(of command: String) -> String {
    switch command {
    case "dump": dumpOptions
    case "import": importOptions
    case "indexes": indexesOptions
    case "mode": modeOptions
    case "once", "output": outputOptions
    case "open": openOptions
    case "read": "    If FILE begins with \"|\", it is a command that generates the input.\n"
    case "schema": schemaOptions
    default: ""
    }
  }

  private static let dumpOptions = """
      Options:
        --data-only          Only the INSERT statements
        --newlines           Taken as sqlite3 takes it: control characters are escaped always
        --nosys              Without system tables, such as "sqlite_stat1"
        --preserve-rowids    With the rowids
      OBJECTS are LIKE patterns for tables, indexes, triggers or views

    """

  private static let importOptions = """
      A table that does not exist is made, its columns named by the first row. FILE may be
      "|COMMAND", or "<<LABEL" for the lines of the script up to LABEL.
      Options:
        --ascii              No quotes; \\037 and \\036 separate columns and rows
        --colsep CHAR        Use CHAR as the column separator
        --csv                Commas and line ends, as RFC 4180 has them
        --esc CHAR           CHAR takes the meaning from the next character
        --qesc CHAR          The same between quotes
        --rowsep CHAR        Use CHAR as the row separator
        --schema S           The table is in the database S
        --skip N             Leave the first N rows out
        -v                   Say what is done; twice, with which statement

    """

  private static let indexesOptions = """
      Options:
        -a|--all             With the indexes that belong to constraints
        --sys                Only these

    """

  private static let modeOptions = """
      \(OutputMode.listing)
      Options:
        --border on|off        Show outer border on "box" and "table" modes
        --colsep STRING        Use STRING as the column separator
        --list                 List available modes
        --null STRING          Render SQL NULL values as the given string
        --quote ARG            off, on, sql, relaxed, csv, html, tcl or json
        --rowsep STRING        Use STRING as the row separator
        --tablename NAME       Set the name of the table for "insert" mode
        --titles on|off        Whether or not to show column headers

    """

  private static let outputOptions = """
      FILE may be "|COMMAND", "off" or "stdout".
      Options:
        --bom                Begin with a byte order mark

    """

  private static let openOptions = """
      Options:
        --new                Begin with an empty database
        --nofollow           Do not follow symbolic links
        --readonly           Open FILE for reading only

    """

  private static let schemaOptions = """
      Options:
        --indent             Set out for reading
        --nosys              Without objects whose names begin with "sqlite_"

    """
}
