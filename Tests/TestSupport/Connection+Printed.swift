import MartletEngine

extension Connection {
  /// Runs a script and gives its rows, one a line, as the shell prints them.
  package func printed(_ script: String) throws -> String {
    var bytes = Array(script.utf8)[...]
    var lines = ""
    while !bytes.isEmpty {
      let outcome = bytes.withUnsafeBufferPointer { text in
        Result { () throws(SQLError) in try prepare(text) }
      }
      let (statement, consumed) = try outcome.get()
      bytes = bytes.dropFirst(max(consumed, 1))
      guard let statement else { continue }
      while try statement.step() {
        let columns = (0..<statement.columnCount).map { statement.columnText($0) }
        lines += columns.joined(separator: "|") + "\n"
      }
    }
    return lines
  }
}
