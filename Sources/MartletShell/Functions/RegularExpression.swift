/// A POSIX extended regular expression as sqlite3's shell knows them: `* + ? {p,q} | ^ $ . […]
/// ( )`, `\b \d \w \s \D \W \S` and escapes of characters.
///
/// The pattern becomes a program; all places where it may be are followed at once, so that no text
/// takes longer than its length times that of the program.
struct RegularExpression {
  /// What is wrong with a pattern.
  struct Problem: Error {
    let text: String
  }

  private indirect enum Node {
    case empty
    case scalar(UInt32)
    case any
    case set([ClosedRange<UInt32>], isNegated: Bool)
    case start, end, wordEdge
    case sequence([Node])
    case choice(Node, Node)
    case repeated(Node)
    case optional(Node)
  }

  private enum Step {
    case scalar(UInt32)
    case any
    case set([ClosedRange<UInt32>], isNegated: Bool)
    case start, end, wordEdge
    /// Goes on at both places.
    case fork(Int, Int)
    case go(Int)
    case match
  }

  private var program: [Step] = []
  private let ignoresCase: Bool
  private static let longestProgram = 10_000
  private static let mostRepeats = 999
  private static let deepest = 250

  init(_ pattern: String, ignoresCase: Bool) throws(Problem) {
    self.ignoresCase = ignoresCase
    var parser = Parser(pattern)
    let node = try parser.choice(depth: 0)
    guard parser.isAtEnd else { throw Problem(text: "unmatched ')'") }
    try emit(node)
    program.append(.match)
  }

  // MARK: The pattern

  private struct Parser {
    private let scalars: [UInt32]
    private var position = 0

    init(_ pattern: String) { scalars = pattern.unicodeScalars.map(\.value) }

    var isAtEnd: Bool { position >= scalars.count }
    private var next: UInt32? { position < scalars.count ? scalars[position] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard next == character.value else { return false }
      position += 1
      return true
    }

    mutating func choice(depth: Int) throws(Problem) -> Node {
      guard depth < RegularExpression.deepest else { throw Problem(text: "REGEXP pattern too big") }
      var node = try sequence(depth: depth)
      while take("|") { node = .choice(node, try sequence(depth: depth)) }
      return node
    }

    private mutating func sequence(depth: Int) throws(Problem) -> Node {
      var nodes: [Node] = []
      while let character = next, character != 0x7c, character != 0x29 {
        nodes.append(try repetition(of: try atom(depth: depth)))
      }
      return nodes.count == 1 ? nodes[0] : .sequence(nodes)
    }

    private mutating func repetition(of atom: Node) throws(Problem) -> Node {
      var node = atom
      while true {
        if take("*") {
          node = .repeated(node)
        } else if take("+") {
          node = .sequence([node, .repeated(node)])
        } else if take("?") {
          node = .optional(node)
        } else if take("{") {
          node = try bounded(node)
        } else {
          return node
        }
      }
    }

    private mutating func bounded(_ node: Node) throws(Problem) -> Node {
      func tooLarge(_ count: Int) throws(Problem) {
        if count > RegularExpression.mostRepeats { throw Problem(text: "REGEXP pattern too big") }
      }
      let least = number()
      try tooLarge(least ?? 0)
      var most = least
      if take(",") {
        most = number()
        try tooLarge(most ?? 0)
      }
      guard take("}") else { throw Problem(text: "unmatched '{'") }
      if let most, most < least ?? 0 { throw Problem(text: "n less than m in '{m,n}'") }
      let parts = Array(repeating: node, count: least ?? 0)
      guard let most else { return .sequence(parts + [.repeated(node)]) }
      return .sequence(
        parts + Array(repeating: .optional(node), count: most - (least ?? 0)))
    }

    private mutating func number() -> Int? {
      var value: Int?
      while let digit = next, (0x30...0x39).contains(digit), value ?? 0 < 100_000 {
        value = (value ?? 0) * 10 + Int(digit - 0x30)
        position += 1
      }
      return value
    }

    private mutating func atom(depth: Int) throws(Problem) -> Node {
      guard let character = next else { return .empty }
      position += 1
      switch Unicode.Scalar(character) {
      case "(":
        let inner = try choice(depth: depth + 1)
        guard take(")") else { throw Problem(text: "unmatched '('") }
        return inner
      case ".": return .any
      case "^": return .start
      case "$": return .end
      case "*", "+", "?", "{":
        let sign = Unicode.Scalar(character).map { Character($0) } ?? "*"
        throw Problem(text: "'\(sign)' without operand")
      case "[": return try set()
      case "\\": return try escape()
      default: return .scalar(character)
      }
    }

    private mutating func set() throws(Problem) -> Node {
      let isNegated = take("^")
      var ranges: [ClosedRange<UInt32>] = []
      var isFirst = true
      while let character = next {
        if character == 0x5d, !isFirst {
          position += 1
          return .set(ranges, isNegated: isNegated)
        }
        isFirst = false
        let low = try setMember()
        if next == 0x2d, position + 1 < scalars.count, scalars[position + 1] != 0x5d {
          position += 1
          let high = try setMember()
          if low <= high { ranges.append(low...high) }
        } else {
          ranges.append(low...low)
        }
      }
      throw Problem(text: "unclosed '['")
    }

    private mutating func setMember() throws(Problem) -> UInt32 {
      guard let character = next else { throw Problem(text: "unclosed '['") }
      position += 1
      guard character == 0x5c else { return character }
      guard case .scalar(let value) = try escape() else { throw Problem(text: "unknown \\ escape") }
      return value
    }

