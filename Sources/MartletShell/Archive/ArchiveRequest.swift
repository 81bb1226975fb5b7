/// What `.archive` and `-A` are asked for, in the words of tar.
struct ArchiveRequest {
  enum Action: Character {
    case create = "c"
    case update = "u"
    case insert = "i"
    case remove = "r"
    case list = "t"
    case extract = "x"
    case help = "h"
  }

  struct Problem: Error {
    let text: String
  }

  private(set) var action: Action?
  private(set) var isVerbose = false
  private(set) var isGlob = false
  private(set) var isDryRun = false
  private(set) var isAppended = false
  private(set) var file: String?
  private(set) var folder: String?
  private(set) var names: [String] = []

  private struct Option {
    let letter: Character
    let name: String
    var takesWord = false
  }

  private static let options = [
    Option(letter: "c", name: "create"), Option(letter: "u", name: "update"),
    Option(letter: "i", name: "insert"), Option(letter: "r", name: "remove"),
    Option(letter: "t", name: "list"), Option(letter: "x", name: "extract"),
    Option(letter: "h", name: "help"), Option(letter: "v", name: "verbose"),
    Option(letter: "f", name: "file", takesWord: true),
    Option(letter: "a", name: "append", takesWord: true),
    Option(letter: "C", name: "directory", takesWord: true),
    Option(letter: "n", name: "dryrun"), Option(letter: "g", name: "glob"),
  ]

  init(_ words: [String]) throws(Problem) {
    guard let first = words.first else { throw Problem(text: "") }
    var rest = words[...]
    if first.hasPrefix("-") {
      while let word = rest.first, word.hasPrefix("-"), word.utf8.count > 1 {
        rest = rest.dropFirst()
        if word == "--" { break }
        if word.hasPrefix("--") {
          try takeLong(word, &rest)
        } else {
          try takeLetters(word.dropFirst(), &rest)
        }
      }
    } else {
      // As tar has it: all letters first, and then the words that they want.
      rest = rest.dropFirst()
      for letter in first {
        let option = try Self.option(letter)
        try take(option, option.takesWord ? Self.word(&rest, for: String(letter)) : nil)
      }
    }
    names = rest.map { name in
      let bytes = name.fileNameBytes.reversed().drop { $0 == UInt8(ascii: "/") }.reversed()
      return Array(bytes).withUnsafeBytes { String(fileNameBytes: $0) }
    }
  }

  private mutating func takeLetters(
    _ letters: Substring, _ rest: inout ArraySlice<String>
  ) throws(Problem) {
    var letters = letters
    while let letter = letters.popFirst() {
      let option = try Self.option(letter)
      guard option.takesWord else {
        try take(option, nil)
        continue
      }
      let word = letters.isEmpty ? try Self.word(&rest, for: String(letter)) : String(letters)
      return try take(option, word)
    }
  }

  private mutating func takeLong(
    _ word: String, _ rest: inout ArraySlice<String>
  ) throws(Problem) {
    let name = word.dropFirst(2)
    let found = Self.options.filter { $0.name.hasPrefix(name) }
    guard let option = found.first else { throw Self.problem("unrecognized option: \(word)") }
    guard found.count == 1 else { throw Self.problem("ambiguous option: \(word)") }
    try take(option, option.takesWord ? Self.word(&rest, for: word) : nil)
  }

  private mutating func take(_ option: Option, _ word: String?) throws(Problem) {
    switch option.letter {
    case "v": isVerbose = true
    case "g": isGlob = true
    case "n": isDryRun = true
    case "C": folder = word
    case "a", "f":
      isAppended = option.letter == "a"
      file = word
    default:
      if action != nil { throw Self.problem("multiple command options") }
      action = Action(rawValue: option.letter)
    }
  }

  private static func option(_ letter: Character) throws(Problem) -> Option {
    guard let option = options.first(where: { $0.letter == letter }) else {
      throw problem("unrecognized option: \(letter)")
    }
    return option
  }

  private static func word(
    _ rest: inout ArraySlice<String>, for option: String
  ) throws(Problem) -> String {
    guard let word = rest.popFirst() else {
      throw problem("option requires an argument: \(option)")
    }
    return word
  }

  private static func problem(_ text: String) -> Problem { Problem(text: text) }
}
