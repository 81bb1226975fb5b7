/// Programs of statements that differ in some of their literals only.
///
/// Dumps, and applications that write values into the text, prepare thousands of statements that
/// are alike but for literals. From the second one on they share a program that has parameters in
/// place of these. No plan may depend on the literals that are replaced: they are the values of
/// INSERT and SET, and what WHERE compares with.
final class TemplateCache {
  private static let templateCount = 16

  @exclusivity(unchecked) private var templates: [StatementTemplate] = []
  /// What each template has before its first literal.
  @exclusivity(unchecked) private var starts: [ByteSlice] = []
  @exclusivity(unchecked) private var oldest = 0

  /// The first template from `index` on that has the start of the text.
  func firstCandidate(_ text: UnsafeBufferPointer<UInt8>, from index: Int = 0) -> Int? {
    guard let bytes = text.baseAddress else { return nil }
    for candidate in index..<starts.count {
      let start = starts[candidate]
      if start.count < text.count, Memory.compare(start.start, bytes, start.count) == 0 {
        return candidate
      }
    }
    return nil
  }

  /// The template that the text is like, and the end of the statement in the text.
  func find(_ text: SQLText, from first: Int) -> (template: StatementTemplate, end: Int)? {
    let bytes = UnsafeBufferPointer(start: text.start, count: text.count)
    var candidate: Int? = first
    while let index = candidate {
      if let end = templates[index].match(text) { return (templates[index], end) }
      candidate = firstCandidate(bytes, from: index + 1)
    }
    return nil
  }

  /// Notes a statement that others may be like.
  func keep(_ parsed: ParsedStatement) {
    guard parsed.explain == .none, parsed.parameterCount == 0,
      parsed.text.count <= ProgramCache.longestText
    else { return }
    let literals = parsed.templateLiterals
    guard let first = literals.first else { return }
    // One that was like a template would have used its program, if there was one.
    if templates.contains(where: { $0.match(parsed.text) != nil }) { return }
    let template = StatementTemplate(parsed, literals)
    let start = ByteSlice(start: parsed.text.start, count: Int(first.range.start))
    if templates.count < TemplateCache.templateCount {
      templates.append(template)
      starts.append(start)
    } else {
      templates[oldest] = template
      starts[oldest] = start
      oldest = (oldest + 1) % TemplateCache.templateCount
    }
  }

  /// Forgets the programs that were made for other schemas; what statements look like stays.
  func removePrograms(exceptOf catalog: Catalog) {
    for template in templates where template.catalog !== catalog { template.forgetProgram() }
  }

  func removeAll() {
    templates = []
    starts = []
    oldest = 0
  }
}

/// A statement whose literals may be replaced.
final class StatementTemplate {
  /// A literal that is replaced.
  struct Literal: BitwiseCopyable {
    let range: ByteRange
    /// Only a token of that kind may stand in its place, and no number that is common; nil: any
    /// literal may.
    let kind: TokenKind?
  }

  let text: SQLText
  /// First token to last token.
  let range: ByteRange
  let literalCount: Int
  private let literals: UnsafeMutablePointer<Literal>
  /// What stood in the places of the literals in the text that was matched last.
  let found: UnsafeMutablePointer<LiteralToken>
  /// The program with parameters, once there was a second statement; nil where there can be none.
  @exclusivity(unchecked) fileprivate var program: Program?
  /// What the program was to be made for.
  @exclusivity(unchecked) fileprivate var catalog: Catalog?

  fileprivate init(_ parsed: ParsedStatement, _ literals: [Literal]) {
    text = parsed.text
    range = parsed.range
    literalCount = literals.count
    self.literals = .allocate(capacity: literalCount)
    found = .allocate(capacity: literalCount)
    for (index, literal) in literals.enumerated() {
      (self.literals + index).initialize(to: literal)
    }
  }

  fileprivate func forgetProgram() {
    program = nil
    catalog = nil
  }

  deinit {
    literals.deallocate()
    found.deallocate()
  }

