/// JSON functions that give a changed document.
extension BuiltInFunctions {
  static let jsonEditing: [ScalarFunction] =
    editing(.insertItem, "array_insert") + editing(.insert, "insert")
    + editing(.replace, "replace") + editing(.set, "set") + [
      jsonFunction("json_remove", .atLeast(0), .text, body: remove),
      jsonFunction("jsonb_remove", .atLeast(0), .binary, body: remove),
      jsonFunction("json_patch", .exactly(2), .text, body: patch),
      jsonFunction("jsonb_patch", .exactly(2), .binary, body: patch),
    ]

  private static func editing(_ kind: JSONEdit, _ name: String) -> [ScalarFunction] {
    let flags = takingJSON.union(.notForPlans)
    return [("json_", JSONForm.text), ("jsonb_", JSONForm.binary)].map { prefix, form in
      jsonFunction(prefix + name, .atLeast(0), form, flags) { call, form throws(SQLError) in
        try edit(call, kind, form, name)
      }
    }
  }

  /// A copy of a document that can be changed, in memory that the next call uses again.
  private static func copy(
    _ document: JSONDocument, _ json: UnsafeMutablePointer<JSONMemory>
  ) throws(SQLError) -> JSONBuffer {
    var buffer = json.pointee.edited
    json.pointee.edited = JSONBuffer()
    buffer.removeAll()
    do throws(SQLError) {
      try buffer.append(document.elements.bytes, document.elements.count)
    } catch {
      buffer.deallocate()
      throw error
    }
    return buffer
  }

  private static func edit(
    _ call: FunctionContext, _ edit: JSONEdit, _ form: JSONForm, _ name: String
  ) throws(SQLError) {
    if call.count == 0 { return call.setNull() }
    if call.count % 2 == 0 { throw .sql("json_\(name)() needs an odd number of arguments") }
    guard let document = try call.document(0) else { return call.setNull() }
    let json = try call.json
    var editor = JSONEditor(try copy(document, json), containers: json.pointee.containers)
    defer { json.pointee.edited = editor.document }
    for index in stride(from: 1, to: call.count, by: 2) {
      guard let path = try call.cString(index) else { continue }
      guard path.first == UInt8(ascii: "$") else {
        throw JSONLookup.error(JSONLookup.badPath, path: path)
      }
      let value = try call.binaryValue(index + 1)
      let isWhole = path.count == 1
      if isWhole && (edit == .replace || edit == .set) {
        try editor.document.replace(at: 0, editor.document.count, with: value)
      }
      if isWhole { continue }
      let code = try editor.apply(
        edit, at: UnsafeBufferPointer(rebasing: path.dropFirst()), value: value)
      if code < 0 && code != JSONLookup.notFound { throw JSONLookup.error(code, path: path) }
    }
    try setEdited(call, editor.document, form)
  }

  private static func setEdited(
    _ call: FunctionContext, _ document: JSONBuffer, _ form: JSONForm
  ) throws(SQLError) {
    if form == .binary { return try call.set(.blob, document.bytes) }
    var elements = document.elements
    elements.excess = 0
    try call.setJSON(elements, at: 0, form)
  }

  @Sendable private static func remove(_ call: FunctionContext, _ form: JSONForm) throws(SQLError) {
    guard call.count > 0, let document = try call.document(0) else { return call.setNull() }
    let json = try call.json
    var editor = JSONEditor(try copy(document, json), containers: json.pointee.containers)
    defer { json.pointee.edited = editor.document }
    for index in 1..<call.count {
      guard let path = try call.cString(index) else { return call.setNull() }
      guard path.first == UInt8(ascii: "$") else {
        throw JSONLookup.error(JSONLookup.badPath, path: path)
      }
      // Nothing is left of the document.
      if path.count == 1 { return call.setNull() }
      let code = try editor.apply(
        .remove, at: UnsafeBufferPointer(rebasing: path.dropFirst()),
        value: UnsafeBufferPointer(start: nil, count: 0))
      if code < 0 && code != JSONLookup.notFound { throw JSONLookup.error(code, path: path) }
    }
    try setEdited(call, editor.document, form)
  }

  @Sendable private static func patch(_ call: FunctionContext, _ form: JSONForm) throws(SQLError) {
    guard let document = try call.document(0) else { return call.setNull() }
    let json = try call.json
    let target = try copy(document, json)
    json.pointee.edited = target
    guard let other = try call.document(1) else { return call.setNull() }
    json.pointee.edited = JSONBuffer()
    var patch = JSONPatch(target, other.elements)
    defer { json.pointee.edited = patch.target }
    try patch.apply()
    try setEdited(call, patch.target, form)
  }
}
