import Foundation

/// Makes plurals of singulars and the reverse: tables and relations are found under both.
///
/// ```swift
/// Inflections.default.irregularSuffix("goose", "geese")
/// ```
public struct Inflections: Sendable {
  private struct Rule: Sendable {
    let pattern: NSRegularExpression
    let template: String

    /// The word with what the rule finds replaced; nil where it finds nothing.
    func apply(to word: String) -> String? {
      let all = NSRange(word.startIndex..., in: word)
      guard pattern.firstMatch(in: word, range: all) != nil else { return nil }
      return pattern.stringByReplacingMatches(in: word, range: all, withTemplate: template)
    }
  }

  /// The last rule that fits a word is the one that counts.
  private var plurals: [Rule] = []
  private var singulars: [Rule] = []
  private var uncountables: Set<String> = []

  /// Knows no rules.
  public init() {}

  // MARK: Rules

  /// Adds a rule that makes plurals.
  ///
  /// - Parameters:
  ///   - pattern: A regular expression. A broken one stops the program.
  ///   - options: How it is read.
  ///   - template: What replaces it, with `$1` for what its first group has found.
  public mutating func plural(
    _ pattern: String, options: NSRegularExpression.Options = [.caseInsensitive],
    _ template: String
  ) {
    plurals.append(Inflections.rule(pattern, options, template))
  }

  /// Adds a rule that makes singulars; see `plural(_:options:_:)`.
  public mutating func singular(
    _ pattern: String, options: NSRegularExpression.Options = [.caseInsensitive],
    _ template: String
  ) {
    singulars.append(Inflections.rule(pattern, options, template))
  }

  private static func rule(
    _ pattern: String, _ options: NSRegularExpression.Options, _ template: String
  ) -> Rule {
    do {
      return Rule(
        pattern: try NSRegularExpression(pattern: pattern, options: options), template: template)
    } catch {
      preconditionFailure("\(pattern) is no regular expression: \(error)")
    }
  }

  /// Adds words that are the same in both numbers.
  public mutating func uncountableWords(_ words: [String]) {
    uncountables.formUnion(words.map { $0.lowercased() })
  }

  /// Adds words, and all that end like them, whose plural follows no rule.
  public mutating func irregularSuffix(_ singular: String, _ plural: String) {
    for (form, isUpper) in [(singular, false), (singular, true), (plural, false), (plural, true)] {
      guard let first = form.first else { continue }
      // The case of the first letter stays.
      let initial = isUpper ? first.uppercased() : first.lowercased()
      let rest = NSRegularExpression.escapedPattern(for: String(form.dropFirst()))
      let pattern = NSRegularExpression.escapedPattern(for: initial) + "(?i)\(rest)$"
      self.plural(pattern, options: [], Inflections.cased(plural, isUpper))
      self.singular(pattern, options: [], Inflections.cased(singular, isUpper))
    }
  }

  private static func cased(_ word: String, _ isUpper: Bool) -> String {
    (isUpper ? word.prefix(1).uppercased() : word.prefix(1).lowercased()) + word.dropFirst()
  }

  // MARK: Words

  /// The plural of the last word: `players` of `player`, `bestFriends2` of `bestFriend2`.
  public func pluralize(_ string: String) -> String { inflect(string, plurals) }

  /// The singular of the last word.
  public func singularize(_ string: String) -> String { inflect(string, singulars) }

  private func inflect(_ string: String, _ rules: [Rule]) -> String {
    let end = Inflections.endWithoutDigits(of: string)
    let start = Inflections.startOfLastWord(in: string, before: end)
    let word = String(string[start..<end])
    if word.isEmpty || uncountables.contains(word.lowercased()) { return string }
    for rule in rules.reversed() {
      if let changed = rule.apply(to: word) {
        return string[..<start] + changed + string[end...]
      }
    }
    return string
  }

  static func endWithoutDigits(of string: String) -> String.Index {
    var end = string.endIndex
    while end > string.startIndex, case let before = string.index(before: end),
      ("0"..."9").contains(string[before])
    {
      end = before
    }
    return end
  }

  /// Words begin behind spaces, signs and underscores, and with a capital behind a small letter.
  private static func startOfLastWord(in string: String, before end: String.Index) -> String.Index {
    var start = end, next: Character?
    while start > string.startIndex {
      let before = string.index(before: start), character = string[before]
      guard character.isLetter || character.isNumber else { return start }
      if let next, next.isUppercase, !character.isUppercase { return start }
      next = character
      start = before
    }
    return start
  }
}

extension String {
  var pluralized: String { Inflections.default.pluralize(self) }
  var singularized: String { Inflections.default.singularize(self) }

  /// The text without the digits at its end.
  var digitlessRadical: String { String(self[..<Inflections.endWithoutDigits(of: self)]) }
}
