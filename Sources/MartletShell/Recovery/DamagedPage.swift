// B-tree pages that need not be sound (fileformat2 §1.6): every number is compared before it is
// used, and a cell that does not fit is left out.

/// A page of a B-tree, as far as it can be read.
struct DamagedPage {
  enum Kind: UInt8 {
    case indexInterior = 2
    case tableInterior = 5
    case indexLeaf = 10
    case tableLeaf = 13
  }

  struct Cell {
    var child: Int?
    var rowID: Int64?
    var payload: [UInt8] = []
  }

  let kind: Kind
  let bytes: [UInt8]
  private let headerOffset: Int
  private let cellCount: Int

  init?(_ bytes: [UInt8], number: Int) {
    headerOffset = number == 1 ? 100 : 0
    guard bytes.count >= headerOffset + 12, let kind = Kind(rawValue: bytes[headerOffset]) else {
      return nil
    }
    self.kind = kind
    self.bytes = bytes
    let count = Int(bytes[headerOffset + 3]) << 8 | Int(bytes[headerOffset + 4])
    let size = kind == .indexInterior || kind == .tableInterior ? 12 : 8
    cellCount = min(count, (bytes.count - headerOffset - size) / 2)
  }

  var isInterior: Bool { kind == .indexInterior || kind == .tableInterior }

  private func number(at offset: Int) -> Int {
    guard offset >= 0, offset + 4 <= bytes.count else { return 0 }
    return bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  var rightChild: Int? { isInterior ? number(at: headerOffset + 8) : nil }

  /// Where cells begin, in their order.
  var cellOffsets: [Int] {
    let start = headerOffset + (isInterior ? 12 : 8)
    return (0..<cellCount).map { index in
      Int(bytes[start + 2 * index]) << 8 | Int(bytes[start + 2 * index + 1])
    }
  }

  /// Reads the cell at an offset; `overflow` gives the rest of a payload that begins on a page.
  func cell(at offset: Int, usableSize: Int, overflow: (Int, Int) -> [UInt8]) -> Cell? {
    var position = offset
    var cell = Cell()
    guard position >= headerOffset + 8, position < usableSize else { return nil }
    if isInterior {
      cell.child = number(at: position)
      position += 4
    }
    if kind == .tableInterior { return cell }
    guard let (size, next) = readVarint(bytes, position), size < 1 << 31 else { return nil }
    position = next
    if kind == .tableLeaf {
      guard let (rowID, next) = readVarint(bytes, position) else { return nil }
      cell.rowID = Int64(bitPattern: rowID)
      position = next
    }
    let payloadSize = Int(size)
    let local = localSize(payloadSize, usableSize)
    guard position + local <= usableSize else { return nil }
    cell.payload = Array(bytes[position..<position + local])
    if local < payloadSize {
      guard position + local + 4 <= usableSize else { return nil }
      cell.payload += overflow(number(at: position + local), payloadSize - local)
    }
    return cell
  }

  /// How much of a payload stands on the page itself.
  private func localSize(_ size: Int, _ usable: Int) -> Int {
    let most = kind == .tableLeaf ? usable - 35 : (usable - 12) * 64 / 255 - 23
    if size <= most { return size }
    let least = (usable - 12) * 32 / 255 - 23
    let fitting = least + (size - least) % (usable - 4)
    return fitting <= most ? fitting : least
  }
}

/// A varint and where it ends; nil where the bytes end before.
func readVarint(_ bytes: [UInt8], _ start: Int) -> (value: UInt64, end: Int)? {
  var value: UInt64 = 0
  for index in 0..<9 {
    guard start + index < bytes.count, start + index >= 0 else { return nil }
    let byte = bytes[start + index]
    if index == 8 { return (value << 8 | UInt64(byte), start + 9) }
    value = value << 7 | UInt64(byte & 0x7f)
    if byte < 0x80 { return (value, start + index + 1) }
  }
  return nil
}

/// The values of a record (fileformat2 §2.1), as far as its bytes go.
func readRecord(_ payload: [UInt8], encoding: UInt32) -> [RecoveredValue] {
  guard let (headerSize, start) = readVarint(payload, 0), headerSize <= UInt64(payload.count) else {
    return []
  }
  var position = start
  var body = Int(headerSize)
  var values: [RecoveredValue] = []
  while position < Int(headerSize), let (type, next) = readVarint(payload, position) {
    position = next
    let size = RecoveredValue.size(of: type)
    guard size <= payload.count - body else { break }
    values.append(RecoveredValue(type, payload[body..<body + size], encoding))
    body += size
  }
  return values
}

enum RecoveredValue {
  case null
  case integer(Int64)
  case real(Double)
  case text([UInt8])
  case blob([UInt8])

