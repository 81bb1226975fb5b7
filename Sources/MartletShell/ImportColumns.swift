import MartletEngine

/// The columns of a table that `.import` makes, named by the first row of a file.
///
/// Names without text become `?`. Names that occur more than once, upper and lower case being one,
/// get the number of their column: `a_1`, or with as many zeros as make all names differ: `a_01`.
struct ImportColumns {
  private var names: [String] = []
  private var renamed: [String?] = []

  var isEmpty: Bool { names.isEmpty }

  init(_ texts: [[UInt8]]) {
    names = texts.map { $0.isEmpty ? "?" : String(decoding: $0, as: UTF8.self) }
    var counts: [String: Int] = [:]
    for name in names { counts[Self.folded(name), default: 0] += 1 }
    let isRepeated = names.map { counts[Self.folded($0), default: 0] > 1 }
    renamed = names.map { _ in nil }
    guard isRepeated.contains(true) else { return }
    var zeros = ""
    repeat {
      for index in names.indices where isRepeated[index] {
        renamed[index] = "\(names[index])_\(zeros)\(index + 1)"
      }
      zeros += "0"
    } while Set(final.map(Self.folded)).count < names.count
  }

  private var final: [String] { zip(names, renamed).map { $1 ?? $0 } }

  /// SQL compares names without regard to the case of ASCII letters.
  private static func folded(_ name: String) -> String {
    let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
    return String(
      decoding: name.utf8.map { capitals.contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  /// The columns as CREATE TABLE lists them, four a line.
  var definition: String {
    var text = "(\n"
    for (index, name) in final.enumerated() {
      if index > 0 { text += index % 4 == 0 ? ",\n " : ", " }
      text += quotedName(name)
    }
    return text + ")"
  }

  /// Which names were changed to what; nil if none were.
  var renamings: String? {
    let lines = zip(names, renamed).compactMap { name, new in
      new.map { "\(quotedName(name)) to \(quotedName($0))" }
    }
    return lines.isEmpty ? nil : lines.joined(separator: ",\n")
  }
}

/// A name in double quotes.
func quotedName(_ name: String) -> String { name.quotedIdentifier }

/// Text as an SQL literal.
func sqlText(_ text: String) -> String { text.quoted(with: "'") }
