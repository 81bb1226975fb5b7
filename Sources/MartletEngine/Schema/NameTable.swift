/// What has a name that SQL can say.
protocol Named: AnyObject {
  var name: Name { get }
}

/// Objects by name, for look-ups without allocation: prepare is on users' critical path.
///
/// Open addressing over the folded hashes that names carry. Copies share their memory until one
/// changes.
struct NameTable<Object> {
  /// In the order in which they were added.
  private(set) var objects: [Object] = []
  /// Position in `objects` plus 1, or 0; a power of two in number, at most half of it used.
  private var slots: [Int32] = Array(repeating: 0, count: 8)

  /// The order in which SQLite would walk over the objects, once one has been taken away: before
  /// that, it follows from the order in which they came.
  private var walk: HashWalk?
}

// The type itself asks nothing of `Object`: the runtime would look for its conformance in all
// records of the process, when the first connection opens.
extension NameTable where Object: Named {
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
    guard let position = position(of: object.name) else { return }
    objects[position] = object
  }

  /// Takes out the object of that name, if there is one.
  mutating func remove(named name: Name) {
    guard let slot = slot(of: name) else { return }
    var walk = hashWalk
    let position = Int(slots[slot]) - 1
    walk.remove(position)
    self.walk = walk
    clear(slot)
    objects.remove(at: position)
    for index in slots.indices where slots[index] > position + 1 { slots[index] -= 1 }
  }

  mutating func removeAll(where isGone: (Object) -> Bool) {
    for object in objects where isGone(object) { remove(named: object.name) }
  }

  /// Empties a slot, and moves those up that stand behind it because it was taken.
  private mutating func clear(_ slot: Int) {
    let mask = slots.count - 1
    var hole = slot, next = (slot + 1) & mask
    while slots[next] != 0 {
      let wanted = Int(objects[Int(slots[next]) - 1].name.foldedHash) & mask
      if (next - wanted) & mask >= (next - hole) & mask {
        slots[hole] = slots[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    slots[hole] = 0
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
  private func position(of name: Name) -> Int? { slot(of: name).map { Int(slots[$0]) - 1 } }

  @inline(__always)
  private func slot(of name: Name) -> Int? {
    let mask = slots.count - 1
    var slot = Int(name.foldedHash) & mask
    while slots[slot] != 0 {
      if objects[Int(slots[slot]) - 1].name == name { return slot }
      slot = (slot + 1) & mask
    }
    return nil
  }
}

extension Table: Named {}
extension Index: Named {}
extension Trigger: Named {}
