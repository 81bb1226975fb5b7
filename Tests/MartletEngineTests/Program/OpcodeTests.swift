import Foundation
import Testing

@testable import MartletEngine

struct OpcodeTests {
  @Test func `docs/opcodes.md is what the specification generates`() throws {
    let document = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "docs/opcodes.md")
    if ProcessInfo.processInfo.environment["MARTLET_WRITE_DOCS"] != nil {
      try Data(Opcode.markdown.utf8).write(to: document)
    }
    #expect(try String(contentsOf: document, encoding: .utf8) == Opcode.markdown)
  }

  @Test func `instructions and registers have the size that the interpreter counts on`() {
    #expect(MemoryLayout<Instruction>.size == 20)
    #expect(MemoryLayout<Instruction>.stride == 20)
    #expect(MemoryLayout<Register>.stride == 40)
  }

  @Test func `names of opcodes are unique`() {
    let names = Opcode.allCases.map { $0.spec.name.description }
    #expect(Set(names).count == names.count)
  }

  @Test func `a synopsis mentions operands that the opcode has`() {
    for opcode in Opcode.allCases {
      let spec = opcode.spec
      for mention in spec.mentions where mention.operand < 4 {
        // The caller's P2 is meant where a co-routine ends.
        #expect(spec.role(mention.operand) != .unused, "\(opcode)")
      }
    }
  }

  private func program(_ build: (ProgramBuilder) -> Void) -> Program {
    let builder = ProgramBuilder(catalog: Catalog())
    _ = builder.newRegisters(3)
    _ = builder.newCursor()
    build(builder)
    return builder.finish(columns: [], explain: .none)
  }

  @Test func `a good program breaks no rule`() {
    let good = program { builder in
      builder.emit(.integer, 1, 3)
      builder.emit(.resultRow, 1, 3)
      builder.emit(.halt)
    }
    #expect(good.firstViolation == nil)
  }

  @Test(arguments: [
    Instruction(.integer, 1, 4), Instruction(.integer, 1, 0), Instruction(.goto, 0, 9),
    Instruction(.resultRow, 2, 3), Instruction(.rewind, 1, 0), Instruction(.copy, 1, 2, 2),
    Instruction(.constant, 0, 1, p4: 0), Instruction(.equal, 1, 0, 2, p4: 0),
    Instruction(.seekGreater, 0, 0, 3, p4: 2),
  ])
  func `an operand that does not exist is noticed`(instruction: Instruction) {
    let builder = ProgramBuilder(catalog: Catalog())
    #expect(
      Program(
        instructions: [instruction, Instruction(.halt)], registerCount: 4, cursorCount: 1,
        tables: builder.tables, columns: [], traits: .isReadOnly, explain: .none, encoding: .utf8,
        catalog: Catalog()
      ).firstViolation != nil)
  }

  @Test func `EXPLAIN puts operands into the comment`() {
    let listed = program { builder in
      builder.emit(.copy, 1, 2, 1)
      builder.emit(.add, 1, 2, 3)
      builder.emit(.halt)
    }
    #expect(listed.comment(on: listed.instructions[0]) == "r[2..3]=r[1..2]")
    #expect(listed.comment(on: listed.instructions[1]) == "r[3]=r[1]+r[2]")
    #expect(listed.explainListing.rows.count == 3)
    #expect(listed.explainListing.columns.count == 8)
  }
}
