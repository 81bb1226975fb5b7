import MartletEngine

/// Which table or index each page of a database belongs to, and how full it is.
struct FileLayout {
  struct Object {
    let name: String
    let isIndex: Bool
    fileprivate(set) var pageCount = 0
    fileprivate(set) var overflowCount = 0
    fileprivate(set) var usedBytes = 0
  }

  /// Some pages that follow each other, drawn as one.
  struct Cell {
    /// The object that most of them belong to; nil for free ones.
    let object: Int?
    /// How full they are, from 0 to 1.
    let fullness: Double
  }

  private(set) var objects: [Object] = []
  private(set) var pageSize = 0
  private(set) var pageCount = 0
  private(set) var freeCount = 0
  /// By page: the object and how many bytes are used; -1 for none.
  private var owners: [Int32]
  private var usedBytes: [Int32]

  init(of connection: Connection, database: String) throws(SQLError) {
    let schema = quotedName(database)
    func number(_ pragma: String) throws(SQLError) -> Int {
      let query = try connection.prepare("PRAGMA \(schema).\(pragma)")
      return try query.step() ? Int(query.columnInt64(0)) : 0
    }
    pageSize = try number("page_size")
    pageCount = try number("page_count")
    freeCount = try number("freelist_count")
    owners = Array(repeating: -1, count: max(pageCount, 0))
    usedBytes = Array(repeating: 0, count: max(pageCount, 0))
    let indexes = Set(
      try connection.prepare("SELECT name FROM \(schema).sqlite_schema WHERE type = 'index'")
        .allTexts().map { $0[0] })
    try readPages(connection, database, indexes)
  }

  private mutating func readPages(
    _ connection: Connection, _ database: String, _ indexes: Set<String>
  ) throws(SQLError) {
    let query = try connection.prepare(
      "SELECT name, pageno, pagetype, unused FROM dbstat(\(sqlText(database)))")
    var numbers: [String: Int] = [:]
    while try query.step() {
      if Interruption.isPending { throw SQLError(.interrupt) }
      let name = query.columnText(0)
      let number = numbers[name] ?? objects.count
      if number == objects.count {
        numbers[name] = number
        objects.append(Object(name: name, isIndex: indexes.contains(name)))
      }
      let used = max(pageSize - Int(query.columnInt64(3)), 0)
      objects[number].pageCount += 1
      objects[number].usedBytes += used
      if query.columnText(2) == "overflow" { objects[number].overflowCount += 1 }
      let page = Int(query.columnInt64(1)) - 1
      guard owners.indices.contains(page) else { continue }
      owners[page] = Int32(truncatingIfNeeded: number)
      usedBytes[page] = Int32(truncatingIfNeeded: used)
    }
  }

  func fullness(of object: Object) -> Double {
    let all = object.pageCount * pageSize
    return all == 0 ? 0 : Double(object.usedBytes) / Double(all)
  }

  /// Pages that belong to nothing and are not free: those of the pointer map.
  var otherCount: Int {
    max(pageCount - freeCount - objects.reduce(0) { $0 + $1.pageCount }, 0)
  }

  /// How many pages a cell stands for where there may be so many cells.
  func pagesPerCell(cellLimit: Int) -> Int { max((pageCount + cellLimit - 1) / cellLimit, 1) }

  func cells(pagesEach: Int) -> [Cell] {
    stride(from: 0, to: pageCount, by: pagesEach).map { start in
      let pages = start..<min(start + pagesEach, pageCount)
      var counts: [Int32: Int] = [:]
      var used = 0
      for page in pages {
        counts[owners[page], default: 0] += 1
        used += Int(usedBytes[page])
      }
      let owner = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? -1
      let owned = pages.count - (counts[-1] ?? 0)
      let fullness = owned == 0 ? 0 : Double(used) / Double(owned * max(pageSize, 1))
      return Cell(object: owner < 0 ? nil : Int(owner), fullness: min(fullness, 1))
    }
  }
}
