// The functions that tell where a query matches (fts3 §4).
import MartletEngine

extension FTS4Table: FunctionOverloading {
  func function(named name: String, argumentCount: Int) -> OverloadedFunction? {
    switch String(decoding: name.utf8.map(ASCIILetters.lower), as: UTF8.self) {
    case "snippet": OverloadedFunction { call throws(SQLError) in try FTS4Functions.snippet(call) }
    case "offsets": OverloadedFunction { call throws(SQLError) in try FTS4Functions.offsets(call) }
    case "optimize":
      OverloadedFunction { call throws(SQLError) in try FTS4Functions.optimize(call) }
    case "matchinfo":
      OverloadedFunction { call throws(SQLError) in try FTS4Functions.matchInfo(call) }
    default: nil
    }
  }
}

enum FTS4Functions {
  private static func cursor(
    _ call: borrowing FunctionInvocation, _ name: String
  ) throws(SQLError) -> FTS4Cursor {
    let place = call.pointer(0, type: FTS4Cursor.pointerType) as? FTS4CursorPlace
    guard let cursor = place?.cursor else {
      throw .search("illegal first argument to \(name)")
    }
    return cursor
  }

  static func offsets(_ call: borrowing FunctionInvocation) throws(SQLError) {
    let cursor = try cursor(call, "offsets")
    let row = try cursor.row()
    guard let evaluation = cursor.evaluation else { return try call.setResult(text: "") }
    var offsets = OffsetList(cursor.table, evaluation)
    if let row { try offsets.read(row) }
    if !offsets.text.isEmpty { try call.setResult(text: offsets.text) }
  }

  static func snippet(_ call: borrowing FunctionInvocation) throws(SQLError) {
    let cursor = try cursor(call, "snippet")
    guard call.count <= 6 else {
      throw .search("wrong number of arguments to function snippet()")
    }
    var marks: [[UInt8]] = ["<b>", "</b>", "<b>...</b>"].map { Array($0.utf8) }
    for index in 1..<4 where call.count > index {
      guard call.type(index) != .null else { throw SQLError(.outOfMemory) }
      let bytes = try call.bytes(index)
      marks[index - 1] = Array(bytes[..<(bytes.firstIndex(of: 0) ?? bytes.count)])
    }
    let column = call.count > 4 ? Int(Int32(truncatingIfNeeded: call.int64(4))) : -1
    let tokenCount = call.count > 5 ? Int(Int32(truncatingIfNeeded: call.int64(5))) : 15
    if tokenCount == 0 { return try call.setResult(text: "") }
    let row = try cursor.row()
    guard let evaluation = cursor.evaluation else { return try call.setResult(text: "") }
    var snippet = Snippet(
      cursor.table, evaluation, open: marks[0], close: marks[1], ellipsis: marks[2])
    try snippet.build(row, column: column < 0 ? nil : column, tokenCount: tokenCount)
    guard let text = snippet.text else { return }
    try text.withBytes { bytes throws(SQLError) in try call.setResult(text: bytes) }
  }

  static func matchInfo(_ call: borrowing FunctionInvocation) throws(SQLError) {
    let cursor = try cursor(call, "matchinfo")
    var format = Array("pcx".utf8)
    if call.count > 1, call.type(1) != .null { format = Array(try call.bytes(1)) }
    guard let evaluation = cursor.evaluation else {
      return try call.setResult(blob: [])
    }
    var info = MatchInfo(cursor, evaluation)
    try info.add(format)
    try call.setResult(blob: info.bytes)
  }

  static func optimize(_ call: borrowing FunctionInvocation) throws(SQLError) {
    let cursor = try cursor(call, "optimize")
    let connection = cursor.table.connection
    try connection.execute("SAVEPOINT fts3")
    do throws(SQLError) {
      let isMerged = try cursor.table.index.optimize()
      try connection.execute("RELEASE fts3")
      try call.setResult(text: isMerged ? "Index optimized" : "Index already optimal")
    } catch {
      try connection.execute("ROLLBACK TO fts3")
      try connection.execute("RELEASE fts3")
      throw SQLError(error.code)
    }
  }
}

/// The result of `offsets` (fts3 §4.1).
struct OffsetList {
  private let table: FTS4Table
  private let evaluation: MatchEvaluation
  private(set) var text = ""

  init(_ table: FTS4Table, _ evaluation: MatchEvaluation) {
    self.table = table
    self.evaluation = evaluation
  }

  mutating func read(_ row: Statement) throws(SQLError) {
    for node in evaluation.matchablePhrases {
      node.phrase?.doclist.loadForOffsets(isAtEnd: node.isAtEnd)
    }
    for column in 0..<table.columnCount where row.columnType(column + 1) != .null {
      try read(column, table.text(of: row, column))
    }
    // There is a blank behind each number.
    if !text.isEmpty { text.removeLast() }
  }

  private mutating func read(
    _ column: Int, _ bytes: UnsafeRawBufferPointer
  ) throws(SQLError) {
    var found = wantedTokens(in: column)
    guard !found.isEmpty else { return }
    found.sort { ($0.position, $0.number) < ($1.position, $1.number) }
    var next = 0, position = 0
    var text = text
    try table.tokenize(bytes, isWhole: true) { _, start, end throws(SQLError) in
      while next < found.count, found[next].position <= position {
        text += "\(column) \(found[next].number) \(start) \(end - start) "
        next += 1
      }
      position += 1
    }
    self.text = text
    if next < found.count && table.declaration.content == nil { throw .searchCorrupt }
  }

  private func wantedTokens(in column: Int) -> [(position: Int, number: Int)] {
    var found: [(position: Int, number: Int)] = []
    var number = 0
    for node in evaluation.matchablePhrases {
      let count = node.phrase?.tokens.count ?? 0
      for place in evaluation.places(of: node) where PositionList.column(place) == column {
        for token in 0..<count {
          found.append((PositionList.position(place) - (count - 1 - token), number + token))
        }
      }
      number += count
    }
    return found
  }
}
