// How much room text takes on a terminal: code points of two columns (East Asian wide), of none
// (combining marks), and of one.

/// The lines of a value; a line break at the end adds none. Tables expand tabs to stops
/// of eight and drop carriage returns.
func displayLines(_ text: [UInt8], expandsTabs: Bool = true) -> [[UInt8]] {
  let newline = UInt8(ascii: "\n")
  guard text.contains(where: { $0 == newline || $0 == 9 || $0 == 13 }) else { return [text] }
  var lines = text.split(separator: newline, omittingEmptySubsequences: false)
  if lines.count > 1, lines.last?.isEmpty == true { lines.removeLast() }
  guard expandsTabs else { return lines.map { Array($0) } }
  return lines.map { expandingTabs($0.last == 13 ? $0.dropLast() : $0) }
}

private func expandingTabs(_ line: ArraySlice<UInt8>) -> [UInt8] {
  guard line.contains(9) else { return Array(line) }
  var result: [UInt8] = []
  for byte in line {
    if byte != 9 {
      result.append(byte)
      continue
    }
    let column = displayWidth(result[...])
    result += Array(repeating: UInt8(ascii: " "), count: 8 - column % 8)
  }
  return result
}

/// The columns that `text` takes; bytes that are not UTF-8 count one each.
func displayWidth(_ text: ArraySlice<UInt8>) -> Int {
  if text.allSatisfy({ $0 < 0x80 }) { return text.count }
  let scalars = String(decoding: text, as: UTF8.self).unicodeScalars
  return scalars.reduce(0) { $0 + displayWidth(of: $1) }
}

func displayWidth(of scalar: Unicode.Scalar) -> Int {
  let value = scalar.value
  if value < 0x300 { return 1 }
  if combiningJamo.contains(value) { return 0 }
  switch scalar.properties.generalCategory {
  case .nonspacingMark, .enclosingMark, .format: return 0
  default: break
  }
  return wideRanges.contains { $0.contains(value) } ? 2 : 1
}

/// Hangul vowels and finals, which join the syllable before them.
private let combiningJamo: ClosedRange<UInt32> = 0x1160...0x11ff

/// Blocks whose characters are two columns wide. Emoji count as one, as in sqlite3's shell.
private let wideRanges: [ClosedRange<UInt32>] = [
  0x1100...0x115f, 0x2329...0x232a, 0x2e80...0x303e, 0x3040...0xa4cf, 0xac00...0xd7a3,
  0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6,
  0x20000...0x2fffd, 0x30000...0x3fffd,
]
