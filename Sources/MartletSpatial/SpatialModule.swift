import MartletEngine

/// The modules `rtree` and `rtree_i32` (rtree §3.1, §5).
final class SpatialModule: VirtualTableModule {
  private let coordinates: CoordinateKind

  init(_ coordinates: CoordinateKind) { self.coordinates = coordinates }

  let abilities: VirtualTableAbilities = [.writing, .renaming, .integrity]

  func create(_ request: VirtualTableRequest) throws(SQLError) -> any VirtualTable {
    try RTree(request, coordinates, isNew: true)
  }

  func connect(_ request: VirtualTableRequest) throws(SQLError) -> any VirtualTable {
    try RTree(request, coordinates, isNew: false)
  }

  func isShadowName(_ suffix: String) -> Bool {
    ["node", "parent", "rowid"].contains(suffix.lowercased())
  }
}

/// What a table was declared with: how many dimensions it has, and what columns beside them.
struct SpatialDeclaration {
  let layout: NodeLayout
  let auxiliaryCount: Int

  private static let mostColumns = 100

  /// The declaration is handed to `declare` between the checks, whose order decides which error is
  /// reported.
  init(
    _ arguments: [String], _ coordinates: CoordinateKind,
    declare: (String) throws(SQLError) -> Void
  ) throws(SQLError) {
    guard arguments.count >= 3 else { throw .spatial("Too few columns for an rtree table") }
    guard arguments.count <= SpatialDeclaration.mostColumns else {
      throw .spatial("Too many columns for an rtree table")
    }
    var sql = "CREATE TABLE x(" + FirstToken.of(arguments[0]) + " INT"
    var coordinateCount = 0, auxiliaryCount = 0
    for argument in arguments.dropFirst() {
      if argument.utf8.first == UInt8(ascii: "+") {
        auxiliaryCount += 1
        sql += "," + FirstToken.of(String(argument.dropFirst()))
      } else if auxiliaryCount > 0 {
        throw .spatial("Auxiliary rtree columns must be last")
      } else {
        coordinateCount += 1
        sql += "," + FirstToken.of(argument) + (coordinates == .real ? " REAL" : " INT")
      }
    }
    sql += ");"
    try declare(sql)
    guard coordinateCount >= 2 else { throw .spatial("Too few columns for an rtree table") }
    guard coordinateCount <= 2 * NodeLayout.mostDimensions else {
      throw .spatial("Too many columns for an rtree table")
    }
    guard coordinateCount % 2 == 0 else {
      throw .spatial("Wrong number of columns for an rtree table")
    }
    layout = NodeLayout(dimensionCount: coordinateCount / 2, coordinates)
    self.auxiliaryCount = auxiliaryCount
  }
}

extension SQLError {
  static func spatial(_ message: String) -> SQLError { SQLError(.error, message) }

  /// A shadow table has what no R-tree writes.
  @inline(never)
  static var spatialCorrupt: SQLError { SQLError(.corruptVirtualTable) }
}

/// The first token of a column's definition, which is all that counts (rtree §3.1.1).
enum FirstToken {
  static func of(_ text: String) -> String {
    let bytes = Array(text.utf8)
    return String(decoding: bytes[..<length(bytes)], as: UTF8.self)
  }

  private static func length(_ bytes: [UInt8]) -> Int {
    guard let first = bytes.first else { return 0 }
    switch first {
    case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
      return quotedLength(bytes, first)
    case UInt8(ascii: "["):
      return (bytes.firstIndex(of: UInt8(ascii: "]")) ?? bytes.count - 1) + 1
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      return numberLength(bytes)
    default:
      if isSpace(first) { return bytes.prefix { isSpace($0) }.count }
      if first == UInt8(ascii: "x") || first == UInt8(ascii: "X"),
        let length = blobLength(bytes)
      {
        return length
      }
      if isName(first) { return bytes.prefix { isName($0) }.count }
      if "@#:?$".utf8.contains(first) {
        return 1 + bytes.dropFirst().prefix { isName($0) }.count
      }
      return operatorLength(bytes)
    }
  }

  private static func quotedLength(_ bytes: [UInt8], _ quote: UInt8) -> Int {
    var index = 1
    while index < bytes.count {
      if bytes[index] == quote {
        guard index + 1 < bytes.count, bytes[index + 1] == quote else { return index + 1 }
        index += 1
      }
      index += 1
    }
    return bytes.count
  }

  /// Numbers are no names: what they end with only decides where the error is.
  private static func numberLength(_ bytes: [UInt8]) -> Int {
    bytes.prefix { isName($0) || $0 == UInt8(ascii: ".") }.count
  }

  private static func blobLength(_ bytes: [UInt8]) -> Int? {
    guard bytes.count > 1, bytes[1] == UInt8(ascii: "'") else { return nil }
    let end = bytes.dropFirst(2).firstIndex(of: UInt8(ascii: "'"))
    return end.map { $0 + 1 } ?? bytes.count
  }

  private static func operatorLength(_ bytes: [UInt8]) -> Int {
    guard bytes.count > 1 else { return 1 }
    if bytes.starts(with: "--".utf8) { return bytes.prefix { $0 != 0x0a }.count }
    if bytes.starts(with: "/*".utf8), bytes.count > 2 { return commentLength(bytes) }
    let pair = String(decoding: bytes[..<2], as: UTF8.self)
    let pairs = ["==", "<=", "<>", "<<", ">=", ">>", "!=", "||", "->"]
    return pairs.contains(pair) ? 2 : 1
  }

  private static func commentLength(_ bytes: [UInt8]) -> Int {
    var index = 3
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "/"), bytes[index - 1] == UInt8(ascii: "*") {
        return index + 1
      }
      index += 1
    }
    return bytes.count
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0d).contains(byte) && byte != 0x0b
  }

  private static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...0xff:
      true
    default: false
    }
  }
}
