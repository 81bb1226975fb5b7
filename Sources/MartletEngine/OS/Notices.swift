/// What is worth a line in a log and is no error: what a crash left behind was repaired.
public enum Notices {
  /// Is told of each. To be set before any connection is opened.
  @exclusivity(unchecked) nonisolated(unsafe) public static var handler:
    (@Sendable (_ code: ResultCode, _ message: String) -> Void)?

  static func tell(_ code: ResultCode, _ message: @autoclosure () -> String) {
    if let handler { handler(code, message()) }
  }
}
