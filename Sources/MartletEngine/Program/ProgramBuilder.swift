/// Builds a program: hands out registers, cursors and labels, collects instructions and what they
/// refer to, and resolves the labels at the end.
final class ProgramBuilder {
  @exclusivity(unchecked) private(set) var instructions: [Instruction] = []
  @exclusivity(unchecked) private var labelAddresses: [Int32] = []
  @exclusivity(unchecked) private(set) var registerCount: Int32 = 0
  @exclusivity(unchecked) private var cursorCount: Int32 = 0
  /// nil while there is nothing in them, as in many programs.
  @exclusivity(unchecked) private var ownTables: SideTables?
  let catalog: Catalog
  /// Encoding of the texts in the program.
  let encoding: TextEncoding
  /// The program changes no database.
  @exclusivity(unchecked) var isReadOnly = true
  /// The program begins or ends transactions.
  @exclusivity(unchecked) var usesTransactions = false
  /// What the program changes is what `changes()` says next.
  @exclusivity(unchecked) var countsChanges = false
  /// The program may change several entries, and may fail between two changes: what it has done
  /// must then be taken back.
  @exclusivity(unchecked) var isMultiWrite = false
  @exclusivity(unchecked) var writesOldFormat = false
  /// The loops are counted.
  @exclusivity(unchecked) var isMeasured = false
  @exclusivity(unchecked) var mayAbort = false
  /// The sub-programs of the statement, once there are any; and whether this is one of them.
  @exclusivity(unchecked) var subprograms: SubprogramTable.List?
  @exclusivity(unchecked) var isSubprogram = false
  /// How many instructions there may be room for.
  @exclusivity(unchecked) var longest = Int.max
  /// Registers that were handed back, for single temporaries.
  @exclusivity(unchecked) private var freeRegisters: [RegisterIndex] = []

  init(catalog: Catalog) {
    self.catalog = catalog
    encoding = catalog.encoding
    instructions.reserveCapacity(32)
    labelAddresses.reserveCapacity(16)
  }

  /// Makes the builder as it was when it was made, but for the memory of its lists.
  func clear() {
    instructions.clear()
    labelAddresses.clear()
    registerCount = 0
    cursorCount = 0
    ownTables = nil
    isReadOnly = true
    usesTransactions = false
    countsChanges = false
    isMultiWrite = false
    writesOldFormat = false
    isMeasured = false
    mayAbort = false
    subprograms = nil
    isSubprogram = false
    longest = .max
    freeRegisters.clear()
  }

  // MARK: Registers and cursors

  func newRegister() -> RegisterIndex {
    registerCount += 1
    return RegisterIndex(registerCount)
  }

  /// The first of `count` consecutive new registers.
  func newRegisters(_ count: Int) -> RegisterIndex {
    let first = RegisterIndex(registerCount + 1)
    registerCount += Int32(count)
    return first
  }

  /// A register for a value of short life; `releaseTemporary` hands it back.
  func newTemporary() -> RegisterIndex { freeRegisters.popLast() ?? newRegister() }

  func releaseTemporary(_ register: RegisterIndex) { freeRegisters.append(register) }

  func newCursor() -> CursorID {
    cursorCount += 1
    return CursorID(cursorCount - 1)
  }

  // MARK: Labels

  func newLabel() -> Label {
    labelAddresses.append(-1)
    return Label(index: Int32(labelAddresses.count - 1))
  }

  /// Makes `label` the address of the next instruction.
  func place(_ label: Label) {
    assert(labelAddresses[Int(label.index)] < 0, "a label is placed once")
    labelAddresses[Int(label.index)] = Int32(instructions.count)
  }

  /// A label at the next instruction.
  func placeNewLabel() -> Label {
    let label = newLabel()
    place(label)
    return label
  }

  var nextAddress: Int32 { Int32(instructions.count) }

  // MARK: Instructions

  @discardableResult
  func emit(_ instruction: Instruction) -> Int {
    instructions.append(instruction)
    return instructions.count - 1
  }

