/// A word as FTS3's `porter` stems it: from its end, by rules that differ in some words from those
/// of `PorterWord` (a word may lose all its letters but one, and Y counts from behind).
///
/// It is kept backwards, with zeros behind its beginning, and grows and shrinks at its front.
struct ReversedWord {
  private typealias Condition = (ReversedWord, Int) -> Bool

  private let target: UnsafeMutablePointer<UInt8>
  private var letters: InlineArray<32, UInt8> = .init(repeating: 0)
  /// Where the word, or its end, begins.
  private var front: Int
  private let length: Int

  /// - Parameter target: Lower-case letters, at most 20; the stem is written there.
  init(_ target: UnsafeMutablePointer<UInt8>, _ count: Int) {
    assert(count <= 20)
    self.target = target
    // A stem may be longer by a letter.
    front = 4
    length = 4 + count
    for index in 0..<count { letters[front + index] = target[count - 1 - index] }
  }

  /// The length of the stem.
  mutating func stem() -> Int {
    if self[0] == .s, !replace("sess", "ss"), !replace("sei", "i"), !replace("ss", "ss") {
      front += 1
    }
    removePast()
    if self[0] == .y && hasVowel(1) { letters[front] = .i }
    replaceSecond()
    replaceThird()
    removeLast()
    if self[0] == .e {
      if isAbove1(1) || isExactly1(1) && !endsShort(1) { front += 1 }
    }
    if isAbove1(0) && self[0] == .l && self[1] == .l { front += 1 }
    let count = length - front
    for index in 0..<count { target[count - 1 - index] = letters[front + index] }
    return count
  }

  /// A letter counted from the end of the word; 0 beyond its beginning.
  private subscript(index: Int) -> UInt8 {
    let place = front + index
    return place < length ? letters[place] : 0
  }

  // MARK: Steps

  private mutating func removePast() {
    let before = front
    if replace("dee", "ee", { $0.isAbove0($1) }) { return }
    guard replace("gni", "", { $0.hasVowel($1) }) || replace("de", "", { $0.hasVowel($1) }),
      front != before
    else { return }
    if replace("ta", "ate") || replace("lb", "ble") || replace("zi", "ize") { return }
    let last = self[0]
    if isConsonant(0) && last == self[1] && last != .l && last != .s && last != .z {
      front += 1
    } else if isExactly1(0) && endsShort(0) {
      front -= 1
      letters[front] = .e
    }
  }

  private mutating func replaceSecond() {
    for (old, new) in ReversedWord.second
    where replace(old, new, { $0.isAbove0($1) }) { return }
  }

  private mutating func replaceThird() {
    for (old, new) in ReversedWord.third
    where replace(old, new, { $0.isAbove0($1) }) { return }
  }

  private mutating func removeLast() {
    for ending in ReversedWord.last
    where replace(ending, "", { $0.isAbove1($1) }) { return }
    if self[1] == .o && (self[3] == .s || self[3] == .t) {
      _ = replace("noi", "") { $0.isAbove1($1) }
    }
  }

  /// Replaces an ending, both written backwards and forwards. Where the condition for what is
  /// before it does not hold it stays, and is found all the same.
  private mutating func replace(
    _ old: StaticString, _ new: StaticString, _ condition: Condition? = nil
  ) -> Bool {
    let count = old.utf8CodeUnitCount
    for index in 0..<count where self[index] != old.utf8Start[index] { return false }
    if let condition, !condition(self, count) { return true }
    front += count
    for index in 0..<new.utf8CodeUnitCount {
      front -= 1
      letters[front] = new.utf8Start[index]
    }
    return true
  }

  // MARK: Questions, from a letter on towards the beginning

  private func isConsonant(_ index: Int) -> Bool {
    switch self[index] {
    case 0, .a, .e, .i, .o, .u: false
    case .y: self[index + 1] == 0 || isVowel(index + 1)
    default: true
    }
  }

  private func isVowel(_ index: Int) -> Bool {
    switch self[index] {
    case .a, .e, .i, .o, .u: true
    case .y: isConsonant(index + 1)
    default: false
    }
  }

  private func skipVowels(_ start: Int) -> Int {
    var index = start
    while isVowel(index) { index += 1 }
    return index
  }

  private func skipConsonants(_ start: Int) -> Int {
    var index = start
    while isConsonant(index) { index += 1 }
    return index
  }

  private func isAbove0(_ start: Int) -> Bool {
    let vowel = skipVowels(start)
    return self[vowel] != 0 && self[skipConsonants(vowel)] != 0
  }

  /// Where the measure is 1 or more: in front of the first pair and its vowels.
  private func behindPair(_ start: Int) -> Int? {
    let vowel = skipVowels(start)
    if self[vowel] == 0 { return nil }
    let consonant = skipConsonants(vowel)
    return self[consonant] == 0 ? nil : skipVowels(consonant)
  }

  private func isExactly1(_ start: Int) -> Bool {
    guard let rest = behindPair(start) else { return false }
    return self[rest] == 0 || self[skipConsonants(rest)] == 0
  }

  private func isAbove1(_ start: Int) -> Bool {
    guard let rest = behindPair(start) else { return false }
    return self[rest] != 0 && self[skipConsonants(rest)] != 0
  }

  private func hasVowel(_ start: Int) -> Bool { self[skipConsonants(start)] != 0 }

  private func endsShort(_ start: Int) -> Bool {
    let last = self[start]
    return isConsonant(start) && last != .w && last != .x && last != .y && isVowel(start + 1)
      && isConsonant(start + 2)
  }
}

extension ReversedWord {
  private typealias Ending = (old: StaticString, new: StaticString)

  private static let second: [Ending] = [
    ("lanoita", "ate"), ("lanoit", "tion"), ("icne", "ence"), ("icna", "ance"), ("rezi", "ize"),
    ("igol", "log"), ("ilb", "ble"), ("illa", "al"), ("iltne", "ent"), ("ile", "e"),
    ("ilsuo", "ous"), ("noitazi", "ize"), ("noita", "ate"), ("rota", "ate"), ("msila", "al"),
    ("ssenevi", "ive"), ("ssenluf", "ful"), ("ssensuo", "ous"), ("itila", "al"),
    ("itivi", "ive"), ("itilib", "ble"),
  ]

  private static let third: [Ending] = [
    ("etaci", "ic"), ("evita", ""), ("ezila", "al"), ("itici", "ic"), ("laci", "ic"), ("luf", ""),
    ("ssen", ""),
  ]

  private static let last: [StaticString] = [
    "la", "ecna", "ecne", "re", "ci", "elba", "elbi", "tna", "tneme", "tnem", "tne", "uo", "msi",
    "eta", "iti", "suo", "evi", "ezi",
  ]
}
