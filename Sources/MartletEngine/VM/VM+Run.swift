// The interpreter loop.
//
// One switch over all opcodes, longer than any screen so that the program counter and the register
// base stay in machine registers. Cases do what takes a line or three; everything else is in
// `VM+<Family>.swift`. Control flow stays here: what may jump returns whether to.

extension VM {
  func execute() throws(SQLError) -> StepResult {
    let base = UnsafePointer(program.instructions)
    let registers = self.registers, slots = self.slots, attention = self.attention
    let stepCounts = self.stepCounts
    var next = base + address
    while true {
      let op = next
      next += 1
      switch op.pointee.opcode {

      // MARK: Control flow
      case .start:
        next = base + op.p2
      case .goto:
        next = base + op.p2
        if attention.isRaised { try host.attend() }
      case .gosub:
        registers[op.p1].setInteger(Int64(op - base))
        next = base + op.p2
      case .return:
        let target = registers + op.p1
        if target.pointee.tag == .integer {
          next = base + (Int(target.pointee.integer) &+ 1)
        } else if op.pointee.p3 == 0 {
          throw SQLError(.internal)
        }
      case .initCoroutine:
        registers[op.p1].setInteger(Int64(op.p3 &- 1))
        if op.pointee.p2 != 0 { next = base + op.p2 }
      case .yield:
        let target = Int(registers[op.p1].integer)
        registers[op.p1].setInteger(Int64(op - base))
        next = base + (target &+ 1)
      case .endCoroutine:
        let caller = base + Int(registers[op.p1].integer)
        registers[op.p1].setInteger(Int64(op - base &- 1))
        next = base + caller.p2
      case .halt:
        stepCounts.noteEnd()
        address = op - base
        try halt(op)
        return .done
      case .haltIfNull:
        if registers[op.p3].tag == .null {
          address = op - base
          try halt(op)
          return .done
        }
      case .once:
        if ranOnce[op - base] != 0 { next = base + op.p2 } else { ranOnce[op - base] = 1 }
      case .forgetOnce:
        (ranOnce + (op - base)).update(repeating: 0, count: Int(op.p2) - (op - base))
      case .ifTrue:
        let value = registers + op.p1
        if value.pointee.tag == .integer {
          if value.pointee.bits != 0 { next = base + op.p2 }
        } else if Cast.truth(of: value, encoding) ?? (op.pointee.p3 != 0) {
          next = base + op.p2
        }
      case .ifFalse:
        let value = registers + op.p1
        if value.pointee.tag == .integer {
          if value.pointee.bits == 0 { next = base + op.p2 }
        } else if !(Cast.truth(of: value, encoding) ?? (op.pointee.p3 == 0)) {
          next = base + op.p2
        }
      case .isNull:
        if registers[op.p1].tag == .null { next = base + op.p2 }
      case .notNull:
        if registers[op.p1].tag != .null { next = base + op.p2 }
      case .isType:
        if registers[op.p1].tag.bit & UInt8(op.p3) != 0 { next = base + op.p2 }
      case .ifPositive:
        if registers[op.p1].integer > 0 {
          registers[op.p1].integer &-= Int64(op.pointee.p3)
          next = base + op.p2
        }
      case .ifNotZero:
        let value = registers[op.p1].integer
        if value != 0 {
          if value > 0 { registers[op.p1].integer = value &- 1 }
          next = base + op.p2
        }
      case .decrementJumpZero:
        if registers[op.p1].integer > .min { registers[op.p1].integer &-= 1 }
        if registers[op.p1].integer == 0 { next = base + op.p2 }
      case .offsetLimit:
        offsetLimit(op)
      case .jump:
        next = base + (comparison < 0 ? op.p1 : comparison == 0 ? op.p2 : op.p3)
      case .mustBeInteger:
        if registers[op.p1].tag != .integer, try !makeInteger(op) { next = base + op.p2 }
      case .program:
        if try callSubprogram(op, next - base) { return .call }
      case .outerValue:
        registers[op.p2].borrow(from: outerValues[op.p1])
      case .foreignKeyCount:
        countForeignKey(op)
      case .foreignKeyIfZero:
        if areForeignKeysWhole(op) { next = base + op.p2 }
      case .foreignKeyCheck:
        if root.foreignKeyCount != 0 { throw .foreignKey }
      case .resetCount:
        noteChangeCount()
      case .trace:
        traceStep(op)
      case .noop, .explain:
        break
      case .scanMark:
        noteScan(op)

      // MARK: Values
      case .null:
        setNulls(op)
      case .integer:
        registers[op.p2].setInteger(Int64(op.pointee.p1))
      case .constant:
        registers[op.p2].borrow(from: tables.constants[op.p4])
      case .parameter:
        registers[op.p2].borrow(from: parameters[op.p1])
        registers[op.p2].flags.insert(.fromBind)
        if registers[op.p2].isLonger(than: lengthLimit) { throw .tooBig }
      case .copy:
        try copy(op)
      case .shallowCopy:
        registers[op.p2].borrow(from: registers[op.p1])
      case .move:
        try move(op)
      case .cast:
        try cast(op)
      case .affinity:
        try applyAffinities(op)
      case .realAffinity:
        if registers[op.p1].tag == .integer {
          registers[op.p1].setReal(Double(registers[op.p1].integer))
        }
      case .own:
        for offset in 0..<op.p2 { try registers[op.p1 + offset].makeOwned() }
      case .checkType:
        if registers[op.p1].tag != .null { try checkType(op) }
      case .maximum:
        takeMaximum(op)

      // MARK: Arithmetic and logic
      case .add:
        let left = registers + op.p1, right = registers + op.p2, result = registers + op.p3
        if !Arithmetic.addFast(left, right, into: result) { compute(.add, left, right, result) }
      case .subtract:
        let left = registers + op.p1, right = registers + op.p2, result = registers + op.p3
        if !Arithmetic.subtractFast(left, right, into: result) {
          compute(.subtract, left, right, result)
        }
      case .multiply:
        let left = registers + op.p1, right = registers + op.p2, result = registers + op.p3
        if !Arithmetic.multiplyFast(left, right, into: result) {
          compute(.multiply, left, right, result)
        }
      case .divide:
        let left = registers + op.p1, right = registers + op.p2, result = registers + op.p3
        if !Arithmetic.divideFast(left, right, into: result) {
          compute(.divide, left, right, result)
        }
      case .remainder:
        let left = registers + op.p1, right = registers + op.p2, result = registers + op.p3
        if !Arithmetic.remainderFast(left, right, into: result) {
          compute(.remainder, left, right, result)
        }
      case .concat:
        try concatenate(op)
      case .bitAnd:
        compute(.and, registers + op.p1, registers + op.p2, registers + op.p3)
      case .bitOr:
        compute(.or, registers + op.p1, registers + op.p2, registers + op.p3)
      case .shiftLeft:
        compute(.shiftLeft, registers + op.p1, registers + op.p2, registers + op.p3)
      case .shiftRight:
        compute(.shiftRight, registers + op.p1, registers + op.p2, registers + op.p3)
      case .and:
        and(op)
      case .or:
        or(op)
      case .not:
        not(op)
      case .bitNot:
        Arithmetic.invertBits(registers + op.p1, into: registers + op.p2, encoding: encoding)
      case .negate:
        Arithmetic.negate(registers + op.p1, into: registers + op.p2, encoding: encoding)
      case .isTrue:
        let truth = Cast.truth(of: registers + op.p1, encoding) ?? (op.pointee.p3 != 0)
        registers[op.p2].setBool(truth != (op.pointee.p4 == 1))
      case .nullTest:
        registers[op.p2].setBool(registers[op.p1].isNull != (op.pointee.p3 != 0))

      // MARK: Comparison
      case .equal:
        if try holds(op, registers, ==, { $0 == 0 }) { next = base + op.p2 }
      case .notEqual:
        if try holds(op, registers, !=, { $0 != 0 }) { next = base + op.p2 }
      case .less:
        if try holds(op, registers, <, { $0 < 0 }) { next = base + op.p2 }
      case .lessOrEqual:
        if try holds(op, registers, <=, { $0 <= 0 }) { next = base + op.p2 }
      case .greater:
        if try holds(op, registers, >, { $0 > 0 }) { next = base + op.p2 }
      case .greaterOrEqual:
        if try holds(op, registers, >=, { $0 >= 0 }) { next = base + op.p2 }
      case .equalValue:
        try setComparison(op) { $0 == 0 }
      case .notEqualValue:
        try setComparison(op) { $0 != 0 }
      case .lessValue:
        try setComparison(op) { $0 < 0 }
      case .lessOrEqualValue:
        try setComparison(op) { $0 <= 0 }
      case .greaterValue:
        try setComparison(op) { $0 > 0 }
      case .greaterOrEqualValue:
        try setComparison(op) { $0 >= 0 }
      case .compare:
        comparison = try compareKeys(op)

      // MARK: Functions
      case .function:
        try callFunction(op)
      case .aggregateStart:
        startAggregate(op)
      case .aggregateStep:
        try stepAggregate(op)
      case .aggregateCount:
        Aggregates.count(registers + op.p3)
      case .aggregateFinal:
        try finishAggregate(op)

      // MARK: Records and rows
      case .makeRecord:
        try makeRecord(op)
      case .resultRow:
        resultBase = registers + op.p1
        resultCount = Int(op.pointee.p2)
        address = next - base
        return .row

      // MARK: Transactions
      case .transaction:
        try beginTransaction(op)
      case .autocommit:
        try host.changeTransaction(TransactionChange(rawValue: UInt8(op.p1)) ?? .rollback)
      case .savepoint:
        try changeSavepoint(op)
      case .headerValue:
        try readHeader(op)
      case .setMeta:
        try setMeta(op)
      case .schemaChanged:
        try host.schemaChanged(
          ofDatabase: op.p1, firstRow: op.p2 == 0 ? nil : registers[op.p2].integer,
          reading: SchemaReading(rawValue: UInt8(truncatingIfNeeded: op.pointee.p3)) ?? .all)
      case .objectDropped:
        try objectDropped(op)
      case .perform:
        try perform(op)

      // MARK: Trees
      case .createTree:
        try createTree(op)
      case .destroyTree:
        try destroyTree(op)
      case .clearTree:
        try clearTree(op)

      // MARK: B-tree cursors
      case .openRead:
        try openTree(op, root: op.pointee.p2)
      case .openWrite:
        try openWritableTree(op)
      case .close:
        slots[op.p1].close()
      case .cursorLock:
        pinCursor(op, true)
      case .cursorUnlock:
        pinCursor(op, false)
      case .nullRow:
        setNullRow(op)
      case .rewind:
        if try !moveToFirst(op) { next = base + op.p2 }
      case .last:
        if try !moveToLast(op) { next = base + op.p2 }
      case .next:
        if try moveToNext(slots + op.p1) {
          next = base + op.p2
          stepCounts.note(op.pointee.p5)
          if attention.isRaised { try host.attend() }
        }
      case .previous:
        if try moveToPrevious(slots + op.p1) {
          next = base + op.p2
          stepCounts.note(op.pointee.p5)
          if attention.isRaised { try host.attend() }
        }
      case .column:
        let slot = slots + op.p1, target = registers + op.p3
        if slot.pointee.deferredIndex >= 0 || op.pointee.p5 != 0 {
          try readColumnSlow(op, ColumnFlags(rawValue: op.pointee.p5))
        } else if try !readColumn(slot, op.p2, into: target) {
          setMissingColumn(op)
        }
      case .scanRow:
        next = try scanRow(op, base)
      case .columns:
        let slot = slots + op.p1, target = registers + op.p3
        if slot.pointee.deferredIndex >= 0 {
          try readColumnSlow(op, [])
        } else {
          let count = readColumns(slot, op.p2, Int(op.pointee.p5), into: target)
          if count > 0 {
            next = op + count
          } else if try !readColumn(slot, op.p2, into: target) {
            setMissingColumn(op)
          }
        }
      case .rowid:
        try readRowid(op)
      case .indexRowid:
        try readIndexRowid(op)
      case .deferredSeek:
        deferSeek(op)
      case .finishSeek:
        if slots[op.p1].deferredIndex >= 0 { try finishSeek(slots + op.p1) }
      case .seekRowid:
        if try !seekRowid(op) { next = base + op.p2 }
      case .seekLess:
        if try !seek(op, .less) { next = base + op.p2 }
      case .seekLessOrEqual:
        if try !seek(op, .lessOrEqual) { next = base + op.p2 }
      case .seekGreaterOrEqual:
        if try !seek(op, .greaterOrEqual) { next = base + op.p2 }
      case .seekGreater:
        if try !seek(op, .greater) { next = base + op.p2 }
      case .indexLess:
        if try compareEntry(op) < 0 { next = base + op.p2 }
      case .indexLessOrEqual:
        if try compareEntry(op) <= 0 { next = base + op.p2 }
      case .indexGreaterOrEqual:
        if try compareEntry(op) >= 0 { next = base + op.p2 }
      case .indexGreater:
        if try compareEntry(op) > 0 { next = base + op.p2 }
      case .found:
        if try findKey(op) { next = base + op.p2 }
      case .notFound:
        if try !findKey(op) { next = base + op.p2 }
      case .count:
        try countEntries(op)
      case .noConflict:
        if try !findConflict(op) { next = base + op.p2 }
      case .seekHit:
        slots[op.p1].noteSeekHit(op.p2, op.p3)
      case .ifNoHope:
        if try isHopeless(op) { next = base + op.p2 }
      case .rowData:
        try readRecord(op)

      // MARK: Changing trees
      case .newRowid:
        try makeRowid(op)
      case .announceChange:
        address = op - base
        try announceChange(op)
      case .insert:
        try insertRow(op)
      case .delete:
        try deleteEntry(op)
      case .indexInsert:
        try insertKey(op)
      case .indexAppend:
        try appendKey(op)
      case .indexDelete:
        try deleteKey(op)

      // MARK: Sorter
      case .sorterOpen:
        try openSorter(op)
      case .sorterRejects:
        if try sorterRejects(op) { next = base + op.p2 }
      case .sorterInsert:
        try insertIntoSorter(op)
      case .sorterSort:
        sortCount &+= 1
        if try !sort(op) { next = base + op.p2 }
      case .sorterDuplicate:
        if try isDuplicate(op) { next = base + op.p2 }
      case .sorterReset:
        try resetSorter(op)
      case .sorterNext:
        if try moveSorter(op) {
          next = base + op.p2
          if attention.isRaised { try host.attend() }
        }

      // MARK: Row store
      case .rowsOpen:
        openRows(op)
      case .rowsShare:
        try shareRows(op)
      case .rowsInsert:
        try appendRow(op)
      case .getSubtype:
        getSubtype(op)
      case .setSubtype:
        setSubtype(op)
      case .clearSubtype:
        registers[op.p1].flags.subtract([.subtype, .pointer])
      case .rowsRewind:
        if try !rewindRows(op) { next = base + op.p2 }
      case .rowsNext:
        if try moveRows(op) {
          next = base + op.p2
          if attention.isRaised { try host.attend() }
        }
      case .rowsTake:
        if try !takeRow(op) { next = base + op.p3 }
        if attention.isRaised { try host.attend() }
      case .queueOpen:
        openQueue(op)
      case .queueInsert:
        try insertIntoQueue(op)
      case .queueTake:
        if try !takeFromQueue(op) { next = base + op.p3 }
        if attention.isRaised { try host.attend() }

      // MARK: Virtual tables
      case .virtualOpen: try openScan(op)
      case .virtualFilter:
        if try !startScan(op) { next = base + op.p2 }
      case .virtualNext:
        if try moveScan(op) {
          next = base + op.p2
          if attention.isRaised { try host.attend() }
        }
      case .virtualColumn:
        try readScan(op)
      case .virtualList:
        registers[op.p2].setInteger(Int64(op.p1))
      case .virtualBegin:
        try beginVirtual(op)
      case .virtualUpdate:
        try updateVirtual(op)
      case .virtualCreate:
        try host.createVirtualTable(program.tables.texts[op.p4], inDatabase: op.p1)
      case .virtualDestroy:
        try host.destroyVirtualTable(program.tables.changedTables[op.p4])
      case .virtualRename:
        try renameVirtual(op)
      case .virtualCheck:
        try checkVirtual(op)

      // MARK: Hash set
      case .setOpen:
        try openSet(op)
      case .setInsert:
        if try !insertIntoSet(op), op.pointee.p2 != 0 { next = base + op.p2 }
      case .setFound:
        if try isInSet(op) { next = base + op.p2 }
      case .setNotFound:
        if try !isInSet(op) { next = base + op.p2 }
      case .setMark:
        try markInSet(op)
      case .setRewind:
        if try !rewindSet(op) { next = base + op.p2 }
      case .setNext:
        if try moveSet(op) {
          next = base + op.p2
          if attention.isRaised { try host.attend() }
        }
      case .setHasNoNull:
        if try withSet(op, { !$0.hasNull }) { next = base + op.p2 }
      case .setIsEmpty:
        if try withSet(op, { $0.isEmpty }) { next = base + op.p2 }

      // MARK: Hash join table
      case .joinOpen:
        try openJoin(op)
      case .joinInsert:
        try insertIntoJoin(op)
      case .joinSeek:
        if try !seekJoin(op) { next = base + op.p2 }
      case .joinNext:
        if try moveJoin(op) {
          next = base + op.p2
          if attention.isRaised { try host.attend() }
        }

      // MARK: Key filter
      case .filterOpen:
        try openFilter(op)
      case .filterAdd:
        try addToFilter(op)
      case .filterTest:
        if try !mayBeInFilter(op) { next = base + op.p2 }

      // MARK: Hash aggregation
      case .groupOpen:
        try openGroups(op)
      case .groupInsert:
        try insertIntoGroups(op)
      case .groupSort:
        if try !firstGroup(op) { next = base + op.p2 }
      case .groupNext:
        if try nextGroup(op) {
          next = base + op.p2
          if attention.isRaised { try host.attend() }
        }

      // MARK: Windows
      case .windowOpen:
        try openWindow(op)
      case .windowInsert:
        if try !insertIntoWindow(op) { next = base + op.p2 }
      case .windowPeer:
        if try newestIsPeer(op) { next = base + op.p2 }
      case .windowOffset:
        try checkFrameOffset(op)
      case .windowEnd:
        try stepWindowEnd(op)
      case .windowStart:
        if try stepWindowStart(op) { next = base + op.p2 }
      case .windowNeedsRows:
        if try windowNeedsRows(op) { next = base + op.p2 }
      case .windowValues:
        try computeWindow(op)
      case .windowRow:
        try putOutWindowRow(op)
      case .windowNext:
        switch try advanceWindow(op) {
        case .end: next = base + op.p2
        case .peer: if op.pointee.p3 != 0 { next = base + op.p3 }
        case .nextGroup: break
        }
        if attention.isRaised { try host.attend() }
      case .windowIfEmpty:
        if try isWindowEmpty(op) { next = base + op.p2 }
      case .windowStep:
        try stepWindow(op)
      case .windowReset:
        try resetWindow(op)

      // MARK: Statistics
      case .samplerOpen:
        try openSampler(op)
      case .samplerAdd:
        try addToSampler(op)
      case .samplerSummary:
        try readSummary(op)
      case .samplerNext:
        if try !readSample(op) { next = base + op.p2 }
      case .ifSizeBetween:
        if try isSizeBetween(op) { next = base + op.p2 }

      case .rowColumn:
        let slot = slots + op.p1
        if let row = slot.pointee.row, !slot.pointee.isNullRow {
          StoredRow.read(
            op.p2, of: row, valuesOffset: Int(slot.pointee.valuesOffset),
            into: registers + op.p3)
        } else {
          registers[op.p3].setNull()
        }
      }
    }
  }
}

extension UnsafePointer<Instruction> {
  @inline(__always) var p1: Int { Int(pointee.p1) }
  @inline(__always) var p2: Int { Int(pointee.p2) }
  @inline(__always) var p3: Int { Int(pointee.p3) }
  @inline(__always) var p4: Int { Int(pointee.p4) }
}
