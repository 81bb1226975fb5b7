/// A walk over the elements of a document: those of one container, or all below one element
/// (json1 §4.24).
struct JSONWalker {
  /// A container whose elements the walk is among.
  struct Container {
    /// Where the container's label is, or the container itself; its element; its end.
    let head: Int
    let value: Int
    let end: Int
    /// Of the current element in an array.
    var index: Int
    /// Length of the container's own path.
    let pathCount: Int
  }

  private(set) var elements = JSONElements(Register.emptyBytes, 0)
  let isRecursive: Bool
  /// The path to the innermost container.
  private(set) var path = JSONBuffer()
  private(set) var containers: [Container] = []
  /// The label of the current element in an object, otherwise the element.
  private(set) var position = 0
  private(set) var rowCount: Int64 = 0
  private var end = 0
  /// Of the container around the current element; 0 for none.
  private(set) var containerType: UInt8 = 0
  /// Length of the path that the walk began with.
  private(set) var rootCount = 0

  init(isRecursive: Bool) { self.isRecursive = isRecursive }

  /// Forgets the document.
  mutating func stop() {
    position = 0
    end = 0
  }

  /// Begins at the element `found`, which `root` leads to.
  mutating func begin(
    _ elements: JSONElements, at found: JSONElements.Child, root: UnsafeBufferPointer<UInt8>
  ) throws(SQLError) {
    self.elements = elements
    rootCount = root.count
    rowCount = 0
    containerType = 0
    containers.removeAll(keepingCapacity: true)
    path.removeAll()
    try path.append(root.baseAddress ?? Register.emptyBytes, root.count)
    let header = elements.header(at: found.offset)
    position = found.offset
    end = found.offset + header.total
    if found.label > 0 {
      position = found.label
      containerType = JSONType.object
    } else if root.count > 1 {
      containerType = JSONType.array
    }
    let type = elements.type(at: found.offset)
    if JSONType.isContainer(type) && !isRecursive {
      position = found.offset + header.size
      containerType = type
      containers.append(
        Container(
          head: position, value: found.offset, end: end, index: 0, pathCount: path.count))
    }
  }

  /// Gives the memory back.
  mutating func deallocate() { path.deallocate() }

  var isAtEnd: Bool { position >= end }

  /// The current element, behind its label.
  var value: Int {
    guard containerType == JSONType.object else { return position }
    return position + elements.header(at: position).total
  }

  /// The index or the label of the current element.
  var index: Int? {
    containerType == JSONType.array ? containers.last?.index : nil
  }

  mutating func next() throws(SQLError) {
    let value = value, header = elements.header(at: value)
    if isRecursive {
      try step(over: value, header)
    } else {
      position = value + header.total
    }
    // An element that is broken takes no bytes: the walk ends with it.
    if !header.isValid && !isAtEnd { throw JSONWriter.malformed }
    if containerType == JSONType.array, !containers.isEmpty {
      containers[containers.count - 1].index += 1
    }
    rowCount += 1
  }

  private mutating func step(over value: Int, _ header: JSONElements.Header) throws(SQLError) {
    let type = elements.type(at: value)
    var isOtherContainer = false
    if type == JSONType.array || type == JSONType.object {
      let pathCount = path.count
      if containerType != 0 && !containers.isEmpty { try appendStep() }
      containers.append(
        Container(
          head: position, value: value, end: value + header.total, index: -1,
          pathCount: pathCount))
      position = value + header.size
      isOtherContainer = true
    } else {
      position = value + header.total
    }
    while let last = containers.last, position >= last.end {
      containers.removeLast()
      path.count = last.pathCount
      isOtherContainer = true
    }
    if isOtherContainer {
      containerType = containers.last.map { elements.type(at: $0.value) } ?? 0
    }
  }

  /// Appends the step to the current element to the path.
  private mutating func appendStep() throws(SQLError) {
    if let index {
      try path.reserve(NumberText.bufferSize + 2)
      path.append(UInt8(ascii: "["))
      if let memory = path.memory {
        path.count += NumberText.write(Int64(index), to: memory + path.count)
      }
      return path.append(UInt8(ascii: "]"))
    }
    let header = elements.header(at: position)
    let label = elements.payload(at: position, header)
    let isPlain = label.first.map(ASCII.isLetter) == true
      && label.allSatisfy(JSONCharacters.isAlphanumeric)
    try path.reserve(label.count + 3)
    path.append(UInt8(ascii: "."))
    if !isPlain { path.append(UInt8(ascii: "\"")) }
    // A label ends at its first NUL where it becomes part of a path.
    let count = label.firstIndex(of: 0) ?? label.count
    try path.append(label.baseAddress ?? Register.emptyBytes, count)
    try path.reserve(1)
    if !isPlain { path.append(UInt8(ascii: "\"")) }
  }

  /// Calls `body` with the path to the current element.
  mutating func withFullPath(
    _ body: (UnsafeBufferPointer<UInt8>) throws(SQLError) -> Void
  ) throws(SQLError) {
    let count = path.count
    if !containers.isEmpty { try appendStep() }
    defer { path.count = count }
    try body(path.bytes)
  }

  /// Length of the path to the container of the current element. In the first row of a walk that
  /// begins somewhere inside, the last step of the path is the element's own.
  var containerPathCount: Int {
    let text = path.bytes
    guard rowCount == 0, isRecursive, text.count >= 2 else { return text.count }
    var count = text.count
    while count > 1 {
      count -= 1
      guard text[count] == UInt8(ascii: "[") || text[count] == UInt8(ascii: ".") else { continue }
      let outer = elements.find(UnsafeBufferPointer(rebasing: text[1..<count])).offset
      guard outer >= 0 else { continue }
      if outer + elements.header(at: outer).size == position { break }
    }
    return count
  }
}
