// EXPLAIN (lang_explain §1): a row for each instruction, in the columns that SQLite has.

extension Program {
  /// The rows of EXPLAIN: those of the program, then those of each trigger that it may fire.
  var explainListing: RowListing {
    let names = [
      Name("addr"), Name("opcode"), Name("p1"), Name("p2"), Name("p3"), Name("p4"), Name("p5"),
      Name("comment"),
    ]
    let called = subprograms.all.compactMap(\.program).flatMap(\.explainedInstructions)
    return RowListing(columns: names, rows: explainedInstructions + called)
  }

  private var explainedInstructions: [[ListedValue]] {
    (0..<instructionCount).map { address in
      let instruction = instructions[address]
      return [
        .integer(Int64(address)), .text(instruction.opcode.spec.name.description),
        .integer(Int64(instruction.p1)), .integer(Int64(instruction.p2)),
        .integer(Int64(instruction.p3)), .text(fourthOperandText(of: instruction)),
        .integer(Int64(instruction.p5)), .text(comment(on: instruction)),
      ]
    }
  }

  /// What P4 stands for, in SQLite's notation.
  func fourthOperandText(of instruction: Instruction) -> String {
    let index = Int(instruction.p4)
    let operand = instruction.opcode.spec.p4
    if index < 0 { return operand == .collation ? "BINARY-8" : "" }
    switch operand {
    case .unused: return ""
    case .number: return "\(index)"
    case .constant, .optionalConstant: return Program.text(of: tables.constants[index])
    case .keyInfo, .optionalKeyInfo: return Program.text(of: tables.keyInfos[index])
    case .collation: return tables.collations[index].name
    case .affinities, .optionalAffinities:
      let letters = tables.affinities[index].map { $0.rawValue }
      return String(decoding: letters, as: UTF8.self)
    case .functionCall:
      let call = tables.functionCalls[index]
      return "\(call.function.name)(\(call.argumentCount))"
    case .aggregateCall:
      let call = tables.aggregateCalls[index]
      return "\(call.function.name)(\(call.argumentCount))"
    case .virtualScan: return tables.virtualScans[index].table.name.string
    case .groupPlan: return Program.text(of: tables.groupPlans[index])
    case .windowPlan:
      return tables.windowPlans[index].calls.map { "\($0.function.name)(\($0.arguments.count))" }
        .joined(separator: ",")
    case .columnMap:
      return "[" + tables.columnMaps[index].map { "\($0)" }.joined(separator: ",") + "]"
    case .rowScan: return tables.rowScans[index].description
    case .text, .optionalText: return tables.texts[index]
    case .subprogram: return subprograms.all[index].name
    case .changedTable, .optionalChangedTable: return tables.changedTables[index].name.string
    }
  }

  private static func text(of value: Register) -> String {
    switch value.tag {
    case .null: "NULL"
    case .integer: "\(value.integer)"
    case .real: "\(value.real)"
    case .text: String(decoding: value.byteBuffer, as: UTF8.self)
    case .blob: "(blob)"
    }
  }

  /// As SQLite shows key infos: `k(2,B,-NOCASE)`, N. marking NULLs at the other end.
  private static func text(of keyInfo: KeyInfo) -> String {
    let columns = keyInfo.columns.prefix(keyInfo.keyColumnCount).map { column in
      let name = column.collation.kind == .binary ? "B" : column.collation.name
      return (column.isDescending ? "-" : "") + (column.hasBigNulls ? "N." : "") + name
    }
    return "k(\(([String(keyInfo.keyColumnCount)] + columns).joined(separator: ",")))"
  }

  private static func text(of plan: GroupPlan) -> String {
    let aggregates = plan.aggregates.map { "\($0.function.name)(\($0.argumentCount))" }
    return ([text(of: plan.keyInfo)] + aggregates).joined(separator: " ")
  }

  /// The synopsis with the operands put in: `r[P1@P2]` becomes `r[4..6]`.
  func comment(on instruction: Instruction) -> String {
    let spec = instruction.opcode.spec
    let text = Array(spec.synopsis.description.utf8)
    var result: [UInt8] = []
    var end = 0
    for mention in spec.mentions {
      result += text[end..<mention.range.lowerBound]
      let first = instruction.operand(mention.operand)
      result += Array("\(first)".utf8)
      if mention.countOperand > 0 {
        let count = instruction.operand(mention.countOperand) &+ mention.countExtra
        if count > 1 { result += Array("..\(first &+ count &- 1)".utf8) }
      } else if mention.operand == 4 {
        result.removeLast("\(first)".utf8.count)
        result += Array(fourthOperandText(of: instruction).utf8)
      }
      end = mention.range.upperBound
    }
    result += text[end...]
    return String(decoding: result, as: UTF8.self)
  }
}
