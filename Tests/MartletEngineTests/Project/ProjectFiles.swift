import Foundation

/// The project's own files, as the architecture tests read them.
enum ProjectFiles {
  /// The package's folder, four levels above this file.
  static let root: URL = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
    url.deletingLastPathComponent()
  }

  static let engine = root.appendingPathComponent("Sources/MartletEngine")

  struct SourceFile {
    let path: String
    let text: String
  }

  /// The Swift files below `folder`, in no particular order.
  static func swiftFiles(below folder: URL) -> [SourceFile] {
    let path = folder.resolvingSymlinksInPath().path
    let paths = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String }
    return (paths ?? []).filter { $0.hasSuffix(".swift") }.map { path in
      let url = folder.appendingPathComponent(path)
      return SourceFile(path: path, text: text(of: url))
    }
  }

  static func text(of url: URL) -> String {
    let data = FileManager.default.contents(atPath: url.path) ?? Data()
    return String(decoding: data, as: UTF8.self)
  }
}

/// Swift source without what is not code. On bytes, because it reads the whole engine in every run.
struct SourceScanner {
  private let bytes: [UInt8]
  private var index = 0
  private var code: [UInt8] = []

  private init(_ text: String) { bytes = Array(text.utf8) }

  /// The text with comments and string literals taken out; line breaks stay.
  static func codeOnly(_ text: String) -> String {
    var scanner = SourceScanner(text)
    scanner.scan()
    return String(decoding: scanner.code, as: UTF8.self)
  }

  /// The identifiers in code, each once.
  static func identifiers(in code: String) -> Set<String> {
    let words = Array(code.utf8).split { byte in
      let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      return !(isLetter || isDigit || byte == UInt8(ascii: "_"))
    }
    return Set(words.map { String(decoding: $0, as: UTF8.self) })
  }

  private mutating func scan() {
    while index < bytes.count {
      switch (bytes[index], following(1), following(2)) {
      case (UInt8(ascii: "/"), UInt8(ascii: "/"), _):
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
      case (UInt8(ascii: "/"), UInt8(ascii: "*"), _):
        skip(to: Array("*/".utf8))
      case (UInt8(ascii: "\""), UInt8(ascii: "\""), UInt8(ascii: "\"")):
        skip(to: Array("\"\"\"".utf8))
      case (UInt8(ascii: "\""), _, _):
        skipString()
      default:
        code.append(bytes[index])
        index += 1
      }
    }
  }

  private func following(_ distance: Int) -> UInt8 {
    index + distance < bytes.count ? bytes[index + distance] : 0
  }

  private mutating func skip(to end: [UInt8]) {
    index += end.count
    while index < bytes.count, !bytes[index...].starts(with: end) {
      if bytes[index] == UInt8(ascii: "\n") { code.append(bytes[index]) }
      index += 1
    }
    index += end.count
  }

  private mutating func skipString() {
    index += 1
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    index += 1
    code.append(UInt8(ascii: " "))
  }
}
