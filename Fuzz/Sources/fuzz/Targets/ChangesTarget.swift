import MartletEngine
import MartletSession

/// Bytes that are taken for changesets, and everything that can be done with them.
enum ChangesTarget {
  /// What the first part's first byte says.
  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let inverts = Flags(rawValue: 1)
    static let hasForeignKeys = Flags(rawValue: 2)
    static let usesSchema = Flags(rawValue: 4)
    static let comesInPieces = Flags(rawValue: 8)
    static let filters = Flags(rawValue: 16)
  }

  static let schema =
    SQLTarget.schema + """
      CREATE TABLE x(a, b UNIQUE, c DEFAULT 5, PRIMARY KEY(c, a));
      CREATE TABLE y(i PRIMARY KEY, j REFERENCES t(a) ON DELETE CASCADE, k UNIQUE DEFAULT 'k');
      INSERT INTO x SELECT a, b || a, a % 4 FROM t;
      INSERT INTO y SELECT 'y' || a, a, a + 1 FROM t;
      """

  static let image = SQLTarget.image("PRAGMA page_size = 512;" + schema)

  static func run(_ parts: Parts) {
    let choices = Choices(parts.parts[0])
    let flags = Flags(rawValue: choices.next())
    let options = ApplyOptions(rawValue: Int32(choices.next()))
    let first = Changeset(bytes: parts.parts[1]), second = Changeset(bytes: parts.parts[2])
    guard let session = try? Session(path: ":memory:") else { return }
    session.deserialize(image)
    if flags.contains(.hasForeignKeys) { session.run("PRAGMA foreign_keys = 1".utf8) }
    read(first, flags, choices)
    _ = try? first.inverted().inverted()
    _ = try? first.followed(by: second)
    combine(first, second, flags, session)
    let recorder = MartletSession.Session(session.connection)
    recorder.attach(nil)
    let information = apply(first, options, flags, choices, session)
    if let information { rebase(second, information) }
    _ = apply(second, options, flags, choices, session)
    if let recorded = try? recorder.changeset() {
      _ = try? recorded.followed(by: first)
      _ = apply(recorded, .invert, flags, choices, session)
    }
    _ = try? recorder.patchset()
  }

  /// The answers that an input has for what it is asked, over and over.
  private final class Choices {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func next() -> UInt8 {
      guard !bytes.isEmpty else { return 0 }
      position += 1
      return bytes[(position - 1) % bytes.count]
    }
  }

  private static func reader(
    _ changeset: Changeset, _ flags: Flags, _ choices: Choices
  ) -> ChangesetReader {
    guard flags.contains(.comesInPieces) else {
      return ChangesetReader(changeset.bytes, inverts: flags.contains(.inverts))
    }
    let bytes = changeset.bytes
    var position = 0
    return ChangesetReader(
      chunkSize: 1 + Int(choices.next()) % 40, inverts: flags.contains(.inverts)
    ) { count in
      let piece = Array(bytes[position..<min(position + count, bytes.count)])
      position += piece.count
      return piece
    }
  }

  private static func read(_ changeset: Changeset, _ flags: Flags, _ choices: Choices) {
    let reader = reader(changeset, flags, choices)
    let group = Changegroup()
    do throws(SQLError) {
      while try reader.advance() {
        Session.sum &+= reader.change.new.count
        for column in -1...min(reader.columnCount, 100) {
          _ = try? reader.oldValue(column)
          (try? reader.newReference(column))?.deallocate()
        }
        if choices.next() & 1 == 0 { try group.add(currentOf: reader) }
      }
    } catch { _ = error.message }
    _ = try? group.changeset()
  }

  private static func combine(
    _ first: Changeset, _ second: Changeset, _ flags: Flags, _ session: Session
  ) {
    let group = Changegroup()
    do throws(SQLError) {
      if flags.contains(.usesSchema) { try group.useSchema(of: session.connection) }
      try group.add(second)
      try group.add(first)
      try group.write(chunkSize: 16) { (bytes) throws(SQLError) in Session.sum &+= bytes.count }
    } catch { _ = error.message }
  }

  private static func apply(
    _ changeset: Changeset, _ options: ApplyOptions, _ flags: Flags, _ choices: Choices,
    _ session: Session
  ) -> RebaseInformation? {
    let filter: ApplyFilter =
      flags.contains(.filters) ? .changes { _ in choices.next() & 1 == 0 } : .all
    return try? changeset.apply(to: session.connection, options, filter: filter) { conflict in
      Session.sum &+= conflict.change?.old.count ?? 0
      _ = try? conflict.currentRow()
      let choice = choices.next()
      // A handler may change what is being applied to.
      if choice & 0xf0 == 0x50 { session.run("DELETE FROM t WHERE a % 2; UPDATE w SET x = 1".utf8) }
      return ConflictResolution(rawValue: Int32(choice & 3)) ?? .omit
    }
  }

  private static func rebase(_ changeset: Changeset, _ information: RebaseInformation) {
    let rebaser = Rebaser()
    try? rebaser.configure(information)
    _ = try? rebaser.rebase(changeset)
    // Its own bytes could have been anybody's.
    let other = Rebaser()
    try? other.configure(RebaseInformation(bytes: changeset.bytes))
    _ = try? other.rebase(Changeset(bytes: information.bytes))
  }
}
