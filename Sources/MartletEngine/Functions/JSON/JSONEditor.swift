/// What an edit does with the element that a path leads to.
enum JSONEdit: UInt8 {
  case remove
  case replace
  case insert
  case set
  /// The element that is there moves back in its array.
  case insertItem

  var makesNew: Bool { rawValue >= JSONEdit.insert.rawValue }
}

/// Changes one document in place.
struct JSONEditor {
  typealias Bytes = UnsafeBufferPointer<UInt8>

  var document: JSONBuffer
  /// Where the containers around the current element begin.
  private let containers: UnsafeMutablePointer<Int>
  private var depth = 0

  static let containerCount = JSONLimits.depth + 1

  init(_ document: consuming JSONBuffer, containers: UnsafeMutablePointer<Int>) {
    self.document = document
    self.containers = containers
  }

  /// Edits the element that `path`, which is not empty, leads to. Returns 0 or a `JSONLookup`.
  mutating func apply(
    _ edit: JSONEdit, at path: Bytes, value: Bytes
  ) throws(SQLError) -> Int {
    document.delta = 0
    depth = 0
    var path = JSONPath(path), found = JSONElements.Child(offset: 0), element = 0
    while true {
      guard depth < JSONLimits.depth else { return JSONLookup.tooDeep }
      element = found.offset
      if path.isAtEnd {
        if edit == .insertItem && found.label > 0 { return JSONLookup.notArray }
        try change(edit, found, value)
        break
      }
      var step: JSONPathStep?
      found = document.elements.step(&path, from: element, &step)
      containers[depth] = element
      depth += 1
      if found.offset >= 0 { continue }
      guard found.end > 0, edit.makesNew, found.missingCount == 0, let step else {
        return found.offset
      }
      let code = try insert(step, at: found.end, path, edit, value)
      if code != 0 { return code }
      break
    }
    while depth > 0 {
      depth -= 1
      try document.adjustSize(at: containers[depth])
    }
    return 0
  }

  private mutating func change(
    _ edit: JSONEdit, _ found: JSONElements.Child, _ value: Bytes
  ) throws(SQLError) {
    let total = document.elements.header(at: found.offset).total
    switch edit {
    case .remove:
      let start = found.label > 0 ? found.label : found.offset
      try document.makeGap(at: start, found.offset + total - start, 0)
    case .replace, .set: try document.replace(at: found.offset, total, with: value)
    case .insertItem: try document.replace(at: found.offset, 0, with: value)
    case .insert: break
    }
  }

  // MARK: What is not there yet

  /// Adds an item or a labelled value at the end of the innermost container, with the containers
  /// that the rest of the path asks for around the value.
  private mutating func insert(
    _ step: JSONPathStep, at end: Int, _ rest: JSONPath, _ edit: JSONEdit, _ value: Bytes
  ) throws(SQLError) -> Int {
    var steps: [JSONPathStep] = [step]
    if edit == .insertItem && step.kind == .label && !rest.endsInIndex {
      return JSONLookup.notArray
    }
    let code = readSteps(rest, edit, &steps)
    if code != 0 { return code }
    // Payload sizes from the inside out; the first is the value with its header.
    var sizes = [value.count]
    for step in steps.dropFirst().reversed() {
      let content = sizes[sizes.count - 1] + labelSize(step)
      sizes.append(JSONBuffer.headerSize(content) + content)
    }
    let total = sizes[sizes.count - 1] + labelSize(step)
    var new = JSONBuffer()
    defer { new.deallocate() }
    try new.reserve(total)
    try appendLabel(step, to: &new)
    for (index, step) in steps.enumerated().dropFirst() {
      let inner = sizes[steps.count - 1 - index] + labelSize(step)
      try new.appendHeader(step.kind == .label ? JSONType.object : JSONType.array, inner)
      try appendLabel(step, to: &new)
    }
    try new.append(value.baseAddress ?? Register.emptyBytes, value.count)
    try document.makeGap(at: end, 0, new.count)
    if let memory = document.memory, let source = new.bytes.baseAddress {
      Memory.copy(from: source, to: memory + end, new.count)
    }
    return 0
  }

  /// The steps behind one that leads to nothing: they can only ask for first items.
  private func readSteps(
    _ rest: JSONPath, _ edit: JSONEdit, _ steps: inout [JSONPathStep]
  ) -> Int {
    var rest = rest
    while !rest.isAtEnd {
      if depth + steps.count > JSONLimits.depth { return JSONLookup.tooDeep }
      switch rest.next {
      case UInt8(ascii: "."):
        guard let step = rest.readLabel() else { return JSONLookup.badPath }
        if edit == .insertItem && !rest.endsInIndex { return JSONLookup.notArray }
        steps.append(step)
      case UInt8(ascii: "["):
        guard let step = rest.readIndex() else { return JSONLookup.badPath }
        if step.index > 0 { return JSONLookup.notFound }
        steps.append(step)
      default: return JSONLookup.badPath
      }
    }
    return 0
  }

  private func labelSize(_ step: JSONPathStep) -> Int {
    step.kind == .index ? 0 : JSONBuffer.headerSize(step.label.count) + step.label.count
  }

  private func appendLabel(
    _ step: JSONPathStep, to buffer: inout JSONBuffer
  ) throws(SQLError) {
    guard step.kind == .label else { return }
    try buffer.append(step.isRaw ? JSONType.rawText : JSONType.text5, step.label)
  }
}
