import Foundation

/// A line of a CSV file whose first line names the columns.
struct CSVLine {
  let number: Int
  fileprivate let columns: [String: Int]
  fileprivate let fields: [String]

  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  subscript(_ column: String) -> String {
    get throws {
      guard let index = columns[column], fields.indices.contains(index) else {
        throw Problem(description: "line \(number) has no column \(column)")
      }
      return fields[index]
    }
  }

  func number(_ column: String) throws -> Double {
    let text = try self[column]
    guard let value = Double(text) else {
      throw Problem(description: "line \(number): \(column) is no number: \(text)")
    }
    return value
  }

  /// Reads a file: fields may stand in double quotes, and then have commas and line ends (RFC 4180).
  static func read(_ path: String) throws -> [CSVLine] {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    var rows: [[String]] = [], fields: [String] = [], field = "", isQuoted = false
    var characters = text.makeIterator(), next = characters.next()
    while let character = next {
      next = characters.next()
      switch character {
      case "\"" where isQuoted && next == "\"":
        field.append("\"")
        next = characters.next()
      case "\"": isQuoted.toggle()
      case "," where !isQuoted:
        fields.append(field)
        field = ""
      case "\n" where !isQuoted, "\r\n" where !isQuoted:
        rows.append(fields + [field])
        fields = []
        field = ""
      default: field.append(character)
      }
    }
    if !field.isEmpty || !fields.isEmpty { rows.append(fields + [field]) }
    guard let names = rows.first else { return [] }
    let columns = Dictionary(zip(names, names.indices)) { first, _ in first }
    return rows.dropFirst().enumerated().map {
      CSVLine(number: $0.offset + 2, columns: columns, fields: $0.element)
    }
  }
}
