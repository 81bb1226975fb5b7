/// What the first instructions of a loop's body read of a row and test in it (`scanRow`), as plain
/// data that is gone through once for each row.
///
///     top:   Column a → r1         scanRow: read a and c in one pass over the record's header;
///            Le r1 r9 → next                make the tests; while one of them turns a row down,
///            Column c → r2                  go on to the next row
///            Ne r2 r8 → next
///     pass:  …
///     next:  Next → top
///
/// The instructions stay where they are. What is unusual about a row (content in overflow pages,
/// columns that are not there, anything that is wrong) is left to them, from the first one on: until
/// then nothing was done but set registers that they set, too.
struct RowScan {
  /// A test: whether what comes of comparing two registers makes an instruction jump.
  struct Test {
    fileprivate(set) var address: Int32
    let target: Int32
    let left: Int32
    let right: Int32
    /// 1 less, 2 equal, 4 greater; for numbers of one type.
    let outcomes: UInt8

    fileprivate init(_ instruction: Instruction, address: Int) {
      self.address = Int32(address)
      target = instruction.p2
      left = instruction.p1
      right = instruction.opcode.comparesRegisters ? instruction.p3 : instruction.p1
      outcomes =
        switch instruction.opcode {
        case .less: 1
        case .lessOrEqual: 1 | 2
        case .equal: 2
        case .greaterOrEqual: 2 | 4
        case .greater: 4
        case .notEqual: 1 | 4
        // No number is NULL.
        case .notNull: 1 | 2 | 4
        default: 0
        }
    }
  }

  let reading: UnsafePointer<RowReading>
  /// In the order of their instructions.
  let tests: UnsafePointer<Test>
  let testCount: Int
  let isReversed: Bool
  /// P5 of the loop's step (`StepCounts`).
  let counter: UInt8
  /// Where a row goes that is left to the instructions.
  let plainAddress: Int
}

/// A row scan and its memory.
final class RowScanContent {
  let scan: RowScan
  private let memory: UnsafeMutableRawPointer

  fileprivate init(
    _ part: RowScanFinder.Part, step: Instruction, keepsPlaces: Bool, plainAddress: Int
  ) {
    let registers = part.registers, tests = part.tests
    let testBytes = tests.count * MemoryLayout<RowScan.Test>.stride
    let registerBytes = registers.count * MemoryLayout<Int32>.stride
    memory = Memory.take(MemoryLayout<RowReading>.stride + testBytes + registerBytes)
    let reading = memory.bindMemory(to: RowReading.self, capacity: 1)
    let testMemory = memory + MemoryLayout<RowReading>.stride
    let testBase = testMemory.bindMemory(to: RowScan.Test.self, capacity: tests.count)
    for (index, test) in tests.enumerated() { (testBase + index).initialize(to: test) }
    let registerBase = (testMemory + testBytes)
      .bindMemory(to: Int32.self, capacity: registers.count)
    for (column, register) in registers.enumerated() {
      (registerBase + column).initialize(to: register)
    }
    reading.initialize(
      to: RowReading(
        registers: registerBase, columnCount: registers.count,
        rowidRegister: Int(part.rowidRegister),
        needsRowid: part.rowidRegister != 0 || keepsPlaces, keepsPlaces: keepsPlaces))
    scan = RowScan(
      reading: reading, tests: testBase, testCount: tests.count,
      isReversed: step.opcode == .previous, counter: step.p5, plainAddress: plainAddress)
  }

  deinit { Memory.systemFree(memory) }

  /// Which columns are read, and how many tests there are, for EXPLAIN.
  var description: String {
    let reading = scan.reading.pointee
    let columns = (0..<reading.columnCount).filter { reading.registers[$0] != 0 }
      .map { "\($0)" }
    return "c(\(columns.joined(separator: ",")))"
      + (scan.testCount > 0 ? " tests(\(scan.testCount))" : "")
  }
}

/// Finds out what of a loop's body one `scanRow` can do: the reads of columns and the tests that it
/// begins with. All are read before the first test is made, so that no register may be used twice,
/// and what is read behind the last test is left to its instructions.
struct RowScanFinder {
  private let code: UnsafeMutableBufferPointer<Instruction>
  private let collations: [Collation]
  private let step: Instruction
  private let stepAddress: Int
  private var part: Part