  /// The end of the statement in a text that differs in the literals only.
  fileprivate func match(_ other: SQLText) -> Int? {
    var known = 0, offset = 0
    for index in 0..<literalCount {
      let literal = literals[index]
      let count = Int(literal.range.start) &- known
      guard offset &+ count < other.count,
        Memory.compare(text.start + known, other.start + offset, count) == 0,
        let token = LiteralToken(other, at: offset &+ count), literal.admits(token, in: other)
      else { return nil }
      (found + index).initialize(to: token)
      known = Int(literal.range.end)
      offset = token.end
    }
    let count = Int(range.end) &- known
    guard offset &+ count <= other.count,
      Memory.compare(text.start + known, other.start + offset, count) == 0
    else { return nil }
    let next = Tokenizer.token(other.start, from: offset &+ count).kind
    return next == .semicolon || next == .endOfText ? offset &+ count : nil
  }

  /// The statement with parameters for the literals.
  fileprivate func makeText() throws(SQLError) -> SQLText {
    var bytes: [UInt8] = []
    var offset = 0
    for literal in UnsafeBufferPointer(start: literals, count: literalCount) {
      bytes += UnsafeBufferPointer(
        start: text.start + offset, count: Int(literal.range.start) - offset)
      bytes.append(UInt8(ascii: "?"))
      offset = Int(literal.range.end)
    }
    bytes += UnsafeBufferPointer(start: text.start + offset, count: Int(range.end) - offset)
    let text = bytes.withUnsafeBufferPointer { bytes in
      Result { () throws(SQLError) in try SQLText(copying: bytes) }
    }
    return try text.get()
  }
}

extension StatementTemplate.Literal {
  fileprivate func admits(_ token: LiteralToken, in text: SQLText) -> Bool {
    guard let kind else { return true }
    guard token.kind == kind else { return false }
    return kind != .integer || !token.isCommonInteger(in: text)
  }
}

extension ParsedStatement {
  /// The literals that may be replaced by parameters, in their order; none where the statement has
  /// something that may be planned by them.
  fileprivate var templateLiterals: [StatementTemplate.Literal] {
    var literals: [StatementTemplate.Literal] = []
    switch statement {
    case .insert(let insert):
      guard insert.with == nil, let source = insert.source, source.with == nil,
        source.cores.count == 1, case .values(let rows) = source.cores[0]
      else { return [] }
      for row in rows {
        for value in row { value.addValues(&literals) }
      }
    case .update(let update):
      guard update.with == nil, update.from.isEmpty else { return [] }
      for assignment in update.assignments { assignment.value.addValues(&literals) }
      update.whereClause?.addCompared(&literals, text)
    case .delete(let delete):
      guard delete.with == nil else { return [] }
      delete.whereClause?.addCompared(&literals, text)
    case .select(let select):
      guard select.with == nil, select.cores.count == 1, case .select(let core) = select.cores[0]
      else { return [] }
      core.whereClause?.addCompared(&literals, text)
    default: return []
    }
    // What stands before a literal must not make another token with the beginning of another one.
    return literals.filter { literal in
      let before = text.start[Int(literal.range.start) - 1]
      return !CharacterTraits(before).continuesWord && before != UInt8(ascii: "-")
    }
  }
}

extension Expression {
  /// NULL, a string, a blob, or a number with or without a minus.
  fileprivate var isLiteral: Bool {
    switch kind {
    case .null, .number, .string, .blob: return true
    case .unary(.minus, let operand):
      if case .number = operand.kind { return true }
      return false
    default: return false
    }
  }

  /// Adds the literals that a value is, or is computed from.
  fileprivate func addValues(_ literals: inout [StatementTemplate.Literal]) {
    if isLiteral {
      literals.append(.init(range: range, kind: nil))
      return
    }
    guard case .binary(let operation, let left, let right) = kind else { return }
    switch operation {
    case .add, .subtract, .multiply, .divide, .remainder, .concat:
      left.addValues(&literals)
      right.addValues(&literals)
    default: return
    }
  }