  @discardableResult
  func emit(
    _ opcode: Opcode, _ p1: Int32 = 0, _ p2: Int32 = 0, _ p3: Int32 = 0, p4: Int32 = -1,
    p5: UInt8 = 0
  ) -> Int {
    instructions.append(Instruction(opcode, p1, p2, p3, p4: p4, p5: p5))
    return instructions.count - 1
  }

  /// Changes an instruction that is already emitted.
  func patch(_ address: Int, _ change: (inout Instruction) -> Void) {
    change(&instructions[address])
  }

  /// Takes back that the column just read becomes a real: it is for a record, where whole numbers
  /// are integers.
  func dropRealAffinity(of register: RegisterIndex) {
    guard let last = instructions.last, last.opcode == .realAffinity,
      last.p1 == register.rawValue, !labelAddresses.contains(nextAddress)
    else { return }
    instructions.removeLast()
  }

  /// The program is larger than the connection allows, or than the heap may be.
  var isTooLong: Bool {
    let heapLimit = MemoryUse.hardLimitBytes
    return ProgramBuilder.room(for: instructions.count) > longest
      || heapLimit > 0 && instructions.count > heapLimit / MemoryLayout<Instruction>.stride
  }

  /// For how many instructions SQLite would take memory, which it doubles.
  static func room(for instructionCount: Int) -> Int {
    var room = 42
    while room < instructionCount { room *= 2 }
    return room
  }

  // MARK: Side tables

  var tables: SideTables { ownTables ?? newTables() }

  private func newTables() -> SideTables {
    let tables = SideTables()
    ownTables = tables
    return tables
  }

  func addText(_ text: String) -> Int32 {
    let tables = tables
    tables.texts.append(text)
    return Int32(tables.texts.count - 1)
  }

  func addScanLoop(_ loop: ScanLoop) -> Int32 {
    let tables = tables
    tables.scanLoops.append(loop)
    return Int32(tables.scanLoops.count - 1)
  }

  func addKeyInfo(_ keyInfo: KeyInfo) -> Int32 {
    let tables = tables
    tables.keyInfos.append(keyInfo)
    return Int32(tables.keyInfos.count - 1)
  }

  /// P4 of a comparison: -1 for BINARY, which the comparison opcodes know without a table.
  func addCollation(_ collation: Collation) -> Int32 {
    if collation === Collation.binary { return -1 }
    let tables = tables
    if let known = tables.collations.firstIndex(where: { $0 === collation }) { return Int32(known) }
    tables.collations.append(collation)
    return Int32(tables.collations.count - 1)
  }

  func addAffinities(_ affinities: [Affinity]) -> Int32 {
    let tables = tables
    tables.affinities.append(affinities)
    return Int32(tables.affinities.count - 1)
  }

  func addConstant(_ value: Register) -> Int32 {
    let tables = tables
    tables.constants.append(value)
    return Int32(tables.constants.count - 1)
  }

  // MARK: Transactions

  /// Begins a transaction on a database, whose schema must be the catalog's.
  func emitTransaction(onDatabase index: Int, _ mode: TransactionMode) {
    let version = catalog.databases[index].version
    emit(
      .transaction, Int32(index), Int32(mode.rawValue), Int32(bitPattern: version.cookie),
      p4: version.generation)
    usesTransactions = true
    if mode != .read { isReadOnly = false }
  }

  // MARK: Finish

  /// Resolves every label and makes the program.
  func finish(columns: [OutputColumn], explain: ExplainMode) -> Program {
    let addresses = labelAddresses
    instructions.withUnsafeMutableBufferPointer { code in
      ProgramBuilder.resolveLabels(in: code, addresses)
    }
    scanRows()
    instructions.withUnsafeMutableBufferPointer { ProgramBuilder.joinColumns(in: $0) }
    let program = Program(
      instructions: instructions, registerCount: Int(registerCount) + 1,
      cursorCount: Int(cursorCount), tables: ownTables ?? .none, columns: columns, traits: traits,
      explain: explain, encoding: encoding, catalog: catalog, subprograms: subprogramTable)
    program.checkInvariants()
    return program
  }

