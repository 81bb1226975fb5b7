// The marks of a program whose loops are measured (`ScanMark`).

extension Emitter {
  /// Begins a run of the loop whose node of the query plan is `line`.
  func beginScan(_ level: Level, line: Int32) {
    guard measuresScans, !level.loop.flags.contains(.multiIndex) else { return }
    let loop = level.loop
    let name =
      loop.flags.contains(.hashTable)
      ? "auto-index" : loop.index?.name.string ?? level.source.tableName
    level.scan = builder.addScanLoop(
      ScanLoop(line: line, name: name, estimate: loop.rowCount, outer: currentScan))
    currentScan = level.scan
    emitMark(.enter, level.scan)
  }

  /// The loop has found a row.
  func emitScanRow(_ level: Level) {
    if level.scan >= 0 { emitMark(.row, level.scan) }
  }

  /// What follows belongs to no loop.
  func emitScanBody() {
    if measuresScans { emitMark(.go, -1) }
  }

  /// The loop goes on.
  func emitScanStep(_ level: Level) {
    if level.scan >= 0 { emitMark(.go, level.scan) }
  }

  /// Behind the loop.
  func endScan(_ level: Level) {
    guard level.scan >= 0 else { return }
    currentScan = builder.tables.scanLoops[Int(level.scan)].outer
    emitMark(.go, currentScan)
  }

  /// Gives a row to the application.
  func emitResultRow(_ first: RegisterIndex, count: Int) {
    if measuresScans { emitMark(.pause, -1) }
    emit(.resultRow, first.rawValue, Int32(count))
    if measuresScans { emitMark(.resume, -1) }
  }

  func emitMark(_ mark: ScanMark, _ loop: Int32) { emit(.scanMark, loop, mark.rawValue) }
}
