/// One value as an SQL literal on one line: its storage class and every byte can be told from it.
package func exactValue(_ row: any PreparedStatement, _ column: Int) -> String {
  switch row.kind(column) {
  case .null: "NULL"
  case .integer: String(row.integer(column))
  case .real: realLiteral(row.real(column))
  case .text: textLiteral(row.bytes(column))
  case .blob: "x'\(hexadecimal(row.bytes(column)))'"
  }
}

/// The shortest text that reads back as the same number.
private func realLiteral(_ value: Double) -> String {
  value.isInfinite ? (value < 0 ? "-Inf" : "Inf") : value.description
}

private func textLiteral(_ bytes: [UInt8]) -> String {
  guard let text = String(validating: bytes, as: UTF8.self) else {
    return "CAST(x'\(hexadecimal(bytes))' AS TEXT)"
  }
  let quoted = text.split(separator: "'", omittingEmptySubsequences: false)
    .joined(separator: "''")
  guard bytes.contains(where: { $0 < 0x20 || $0 == 0x7f }) else { return "'\(quoted)'" }
  let escaped = quoted.unicodeScalars.map { scalar -> String in
    switch scalar.value {
    case 0..<0x20, 0x7f: "\\u00" + hexadecimal([UInt8(scalar.value)])
    case 0x5c: "\\\\"
    default: String(scalar)
    }
  }
  return "unistr('\(escaped.joined())')"
}

private func hexadecimal(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef".utf8)
  return String(
    decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}
