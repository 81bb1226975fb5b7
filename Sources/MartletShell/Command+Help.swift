extension Command {
  private static let help: [(name: String, text: String)] = [
    ("bail", ".bail on|off             Stop after hitting an error.  Default OFF"),
    ("cd", ".cd DIRECTORY            Change the working directory to DIRECTORY"),
    ("changes", ".changes on|off          Show number of rows changed by SQL"),
    ("databases", ".databases               List names and files of attached databases"),
    ("dump", ".dump ?OBJECTS?          Render database content as SQL"),
    ("echo", ".echo on|off             Turn command echo on or off"),
    ("eqp", ".eqp on|off|full|...     Enable or disable automatic EXPLAIN QUERY PLAN"),
    ("exit", ".exit ?CODE?             Exit this program with return-code CODE"),
    ("explain", ".explain ?on|off|auto?   Change the EXPLAIN formatting mode.  Default: auto"),
    ("headers", ".headers on|off          Turn display of headers on or off"),
    ("help", ".help ?PATTERN?          Show help text for PATTERN"),
    ("import", ".import FILE TABLE       Import data from FILE into TABLE"),
    ("indexes", ".indexes ?PATTERN?       Show names of indexes matching PATTERN"),
    ("mode", ".mode ?MODE? ?OPTIONS?   Set output mode"),
    ("nullvalue", ".nullvalue STRING        Use STRING in place of NULL values"),
    ("once", ".once ?OPTIONS? ?FILE?   Output for the next SQL command only to FILE"),
    ("open", ".open ?OPTIONS? ?FILE?   Close existing database and reopen FILE"),
    ("output", ".output ?FILE?           Send output to FILE or stdout if FILE is omitted"),
    ("print", ".print STRING...         Print literal STRING"),
    ("quit", ".quit                    Stop interpreting input stream, exit if primary."),
    ("read", ".read FILE               Read input from FILE or command output"),
    ("schema", ".schema ?PATTERN?        Show the CREATE statements matching PATTERN"),
    ("separator", ".separator COL ?ROW?     Change the column and row separators"),
    ("shell", ".shell CMD ARGS...       Run CMD ARGS... in a system shell"),
    ("show", ".show                    Show the current values for various settings"),
    ("system", ".system CMD ARGS...      Run CMD ARGS... in a system shell"),
    ("tables", ".tables ?TABLE?          List names of tables matching LIKE pattern TABLE"),
    ("timeout", ".timeout MS              Try opening locked tables for MS milliseconds"),
    ("timer", ".timer on|off|once       Turn SQL timer on or off."),
    ("version", ".version                 Show the versions of the shell and its SQL"),
  ]

  func showHelp(in session: Session) -> Result {
    guard let pattern = arguments.first.map({ String($0.drop { $0 == "." }) }) else {
      return show(Self.help.map { $0.text + "\n" }.joined(), in: session)
    }
    let found = Self.help.filter { $0.name.hasPrefix(pattern) }
    guard !found.isEmpty else {
      return show("Nothing matches '\(pattern)'\n", in: session)
    }
    let details = found.count == 1 ? Self.options(of: found[0].name) : ""
    return show(found.map { $0.text + "\n" }.joined() + details, in: session)
  }
}
