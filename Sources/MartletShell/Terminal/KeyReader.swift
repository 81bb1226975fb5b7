#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Keys out of the bytes that a terminal sends.
struct KeyReader {
  enum Event {
    case key(Key)
    case redraw
    /// SIGINT from elsewhere: in raw mode Ctrl-C is a key.
    case interrupted
    /// The terminal is gone, or has no more to give.
    case end
  }

  private var buffer: [UInt8] = []
  private var position = 0

  /// After so long an escape is the key and not the start of a sequence.
  private static let escapeMilliseconds: Int32 = 50
  /// A paste that does not end ends here.
  private static let longestPaste = 1 << 26
  private static let capacity = 1 << 12

  /// Whether more keys are there already: they need not be drawn one by one.
  var hasMore: Bool { position < buffer.count }

  mutating func next() -> Event {
    if let event = fill(milliseconds: -1) { return event }
    let byte = take()
    switch byte {
    case 0x1b: return .key(escaped())
    case ..<0x20, 0x7f: return .key(.control(byte))
    default: return .key(.text(typed(from: byte)))
    }
  }

  private mutating func take() -> UInt8 {
    defer { position += 1 }
    return buffer[position]
  }

  /// Sees to it that a byte is there; gives what came instead.
  private mutating func fill(milliseconds: Int32) -> Event? {
    if hasMore { return nil }
    switch TerminalEvents.await(STDIN_FILENO, milliseconds: milliseconds) {
    case .redraw: return .redraw
    case .interruption: return .interrupted
    case .hangUp: return .end
    case .timeout: return .key(.escape)
    case .input: break
    }
    position = 0
    var failure: Int32 = 0
    buffer = Array(unsafeUninitializedCapacity: Self.capacity) { space, count in
      let got = read(STDIN_FILENO, space.baseAddress, space.count)
      if got < 0 { failure = errno }
      count = max(got, 0)
    }
    if failure == EINTR || failure == EAGAIN { return fill(milliseconds: milliseconds) }
    return buffer.isEmpty ? .end : nil
  }

  /// The next byte of a sequence; nil where none follows soon.
  private mutating func following() -> UInt8? {
    for _ in 0..<3 {
      switch fill(milliseconds: Self.escapeMilliseconds) {
      case nil: return take()
      case .redraw: continue
      default: return nil
      }
    }
    return nil
  }

  private mutating func escaped() -> Key {
    guard let byte = following() else { return .escape }
    switch byte {
    case UInt8(ascii: "["): return controlSequence()
    case UInt8(ascii: "O"):
      guard let final = following() else { return .unknown }
      return .sequence([], final: final)
    case 0x1b:
      // Alt with a key that sends a sequence of its own.
      guard let next = following(), next == UInt8(ascii: "[") else { return .escape }
      switch controlSequence() {
      case .left: return .wordLeft
      case .right: return .wordRight
      case let key: return key
      }
    default: return .alt(byte)
    }
  }

  private mutating func controlSequence() -> Key {
    var parameters: [Int] = []
    var number: Int?
    while let byte = following() {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        number = min((number ?? 0) * 10 + Int(byte & 15), 9999)
      case UInt8(ascii: ";"):
        parameters.append(number ?? 1)
        number = nil
      case 0x40...0x7e:
        if let number { parameters.append(number) }
        if byte == UInt8(ascii: "~"), parameters.first == 200 { return .paste(pasted()) }
        return .sequence(parameters, final: byte)
      default: continue
      }
    }
    return .unknown
  }

  /// What stands before `ESC [ 201 ~`.
  private mutating func pasted() -> String {
    let end = Array("\u{1b}[201~".utf8)
    var bytes: [UInt8] = []
    while bytes.count < Self.longestPaste, !bytes.suffix(end.count).elementsEqual(end) {
      // A long paste comes in pieces; what comes between them is none of its bytes.
      switch fill(milliseconds: -1) {
      case nil: bytes.append(take())
      case .redraw: continue
      default: return Self.text(bytes)
      }
    }
    return Self.text(bytes.dropLast(end.count))
  }

  /// The character that begins with `byte`, and those that came with it.
  private mutating func typed(from byte: UInt8) -> String {
    var bytes = [byte]
    var missing = Self.continuationCount(byte)
    while true {
      if missing > 0 {
        guard let next = following() else { break }
        if next & 0xc0 != 0x80 {
          // Not UTF-8: what came is shown as such, and the byte is read again.
          position -= 1
          missing = 0
        } else {
          bytes.append(next)
          missing -= 1
        }
      } else {
        guard hasMore, buffer[position] >= 0x20, buffer[position] != 0x7f else { break }
        let next = take()
        bytes.append(next)
        missing = Self.continuationCount(next)
      }
    }
    return Self.text(bytes)
  }

  private static func continuationCount(_ byte: UInt8) -> Int {
    switch byte {
    case 0xc2...0xdf: 1
    case 0xe0...0xef: 2
    case 0xf0...0xf4: 3
    default: 0
    }
  }

  /// Text with line feeds as its only line ends, and without NUL.
  private static func text(_ bytes: some Collection<UInt8>) -> String {
    var result: [UInt8] = []
    var last: UInt8 = 0
    for byte in bytes {
      switch byte {
      case 0: break
      case 13: result.append(10)
      case 10 where last == 13: break
      default: result.append(byte)
      }
      last = byte
    }
    return String(decoding: result, as: UTF8.self)
  }
}