  /// Adds the literals that something else is compared with, in conditions that AND and NOT join.
  /// Where OR joins them, `x = 5 OR x > 5` is planned as `x >= 5`.
  fileprivate func addCompared(
    _ literals: inout [StatementTemplate.Literal], _ text: SQLText
  ) {
    switch kind {
    case .binary(.and, let left, let right):
      left.addCompared(&literals, text)
      right.addCompared(&literals, text)
    case .unary(.not, let operand): operand.addCompared(&literals, text)
    case .binary(let comparison, let left, let right):
      switch comparison {
      case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: break
      default: return
      }
      if left.isComparable { right.addOperand(&literals, text) }
      if right.isComparable { left.addOperand(&literals, text) }
    case .between(let between):
      guard between.object.operand.isComparable else { return }
      between.object.lower.addOperand(&literals, text)
      between.object.upper.addOperand(&literals, text)
    case .inList(let operand, let items, _):
      guard operand.isComparable else { return }
      for item in items { item.addOperand(&literals, text) }
    default: break
    }
  }

  /// A column, or something that is computed, of columns as a rule.
  private var isComparable: Bool {
    switch kind {
    case .function, .binary, .collate, .cast, .subquery: true
    default: isColumn
    }
  }

  private func addOperand(
    _ literals: inout [StatementTemplate.Literal], _ text: SQLText
  ) {
    guard isLiteral, let token = LiteralToken(text, at: Int(range.start)),
      token.end == Int(range.end), token.kind != .null,
      token.kind != .integer || !token.isCommonInteger(in: text)
    else { return }
    literals.append(.init(range: range, kind: token.kind))
  }
}

extension Connection {
  /// Whether programs that are compiled now are good for later statements, and those of earlier
  /// ones for this.
  ///
  /// That foreign keys are deferred is over with the transaction, without a word to programs. Those
  /// that count what their loops do are for the statement alone.
  var sharesPrograms: Bool {
    hooks.authorizer == nil
      && settings.flags.isDisjoint(with: [.defersForeignKeys, .measuresScans])
      // What virtual tables may do in defensive mode is not for the application's statements.
      && (!isDefensive || protectsShadowTables)
  }

  /// The statement that `text` begins with, if the program of an earlier one does for it.
  func prepare(
    likeEarlier text: SQLText, from candidate: Int
  ) throws(SQLError) -> (statement: Statement?, consumed: Int)? {
    guard settings.flags.isDisjoint(with: [.hasStablePlans, .refusesComments]),
      let (template, end) = programs.templates.find(text, from: candidate)
    else { return nil }
    if template.catalog !== catalog {
      compile(template)
      // That may have asked the application, which may have prepared something like it.
      guard template.match(text) != nil else { return nil }
    }
    guard let program = template.program else { return nil }
    let statement = try Statement(
      connection: self,
      source: StatementSource(
        text: text, range: ByteRange(start: template.range.start, end: Int32(end)),
        literalCount: template.literalCount),
      program: program)
    let reader = LiteralReader(text: text, encoding: program.encoding, lengthLimit: lengthLimit)
    let parameters = statement.vm.parameters + 1
    for index in 0..<template.literalCount {
      guard try reader.read(template.found[index], into: parameters + index) else { return nil }
    }
    return (statement, Tokenizer.token(text.start, from: end).end)
  }

  /// Makes the program with parameters. Where it cannot be made, the statement itself says what is
  /// wrong when it is compiled.
  private func compile(_ template: StatementTemplate) {
    template.program = nil
    template.catalog = catalog
    do throws(SQLError) {
      guard let parsed = try Parser.parse(try template.makeText()) else { return }
      let program = try compile(parsed)
      // Where the values of parameters decide about the plan, literals do.
      if program.planParameters != 0 || program.isForItsLiterals
        || !program.tables.virtualScans.isEmpty || program.tables.dependsOnApplication
      {
        return
      }
      // Names of columns point into the text, which no statement keeps.
      program.labelTexts = [parsed.text]
      template.program = program
      // Compiling may have read the schema.
      template.catalog = program.catalog
    } catch {}
  }
}
