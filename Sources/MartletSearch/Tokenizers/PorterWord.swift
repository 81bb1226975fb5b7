// Porter's algorithm for the stems of English words (M. F. Porter, "An algorithm for suffix
// stripping", 1980). A word is [C](VC){m}[V], where C are consonants and V are vowels; m, its
// measure, decides what ends may be taken off.

/// A word of lower-case letters that is stemmed in place. There is room behind it.
struct PorterWord {
  private let letters: UnsafeMutablePointer<UInt8>
  private(set) var count: Int

  init(_ letters: UnsafeMutablePointer<UInt8>, _ count: Int) {
    self.letters = letters
    self.count = count
  }


  mutating func stem() {
    removePlural()
    removePast()
    if letters[count - 1] == .y && hasVowel(count - 1) { letters[count - 1] = .i }
    replace(PorterEndings.second)
    replace(PorterEndings.third)
    removeLast()
    removeE()
    if count > 1, letters[count - 1] == .l, letters[count - 2] == .l, isAbove1(count - 1) {
      count -= 1
    }
  }

  // MARK: Steps

  /// Step 1a.
  private mutating func removePlural() {
    guard letters[count - 1] == .s else { return }
    if letters[count - 2] == .e {
      let isDouble = count > 4 && letters[count - 4] == .s && letters[count - 3] == .s
      count -= isDouble || count > 3 && letters[count - 3] == .i ? 2 : 1
    } else if letters[count - 2] != .s {
      count -= 1
    }
  }

  /// Step 1b.
  private mutating func removePast() {
    if ends("eed", atLeast: 4) {
      if isAbove0(count - 3) { count -= 1 }
      return
    }
    for ending in ["ed", "ing"] as [StaticString]
    where ends(ending, atLeast: ending.utf8CodeUnitCount + 1) {
      let stem = count - ending.utf8CodeUnitCount
      guard hasVowel(stem) else { return }
      count = stem
      return repairPast()
    }
  }

  /// What is left of a past or a participle gets its E back, or loses a doubled letter.
  private mutating func repairPast() {
    for ending in ["at", "bl", "iz"] as [StaticString] where ends(ending, atLeast: 3) {
      return append(.e)
    }
    let last = letters[count - 1]
    let isDouble =
      !isVowel(last, false) && count > 1 && last == letters[count - 2]
    if isDouble && last != .l && last != .s && last != .z {
      count -= 1
    } else if isExactly1(count) && endsShort(count) {
      append(.e)
    }
  }

  /// Steps 2 and 3: the first ending that fits is the only one that is tried.
  private mutating func replace(_ endings: [PorterEndings.Ending]) {
    for ending in endings
    where ends(ending.old, atLeast: ending.old.utf8CodeUnitCount + 1) {
      let stem = count - ending.old.utf8CodeUnitCount
      guard isAbove0(stem) else { return }
      let new = ending.new
      for index in 0..<new.utf8CodeUnitCount { letters[stem + index] = new.utf8Start[index] }
      count = stem + new.utf8CodeUnitCount
      return
    }
  }

  /// Step 4.
  private mutating func removeLast() {
    for ending in PorterEndings.last
    where ends(ending, atLeast: ending.utf8CodeUnitCount + 1) {
      if isAbove1(count - ending.utf8CodeUnitCount) { count -= ending.utf8CodeUnitCount }
      return
    }
    guard ends("ion", atLeast: 4) else { return }
    let before = letters[count - 4]
    if (before == .s || before == .t) && isAbove1(count - 3) { count -= 3 }
  }

  /// Step 5a.
  private mutating func removeE() {
    guard letters[count - 1] == .e else { return }
    if isAbove1(count - 1) || isExactly1(count - 1) && !endsShort(count - 1) { count -= 1 }
  }

  private mutating func append(_ letter: UInt8) {
    letters[count] = letter
    count += 1
  }

  // MARK: Questions

  private func ends(_ ending: StaticString, atLeast least: Int) -> Bool {
    let length = ending.utf8CodeUnitCount
    guard count >= least else { return false }
    for index in 0..<length where letters[count - length + index] != ending.utf8Start[index] {
      return false
    }
    return true
  }

  @inline(__always)
  private func isVowel(_ letter: UInt8, _ isYVowel: Bool) -> Bool {
    switch letter {
    case .a, .e, .i, .o, .u: true
    case .y: isYVowel
    default: false
    }
  }

  /// Behind the next vowel and the consonant that follows it; nil where there is no such pair.
  private func skipPair(from start: Int, to end: Int, afterConsonant: Bool) -> Int? {
    var index = start, isConsonant = afterConsonant
    while index < end {
      isConsonant = !isVowel(letters[index], isConsonant)
      if !isConsonant { break }
      index += 1
    }
    index += 1
    while index < end {
      isConsonant = !isVowel(letters[index], isConsonant)
      if isConsonant { return index + 1 }
      index += 1
    }
    return nil
  }

  /// The measure of the first letters is above 0.
  private func isAbove0(_ end: Int) -> Bool {
    skipPair(from: 0, to: end, afterConsonant: false) != nil
  }

  private func isAbove1(_ end: Int) -> Bool {
    guard let next = skipPair(from: 0, to: end, afterConsonant: false) else { return false }
    return skipPair(from: next, to: end, afterConsonant: true) != nil
  }

  private func isExactly1(_ end: Int) -> Bool {
    guard let next = skipPair(from: 0, to: end, afterConsonant: false) else { return false }
    return skipPair(from: next, to: end, afterConsonant: true) == nil
  }

  private func hasVowel(_ end: Int) -> Bool {
    for index in 0..<max(end, 0) where isVowel(letters[index], index > 0) { return true }
    return false
  }

  /// Consonant, vowel, consonant at the end, and the last is neither W, X nor Y.
  private func endsShort(_ end: Int) -> Bool {
    let last = letters[end - 1]
    if last == .w || last == .x || last == .y { return false }
    var pattern = 0, isConsonant = false
    for index in 0..<end {
      isConsonant = !isVowel(letters[index], isConsonant)
      pattern = pattern << 1 | (isConsonant ? 1 : 0)
      pattern &= 7
    }
    return pattern == 0b101
  }
}

/// Endings of Porter's steps. Where one is the end of another, the longer comes first.
enum PorterEndings {
  typealias Ending = (old: StaticString, new: StaticString)

  static let second: [Ending] = [
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"),
    ("logi", "log"), ("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"),
    ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"), ("ator", "ate"), ("alism", "al"),
    ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"), ("iviti", "ive"),
    ("biliti", "ble"),
  ]

  static let third: [Ending] = [
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""),
    ("ness", ""),
  ]

  static let last: [StaticString] = [
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ou", "ism",
    "ate", "iti", "ous", "ive", "ize",
  ]
}

extension UInt8 {
  static let a = UInt8(ascii: "a"), e = UInt8(ascii: "e"), i = UInt8(ascii: "i")
  static let l = UInt8(ascii: "l"), o = UInt8(ascii: "o"), s = UInt8(ascii: "s")
  static let t = UInt8(ascii: "t"), u = UInt8(ascii: "u"), w = UInt8(ascii: "w")
  static let x = UInt8(ascii: "x"), y = UInt8(ascii: "y"), z = UInt8(ascii: "z")
}
