/// An error as either engine reports it.
package struct EngineError: Error {
  package let code: Int32
  package let message: String

  package init(code: Int32, message: String) {
    self.code = code
    self.message = message
  }

  /// As scripts write it: `1: no such table: t`.
  package var line: String { "\(code): \(message.replacingLineBreaks())" }

  /// Whether Martlet says that it lacks the construct, rather than that the SQL is wrong.
  package var isUnsupported: Bool { message.contains("not supported by Martlet") }
}

extension String {
  /// The text on one line, so that it fits the script format.
  package func replacingLineBreaks() -> String {
    split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\\n")
  }
}
