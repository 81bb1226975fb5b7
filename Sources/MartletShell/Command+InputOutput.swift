import MartletEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension Command {
  /// The number at the start of the text, which may be hexadecimal (`0x1f`); 0 where there is none.
  func integer(_ text: String) -> Int {
    let isNegative = text.hasPrefix("-")
    var digits = text.utf8.dropFirst(isNegative || text.hasPrefix("+") ? 1 : 0)
    let isHexadecimal = digits.starts(with: "0x".utf8) || digits.starts(with: "0X".utf8)
    if isHexadecimal { digits = digits.dropFirst(2) }
    let radix = isHexadecimal ? 16 : 10
    var value = 0
    for byte in digits {
      guard let digit = Character(UnicodeScalar(byte)).hexDigitValue, digit < radix else { break }
      value = value &* radix &+ digit
    }
    return isNegative ? 0 &- value : value
  }

  // MARK: .read

  func read(in session: Session) -> Result {
    guard arguments.count == 1 else { return fail(".read FILE", in: session) }
    let name = arguments[0]
    guard let file = InputFile(named: name) else {
      session.printError("Error: cannot open \"\(name)\"\n")
      return .failed
    }
    if name.hasPrefix("|") { session.output.flush() }
    let result = session.process(LineReader(file, name: name))
    // `.quit` ends only the file that it stands in; `.exit` with a code ends all.
    return result == .quit && session.exitCode == 0 ? .done : result
  }

  /// Shows the word that is wrong.
  func complain(
    _ index: Int, _ message: String, _ session: Session, hint: Bool = false,
    detail: String? = nil
  ) -> Result {
    session.printError(complaint(about: index, message, hint: hint, detail: detail))
    return .failed
  }

  /// What sqlite3 does and this shell does not.
  func refuse(_ what: String, in session: Session) -> Result {
    session.printError("Error: not supported by Martlet: .\(what)\n")
    return .failed
  }

  // MARK: The system

  func changeDirectory(in session: Session) -> Result {
    guard arguments.count == 1 else { return fail(".cd DIRECTORY", in: session) }
    guard arguments[0].withFileName({ chdir($0) }) == 0 else {
      session.printError("Cannot change to directory \"\(arguments[0])\"\n")
      return .failed
    }
    return .done
  }

  /// Words with blanks are quoted again for the system's shell.
  func runSystemCommand(in session: Session) -> Result {
    guard let command = arguments.first else { return fail(".system COMMAND", in: session) }
    let rest = arguments.dropFirst().map { $0.contains(" ") ? "\"\($0)\"" : $0 }
    let first = command.contains(" ") ? "\"\(command)\"" : command
    session.output.flush()
    let status = ([first] + rest).joined(separator: " ").withFileName { system($0) }
    if status != 0 { session.printError("System command returns \(status)\n") }
    return .done
  }

  // MARK: Time

  func setTimeout(in session: Session) -> Result {
    guard let connection = session.open() else { return .failed }
    let milliseconds = arguments.first.map(integer) ?? 0
    do throws(SQLError) {
      try connection.execute("PRAGMA busy_timeout = \(milliseconds)")
      return .done
    } catch {
      session.printError("Error: \(error.message)\n")
      return .failed
    }
  }

  func setTimer(in session: Session) -> Result {
    guard arguments.count == 1 else { return fail(".timer on|off|once", in: session) }
    if arguments[0] == "once" {
      session.timer = .once
    } else {
      session.timer = boolean(arguments[0], in: session) ? .on : .off
    }
    return .done
  }
}
