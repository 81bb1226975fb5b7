/// What a disk has of files that are being written: what is safe, and what may get lost.
///
/// The model is that of psow: a write changes no bytes but its own, and each of its sectors arrives
/// or not, in any order. Where a file was extended by what did not arrive, there are zeros, or
/// anything. A name that was made or removed is safe when the file or the directory was synced.
///
/// A disk that does not promise so much may, in addition, leave anything in all of a sector that was
/// written to since the last sync, whatever else was safe in it.
struct FaultDisk: Sendable {
  /// The size of what a write may damage; nil when it damages nothing.
  var damagedSectorSize: Int?

  fileprivate enum Change: Sendable {
    case write([UInt8], offset: Int)
    case truncate(Int)
  }

  /// A file, apart from its name.
  fileprivate struct Content: Sendable {
    var safe: [UInt8] = []
    /// What was done since the last sync.
    var changes: [Change] = []
  }

  fileprivate struct Entry: Sendable {
    var current: Content?
    var hasSafeName = false
    /// What the name stood for before a removal that may not have arrived.
    var removed: Content?
  }

  private var entries: [String: Entry] = [:]

  /// - Parameter bytes: what the file has now; nil when there is none.
  mutating func open(_ path: String, _ bytes: [UInt8]?, creates: Bool) {
    var entry = entries[path] ?? Entry()
    if entry.current != nil { return }
    if let bytes {
      entry.current = Content(safe: bytes)
      entry.hasSafeName = true
    } else if creates {
      entry.current = Content()
      entry.hasSafeName = false
    }
    entries[path] = entry
  }

  mutating func write(_ path: String, _ bytes: [UInt8], at offset: Int) {
    entries[path]?.current?.changes.append(.write(bytes, offset: offset))
  }

  mutating func truncate(_ path: String, to byteCount: Int) {
    entries[path]?.current?.changes.append(.truncate(byteCount))
  }

  mutating func sync(_ path: String) {
    guard var entry = entries[path], var content = entry.current else { return }
    for change in content.changes {
      switch change {
      case .write(let bytes, let offset): Self.write(bytes, to: &content.safe, at: offset)
      case .truncate(let byteCount): Self.resize(&content.safe, to: byteCount)
      }
    }
    content.changes.removeAll()
    entry.current = content
    entry.hasSafeName = true
    entry.removed = nil
    entries[path] = entry
  }

  mutating func delete(_ path: String, isSafe: Bool) {
    guard var entry = entries[path] else { return }
    if isSafe {
      entry.removed = nil
    } else if entry.hasSafeName || entry.removed == nil {
      entry.removed = entry.current
    }
    entry.current = nil
    entries[path] = entry
  }
}

extension FaultDisk {
  /// Makes the files of a VFS what the disk could have kept; the seed decides.
  func restore(in vfs: any VFS, seed: UInt64) throws(SQLError) {
    var random = SplitMix(seed)
    // A name's fate must depend on the seed alone, not on the order of a hash table.
    for path in entries.keys.sorted() {
      guard let entry = entries[path] else { continue }
      if let content = entry.survivor(&random) {
        var bytes = content.survivingBytes(&random)
        if let damagedSectorSize { content.damage(&bytes, damagedSectorSize, &random) }
        let file = try vfs.open(path, [.readWrite, .create])
        defer { file.close() }
        try file.truncate(to: 0)
        if !bytes.isEmpty { try file.write(from: bytes, byteCount: bytes.count, at: 0) }
      } else {
        try vfs.delete(path, syncingDirectory: false)
      }
    }
  }

  fileprivate static func write(
    _ new: some Collection<UInt8>, to bytes: inout [UInt8], at offset: Int
  ) {
    let end = offset + new.count
    if bytes.count < end { resize(&bytes, to: end) }
    bytes.replaceSubrange(offset..<end, with: new)
  }

  fileprivate static func resize(_ bytes: inout [UInt8], to count: Int) {
    if bytes.count > count {
      bytes.removeLast(bytes.count - count)
    } else {
      bytes.append(contentsOf: repeatElement(0, count: count - bytes.count))
    }
  }
}

extension FaultDisk.Entry {
  fileprivate func survivor(_ random: inout SplitMix) -> FaultDisk.Content? {
    if hasSafeName, let current { return current }
    return [current, removed].randomElement(using: &random) ?? nil
  }
}

extension FaultDisk.Content {
  private static var sectorSize: Int { 512 }

  /// What is safe, and of the rest nothing, everything, or any sectors.
  fileprivate func survivingBytes(_ random: inout SplitMix) -> [UInt8] {
    var bytes = safe
    let chance = [0.0, 1.0, 0.5, 0.9, 0.1].randomElement(using: &random) ?? 0.5
    for change in changes {
      switch change {
      case .truncate(let byteCount):
        if random.hits(chance) { FaultDisk.resize(&bytes, to: byteCount) }
      case .write(let written, let offset):
        var start = 0
        while start < written.count {
          let sector = (offset + start) / Self.sectorSize
          let end = min(written.count, (sector + 1) * Self.sectorSize - offset)
          if random.hits(chance) {
            FaultDisk.write(written[start..<end], to: &bytes, at: offset + start)
          } else {
            Self.lose(offset + end, of: &bytes, &random)
          }
          start = end
        }
      }
    }
    return bytes
  }

  /// Leaves something else in some of the sectors that were being written: garbage, zeros, or old
  /// and new bytes side by side.
  fileprivate func damage(
    _ bytes: inout [UInt8], _ sectorSize: Int, _ random: inout SplitMix
  ) {
    let chance = [0.0, 1.0, 0.5, 0.1].randomElement(using: &random) ?? 0.5
    var touched: Set<Int> = []
    for case .write(let written, let offset) in changes where !written.isEmpty {
      touched.formUnion(offset / sectorSize...(offset + written.count - 1) / sectorSize)
    }
    for sector in touched.sorted() where random.hits(chance) {
      let start = sector * sectorSize, end = min(start + sectorSize, bytes.count)
      guard start < end else { continue }
      let kind = Int.random(in: 0..<3, using: &random)
      let middle = Int.random(in: start..<end, using: &random)
      for offset in start..<end {
        switch kind {
        case 0: bytes[offset] = 0
        case 1: bytes[offset] = UInt8(truncatingIfNeeded: random.next())
        default: if offset >= middle { bytes[offset] = offset < safe.count ? safe[offset] : 0 }
        }
      }
    }
  }

  /// A sector did not arrive, but the file may have been made long enough for it.
  private static func lose(_ end: Int, of bytes: inout [UInt8], _ random: inout SplitMix) {
    guard bytes.count < end, random.hits(0.5) else { return }
    let isGarbage = random.hits(0.5)
    while bytes.count < end {
      bytes.append(isGarbage ? UInt8(truncatingIfNeeded: random.next()) : 0)
    }
  }
}
