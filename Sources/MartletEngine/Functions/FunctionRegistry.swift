/// The functions that SQL on a connection can call, found by name and argument count.
///
/// The built-in ones are shared by all connections; a connection's own come before them.
final class FunctionRegistry: @unchecked Sendable {
  enum Lookup {
    case scalar(ScalarFunction)
    case aggregate(AggregateFunction)
    /// The name exists, but with other argument counts.
    case wrongArgumentCount
    case unknown
  }

  struct Entry {
    fileprivate let hash: UInt64
    /// The name in lower case.
    fileprivate let name: [UInt8]
    let arity: FunctionArity
    /// What texts the function prefers, which chooses among definitions of one name.
    let encoding: TextEncoding
    let scalar: ScalarFunction?
    let aggregate: AggregateFunction?

    /// A definition that was taken back. It still hides the built-in functions of its name.
    var isRemoved: Bool { scalar == nil && aggregate == nil }
  }

  /// Buckets by the low bits of the hash; within one, later definitions come first.
  @exclusivity(unchecked) private var buckets: [[Entry]]
  private let fallback: FunctionRegistry?
  @exclusivity(unchecked) private(set) var content = Content.nothing

  /// What a registry's definitions are.
  enum Content {
    case nothing
    /// Those of sets and no others, as all connections share them.
    case sets(FunctionRegistry)
    case any
  }

  /// A connection's registry: MATCH, over the built-in functions.
  init() {
    buckets = FunctionRegistry.firstDefinitions
    fallback = FunctionRegistry.builtIn
  }

  /// All registries of connections begin with the same memory.
  private static let firstDefinitions =
    FunctionRegistry(bucketCount: 16, scalars: [BuiltInFunctions.match], aggregates: []).buckets

  private init(
    bucketCount: Int, scalars: [ScalarFunction], aggregates: [AggregateFunction]
  ) {
    buckets = Array(repeating: [], count: bucketCount)
    fallback = nil
    for function in scalars { define(function) }
    for function in aggregates { define(function) }
  }

  /// All functions that come with the engine. Never changed after it is made.
  static let builtIn = FunctionRegistry(
    bucketCount: 256, scalars: BuiltInFunctions.scalars, aggregates: BuiltInFunctions.aggregates)

  func define(_ function: ScalarFunction, encoding: TextEncoding = .utf8) {
    define(function.name, function.arity, encoding, scalar: function)
  }

  func define(_ function: AggregateFunction, encoding: TextEncoding = .utf8) {
    define(function.name, function.arity, encoding, aggregate: function)
  }

  private func define(
    _ name: String, _ arity: FunctionArity, _ encoding: TextEncoding,
    scalar: ScalarFunction? = nil, aggregate: AggregateFunction? = nil
  ) {
    content = .any
    let (folded, hash, bucket) = place(name)
    let known = buckets[bucket].firstIndex {
      $0.hash == hash && $0.name == folded && $0.arity == arity && $0.encoding == encoding
    }
    if let known { buckets[bucket].remove(at: known) }
    let entry = Entry(
      hash: hash, name: folded, arity: arity, encoding: encoding, scalar: scalar,
      aggregate: aggregate)
    buckets[bucket].insert(entry, at: 0)
  }

  /// The connection's own definitions as they are, an older one of a name before a younger one.
  var entries: [Entry] { buckets.flatMap { $0.reversed() } }

  /// Takes the functions of sets in place of its own, which are none or those of fewer sets: the
  /// memory is shared until one registry changes.
  func share(_ other: FunctionRegistry) {
    buckets = other.buckets
    content = .sets(other)
  }

  private func place(_ name: String) -> (folded: [UInt8], hash: UInt64, bucket: Int) {
    var name = name
    let folded = name.withUTF8 { bytes in
      [UInt8](unsafeUninitializedCapacity: bytes.count) { target, count in
        for index in bytes.indices { target[index] = FunctionRegistry.fold(bytes[index]) }
        count = bytes.count
      }
    }
    let hash = folded.withUnsafeBufferPointer(FunctionRegistry.hash)
    return (folded, hash, bucket(hash))
  }

  private func bucket(_ hash: UInt64) -> Int { Int(hash & UInt64(buckets.count - 1)) }

