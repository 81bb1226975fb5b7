/// What has a name that SQL can say.
protocol Named: AnyObject {
  var name: Name { get }
}

/// Objects by name, for look-ups without allocation: prepare is on users' critical path.
///
/// Open addressing over the folded hashes that names carry. Copies share their memory until one
/// changes.
struct NameTable<Object: Named> {
  /// In the order in which they were added.
  private(set) var objects: [Object] = []
  /// Position in `objects` plus 1, or 0; a power of two in number, at most half of it used.
  private var slots: [Int32] = Array(repeating: 0, count: 8)

  /// The order in which SQLite would walk over the objects, once one has been taken away: before
  /// that, it follows from the order in which they came.
  private var walk: HashWalk?

  var isEmpty: Bool { objects.isEmpty }

  /// Adds an object whose name is not there yet.
  mutating func insert(_ object: Object) {
    objects.append(object)
    walk?.insert(HashWalk.hash(object.name))
    if objects.count * 2 > slots.count {
      rebuild(slotCount: slots.count * 2)
    } else {
      place(objects.count - 1)
    }
  }

  /// Puts an object in the place of the one of its name.
  mutating func replace(_ object: Object) {
    guard let position = objects.firstIndex(where: { $0.name == object.name }) else { return }
    objects[position] = object
  }

  mutating func removeAll(where isGone: (Object) -> Bool) {
    let gone = objects.indices.filter { isGone(objects[$0]) }
    if gone.isEmpty { return }
    var walk = hashWalk
    for position in gone.reversed() {
      objects.remove(at: position)
      walk.remove(position)
    }
    self.walk = walk
    rebuild(slotCount: slots.count)
  }

  /// Takes the order of SQLite's hash table from one of the same objects and others that are gone.
  mutating func takeOrder(of other: NameTable) {
    var other = other
    other.removeAll { self[$0.name] == nil }
    if other.objects.count != objects.count { return }
    var positions: [Int] = []
    positions.reserveCapacity(objects.count)
    for object in other.objects {
      guard let position = position(of: object.name) else { return }
      positions.append(position)
    }
    walk = other.hashWalk.moved(to: positions)
  }

  private var hashWalk: HashWalk {
    if let walk { return walk }
    var walk = HashWalk()
    for object in objects { walk.insert(HashWalk.hash(object.name)) }
    return walk
  }

  /// In the order of SQLite's hash table.
  var inHashOrder: [Object] { hashWalk.order.map { objects[$0] } }

  private mutating func rebuild(slotCount: Int) {
    slots = Array(repeating: 0, count: slotCount)
    for position in objects.indices { place(position) }
  }

  private mutating func place(_ position: Int) {
    let mask = slots.count - 1
    var slot = Int(objects[position].name.foldedHash) & mask
    while slots[slot] != 0 { slot = (slot + 1) & mask }
    slots[slot] = Int32(truncatingIfNeeded: position + 1)
  }

  @inline(__always)
  subscript(name: Name) -> Object? { position(of: name).map { objects[$0] } }

  @inline(__always)
  private func position(of name: Name) -> Int? {
    let mask = slots.count - 1
    var slot = Int(name.foldedHash) & mask
    while slots[slot] != 0 {
      let position = Int(slots[slot]) - 1
      if objects[position].name == name { return position }
      slot = (slot + 1) & mask
    }
    return nil
  }
}

extension Table: Named {}
extension Index: Named {}
extension Trigger: Named {}
