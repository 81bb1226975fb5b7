extension Connection {
  /// The command `checkTrees`, a part of integrity_check.
  func checkTrees(
    ofDatabase index: Int, _ arguments: UnsafeMutablePointer<Register>, encoding: TextEncoding
  ) throws(SQLError) {
    let wanted = Int(clamping: arguments[0].integer) + 1
    let count = Int(clamping: arguments[2].integer)
    let roots = (0..<count).map { position in
      PageNumber(UInt32(truncatingIfNeeded: arguments[3 + position].integer))
    }
    let (messages, entryCounts) = try tree(ofDatabase: index).integrityCheck(
      roots: roots, limit: wanted)
    for (position, entryCount) in entryCounts.enumerated() {
      arguments[3 + position].setInteger(entryCount)
    }
    arguments[1].deinitialize()
    arguments[1] = Register()
    guard !messages.isEmpty else { return }
    arguments[0].setInteger(Int64(wanted - messages.count))
    arguments[1] = try .makeText(messages.joined(separator: "\n"), encoding: encoding)
  }
}
