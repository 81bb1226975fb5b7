// Memory of handles, the structures that C's programs hold pointers to.
//
//     | mark u32 | … fields …          a handle in use
//     | dead u32 |   | next            one that is not, in the queue
//
// It is never given back to the system, and what was freed is used again as late as can be: a
// program that uses a statement it has finalized, or a connection it has closed, meets the mark of
// a dead handle and gets SQLITE_MISUSE, where C's documents promise nothing.
import Synchronization

/// What is alive, in the first four bytes of a handle. The numbers are unlikely in other memory.
enum HandleMark: UInt32 {
  case connection = 0xc011_ec70
  case statement = 0x57a7_e3e7
  case blob = 0xb10b_f11e
  case backup = 0xbac0_0b6e
  case context = 0xc027_e87a
  case session = 0x5e55_1007
  case changesetIterator = 0xc4a7_5e17
  case changegroup = 0xc4a7_6209
  case rebaser = 0x2eba_5e27
  case dead = 0xdead_4a2d
}

/// The handles of one kind that are not in use, the one that was freed first in front.
struct HandleMemory<State>: ~Copyable, @unchecked Sendable {
  /// Addresses; 0 is none.
  private struct Queue {
    var first: UInt = 0
    var last: UInt = 0
    var count = 0
  }

  /// So many handles lie dead before the first of them is used again.
  private let minimumQueueCount: Int
  private let queue = Mutex(Queue())

  private static var nextOffset: Int { 8 }

  init(minimumQueueCount: Int) { self.minimumQueueCount = minimumQueueCount }

  /// Memory for a handle, not initialized; nil where there is none.
  func allocate() -> UnsafeMutablePointer<State>? {
    let minimumCount = minimumQueueCount
    let used: UInt = queue.withLock { queue in
      guard queue.count > minimumCount, let first = UnsafeRawPointer(bitPattern: queue.first)
      else { return 0 }
      defer { queue.first = first.load(fromByteOffset: HandleMemory.nextOffset, as: UInt.self) }
      queue.count -= 1
      return queue.first
    }
    let size = max(MemoryLayout<State>.stride, HandleMemory.nextOffset * 2)
    guard let memory = UnsafeMutableRawPointer(bitPattern: used) ?? malloc(size) else {
      return nil
    }
    return memory.bindMemory(to: State.self, capacity: 1)
  }

  /// Ends a handle, whose state is deinitialized already.
  func free(_ handle: UnsafeMutablePointer<State>) {
    let memory = UnsafeMutableRawPointer(handle)
    memory.storeBytes(of: HandleMark.dead.rawValue, as: UInt32.self)
    memory.storeBytes(of: 0, toByteOffset: HandleMemory.nextOffset, as: UInt.self)
    let place = UInt(bitPattern: memory)
    queue.withLock { queue in
      if queue.count == 0 {
        queue.first = place
      } else {
        UnsafeMutableRawPointer(bitPattern: queue.last)?.storeBytes(
          of: place, toByteOffset: HandleMemory.nextOffset, as: UInt.self)
      }
      queue.last = place
      queue.count += 1
    }
  }
}

/// The state behind a handle that C's program gave; nil where it is null or not of that kind.
@inline(__always)
func live<State>(
  _ handle: OpaquePointer?, _ mark: HandleMark, as type: State.Type
) -> UnsafeMutablePointer<State>? {
  guard let handle else { return nil }
  let memory = UnsafeMutableRawPointer(handle)
  guard memory.load(as: UInt32.self) == mark.rawValue else { return nil }
  return memory.assumingMemoryBound(to: State.self)
}
