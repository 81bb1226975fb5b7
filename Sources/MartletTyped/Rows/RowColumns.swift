import MartletEngine

/// The columns of a query's rows: how expressions find theirs.
@usableFromInline
final class RowColumns: Sendable {
  /// As they stand in the query, from left to right.
  @usableFromInline let names: [String]
  /// By name, where there are too many to look through them.
  private let places: [ExactText: Int]

  /// More columns than that are found by a dictionary.
  private static let longestList = 12

  init(_ names: [String]) {
    self.names = names
    var places: [ExactText: Int] = [:]
    if names.count > RowColumns.longestList {
      for (place, name) in names.enumerated().reversed() { places[ExactText(name)] = place }
    }
    self.places = places
  }

  /// The column of an expression: that of the same text, or the only one whose name ends with it.
  @usableFromInline
  func place(of template: String) throws -> Int {
    if places.isEmpty {
      for place in names.indices where names[place].hasSameBytes(as: template) { return place }
    } else if let place = places[ExactText(template)] {
      return place
    }
    return try place(endingWith: template)
  }

  private func place(endingWith template: String) throws -> Int {
    let suffix = ("." + template).utf8
    let similar = names.indices.filter { names[$0].utf8.suffix(suffix.count).elementsEqual(suffix) }
    guard let place = similar.first else {
      throw QueryError.noSuchColumn(name: template, columns: names.sorted())
    }
    guard similar.count == 1 else {
      throw QueryError.ambiguousColumn(name: template, similar: similar.map { names[$0] }.sorted())
    }
    return place
  }

  /// The column of a property, nil if there is none.
  func place(ofKey key: String) -> Int? {
    for place in names.indices where names[place].isQuoted(key) { return place }
    return try? place(of: key.quotedIdentifier)
  }
}

extension String {
  /// It is the other one in double quotes, none of which had to be doubled.
  fileprivate func isQuoted(_ name: String) -> Bool {
    guard utf8.count == name.utf8.count + 2 else { return false }
    var quoted = self, name = name
    return quoted.withUTF8 { quoted in
      name.withUTF8 { name in
        for index in name.indices {
          if name[index] != quoted[index + 1] || name[index] == UInt8(ascii: "\"") { return false }
        }
        return true
      }
    }
  }
}
