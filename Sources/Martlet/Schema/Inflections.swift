import Synchronization

/// Plurals and singulars of English nouns, which tables are named by.
public struct Inflections: Sendable {
  private var plurals: [(singular: String, plural: String)] = []
  private var uncountables: Set<String> = []

  private static let shared = Mutex(Inflections.english)

  /// Those that names of tables are looked up with. They can be changed before the first use.
  public static var `default`: Inflections {
    get { shared.withLock { $0 } }
    set { shared.withLock { $0 = newValue } }
  }

  /// No special words.
  public init() {}

  private static var english: Inflections {
    var inflections = Inflections()
    for (singular, plural) in [
      ("person", "people"), ("man", "men"), ("child", "children"), ("mouse", "mice"),
      ("tooth", "teeth"), ("foot", "feet"), ("goose", "geese"), ("datum", "data"),
      ("medium", "media"), ("index", "indices"), ("matrix", "matrices"), ("quiz", "quizzes"),
    ] {
      inflections.irregularSuffix(singular, plural)
    }
    inflections.uncountableWords([
      "advice", "equipment", "fish", "information", "money", "news", "rice", "series", "sheep",
      "species",
    ])
    return inflections
  }

  /// Adds words that have no plural.
  public mutating func uncountableWords(_ words: [String]) {
    uncountables.formUnion(words.map { $0.lowercased() })
  }

  /// Adds a word whose plural follows no rule; words that end with it follow it.
  public mutating func irregularSuffix(_ singular: String, _ plural: String) {
    plurals.removeAll { $0.singular == singular }
    plurals.append((singular, plural))
  }

  /// The plural of a noun.
  public func pluralize(_ word: String) -> String {
    let folded = word.lowercased()
    if uncountables.contains(folded) { return word }
    for (singular, plural) in plurals where folded.hasSuffix(singular) {
      return replacing(singular, by: plural, in: word)
    }
    for (singular, plural) in plurals where folded.hasSuffix(plural) && singular != plural {
      return word
    }
    if folded.hasSuffix("y"), let before = folded.dropLast().last, !"aeiou".contains(before) {
      return word.dropLast() + "ies"
    }
    for ending in ["s", "x", "z", "ch", "sh"] where folded.hasSuffix(ending) { return word + "es" }
    return word + "s"
  }

  /// The singular of a noun.
  public func singularize(_ word: String) -> String {
    let folded = word.lowercased()
    if uncountables.contains(folded) { return word }
    for (singular, plural) in plurals where folded.hasSuffix(plural) {
      return replacing(plural, by: singular, in: word)
    }
    if folded.hasSuffix("ies"), folded.count > 3 { return word.dropLast(3) + "y" }
    for ending in ["sses", "xes", "zes", "ches", "shes"] where folded.hasSuffix(ending) {
      return String(word.dropLast(2))
    }
    if folded.hasSuffix("s"), !folded.hasSuffix("ss") { return String(word.dropLast()) }
    return word
  }

  /// Puts an ending in the place of another, with a capital letter where there was one.
  private func replacing(_ ending: String, by other: String, in word: String) -> String {
    let start = word.index(word.endIndex, offsetBy: -ending.count)
    let isCapital = word[start].isUppercase
    return word[..<start] + (isCapital ? other.prefix(1).uppercased() + other.dropFirst() : other)
  }
}
