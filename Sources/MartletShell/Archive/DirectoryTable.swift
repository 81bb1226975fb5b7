import MartletEngine

/// The table-valued function `fsdir(PATH, DIR)`: files of a folder and what is below it.
final class DirectoryModule: VirtualTableModule, Sendable {
  let abilities: VirtualTableAbilities = .eponymousOnly

  func connect(_ request: VirtualTableRequest) throws(SQLError) -> any VirtualTable {
    try request.declare(
      "CREATE TABLE x(name, mode, mtime, data, level, path HIDDEN, dir HIDDEN)")
    request.configure(.directOnly)
    return DirectoryTable()
  }
}

private final class DirectoryTable: VirtualTable {
  static let pathColumn = 5, folderColumn = 6

  func planScan(_ plan: VirtualTablePlan) throws(SQLError) {
    plan.number = 0
    plan.estimatedCost = 1e9
    for (column, number) in [(Self.pathColumn, Int32(1)), (Self.folderColumn, 2)] {
      let wanted = plan.constraints.indices.filter {
        plan.constraints[$0].column == column && plan.constraints[$0].operator == .equal
      }
      if wanted.isEmpty { continue }
      // An argument that is not known yet is no reason to go without.
      guard let usable = wanted.first(where: { plan.constraints[$0].isUsable }) else {
        throw SQLError(.constraint)
      }
      plan.take(usable, asArgument: number == 1 ? 0 : Int(plan.number), omittingTest: true)
      plan.number |= number
      plan.estimatedCost = 100
    }
  }

  func makeCursor() throws(SQLError) -> VirtualTableCursor { DirectoryCursor() }
}

private final class DirectoryCursor: VirtualTableCursor {
  private struct Place {
    let entry: DiskEntry
    let level: Int
  }

  /// The current entry is the last one; what is to come after it lies below.
  private var waiting: [Place] = []
  private var folder: String?
  private var number: Int64 = 0

  override func filter(_ scan: borrowing VirtualTableArguments) throws(SQLError) {
    waiting = []
    number = 0
    folder = nil
    guard scan.number & 1 == 1, scan.count > 0 else {
      throw .said("table function fsdir requires an argument")
    }
    guard !scan[0].isNull else {
      throw .said("table function fsdir requires a non-NULL argument")
    }
    let path = String(fileNameBytes: try scan[0].bytes())
    if scan.number & 2 == 2, scan.count > 1, !scan[1].isNull {
      folder = String(fileNameBytes: try scan[1].bytes())
    }
    let start = folder.map { "\($0)/\(path)" } ?? path
    guard let entry = DiskEntry(start) else { throw .said("cannot stat file: \(start)") }
    waiting = [Place(entry: entry, level: 1)]
  }

  override func advance() throws(SQLError) {
    guard let place = waiting.popLast() else { return }
    number += 1
    guard place.entry.kind == DiskEntry.folderKind else { return }
    for name in DiskEntry.names(in: place.entry.path).reversed() {
      guard let entry = DiskEntry("\(place.entry.path)/\(name)") else { continue }
      waiting.append(Place(entry: entry, level: place.level + 1))
    }
  }

  override var isAtEnd: Bool { waiting.isEmpty }

  override func rowid() throws(SQLError) -> Int64 { number + 1 }

  override func read(
    _ column: Int, into value: borrowing VirtualTableValue
  ) throws(SQLError) {
    guard let place = waiting.last else { return }
    let entry = place.entry
    switch column {
    case 0:
      let name = entry.path.dropFirst(folder.map { $0.count + 1 } ?? 0)
      try String(name).withFileNameBytes { bytes throws(SQLError) in try value.set(text: bytes) }
    case 1: value.set(Int64(entry.mode))
    case 2: value.set(entry.modificationTime)
    case 3:
      guard let content = entry.content() else { return }
      let isLink = entry.kind == DiskEntry.linkKind
      try content.withBytes { bytes throws(SQLError) in
        if isLink { try value.set(text: bytes) } else { try value.set(blob: bytes) }
      }
    case 4: value.set(place.level)
    default: return
    }
  }
}
