/// The name of a database file, and what came with it in a URI.
///
/// A VFS sees the same object again for the journal and the write-ahead log of the database.
public final class DatabaseFileName {
  /// As `VFS.fullPath` gave it; empty when the database has no name.
  public let path: String
  /// All query parameters, in their order, known or not.
  public let parameters: [URIParameter]
  /// What the VFS keeps with the name, from opening the database on.
  public var companion: AnyObject?

  public init(path: String, parameters: [URIParameter] = []) {
    self.path = path
    self.parameters = parameters
  }

  public var journalPath: String { path + "-journal" }
  public var writeAheadLogPath: String { path + "-wal" }
}

/// A query parameter of a URI.
public struct URIParameter: Sendable, Equatable {
  public var key: String
  public var value: String

  public init(key: String, value: String) {
    self.key = key
    self.value = value
  }
}

extension [URIParameter] {
  /// The first value of a parameter.
  public func value(of key: String) -> String? { first { $0.key.hasSameBytes(as: key) }?.value }

  /// A parameter as a boolean, with the words that PRAGMAs take.
  public func boolean(_ key: String, default fallback: Bool) -> Bool {
    guard let value = value(of: key) else { return fallback }
    if let first = value.first, first.isASCII, first.isNumber {
      // SQLite keeps the low byte of a 32-bit number: 256 is false, and so is what does not fit.
      return (Self.number(value) ?? 0) & 0xff != 0
    }
    return switch value.lowercased() {
    case "on", "yes", "true": true
    case "off", "no", "false": false
    default: fallback
    }
  }

  /// The number that a text begins with, decimal or hexadecimal.
  private static func number(_ text: String) -> Int32? {
    guard text.hasPrefix("0x") || text.hasPrefix("0X") else {
      return Int32(text.prefix { $0.isASCII && $0.isNumber })
    }
    return Int32(text.dropFirst(2).prefix { $0.isASCII && $0.isHexDigit }, radix: 16)
  }
}
