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

  private struct Entry {
    let hash: UInt64
    /// The name in lower case.
    let name: [UInt8]
    let arity: FunctionArity
    let scalar: ScalarFunction?
    let aggregate: AggregateFunction?
  }

  /// Buckets by the low bits of the hash; within one, later definitions come first.
  private var buckets: [[Entry]]
  private let fallback: FunctionRegistry?

  /// A connection's registry: empty, over the built-in functions.
  init() {
    buckets = Array(repeating: [], count: 16)
    fallback = FunctionRegistry.builtIn
  }

  private init(scalars: [ScalarFunction], aggregates: [AggregateFunction]) {
    buckets = Array(repeating: [], count: 256)
    fallback = nil
    for function in scalars { define(function) }
    for function in aggregates { define(function) }
  }

  /// All functions that come with the engine. Never changed after it is made.
  static let builtIn = FunctionRegistry(
    scalars: BuiltInFunctions.scalars, aggregates: BuiltInFunctions.aggregates)

  func define(_ function: ScalarFunction) {
    define(function.name, function.arity, scalar: function, aggregate: nil)
  }

  func define(_ function: AggregateFunction) {
    define(function.name, function.arity, scalar: nil, aggregate: function)
  }

  private func define(
    _ name: String, _ arity: FunctionArity, scalar: ScalarFunction?,
    aggregate: AggregateFunction?
  ) {
    let folded = name.utf8.map(FunctionRegistry.fold)
    let hash = folded.withUnsafeBufferPointer(FunctionRegistry.hash)
    let bucket = Int(hash & UInt64(buckets.count - 1))
    buckets[bucket].removeAll { $0.name == folded && $0.arity == arity }
    let entry = Entry(
      hash: hash, name: folded, arity: arity, scalar: scalar, aggregate: aggregate)
    buckets[bucket].insert(entry, at: 0)
  }

  /// Removes the connection's own definition, so that the built-in one shows again.
  func remove(_ name: String, _ arity: FunctionArity) {
    let folded = name.utf8.map(FunctionRegistry.fold)
    let hash = folded.withUnsafeBufferPointer(FunctionRegistry.hash)
    buckets[Int(hash & UInt64(buckets.count - 1))].removeAll {
      $0.name == folded && $0.arity == arity
    }
  }

  /// Finds a function as SQL calls it. An exact argument count is preferred to an open one, a
  /// connection's definition to a built-in one of the same quality.
  func find(_ name: UnsafeBufferPointer<UInt8>, argumentCount: Int) -> Lookup {
    let hash = FunctionRegistry.hash(name)
    var isKnown = false, best: Entry? = nil
    search(name, hash, argumentCount, &isKnown, &best)
    if let function = best?.scalar { return .scalar(function) }
    if let function = best?.aggregate { return .aggregate(function) }
    return isKnown ? .wrongArgumentCount : .unknown
  }

  private func search(
    _ name: UnsafeBufferPointer<UInt8>, _ hash: UInt64, _ argumentCount: Int,
    _ isKnown: inout Bool, _ best: inout Entry?
  ) {
    for entry in buckets[Int(hash & UInt64(buckets.count - 1))] {
      guard entry.hash == hash && FunctionRegistry.isName(entry.name, name) else { continue }
      isKnown = true
      guard entry.arity.accepts(argumentCount) else { continue }
      if case .exactly = entry.arity {
        best = entry
        return
      }
      if best == nil { best = entry }
    }
    if best == nil { fallback?.search(name, hash, argumentCount, &isKnown, &best) }
  }

  func find(_ name: String, argumentCount: Int) -> Lookup {
    var name = name
    return name.withUTF8 { find($0, argumentCount: argumentCount) }
  }

  /// The connection's own definitions (PRAGMA function_list).
  var ownDefinitions: [Definition] {
    guard fallback != nil else { return [] }
    return buckets.joined().map { Definition(scalar: $0.scalar, aggregate: $0.aggregate) }
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
