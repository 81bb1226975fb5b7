/// The form in which a function gives JSON.
enum JSONForm {
  case text, binary
  /// What `->>` gives: as `text`, but no JSON to other functions.
  case value
}

/// A document as a function sees it. It stays until four others were read.
struct JSONDocument {
  let elements: JSONElements
  var usesExtensions = false
}

extension FunctionContext {
  var json: UnsafeMutablePointer<JSONMemory> {
    get throws(SQLError) { try memory.pointee.jsonMemory() }
  }

  /// The document that an argument is: JSONB, or what can be read as JSON text. nil for NULL.
  @inline(__always)
  func document(_ index: Int) throws(SQLError) -> JSONDocument? {
    if tag(index) == .blob, let blob = try binaryDocument(index) { return blob }
    guard let text = try text(index) else { return nil }
    guard let document = try json.pointee.document(text) else { throw JSONWriter.malformed }
    return JSONDocument(
      elements: document.pointee.blob.elements, usesExtensions: document.pointee.usesExtensions)
  }

  /// A blob that looks like JSONB.
  func binaryDocument(_ index: Int) throws(SQLError) -> JSONDocument? {
    guard tag(index) == .blob else { return nil }
    let blob = try bytes(index)
    guard let start = blob.baseAddress else { return nil }
    let elements = JSONElements(start, blob.count)
    return elements.looksValid ? JSONDocument(elements: elements) : nil
  }

  // MARK: Paths

  /// The element that a path argument leads to; nil if there is none, or if the path is NULL.
  func find(_ index: Int, in document: JSONDocument) throws(SQLError) -> Int? {
    guard let path = try cString(index) else { return nil }
    guard path.first == UInt8(ascii: "$") else {
      throw JSONLookup.error(JSONLookup.badPath, path: path)
    }
    let found = document.elements.find(Bytes(rebasing: path.dropFirst())).offset
    if found >= 0 { return found }
    if found == JSONLookup.notFound { return nil }
    throw JSONLookup.error(found, path: path)
  }

  /// As `find`, for the right side of `->` and `->>`: labels and numbers stand for paths, too.
  @inline(__always)
  func findAbbreviated(_ index: Int, in document: JSONDocument) throws(SQLError) -> Int? {
    guard let text = try cString(index) else { return nil }
    let found: Int
    if text.first == UInt8(ascii: "$") {
      found = document.elements.find(Bytes(rebasing: text.dropFirst())).offset
    } else {
      found = try findStep(text, isNumber: tag(index) == .integer, in: document)
    }
    if found >= 0 { return found }
    if found == JSONLookup.notFound { return nil }
    throw JSONLookup.error(found, path: text)
  }

  /// Makes a path of a label or number and follows it.
  private func findStep(
    _ text: Bytes, isNumber: Bool, in document: JSONDocument
  ) throws(SQLError) -> Int {
    var path = memory.pointee.takeText()
    defer { memory.pointee.giveBack(path) }
    if isNumber {
      try path.append(text.first == UInt8(ascii: "-") ? "[#" : "[")
      try path.append(text)
      try path.append("]")
    } else if text.allSatisfy({ JSONCharacters.isAlphanumeric($0) || $0 == UInt8(ascii: "_") }) {
      try path.append(".")
      try path.append(text)
    } else if text.count >= 3, text.first == UInt8(ascii: "["), text.last == UInt8(ascii: "]") {
      try path.append(text)
    } else {
      try path.append(".\"")
      try path.append(text)
      try path.append("\"")
    }
    return document.elements.find(path.bytes).offset
  }

  // MARK: Results

  /// The result is an element, in the form of SQL where it has one.
  @inline(__always)
  func setResult(
    _ elements: JSONElements, at offset: Int, _ form: JSONForm
  ) throws(SQLError) {
    if try elements.put(offset, into: &result.pointee) { return }
    try setJSON(elements, at: offset, form)
  }

  /// The result is an element as JSON.
  @inline(never)
  func setJSON(
    _ elements: JSONElements, at offset: Int, _ form: JSONForm
  ) throws(SQLError) {
    if form == .binary {
      return try set(.blob, elements.payloadWithHeader(at: offset))
    }
    try writeText { text throws(SQLError) in
      var writer = JSONWriter(elements, frames: try json.pointee.writerFrames, to: text)
      defer { text = writer.text }
      try writer.write(at: offset)
    }
    if form == .text { result.pointee.markAsJSON() }
  }

