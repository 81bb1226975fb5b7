/// json_each and json_tree, and their twins that give JSONB (json1 §4.24).
final class JSONTableCursor: VirtualTableCursor {
  /// The plan's bits: the document is given, and the path to begin with.
  static let documentGiven = 1
  static let rootGiven = 2

  private enum Column {
    static let key = 0, value = 1, type = 2, atom = 3, id = 4, parent = 5
    static let fullKey = 6, path = 7, json = 8, root = 9
  }

  private let isRecursive: Bool
  private let form: JSONForm
  @exclusivity(unchecked) private var encoding = TextEncoding.utf8
  private let host: FunctionHost
  @exclusivity(unchecked) private var document = ParsedText()
  /// The argument, where it is JSONB; the path to begin with; a part of a path.
  @exclusivity(unchecked) private var blob = JSONBuffer()
  @exclusivity(unchecked) private var root = JSONBuffer()
  @exclusivity(unchecked) private var isBinary = false
  @exclusivity(unchecked) private var walker: JSONWalker

  init(isRecursive: Bool, form: JSONForm, host: FunctionHost) {
    self.isRecursive = isRecursive
    walker = JSONWalker(isRecursive: isRecursive)
    self.form = form
    self.host = host
  }

  deinit {
    document.deallocate()
    blob.deallocate()
    root.deallocate()
    walker.deallocate()
  }

  // MARK: Rows

  override func start(
    _ scan: VirtualScan, _ arguments: UnsafeMutablePointer<Register>,
    _ surroundings: ScanSurroundings
  ) throws(SQLError) -> Bool {
    let plan = Int(scan.number)
    encoding = surroundings.encoding
    walker.stop()
    guard plan & JSONTableCursor.documentGiven != 0, try readDocument(arguments),
      let found = try findRoot(plan, arguments + 1)
    else { return false }
    try walker.begin(elements, at: found, root: root.bytes)
    return !walker.isAtEnd
  }

  override func next() throws(SQLError) -> Bool {
    try walker.next()
    return !walker.isAtEnd
  }

  private var elements: JSONElements {
    isBinary ? blob.elements : document.blob.elements
  }

  /// Takes the document over. False for NULL.
  private func readDocument(_ argument: UnsafeMutablePointer<Register>) throws(SQLError) -> Bool {
    if argument.pointee.isNull { return false }
    if argument.pointee.tag == .blob {
      try argument.pointee.expandZeros()
      let bytes = argument.pointee.byteBuffer
      let start = bytes.baseAddress ?? Register.emptyBytes
      if JSONElements(start, bytes.count).looksValid {
        isBinary = true
        blob.removeAll()
        try blob.append(start, bytes.count)
        return true
      }
    }
    isBinary = false
    let json = try host.memory.pointee.jsonMemory(), document = self.document
    self.document = ParsedText()
    var parsed = document
    defer { self.document = parsed }
    return try withText(argument) { text throws(SQLError) in
      if parsed.isOf(text) { return true }
      guard try parsed.parse(text, json.pointee.parserFrames) else { throw JSONWriter.malformed }
      return true
    }
  }

  private func findRoot(
    _ plan: Int, _ argument: UnsafeMutablePointer<Register>
  ) throws(SQLError) -> JSONElements.Child? {
    root.removeAll()
    guard plan & JSONTableCursor.rootGiven != 0 else {
      try root.reserve(1)
      root.append(UInt8(ascii: "$"))
      return JSONElements.Child(offset: 0)
    }
    if argument.pointee.isNull { return nil }
    try withText(argument) { text throws(SQLError) in
      let count = Memory.firstZero(in: text) ?? text.count
      try root.append(text.baseAddress ?? Register.emptyBytes, count)
    }
    let path = root.bytes
    guard path.first == UInt8(ascii: "$") else {
      throw JSONLookup.error(JSONLookup.badPath, path: path)
    }
    let found = elements.find(UnsafeBufferPointer(rebasing: path.dropFirst()))
    if found.offset >= 0 { return found }
    if found.offset == JSONLookup.notFound { return nil }
    throw JSONLookup.error(JSONLookup.badPath, path: path)
  }

  /// An argument as text in UTF-8.
  private func withText<Result>(
    _ argument: UnsafeMutablePointer<Register>,
    _ body: (UnsafeBufferPointer<UInt8>) throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    if argument.pointee.tag == .text && encoding == .utf8 {
      return try body(argument.pointee.byteBuffer)
    }
    var copy = Register()
    defer { copy.deinitialize() }
    copy.borrow(from: argument.pointee)
    let isBlob = copy.tag == .blob
    if isBlob { copy.tag = .text } else { try Cast.apply(.text, to: &copy, encoding: encoding) }
    try copy.changeEncoding(from: encoding, to: .utf8)
    return try body(copy.byteBuffer)
  }

