// Statistics of ANALYZE (lang_analyze, fileformat2 §2.6.2).
//
//     tbl | idx | stat
//     t   | i   | 10000 50 1 unordered sz=20 noskipscan
//
// `stat` has the number of rows, then how many rows one value of the first 1, 2, … columns has. A
// row without an index tells the size of the table.

extension SchemaBuilder {
  /// Takes a row of sqlite_stat1 in. What does not fit the schema is passed over.
  func addStatistics(table: Name, index: Name?, _ text: UnsafeBufferPointer<UInt8>) {
    guard let table = tables[table] else { return }
    var found: Index?
    if let index {
      found =
        index == table.name
        ? table.indexes.first { $0.origin == .primaryKey } : indexes[index]
      if found == nil { return }
    }
    var statistics = StatisticsText(text)
    guard let index = found else {
      if let rows = statistics.nextNumber() { table.rowEstimate = LogEst(count: rows) }
      statistics.forEachWord { word in
        if let size = word.size { table.rowSizeEstimate = size }
      }
      table.hasStatistics = true
      return
    }
    guard index.table === table else { return }
    apply(&statistics, to: index)
    if index.partialWhere == nil {
      table.rowEstimate = index.rowEstimates[0]
      table.hasStatistics = true
    }
  }

  private func apply(_ statistics: inout StatisticsText, to index: Index) {
    index.isUnordered = false
    var position = 0
    index.rowCounts = Array(repeating: 0, count: index.keyColumnCount + 1)
    while position <= index.keyColumnCount, let number = statistics.nextNumber() {
      index.rowEstimates[position] = LogEst(count: number)
      index.rowCounts[position] = number
      position += 1
    }
    statistics.forEachWord { word in
      if word.isUnordered { index.isUnordered = true }
      if word.isNoSkipScan { index.allowsSkipScan = false }
      if let size = word.size { index.rowSizeEstimate = size }
    }
    let fewRows: LogEst = 66
    let rows = index.rowEstimates[0]
    index.isOfLowQuality = rows > fewRows && rows <= index.rowEstimates[index.keyColumnCount]
    index.hasStatistics = true
  }

  /// Takes a row of sqlite_stat4 in. The table's name stands for the primary key of a WITHOUT ROWID
  /// table.
  func addSample(
    index name: Name, counts: [UnsafeBufferPointer<UInt8>], record: UnsafeBufferPointer<UInt8>
  ) throws(SQLError) {
    guard let index = indexes[name] ?? tables[name]?.primaryKeyIndex else { return }
    let isPrimaryKey = index === index.table.primaryKeyIndex
    let samples =
      index.samples
      ?? IndexSamples(
        columnCount: isPrimaryKey ? index.keyColumnCount : index.columns.count, encoding: encoding)
    index.samples = samples
    index.table.hasSamples = true
    try samples.add(counts: counts, record: record)
  }

  /// To be called behind the last sample.
  func finishSamples() {
    for index in indexes.objects {
      index.samples?.finish(rowCounts: index.rowCounts, keyColumnCount: index.keyColumnCount)
    }
  }

  /// Estimates that no row gave follow from the table's number of rows.
  func finishStatistics() {
    for index in indexes.objects where !index.hasStatistics { index.setDefaultEstimates() }
  }
}

/// The numbers and words of a `stat` column.
struct StatisticsText {
  private let text: UnsafeBufferPointer<UInt8>
  private var position = 0

  init(_ text: UnsafeBufferPointer<UInt8>) { self.text = text }

  /// A number at the current place; nil at the first word or at the end.
  mutating func nextNumber() -> UInt64? {
    guard position < text.count, text[position] &- 0x30 <= 9 else { return nil }
    var value: UInt64 = 0
    while position < text.count, text[position] &- 0x30 <= 9 {
      value = value &* 10 &+ UInt64(text[position] &- 0x30)
      position += 1
    }
    if position < text.count, text[position] == UInt8(ascii: " ") { position += 1 }
    return value
  }

  mutating func forEachWord(_ body: (Word) -> Void) {
    while position < text.count {
      let start = position
      while position < text.count, text[position] != UInt8(ascii: " ") { position += 1 }
      body(Word(bytes: UnsafeBufferPointer(rebasing: text[start..<position])))
      while position < text.count, text[position] == UInt8(ascii: " ") { position += 1 }
    }
  }

  struct Word {
    let bytes: UnsafeBufferPointer<UInt8>

    var isUnordered: Bool { bytes.starts(with: "unordered".utf8) }
    var isNoSkipScan: Bool { bytes.starts(with: "noskipscan".utf8) }

    /// `sz=NNN`, the average bytes of a row, at least 2.
    var size: LogEst? {
      guard bytes.count > 3, bytes.starts(with: "sz=".utf8), bytes[3] &- 0x30 <= 9 else {
        return nil
      }
      var value: UInt64 = 0
      for byte in bytes.dropFirst(3) {
        guard byte &- 0x30 <= 9, value < 1 << 40 else { break }
        value = value * 10 + UInt64(byte &- 0x30)
      }
      return LogEst(count: max(2, value))
    }
  }
}
