import Foundation
import MartletEngine

/// An order of texts that is written in Swift.
///
/// ```swift
/// let collation = DatabaseCollation("localized_standard") { $0.localizedStandardCompare($1) }
/// db.add(collation: collation)
/// try db.execute(sql: "CREATE TABLE file (name TEXT COLLATE localized_standard)")
/// ```
public final class DatabaseCollation: Identifiable, Sendable {
  /// What a collation is known by: its name, in any case.
  public struct ID: Hashable, Sendable {
    private let name: ExactText

    fileprivate init(_ name: String) { self.name = name.nameKey }
  }

  /// The name, in any case.
  public var id: ID { ID(name) }

  /// The name in SQL.
  public let name: String

  fileprivate let function: @Sendable (String, String) -> ComparisonResult

  /// Makes a collation. The function must be a total order, and always the same.
  public init(_ name: String, function: @escaping @Sendable (String, String) -> ComparisonResult) {
    self.name = name
    self.function = function
  }
}

extension Database {
  /// Makes a collation known to the connection's SQL. One with the same name is replaced.
  public func add(collation: DatabaseCollation) {
    stopOutsideAccess()
    let function = collation.function
    do {
      try connection.createCollation(collation.name) { left, right in
        function(left, right).rawValue
      }
    } catch {
      preconditionFailure("collation \(collation.name): \(error)")
    }
  }

  /// Takes a collation back.
  public func remove(collation: DatabaseCollation) {
    stopOutsideAccess()
    do {
      try connection.removeCollation(collation.name)
    } catch {
      preconditionFailure("collation \(collation.name): \(error)")
    }
  }
}

extension DatabaseCollation {
  /// The order of Swift's strings.
  public static let unicodeCompare = DatabaseCollation("swiftCompare") { left, right in
    left < right ? .orderedAscending : left == right ? .orderedSame : .orderedDescending
  }
  /// Foundation's `caseInsensitiveCompare`.
  public static let caseInsensitiveCompare = DatabaseCollation("swiftCaseInsensitiveCompare") {
    $0.caseInsensitiveCompare($1)
  }
  /// Foundation's `localizedCaseInsensitiveCompare`.
  public static let localizedCaseInsensitiveCompare = DatabaseCollation(
    "swiftLocalizedCaseInsensitiveCompare"
  ) { $0.localizedCaseInsensitiveCompare($1) }
  /// Foundation's `localizedCompare`.
  public static let localizedCompare = DatabaseCollation("swiftLocalizedCompare") {
    $0.localizedCompare($1)
  }
  /// Foundation's `localizedStandardCompare`.
  public static let localizedStandardCompare = DatabaseCollation("swiftLocalizedStandardCompare") {
    $0.localizedStandardCompare($1)
  }

  static let builtIn = [
    unicodeCompare, caseInsensitiveCompare, localizedCaseInsensitiveCompare, localizedCompare,
    localizedStandardCompare,
  ]
}
