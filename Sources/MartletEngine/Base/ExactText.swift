/// A text as a key, by its bytes. For SQL, texts that Unicode takes as equal are two.
package struct ExactText: Hashable, Sendable, ExpressibleByStringLiteral {
  package let text: String

  package init(_ text: String) { self.text = text }

  package init(stringLiteral text: String) { self.text = text }

  package static func == (left: ExactText, right: ExactText) -> Bool {
    left.text.hasSameBytes(as: right.text)
  }

  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension String {
  /// A name of SQL as a key: the same for names that are the same.
  package var nameKey: ExactText {
    let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
    guard utf8.contains(where: capitals.contains) else { return ExactText(self) }
    let small = utf8.map { capitals.contains($0) ? $0 | 0x20 : $0 }
    return ExactText(String(decoding: small, as: UTF8.self))
  }

  /// Whether the other text has the same bytes in UTF-8.
  package func hasSameBytes(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    var left = self, right = other
    return left.withUTF8 { left in
      right.withUTF8 { right in
        guard let start = left.baseAddress, let otherStart = right.baseAddress else { return true }
        return Memory.compare(start, otherStart, left.count) == 0
      }
    }
  }
}
