/// What JSON functions use again from call to call: memory, and the documents that were read last.
///
/// Several calls often read one document (`d->>'a', d->>'b'`), so the last four are kept, found by
/// their bytes.
struct JSONMemory {
  let parserFrames: UnsafeMutablePointer<JSONParser.Frame>
  let writerFrames: UnsafeMutablePointer<JSONWriter.Frame>
  let containers: UnsafeMutablePointer<Int>
  private let documents: UnsafeMutablePointer<ParsedText>
  private var useCount: UInt64 = 0
  /// The document that is edited, and the value that goes into it.
  var edited = JSONBuffer()
  var value = ParsedText()

  private static let documentCount = 4

  init() throws(SQLError) {
    let parserSize = JSONParser.frameCount * MemoryLayout<JSONParser.Frame>.stride
    let writerSize = JSONWriter.frameCount * MemoryLayout<JSONWriter.Frame>.stride
    let containersSize = JSONEditor.containerCount * MemoryLayout<Int>.stride
    let documentsSize = JSONMemory.documentCount * MemoryLayout<ParsedText>.stride
    assert((parserSize | writerSize | containersSize) % 8 == 0)
    // One piece: there is none to be left behind where another cannot be had.
    var next = try Memory.allocate(parserSize + writerSize + containersSize + documentsSize)
    parserFrames = next.bindMemory(to: JSONParser.Frame.self, capacity: JSONParser.frameCount)
    next += parserSize
    writerFrames = next.bindMemory(to: JSONWriter.Frame.self, capacity: JSONWriter.frameCount)
    next += writerSize
    containers = next.bindMemory(to: Int.self, capacity: JSONEditor.containerCount)
    next += containersSize
    documents = next.bindMemory(to: ParsedText.self, capacity: JSONMemory.documentCount)
    documents.initialize(repeating: ParsedText(), count: JSONMemory.documentCount)
  }

  mutating func deallocate() {
    for index in 0..<JSONMemory.documentCount { documents[index].deallocate() }
    edited.deallocate()
    value.deallocate()
    // The beginning of all four.
    Memory.free(parserFrames)
  }

  /// Gives the memory of large documents back.
  mutating func shrink() {
    for index in 0..<JSONMemory.documentCount where documents[index].isLarge {
      documents[index].deallocate()
    }
    if edited.capacity > ParsedText.keptSize { edited.deallocate() }
    if value.isLarge { value.deallocate() }
  }

  /// The document that a text is, which stays until four others were read; nil if it is none.
  mutating func document(
    _ text: UnsafeBufferPointer<UInt8>
  ) throws(SQLError) -> UnsafeMutablePointer<ParsedText>? {
    useCount &+= 1
    var oldest = documents
    for index in 0..<JSONMemory.documentCount {
      let document = documents + index
      if document.pointee.isOf(text) {
        document.pointee.lastUse = useCount
        return document
      }
      if document.pointee.lastUse < oldest.pointee.lastUse { oldest = document }
    }
    oldest.pointee.lastUse = useCount
    return try oldest.pointee.parse(text, parserFrames) ? oldest : nil
  }
}

/// A text and the JSONB that it means.
struct ParsedText {
  private(set) var blob = JSONBuffer()
  private(set) var usesExtensions = false
  /// Where the text is wrong, if it is.
  private(set) var errorOffset = 0
  fileprivate var lastUse: UInt64 = 0
  /// A copy of the text, with NULs behind it.
  private var text = JSONBuffer()
  private var isValid = false

  static let keptSize = 1 << 18

  var isLarge: Bool { text.capacity > ParsedText.keptSize || blob.capacity > ParsedText.keptSize }

  mutating func deallocate() {
    blob.deallocate()
    text.deallocate()
    isValid = false
  }

  @inline(__always)
  func isOf(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
    guard isValid, text.count == other.count, let left = text.memory, let right = other.baseAddress
    else { return false }
    return Memory.compare(left, right, other.count) == 0
  }

  /// The copy of the text.
  var source: UnsafeBufferPointer<UInt8> { text.bytes }

  /// Becomes a single element. Returns its bytes.
  mutating func set(
    _ type: UInt8, _ payload: UnsafeBufferPointer<UInt8>
  ) throws(SQLError) -> UnsafeBufferPointer<UInt8> {
    isValid = false
    blob.removeAll()
    try blob.append(type, payload)
    return blob.bytes
  }

  /// Reads a text, up to its first NUL. Returns whether it is a document.
  mutating func parse(
    _ source: UnsafeBufferPointer<UInt8>, _ frames: UnsafeMutablePointer<JSONParser.Frame>,
    guessesSizes: Bool = false
  ) throws(SQLError) -> Bool {
    isValid = false
    text.removeAll()
    blob.removeAll()
    try text.append(source.baseAddress ?? Register.emptyBytes, source.count)
    guard let start = text.memory else { return false }
    (start + source.count).update(repeating: 0, count: JSONBuffer.slack)
    var parser = JSONParser(UnsafePointer(start), source.count, frames: frames, into: blob)
    parser.guessesSizes = guessesSizes
    blob = JSONBuffer()
    defer {
      blob = parser.output
      errorOffset = parser.errorOffset
      usesExtensions = parser.usesExtensions
    }
    isValid = try parser.parseDocument()
    return isValid
  }
}
