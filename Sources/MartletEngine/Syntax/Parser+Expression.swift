// Expressions by operator precedence (lang_expr §2).
//
// One loop takes operands and operators in turn. An operator whose right operand is not yet known
// waits in `pending` with its left operand; an operator that binds less or equally reduces it.
// Parentheses, unary operators and BETWEEN wait there too, so none of these nest on the machine's
// stack: only functions, CASE, IN and subqueries do.

/// How strongly an operator binds; equal ones group to the left, NOT and unary ones to the right.
enum BindingPower: UInt8, Comparable {
  /// Holds back every operator: an open parenthesis, BETWEEN before its AND.
  case barrier
  case or, and, not
  /// = == <> != IS IN LIKE GLOB MATCH REGEXP BETWEEN ISNULL NOTNULL
  case equality
  case comparison
  case escape
  case bitwise, additive, multiplicative
  /// || -> ->>
  case concat
  case collate
  case unary

  @inline(__always)
  static func < (left: BindingPower, right: BindingPower) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// An operator that waits for its right operand.
struct PendingOperator: BitwiseCopyable {
  enum Role: BitwiseCopyable {
    case parenthesis
    case prefix(UnaryOperator)
    case binary(BinaryOperator)
    case like(Like.Operator, isNegated: Bool)
    /// On top of the `like` that it belongs to.
    case escape
    case betweenLower(isNegated: Bool)
    /// On top of the `betweenLower` that it belongs to.
    case betweenUpper
  }

  let role: Role
  let power: BindingPower
  /// Symbols that it keeps open, see `Parser.open`.
  let weight: UInt8
  /// Where the expression that it makes begins.
  let start: Int32
  let left: Expression?
}

extension Parser {
  // Functions that are on the stack while an operand is parsed keep few values and leave the
  // making of nodes to functions that are not inlined: hosts give threads as little as 512 KB.

  mutating func parseExpression() throws(SQLError) -> Expression {
    let floor = pending.count
    nesting &+= 1
    if nesting > limits.expressionDepth { throw tooDeep() }
    while true {
      if try parsePrefix() { continue }
      var start = token.start
      var value = try parseOperand()
      if try parseOperators(&value, &start, floor) {
        nesting &-= 1
        return value
      }
    }
  }

  /// Takes a unary operator or a parenthesis that does not open a subquery.
  @inline(__always)
  private mutating func parsePrefix() throws(SQLError) -> Bool {
    switch token.kind {
    case .identifier, .integer, .variable, .string: return false
    case .minus, .plus, .tilde, .not, .leftParenthesis: return try pushPrefix()
    default: return false
    }
  }

  @inline(never)
  private mutating func pushPrefix() throws(SQLError) -> Bool {
    let start = token.start
    let role: PendingOperator.Role
    var power = BindingPower.unary
    switch token.kind {
    case .minus: role = .prefix(.minus)
    case .plus: role = .prefix(.plus)
    case .tilde: role = .prefix(.bitNot)
    case .not:
      role = .prefix(.not)
      power = .not
    default:
      if peek().kind.startsSelect { return false }
      role = .parenthesis
      power = .barrier
    }
    advance()
    try push(role, power, weight: 1, start, nil)
    return true
  }

  @inline(never)
  private mutating func push(
    _ role: PendingOperator.Role, _ power: BindingPower, weight: UInt8, _ start: Int,
    _ left: Expression?
  ) throws(SQLError) {
    try open(Int32(weight))
    pending.append(
      PendingOperator(
        role: role, power: power, weight: weight, start: Int32(truncatingIfNeeded: start),
        left: left), in: memory)
  }

  /// Takes what follows an operand. True if `value` is then the whole expression, false if an
  /// operand must follow.
  @inline(never)
  private mutating func parseOperators(
    _ value: inout Expression, _ start: inout Int, _ floor: Int
  ) throws(SQLError) -> Bool {
    while true {
      if try parseInfix(&value, &start, floor) { return false }
      if token.kind == .escape {
        try parseEscape(value, start, floor)
        return false
      }
      try reduce(&value, &start, to: floor, while: .or)
      if pending.count == floor { return true }
      try closeParenthesis(&value, &start)
    }
  }

