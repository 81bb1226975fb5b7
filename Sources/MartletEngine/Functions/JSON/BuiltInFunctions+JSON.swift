/// JSON functions (json1).
extension BuiltInFunctions {
  static let json: [ScalarFunction] = jsonReading + jsonMaking + jsonEditing

  private static let jsonReading: [ScalarFunction] = [
    jsonFunction("json", .exactly(1), .text, body: whole),
    jsonFunction("jsonb", .exactly(1), .binary, body: whole),
    ScalarFunction("->", .exactly(2), givingJSON, body: extractJSON),
    ScalarFunction("->>", .exactly(2), reading, body: extractValue),
    jsonFunction("json_extract", .atLeast(0), .text, body: extract),
    jsonFunction("jsonb_extract", .atLeast(0), .binary, body: extract),
    ScalarFunction("json_array_length", .exactly(1), reading, body: arrayLength),
    ScalarFunction("json_array_length", .exactly(2), reading, body: arrayLength),
    ScalarFunction("json_type", .exactly(1), reading, body: jsonType),
    ScalarFunction("json_type", .exactly(2), reading, body: jsonType),
    ScalarFunction("json_valid", .exactly(1), reading, body: isValidJSON),
    ScalarFunction("json_valid", .exactly(2), reading, body: isValidJSON),
    ScalarFunction("json_error_position", .exactly(1), reading, body: jsonErrorPosition),
    ScalarFunction("json_pretty", .exactly(1), reading, body: pretty),
    ScalarFunction("json_pretty", .exactly(2), reading, body: pretty),
  ]

  /// A function that has a twin for the other form of JSON.
  static func jsonFunction(
    _ name: String, _ arity: FunctionArity, _ form: JSONForm,
    _ flags: FunctionFlags = givingJSON,
    body: @escaping @Sendable (FunctionContext, JSONForm) throws(SQLError) -> Void
  ) -> ScalarFunction {
    ScalarFunction(name, arity, flags) { call throws(SQLError) in try body(call, form) }
  }

  /// Subtypes of the arguments matter.
  static let takingJSON: FunctionFlags = [.pure, .subtype, .resultSubtype]

  static let givingJSON: FunctionFlags = [.pure, .resultSubtype, .notForPlans]

  private static let reading: FunctionFlags = [.pure, .notForPlans]

  private static let jsonMaking: [ScalarFunction] = [
    ScalarFunction("json_quote", .exactly(1), takingJSON) { call throws(SQLError) in
      try call.setJSON(.text) { text throws(SQLError) in try call.appendJSON(0, to: &text) }
    },
    jsonFunction("json_array", .atLeast(0), .text, takingJSON, body: makeArray),
    jsonFunction("jsonb_array", .atLeast(0), .binary, takingJSON, body: makeArray),
    jsonFunction("json_object", .atLeast(0), .text, takingJSON, body: makeObject),
    jsonFunction("jsonb_object", .atLeast(0), .binary, takingJSON, body: makeObject),
  ]

  // MARK: Whole documents

  @Sendable private static func whole(_ call: FunctionContext, _ form: JSONForm) throws(SQLError) {
    guard let document = try call.document(0) else { return call.setNull() }
    if form == .binary {
      let elements = document.elements
      return try call.set(
        .blob, UnsafeBufferPointer(start: elements.bytes, count: elements.count))
    }
    try call.setJSON(document.elements, at: 0, .text)
  }

  @Sendable private static func pretty(_ call: FunctionContext) throws(SQLError) {
    guard let document = try call.document(0) else { return call.setNull() }
    let spaces: StaticString = "    "
    let standard = UnsafeBufferPointer(start: spaces.utf8Start, count: spaces.utf8CodeUnitCount)
    let indent = call.count == 2 ? try call.text(1) : nil
    try call.writeText { text throws(SQLError) in
      var writer = JSONWriter(
        document.elements, frames: try call.json.pointee.writerFrames, to: text)
      defer { text = writer.text }
      try writer.writePretty(at: 0, indent: indent ?? standard)
    }
  }

  // MARK: Looking

  @Sendable private static func extractJSON(_ call: FunctionContext) throws(SQLError) {
    guard let document = try call.document(0),
      let found = try call.findAbbreviated(1, in: document)
    else { return call.setNull() }
    try call.setJSON(document.elements, at: found, .text)
  }

  @Sendable private static func extractValue(_ call: FunctionContext) throws(SQLError) {
    guard let document = try call.document(0),
      let found = try call.findAbbreviated(1, in: document)
    else { return call.setNull() }
    try call.setResult(document.elements, at: found, .value)
  }

