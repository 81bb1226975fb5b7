/// Words and documents that are the same in every run: a fixed seed, and Zipf's law for how often a
/// word comes.
struct SearchText {
  static let wordCount = 50_000
  static let documentLength = 200

  private var state: UInt64 = 88_172_645_463_325_252
  /// Rank r comes in front of a share of all words.
  private let shares: [Double]
  private let words: [[UInt8]]

  init() {
    var shares: [Double] = [], sum = 0.0
    for rank in 1...Self.wordCount {
      sum += 1 / Double(rank)
      shares.append(sum)
    }
    self.shares = shares.map { $0 / sum }
    words = (1...Self.wordCount).map { Array(Self.word($0).utf8) }
  }

  /// The word that is the `rank`th most frequent: short where it comes often, some with letters
  /// that are not ASCII's.
  static func word(_ rank: Int) -> String {
    let consonants = Array("bdfgklmnprstvz"), vowels = Array("aeiou")
    var rest = rank &* 7_919 % 1_000_003, text = ""
    for _ in 0..<(rank < 100 ? 1 : rank < 5_000 ? 2 : 3) {
      text.append(consonants[rest % consonants.count])
      rest /= consonants.count
      text.append(vowels[rest % vowels.count])
      rest /= vowels.count
    }
    // What makes it a word of its own.
    var number = rank
    while number > 0 {
      text.append(consonants[number % consonants.count])
      number /= consonants.count
    }
    return rank % 16 == 0 ? text + "é" : text
  }

  private mutating func random() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }

  private mutating func rank() -> Int {
    let share = Double(random() >> 11) / Double(1 << 53)
    var low = 0, high = shares.count - 1
    while low < high {
      let middle = (low + high) / 2
      if shares[middle] < share { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The next document: sentences of twelve words.
  mutating func document(into text: inout [UInt8]) {
    text.removeAll(keepingCapacity: true)
    for place in 0..<Self.documentLength {
      let start = text.count
      text += words[rank()]
      if place % 12 == 0, text[start] >= 0x61 { text[start] -= 0x20 }
      if place % 12 == 11 { text.append(UInt8(ascii: ".")) }
      text.append(UInt8(ascii: " "))
    }
  }
}
