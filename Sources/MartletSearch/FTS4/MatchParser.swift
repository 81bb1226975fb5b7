// Queries of FTS3 and FTS4 in the enhanced syntax (fts3 §3.1):
//
//     query   = phrase | query AND query | query query | query OR query | query NOT query
//             | phrase NEAR[/n] phrase | ( query )
//     phrase  = [column:][^]token[*] | "[^]token[*] …"
import MartletEngine

/// Reads a query.
struct MatchParser {
  private let table: FTS4Table
  private let text: [UInt8]
  /// The column that MATCH stands behind; nil for the whole table.
  private let column: Int?
  private let language: Int64
  private var nesting = 0
  /// Where the first quotation mark or parenthesis stands behind what was looked at.
  private var nextMark = -1

  private static let deepestNesting = 1_000
  private static let usualDistance = 10

  /// - Returns: nil for a query without any term.
  /// - Throws: `error` for what is no query.
  static func parse(
    _ bytes: UnsafeRawBufferPointer, column: Int?, language: Int64, _ table: FTS4Table
  ) throws(SQLError) -> MatchExpression? {
    let text = Array(bytes[..<(bytes.firstIndex(of: 0) ?? bytes.count)])
    var parser = MatchParser(table: table, text: text, column: column, language: language)
    do throws(ParseError) {
      return try parser.parseWhole()
    } catch {
      switch error {
      case .malformed:
        let written = text.withUnsafeBytes { String(fileNameBytes: $0) }
        throw .search("malformed MATCH expression: [\(written)]")
      case .tooLarge:
        throw .search(
          "FTS expression tree is too large (maximum depth \(MatchExpression.deepest))")
      case .other(let error): throw error
      }
    }
  }

  private init(table: FTS4Table, text: [UInt8], column: Int?, language: Int64) {
    self.table = table
    self.text = text
    self.column = column
    self.language = language
  }

  private enum ParseError: Error {
    case malformed, tooLarge
    case other(SQLError)
  }

  /// What stands next in the text.
  private enum Node {
    case expression(MatchExpression)
    /// Nothing that counts; the text goes on.
    case nothing
    case end
  }

  private mutating func parseWhole() throws(ParseError) -> MatchExpression? {
    var offset = 0
    guard let expression = try parse(&offset) else {
      if nesting != 0 { throw .malformed }
      return nil
    }
    if nesting != 0 { throw .malformed }
    do throws(MatchExpression.ShapeError) {
      let balanced = try expression.balanced()
      try balanced.checkDepth()
      return balanced
    } catch {
      throw error == .malformed ? .malformed : .tooLarge
    }
  }

  /// Reads up to the end or a closing parenthesis.
  private mutating func parse(_ offset: inout Int) throws(ParseError) -> MatchExpression? {
    var root: MatchExpression?, previous: MatchExpression?
    var needsPhrase = true
    while true {
      let node: MatchExpression
      switch try nextNode(&offset) {
      case .expression(let new): node = new
      case .nothing: continue
      case .end:
        if root != nil && needsPhrase { throw .malformed }
        return root
      }
      let isOperand = node.kind == .phrase || node.left != nil
      if !isOperand && needsPhrase { throw .malformed }
      if isOperand && !needsPhrase, let last = previous {
        let and = MatchExpression(.and)
        MatchParser.insert(and, behind: last, &root)
        previous = and
      }
      if let last = previous {
        let isWrongLeft = node.kind == .near && !isOperand && last.kind != .phrase
        let isWrongRight = node.kind != .phrase && isOperand && last.kind == .near
        if isWrongLeft || isWrongRight { throw .malformed }
      }
      if !isOperand {
        if let last = previous { MatchParser.insert(node, behind: last, &root) }
      } else if root != nil {
        previous?.setRight(node)
      } else {
        root = node
      }
      needsPhrase = !isOperand
      previous = node
    }
  }

  /// Puts an operator behind an operand: above all that bind tighter, or as tight.
  private static func insert(
    _ node: MatchExpression, behind previous: MatchExpression, _ root: inout MatchExpression?
  ) {
    var split = previous
    while let parent = split.parent, parent.kind.rawValue <= node.kind.rawValue { split = parent }
    if let parent = split.parent {
      parent.setRight(node)
    } else {
      root = node
      node.parent = nil
    }
    node.setLeft(split)
  }