  @Sendable private static func extract(
    _ call: FunctionContext, _ form: JSONForm
  ) throws(SQLError) {
    guard call.count > 1, let document = try call.document(0) else { return call.setNull() }
    let elements = document.elements
    if call.count == 2 {
      guard let found = try call.find(1, in: document) else { return call.setNull() }
      return try call.setResult(elements, at: found, form)
    }
    var isNull = false, failure: SQLError?
    try call.setJSON(form) { text throws(SQLError) in
      try text.append("[")
      let frames = try call.json.pointee.writerFrames
      for index in 1..<call.count {
        if call.isNull(index) {
          // A path that is NULL makes the whole result NULL.
          isNull = true
          try text.append("]")
          return
        }
        try text.appendJSONSeparator()
        guard let found = try call.find(index, in: document) else {
          try text.append("null")
          continue
        }
        // Wrong paths behind a broken element are reported first.
        if failure != nil { continue }
        var writer = JSONWriter(elements, frames: frames, to: text)
        defer { text = writer.text }
        do throws(SQLError) { try writer.write(at: found) } catch { failure = error }
      }
      if let failure { throw failure }
      try text.append("]")
    }
    if isNull { call.setNull() }
  }

  @Sendable private static func arrayLength(_ call: FunctionContext) throws(SQLError) {
    guard let document = try call.document(0) else { return call.setNull() }
    var found = 0
    if call.count == 2 {
      guard let offset = try call.find(1, in: document) else { return call.setNull() }
      found = offset
    }
    let isArray = document.elements.type(at: found) == JSONType.array
    call.setInteger(isArray ? Int64(document.elements.elementCount(ofArrayAt: found)) : 0)
  }

  @Sendable private static func jsonType(_ call: FunctionContext) throws(SQLError) {
    guard let document = try call.document(0) else { return call.setNull() }
    var found = 0
    if call.count == 2 {
      guard let offset = try call.find(1, in: document) else { return call.setNull() }
      found = offset
    }
    call.setStatic(JSONType.name(document.elements.type(at: found)))
  }

  // MARK: Validity

  @Sendable private static func isValidJSON(_ call: FunctionContext) throws(SQLError) {
    let flags = call.count == 2 ? call.integer(1) : 1
    guard (1...15).contains(flags) else {
      throw .sql("FLAGS parameter to json_valid() must be between 1 and 15")
    }
    if call.isNull(0) { return call.setNull() }
    if let binary = try call.binaryDocument(0) {
      let isValid = flags & 4 != 0 || flags & 8 != 0 && binary.elements.errorPosition == 0
      return call.setInteger(isValid ? 1 : 0)
    }
    guard flags & 3 != 0, let text = try call.text(0), !text.isEmpty,
      let document = try call.json.pointee.document(text)
    else { return call.setInteger(0) }
    call.setInteger(flags & 2 != 0 || !document.pointee.usesExtensions ? 1 : 0)
  }

  @Sendable private static func jsonErrorPosition(_ call: FunctionContext) throws(SQLError) {
    if let binary = try call.binaryDocument(0) {
      return call.setInteger(Int64(binary.elements.errorPosition))
    }
    guard let text = try call.text(0) else { return call.setNull() }
    let json = try call.json
    if try json.pointee.value.parse(text, json.pointee.parserFrames) {
      return call.setInteger(0)
    }
    let before = text.prefix(json.pointee.value.errorOffset)
    call.setInteger(Int64(before.count { $0 & 0xc0 != 0x80 }) + 1)
  }

  // MARK: Making

  @Sendable private static func makeArray(
    _ call: FunctionContext, _ form: JSONForm
  ) throws(SQLError) {
    try call.setJSON(form) { text throws(SQLError) in
      try text.append("[")
      for index in 0..<call.count {
        try text.appendJSONSeparator()
        try call.appendJSON(index, to: &text)
      }
      try text.append("]")
    }
  }

  @Sendable private static func makeObject(
    _ call: FunctionContext, _ form: JSONForm
  ) throws(SQLError) {
    if call.count % 2 != 0 {
      throw .sql("json_object() requires an even number of arguments")
    }
    try call.setJSON(form) { text throws(SQLError) in
      try text.append("{")
      for index in stride(from: 0, to: call.count, by: 2) where call.tag(index) != .text {
        throw .sql("json_object() labels must be TEXT")
      }
      for index in stride(from: 0, to: call.count, by: 2) {
        try text.appendJSONSeparator()
        try text.appendJSONText(call.arguments[index].byteBuffer)
        try text.append(":")
        try call.appendJSON(index + 1, to: &text)
      }
      try text.append("}")
    }
  }
}
