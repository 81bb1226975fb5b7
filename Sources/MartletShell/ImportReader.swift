// Fields of the text files that `.import` reads (cli §8).
//
// CSV as RFC 4180 has it, and as it is met in the wild: a field in double quotes may hold
// separators and line ends, `""` in it is a quote; what follows the closing quote belongs to the
// field, with a complaint; a carriage return before the end of a line is dropped. In plain files
// (`--ascii`) nothing but the two separators has a meaning.

/// Where a text file's fields and rows end.
struct ImportFormat {
  var columnSeparator: UInt8
  var rowSeparator: UInt8
  /// Takes the meaning from the character after it, outside of quotes and inside.
  var escape: UInt8?
  var quotedEscape: UInt8?
  var hasQuotes = true
}

/// Reads one field after another. Memory holds one field.
struct ImportReader {
  /// What ended the last field.
  enum End { case column, row, file }

  let name: String
  let format: ImportFormat
  private let source: ByteSource
  /// The last field. It is kept until the next is read.
  private(set) var field: [UInt8] = []
  private(set) var end = End.row
  /// The line that the next field begins on.
  private(set) var lineNumber: Int
  private var isFirstField = true
  /// Receives complaints about quotes.
  private let complain: (String) -> Void

  init(
    _ source: ByteSource, name: String, format: ImportFormat, firstLine: Int = 1,
    complain: @escaping (String) -> Void
  ) {
    self.source = source
    self.name = name
    self.format = format
    self.complain = complain
    lineNumber = firstLine
  }

  var byteCount: Int { source.consumedCount }

  /// Reads the next field; false at the end of the file.
  mutating func next() -> Bool {
    field.removeAll(keepingCapacity: true)
    if isFirstField, format.hasQuotes { source.skipByteOrderMark() }
    isFirstField = false
    guard let first = source.peek() else {
      end = .file
      return false
    }
    if format.hasQuotes, first == UInt8(ascii: "\"") {
      _ = source.next()
      readQuoted()
    } else {
      readPlain()
    }
    return true
  }

  /// Skips to the end of the row.
  mutating func skipRow() {
    while next(), end == .column {}
  }

  private mutating func readPlain() {
    let escape = format.hasQuotes ? format.escape : nil
    while true {
      source.appendRun(
        to: &field, until: format.columnSeparator, format.rowSeparator,
        escape ?? format.rowSeparator, format.rowSeparator)
      let next = source.next()
      if next != nil, next == escape {
        // SQLite's shell takes the end of the file for a byte 255 here.
        field.append(source.next() ?? 0xff)
        continue
      }
      finish(at: next)
      break
    }
    if end == .row, format.hasQuotes, field.last == UInt8(ascii: "\r") { field.removeLast() }
  }

  private mutating func finish(at byte: UInt8?) {
    switch byte {
    case format.columnSeparator?: end = .column
    case format.rowSeparator?:
      end = .row
      lineNumber += 1
    default: end = .file
    }
  }

  /// Reads what follows the opening quote.
  private mutating func readQuoted() {
    let quote = UInt8(ascii: "\"")
    let firstLine = lineNumber
    var previous: UInt8 = 0
    var beforePrevious: UInt8 = 0
    while true {
      if previous != quote {
        let count = source.appendRun(
          to: &field, until: quote, UInt8(ascii: "\r"), format.rowSeparator,
          format.quotedEscape ?? quote)
        if count > 0 {
          previous = 0
          beforePrevious = 0
        }
      }
      let next = source.next()
      if next == format.rowSeparator { lineNumber += 1 }
      if next == quote, previous == quote {
        // The first of the two stands in the field already.
        previous = 0
        continue
      }
      if let byte = next, byte == format.quotedEscape {
        field.append(source.next() ?? 0xff)
        beforePrevious = previous
        previous = 0
        continue
      }
      if endsQuoted(next, previous, beforePrevious) {
        while let last = field.popLast(), last != quote {}
        end = next == nil ? .file : next == format.columnSeparator ? .column : .row
        return
      }
      if previous == quote, next != UInt8(ascii: "\r") {
        complain("\(name):\(lineNumber): unescaped \" character\n")
      }
      guard let byte = next else {
        complain("\(name):\(firstLine): unterminated \"-quoted field\n")
        end = .file
        return
      }
      field.append(byte)
      beforePrevious = previous
      previous = byte
    }
  }

  /// Whether a quote just closed the field.
  private func endsQuoted(_ next: UInt8?, _ previous: UInt8, _ beforePrevious: UInt8) -> Bool {
    let quote = UInt8(ascii: "\"")
    if previous == quote {
      return next == nil || next == format.columnSeparator || next == format.rowSeparator
    }
    return next == format.rowSeparator && previous == UInt8(ascii: "\r") && beforePrevious == quote
  }
}

/// Bytes of a file or of memory, one at a time.
final class ByteSource {
  private let file: InputFile?
  private let buffer: UnsafeMutableRawBufferPointer
  private var position = 0
  private var count = 0
  /// Bytes of the buffers before this one.
  private var earlierCount = 0
  private static let capacity = 1 << 16

  /// How many bytes were taken.
  var consumedCount: Int { earlierCount + position }

  init(_ file: InputFile) {
    self.file = file
    buffer = .allocate(byteCount: Self.capacity, alignment: 1)
  }

  init(_ bytes: [UInt8]) {
    file = nil
    buffer = .allocate(byteCount: bytes.count, alignment: 1)
    buffer.copyBytes(from: bytes)
    count = bytes.count
  }

  deinit { buffer.deallocate() }

  @inline(__always)
  func next() -> UInt8? {
    if position == count, !refill() { return nil }
    defer { position += 1 }
    return buffer[position]
  }

  /// The next byte, which stays the next.
  func peek() -> UInt8? {
    if position == count, !refill() { return nil }
    return buffer[position]
  }

  /// Appends bytes up to the first of four, or to the end of the file, and gives how many.
  @discardableResult
  func appendRun(
    to field: inout [UInt8], until first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8
  ) -> Int {
    var runLength = 0
    while position < count || refill() {
      let start = position
      var index = start
      while index < count {
        let byte = buffer[index]
        if byte == first || byte == second || byte == third || byte == fourth { break }
        index += 1
      }
      position = index
      field.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[start..<index]))
      runLength += index - start
      if index < count { break }
    }
    return runLength
  }

  /// Takes the mark that some editors begin a file with.
  func skipByteOrderMark() {
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    if position == count, !refill() { return }
    if buffer[position..<count].starts(with: mark) { position += mark.count }
  }

  private func refill() -> Bool {
    guard let file else { return false }
    earlierCount += count
    position = 0
    count = file.fill(buffer)
    return count > 0
  }
}
