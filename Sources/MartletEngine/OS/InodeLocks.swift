import Synchronization

/// The locks of this process on one file, shared by all `PosixFile`s that have it open.
///
/// POSIX locks belong to the process, not to the descriptor: a second descriptor of one file gets
/// every lock that the first one holds, and closing either drops them all (howtocorrupt §2.2). So
/// connections of one process keep each other out by this record, and a descriptor that is closed
/// while another connection holds a lock stays open until the last lock is gone, or until the file is
/// opened again: a process whose connections come and go beside one that reads for ever would run out
/// of descriptors.
final class InodeLocks: Sendable {
  struct Identity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
  }

  struct DeferredDescriptor: Sendable {
    let descriptor: Int32
    let isReadOnly: Bool
  }

  struct State: Sendable {
    /// The strongest lock that any connection of the process holds.
    var level = LockLevel.none
    /// Connections that hold `shared` or more.
    var sharedCount = 0
    /// Descriptors that wait for the last lock to go.
    var deferredDescriptors: [DeferredDescriptor] = []
    /// Other processes are kept out until the last file is closed ("unix-excl").
    var isProcessLocked = false
    /// What the connections of the process share with those of others.
    var sharedMemory: PosixSharedMemory?

    mutating func closeDeferred() {
      guard !deferredDescriptors.isEmpty else { return }
      InodeLocks.deferredCount.subtract(deferredDescriptors.count, ordering: .relaxed)
      for deferred in deferredDescriptors { System.closeFile(deferred.descriptor) }
      deferredDescriptors.removeAll()
    }
  }

  let identity: Identity
  let state = Mutex(State())

  private init(_ identity: Identity) { self.identity = identity }
}

extension InodeLocks {
  private struct Entry {
    let locks: InodeLocks
    var userCount: Int
  }

  private static let table = Mutex<[Identity: Entry]>([:])
  /// Descriptors of all files that wait to be closed.
  private static let deferredCount = Atomic(0)

  /// The record of a file; balanced by `close`.
  static func acquire(_ identity: Identity) -> InodeLocks {
    table.withLock { table in
      if let entry = table[identity] {
        table[identity]?.userCount += 1
        return entry.locks
      }
      let locks = InodeLocks(identity)
      table[identity] = Entry(locks: locks, userCount: 1)
      return locks
    }
  }

  /// A descriptor of a file that waits to be closed, for one who opens the file; nil if there is none.
  static func takeDeferred(of path: String, isReadOnly: Bool) -> Int32? {
    guard deferredCount.load(ordering: .relaxed) > 0,
      let status = System.pathStatus(path, followingLinks: false)
    else { return nil }
    return table.withLock { table in
      table[Identity(device: status.device, inode: status.inode)]?.locks.state.withLock { state in
        guard
          let index = state.deferredDescriptors.lastIndex(where: { $0.isReadOnly == isReadOnly })
        else { return nil }
        deferredCount.subtract(1, ordering: .relaxed)
        return state.deferredDescriptors.remove(at: index).descriptor
      }
    }
  }

  /// Closes a file's descriptor as soon as that does no harm, and gives the record back.
  func close(_ descriptor: Int32, isReadOnly: Bool) {
    state.withLock { state in
      if state.sharedCount > 0 || state.isProcessLocked {
        state.deferredDescriptors.append(
          DeferredDescriptor(descriptor: descriptor, isReadOnly: isReadOnly))
        Self.deferredCount.add(1, ordering: .relaxed)
      } else {
        System.closeFile(descriptor)
      }
    }
    release()
  }

  private func release() {
    Self.table.withLock { table in
      guard var entry = table[identity] else { return }
      entry.userCount -= 1
      table[identity] = entry.userCount == 0 ? nil : entry
      if entry.userCount == 0 { state.withLock { $0.closeDeferred() } }
    }
  }
}
