// Swift's arrays stop the process where there is no memory for them. What is as long as the data
// lies in memory of `Memory`, or in arrays that ask before they grow.

extension MemoryUse {
  /// Throws where there is no memory for an array of so many bytes: to be asked before it is made.
  ///
  /// What allocators have for a size they give again for the same size first, so it is exact.
  package static func requireRoom(forArrayOf byteCount: Int) throws(SQLError) {
    try Memory.requireRoom(arrayHeaderSize + byteCount)
  }

  /// In front of the elements of a Swift array.
  private static let arrayHeaderSize = 32
}

extension Array {
  /// Makes room for more elements.
  ///
  /// - Throws: `outOfMemory`, where the array would stop the process.
  @inlinable @inline(__always)
  package mutating func makeRoom(for added: Int = 1) throws(SQLError) {
    if count &+ added > capacity { try makeMoreRoom(for: added) }
  }

  @usableFromInline @inline(never)
  package mutating func makeMoreRoom(for added: Int) throws(SQLError) {
    let larger = Swift.max(count + added, 2 * capacity, 16)
    try MemoryUse.requireRoom(forArrayOf: larger * MemoryLayout<Element>.stride)
    reserveCapacity(larger)
  }

  /// To be asked before many elements are sorted, or copied into an array.
  package func requireRoomForCopy() throws(SQLError) {
    try Memory.requireRoom((count + 64) * MemoryLayout<Element>.stride)
  }
}