  static func size(of type: UInt64) -> Int {
    switch type {
    case 0...4: Int(type)
    case 5: 6
    case 6, 7: 8
    case 8...11: 0
    default: Int(clamping: (type - 12) / 2)
    }
  }

  init(_ type: UInt64, _ bytes: ArraySlice<UInt8>, _ encoding: UInt32) {
    func integer() -> Int64 {
      let isNegative = (bytes.first ?? 0) & 0x80 != 0
      return bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) }
    }
    switch type {
    case 1...6: self = .integer(integer())
    case 7: self = .real(Double(bitPattern: UInt64(bitPattern: integer())))
    case 8, 9: self = .integer(Int64(type) - 8)
    case 12... where type % 2 == 0: self = .blob(Array(bytes))
    case 13...: self = .text(Self.utf8(Array(bytes), encoding))
    default: self = .null
    }
  }

  private static func utf8(_ bytes: [UInt8], _ encoding: UInt32) -> [UInt8] {
    guard encoding == 2 || encoding == 3 else { return bytes }
    let high = encoding == 2 ? 1 : 0
    let units = (0..<bytes.count / 2).map { index -> UInt16 in
      UInt16(bytes[2 * index + high]) << 8 | UInt16(bytes[2 * index + 1 - high])
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }

  var text: String? {
    if case .text(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
  }

  var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

  /// The value as SQL; `real` spells a number with a point.
  func literal(real: (Double) -> String) -> [UInt8] {
    switch self {
    case .null: return Array("NULL".utf8)
    case .integer(let value): return Array(String(value).utf8)
    case .real(let value): return Array(real(value).utf8)
    case .blob(let bytes):
      let digits = bytes.flatMap { hexadecimalDigits($0) }
      return Array("X'".utf8) + digits.map { $0 >= 0x61 ? $0 - 32 : $0 } + [UInt8(ascii: "'")]
    case .text(let bytes): return Self.literal(text: bytes)
    }
  }

  /// Line ends are spelled, so that each statement stays on its line.
  private static func literal(text: [UInt8]) -> [UInt8] {
    if text.contains(0) {
      let digits = text.flatMap { hexadecimalDigits($0) }
      return Array("CAST(X'".utf8) + digits + Array("' AS TEXT)".utf8)
    }
    let hasLines = text.contains(10) || text.contains(13)
    if hasLines, text.contains(UInt8(ascii: "\\")) { return sqlLiteral(text[...]) }
    var quoted: [UInt8] = [UInt8(ascii: "'")]
    for byte in text {
      switch byte {
      case UInt8(ascii: "'"): quoted += [byte, byte]
      case 10: quoted += Array("\\n".utf8)
      case 13: quoted += Array("\\r".utf8)
      default: quoted.append(byte)
      }
    }
    quoted.append(UInt8(ascii: "'"))
    func replacing(_ mark: String, _ code: Int) {
      quoted = Array("replace(".utf8) + quoted + Array(",'\(mark)', char(\(code)))".utf8)
    }
    if text.contains(10) { replacing("\\n", 10) }
    if text.contains(13) { replacing("\\r", 13) }
    return quoted
  }
}
