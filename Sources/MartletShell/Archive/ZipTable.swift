import MartletEngine

/// The table-valued function `zipfile(FILE)`, and virtual tables of that module: what an archive
/// holds (zipfile §2). Archives are written by `.archive`, not by SQL.
final class ZipModule: VirtualTableModule, Sendable {
  let abilities: VirtualTableAbilities = .eponymous

  func connect(_ request: VirtualTableRequest) throws(SQLError) -> any VirtualTable {
    try request.declare(
      """
      CREATE TABLE x(name PRIMARY KEY, mode, mtime, sz, rawdata, data, method, z HIDDEN)
      WITHOUT ROWID
      """)
    request.configure(.directOnly)
    let isEponymous = request.tableName == "zipfile" && request.arguments.isEmpty
    guard isEponymous || request.arguments.count == 1 else {
      throw .said("zipfile constructor requires one argument")
    }
    return ZipTable(file: request.arguments.first.map(Self.unquoted))
  }

  private static func unquoted(_ word: String) -> String {
    guard let quote = word.first, "'\"`[".contains(quote), word.utf8.count > 1 else { return word }
    let end = quote == "[" ? "]" : String(quote)
    let inner = word.dropFirst().dropLast(word.hasSuffix(end) ? 1 : 0)
    return inner.split(separator: end + end, omittingEmptySubsequences: false)
      .joined(separator: end)
  }
}

private final class ZipTable: VirtualTable {
  static let fileColumn = 7
  let file: String?

  init(file: String?) { self.file = file }

  func planScan(_ plan: VirtualTablePlan) throws(SQLError) {
    plan.number = 0
    plan.estimatedCost = 1000
    let wanted = plan.constraints.indices.filter {
      plan.constraints[$0].column == Self.fileColumn && plan.constraints[$0].operator == .equal
    }
    if wanted.isEmpty { return }
    guard let usable = wanted.first(where: { plan.constraints[$0].isUsable }) else {
      throw SQLError(.constraint)
    }
    plan.take(usable, asArgument: 0, omittingTest: true)
    plan.number = 1
  }

  func makeCursor() throws(SQLError) -> VirtualTableCursor { ZipCursor(file: file) }
}

private final class ZipCursor: VirtualTableCursor {
  private let file: String?
  private var entries: [ZipFile.Entry] = []
  private var position = 0
  private static let longestContent = 1_000_000_000

  init(file: String?) { self.file = file }

  override func filter(_ scan: borrowing VirtualTableArguments) throws(SQLError) {
    (entries, position) = ([], 0)
    let bytes: [UInt8]
    if scan.number == 1, scan[0].type == .blob {
      bytes = Array(try scan[0].bytes())
    } else {
      let named = scan.number == 1 ? String(fileNameBytes: try scan[0].bytes()) : file
      guard let path = named else { throw .said("zipfile() function requires an argument") }
      guard let read = DiskEntry.read(path, limit: Self.longestContent) else {
        throw .said("cannot open file: \(path)")
      }
      bytes = read
    }
    entries = bytes.isEmpty ? [] : try ZipFile(bytes).entries
  }

  override func advance() throws(SQLError) { position += 1 }

  override var isAtEnd: Bool { position >= entries.count }

  override func rowid() throws(SQLError) -> Int64 { Int64(position + 1) }

  override func read(
    _ column: Int, into value: borrowing VirtualTableValue
  ) throws(SQLError) {
    guard position < entries.count else { return }
    let entry = entries[position]
    switch column {
    case 0:
      try entry.name.withFileNameBytes { bytes throws(SQLError) in try value.set(text: bytes) }
    case 1: value.set(Int64(entry.mode))
    case 2: value.set(entry.modificationTime)
    case 3: value.set(entry.size)
    case 4: try entry.packed.withBytes { bytes throws(SQLError) in try value.set(blob: bytes) }
    case 5:
      // Folders have no content.
      if entry.name.hasSuffix("/") || entry.mode & DiskEntry.kindMask == DiskEntry.folderKind {
        return
      }
      let content = try ZipFile.content(of: entry, limit: Self.longestContent)
      try content?.withBytes { bytes throws(SQLError) in try value.set(blob: bytes) }
    case 6: value.set(entry.method)
    default: return
    }
  }
}
