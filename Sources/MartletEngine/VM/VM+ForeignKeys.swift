// Opcodes that count broken foreign keys. Those of immediate keys are counted for the statement, by
// its own machine; the others for the transaction.

extension VM {
  func countForeignKey(_ op: Operation) {
    let count = Int64(op.pointee.p2)
    // A key that is deferred stays so, whatever the pragma says when it is mended.
    if op.pointee.p1 != 0 {
      host.foreignKeys.deferred &+= count
    } else if host.defersForeignKeys {
      host.foreignKeys.deferredByPragma &+= count
    } else {
      root.foreignKeyCount &+= count
    }
  }

  func areForeignKeysWhole(_ op: Operation) -> Bool {
    if op.pointee.p1 != 0 { return host.foreignKeys.isZero }
    return root.foreignKeyCount == 0 && host.foreignKeys.deferredByPragma == 0
  }
}
