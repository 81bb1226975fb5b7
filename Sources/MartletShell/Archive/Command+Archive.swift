import MartletEngine

extension Command {
  func archive(in session: Session) -> Result {
    archive(arguments, hint: ".archive --help", in: session)
  }

  /// `.archive`, and `-A` of the command line.
  func archive(_ words: [String], hint: String, in session: Session) -> Result {
    let request: ArchiveRequest
    do throws(ArchiveRequest.Problem) {
      request = try ArchiveRequest(words)
    } catch {
      if error.text.isEmpty { return showArchiveUsage("Wrong number of arguments.", session) }
      session.printError("Error: \(error.text)\nUse \"\(hint)\" for more help\n")
      return .failed
    }
    guard let action = request.action else {
      return showArchiveUsage("Required argument missing.", session)
    }
    if action == .help {
      for entry in Self.help where entry.name == "archive" {
        session.output.write(entry.line + Self.options(of: entry.name))
      }
      return .done
    }
    guard let archive = openArchive(request, in: session) else { return .failed }
    do throws(SQLError) {
      let isReading = action == .list || action == .extract || action == .remove
      if archive.zip == nil, isReading, !request.isDryRun, try !hasArchive(archive.connection) {
        session.printError("database does not contain an 'sqlar' table\n")
        return .failed
      }
      try archive.run()
      return .done
    } catch {
      switch action {
      case .create, .update, .insert: session.output.write("ERROR: \(error.message)\n")
      default:
        let isNotThere = error.message.hasPrefix(SQLArchive.absence)
        session.printError("\(isNotThere ? "" : "SQL error: ")\(error.message)\n")
      }
      return .failed
    }
  }

  private func showArchiveUsage(_ problem: String, _ session: Session) -> Result {
    session.printError("\(problem)  Usage:\n")
    return showHelp(of: "archive", in: session)
  }

  private func hasArchive(_ connection: Connection) throws(SQLError) -> Bool {
    let query = try connection.prepare(
      "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'sqlar'")
    return try query.step()
  }

  /// The shell's own database, or the file that `-f` and `-a` name.
  private func openArchive(_ request: ArchiveRequest, in session: Session) -> SQLArchive? {
    func archive(_ connection: Connection, _ zip: String?) -> SQLArchive {
      SQLArchive(request: request, connection: connection, zip: zip, output: session.output)
    }
    guard let path = request.file else {
      return session.open().map { archive($0, session.zipPath) }
    }
    let kind = request.isAppended ? .appended : FileKind.of(path, isArchive: true)
    let isReading = request.action == .list || request.action == .extract
    do throws(SQLError) {
      let opened = try Connection(
        path: kind == .zip ? ":memory:" : path,
        flags: isReading && kind != .zip ? .readOnly : [.readWrite, .create],
        vfs: kind == .appended ? try AppendVFS.register() : session.vfsName)
      try FileFunctions.register(on: opened, isSafe: false)
      return archive(opened, kind == .zip ? path : nil)
    } catch {
      session.printError("cannot open file: \(path.legibleFileName) (\(error.message))\n")
      return nil
    }
  }
}
