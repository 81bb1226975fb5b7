/// What a key asks for. Several keys ask for the same: an arrow and its Ctrl-letter.
enum Key: Equatable {
  case text(String)
  case paste(String)
  case enter, newLine, tab, escape
  case backspace, delete
  case left, right, up, down, wordLeft, wordRight, lineStart, lineEnd, textStart, textEnd
  case killToEnd, killToStart, killWordBefore, killBlankWordBefore, killWordAfter
  case yank, yankOlder, undo, transpose, upperCase, lowerCase, capitalise
  case searchOlder, searchNewer, olderEntry, newerEntry
  case interrupt, endOfInput, suspend, clearScreen, cancel
  case unknown

  /// A control character that stands for itself.
  static func control(_ byte: UInt8) -> Key {
    switch byte {
    case 0x01: .lineStart
    case 0x02: .left
    case 0x03: .interrupt
    case 0x04: .endOfInput
    case 0x05: .lineEnd
    case 0x06: .right
    case 0x07: .cancel
    case 0x08, 0x7f: .backspace
    case 0x09: .tab
    case 0x0a, 0x0d: .enter
    case 0x0b: .killToEnd
    case 0x0c: .clearScreen
    case 0x0e: .newerEntry
    case 0x10: .olderEntry
    case 0x12: .searchOlder
    case 0x13: .searchNewer
    case 0x14: .transpose
    case 0x15: .killToStart
    case 0x17: .killBlankWordBefore
    case 0x19: .yank
    case 0x1a: .suspend
    case 0x1f: .undo
    default: .unknown
    }
  }

  /// A key with Alt, which sends an escape before it.
  static func alt(_ byte: UInt8) -> Key {
    switch byte {
    case UInt8(ascii: "b"), UInt8(ascii: "B"): .wordLeft
    case UInt8(ascii: "f"), UInt8(ascii: "F"): .wordRight
    case UInt8(ascii: "d"), UInt8(ascii: "D"): .killWordAfter
    case UInt8(ascii: "y"), UInt8(ascii: "Y"): .yankOlder
    case UInt8(ascii: "u"), UInt8(ascii: "U"): .upperCase
    case UInt8(ascii: "l"), UInt8(ascii: "L"): .lowerCase
    case UInt8(ascii: "c"), UInt8(ascii: "C"): .capitalise
    case UInt8(ascii: "p"): .olderEntry
    case UInt8(ascii: "n"): .newerEntry
    case UInt8(ascii: "<"): .textStart
    case UInt8(ascii: ">"): .textEnd
    case 0x08, 0x7f: .killWordBefore
    case 0x0a, 0x0d: .newLine
    default: .unknown
    }
  }

  /// `ESC [ parameters final` or `ESC O final`; the second parameter tells of Ctrl and Alt.
  static func sequence(_ parameters: [Int], final: UInt8) -> Key {
    let modifiers = parameters.count > 1 ? parameters[1] - 1 : 0
    let jumps = modifiers & 0b110 != 0
    switch final {
    case UInt8(ascii: "A"): return jumps ? .olderEntry : .up
    case UInt8(ascii: "B"): return jumps ? .newerEntry : .down
    case UInt8(ascii: "C"): return jumps ? .wordRight : .right
    case UInt8(ascii: "D"): return jumps ? .wordLeft : .left
    case UInt8(ascii: "H"): return jumps ? .textStart : .lineStart
    case UInt8(ascii: "F"): return jumps ? .textEnd : .lineEnd
    case UInt8(ascii: "M"): return .enter
    case UInt8(ascii: "~"): break
    default: return .unknown
    }
    switch parameters.first {
    case 1, 7: return jumps ? .textStart : .lineStart
    case 4, 8: return jumps ? .textEnd : .lineEnd
    case 3: return jumps ? .killWordAfter : .delete
    case 5: return .olderEntry
    case 6: return .newerEntry
    default: return .unknown
    }
  }
}
