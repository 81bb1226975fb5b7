import MartletEngine

/// Lines for the shell to run, wherever they come from.
protocol LineSource: AnyObject {
  /// What messages call the source; nil for standard input.
  var name: String? { get }
  /// How many lines were read.
  var lineCount: Int { get }
  /// The next line without its end; nil when there is none, or when Ctrl-C came while it was
  /// awaited.
  func next() -> [UInt8]?
}

/// The lines of what is edited on the terminal.
final class TerminalLines: LineSource {
  let name: String? = nil
  private(set) var lineCount = 0
  private var lines: ArraySlice<[UInt8]> = []
  private let editor: LineEditor
  private unowned let session: Session

  init(session: Session) {
    self.session = session
    editor = LineEditor(
      history: History(path: History.defaultPath), isColoured: LineEditor.isColourWanted)
    let completer = Completer(source: SchemaNames(session: session))
    editor.complete = { completer.complete($0) }
    editor.isKeyword = { SchemaNames.keywordSet.contains($0) }
    editor.isComplete = { Self.isComplete($0) }
  }

  /// Whether the text leaves no statement open.
  private static func isComplete(_ text: String) -> Bool {
    var statement = StatementReader()
    for line in text.utf8.split(separator: 10, omittingEmptySubsequences: false) {
      _ = statement.take(Array(line), number: 0)
    }
    return statement.isEmpty
  }

  func next() -> [UInt8]? {
    if lines.isEmpty {
      session.output.flush()
      switch editor.read(prompt: session.prompts.main, continuation: session.prompts.continued) {
      case .end: return nil
      case .interrupted:
        Interruption.request()
        return nil
      case .text(let text):
        let parts = text.utf8.split(separator: 10, omittingEmptySubsequences: false)
        lines = parts.map { Array($0) }[...]
      }
    }
    lineCount += 1
    return lines.popFirst()
  }
}