    private static let digits: [ClosedRange<UInt32>] = [0x30...0x39]
    private static let word: [ClosedRange<UInt32>] = [
      0x30...0x39, 0x41...0x5a, 0x5f...0x5f, 0x61...0x7a,
    ]
    private static let space: [ClosedRange<UInt32>] = [0x09...0x0d, 0x20...0x20]

    private mutating func escape() throws(Problem) -> Node {
      guard let character = next, let scalar = Unicode.Scalar(character) else {
        throw Problem(text: "unknown \\ escape")
      }
      position += 1
      switch scalar {
      case "b": return .wordEdge
      case "d": return .set(Self.digits, isNegated: false)
      case "D": return .set(Self.digits, isNegated: true)
      case "w": return .set(Self.word, isNegated: false)
      case "W": return .set(Self.word, isNegated: true)
      case "s": return .set(Self.space, isNegated: false)
      case "S": return .set(Self.space, isNegated: true)
      case "a": return .scalar(7)
      case "f": return .scalar(12)
      case "n": return .scalar(10)
      case "r": return .scalar(13)
      case "t": return .scalar(9)
      case "v": return .scalar(11)
      case "u": return .scalar(try hexadecimal(4))
      case "x": return .scalar(try hexadecimal(2))
      case let sign where "\\()*.+?[$^{|}]".unicodeScalars.contains(sign):
        return .scalar(character)
      default: throw Problem(text: "unknown \\ escape")
      }
    }

    private mutating func hexadecimal(_ count: Int) throws(Problem) -> UInt32 {
      var value: UInt32 = 0
      for _ in 0..<count {
        guard let digit = next.flatMap({ Unicode.Scalar($0) }),
          let number = Character(digit).hexDigitValue
        else { throw Problem(text: "unknown \\ escape") }
        value = value << 4 | UInt32(number)
        position += 1
      }
      return value
    }
  }

  // MARK: The program

  private mutating func emit(_ node: Node) throws(Problem) {
    guard program.count < Self.longestProgram else {
      throw Problem(text: "REGEXP pattern too big")
    }
    switch node {
    case .empty: break
    case .scalar(let value): program.append(.scalar(folded(value)))
    case .any: program.append(.any)
    case .set(let ranges, let isNegated): program.append(.set(ranges, isNegated: isNegated))
    case .start: program.append(.start)
    case .end: program.append(.end)
    case .wordEdge: program.append(.wordEdge)
    case .sequence(let nodes): for node in nodes { try emit(node) }
    case .choice(let left, let right):
      let fork = reserve()
      try emit(left)
      let end = reserve()
      program[fork] = .fork(fork + 1, program.count)
      try emit(right)
      program[end] = .go(program.count)
    case .repeated(let inner):
      let fork = reserve()
      try emit(inner)
      program.append(.go(fork))
      program[fork] = .fork(fork + 1, program.count)
    case .optional(let inner):
      let fork = reserve()
      try emit(inner)
      program[fork] = .fork(fork + 1, program.count)
    }
  }

  private mutating func reserve() -> Int {
    program.append(.match)
    return program.count - 1
  }

  private func folded(_ scalar: UInt32) -> UInt32 {
    ignoresCase && (0x41...0x5a).contains(scalar) ? scalar + 32 : scalar
  }

  // MARK: Matching

  /// Whether the pattern matches anywhere in the text.
  func matches(_ text: String) -> Bool {
    let scalars = text.unicodeScalars.map { folded($0.value) }
    var places = Places(count: program.count)
    for position in 0...scalars.count {
      // A match may begin here, too.
      if add(0, at: position, of: scalars, to: &places) { return true }
      guard position < scalars.count else { break }
      var next = Places(count: program.count)
      for place in places.list where isMatch(program[place], scalars[position]) {
        if add(place + 1, at: position + 1, of: scalars, to: &next) { return true }
      }
      places = next
    }
    return false
  }

  private struct Places {
    var list: [Int] = []
    var isThere: [Bool]

    init(count: Int) { isThere = Array(repeating: false, count: count) }
  }

  /// Follows what takes no character; true at the end of the pattern.
  private func add(
    _ first: Int, at position: Int, of scalars: [UInt32], to places: inout Places
  ) -> Bool {
    var waiting = [first]
    while let place = waiting.popLast() {
      if places.isThere[place] { continue }
      places.isThere[place] = true
      switch program[place] {
      case .match: return true
      case .fork(let left, let right): waiting += [right, left]
      case .go(let target): waiting.append(target)
      case .start: if position == 0 { waiting.append(place + 1) }
      case .end: if position == scalars.count { waiting.append(place + 1) }
      case .wordEdge:
        let before = position > 0 && isWord(scalars[position - 1])
        let after = position < scalars.count && isWord(scalars[position])
        if before != after { waiting.append(place + 1) }
      case .scalar, .any, .set: places.list.append(place)
      }
    }
    return false
  }

  private func isWord(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x30...0x39, 0x41...0x5a, 0x5f, 0x61...0x7a: true
    default: false
    }
  }

  private func isMatch(_ step: Step, _ scalar: UInt32) -> Bool {
    switch step {
    case .scalar(let wanted): wanted == scalar
    case .any: true
    case .set(let ranges, let isNegated):
      ranges.contains { range in
        range.contains(scalar)
          || ignoresCase && (0x61...0x7a).contains(scalar) && range.contains(scalar - 32)
      } != isNegated
    default: false
    }
  }
}
