/// The trees of a connection's databases as plain memory, which the connection keeps alive.
///
/// An instruction that opens a cursor compares the tree that its cursor had before, and counts no
/// references for that.
final class OpenTrees {
  typealias Base = UnsafePointer<Unmanaged<BTree>?>

  /// Databases have a bit each in words of 64.
  static let capacity = 64
  private let places: UnsafeMutablePointer<Unmanaged<BTree>?>

  var base: Base { Base(places) }

  init() {
    places = .allocate(capacity: OpenTrees.capacity)
    places.initialize(repeating: nil, count: OpenTrees.capacity)
  }

  deinit { places.deallocate() }

  func set(_ tree: BTree?, ofDatabase index: Int) {
    guard index < OpenTrees.capacity else { return }
    places[index] = tree.map { .passUnretained($0) }
  }
}
