import Foundation
import Martlet
import Synchronization
import Testing

/// Databases in memory and texts of executed SQL for tests.
func emptyDatabase(_ configuration: Configuration = Configuration()) throws -> DatabaseQueue {
  try DatabaseQueue(configuration: configuration)
}

/// The SQL that a closure executes, with its arguments in place.
func executedSQL(_ db: Database, _ body: () throws -> Void) rethrows -> [String] {
  var texts: [String] = []
  db.trace { texts.append($0.expandedDescription) }
  defer { db.trace() }
  try body()
  // What the layer asks of the schema is its own affair.
  return texts.filter { !$0.contains("_master WHERE type IN") && !$0.hasPrefix("PRAGMA \"") }
}

/// Runs a test in an empty database.
func inEmptyDatabase<T>(_ body: (Database) throws -> T) throws -> T {
  try emptyDatabase().writeWithoutTransaction(body)
}

/// The error of a closure.
func error<T>(of body: () throws -> T) -> (any Error)? {
  do {
    _ = try body()
    return nil
  } catch {
    return error
  }
}

func databaseError<T>(of body: () throws -> T) -> DatabaseError? {
  error(of: body) as? DatabaseError
}

/// Numbers from 1 on, for closures that may run anywhere.
final class LockedCounter: Sendable {
  private let count = Mutex(0)

  func next() -> Int {
    count.withLock {
      $0 += 1
      return $0
    }
  }
}

/// Texts that closures which may run anywhere gather.
final class LockedList: Sendable {
  private let list = Mutex<[String]>([])

  func append(_ text: String) { list.withLock { $0.append(text) } }

  func take() -> [String] {
    list.withLock { list in
      defer { list = [] }
      return list
    }
  }
}

/// Runs a body with a path in a directory of its own, which goes when the body ends.
func withTemporaryPath<T>(_ body: (String) throws -> T) throws -> T {
  let directory = FileManager.default.temporaryDirectory
    .appendingPathComponent("martlet-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: directory) }
  return try body(directory.appendingPathComponent("db.sqlite").path)
}
