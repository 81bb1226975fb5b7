import Synchronization

/// The locks of this process on one file, shared by all `PosixFile`s that have it open.
///
/// POSIX locks belong to the process, not to the descriptor: a second descriptor of one file gets
/// every lock that the first one holds, and closing either drops them all (howtocorrupt §2.2). So
/// connections of one process keep each other out by this record, and a descriptor that is closed
/// while another connection holds a lock stays open until the last lock is gone.
final class InodeLocks: Sendable {
  struct Identity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
  }

  struct State: Sendable {
    /// The strongest lock that any connection of the process holds.
    var level = LockLevel.none
    /// Connections that hold `shared` or more.
    var sharedCount = 0
    /// Descriptors that wait for the last lock to go.
    var deferredDescriptors: [Int32] = []
    /// Other processes are kept out until the last file is closed ("unix-excl").
    var isProcessLocked = false
    /// What the connections of the process share with those of others.
    var sharedMemory: PosixSharedMemory?

    mutating func closeDeferred() {
      guard !deferredDescriptors.isEmpty else { return }
      for descriptor in deferredDescriptors { System.closeFile(descriptor) }
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

  /// Closes a file's descriptor as soon as that does no harm, and gives the record back.
  func close(_ descriptor: Int32) {
    state.withLock { state in
      if state.sharedCount > 0 || state.isProcessLocked {
        state.deferredDescriptors.append(descriptor)
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
