import MartletEngine

/// Files that are wrong, and SQL that reads and changes them.
enum FileTarget {
  /// What the first part's first byte says.
  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let checksBefore = Flags(rawValue: 1)
    static let checksAfter = Flags(rawValue: 2)
    static let deserializes = Flags(rawValue: 4)
    static let hasOther = Flags(rawValue: 8)
    static let readOnly = Flags(rawValue: 16)
    static let checkpoints = Flags(rawValue: 32)
  }

  private static let path = "main"

  static func run(_ parts: Parts, _ target: Target) {
    let flags = Flags(rawValue: parts.parts[0].first ?? 0)
    let image = parts.parts[1], sql = parts.parts[parts.parts.count - 1]
    let vfs = FuzzVFS.shared
    vfs.put(image, at: path)
    if target == .journal { vfs.put(parts.parts[2], at: path + "-journal") }
    if target == .log {
      vfs.put(parts.parts[2], at: path + "-wal")
      vfs.putSharedMemory(parts.parts[3], of: path)
    }
    let isDeserialized = target == .image && flags.contains(.deserializes)
    let mode: OpenFlags = flags.contains(.readOnly) ? [.readOnly, .uri] : [.readWrite, .uri]
    guard let session = try? Session(path: isDeserialized ? ":memory:" : path, flags: mode) else {
      return
    }
    if isDeserialized { session.deserialize(image) }
    // Another connection, which reads first and then sees what the first one does.
    let other = flags.contains(.hasOther) ? try? Session(path: path, flags: [.readWrite]) : nil
    let reading = try? other?.connection.prepare("SELECT * FROM sqlite_schema, t")
    _ = try? reading?.step()
    if flags.contains(.checksBefore) { session.run("PRAGMA integrity_check(3)".utf8) }
    session.run(sql)
    if flags.contains(.checkpoints) { session.run("PRAGMA wal_checkpoint(truncate)".utf8) }
    if flags.contains(.checksAfter) { session.run("PRAGMA integrity_check(3)".utf8) }
    if let reading { Session.read(reading) }
  }
}
