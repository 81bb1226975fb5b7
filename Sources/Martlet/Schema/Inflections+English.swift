import Synchronization

extension Inflections {
  private static let shared = Mutex(Inflections.english)

  /// The rules that names of tables and relations are read by: at first those of English.
  public static var `default`: Inflections {
    get { shared.withLock { $0 } }
    set { shared.withLock { $0 = newValue } }
  }

  /// English: from the general to the special.
  private static let english: Inflections = {
    var english = Inflections()
    let plurals: [(String, String)] = [
      ("$", "s"), ("s$", "s"), ("(bu)s$", "$1ses"), ("sis$", "ses"),
      ("(octop|vir)(?:us|i)$", "$1i"), ("([ti])(?:um|a)$", "$1a"),
      ("(alias|bias|canvas|focus|gas|lens|status)$", "$1es"),
      ("^(ax|test)is$", "$1es"), ("(buffal|tomat|potat|her|ech)o$", "$1oes"),
      ("([^f])fe$", "$1ves"), ("([lr])f$", "$1ves"), ("([^aeiouy]|qu)y$", "$1ies"),
      ("(x|ch|ss|sh)$", "$1es"), ("(matr|vert|ind)(?:ix|ex)$", "$1ices"),
      ("^(m|l)(?:ouse|ice)$", "$1ice"), ("^(ox)(?:en)?$", "$1en"), ("(quiz)$", "$1zes"),
    ]
    let singulars: [(String, String)] = [
      ("s$", ""), ("(ss)$", "$1"), ("(n)ews$", "$1ews"), ("([ti])a$", "$1um"),
      ("(analy|ba|diagno|parenthe|progno|synop|the)(?:sis|ses)$", "$1sis"),
      ("([^f])ves$", "$1fe"), ("([hct]i)ves$", "$1ve"), ("([lr])ves$", "$1f"),
      ("([^aeiouy]|qu)ies$", "$1y"), ("(s)eries$", "$1eries"), ("(m)ovies$", "$1ovie"),
      ("(x|ch|ss|sh)es$", "$1"), ("^(m|l)ice$", "$1ouse"), ("(bus)(?:es)?$", "$1"),
      ("(o)es$", "$1"), ("(shoe)s$", "$1"), ("(cris|test)(?:is|es)$", "$1is"),
      ("^(a)x[ie]s$", "$1xis"), ("(octop|vir)(?:us|i)$", "$1us"),
      ("(alias|bias|canvas|focus|gas|lens|status)(?:es)?$", "$1"), ("^(ox)en$", "$1"),
      ("(vert|ind)ices$", "$1ex"), ("(matr)ices$", "$1ix"), ("(quiz)zes$", "$1"),
      ("(database)s$", "$1"),
    ]
    for (pattern, template) in plurals { english.plural(pattern, template) }
    for (pattern, template) in singulars { english.singular(pattern, template) }
    english.uncountableWords([
      "advice", "corps", "dice", "equipment", "fish", "information", "jeans", "kudos", "money",
      "offspring", "police", "rice", "sheep", "species",
    ])
    for (singular, plural) in [
      ("child", "children"), ("foot", "feet"), ("leaf", "leaves"), ("man", "men"),
      ("move", "moves"), ("person", "people"), ("sex", "sexes"), ("specimen", "specimens"),
      ("zombie", "zombies"),
    ] {
      english.irregularSuffix(singular, plural)
    }
    return english
  }()
}