  @inline(never)
  private mutating func closeParenthesis(
    _ value: inout Expression, _ start: inout Int
  ) throws(SQLError) {
    let top = pending[pending.count &- 1]
    guard case .parenthesis = top.role else { throw syntaxError() }
    start = Int(top.start)
    pending.removeLast()
    close(Int32(top.weight))
    if token.kind == .comma { value = try parseRow(first: value) }
    try expect(.rightParenthesis)
  }

  /// Takes the operator behind `value`. True if a right operand must follow, false if there is no
  /// further operator; postfix operators are applied on the way.
  @inline(__always)
  private mutating func parseInfix(
    _ value: inout Expression, _ start: inout Int, _ floor: Int
  ) throws(SQLError) -> Bool {
    while true {
      if let (binary, power) = token.kind.binaryOperator {
        if try parseBinary(binary, power, &value, &start, floor) { return true }
        continue
      }
      switch token.kind {
      case .is, .like, .glob, .regexp, .match, .between, .not, .in, .isnull, .notnull, .collate:
        if try parseWord(&value, &start, floor) { return true }
      default: return false
      }
    }
  }

  @inline(__always)
  private mutating func parseBinary(
    _ binary: BinaryOperator, _ power: BindingPower, _ value: inout Expression,
    _ start: inout Int, _ floor: Int
  ) throws(SQLError) -> Bool {
    try reduce(&value, &start, to: floor, while: power)
    advance()
    if binary == .and, isLowerBoundOnTop(floor) {
      try push(.betweenUpper, .equality, weight: 2, start, value)
      return true
    }
    guard token.kind.isSimpleOperand else {
      try push(.binary(binary), power, weight: 2, start, value)
      return true
    }
    // Most right operands are one token and complete: they need not wait.
    let rightStart = token.start
    let right = try parseOperand()
    if token.kind.bindsAtMost(power) {
      value = try makeBinary(binary, value, right, start)
    } else {
      try push(.binary(binary), power, weight: 2, start, value)
      value = right
      start = rightStart
    }
    return false
  }

  /// Operators that are words: those that take a right operand, and postfix ones.
  @inline(never)
  private mutating func parseWord(
    _ value: inout Expression, _ start: inout Int, _ floor: Int
  ) throws(SQLError) -> Bool {
    let word = token.kind
    try reduce(&value, &start, to: floor, while: word == .collate ? .collate : .equality)
    switch word {
    case .not: return try parseNegated(&value, start)
    case .in: value = try parseIn(value, start, isNegated: false)
    case .isnull, .notnull, .collate: value = try parsePostfix(value, start)
    default:
      try pushWord(value, start, isNegated: false)
      return true
    }
    return false
  }

  @inline(__always)
  private func isLowerBoundOnTop(_ floor: Int) -> Bool {
    guard pending.count > floor else { return false }
    if case .betweenLower = pending[pending.count &- 1].role { return true }
    return false
  }

  /// Operators that are words and take a right operand.
  @inline(never)
  private mutating func pushWord(
    _ value: Expression, _ start: Int, isNegated: Bool
  ) throws(SQLError) {
    let word = token.kind
    advance()
    switch word {
    case .like: try push(.like(.like, isNegated: isNegated), .equality, weight: 2, start, value)
    case .glob: try push(.like(.glob, isNegated: isNegated), .equality, weight: 2, start, value)
    case .regexp: try push(.like(.regexp, isNegated: isNegated), .equality, weight: 2, start, value)
    case .match: try push(.like(.match, isNegated: isNegated), .equality, weight: 2, start, value)
    case .between:
      try push(.betweenLower(isNegated: isNegated), .barrier, weight: 2, start, value)
    default:
      let (comparison, weight) = try parseIs()
      try push(.binary(comparison), .equality, weight: weight, start, value)
    }
  }

