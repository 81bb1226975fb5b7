extension Instruction {
  /// Operand `number`, 1 to 4.
  func operand(_ number: Int) -> Int32 {
    switch number {
    case 1: p1
    case 2: p2
    case 3: p3
    default: p4
    }
  }
}

extension OpcodeSpec {
  func role(_ number: Int) -> OperandRole { number == 1 ? p1 : number == 2 ? p2 : p3 }

  /// A mention of an operand in the synopsis, `P1`, or of registers, `P1@P2` or `P1@P2+1`: how many
  /// and from where on.
  struct Mention {
    let operand: Int
    /// The operand that holds the count, or 0.
    var countOperand = 0
    var countExtra: Int32 = 0
    /// Where the mention stands.
    let range: Range<Int>
  }

  /// The mentions in the synopsis, in order.
  var mentions: [Mention] {
    let text = Array(synopsis.description.utf8)
    var mentions: [Mention] = []
    var index = 0
    while index + 1 < text.count {
      guard let operand = OpcodeSpec.operand(in: text, at: index) else {
        index += 1
        continue
      }
      var end = index + 2
      var mention = Mention(operand: operand, range: index..<end)
      if end < text.count, text[end] == UInt8(ascii: "@"),
        let count = OpcodeSpec.operand(in: text, at: end + 1)
      {
        end += 3
        let isOneMore = text[end...].starts(with: Array("+1".utf8))
        end += isOneMore ? 2 : 0
        mention = Mention(
          operand: operand, countOperand: count, countExtra: isOneMore ? 1 : 0, range: index..<end)
      }
      mentions.append(mention)
      index = end
    }
    return mentions
  }

  private static func operand(in text: [UInt8], at index: Int) -> Int? {
    guard index + 1 < text.count, text[index] == UInt8(ascii: "P"),
      (UInt8(ascii: "1")...UInt8(ascii: "4")).contains(text[index + 1])
    else { return nil }
    return Int(text[index + 1] - UInt8(ascii: "0"))
  }
}

extension Program {
  /// Cursors whose rows are read back by `rowColumn`: a set that is not need not keep its values.
  var cursorsReadBack: Set<Int32> {
    var cursors: Set<Int32> = []
    for index in 0..<instructionCount {
      let opcode = instructions[index].opcode
      if opcode == .rowColumn || opcode == .virtualList { cursors.insert(instructions[index].p1) }
    }
    return cursors
  }
}
