import MartletEngine

/// A database as `.dbtotxt` writes it, read again (`.open --hexdb`).
///
///     | size SIZE pagesize SIZE …
///     | page NUMBER offset OFFSET
///     |  OFFSET: sixteen bytes in hexadecimal …
///     | end …
struct HexDatabase {
  enum Problem: Error {
    case line(Int, String)
  }

  private(set) var bytes: [UInt8] = []
  private var pageSize = 0
  private var offset = 0
  private static let largest = 1 << 30

  /// Reads lines up to the last one.
  init(_ nextLine: () -> [UInt8]?) throws(Problem) {
    var number = 0
    while let line = nextLine() {
      number += 1
      let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      if bytes.isEmpty {
        try begin(words, at: number)
        continue
      }
      guard words.count >= 2, words[0] == "|" else { continue }
      if words[1] == "end" { return }
      if words[1] == "page" {
        if words.count >= 5, let start = Int(words[4]), start >= 0 { offset = start }
      } else if words[1].hasSuffix(":") {
        try put(words, at: number)
      }
    }
  }

  private mutating func begin(_ words: [Substring], at line: Int) throws(Problem) {
    guard words.count >= 5, words[0] == "|", words[1] == "size", words[3] == "pagesize",
      let size = Int(words[2]), let pageSize = Int(words[4])
    else { throw .line(line, "") }
    guard (512...65536).contains(pageSize), pageSize & (pageSize - 1) == 0 else {
      throw .line(line, "invalid pagesize\n")
    }
    guard size > 0, size <= Self.largest else { throw .line(line, "") }
    self.pageSize = pageSize
    bytes = Array(repeating: 0, count: (size + pageSize - 1) / pageSize * pageSize)
  }

  private mutating func put(_ words: [Substring], at line: Int) throws(Problem) {
    let bytesPerLine = 16
    guard let start = Int(words[1].dropLast()), start >= 0, start < pageSize,
      words.count >= 2 + bytesPerLine
    else { throw .line(line, "") }
    for (index, word) in words[2..<2 + bytesPerLine].enumerated() {
      guard word.utf8.count <= 2, let byte = UInt8(word, radix: 16) else { throw .line(line, "") }
      let place = offset.addingReportingOverflow(start + index)
      if !place.overflow, bytes.indices.contains(place.partialValue) {
        bytes[place.partialValue] = byte
      }
    }
  }
}

extension Command {
  /// The database in a file, or in the lines that follow; says what is wrong with it.
  func readHexDatabase(_ path: String?, in session: Session) -> [UInt8]? {
    let lines: any LineSource
    if let path, !path.isEmpty {
      guard let file = InputFile(plain: path) else {
        session.printError("cannot open \"\(path)\" for reading\n")
        return nil
      }
      lines = LineReader(file, name: path)
    } else {
      guard let input = session.input else { return nil }
      lines = input
    }
    do throws(HexDatabase.Problem) {
      return try HexDatabase(lines.next).bytes
    } catch {
      guard case .line(let number, let why) = error else { return nil }
      session.printError("\(why)Error on line \(number) of --hexdb input\n")
      return nil
    }
  }
}
