/// MergePatch (json1 §4.15, RFC 7396).
struct JSONPatch {
  var target: JSONBuffer
  private let patch: JSONElements

  init(_ target: consuming JSONBuffer, _ patch: JSONElements) {
    self.target = target
    self.patch = patch
  }

  mutating func apply() throws(SQLError) { try merge(into: 0, from: 0, depth: 0) }

  /// A label with its value.
  private struct Member {
    let offset: Int
    let label: JSONElements.Header
    let value: Int
    let valueHeader: JSONElements.Header
    let isRaw: Bool

    var valueEnd: Int { value + valueHeader.total }
    var total: Int { label.total + valueHeader.total }

    /// Throws for what cannot be a member of an object that ends at `end`.
    init(_ elements: JSONElements, at offset: Int, end: Int) throws(SQLError) {
      self.offset = offset
      let type = elements.type(at: offset)
      label = elements.header(at: offset)
      value = offset + label.total
      guard JSONType.isText(type), label.isValid, value < end else { throw JSONWriter.malformed }
      valueHeader = elements.header(at: value)
      guard valueHeader.isValid, value + valueHeader.total <= end else {
        throw JSONWriter.malformed
      }
      isRaw = type == JSONType.text || type == JSONType.rawText
    }

    func bytes(in elements: JSONElements) -> UnsafeBufferPointer<UInt8> {
      UnsafeBufferPointer(start: elements.bytes + offset, count: total)
    }
  }

  /// Merges one element of the patch into one of the target. Only objects are merged; all else
  /// replaces what was there.
  private mutating func merge(
    into place: Int, from source: Int, depth: Int
  ) throws(SQLError) {
    let replacement = patch.header(at: source)
    if patch.type(at: source) != JSONType.object {
      let old = target.elements.header(at: place)
      let new = UnsafeBufferPointer(start: patch.bytes + source, count: replacement.total)
      return try target.replace(at: place, old.total, with: new)
    }
    if depth > JSONLimits.depth { throw .sql("JSON nested too deep") }
    if target.elements.type(at: place) != JSONType.object { try makeObject(at: place) }
    let header = target.elements.header(at: place)
    guard replacement.isValid, header.isValid else { throw JSONWriter.malformed }
    let first = place + header.size, end = first + header.payload
    var position = source + replacement.size
    let sourceEnd = source + replacement.total
    while position < sourceEnd {
      let member = try Member(patch, at: position, end: sourceEnd)
      position = member.valueEnd
      try merge(member, into: first, end: end + target.delta, depth)
    }
    try target.adjustSize(at: place)
  }

  /// What is no object becomes an empty one. Its header keeps its size until the patch is done.
  private mutating func makeObject(at place: Int) throws(SQLError) {
    let header = target.elements.header(at: place)
    try target.makeGap(at: place + header.size, header.payload, 0)
    guard let memory = target.memory else { return }
    memory[place] = memory[place] & 0xf0 | JSONType.object
  }

  /// Merges one member of the patch into an object's members from `first` to `end`.
  private mutating func merge(
    _ member: Member, into first: Int, end: Int, _ depth: Int
  ) throws(SQLError) {
    let label = patch.payload(at: member.offset, member.label)
    let isNull = patch.bytes[member.value] & 15 == JSONType.null
    var position = first
    while position < end {
      let elements = target.elements
      let known = try Member(elements, at: position, end: end)
      let isSame = JSONEscapes.areEqual(
        label, leftIsRaw: member.isRaw, elements.payload(at: position, known.label),
        rightIsRaw: known.isRaw)
      if isSame {
        if isNull { return try target.makeGap(at: position, known.total, 0) }
        return try mergeInner(into: known.value, from: member.value, depth)
      }
      position = known.valueEnd
    }
    if isNull { return }
    if patch.type(at: member.value) != JSONType.object {
      return try target.replace(at: end, 0, with: member.bytes(in: patch))
    }
    // Nulls in the patch are left out of what is new, too.
    let labelBytes = UnsafeBufferPointer(
      start: patch.bytes + member.offset, count: member.label.total)
    try target.makeGap(at: end, 0, labelBytes.count + 1)
    guard let memory = target.memory, let source = labelBytes.baseAddress else { return }
    Memory.copy(from: source, to: memory + end, labelBytes.count)
    memory[end + labelBytes.count] = JSONType.null
    try mergeInner(into: end + labelBytes.count, from: member.value, depth)
  }

  private mutating func mergeInner(
    into place: Int, from source: Int, _ depth: Int
  ) throws(SQLError) {
    let outer = target.delta
    target.delta = 0
    try merge(into: place, from: source, depth: depth + 1)
    target.delta += outer
  }
}