  /// Lets loops do for each row at once what their bodies begin with. The first instruction of such
  /// a body is copied behind the program, for rows that are unusual.
  private func scanRows() {
    // Most programs have no loop that steps a cursor.
    let steps = instructions.withUnsafeBufferPointer { code in
      code.indices.filter { address in
        let opcode = code[address].opcode
        return (opcode == .next || opcode == .previous) && code[address].p2 < address
      }
    }
    for address in steps {
      let step = instructions[address], plainAddress = instructions.count
      let found = instructions.withUnsafeMutableBufferPointer { code in
        RowScanFinder(code, tables.collations, stepAddress: address)
          .map { (start: $0.start, end: $0.end, $0.scan(plainAddress: plainAddress)) }
      }
      guard let (start, end, scan) = found else { continue }
      emit(instructions[start])
      emit(.goto, 0, Int32(start + 1))
      tables.rowScans.append(scan)
      instructions[start] = Instruction(
        .scanRow, step.p1, Int32(end), Int32(address), p4: Int32(tables.rowScans.count - 1))
    }
  }

  /// Marks where columns behind each other are read into registers behind each other. Their
  /// instructions stay, for what is unusual and for jumps between them.
  private static func joinColumns(in code: UnsafeMutableBufferPointer<Instruction>) {
    var address = 0
    while address < code.count {
      var end = address + 1
      if code[address].opcode == .column {
        while end < code.count, end - address < 255, code[end - 1].isContinued(by: code[end]) {
          end += 1
        }
      }
      if end - address > 1 {
        code[address].opcode = .columns
        code[address].p5 = UInt8(end - address)
      }
      address = end
    }
  }

  private var subprogramTable: SubprogramTable {
    guard let subprograms else { return .none }
    return isSubprogram
      ? SubprogramTable(sharing: subprograms) : SubprogramTable(owning: subprograms)
  }

  private var traits: Program.Traits {
    var traits: Program.Traits = []
    if isReadOnly { traits.insert(.isReadOnly) }
    if countsChanges { traits.insert(.countsChanges) }
    if isMultiWrite && mayAbort { traits.insert(.usesStatementJournal) }
    if usesTransactions { traits.insert(.usesTransactions) }
    if writesOldFormat { traits.insert(.writesOldFormat) }
    if isMeasured { traits.insert(.isMeasured) }
    return traits
  }

  private static func resolveLabels(
    in code: UnsafeMutableBufferPointer<Instruction>, _ addresses: [Int32]
  ) {
    func resolve(_ operand: inout Int32) {
      guard operand < 0 else { return }
      let address = addresses[Int(-1 - operand)]
      assert(address >= 0, "every label that is used is placed")
      operand = address
    }
    let table = Opcode.jumpOperandTable
    for address in code.indices {
      let operands = table[Int(code[address].opcode.rawValue)]
      if operands.isEmpty { continue }
      if operands.contains(.p1) { resolve(&code[address].p1) }
      if operands.contains(.p2) { resolve(&code[address].p2) }
      if operands.contains(.p3) { resolve(&code[address].p3) }
    }
  }
}

extension Instruction {
  /// Whether `next` reads the next column of the same row into the next register.
  fileprivate func isContinued(by next: Instruction) -> Bool {
    opcode == .column && next.opcode == .column && p5 == 0 && next.p5 == 0
      && p1 == next.p1 && p2 + 1 == next.p2 && p3 + 1 == next.p3
  }
}

/// Which operands of an opcode are addresses.
struct OperandSet: OptionSet {
  let rawValue: UInt8
  static let p1 = OperandSet(rawValue: 1)
  static let p2 = OperandSet(rawValue: 2)
  static let p3 = OperandSet(rawValue: 4)
}

extension Opcode {
  /// For each opcode, the operands that hold addresses, resolved when the program is finished.
  fileprivate static let jumpOperandTable: [OperandSet] = allCases.map { opcode in
    let spec = opcode.spec
    var operands: OperandSet = []
    if spec.p1.isJump { operands.insert(.p1) }
    if spec.p2.isJump { operands.insert(.p2) }
    if spec.p3.isJump { operands.insert(.p3) }
    return operands
  }
}
