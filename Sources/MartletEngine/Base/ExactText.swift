/// A text as a key, by its bytes. For SQL, texts that Unicode takes as equal are two.
package struct ExactText: Hashable, Sendable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package static func == (left: ExactText, right: ExactText) -> Bool {
    left.text.hasSameBytes(as: right.text)
  }

  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension String {
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