  // MARK: Columns

  override func read(
    _ column: Int, into target: UnsafeMutablePointer<Register>, _ encoding: TextEncoding,
    isUnchanged: Bool
  ) throws(SQLError) {
    if walker.isAtEnd { return target.pointee.setNull() }
    try put(column, into: &target.pointee)
    if encoding != .utf8 { try target.pointee.changeEncoding(from: .utf8, to: encoding) }
  }

  private func put(_ column: Int, into target: inout Register) throws(SQLError) {
    let value = walker.value
    switch column {
    case Column.key: try putKey(into: &target)
    case Column.value: try putValue(value, into: &target)
    case Column.type:
      let name = JSONType.name(elements.type(at: value))
      target.setBorrowed(.text, name.utf8Start, name.utf8CodeUnitCount)
    case Column.atom:
      if JSONType.isContainer(elements.type(at: value)) { return target.setNull() }
      _ = try elements.put(value, into: &target)
    case Column.id: target.setInteger(Int64(walker.position))
    case Column.parent:
      if isRecursive, let container = walker.containers.last {
        target.setInteger(Int64(container.head))
      } else {
        target.setNull()
      }
    case Column.fullKey:
      try walker.withFullPath { (path) throws(SQLError) in try target.setOwnedText(path) }
    case Column.path: try putPath(into: &target)
    case Column.json: putDocument(into: &target)
    case Column.root:
      target.setBorrowed(.text, root.elements.bytes, root.count)
    default: target.setInteger(walker.rowCount)
    }
  }

  private func putDocument(into target: inout Register) {
    if isBinary {
      target.setBorrowed(.blob, blob.elements.bytes, blob.count)
    } else {
      let text = document.source
      let count = Memory.firstZero(in: text) ?? text.count
      target.setBorrowed(.text, text.baseAddress ?? Register.emptyBytes, count)
    }
  }

  private func putValue(_ value: Int, into target: inout Register) throws(SQLError) {
    if try elements.put(value, into: &target) { return }
    if form == .binary {
      let bytes = elements.payloadWithHeader(at: value)
      try target.setOwned(.blob, copying: bytes.baseAddress ?? Register.emptyBytes, bytes.count)
    } else {
      try putText(of: value, into: &target)
    }
    target.markAsJSON()
  }

  /// The index or label. In the first row of json_tree it is the last step of the path that the
  /// walk began with.
  private func putKey(into target: inout Register) throws(SQLError) {
    if !walker.containers.isEmpty {
      if let index = walker.index { return target.setInteger(Int64(index)) }
      // A broken document may have a container where a label should be.
      if try !elements.put(walker.position, into: &target) {
        try putText(of: walker.position, into: &target)
      }
      return
    }
    let text = walker.path.bytes, start = walker.containerPathCount
    guard walker.rootCount > 1, start < walker.rootCount else { return target.setNull() }
    let step = UnsafeBufferPointer(rebasing: text[start..<walker.rootCount])
    if step[0] == UInt8(ascii: "[") {
      let digits = UnsafeBufferPointer(rebasing: step.dropFirst())
      let number = NumericText(digits.baseAddress ?? Register.emptyBytes, digits.count)
      return target.setInteger(number.integer)
    }
    let isQuoted = step.count > 2 && step[1] == UInt8(ascii: "\"")
    let label = isQuoted ? step[2..<max(2, step.count - 1)] : step[1...]
    try target.setOwnedText(UnsafeBufferPointer(rebasing: label))
  }

  private func putText(of offset: Int, into target: inout Register) throws(SQLError) {
    var text = host.memory.pointee.takeText()
    defer { host.memory.pointee.giveBack(text) }
    let frames = try host.memory.pointee.jsonMemory().pointee.writerFrames
    var writer = JSONWriter(elements, frames: frames, to: text)
    defer { text = writer.text }
    try writer.write(at: offset)
    try target.setOwnedText(writer.text.bytes)
  }

  private func putPath(into target: inout Register) throws(SQLError) {
    let path = UnsafeBufferPointer(rebasing: walker.path.bytes[..<walker.containerPathCount])
    try target.setOwnedText(path)
  }
}

extension Register {
  fileprivate mutating func setOwnedText(_ bytes: UnsafeBufferPointer<UInt8>) throws(SQLError) {
    try setOwned(.text, copying: bytes.baseAddress ?? Register.emptyBytes, bytes.count)
  }
}
