/// A step of a path: `.label`, `."label"`, `[index]` or `[#-index]` (json1 §3.3).
struct JSONPathStep {
  enum Kind { case label, index }

  var kind = Kind.label
  /// The label, and whether backslashes in it are no escapes.
  var label = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
  var isRaw = true
  /// The index; from the array's end on if `isFromEnd`.
  var index = 0
  var isFromEnd = false
}

/// A path being followed: what is left of its text, which a NUL or its end ends.
struct JSONPath {
  typealias Bytes = UnsafeBufferPointer<UInt8>

  private let text: Bytes
  private var offset = 0

  /// - Parameter text: the path behind its `$`.
  init(_ text: Bytes) { self.text = text }

  var isAtEnd: Bool { offset >= text.count }

  /// The last character says that the path is that of an item.
  var endsInIndex: Bool { text.last == UInt8(ascii: "]") }

  /// What comes next, 0 at the end.
  var next: UInt8 { peek(0) }

  @inline(__always)
  private func peek(_ distance: Int) -> UInt8 {
    offset + distance < text.count ? text[offset + distance] : 0
  }

  private func slice(_ start: Int, _ end: Int) -> Bytes { Bytes(rebasing: text[start..<end]) }

  /// Reads `.label`; nil for a mistake.
  mutating func readLabel() -> JSONPathStep? {
    offset += 1
    var step = JSONPathStep()
    if next == UInt8(ascii: "\"") {
      let start = offset + 1
      var end = start
      while end < text.count && text[end] != UInt8(ascii: "\"") {
        end += text[end] == UInt8(ascii: "\\") && end + 1 < text.count ? 2 : 1
      }
      guard end < text.count else { return nil }
      step.label = slice(start, end)
      step.isRaw = !step.label.contains(UInt8(ascii: "\\"))
      offset = end + 1
    } else {
      let start = offset
      while offset < text.count && text[offset] != UInt8(ascii: ".")
        && text[offset] != UInt8(ascii: "[")
      { offset += 1 }
      guard offset > start else { return nil }
      step.label = slice(start, offset)
    }
    return step
  }

  /// Reads `[index]`; nil for a mistake.
  mutating func readIndex() -> JSONPathStep? {
    offset += 1
    var step = JSONPathStep(kind: .index)
    let start = offset
    step.index = readNumber()
    if offset == start {
      guard next == UInt8(ascii: "#") else { return nil }
      offset += 1
      step.isFromEnd = true
      if next == UInt8(ascii: "-"), ASCII.isDigit(peek(1)) {
        offset += 1
        step.index = readNumber()
      }
    }
    guard next == UInt8(ascii: "]") else { return nil }
    offset += 1
    return step
  }

  /// Numbers beyond any array stay there.
  private mutating func readNumber() -> Int {
    var number = 0
    while ASCII.isDigit(next) {
      number = min(number * 10 + Int(next - 0x30), 1 << 40)
      offset += 1
    }
    return number
  }
}

/// Why a path leads to no element. Elements found are offsets, 0 and more.
enum JSONLookup {
  static let notFound = -1
  static let badPath = -2
  static let malformed = -3
  static let tooDeep = -4
  static let notArray = -5

  /// The error of a lookup that found nothing because something is wrong (json1 §3.3).
  static func error(_ code: Int, path: UnsafeBufferPointer<UInt8>) -> SQLError {
    func quoted() -> String { String(text: path).quoted(with: "'") }
    switch code {
    case malformed: return JSONWriter.malformed
    case tooDeep: return .sql("JSON path too deep")
    case notArray: return .sql("not an array element: \(quoted())")
    default: return .sql("bad JSON path: \(quoted())")
    }
  }
}

extension JSONElements {
  /// An element of a container: where it is, and its label's offset in an object.
  struct Child {
    var offset: Int
    /// 0 in an array.
    var label = 0
    /// Behind the container's last element, where nothing was found.
    var end = 0
    /// How many elements of an array were missing.
    var missingCount = 0
  }

  /// Follows a path from the element at `start` on.
  func find(_ path: UnsafeBufferPointer<UInt8>, from start: Int = 0) -> Child {
    var path = JSONPath(path), found = Child(offset: start)
    for _ in 0..<JSONLimits.depth {
      if path.isAtEnd { return found }
      found = step(&path, from: found.offset)
      if found.offset < 0 { return found }
    }
    return Child(offset: JSONLookup.tooDeep)
  }

  /// Follows one step of a path. The offset is a `JSONLookup` where it leads nowhere; where only
  /// the element is missing, `end` is not 0.
  func step(_ path: inout JSONPath, from container: Int) -> Child {
    var step: JSONPathStep?
    return self.step(&path, from: container, &step)
  }

  func step(
    _ path: inout JSONPath, from container: Int, _ step: inout JSONPathStep?
  ) -> Child {
    switch path.next {
    case UInt8(ascii: "."):
      guard let label = path.readLabel() else { return Child(offset: JSONLookup.badPath) }
      step = label
      return type(at: container) == JSONType.object
        ? member(label, ofObjectAt: container) : Child(offset: JSONLookup.notFound)
    case UInt8(ascii: "["):
      guard type(at: container) == JSONType.array else {
        return Child(offset: JSONLookup.notFound)
      }
      guard let index = path.readIndex() else { return Child(offset: JSONLookup.badPath) }
      step = index
      return item(index, ofArrayAt: container)
    default: return Child(offset: JSONLookup.badPath)
    }
  }

  private func member(_ step: JSONPathStep, ofObjectAt object: Int) -> Child {
    let malformed = Child(offset: JSONLookup.malformed)
    let header = header(at: object)
    // C SQLite looks for labels from a broken header on, and finds none.
    let end = object + header.total
    var position = object + header.size
    while position < end {
      let type = bytes[position] & 15
      guard JSONType.isText(type) else { return malformed }
      let label = self.header(at: position)
      let value = position &+ label.total
      guard label.isValid, value < end else { return malformed }
      guard bytes[value] & 15 <= JSONType.object else { return malformed }
      let valueHeader = self.header(at: value)
      guard valueHeader.isValid else { return malformed }
      let isRaw = type == JSONType.text || type == JSONType.rawText
      if JSONEscapes.areEqual(
        step.label, leftIsRaw: step.isRaw, payload(at: position, label), rightIsRaw: isRaw)
      {
        if value &+ valueHeader.total > end { return malformed }
        return Child(offset: value, label: position)
      }
      position = value &+ valueHeader.total
    }
    if position > end { return malformed }
    return Child(offset: JSONLookup.notFound, end: position)
  }

  private func item(_ step: JSONPathStep, ofArrayAt array: Int) -> Child {
    let header = header(at: array)
    var left = step.index
    if step.isFromEnd {
      let count = elementCount(ofArrayAt: array)
      if step.index > count { return Child(offset: JSONLookup.notFound) }
      left = count - step.index
    }
    var position = array + header.size
    let end = array + header.total
    while position < end {
      if left == 0 { return Child(offset: position) }
      left -= 1
      let item = self.header(at: position)
      guard item.isValid else { return Child(offset: JSONLookup.malformed) }
      position += item.total
    }
    if position > end { return Child(offset: JSONLookup.malformed) }
    return Child(offset: JSONLookup.notFound, end: position, missingCount: left)
  }
}
