/// Memory for the nodes of one statement's trees, freed all at once.
///
/// Nodes are plain data and are referred to by pointers, so that handing them around counts no
/// references: compiling a statement hands each of them around dozens of times. Objects that nodes
/// refer to are kept here, too. Nothing of it may be used when the memory is gone.
///
/// What a statement takes while it is compiled depends on the schema, too: fifteen views that each
/// read the one before twice are 32,768 tables. So each step of compiling asks by `attend` whether it
/// may go on.
final class TreeMemory {
  @exclusivity(unchecked) private var next: UnsafeMutableRawPointer
  @exclusivity(unchecked) private var end: UnsafeMutableRawPointer
  @exclusivity(unchecked) private var chunks: [Chunk]
  @exclusivity(unchecked) private var chunkSize = TreeMemory.smallestChunk
  /// The object that was kept last, and through it all others.
  @exclusivity(unchecked) private var keptObjects: UnsafeMutablePointer<KeptObject>?

  /// Who may want compiling to end. Set while it goes on.
  @exclusivity(unchecked) unowned(unsafe) var supervisor: (any CompilingSupervisor)? {
    didSet {
      lowestStackAddress = 0
      lowestFrame = 0
    }
  }
  /// Of the stack that compiling runs on; 0 while nobody has asked.
  @exclusivity(unchecked) private var lowestStackAddress: UInt = 0
  /// Compiling goes no deeper on the stack than here; 0 while nobody looks at that.
  @exclusivity(unchecked) private var lowestFrame: UInt = 0
  /// More was taken than the program allows (c3ref/hard_heap_limit64).
  @exclusivity(unchecked) private var isBeyondLimit = false

  private struct Chunk {
    let start: UnsafeMutableRawPointer
    /// `MemoryUse` counts it.
    let isCounted: Bool
  }

  private struct KeptObject: BitwiseCopyable {
    let object: Unmanaged<AnyObject>
    let before: UnsafeMutablePointer<KeptObject>?
  }

  /// Bytes of the stack for what asks neither `attend` nor `attendToStack`.
  private static let stackReserve: UInt = 48 << 10
  private static let smallestChunk = 4_096
  /// For trees that stay: half of the first chunk.
  private static let smallChunk = 128
  private static let largestChunk = 65_536

  /// - Parameter isSmall: the tree will stay, as those of a schema do, and has few nodes or none:
  ///   no memory is taken before there is one.
  init(isSmall: Bool = false) {
    if isSmall || Memory.isIsolated {
      chunkSize = TreeMemory.smallChunk
      next = UnsafeMutableRawPointer(bitPattern: 16).unsafelyUnwrapped
      end = next
      chunks = []
      return
    }
    next = Memory.take(TreeMemory.smallestChunk)
    end = next + TreeMemory.smallestChunk
    chunks = [Chunk(start: next, isCounted: false)]
  }

  /// It keeps nothing.
  var isEmpty: Bool { chunks.isEmpty }

  deinit {
    var next = keptObjects
    while let kept = next {
      next = kept.pointee.before
      kept.pointee.object.release()
    }
    for chunk in chunks {
      if chunk.isCounted { Memory.free(chunk.start) } else { Memory.systemFree(chunk.start) }
    }
  }

  /// To be called in each step of compiling whose work is not bounded by the text.
  ///
  /// - Throws: `interrupt` where the program wants it, `outOfMemory` behind the limit of the heap,
  ///   and what `attendToStack` throws.
  @inline(__always)
  func attend() throws(SQLError) {
    if isBeyondLimit { throw .outOfMemory }
    try attendToStack()
    try supervisor?.attend()
  }

  /// To be called in each step that recurses as deep as the statement is.
  ///
  /// - Throws: "Recursion limit" at the end of the stack, once `boundStack` was called.
  @inline(__always)
  func attendToStack() throws(SQLError) {
    if lowestFrame != 0 && StackSpace.frameAddress < lowestFrame { throw .recursionLimit }
  }

