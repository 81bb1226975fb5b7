extension Command {
  func importRows(in session: Session) -> Result {
    var request = ImportRequest()
    if let result = parse(&request, session) { return result }
    guard let file = request.file else {
      session.printError("\(place): Missing FILE argument\n\n")
      return .failed
    }
    guard let table = request.table else {
      session.printError("\(place): Missing TABLE argument\n\n")
      return .failed
    }
    guard let format = request.format(session.settings, complain: session.printError) else {
      return .failed
    }
    guard let connection = session.open() else { return .failed }
    var options = ImportOptions(format: format)
    options.table = table
    options.schema = request.schema
    options.skippedRowCount = request.skippedRowCount
    options.verbosity = request.verbosity
    options.needsFirstField = session.settings.mode == .ascii
    guard let (reader, size) = open(file, format, in: session) else { return .failed }
    var rows = Import(options, from: reader, size: size, into: connection, in: session)
    return rows.run() ? .done : .failed
  }

  /// Takes the words apart; a result means that one of them is wrong.
  private func parse(_ request: inout ImportRequest, _ session: Session) -> Result? {
    var index = 1
    while index < words.count {
      let word = words[index].text
      defer { index += 1 }
      guard word.hasPrefix("-") else {
        guard request.take(word) else { return complain(index, "unknown argument", session) }
        continue
      }
      switch optionName(at: index) {
      case "v": request.verbosity += 1
      case "csv": request.isCSV = true
      case "ascii": request.isASCII = true
      case let option where index + 1 < words.count && request.set(option, words[index + 1].text):
        if option == "skip" { request.skippedRowCount = integer(words[index + 1].text) }
        index += 1
      default: return complain(index, "unknown option", session)
      }
    }
    return nil
  }

  /// Opens a file, a command (`|command`) or the lines of the script up to a label (`<<label`).
  private func open(
    _ file: String, _ format: ImportFormat, in session: Session
  ) -> (ImportReader, size: Int?)? {
    if file.hasPrefix("<<"), file.utf8.count > 2 {
      return openScript(label: String(file.dropFirst(2)), format, in: session)
    }
    if file.hasPrefix("|") { session.output.flush() }
    guard let input = InputFile(named: file) else {
      session.printError("\(place): cannot open \"\(file)\"\n")
      return nil
    }
    let reader = ImportReader(
      ByteSource(input), name: file.hasPrefix("|") ? "<pipe>" : file, format: format,
      complain: session.printError)
    return (reader, input.size)
  }

  private func openScript(
    label: String, _ format: ImportFormat, in session: Session
  ) -> (ImportReader, size: Int?)? {
    let firstLine = (session.input?.lineCount ?? 0) + 1
    var content: [UInt8] = []
    while let line = session.input?.next() {
      if line.elementsEqual(label.utf8) {
        let reader = ImportReader(
          ByteSource(content), name: session.input?.name ?? "<stdin>", format: format,
          firstLine: firstLine, complain: session.printError)
        return (reader, content.count)
      }
      content += line
      content.append(UInt8(ascii: "\n"))
    }
    session.printError("\(place): Content terminator \"\(label)\" not found.\n")
    return nil
  }
}

/// The words of `.import`.
private struct ImportRequest {
  var file: String?
  var table: String?
  var schema: String?
  var skippedRowCount = 0
  var verbosity = 0
  var isCSV = false
  var isASCII = false
  private var columnSeparator: String?
  private var rowSeparator: String?
  private var escape: String?
  private var quotedEscape: String?

  /// Takes a word that is no option; false if there is no place for it.
  mutating func take(_ word: String) -> Bool {
    if file == nil {
      file = word
    } else if table == nil {
      table = word
    } else {
      return false
    }
    return true
  }

  /// Sets an option that has a value; false if there is no such option.
  mutating func set(_ option: Substring, _ value: String) -> Bool {
    switch option {
    case "schema": schema = value
    case "colsep": columnSeparator = value
    case "rowsep": rowSeparator = value
    case "esc": escape = value
    case "qesc": quotedEscape = value
    case "skip": break
    default: return false
    }
    return true
  }

  /// The separators asked for, or those of the output mode; nil if they are no ASCII characters.
  func format(_ settings: OutputSettings, complain: (String) -> Void) -> ImportFormat? {
    let isPlain = isASCII || !isCSV && settings.mode == .ascii
    let column = separator(columnSeparator, isASCII ? "\u{1f}" : isCSV ? "," : nil)
      ?? separator(settings.columnSeparator, ",")
    let row = separator(rowSeparator, isASCII ? "\u{1e}" : isCSV ? "\n" : nil)
      ?? separator(settings.rowSeparator, "\n")
    guard let column, column < 0x80 else {
      complain("Error: .import column separator must be ASCII\n")
      return nil
    }
    guard var row, row < 0x80 else {
      complain("Error: .import row separator must be ASCII\n")
      return nil
    }
    // A carriage return before the line feed is dropped where the row ends.
    if row == UInt8(ascii: "\r"), !isPlain { row = UInt8(ascii: "\n") }
    return ImportFormat(
      columnSeparator: column, rowSeparator: row, escape: escape?.utf8.first,
      quotedEscape: quotedEscape?.utf8.first, hasQuotes: !isPlain)
  }

  /// The first byte of the text, else of what stands in for it.
  private func separator(_ text: String?, _ substitute: String?) -> UInt8? {
    text?.utf8.first ?? substitute?.utf8.first
  }
}
