import MartletEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension Command {
  func setPrompt(in session: Session) -> Result {
    if arguments.count >= 1 { session.prompts.main = arguments[0] }
    if arguments.count >= 2 { session.prompts.continued = arguments[1] }
    return .done
  }

  /// `.width`: the older way to say `.mode --widths`.
  func setColumnWidths(in session: Session) -> Result {
    session.settings.fit.widths = arguments.map { integer($0) }
    return .done
  }

  func setLineEnds(in session: Session) -> Result {
    guard arguments.count <= 1 else { return fail(".crlf on|off", in: session) }
    if let argument = arguments.first { _ = boolean(argument, in: session) }
    session.printError("crlf is OFF\n")
    return .done
  }

  // MARK: Safe mode

  /// Commands that reach out of the database, and are refused where scripts are not trusted.
  private static let unsafeCommands: [(name: String, what: String)] = [
    ("archive", "cannot run .archive in safe mode"),
    ("backup", "cannot run .backup in safe mode"), ("save", "cannot run .save in safe mode"),
    ("cd", "cannot run .cd in safe mode"), ("clone", "cannot run .clone in safe mode"),
    ("excel", "cannot run .excel in safe mode"), ("import", "cannot run .import in safe mode"),
    ("load", "cannot run .load in safe mode"),
    ("once", "cannot run .once in safe mode"), ("open", "open"),
    ("output", "cannot run .output in safe mode"), ("read", "cannot run .read in safe mode"),
    ("restore", "cannot run .restore in safe mode"),
    ("shell", "cannot run .shell in safe mode"), ("system", "cannot run .system in safe mode"),
    ("www", "cannot run .www in safe mode"),
  ]

  /// Whether safe mode lets the command run; the shell ends where it does not.
  func isAllowed(_ name: String, in session: Session) -> Bool {
    guard session.isSafe, let found = Self.unsafeCommands.first(where: { $0.name == name }) else {
      return true
    }
    if name == "open" {
      let path = arguments.last { !$0.hasPrefix("-") } ?? ":memory:"
      let isText = arguments.contains("-hexdb") || arguments.contains("--hexdb")
      if path == ":memory:" || isText { return true }
      session.printError("\(place): cannot open disk-based database files in safe mode\n")
      return false
    }
    session.printError("\(place): \(found.what)\n")
    return false
  }

  /// `.nonce`: lifts safe mode for the next command.
  func liftSafeMode(in session: Session) -> Result {
    if let nonce = session.nonce, arguments.first == nonce {
      session.isSafe = false
      session.isSafeAgain = true
      return .done
    }
    session.printError("\(place): incorrect nonce: \"\(arguments.first ?? "")\"\n")
    session.exitCode = 1
    return .quit
  }

  // MARK: VFS

  func listVFS(in session: Session) -> Result {
    guard session.open() != nil else { return .failed }
    let names = VFSRegistry.all.map(\.name)
    for (index, name) in names.enumerated() {
      session.output.write("vfs.zName      = \"\(name)\"\(index == 0 ? "  <--- CURRENT" : "")\n")
      if index < names.count - 1 {
        session.output.write("-----------------------------------\n")
      }
    }
    return .done
  }

  func showVFS(in session: Session) -> Result {
    guard let connection = session.open() else { return .failed }
    do throws(SQLError) {
      let name = try connection.withFiles(ofDatabase: arguments.first ?? "main") { $0.vfs.name }
      // Databases in memory have no file to tell of.
      if name == "memdb" { return .done }
      session.output.write(
        words[0].text.hasPrefix("vfsn") ? "\(name)\n" : "vfs.zName      = \"\(name)\"\n")
      return .done
    } catch {
      session.printError("Error: \(error.message)\n")
      return .failed
    }
  }
}