  /// Has the rest of compiling look at how much of the thread's stack is left, where a tree has so
  /// many SELECTs in each other, and expressions of such a height in all. False where the system
  /// does not tell.
  ///
  /// What walks through the whole tree asks nobody, so that there must be room for it at each depth:
  /// it takes 350 bytes for a SELECT, and 100 for an expression.
  @discardableResult @inline(never)
  func boundStack(selects: Int, height: Int32) -> Bool {
    if lowestStackAddress == 0 {
      guard let lowest = StackSpace.lowestAddress else { return false }
      lowestStackAddress = lowest
    }
    let reserve = TreeMemory.stackReserve + 400 * UInt(selects) + 100 * UInt(height)
    lowestFrame = max(lowestFrame, lowestStackAddress + reserve)
    return true
  }

  /// A node with the value.
  @inline(__always)
  func node<Content: BitwiseCopyable>(_ content: Content) -> UnsafeMutablePointer<Content> {
    let memory = allocate(MemoryLayout<Content>.size)
      .assumingMemoryBound(to: Content.self)
    memory.initialize(to: content)
    return memory
  }

  /// Memory for items that are still to be written.
  func room<Item: BitwiseCopyable>(
    for type: Item.Type, count: Int
  ) -> UnsafeMutablePointer<Item> {
    allocate(count * MemoryLayout<Item>.stride).assumingMemoryBound(to: Item.self)
  }

  /// A copy of the items that lives as long as this memory.
  func list<Items: Collection>(_ items: Items) -> UnsafeBufferPointer<Items.Element>
  where Items.Element: BitwiseCopyable {
    let count = items.count
    if count == 0 { return UnsafeBufferPointer(start: nil, count: 0) }
    let memory = room(for: Items.Element.self, count: count)
    var position = memory
    for item in items {
      position.initialize(to: item)
      position += 1
    }
    return UnsafeBufferPointer(start: memory, count: count)
  }

  /// Keeps the object alive as long as this memory lives.
  func keep(_ object: AnyObject) {
    keptObjects = node(KeptObject(object: .passRetained(object), before: keptObjects))
  }

  /// Memory for a node, aligned to 8 bytes.
  @inline(__always)
  private func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
    let size = (byteCount &+ 7) & ~7
    if end - next < size { addChunk(for: size) }
    let memory = next
    next = memory + size
    return memory
  }

  @inline(never)
  private func addChunk(for byteCount: Int) {
    chunkSize = min(chunkSize * 2, TreeMemory.largestChunk)
    let size = Memory.isIsolated ? byteCount : max(chunkSize, byteCount)
    let chunk = chunk(of: size)
    chunks.append(chunk)
    next = chunk.start
    end = next + size
  }

  /// Nodes are made where nothing can be thrown: behind the limit there is memory until the next
  /// `attend`.
  private func chunk(of byteCount: Int) -> Chunk {
    if Memory.isCounted {
      if let start = try? Memory.allocate(byteCount) { return Chunk(start: start, isCounted: true) }
      isBeyondLimit = true
    }
    return Chunk(start: Memory.take(byteCount), isCounted: false)
  }
}

/// Whoever may end the compiling of a statement.
protocol CompilingSupervisor: AnyObject {
  /// Throws `interrupt` to end it.
  func attend() throws(SQLError)
}

/// A reference to a node that is plain data, in a `TreeMemory`. It must not outlive that.
@dynamicMemberLookup
struct TreeNode<Content: BitwiseCopyable>: BitwiseCopyable {
  private let node: UnsafeMutablePointer<Content>

  init(_ content: Content, in memory: TreeMemory) { node = memory.node(content) }

  /// A copy of what it is.
  var content: Content { node.pointee }

  subscript<Property>(dynamicMember path: KeyPath<Content, Property>) -> Property {
    @inline(__always) get { node.pointee[keyPath: path] }
  }

  subscript<Property>(dynamicMember path: WritableKeyPath<Content, Property>) -> Property {
    @inline(__always) get { node.pointee[keyPath: path] }
    @inline(__always) nonmutating set { node.pointee[keyPath: path] = newValue }
    @inline(__always) nonmutating _modify { yield &node.pointee[keyPath: path] }
  }

  /// Both are one node.
  @inline(__always)
  static func === (left: TreeNode, right: TreeNode) -> Bool { left.node == right.node }
  @inline(__always)
  static func !== (left: TreeNode, right: TreeNode) -> Bool { left.node != right.node }
}

/// A reference to an object that a `TreeMemory` keeps.
struct Kept<Object: AnyObject>: BitwiseCopyable {
  unowned(unsafe) let object: Object

  init(_ object: Object, in memory: TreeMemory) {
    memory.keep(object)
    self.object = object
  }
}