  // MARK: Nodes

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte &- 9 < 5 }

  /// A byte; 0 behind the end.
  private func byte(_ offset: Int) -> UInt8 { offset < text.count ? text[offset] : 0 }

  private mutating func nextNode(_ offset: inout Int) throws(ParseError) -> Node {
    let start = offset
    var first = offset
    while first < text.count, MatchParser.isSpace(text[first]) { first += 1 }
    guard first < text.count else { return .end }
    if let (node, end) = keyword(first) {
      offset = end
      return .expression(node)
    }
    switch text[first] {
    case UInt8(ascii: "\""):
      guard let end = text[(first + 1)...].firstIndex(of: UInt8(ascii: "\"")) else {
        throw .malformed
      }
      offset = end + 1
      return .expression(try phrase(first + 1..<end))
    case UInt8(ascii: "("):
      nesting += 1
      if nesting > MatchParser.deepestNesting { throw .malformed }
      offset = first + 1
      guard let inner = try parse(&offset) else { return .nothing }
      return .expression(inner)
    case UInt8(ascii: ")"):
      nesting -= 1
      offset = first + 1
      return .end
    default: return try tokenNode(start, first, &offset)
    }
  }

  private func keyword(_ first: Int) -> (MatchExpression, Int)? {
    let keywords: [(StaticString, MatchExpression.Kind)] = [
      ("OR", .or), ("AND", .and), ("NOT", .not), ("NEAR", .near),
    ]
    for (word, kind) in keywords {
      let count = word.utf8CodeUnitCount
      guard text.count - first >= count,
        (0..<count).allSatisfy({ text[first + $0] == word.utf8Start[$0] })
      else { continue }
      var end = first + count, distance = MatchParser.usualDistance
      if kind == .near, byte(end) == UInt8(ascii: "/"), byte(end + 1) &- 0x30 < 10,
        let (number, numberEnd) = distanceNumber(end + 1)
      {
        distance = number
        end = numberEnd
      }
      let next = byte(end)
      guard MatchParser.isSpace(next) || next == 0 || "\"()".utf8.contains(next) else { continue }
      return (MatchExpression(kind, distance: distance), end)
    }
    return nil
  }

  private func distanceNumber(_ start: Int) -> (Int, Int)? {
    var number = 0, offset = start
    while byte(offset) &- 0x30 < 10 {
      number = number * 10 + Int(byte(offset) & 15)
      if number > Int(Int32.max) { return nil }
      offset += 1
    }
    return (number, offset)
  }

  private mutating func tokenNode(
    _ start: Int, _ first: Int, _ offset: inout Int
  ) throws(ParseError) -> Node {
    var column = column, begin = start
    for (index, name) in table.declaration.columns.enumerated() {
      let end = first + name.utf8.count
      guard end < text.count, text[end] == UInt8(ascii: ":"),
        name.utf8.elementsEqual(
          text[first..<end], by: { ASCIILetters.lower($0) == ASCIILetters.lower($1) })
      else { continue }
      column = index
      begin = end + 1
      break
    }
    if nextMark < begin {
      nextMark = text[begin...].firstIndex { "\"()".utf8.contains($0) } ?? text.count
    }
    let end = nextMark
    guard let found = try tokens(begin..<end, atMost: 1).first else {
      offset = end
      return end > begin ? .nothing : .end
    }
    var token = QueryToken(text: found.text)
    var tokenEnd = begin + found.range.upperBound
    if tokenEnd < text.count, text[tokenEnd] == UInt8(ascii: "*") {
      token.isPrefix = true
      tokenEnd += 1
    }
    let before = begin + found.range.lowerBound - 1
    if table.declaration.isFTS4, before >= begin, text[before] == UInt8(ascii: "^") {
      token.isFirst = true
    }
    offset = tokenEnd
    return .expression(MatchExpression(.phrase, phrase: MatchPhrase([token], column: column)))
  }

  private func phrase(_ range: Range<Int>) throws(ParseError) -> MatchExpression {
    let found = try tokens(range, atMost: .max)
    let tokens = found.map { token in
      let end = range.lowerBound + token.range.upperBound
      let before = range.lowerBound + token.range.lowerBound - 1
      return QueryToken(
        text: token.text,
        isPrefix: end < range.upperBound && text[end] == UInt8(ascii: "*"),
        isFirst: before >= range.lowerBound && text[before] == UInt8(ascii: "^"))
    }
    return MatchExpression(.phrase, phrase: MatchPhrase(tokens, column: column))
  }

  /// Tokens of a part of the text, and where they are in it.
  private func tokens(
    _ range: Range<Int>, atMost most: Int
  ) throws(ParseError) -> [(text: [UInt8], range: Range<Int>)] {
    var tokens: [(text: [UInt8], range: Range<Int>)] = []
    do throws(SQLError) {
      try text.withBytes { text throws(SQLError) in
        let bytes = UnsafeRawBufferPointer(rebasing: text[range])
        try table.tokenize(bytes, language: language, isWhole: true) {
          token, start, end, _ throws(SQLError) in
          // The rest of a long query is not looked at for each of its words.
          if tokens.count == most { throw SQLError(.done) }
          let low = min(max(0, start), bytes.count)
          tokens.append((Array(token), low..<min(max(low, end), bytes.count)))
        }
      }
    } catch {
      if error.code != .done || tokens.count < most { throw .other(error) }
    }
    return tokens
  }
}
