import MartletEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What is the same for all rows of a scan that `bm25()` is asked of.
final class BM25Weights {
  let averageSize: Double
  /// The inverse document frequency of each phrase.
  private(set) var frequencies: [Double] = []

  init(_ match: FTS5Cursor) throws(SQLError) {
    let rowCount = try match.rowCount()
    let tokenCount = try match.totalSize(ofColumn: nil)
    averageSize = Double(tokenCount) / Double(rowCount)
    for phrase in 0..<match.phraseCount {
      let hits = try match.rowCount(ofPhrase: phrase)
      let frequency = log((Double(rowCount - hits) + 0.5) / (Double(hits) + 0.5))
      frequencies.append(frequency <= 0 ? 1e-6 : frequency)
    }
  }
}

/// `bm25()`: how well a row matches; less is better (fts5 §5.1.1).
final class BM25Function: AuxiliaryFunction {
  private static let k1 = 1.2
  private static let b = 0.75

  func call(
    _ match: FTS5Cursor, _ arguments: [ValueReference], _ result: ResultPlace
  ) throws(SQLError) {
    let weights: BM25Weights
    if let known = match.weights {
      weights = known
    } else {
      weights = try BM25Weights(match)
      match.weights = weights
    }
    let k1 = BM25Function.k1, b = BM25Function.b
    var score = 0.0
    let size = Double(try match.size(ofColumn: nil))
    let norm = k1 * (1 - b + b * size / weights.averageSize)
    for phrase in 0..<weights.frequencies.count {
      let frequency = try BM25Function.frequency(match, phrase, arguments)
      score += weights.frequencies[phrase] * ((frequency * (k1 + 1.0)) / (frequency + norm))
    }
    result.set(-1.0 * score)
  }

  /// How often a phrase is in the row, each time with the weight of its column.
  private static func frequency(
    _ match: FTS5Cursor, _ phrase: Int, _ weights: [ValueReference]
  ) throws(SQLError) -> Double {
    guard let positions = try match.positions(ofPhrase: phrase) else { return 0 }
    if weights.isEmpty { return Double(positions.count) }
    var sum = 0.0
    for index in 0..<positions.count {
      let column = Position.column(positions[index])
      sum += column < weights.count ? weights[column].double : 1
    }
    return sum
  }
}