  /// What follows IS, up to the right operand.
  private mutating func parseIs() throws(SQLError) -> (BinaryOperator, weight: UInt8) {
    let isNegated = accept(.not)
    guard accept(.distinct) else { return isNegated ? (.isNot, 3) : (.is, 2) }
    try expect(.from)
    return isNegated ? (.isNotDistinctFrom, 5) : (.isDistinctFrom, 4)
  }

  /// NOT behind an operand. True if a right operand must follow.
  @inline(never)
  private mutating func parseNegated(
    _ value: inout Expression, _ start: Int
  ) throws(SQLError) -> Bool {
    advance()
    switch token.kind {
    case .null:
      value = try finishNotNull(value, start)
      return false
    case .in:
      value = try parseIn(value, start, isNegated: true)
      return false
    case .like, .glob, .regexp, .match, .between:
      try pushWord(value, start, isNegated: true)
      return true
    default: throw syntaxError()
    }
  }

  @inline(never)
  private mutating func finishNotNull(
    _ value: Expression, _ start: Int
  ) throws(SQLError) -> Expression {
    advance()
    return try make(.nullTest(value, isNegated: true), from: start, above: value.height)
  }

  @inline(never)
  private mutating func parsePostfix(
    _ value: Expression, _ start: Int
  ) throws(SQLError) -> Expression {
    let isNegated = token.kind == .notnull
    let isCollation = token.kind == .collate
    advance()
    if isCollation {
      let collation = try parsePlainNameOrString()
      return try make(.collate(value, collation), from: start, above: value.height)
    }
    return try make(.nullTest(value, isNegated: isNegated), from: start, above: value.height)
  }

  /// ESCAPE, if what is open is a LIKE whose pattern is complete.
  @inline(never)
  private mutating func parseEscape(
    _ value: Expression, _ start: Int, _ floor: Int
  ) throws(SQLError) {
    var value = value, start = start
    while pending.count > floor {
      let top = pending[pending.count &- 1]
      if case .like = top.role {
        advance()
        return try push(.escape, .equality, weight: 2, start, value)
      }
      if top.power == .barrier { break }
      try reduceTop(&value, &start)
    }
    throw syntaxError()
  }

  /// `(first, …)` behind its first item, up to the closing parenthesis.
  @inline(never)
  private mutating func parseRow(first: Expression) throws(SQLError) -> Expression {
    var items = TreeList<Expression>()
    items.append(first, in: memory)
    var height = first.height
    try open(3)
    while accept(.comma) { append(try parseExpression(), to: &items, &height) }
    close(3)
    return try makeRow(items, first, height)
  }

  @inline(never)
  private mutating func makeRow(
    _ items: TreeList<Expression>, _ first: Expression, _ height: Int32
  ) throws(SQLError) -> Expression {
    try make(.row(memory.list(items)), from: Int(first.range.start), above: height)
  }

  @inline(never)
  private mutating func makeBinary(
    _ binary: BinaryOperator, _ left: Expression, _ right: Expression, _ start: Int
  ) throws(SQLError) -> Expression {
    if binary == .and, left.isAlwaysFalse || right.isAlwaysFalse, !isRenaming, !left.hasCall,
      !right.hasCall
    {
      return zero(from: start)
    }
    return try make(
      .binary(binary, left, right), from: start, above: max(left.height, right.height))
  }

  /// What AND with something false is: nothing else of it is looked at any more, names included,
  /// unless functions are called (SQLite's sqlite3ExprAnd).
  private func zero(from start: Int) -> Expression {
    let digit: StaticString = "0"
    return Expression(
      .number(ByteSlice(start: digit.utf8Start, count: 1)), range: range(from: start), height: 1,
      in: memory)
  }
}

// Reducing
extension Parser {
  /// Makes the waiting operators whose right operand is complete when an operator of `power`
  /// follows: those that bind as strongly or more.
  @inline(__always)
  private mutating func reduce(
    _ value: inout Expression, _ start: inout Int, to floor: Int, while power: BindingPower
  ) throws(SQLError) {
    while pending.count > floor, pending[pending.count &- 1].power >= power {
      try reduceTop(&value, &start)
    }
  }

