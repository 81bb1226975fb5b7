extension Command {
  static let help: [HelpEntry] = [
    HelpEntry(name: "archive", usage: ".archive ...", summary: "Files in a database or zip file"),
    HelpEntry(
      name: "auth", usage: ".auth ON|OFF",
      summary: "Show what statements ask the authorizer for"),
    HelpEntry(name: "backup", usage: ".backup ?DB? FILE", summary: "Copy DB (\"main\") into FILE"),
    HelpEntry(name: "bail", usage: ".bail on|off", summary: "Stop after an error, or go on"),
    HelpEntry(name: "cd", usage: ".cd DIRECTORY", summary: "Change the working directory"),
    HelpEntry(
      name: "changes", usage: ".changes on|off",
      summary: "Show how many rows statements change"),
    HelpEntry(
      name: "check", usage: ".check OPTIONS ...",
      summary: "Compare what was printed since .testcase"),
    HelpEntry(
      name: "clone", usage: ".clone NEWDB",
      summary: "Copy schema and rows into NEWDB by SQL"),
    HelpEntry(
      name: "connection", usage: ".connection [close] [#]",
      summary: "Switch between connections, or close one"),
    HelpEntry(name: "crlf", usage: ".crlf ?on|off?", summary: "Line ends of Windows: always off"),
    HelpEntry(
      name: "databases", usage: ".databases",
      summary: "Names and files of the open databases"),
    HelpEntry(
      name: "dbconfig", usage: ".dbconfig ?op? ?val?",
      summary: "Show or set switches of the connection"),
    HelpEntry(name: "dbinfo", usage: ".dbinfo ?DB?", summary: "Show the header of a database"),
    HelpEntry(name: "dbtotxt", usage: ".dbtotxt", summary: "Show the file's pages in hexadecimal"),
    HelpEntry(name: "dump", usage: ".dump ?OBJECTS?", summary: "Write the content as SQL"),
    HelpEntry(name: "echo", usage: ".echo on|off", summary: "Show statements before they run"),
    HelpEntry(
      name: "eqp", usage: ".eqp on|off|full|...",
      summary: "Show the plan before each statement"),
    HelpEntry(
      name: "excel", usage: ".excel",
      summary: "Show what the next command prints in a spreadsheet"),
    HelpEntry(name: "exit", usage: ".exit ?CODE?", summary: "End the shell with a status"),
    HelpEntry(
      name: "expert", usage: ".expert ?OPTIONS?", summary: "Propose indexes for a statement"),
    HelpEntry(
      name: "explain", usage: ".explain ?on|off|auto?",
      summary: "How EXPLAIN is shown: always as a listing"),
    HelpEntry(
      name: "filectrl", usage: ".filectrl CMD ...", summary: "Requests to the database's file"),
    HelpEntry(
      name: "fullschema", usage: ".fullschema ?--indent?",
      summary: "Show schema and statistics"),
    HelpEntry(name: "headers", usage: ".headers on|off", summary: "Show column names or not"),
    HelpEntry(name: "help", usage: ".help ?-all? ?PATTERN?", summary: "Show what commands do"),
    HelpEntry(
      name: "import", usage: ".import FILE TABLE",
      summary: "Read rows from FILE into TABLE"),
    HelpEntry(
      name: "imposter", usage: ".imposter INDEX TABLE",
      summary: "Read an index as a table"),
    HelpEntry(name: "indexes", usage: ".indexes ?PATTERN?", summary: "Names of indexes"),
    HelpEntry(
      name: "intck", usage: ".intck ?STEPS?",
      summary: "Check the database, table by table"),
    HelpEntry(
      name: "layout", usage: ".layout ?FILE.svg?", summary: "Show where tables lie in the file"),
    HelpEntry(
      name: "limit", usage: ".limit ?LIMIT? ?VAL?",
      summary: "Show or set limits of the connection"),
    HelpEntry(
      name: "lint", usage: ".lint OPTIONS",
      summary: "Look for missing indexes of foreign keys"),
    HelpEntry(name: "log", usage: ".log FILE|on|off", summary: "Write errors of SQL into FILE"),
    HelpEntry(name: "mode", usage: ".mode ?MODE? ?OPTIONS?", summary: "How rows are shown"),
    HelpEntry(name: "nonce", usage: ".nonce STRING", summary: "Lift safe mode for one command"),
    HelpEntry(name: "nullvalue", usage: ".nullvalue STRING", summary: "What NULL is shown as"),
    HelpEntry(
      name: "once", usage: ".once ?OPTIONS? ?FILE?",
      summary: "Send what the next command prints to FILE"),
    HelpEntry(
      name: "open", usage: ".open ?OPTIONS? ?FILE?",
      summary: "Open another database in place of this"),
    HelpEntry(name: "output", usage: ".output ?FILE?", summary: "Send what is printed to FILE"),
    HelpEntry(name: "parameter", usage: ".parameter CMD ...", summary: "Values of parameters"),
    HelpEntry(
      name: "plan", usage: ".plan FILE.svg", summary: "Draw how the next statement runs"),
    HelpEntry(name: "print", usage: ".print STRING...", summary: "Print words"),
    HelpEntry(
      name: "progress", usage: ".progress N",
      summary: "Show progress after every N instructions"),
    HelpEntry(name: "prompt", usage: ".prompt MAIN CONTINUE", summary: "Other prompts"),
    HelpEntry(name: "quit", usage: ".quit", summary: "End the input, and the shell"),
    HelpEntry(name: "read", usage: ".read FILE", summary: "Run what FILE has"),
    HelpEntry(
      name: "recover", usage: ".recover",
      summary: "Write as SQL what a damaged file still has"),
    HelpEntry(
      name: "restore", usage: ".restore ?DB? FILE",
      summary: "Copy FILE into DB (\"main\")"),
    HelpEntry(name: "save", usage: ".save ?OPTIONS? FILE", summary: "Copy the database into FILE"),
    HelpEntry(
      name: "scanstats", usage: ".scanstats on|off|est",
      summary: "Show the plan with times and rows of what has run"),
    HelpEntry(name: "schema", usage: ".schema ?PATTERN?", summary: "Show CREATE statements"),
    HelpEntry(
      name: "separator", usage: ".separator COL ?ROW?",
      summary: "What stands between columns and rows"),
    HelpEntry(name: "session", usage: ".session ?NAME? CMD ...", summary: "Record changes"),
    HelpEntry(name: "sha3sum", usage: ".sha3sum ...", summary: "A hash of the content"),
    HelpEntry(name: "shell", usage: ".shell CMD ARGS...", summary: "Run a command of the system"),
    HelpEntry(name: "show", usage: ".show", summary: "Show settings"),
    HelpEntry(name: "stats", usage: ".stats ?ARG?", summary: "Show what statements cost"),
    HelpEntry(name: "system", usage: ".system CMD ARGS...", summary: "Run a command of the system"),
    HelpEntry(name: "tables", usage: ".tables ?TABLE?", summary: "Names of tables"),
    HelpEntry(name: "testcase", usage: ".testcase NAME", summary: "Begin a test"),
    HelpEntry(name: "timeout", usage: ".timeout MS", summary: "How long to wait for locks"),
    HelpEntry(name: "timer", usage: ".timer on|off|once", summary: "Show how long statements take"),
    HelpEntry(name: "trace", usage: ".trace ?OPTIONS?", summary: "Show statements as they run"),
    HelpEntry(name: "version", usage: ".version", summary: "Versions of shell and SQL"),
    HelpEntry(name: "vfsinfo", usage: ".vfsinfo ?AUX?", summary: "The VFS of a database"),
    HelpEntry(name: "vfslist", usage: ".vfslist", summary: "All VFSes"),
    HelpEntry(name: "vfsname", usage: ".vfsname ?AUX?", summary: "The name of the VFS"),
    HelpEntry(name: "width", usage: ".width NUM1 NUM2 ...", summary: "Widths of columns"),
    HelpEntry(
      name: "www", usage: ".www",
      summary: "Show what the next command prints in a browser"),
  ]
}
