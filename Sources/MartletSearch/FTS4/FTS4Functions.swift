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
    guard let row else { return }
    var offsets = OffsetList(cursor, evaluation, cursor.workspace)
    cursor.workspace = FTS4Workspace()
    defer { cursor.workspace = offsets.workspace }
    try offsets.read(row)
    if offsets.workspace.text.isEmpty { return }
    try offsets.workspace.text.withBytes { bytes throws(SQLError) in
      try call.setResult(text: bytes)
    }
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
      cursor, evaluation, open: marks[0], close: marks[1], ellipsis: marks[2])
    try snippet.build(row, column: column < 0 ? nil : column, tokenCount: tokenCount)
    guard let text = snippet.text else { return }
    try text.withBytes { bytes throws(SQLError) in try call.setResult(text: bytes) }
  }

  private static let defaultFormat: StaticString = "pcx"

  static func matchInfo(_ call: borrowing FunctionInvocation) throws(SQLError) {
    let cursor = try cursor(call, "matchinfo")
    var format = UnsafeRawBufferPointer(start: defaultFormat.utf8Start, count: 3)
    if call.count > 1, call.type(1) != .null {
      let bytes = try call.bytes(1)
      format = UnsafeRawBufferPointer(
        rebasing: bytes[..<(bytes.firstIndex(of: 0) ?? bytes.count)])
    }
    guard let evaluation = cursor.evaluation else {
      return try call.setResult(blob: [])
    }
    let info = try cursor.matchInfo(evaluation, format)
    try call.setResult(blob: info.bytes)
  }

  static func optimize(_ call: borrowing FunctionInvocation) throws(SQLError) {
    let cursor = try cursor(call, "optimize")
    let connection = cursor.table.connection
    try connection.execute("SAVEPOINT fts3")
    let isMerged: Bool
    do throws(SQLError) {
      isMerged = try cursor.table.index.optimize()
      try connection.execute("RELEASE fts3")
    } catch {
      // The error counts, not that it may have ended the transaction, and the savepoint with it.
      do throws(SQLError) {
        try connection.execute("ROLLBACK TO fts3")
        try connection.execute("RELEASE fts3")
      } catch {}
      throw SQLError(error.code)
    }
    try call.setResult(text: isMerged ? "Index optimized" : "Index already optimal")
  }
}

/// The result of `offsets` (fts3 §4.1).
struct OffsetList {
  private let table: FTS4Table
  private let evaluation: MatchEvaluation
  private let language: Int64
  private(set) var workspace: FTS4Workspace

  init(_ cursor: FTS4Cursor, _ evaluation: MatchEvaluation, _ workspace: FTS4Workspace) {
    table = cursor.table
    language = cursor.language
    self.evaluation = evaluation
    self.workspace = workspace
    self.workspace.text.removeAll(keepingCapacity: true)
  }

  mutating func read(_ row: Statement) throws(SQLError) {
    for node in evaluation.matchablePhrases {
      node.phrase?.doclist.loadForOffsets(isAtEnd: node.isAtEnd)
    }
    for column in 0..<table.columnCount where row.columnType(column + 1) != .null {
      try read(column, table.text(of: row, column))
    }
    // There is a blank behind each number.
    if !workspace.text.isEmpty { workspace.text.removeLast() }
  }

  private mutating func read(
    _ column: Int, _ bytes: UnsafeRawBufferPointer
  ) throws(SQLError) {
    try findTokens(in: column)
    let count = workspace.wanted.count
    if count == 0 { return }
    var next = 0
    // Taken out for the time of the loop, so that it changes them in place.
    var text = workspace.text, wanted = workspace.wanted
    workspace.text = []
    workspace.wanted = []
    try table.tokenizeUpTo(bytes, language: language) { start, end, position in
      while next < count, wanted[next] >> 32 <= Int64(position) {
        text.append(decimal: column)
        text.append(decimal: Int(wanted[next] & 0xffff_ffff))
        text.append(decimal: start)
        text.append(decimal: end - start)
        next += 1
      }
      return next < count
    }
    wanted.removeAll(keepingCapacity: true)
    swap(&workspace.text, &text)
    swap(&workspace.wanted, &wanted)
    if next < count && table.declaration.content == nil { throw .searchCorrupt }
  }

  /// Finds the tokens of a column that are part of a match, in their order.
  private mutating func findTokens(in column: Int) throws(SQLError) {
    workspace.wanted.removeAll(keepingCapacity: true)
    var number = 0
    for node in evaluation.matchablePhrases {
      let count = node.phrase?.tokens.count ?? 0
      for place in try evaluation.places(of: node)
      where PositionList.column(place) == column {
        for token in 0..<count {
          let position = PositionList.position(place) - (count - 1 - token)
          workspace.wanted.append(Int64(position) << 32 | Int64(number + token))
        }
      }
      number += count
    }
    workspace.wanted.sort()
  }
}

extension [UInt8] {
  /// Adds a number that is not negative, and a blank.
  fileprivate mutating func append(decimal number: Int) {
    var rest = UInt(bitPattern: number), digits: UInt64 = 0, count = 0
    repeat {
      digits = digits << 4 | UInt64(rest % 10)
      rest /= 10
      count += 1
    } while rest > 0 && count < 16
    for _ in 0..<count {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digits & 15))
      digits >>= 4
    }
    append(UInt8(ascii: " "))
  }
}