  /// The result is JSON that was made as text.
  func setJSON(
    _ form: JSONForm, _ write: (inout TextBuilder) throws(SQLError) -> Void
  ) throws(SQLError) {
    guard form == .binary else {
      try writeText(write)
      return result.pointee.markAsJSON()
    }
    var text = memory.pointee.takeText()
    defer { memory.pointee.giveBack(text) }
    try write(&text)
    try setBinary(text.bytes)
  }

  /// The result is the JSONB that a text made by these functions means.
  func setBinary(_ text: Bytes) throws(SQLError) {
    let json = try json
    if try !json.pointee.value.parse(text, json.pointee.parserFrames) {
      // Broken blobs among the values, or too deep ones, make a broken blob.
      _ = try json.pointee.value.parse(text, json.pointee.parserFrames, guessesSizes: true)
    }
    try set(.blob, json.pointee.value.blob.bytes)
  }

  func writeText(
    _ write: (inout TextBuilder) throws(SQLError) -> Void
  ) throws(SQLError) {
    var text = memory.pointee.takeText()
    defer { memory.pointee.giveBack(text) }
    try write(&text)
    try set(.text, text.bytes)
  }

  // MARK: Values

  /// Appends an argument as JSON (json1 §3.4): text is a JSON text unless it comes from a function
  /// that gives JSON.
  func appendJSON(_ index: Int, to text: inout TextBuilder) throws(SQLError) {
    let argument = arguments + index
    switch argument.pointee.tag {
    case .null: try text.append("null")
    case .integer: try text.append(decimal: argument.pointee.integer)
    case .real: try text.appendJSON(argument.pointee.real)
    case .text:
      let bytes = argument.pointee.byteBuffer
      if argument.pointee.isJSON { try text.append(bytes) } else { try text.appendJSONText(bytes) }
    case .blob:
      guard let document = try binaryDocument(index) else {
        throw .sql("JSON cannot hold BLOB values")
      }
      var writer = JSONWriter(
        document.elements, frames: try json.pointee.writerFrames, to: text)
      defer { text = writer.text }
      try writer.write(at: 0)
    }
  }

  /// An argument as JSONB, in memory of the connection or of the argument.
  func binaryValue(_ index: Int) throws(SQLError) -> Bytes {
    let argument = arguments + index, json = try json
    if argument.pointee.tag == .blob {
      guard let document = try binaryDocument(index) else {
        throw .sql("JSON cannot hold BLOB values")
      }
      return Bytes(start: document.elements.bytes, count: document.elements.count)
    }
    if argument.pointee.tag == .text && argument.pointee.isJSON {
      guard try json.pointee.value.parse(argument.pointee.byteBuffer, json.pointee.parserFrames)
      else { throw JSONWriter.malformed }
      return json.pointee.value.blob.bytes
    }
    let type: UInt8
    switch argument.pointee.tag {
    case .null: type = JSONType.null
    case .integer: type = JSONType.integer
    case .real: type = JSONType.float
    default: type = JSONType.rawText
    }
    let text = try text(index) ?? Bytes(start: nil, count: 0)
    return try json.pointee.value.set(type, text.isInfinity(type) ? text.infinity : text)
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// The text of a real that is infinite: `Inf` or `-Inf`.
  fileprivate func isInfinity(_ type: UInt8) -> Bool {
    type == JSONType.float && last == UInt8(ascii: "f")
  }

  /// How JSONB has infinity.
  fileprivate var infinity: UnsafeBufferPointer<UInt8> {
    let digits: StaticString = first == UInt8(ascii: "-") ? "-9e999" : "9e999"
    return UnsafeBufferPointer(start: digits.utf8Start, count: digits.utf8CodeUnitCount)
  }
}

extension TextBuilder {
  mutating func appendJSON(_ value: Double) throws(SQLError) {
    if value.isInfinite { return try append(value < 0 ? "-9.0e+999" : "9.0e+999") }
    let target = try reserve(NumberText.bufferSize)
    advance(NumberText.write(value, to: target))
  }

  /// The comma before an item, unless it is the first.
  mutating func appendJSONSeparator() throws(SQLError) {
    guard let last = bytes.last, last != UInt8(ascii: "["), last != UInt8(ascii: "{") else {
      return
    }
    try append(UInt8(ascii: ","))
  }
}

extension JSONElements {
  func payloadWithHeader(at offset: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: bytes + offset, count: header(at: offset).total)
  }
}
