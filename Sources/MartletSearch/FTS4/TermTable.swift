import MartletEngine

/// The module `fts4aux`: the terms of a table's index, and how often they are there (fts3 §5).
final class TermModule: VirtualTableModule {
  let abilities: VirtualTableAbilities = .eponymous

  func connect(_ request: VirtualTableRequest) throws(SQLError) -> any VirtualTable {
    try TermTable(request)
  }
}

final class TermTable: VirtualTable {
  /// It has no prefixes, and takes docids as rising: what it counts does not depend on that.
  let index: FTS4Index

  private enum Column {
    static let term = 0
    static let language = 4
  }

  /// Which arguments a scan has.
  enum Plan {
    static let equal: Int32 = 1
    static let lowest: Int32 = 2
    static let highest: Int32 = 4
  }

  init(_ request: VirtualTableRequest) throws(SQLError) {
    guard let connection = request.connection else { throw SQLError(.misuse) }
    var database = request.databaseName
    let arguments = request.arguments
    let isForTemporary = arguments.count == 2 && ASCIILetters.areSame(database, "temp")
    guard arguments.count == 1 || isForTemporary else {
      throw .search("invalid arguments to fts4aux constructor")
    }
    if isForTemporary { database = FTS4Word.dequoted(Array(arguments[0].utf8)) }
    let name = FTS4Word.dequoted(Array(arguments[arguments.count - 1].utf8))
    try request.declare(
      "CREATE TABLE x(term, col, documents, occurrences, languageid HIDDEN)")
    index = FTS4Index(
      FTS4Shadow(connection, database, name, readList: "", writeList: ""), nodeSize: 0,
      isDescending: false, prefixLengths: [0])
  }

  func planScan(_ plan: VirtualTablePlan) throws(SQLError) {
    if plan.ordering.count == 1, plan.ordering[0].column == Column.term,
      !plan.ordering[0].isDescending
    {
      plan.isOrdered = true
    }
    var equal: Int?, lowest: Int?, highest: Int?, language: Int?
    for (position, constraint) in plan.constraints.enumerated() where constraint.isUsable {
      switch (constraint.column, constraint.operator) {
      case (Column.term, .equal): equal = position
      case (Column.term, .less), (Column.term, .lessOrEqual): highest = position
      case (Column.term, .greater), (Column.term, .greaterOrEqual): lowest = position
      case (Column.language, .equal): language = position
      default: break
      }
    }
    var argument = 0
    func take(_ position: Int) {
      plan.take(position, asArgument: argument)
      argument += 1
    }
    if let equal {
      plan.number = Plan.equal
      plan.estimatedCost = 5
      take(equal)
    } else {
      plan.number = 0
      plan.estimatedCost = 20_000
      for (position, flag) in [(lowest, Plan.lowest), (highest, Plan.highest)] {
        guard let position else { continue }
        plan.number |= flag
        plan.estimatedCost /= 2
        take(position)
      }
    }
    if let language {
      plan.estimatedCost -= 1
      take(language)
    }
  }

  func makeCursor() throws(SQLError) -> VirtualTableCursor { TermCursor(self) }
}

private final class TermCursor: VirtualTableCursor {
  private let table: TermTable
  private var scan: TermScan?
  private var last: [UInt8]?
  private var language: Int64 = 0
  private var isDone = true
  private var number: Int64 = 0
  /// Counts of all columns together, and of each.
  private var counts: [(rows: Int64, places: Int64)] = []
  private var column = 0

  /// No table has more.
  private static let mostColumns = 32_767

  init(_ table: TermTable) { self.table = table }

  override func filter(_ arguments: borrowing VirtualTableArguments) throws(SQLError) {
    let isOne = arguments.number == TermTable.Plan.equal
    var next = 0
    var first: [UInt8]?
    last = nil
    if isOne || arguments.number & TermTable.Plan.lowest != 0 {
      first = try TermCursor.text(arguments[next])
      next += 1
    }
    if !isOne && arguments.number & TermTable.Plan.highest != 0 {
      last = try TermCursor.text(arguments[next])
      next += 1
    }
    language = 0
    if next < arguments.count {
      language = max(0, Int64(Int32(truncatingIfNeeded: arguments[next].int64)))
    }
    if isOne, let first {
      let scan = try table.index.scan(for: first, isPrefix: false, language: language)
      try scan.start(TermFilter(term: first, ignoresEmpty: true))
      self.scan = scan
    } else {
      scan = try table.index.scanAll(0, language: language, from: first ?? [])
    }
    isDone = false
    number = 0
    counts = []
    column = 0
    try advance()
  }

  private static func text(_ value: VirtualTableArgument) throws(SQLError) -> [UInt8]? {
    if value.isNull { return nil }
    let bytes = try value.bytes()
    return Array(bytes[..<(bytes.firstIndex(of: 0) ?? bytes.count)])
  }

  override func advance() throws(SQLError) {
    number += 1
    column += 1
    while column < counts.count {
      if counts[column].rows > 0 { return }
      column += 1
    }
    guard let scan, try scan.step() else {
      isDone = true
      return
    }
    if let last, [UInt8].compare(scan.term, last) > 0 {
      isDone = true
      return
    }
    try count(scan.doclist)
    column = 0
  }

  private func count(_ doclist: Doclist) throws(SQLError) {
    counts = [(0, 0), (0, 0)]
    var reader = DoclistReader(doclist, isDescending: false)
    while !reader.isAtEnd {
      counts[0].rows += 1
      var known = -1, places = PlaceReader(reader.list)
      while true {
        let place = places.next()
        if place < 0 { break }
        let column = PositionList.column(place)
        guard column < TermCursor.mostColumns else { throw .searchCorrupt }
        while counts.count < column + 2 { counts.append((0, 0)) }
        if column != known { counts[column + 1].rows += 1 }
        known = column
        counts[column + 1].places += 1
        counts[0].places += 1
      }
      reader.advance()
    }
  }

  override var isAtEnd: Bool { isDone }

  override func rowid() throws(SQLError) -> Int64 { number }

  override func read(
    _ index: Int, into value: borrowing VirtualTableValue
  ) throws(SQLError) {
    guard let scan, counts.indices.contains(column) else { return }
    switch index {
    case 0:
      try scan.term.withBytes { bytes throws(SQLError) in
        try value.place.set(text: bytes, encoding: .utf8)
      }
    case 1:
      if column > 0 { value.set(column - 1) } else { try value.set(text: "*") }
    case 2: value.set(counts[column].rows)
    case 3: value.set(counts[column].places)
    default: value.set(language)
    }
  }
}
