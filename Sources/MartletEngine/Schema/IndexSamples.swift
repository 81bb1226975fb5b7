// Samples of an index, as ANALYZE keeps them in sqlite_stat4 (fileformat2 §2.6.4).
//
//     idx | neq     | nlt     | ndlt   | sample
//     i   | 7 2 1   | 40 42 43| 3 20 43| record of the index's columns
//
// For the beginnings of 1, 2, … columns of the sample: how many entries are equal, how many are
// less, and how many different ones are less.

/// The samples of one index, in its order.
final class IndexSamples: @unchecked Sendable {
  struct Sample {
    let equal: UnsafePointer<UInt64>
    let less: UnsafePointer<UInt64>
    let distinct: UnsafePointer<UInt64>
    /// `KeyComparison.slack` bytes behind it may be read.
    let record: UnsafePointer<UInt8>
    let byteCount: Int
  }

  /// How many columns the counts are of.
  let columnCount: Int
  let encoding: TextEncoding
  private(set) var samples: [Sample] = []
  /// Entries equal to a value that is no sample, for each number of columns.
  private(set) var averageEqual: [UInt64]
  /// Entries of the index.
  private(set) var entryCount: UInt64 = 0
  private var memory: [UnsafeMutableRawPointer] = []
  private var ownKeyInfo: KeyInfo?

  /// ANALYZE keeps 24; more than this in a file are passed over.
  private static let limit = 1_024

  init(columnCount: Int, encoding: TextEncoding) {
    self.columnCount = columnCount
    self.encoding = encoding
    averageEqual = Array(repeating: 1, count: columnCount)
  }

  deinit {
    for block in memory { Memory.free(block) }
  }

  /// Adds a row of sqlite_stat4: its counts as text, and its sample.
  func add(
    counts: [UnsafeBufferPointer<UInt8>], record: UnsafeBufferPointer<UInt8>
  ) throws(SQLError) {
    guard samples.count < IndexSamples.limit, counts.count == 3 else { return }
    let countBytes = 3 * columnCount * 8
    let block = try Memory.allocateZeroed(countBytes + record.count + KeyComparison.slack)
    memory.append(block)
    let numbers = block.assumingMemoryBound(to: UInt64.self)
    for (position, text) in counts.enumerated() {
      var statistics = StatisticsText(text)
      let target = numbers + position * columnCount
      for column in 0..<columnCount {
        guard let number = statistics.nextNumber() else { break }
        target[column] = number
      }
    }
    let copy = (block + countBytes).assumingMemoryBound(to: UInt8.self)
    if let bytes = record.baseAddress { Memory.copy(from: bytes, to: copy, record.count) }
    samples.append(
      Sample(
        equal: UnsafePointer(numbers), less: UnsafePointer(numbers + columnCount),
        distinct: UnsafePointer(numbers + 2 * columnCount), record: UnsafePointer(copy),
        byteCount: record.count))
  }

  /// To be called behind the last sample.
  ///
  /// - Parameter rowCounts: the numbers that sqlite_stat1 has of the index; empty where it has
  ///   none.
  func finish(rowCounts: [UInt64], keyColumnCount: Int) {
    guard let last = samples.last else { return }
    // With its last columns, which make it unique, an entry is equal to no other.
    for column in 0..<max(1, columnCount - 1) {
      var sampleCount = samples.count
      let hundredfold: UInt64
      if column < keyColumnCount, column + 1 < rowCounts.count, rowCounts[column + 1] > 0 {
        entryCount = rowCounts[0]
        hundredfold = (rowCounts[0] &* 100) / rowCounts[column + 1]
      } else {
        entryCount = last.less[column]
        hundredfold = last.distinct[column] &* 100
        sampleCount -= 1
      }
      averageEqual[column] = average(column, of: sampleCount, distinctHundredfold: hundredfold)
    }
  }

  /// Shares the entries that the samples do not stand for among the values that are no samples.
  private func average(
    _ column: Int, of sampleCount: Int, distinctHundredfold: UInt64
  ) -> UInt64 {
    var equalCount: UInt64 = 0, sampledHundredfold: Int64 = 0
    for position in 0..<sampleCount
    where position == sampleCount - 1
      || samples[position].distinct[column] != samples[position + 1].distinct[column]
    {
      equalCount &+= samples[position].equal[column]
      sampledHundredfold &+= 100
    }
    let others = Int64(bitPattern: distinctHundredfold) &- sampledHundredfold
    guard Int64(bitPattern: distinctHundredfold) > sampledHundredfold, others > 0,
      equalCount < entryCount
    else { return 1 }
    return max(1, ((entryCount &- equalCount) &* 100) / UInt64(others))
  }

  /// How the samples compare; nil where a collation is the application's.
  func keyInfo(of index: Index) -> KeyInfo? {
    if let known = index.keyInfo ?? ownKeyInfo { return known }
    var columns: [KeyInfo.Column] = []
    for column in index.columns {
      var collation = Collation.binary
      if let name = column.collation {
        guard let known = Collation.builtIn(named: name) else { return nil }
        collation = known
      }
      columns.append(
        KeyInfo.Column(
          collation: collation, isDescending: column.isDescending, hasBigNulls: false))
    }
    ownKeyInfo = KeyInfo(columns: columns, keyColumnCount: columns.count, encoding: encoding)
    return ownKeyInfo
  }
}