  /// Takes a definition back. It goes on hiding the built-in functions, as in SQLite.
  func remove(_ name: String, _ arity: FunctionArity, encoding: TextEncoding) {
    define(name, arity, encoding)
  }

  /// Whether a new definition would take the place of one that can be called.
  func hasDefinition(_ name: String, _ arity: FunctionArity, encoding: TextEncoding) -> Bool {
    var name = name
    return name.withUTF8 { hasDefinition($0, FunctionRegistry.hash($0), arity, encoding) }
  }

  private func hasDefinition(
    _ name: UnsafeBufferPointer<UInt8>, _ hash: UInt64, _ arity: FunctionArity,
    _ encoding: TextEncoding
  ) -> Bool {
    let bucket = bucket(hash)
    var hidesBuiltIn = false
    for index in buckets[bucket].indices where buckets[bucket][index].hash == hash {
      let entry = buckets[bucket][index]
      guard FunctionRegistry.isName(entry.name, name) && entry.arity == arity else { continue }
      if entry.encoding == encoding { return !entry.isRemoved }
      hidesBuiltIn = true
    }
    return !hidesBuiltIn && fallback?.hasDefinition(name, hash, arity, encoding) ?? false
  }

  /// Finds a function as SQL calls it. An exact argument count is preferred to an open one, then
  /// the database's encoding to another; the connection's definitions hide the built-in ones.
  func find(
    _ name: UnsafeBufferPointer<UInt8>, argumentCount: Int, encoding: TextEncoding = .utf8
  ) -> Lookup {
    let hash = FunctionRegistry.hash(name)
    var isKnown = false, best: Entry? = nil
    search(name, hash, argumentCount, encoding, &isKnown, &best)
    if let function = best?.scalar { return .scalar(function) }
    if let function = best?.aggregate { return .aggregate(function) }
    return isKnown ? .wrongArgumentCount : .unknown
  }

  private func search(
    _ name: UnsafeBufferPointer<UInt8>, _ hash: UInt64, _ argumentCount: Int,
    _ encoding: TextEncoding, _ isKnown: inout Bool, _ best: inout Entry?
  ) {
    var bestQuality = 0
    let bucket = bucket(hash)
    for index in buckets[bucket].indices where buckets[bucket][index].hash == hash {
      let entry = buckets[bucket][index]
      guard FunctionRegistry.isName(entry.name, name) else { continue }
      if !entry.isRemoved { isKnown = true }
      guard entry.arity.accepts(argumentCount) else { continue }
      let quality = FunctionRegistry.quality(of: entry, encoding)
      if quality > bestQuality {
        best = entry
        bestQuality = quality
      }
    }
    guard let fallback, best == nil || best?.isRemoved == true else { return }
    // What hides the built-in functions does not make their names unknown.
    var hidden: Entry?
    fallback.search(name, hash, argumentCount, encoding, &isKnown, &hidden)
    if best == nil { best = hidden }
  }

  private static func quality(of entry: Entry, _ encoding: TextEncoding) -> Int {
    var quality = 1
    if case .exactly = entry.arity { quality += 4 }
    if entry.encoding == encoding {
      quality += 2
    } else if entry.encoding != .utf8 && encoding != .utf8 {
      quality += 1
    }
    return quality
  }

  func find(_ name: String, argumentCount: Int) -> Lookup {
    var name = name
    return name.withUTF8 { find($0, argumentCount: argumentCount) }
  }

  /// The connection's own definitions (PRAGMA function_list).
  var ownDefinitions: [Definition] {
    guard fallback != nil else { return [] }
    return buckets.joined().filter { !$0.isRemoved }.map {
      Definition(scalar: $0.scalar, aggregate: $0.aggregate, encoding: $0.encoding)
    }
  }

  private static func fold(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  /// FNV-1a over the lower-case name.
  private static func hash(_ name: UnsafeBufferPointer<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in name { hash = (hash ^ UInt64(fold(byte))) &* 0x0000_0100_0000_01b3 }
    return hash
  }

  private static func isName(_ folded: [UInt8], _ name: UnsafeBufferPointer<UInt8>) -> Bool {
    folded.count == name.count && folded.indices.allSatisfy { folded[$0] == fold(name[$0]) }
  }
}
