extension Opcode {
  /// The content of `docs/opcodes.md`.
  static var markdown: String {
    var text = """
      # Instruction set of the virtual machine

      Generated from `Program/Opcode+Spec.swift`; a test compares the two. What an instruction does
      is said in full at its case in `Program/Opcode.swift`, and done in `VM/VM+<Family>.swift`.

      An instruction has an opcode, three operands P1 to P3, an index P4 into a side table of the
      program, and flags P5. `r[n]` is register n, `c[n]` cursor n, `r[P1@P2]` are P2 registers from
      P1 on. "Name" is what EXPLAIN shows: SQLite's name where SQLite has the opcode.

      **Who owns bytes.** `column` and `rowColumn` lend a text or blob from the page or row: the loan
      ends when the cursor moves. `shallowCopy`, `constant` and `parameter` lend, too; a value that
      was lent by `rowsTake` ends with the next one. `copy` and `move` make values that stand for
      themselves, and whatever goes into a sorter, row store, hash table, accumulator or record is
      copied there. A result row is valid until the statement is stepped or reset.

      **What spills.** Sorters, row stores, queues, hash sets, join tables, hash aggregations and
      windows of a statement share a budget of memory and go on in temporary files beyond it
      (docs/architecture.md, "Memory for work").

      | opcode | name | P1 | P2 | P3 | P4 | in short |
      |---|---|---|---|---|---|---|

      """
    for opcode in allCases {
      let spec = opcode.spec
      let cells = [
        "`\(opcode)`", spec.name.description, spec.p1.rawValue, spec.p2.rawValue,
        spec.p3.rawValue, spec.p4.rawValue, escaped(spec.synopsis.description),
      ]
      text += "| " + cells.joined(separator: " | ") + " |\n"
    }
    return text
  }

  /// A bar would end the cell.
  private static func escaped(_ text: String) -> String {
    String(text.flatMap { $0 == "|" ? ["\\", $0] : [$0] })
  }
}
