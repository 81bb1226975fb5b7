// Collations of the application (`sqlite3_create_collation_v2`).

extension Connection {
  /// Compares the bytes of two texts: negative, zero or positive as the first sorts before, with or
  /// after the second.
  public typealias BytesComparison =
    @Sendable (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int

  /// Makes a collation that SQL on this connection can name.
  ///
  /// The comparison must be a total order on texts, and always the same, as indexes are sorted by
  /// it. It must not run statements of the connection.
  ///
  /// - Parameters:
  ///   - name: A collation of that name and encoding is replaced.
  ///   - encoding: How the bytes are encoded that are compared. Definitions in several encodings
  ///     may live side by side: that in the database's encoding is used.
  /// - Throws: `busy` where a collation would be replaced while statements run.
  public func createCollation(
    _ name: String, encoding: TextEncoding = .utf8,
    comparingBytes compare: @escaping BytesComparison
  ) throws(SQLError) {
    let host = functionHost
    let collation = Collation(name: name, encoding: encoding) { left, right in
      host.comparisonDepth += 1
      defer { host.comparisonDepth -= 1 }
      return compare(left, right)
    }
    try changeCollation(name, encoding, to: collation)
  }

  /// Makes a collation that compares strings.
  public func createCollation(
    _ name: String, comparing compare: @escaping @Sendable (String, String) -> Int
  ) throws(SQLError) {
    try createCollation(name) { left, right in
      compare(String(decoding: left, as: UTF8.self), String(decoding: right, as: UTF8.self))
    }
  }

  /// Takes a collation back. Statements that need it fail then; a built-in one that it has replaced
  /// is there again.
  public func removeCollation(
    _ name: String, encoding: TextEncoding = .utf8
  ) throws(SQLError) {
    try changeCollation(name, encoding, to: nil)
  }

  private func changeCollation(
    _ name: String, _ encoding: TextEncoding, to collation: Collation?
  ) throws(SQLError) {
    lock.lock()
    defer { lock.unlock() }
    // BINARY is not asked for by name where it is meant.
    if name.isSameName(as: "binary") { throw .notSupported("replacing the collation \(name)") }
    let known = registeredCollations.firstIndex {
      $0.name.isSameName(as: name) && $0.encoding == encoding
    }
    let isBuiltIn = ["nocase", "rtrim"].contains(name.lowercased())
    if known != nil || isBuiltIn && encoding == .utf8 {
      guard runningStatements.isEmpty else {
        throw SQLError(
          .busy, "unable to delete/modify collation sequence due to active statements")
      }
    }
    // One of another encoding may have stood in for it.
    if isBuiltIn || registeredCollations.contains(where: { $0.name.isSameName(as: name) }) {
      expireStatements()
    }
    if let known { registeredCollations.remove(at: known) }
    if let collation { registeredCollations.append(collation) }
    programs.removeAll()
  }

  /// Asked for collations that statements name and that do not exist: it may make them by
  /// `createCollation` on the connection that it is given (`sqlite3_collation_needed`). `encoding`
  /// is the database's.
  public var collationNeeded:
    (@Sendable (_ connection: Connection, _ encoding: TextEncoding, _ name: String) -> Void)?
  {
    get {
      lock.lock()
      defer { lock.unlock() }
      return hooks.collationNeeded
    }
    set {
      lock.lock()
      defer { lock.unlock() }
      hooks.collationNeeded = newValue
    }
  }

  /// Those of the application, the best for the database's encoding first.
  var collations: [Collation] {
    // Asked for by each statement that is prepared; most have none or one.
    guard registeredCollations.count > 1 else {
      return registeredCollations.first.map(isHidden) == true ? [] : registeredCollations
    }
    let encoding = catalog.encoding
    let preferred = [encoding, .utf16BigEndian, .utf16LittleEndian, .utf8]
    return preferred.enumerated().flatMap { place, encoding in
      registeredCollations.filter {
        $0.encoding == encoding && preferred.firstIndex(of: encoding) == place
          && !isHidden($0)
      }
    }
  }

  /// The built-in ones are there in UTF-8: in a database of that encoding they come before what the
  /// application has under their name in another.
  private func isHidden(_ collation: Collation) -> Bool {
    collation.replacesBuiltIn && collation.encoding != .utf8 && catalog.encoding == .utf8
  }

  /// Asks the application for the collation that compiling a statement has missed. Returns whether
  /// it is there now.
  func findCollation(missedBy error: SQLError) -> Bool {
    guard let ask = hooks.collationNeeded, let name = error.missingCollation else { return false }
    ask(self, catalog.encoding, name)
    return registeredCollations.contains { $0.name.isSameName(as: name) }
  }
}

extension SQLError {
  private static let missingCollationMessage = "no such collation sequence: "

  /// The collation that the error says is missing.
  fileprivate var missingCollation: String? {
    guard code == .errorMissingCollation, message.hasPrefix(SQLError.missingCollationMessage)
    else { return nil }
    return String(message.dropFirst(SQLError.missingCollationMessage.count))
  }
}
