extension Emitter {
  /// ORDER BY … NULLS LAST, or DESC NULLS FIRST, from an index: two walks, one over the NULLs of
  /// the first free column and one over the other values (SQLite's WHERE_BIGNULL_SORT).
  ///
  ///     pass = 1
  ///   again:
  ///     if pass is 0, go to second
  ///     seek for the first walk; go to top
  ///   second:
  ///     seek for the second walk
  ///   top:
  ///     leave the walk where it ends
  ///     …
  ///     next entry, back to top
  ///     if pass is 1: pass = 0, back to again
  func emitNullPasses(
    _ level: Level, _ cursor: CursorID, _ range: KeyRange, isNullLast: Bool
  ) {
    let pass = newRegister()
    let second = newLabel(), top = newLabel(), secondStop = newLabel(), body = newLabel()
    emit(.copy, range.first.rawValue, range.last.rawValue, Int32(range.prefixCount))
    emitNull(range.last + range.prefixCount)
    emitInteger(1, into: pass)
    let again = builder.placeNewLabel()
    level.next = newLabel()
    level.add(
      LoopLevel.KeyLoop(
        step: Instruction(.ifPositive, pass.rawValue, again.operand, 1),
        next: level.next, hope: nil))
    emit(.ifFalse, pass.rawValue, second.operand)
    emitPassSeek(level, cursor, range, ofNulls: isNullLast, isNullLast)
    emitGoto(top)
    place(second)
    emitPassSeek(level, cursor, range, ofNulls: !isNullLast, isNullLast)
    place(top)
    level.step = Instruction(
      level.isReversed ? .previous : .next, cursor.rawValue, top.operand)
    emit(.ifFalse, pass.rawValue, secondStop.operand)
    emitPassStop(level, cursor, range, ofNulls: isNullLast, isNullLast)
    emitGoto(body)
    place(secondStop)
    emitPassStop(level, cursor, range, ofNulls: !isNullLast, isNullLast)
    place(body)
  }

  private func emitPassSeek(
    _ level: Level, _ cursor: CursorID, _ range: KeyRange, ofNulls: Bool, _ isNullLast: Bool
  ) {
    if ofNulls {
      emitSeek(level, cursor, range.last, range.prefixCount + 1, isInclusive: true)
    } else if isNullLast {
      emitSeek(level, cursor, range.first, range.prefixCount, isInclusive: true)
    } else {
      emitSeek(level, cursor, range.last, range.prefixCount + 1, isInclusive: false)
    }
  }

  private func emitPassStop(
    _ level: Level, _ cursor: CursorID, _ range: KeyRange, ofNulls: Bool, _ isNullLast: Bool
  ) {
    if ofNulls {
      emitStop(level, cursor, range.last, range.prefixCount + 1, true)
    } else if isNullLast {
      emitStop(level, cursor, range.last, range.prefixCount + 1, false)
    } else if range.prefixCount > 0 {
      emitStop(level, cursor, range.first, range.prefixCount, true)
    }
  }
}
