/// Memory for the nodes of one statement's trees, freed all at once.
///
/// Nodes are plain data and are referred to by pointers, so that handing them around counts no
/// references: compiling a statement hands each of them around dozens of times. Objects that nodes
/// refer to are kept here, too. Nothing of it may be used when the memory is gone.
///
/// What a statement takes while it is compiled depends on the schema, too: fifteen views that each
/// read the one before twice are 32,768 tables. So each step of compiling asks by `attend` whether it
/// may go on.
///
/// The owner of the memory. Nodes, and what makes them, refer to it by a `TreeMemory`.
final class TreeStore {
  @exclusivity(unchecked) fileprivate var next: UnsafeMutableRawPointer
  @exclusivity(unchecked) fileprivate var end: UnsafeMutableRawPointer
  /// The chunk that was taken last, and through it all others.
  @exclusivity(unchecked) private var newestChunk: UnsafeMutablePointer<Chunk>?
  @exclusivity(unchecked) private var chunkSize = TreeStore.smallestChunk
  /// The object that was kept last, and through it all others.
  @exclusivity(unchecked) fileprivate var keptObjects: UnsafeMutablePointer<KeptObject>?

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
  @exclusivity(unchecked) fileprivate var isBeyondLimit = false

  /// What a chunk begins with.
  private struct Chunk: BitwiseCopyable {
    let before: UnsafeMutablePointer<Chunk>?
    /// It is freed as what `Memory` gives.
    let isCounted: Bool
  }

  fileprivate struct KeptObject: BitwiseCopyable {
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
    next = UnsafeMutableRawPointer(bitPattern: 16).unsafelyUnwrapped
    end = next
    if isSmall || Memory.isIsolated {
      chunkSize = TreeStore.smallChunk
    } else {
      add(Memory.take(chunkSize), isCounted: false, size: chunkSize)
    }
  }

  /// It keeps nothing.
  var isEmpty: Bool { newestChunk == nil }

  /// What nodes are made in. It must not outlive this object.
  var memory: TreeMemory { TreeMemory(self) }

  deinit {
    var next = keptObjects
    while let kept = next {
      next = kept.pointee.before
      kept.pointee.object.release()
    }
    var chunk = newestChunk
    while let last = chunk {
      chunk = last.pointee.before
      if last.pointee.isCounted { Memory.free(last) } else { Memory.systemFree(last) }
    }
  }

  /// To be called in each step of compiling whose work is not bounded by the text.
  ///
  /// - Throws: `interrupt` where the program wants it, `outOfMemory` behind the limit of the heap,
  ///   and what `attendToStack` throws.
  fileprivate func attend() throws(SQLError) {
    if isBeyondLimit { throw .outOfMemory }
    try attendToStack()
    try supervisor?.attend()
  }

  /// To be called in each step that recurses as deep as the statement is.
  ///
  /// - Throws: "Recursion limit" at the end of the stack, once `boundStack` was called.
  @inline(__always)
  fileprivate func attendToStack() throws(SQLError) {
    if lowestFrame != 0 && StackSpace.frameAddress < lowestFrame { throw .recursionLimit }
  }

  /// Has the rest of compiling look at how much of the thread's stack is left, where a tree has so
  /// many SELECTs in each other, and expressions of such a height in all. False where the system
  /// does not tell.
  ///
  /// What walks through the whole tree asks nobody, so that there must be room for it at each depth:
  /// it takes 350 bytes for a SELECT, and 100 for an expression.
  @inline(never)
  fileprivate func boundStack(selects: Int, height: Int32) -> Bool {
    if lowestStackAddress == 0 {
      guard let lowest = StackSpace.lowestAddress else { return false }
      lowestStackAddress = lowest
    }
    let reserve = TreeStore.stackReserve + 400 * UInt(selects) + 100 * UInt(height)
    lowestFrame = max(lowestFrame, lowestStackAddress + reserve)
    return true
  }

  @inline(never)
  fileprivate func addChunk(for byteCount: Int) {
    chunkSize = min(chunkSize * 2, TreeStore.largestChunk)
    let wanted = byteCount + MemoryLayout<Chunk>.stride
    let size = Memory.isIsolated ? wanted : max(chunkSize, wanted)
    if let start = try? Memory.allocate(size) { return add(start, isCounted: true, size: size) }
    // Nodes are made where nothing can be thrown: behind the limit there is memory until the next
    // `attend`, and little is there mostly where much is not.
    isBeyondLimit = true
    chunkSize = TreeStore.smallestChunk
    add(Memory.take(wanted), isCounted: false, size: wanted)
  }

  private func add(_ start: UnsafeMutableRawPointer, isCounted: Bool, size: Int) {
    let chunk = start.bindMemory(to: Chunk.self, capacity: 1)
    chunk.initialize(to: Chunk(before: newestChunk, isCounted: isCounted))
    newestChunk = chunk
    next = start + MemoryLayout<Chunk>.stride
    end = start + size
  }
}

/// A reference to a `TreeStore` that counts none: nodes have one each, and their makers are handed
/// them all the time. The statement that is compiled has the store, and so has who works for it.
struct TreeMemory: BitwiseCopyable {
  private let store: Unmanaged<TreeStore>

  fileprivate init(_ store: TreeStore) { self.store = .passUnretained(store) }

  /// As `TreeStore.attend`.
  @inline(__always)
  func attend() throws(SQLError) {
    try store.lend { (store) throws(SQLError) in try store.attend() }
  }

  /// As `TreeStore.attendToStack`.
  @inline(__always)
  func attendToStack() throws(SQLError) {
    try store.lend { (store) throws(SQLError) in try store.attendToStack() }
  }

  /// As `TreeStore.boundStack`.
  @discardableResult
  func boundStack(selects: Int, height: Int32) -> Bool {
    store._withUnsafeGuaranteedRef { $0.boundStack(selects: selects, height: height) }
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
    store._withUnsafeGuaranteedRef { store in
      store.keptObjects = node(
        TreeStore.KeptObject(object: .passRetained(object), before: store.keptObjects))
    }
  }

  /// Memory for a node, aligned to 8 bytes.
  @inline(__always)
  private func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
    let size = (byteCount &+ 7) & ~7
    return store._withUnsafeGuaranteedRef { store in
      if store.end - store.next < size { store.addChunk(for: size) }
      let memory = store.next
      store.next = memory + size
      return memory
    }
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