  @inline(never)
  private mutating func reduceTop(
    _ value: inout Expression, _ start: inout Int
  ) throws(SQLError) {
    let top = pending.removeLast()
    close(Int32(top.weight))
    start = Int(top.start)
    guard let left = top.left else {
      guard case .prefix(let unary) = top.role else { throw syntaxError() }
      value = try make(.unary(unary, value), from: start, above: value.height)
      return
    }
    let height = max(left.height, value.height)
    switch top.role {
    case .binary(let binary): value = try makeBinary(binary, left, value, start)
    case .like(let like, let isNegated):
      value = try make(
        .like(
          Kept(
            Like(like, isNegated: isNegated, text: left, pattern: value, escape: nil), in: memory)),
        from: start, above: height)
    default:
      value = try reducePair(left, value, height)
      start = Int(value.range.start)
    }
  }

  /// LIKE with ESCAPE, and BETWEEN: two entries make one node. `middle` is what stood on top.
  private mutating func reducePair(
    _ middle: Expression, _ last: Expression, _ height: Int32
  ) throws(SQLError) -> Expression {
    guard let lower = pending.last, let first = lower.left else { throw syntaxError() }
    pending.removeLast()
    close(Int32(lower.weight))
    let start = Int(lower.start)
    let height = max(height, first.height)
    switch lower.role {
    case .like(let like, let isNegated):
      return try make(
        .like(
          Kept(
            Like(like, isNegated: isNegated, text: first, pattern: middle, escape: last), in: memory
          )),
        from: start, above: height)
    case .betweenLower(let isNegated):
      return try make(
        .between(
          Kept(Between(first, lower: middle, upper: last, isNegated: isNegated), in: memory)),
        from: start, above: height)
    default: throw syntaxError()
    }
  }

  /// A node from `start` to the last token taken, over children of at most `height`.
  @inline(__always)
  mutating func make(
    _ kind: Expression.Kind, from start: Int, above height: Int32
  ) throws(SQLError) -> Expression {
    if height >= limits.expressionDepth { throw tooDeep() }
    return Expression(kind, range: range(from: start), height: height &+ 1, in: memory)
  }
}

extension TokenKind {
  /// SELECT, VALUES or WITH.
  @inline(__always)
  var startsSelect: Bool { self == .select || self == .values || self == .with }

  /// Begins an operand that is not a word of the grammar and no parenthesis.
  @inline(__always)
  fileprivate var isSimpleOperand: Bool {
    self == .identifier || self == .integer || self == .variable || self == .string
      || self == .float
  }

  /// True if an operator of `power` before an operand is complete when this token follows it.
  @inline(__always)
  fileprivate func bindsAtMost(_ power: BindingPower) -> Bool {
    if let (_, own) = binaryOperator { return own <= power }
    switch self {
    case .is, .like, .glob, .regexp, .match, .between, .in, .isnull, .notnull:
      return .equality <= power
    case .not: return .not < power
    case .collate, .escape: return false
    default: return true
    }
  }

  /// The operators that are one token and take two operands.
  @inline(__always)
  var binaryOperator: (BinaryOperator, BindingPower)? {
    switch self {
    case .equal: (.equal, .equality)
    case .notEqual: (.notEqual, .equality)
    case .and: (.and, .and)
    case .or: (.or, .or)
    case .less: (.less, .comparison)
    case .lessOrEqual: (.lessOrEqual, .comparison)
    case .greater: (.greater, .comparison)
    case .greaterOrEqual: (.greaterOrEqual, .comparison)
    case .plus: (.add, .additive)
    case .minus: (.subtract, .additive)
    case .star: (.multiply, .multiplicative)
    case .slash: (.divide, .multiplicative)
    case .percent: (.remainder, .multiplicative)
    case .concat: (.concat, .concat)
    case .arrow: (.extractJSON, .concat)
    case .longArrow: (.extractValue, .concat)
    case .ampersand: (.bitAnd, .bitwise)
    case .bar: (.bitOr, .bitwise)
    case .shiftLeft: (.shiftLeft, .bitwise)
    case .shiftRight: (.shiftRight, .bitwise)
    default: nil
    }
  }
}
