/// `remove_diacritics` (fts5 §4.3.1, fts3 §8).
enum DiacriticRemoval: UInt8 {
  case none = 0
  /// Of letters with one diacritic.
  case simple = 1
  case all = 2

  init?(_ text: String) {
    switch text {
    case "0": self = .none
    case "1": self = .simple
    case "2": self = .all
    default: return nil
    }
  }
}

/// Upper case to lower case, and letters with diacritics to those without.
enum CaseFolding {
  /// The same character in lower case, without its diacritic if so asked; 0 for a diacritic alone.
  @inline(__always)
  static func fold(_ scalar: UInt32, removing removal: DiacriticRemoval) -> UInt32 {
    if scalar < 0x80 { return scalar &- 0x41 < 26 ? scalar | 0x20 : scalar }
    return scalar < limit ? foldWide(scalar, removal) : scalar
  }

  private static func foldWide(_ scalar: UInt32, _ removal: DiacriticRemoval) -> UInt32 {
    let entry = table[scalar]
    if entry == 0 { return scalar }
    let level = entry >> Entry.levelShift & 3
    if level != 0 && level <= UInt32(removal.rawValue) { return entry >> Entry.letterShift & 0x7f }
    return entry & Entry.scalarMask
  }

  private static let limit: UInt32 = 0x20000

  /// A table's entry; 0 where nothing changes.
  private enum Entry {
    static let scalarMask: UInt32 = 0x1f_ffff
    /// The letter without its diacritic.
    static let letterShift: UInt32 = 21
    /// From which `remove_diacritics` on it counts; 0 for never.
    static let levelShift: UInt32 = 28
  }

  private static let table: ScalarTable<UInt32> = {
    var table = ScalarTable<UInt32>(limit: limit)
    var letters = ScalarTable<UInt32>(limit: limit)
    for (level, text) in [(DiacriticRemoval.simple, removals), (.all, severalRemovals)] {
      forEach(text) { scalar, letter in
        letters[scalar] =
          UInt32(level.rawValue) << Entry.levelShift | UInt32(letter) << Entry.letterShift
        table[scalar] = letters[scalar] | scalar
      }
    }
    forEach(changes) { scalar, change in
      let folded = UInt32(Int(scalar) + change)
      table[scalar] = folded < limit ? letters[folded] | folded : folded
    }
    return table
  }()

  /// Calls `body` for each code point of a text's groups of four numbers.
  private static func forEach(_ text: StaticString, _ body: (UInt32, Int) -> Void) {
    let bytes = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    let numbers = bytes.split(whereSeparator: { $0 <= 0x20 }).map {
      Int(String(decoding: $0, as: UTF8.self)) ?? 0
    }
    for group in stride(from: 0, to: numbers.count - 3, by: 4) {
      for index in 0..<numbers[group + 1] {
        let scalar = numbers[group] + index * numbers[group + 2]
        if scalar < Int(limit) { body(UInt32(scalar), numbers[group + 3]) }
      }
    }
  }
}

/// Diacritics that are characters of their own: they belong to the token before them, whatever
/// their category is.
enum CombiningMarks {
  @inline(__always)
  static func contains(_ scalar: UInt32) -> Bool {
    let index = scalar &- first
    return index < 64 && bits >> UInt64(index) & 1 != 0
  }
}
