extension Program {
  /// Checks in debug builds that every operand is what the specification of its opcode says, so
  /// that the interpreter need not.
  func checkInvariants() {
    assert(firstViolation == nil, firstViolation ?? "")
  }

  /// Says which instruction breaks a rule, or nil.
  ///
  /// (1) Registers are 1 to `registerCount - 1`, also those of ranges; (2) cursors and addresses
  /// exist, columns may; (3) P4 is an index in its side table; (4) the program does not run off.
  var firstViolation: String? {
    for address in 0..<instructionCount {
      if let violation = violation(of: instructions[address]) {
        return "\(address) \(instructions[address].opcode): \(violation)"
      }
    }
    guard instructionCount > 0 else { return "empty program" }
    switch instructions[instructionCount - 1].opcode {
    case .halt, .goto, .return, .yield, .endCoroutine, .next, .gosub: return nil
    default: return "runs off its end"
    }
  }

  private func violation(of instruction: Instruction) -> String? {
    let spec = instruction.opcode.spec
    for number in 1...3 where !isValid(instruction.operand(number), as: spec.role(number)) {
      return "P\(number) = \(instruction.operand(number)) is no \(spec.role(number).rawValue)"
    }
    for mention in spec.mentions where mention.countOperand > 0 {
      let count = instruction.operand(mention.countOperand) + mention.countExtra
      guard Int(instruction.operand(mention.operand)) + Int(count) <= registerCount else {
        return "registers from P\(mention.operand) on do not exist"
      }
    }
    if let range = tableRange(of: spec.p4), !range.contains(Int(instruction.p4)) {
      return "P4 = \(instruction.p4) is no \(spec.p4.rawValue)"
    }
    return nil
  }

  private func isValid(_ operand: Int32, as role: OperandRole) -> Bool {
    switch role {
    case .unused, .number, .database: true
    case .input, .output, .inputOutput, .inputs, .outputs:
      operand > 0 && Int(operand) < registerCount
    case .optionalInput, .optionalOutput: operand >= 0 && Int(operand) < registerCount
    case .jump, .optionalJump: operand >= 0 && Int(operand) < instructionCount
    case .cursor: operand >= 0 && Int(operand) < cursorCount
    case .column: operand >= 0
    case .parameter: operand > 0
    }
  }

  private func tableRange(of operand: FourthOperand) -> Range<Int>? {
    switch operand {
    case .unused, .number: nil
    case .subprogram: 0..<subprograms.count
    case .constant: 0..<tables.constants.count
    case .keyInfo: 0..<tables.keyInfos.count
    case .collation: -1..<tables.collations.count
    case .affinities: 0..<tables.affinities.count
    case .functionCall: 0..<tables.functionCalls.count
    case .aggregateCall: 0..<tables.aggregateCalls.count
    case .groupPlan: 0..<tables.groupPlans.count
    case .windowPlan: 0..<tables.windowPlans.count
    case .virtualScan: 0..<tables.virtualScans.count
    case .columnMap: -1..<tables.columnMaps.count
    case .rowScan: 0..<tables.rowScans.count
    case .text: 0..<tables.texts.count
    case .optionalText: -1..<tables.texts.count
    case .optionalKeyInfo: -1..<tables.keyInfos.count
    case .optionalConstant: -1..<tables.constants.count
    case .optionalAffinities: -1..<tables.affinities.count
    case .changedTable: 0..<tables.changedTables.count
    case .optionalChangedTable: -1..<tables.changedTables.count
    }
  }
}
