extension Command {
  /// What `.help` says of one command below its line.
  static func options(of command: String) -> String {
    switch command {
    case "archive": archiveOptions
    case "backup", "save": backupOptions
    case "check": checkOptions
    case "dump": dumpOptions
    case "expert": expertOptions
    case "import": importOptions
    case "indexes": indexesOptions
    case "mode": modeOptions
    case "once", "output": outputOptions
    case "open": openOptions
    case "parameter": parameterOptions
    case "progress": progressOptions
    case "recover": recoverOptions
    case "session": sessionOptions
    case "sha3sum": hashOptions
    case "stats": statsOptions
    case "trace": traceOptions
    case "read": "    If FILE begins with \"|\", it is a command that generates the input.\n"
    case "schema": schemaOptions
    default: ""
    }
  }

  private static let archiveOptions = """
      One of:
        -c, --create         Make a new archive of FILES
        -u, --update         Take in FILES that are new or have changed
        -i, --insert         Take in FILES, changed or not
        -r, --remove         Remove FILES
        -t, --list           List FILES, or all
        -x, --extract        Write FILES, or all, to disk
      And:
        -a FILE, --append FILE   The archive is at the end of FILE
        -C DIR, --directory DIR  Files on disk are in DIR
        -f FILE, --file FILE     The archive is FILE, which may be a zip file
        -g, --glob               FILES are patterns for names in the archive
        -n, --dryrun             Only show what would be done
        -v, --verbose            Say more
      Letters may stand together and without "-", as in ".archive -tf FILE"

    """

  private static let dumpOptions = """
      Options:
        --data-only          Only the INSERT statements
        --newlines           Taken as sqlite3 takes it: control characters are escaped always
        --nosys              Without system tables, such as "sqlite_stat1"
        --preserve-rowids    With the rowids
      OBJECTS are LIKE patterns for tables, indexes, triggers or views

    """

  private static let expertOptions = """
      Options:
        --sample PERCENT     Look at so many of the rows for statistics
        --verbose            Show all candidates, and each statement

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
        --expr               Only those of expressions
        --sys                Only these

    """

  static let modeOptions = """
      Modes: \(OutputMode.allCases.map(\.rawValue).joined(separator: " "))
      "tty" and "batch" are what terminals and scripts begin with.
      Options, from left to right:
        --align STRING         A letter a column: L, C or R
        --blob-quote ARG       auto, text, sql, hex, tcl, json or size
        --border on|off        Lines around "box" and "table"
        --charlimit N          Characters of a value, 0 for all
        --colsep STRING        What stands between columns
        --escape ESC           What control characters become: off, ascii or symbol
        --linelimit N          Lines of a value, 0 for all
        --limits L,C,T         Lines, characters and title at once; or "on", "off"
        --list                 List the modes
        --multiinsert N        Rows in one INSERT statement up to N bytes
        --null STRING          What NULL is shown as
        --once                 What follows holds for the next statement only
        --quote ARG            off, on, sql, relaxed, csv, html, tcl or json
        --reset                All as the mode has it
        --rowsep STRING        What stands between rows
        --sw N                 Columns of the screen, 0 for any, or "auto"
        --tablename NAME       The table of "insert"
        --tag NAME             Call these settings NAME
        --textjsonb BOOLEAN    Show JSONB as JSON
        --titles ARG           off, on, plain, sql, csv, html, tcl or json
        --titlelimit N         Characters of a title, 0 for all
        -v                     Show all settings
        --widths LIST          Width of each column; 0 fits, less than 0 stands right
        --wordwrap BOOLEAN     Wrap between words (--ww: on)
        --wrap N               Wrap columns that are wider than N

    """

  private static let outputOptions = """
      FILE may be "|COMMAND", "off", "memory" or "stdout".
      Options:
        --bom                Begin with a byte order mark
        -e                   Open an editor on it in the end
        --error-prefix X     Begin error messages with X
        --keep               Leave the output where it is
        --plain              With -w: text, not HTML
        --show               Show what "memory" or .testcase has kept
        -w                   Open a browser on it in the end
        -x                   Open a spreadsheet on it in the end

    """

  private static let openOptions = """
      Options:
        --append             Put a new database at the end of FILE
        --deserialize        Open a copy in memory
        --hexdb              FILE, or what follows, is what .dbtotxt writes
        --ifexists           Open FILE only if it exists
        --maxsize N          How long a database in memory may become
        --new                Begin with an empty database
        --nofollow           Do not follow symbolic links
        --readonly           Open FILE for reading only
        --zip                FILE is a zip archive

    """

  private static let backupOptions = """
      Options:
        --append             Put the copy at the end of FILE
        --async              Without journal, and without waiting for the disk

    """

  private static let checkOptions = """
      PATTERN may be "<<MARK": then the lines up to one that begins with MARK.
      Options:
        --exact              Blanks at the ends count
        --glob               PATTERN is a GLOB that must fit somewhere
        --keep               More of .check follow
        --notglob            PATTERN must not fit
        --show               Show what was printed

    """

  private static let parameterOptions = """
       clear                   Forget all values
       init                    Make the table of the values
       list                    Show them
       set PARAMETER VALUE     Set one; PARAMETER begins with $, :, @ or ?
       unset PARAMETER         Forget one

    """

  private static let progressOptions = """
       --limit N                 Interrupt after N times
       --once                    Interrupt once only
       --quiet|-q                Show interrupts only
       --reset                   Begin anew with each statement
       --timeout S               Interrupt after S seconds

    """

  private static let recoverOptions = """
       --ignore-freelist        Leave out pages that seem to be free
       --lost-and-found TABLE   Where rows go whose table is not known
       --no-rowids              Without rowids that are no INTEGER PRIMARY KEY

    """

  private static let sessionOptions = """
       Subcommands:
         attach TABLE             Record TABLE
         changeset FILE           Write a changeset
         close                    End a session
         enable ?BOOLEAN?         Record or not
         filter GLOB...           Do not record such tables
         indirect ?BOOLEAN?       Changes count as indirect
         isempty                  Whether nothing was recorded
         list                     Names of the sessions
         open DB NAME             Begin a session
         patchset FILE            Write a patchset
       Without NAME the first session is meant.

    """

  private static let hashOptions = """
        Options:
          --schema              With the table sqlite_schema
          --sha3-224            224 bits, the default
          --sha3-256            256 bits
          --sha3-384            384 bits
          --sha3-512            512 bits
        Any other word is a LIKE pattern for tables

    """

  private static let statsOptions = """
       off                      Show nothing
       on                       Show counters after each statement
       stmt                     Also columns
       vmstep                   Only the machine's steps

    """

  private static let traceOptions = """
        FILE                    Write to FILE
        stdout, stderr          Write there
        off                     End it
        --expanded              With the values of parameters
        --plain                 As it was typed
        --stmt                  Each statement
        --profile               Each statement and its time
        --row                   Each row
        --close                 The end of the connection

    """

  private static let schemaOptions = """
      Options:
        --indent             Set out for reading
        --nosys              Without objects whose names begin with "sqlite_"

    """
}
