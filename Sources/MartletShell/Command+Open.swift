import MartletEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension Command {
  func open(in session: Session) -> Result {
    var path: String?
    var isReadOnly = false
    var isNew = false
    var followsLinks = true
    var isDeserialized = false
    var opensExistingOnly = false
    var newFileKind = FileKind.database
    var sizeLimit: Int?
    var isHexadecimal = false
    var index = 0
    while index + 1 < words.count {
      index += 1
      let word = words[index].text
      guard word.hasPrefix("-") else {
        if path != nil {
          session.printError("extra argument: \"\(word)\"\n")
          return .failed
        }
        path = word
        continue
      }
      switch optionName(at: index) {
      case "new": isNew = true
      case "readonly": isReadOnly = true
      case "nofollow": followsLinks = false
      case "normal": break
      case "deserialize": isDeserialized = true
      case "ifexists": opensExistingOnly = true
      case "append": newFileKind = .appended
      case "zip": newFileKind = .zip
      case "hexdb": isHexadecimal = true
      case "maxsize" where index + 1 < words.count:
        index += 1
        sizeLimit = integer(words[index].text)
      default:
        session.printError("unknown option: \(word)\n")
        return .failed
      }
    }
    session.close()
    session.sizeLimit = sizeLimit
    session.image = nil
    if isHexadecimal {
      session.image = readHexDatabase(path, in: session)
      session.path = session.image == nil ? ":memory:" : ""
      session.isDeserialized = session.image != nil
      session.isReadOnly = false
      return session.open() == nil || session.image == nil ? .failed : .done
    }
    let name = path ?? ""
    if isNew, !name.isEmpty { _ = name.withFileName { unlink($0) } }
    session.path = name.isEmpty ? ":memory:" : name
    session.isReadOnly = isReadOnly
    session.followsLinks = followsLinks
    session.isDeserialized = isDeserialized && !name.isEmpty
    session.opensExistingOnly = opensExistingOnly
    session.newFileKind = newFileKind
    if session.open() != nil { return .done }
    session.printError(
      "Notice: using substitute in-memory database instead of \"\(name.legibleFileName)\"\n")
    session.path = ":memory:"
    session.isReadOnly = false
    session.isDeserialized = false
    session.opensExistingOnly = false
    session.newFileKind = .database
    return session.open() == nil ? .failed : .done
  }

  func listDatabases(in session: Session) -> Result {
    guard let connection = session.open() else { return .failed }
    for (name, path) in connection.databaseFiles {
      let access = connection.isReadOnly(database: name) == true ? "r/o" : "r/w"
      let transaction =
        switch connection.transactionState(of: name) {
        case .read: " read-txn"
        case .write: " write-txn"
        case .some(.none), nil: ""
        }
      let shown = path.isEmpty ? "\"\"" : path
      session.output.write("\(name): \(shown) \(access)\(transaction)\n".fileNameBytes)
    }
    return .done
  }
}
