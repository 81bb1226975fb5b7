/// Random calls of JSON functions: documents in every dialect, damaged ones, JSONB with headers of
/// every form, paths that lead somewhere and paths that do not.
struct JSONGenerator {
  var random: RandomSource

  init(seed: UInt64) { random = RandomSource(seed: seed) }

  mutating func statement() -> String {
    switch random.below(100) {
    case ..<8: return "SELECT json(\(document()))"
    case ..<13: return "SELECT hex(jsonb(\(document())))"
    case ..<23:
      return "SELECT \(document()) ->> \(shortPath()), subtype(\(document()) -> \(path()))"
    case ..<28: return "SELECT \(document()) -> \(shortPath())"
    case ..<36: return "SELECT \(name("extract"))(\(document()), \(paths()))"
    case ..<52: return edit()
    case ..<58: return "SELECT \(name("remove"))(\(document()), \(paths()))"
    case ..<64: return "SELECT \(name("patch"))(\(document()), \(document()))"
    case ..<68: return "SELECT json_type(\(document()), \(path())), json_type(\(document()))"
    case ..<71: return "SELECT json_array_length(\(document()), \(path()))"
    case ..<77:
      let flags = random.within(1...15)
      return "SELECT json_valid(\(document())), json_valid(\(document()), \(flags))"
    case ..<83: return "SELECT json_error_position(\(document()))"
    case ..<86: return "SELECT json_pretty(\(document()), \(random.pick(["' '", "NULL", "''"])))"
    case ..<89: return "SELECT json_quote(\(value())), \(name("array"))(\(value()), \(value()))"
    case ..<92:
      return "SELECT \(name("object"))(\(label()), \(value()), \(label()), \(value()))"
    case ..<95: return aggregate()
    default: return walk()
    }
  }

  /// The function that gives text, or its twin.
  private mutating func name(_ function: String) -> String {
    (random.chance(60) ? "json_" : "jsonb_") + function
  }

  private mutating func edit() -> String {
    let function = name(random.pick(["set", "insert", "replace", "array_insert"]))
    let pairs = (0...random.below(3)).map { _ in "\(path()), \(value())" }
    return "SELECT \(function)(\(document()), \(pairs.joined(separator: ", ")))"
  }

  private mutating func aggregate() -> String {
    let rows = (0..<random.below(4)).map { _ in "(\(label()), \(value()))" } + ["('z', 1)"]
    let call = random.chance(50)
      ? "\(name("group_array"))(column2)" : "\(name("group_object"))(column1, column2)"
    return "SELECT \(call) FROM (VALUES \(rows.joined(separator: ", ")))"
  }

  private mutating func walk() -> String {
    let function = random.pick(["json_each", "json_tree", "jsonb_each", "jsonb_tree"])
    let root = random.chance(50) ? ", \(path())" : ""
    return "SELECT *, rowid, json, root FROM \(function)(\(document())\(root))"
  }

  // MARK: Documents

  /// An SQL expression that is a document, or nearly one.
  mutating func document() -> String {
    switch random.below(20) {
    case 0: return random.pick(["NULL", "12", "-0.5", "1e400", "''", "zeroblob(3)"])
    case 1: return "json(\(text()))"
    case 2: return "jsonb(\(text()))"
    case 3..<9: return binary()
    default: return text()
    }
  }

  private mutating func text() -> String {
    var bytes: [UInt8] = []
    appendText(&bytes, depth: 0, isLoose: random.chance(50))
    if random.chance(25) { mutate(&bytes) }
    return literal(bytes, as: "TEXT")
  }

  private mutating func binary() -> String {
    var bytes = element(depth: 0)
    if random.chance(40) { mutate(&bytes) }
    return literal(bytes, as: nil)
  }

  private mutating func mutate(_ bytes: inout [UInt8]) {
    for _ in 0...random.below(3) {
      let place = random.below(bytes.count + 1)
      switch random.below(4) {
      case 0: bytes.insert(UInt8(random.below(256)), at: place)
      case 1: bytes.insert(random.pick(Array("{}[],:\"'\\/*+-.0eExutN \n\r".utf8)), at: place)
      case 2: if place < bytes.count { bytes.remove(at: place) }
      default: if place < bytes.count { bytes[place] = UInt8(random.below(256)) }
      }
    }
  }