  /// What is taken of the body.
  fileprivate struct Part {
    /// As in `RowReading`.
    var registers: [Int32] = []
    var tests: [RowScan.Test] = []
    var rowidRegister: Int32 = 0
    /// Registers that were read or written.
    var used: [Int32] = []
    /// Where the last test is.
    var lastTest: Int?
    var end: Int

    init(end: Int) {
      self.end = end
      registers.reserveCapacity(8)
      used.reserveCapacity(16)
    }

    /// Begins again, with the memory that there is.
    mutating func clear(end: Int) {
      registers.removeAll(keepingCapacity: true)
      tests.removeAll(keepingCapacity: true)
      used.removeAll(keepingCapacity: true)
      rowidRegister = 0
      lastTest = nil
      self.end = end
    }

    /// False if the register is in use already.
    mutating func use(_ register: Int32) -> Bool {
      if used.contains(register) { return false }
      used.append(register)
      return true
    }
  }

  /// Where the loop's body begins, but for lines of EXPLAIN QUERY PLAN, which stay in their order.
  let start: Int
  /// Behind what `scanRow` does.
  var end: Int { part.end }

  /// - Parameter stepAddress: where the loop's `next` or `previous` is.
  init?(
    _ code: UnsafeMutableBufferPointer<Instruction>, _ collations: [Collation], stepAddress: Int
  ) {
    self.code = code
    self.collations = collations
    self.stepAddress = stepAddress
    step = code[stepAddress]
    var start = Int(step.p2)
    while start < stepAddress, code[start].opcode == .explain { start += 1 }
    self.start = start
    guard start < stepAddress, RowScanFinder.mayBegin(code[start].opcode) else { return nil }
    part = Part(end: start)
    takeAll(before: stepAddress)
    if let last = part.lastTest, last + 1 < part.end {
      part.clear(end: start)
      takeAll(before: last + 1)
    }
    guard !part.registers.isEmpty else { return nil }
  }

  /// Whether a scan may begin with the opcode: most loops can be told apart by that.
  private static func mayBegin(_ opcode: Opcode) -> Bool {
    switch opcode {
    case .column, .rowid, .noop, .isNull, .notNull: true
    default: opcode.comparesRegisters
    }
  }

  private mutating func takeAll(before limit: Int) {
    while part.end < limit, take(part.end) { part.end += 1 }
  }

  /// More columns than that are read one by one.
  private static let mostColumns = 128

  /// Takes the instruction at an address, or says that it is none that can be taken.
  private mutating func take(_ address: Int) -> Bool {
    let instruction = code[address]
    switch instruction.opcode {
    case .explain, .noop: return true
    case .column
    where instruction.p1 == step.p1
      // A value that is on the page is read as fast as its type.
      && (instruction.p5 == 0 || instruction.p5 == ColumnFlags.typeOnly.rawValue):
      let column = Int(instruction.p2)
      guard (0..<RowScanFinder.mostColumns).contains(column), part.use(instruction.p3) else {
        return false
      }
      while part.registers.count <= column { part.registers.append(0) }
      guard part.registers[column] == 0 else { return false }
      part.registers[column] = instruction.p3
      return true
    case .rowid where instruction.p1 == step.p1 && part.rowidRegister == 0:
      guard part.use(instruction.p2) else { return false }
      part.rowidRegister = instruction.p2
      return true
    case .realAffinity:
      // Only directly behind the read: a test in between would be of the integer.
      let before = code[address - 1], column = Int(before.p2)
      guard address > start, before.opcode == .column, before.p3 == instruction.p1,
        part.registers.indices.contains(column), part.registers[column] == instruction.p1
      else { return false }
      part.registers[column] = -instruction.p1
      return true
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
      // The application's collation may change the table while the row is read.
      if instruction.p4 >= 0, collations[Int(instruction.p4)].kind == .custom { return false }
      part.used.append(instruction.p3)
    case .isNull, .notNull: break
    default: return false
    }
    part.used.append(instruction.p1)
    part.tests.append(RowScan.Test(instruction, address: address))
    part.lastTest = address
    return true
  }

  /// The rest of the body reads columns, too.
  private var readsMore: Bool {
    (part.end..<stepAddress).contains { code[$0].opcode == .column && code[$0].p1 == step.p1 }
  }

  /// What `scanRow` is to do.
  ///
  /// - Parameter plainAddress: where a copy of the loop's first instruction will be.
  func scan(plainAddress: Int) -> RowScanContent {
    // The first instruction gives its place to `scanRow`.
    var part = part
    for index in part.tests.indices where part.tests[index].address == start {
      part.tests[index].address = Int32(plainAddress)
    }
    return RowScanContent(
      part, step: step, keepsPlaces: readsMore, plainAddress: plainAddress)
  }
}

extension Opcode {
  /// Whether it jumps as r[P1] and r[P3] compare.
  fileprivate var comparesRegisters: Bool {
    switch self {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: true
    default: false
    }
  }
}
