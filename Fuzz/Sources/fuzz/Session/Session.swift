import MartletEngine
import MartletSearch
import MartletSpatial

/// A connection with limits, so that every input comes to an end soon and in little memory.
struct Session {
  let connection: Connection
  private let budget = Budget()

  private final class Budget: @unchecked Sendable {
    var rest = Session.instructionLimit
  }

  /// Of the caches, sorters and values of a run together.
  static let heapLimit = 64 << 20
  /// Instructions of all statements of a run, in thousands.
  private static let instructionLimit = 60

  /// - Parameter hasModules: There are full-text tables and R-trees.
  init(
    path: String, flags: OpenFlags = [.readWrite, .create, .uri], hasModules: Bool = false
  ) throws(SQLError) {
    connection = try Connection(path: path, flags: flags)
    if hasModules { try Session.register(on: connection) }
    connection.setLimit(.length, to: 50_000)
    connection.setLimit(.sqlLength, to: 50_000)
    connection.setLimit(.columnCount, to: 100)
    connection.setLimit(.compoundSelect, to: 30)
    connection.setLimit(.expressionDepth, to: 100)
    connection.setLimit(.likePatternLength, to: 250)
    connection.setLimit(.attachedCount, to: 3)
    connection.setLimit(.triggerDepth, to: 10)
    connection.setLimit(.variableNumber, to: 100)
    connection.setProgressHandler(every: 1_000) { [budget] in
      budget.rest -= 1
      return budget.rest < 0
    }
  }

  static func register(on connection: Connection) throws(SQLError) {
    try connection.registerSearch()
    try connection.registerSpatial()
  }

  /// A new run begins on the same connection.
  func limitRun() { budget.rest = Session.instructionLimit }

  func deserialize(_ image: [UInt8]) {
    image.withUnsafeBytes { bytes in try? connection.deserialize(bytes) }
  }

  /// Runs the statements of a text, also those behind one that fails, and reads all that they give.
  func run(_ sql: some Collection<UInt8>) {
    let bytes = Array(sql)
    bytes.withUnsafeBufferPointer { text in
      var start = 0
      // Each statement that fails in compiling ends its part of the text, as it would in a shell.
      for _ in 0..<30 where start < text.count {
        let rest = UnsafeBufferPointer(rebasing: text[start...])
        do throws(SQLError) {
          let (statement, consumed) = try connection.prepare(rest)
          guard consumed > 0 else { return }
          start += consumed
          if let statement { Session.read(statement) }
        } catch {
          guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { return }
          start += end + 1
        }
      }
    }
  }

  /// Steps to the end, and reads every column in every form.
  static func read(_ statement: Statement) {
    do throws(SQLError) {
      for column in 0..<statement.columnCount { _ = statement.columnDeclaredType(column) }
      while try statement.step() {
        for column in 0..<statement.columnCount {
          _ = statement.columnInt64(column)
          _ = statement.columnDouble(column)
          let bytes = statement.columnBytes(column)
          // A borrowed value that ends too early is found where it is read.
          if let first = bytes.first, let last = bytes.last { Session.sum &+= Int(first &+ last) }
        }
      }
    } catch { _ = error.message }
  }

  /// Where what was read goes, so that reading it is not optimised away.
  nonisolated(unsafe) static var sum = 0
}
