import MartletEngine

extension Command {
  private struct Control {
    let name: String
    let usage: String
    let run: (Connection, String, [String]) throws(SQLError) -> FileControl.Reply?

    /// What sqlite3 shows where a database, or its file, does not know the request.
    func unanswered(_ limit: Int64?) -> FileControl.Reply {
      switch name {
      case "chunk_size", "lock_timeout", "tempfilename": .done
      case "has_moved": .number(0)
      case "size_limit": .number(limit ?? -1)
      default: .number(-1)
      }
    }
  }

  /// `.filectrl`: requests to the file of a database (`sqlite3_file_control`).
  func controlFile(in session: Session) -> Result {
    var words = arguments
    var database = "main"
    if words.count > 2, words[0] == "-schema" || words[0] == "--schema" {
      database = words[1]
      words.removeFirst(2)
    }
    let typed = words.first.map { $0.drop { $0 == "-" } } ?? "help"
    if typed == "help" {
      let list = controls(in: session).map { "  .filectrl \($0.name) \($0.usage)\n" }
      session.output.write("Available file-controls:\n" + list.joined())
      return .failed
    }
    let all = controls(in: session)
    let found = all.filter { $0.name == typed }
    let matching = found.isEmpty ? all.filter { $0.name.hasPrefix(typed) } : found
    let hint = "Use \".filectrl --help\" for help\n"
    guard let control = matching.first else {
      session.printError("Error: unknown file-control: \(typed)\n\(hint)")
      return .done
    }
    guard matching.count == 1 else {
      session.printError("Error: ambiguous file-control: \"\(typed)\"\n\(hint)")
      return .failed
    }
    guard let connection = session.open() else { return .failed }
    let values = Array(words.dropFirst())
    let range = control.usage.isEmpty ? 0...0 : control.usage.hasPrefix("[") ? 0...1 : 1...1
    guard range.contains(values.count) else {
      session.output.write("Usage: .filectrl \(control.name) \(control.usage)\n")
      return .failed
    }
    let reply =
      (try? control.run(connection, database, values))
      ?? control.unanswered(values.first.map { Int64(integer($0)) })
    switch reply {
    case .number(let number): session.output.write("\(number)\n")
    case .text(let text): session.output.write("\(text)\n")
    case .done: break
    }
    return .done
  }

  private func controls(in session: Session) -> [Control] {
    func flag(_ words: [String]) -> Bool? { words.first.map { boolean($0, in: session) } }
    func ask(_ request: @escaping ([String]) -> FileControl, isSilent: Bool = false)
      -> (Connection, String, [String]) throws(SQLError) -> FileControl.Reply?
    {
      { connection, database, words throws(SQLError) in
        let reply = try connection.fileControl(request(words), database: database)
        return isSilent && reply != nil ? .done : reply
      }
    }
    return [
      Control(
        name: "chunk_size", usage: "SIZE",
        run: ask({ .chunkSize(integer($0[0])) }, isSilent: true)),
      Control(name: "data_version", usage: "") { connection, database, _ throws(SQLError) in
        .number(Int64(try connection.dataVersion(ofDatabase: database)))
      },
      Control(name: "has_moved", usage: "", run: ask { _ in .hasMoved }),
      Control(
        name: "lock_timeout", usage: "MILLISEC",
        run: ask(
          { .lockTimeout(Int32(truncatingIfNeeded: integer($0[0]))) }, isSilent: true)),
      Control(
        name: "persist_wal", usage: "[BOOLEAN]", run: ask { .keepsWriteAheadLog(flag($0)) }),
      Control(name: "psow", usage: "[BOOLEAN]", run: ask { .powersafeOverwrite(flag($0)) }),
      Control(name: "reserve_bytes", usage: "[N]") { connection, database, words throws(SQLError) in
        if let word = words.first, (0...255).contains(integer(word)) {
          try connection.setReservedByteCount(integer(word), ofDatabase: database)
        }
        return .number(Int64(try connection.reservedByteCount(ofDatabase: database)))
      },
      Control(
        name: "size_limit", usage: "[LIMIT]",
        run: ask { .sizeLimit($0.first.map { Int64(integer($0)) } ?? -1) }),
      Control(name: "tempfilename", usage: "", run: ask { _ in .temporaryFileName }),
    ]
  }
}