  private func literal(_ bytes: [UInt8], as type: String?) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let isPlain = bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7f }
    if type != nil && isPlain {
      let quoted = bytes.flatMap { $0 == 0x27 ? [0x27, 0x27] : [$0] }
      return "'" + String(decoding: quoted, as: UTF8.self) + "'"
    }
    let hex = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    let blob = "x'" + String(decoding: hex, as: UTF8.self) + "'"
    return type.map { "CAST(\(blob) AS \($0))" } ?? blob
  }

  // MARK: Text

  private static let labels = ["a", "b", "c", "a b", "é", "x.y", "0", "", "a\"b", "ab\\u0063"]

  private mutating func appendText(_ bytes: inout [UInt8], depth: Int, isLoose: Bool) {
    space(&bytes, isLoose)
    switch random.below(depth > 4 ? 8 : 14) {
    case 0: bytes += random.pick(["null", "true", "false"]).utf8
    case 1, 2: bytes += "\(Int(random.below(2_000)) - 1_000)".utf8
    case 3: bytes += number(isLoose).utf8
    case 4..<8: bytes += string(isLoose)
    case 8..<11: appendItems(&bytes, depth, isLoose)
    default: appendMembers(&bytes, depth, isLoose)
    }
    space(&bytes, isLoose)
  }

  private mutating func space(_ bytes: inout [UInt8], _ isLoose: Bool) {
    if random.chance(80) { return }
    let loose = ["/* c */", "// c\n", "\u{a0}", "\u{2028}", "\u{c}", "\u{feff}", "/**/"]
    bytes += random.pick(isLoose ? loose : [" ", "\n", "\t", "\r\n", "  "]).utf8
  }

  private mutating func appendItems(_ bytes: inout [UInt8], _ depth: Int, _ isLoose: Bool) {
    bytes.append(0x5b)
    let count = random.below(5)
    for index in 0..<count {
      appendText(&bytes, depth: depth + 1, isLoose: isLoose)
      if index + 1 < count || isLoose && random.chance(10) { bytes.append(0x2c) }
    }
    bytes.append(0x5d)
  }

  private mutating func appendMembers(_ bytes: inout [UInt8], _ depth: Int, _ isLoose: Bool) {
    bytes.append(0x7b)
    let count = random.below(5)
    for index in 0..<count {
      space(&bytes, isLoose)
      if isLoose && random.chance(40) {
        bytes += random.pick(["a", "b", "$x", "_", "é1", "\\u0061b", "true", "nan2", "c"]).utf8
      } else {
        let label = random.pick(Self.labels)
        bytes += ("\"" + label.split(separator: "\"").joined(separator: "\\\"") + "\"").utf8
      }
      space(&bytes, isLoose)
      bytes.append(0x3a)
      appendText(&bytes, depth: depth + 1, isLoose: isLoose)
      if index + 1 < count || isLoose && random.chance(10) { bytes.append(0x2c) }
    }
    bytes.append(0x7d)
  }

  private mutating func number(_ isLoose: Bool) -> String {
    let plain = [
      "0", "-0", "1.5", "-2.25e3", "1e5", "1E-7", "9223372036854775807", "9223372036854775808",
      "-9223372036854775808", "123456789012345678901234567890", "0.1", "1e400", "-1e400", "1.0",
    ]
    let loose = [
      "0x1F", "-0xabc", "+5", ".5", "5.", "-.5", "+.5e1", "Infinity", "-inf", "+Inf", "NaN",
      "QNaN", "snan", "0xffffffffffffffff", "0x10000000000000000", "-0x8000000000000000", "01",
      "1.e5", "-", "1e", ".", "0x",
    ]
    return random.pick(isLoose ? loose : plain)
  }

  private mutating func string(_ isLoose: Bool) -> [UInt8] {
    let quote: UInt8 = isLoose && random.chance(40) ? 0x27 : 0x22
    let plain = [
      "a", "bc", " ", "é", "😀", "\\n", "\\u00e9", "\\ud83d\\ude00", "\\\"", "\\/", "\\\\", "'",
      "0123456789", "\\ud800", "\\u0000",
    ]
    let loose = [
      "\\x41", "\\v", "\\0", "\\\n", "\\\r\n", "\\'", "\\\u{2028}", "\t", "\\q", "\\01", "\"",
      "\\x4",
    ]
    var bytes = [quote]
    for _ in 0..<random.below(random.chance(5) ? 90 : 6) {
      bytes += random.pick(isLoose && random.chance(30) ? loose : plain).utf8
    }
    return bytes + [quote]
  }

  // MARK: JSONB

  private mutating func element(depth: Int) -> [UInt8] {
    switch random.below(depth > 4 ? 9 : 14) {
    case 0: return header(UInt8(random.below(3)), 0)
    case 1, 2: return with(3, Array("\(Int(random.below(2_000)) - 1_000)".utf8))
    case 3:
      let isLoose = random.chance(50)
      return with(UInt8(random.within(3...6)), Array(number(isLoose).utf8))
    case 4..<9:
      let text = string(true).dropFirst().dropLast()
      return with(UInt8(random.within(7...10)), Array(text))
    case 9..<11:
      return with(11, (0..<random.below(5)).flatMap { _ in element(depth: depth + 1) })
    default:
      return with(
        12,
        (0..<random.below(4)).flatMap { _ in
          with(UInt8(random.within(7...10)), Array(random.pick(Self.labels).utf8))
            + element(depth: depth + 1)
        })
    }
  }

  private mutating func with(_ type: UInt8, _ payload: [UInt8]) -> [UInt8] {
    header(type, payload.count) + payload
  }

  /// Mostly of the shortest form.
  private mutating func header(_ type: UInt8, _ size: Int) -> [UInt8] {
    let shortest = size <= 11 ? 0 : size <= 0xff ? 1 : size <= 0xffff ? 2 : 3
    let form = random.chance(90) ? shortest : random.within(shortest...4)
    if form == 0 { return [type | UInt8(size) << 4] }
    let byteCount = [0, 1, 2, 4, 8][form]
    let bytes = (0..<byteCount).reversed().map { UInt8(truncatingIfNeeded: size >> (8 * $0)) }
    return [type | UInt8(11 + form) << 4] + bytes
  }

  // MARK: Paths and values

  private mutating func paths() -> String {
    (0..<random.pick([1, 1, 2, 3])).map { _ in path() }.joined(separator: ", ")
  }

  private mutating func path() -> String {
    if random.chance(3) { return random.pick(["NULL", "''", "'a'", "1", "'$.'", "'$[', '$'"]) }
    var text = "$"
    for _ in 0..<random.below(4) {
      text += random.pick([
        ".a", ".b", ".c", "[0]", "[1]", "[2]", "[#]", "[#-1]", "[#-2]", ".\"a b\"", ".é",
        ".\"x.y\"", ".\"\"", ".\"a\\\"b\"", ".abc", ".\"\\u0061\"",
      ])
    }
    if random.chance(8) {
      text += random.pick([".", "[", "[x]", "[-1]", "[1", ".\"a", "[#-9]", "x", "[#-]", "[ 1]"])
    }
    return literal(Array(text.utf8), as: "TEXT")
  }

  private mutating func shortPath() -> String {
    if random.chance(50) { return path() }
    return random.pick([
      "0", "1", "-1", "'a'", "'b'", "'a b'", "'[1]'", "'[#-1]'", "'x.y'", "1.0", "'a\"b'",
    ])
  }

  private mutating func label() -> String {
    random.pick(["'a'", "'b'", "'it''s'", "'q\"q'", "1", "NULL", "'x' || char(10)", "''"])
  }

  private mutating func value() -> String {
    switch random.below(12) {
    case 0: return "NULL"
    case 1: return "\(random.below(100))"
    case 2: return random.pick(["0.1", "1e300", "-1e999", "1.0", "1e15", "0.0"])
    case 3, 4: return random.pick(["'x'", "'[1]'", "'a\"b'", "'tab' || char(9)", "''"])
    case 5: return "json(\(text()))"
    case 6: return "jsonb(\(text()))"
    case 7: return "\(document()) -> \(path())"
    case 8: return "\(document()) ->> \(path())"
    case 9: return binary()
    case 10: return "json_array(1, \(random.below(9)))"
    default: return "x'\(random.pick(["", "00", "ff", "13", "1331", "7b7d", "5b315d"]))'"
    }
  }
}
