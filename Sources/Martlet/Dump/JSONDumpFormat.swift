import Foundation

/// Rows as objects of JSON, in an array for each statement.
public struct JSONDumpFormat: DumpFormat, Sendable {
  /// Infinite numbers become strings, slashes stay.
  public static var defaultEncoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    encoder.outputFormatting = .withoutEscapingSlashes
    return encoder
  }

  /// Encodes values. Of its formatting, pretty printing is honoured.
  public var encoder: JSONEncoder
  private var isFirst = true

  /// Makes a format.
  public init(encoder: JSONEncoder = JSONDumpFormat.defaultEncoder) { self.encoder = encoder }

  private var isPretty: Bool { encoder.outputFormatting.contains(.prettyPrinted) }

  /// Writes a row.
  public mutating func writeRow(
    _ db: Database, statement: Statement, to stream: inout DumpStream
  ) throws {
    if isFirst {
      isFirst = false
      stream.write(isPretty ? "[\n" : "[")
    } else {
      stream.write(",\n")
    }
    var members: [String] = []
    for (name, value) in zip(statement.dumpedNames, statement.currentValues) {
      members.append(try text(name) + ":" + text(value))
    }
    stream.write(
      isPretty
        ? "  {\n" + members.map { "    " + $0 }.joined(separator: ",\n") + "\n  }"
        : "{" + members.joined(separator: ",") + "}")
  }

  /// Closes the array.
  public mutating func finalize(
    _ db: Database, statement: Statement, to stream: inout DumpStream
  ) {
    if !isFirst {
      stream.write(isPretty ? "\n]\n" : "]\n")
    } else if statement.columnCount > 0 {
      stream.write("[]\n")
    }
    isFirst = true
  }

  private func text(_ value: some Encodable) throws -> String {
    String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private func text(_ value: DatabaseValue) throws -> String {
    switch value.storage {
    case .null: "null"
    case .int64(let value): "\(value)"
    case .double(let value): try text(value)
    case .string(let value): try text(value)
    case .blob(let data): try text(data)
    }
  }
}

extension DumpFormat where Self == JSONDumpFormat {
  /// Rows as objects of JSON.
  public static func json(encoder: JSONEncoder = JSONDumpFormat.defaultEncoder) -> Self {
    JSONDumpFormat(encoder: encoder)
  }
}
