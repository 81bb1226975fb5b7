import MartletEngine

/// Writes the doclist index of the term that is written (fts5 §9.2.4.4): a tree over the pages that
/// its doclist fills, by their first rowids.
///
///     | flags: 0 root, 1 other | first child varint | its first rowid | distance or 0, … |
final class DoclistIndexWriter {
  private struct Level {
    var page = 0
    var isPreviousKnown = false
    var previous: Int64 = 0
    let bytes = GrowingBytes()
  }

  private let tables: IndexTables
  private let segment: Int
  private let pageSize: Int
  @exclusivity(unchecked) private var levels = [Level()]

  init(_ tables: IndexTables, segment: Int, pageSize: Int) {
    self.tables = tables
    self.segment = segment
    self.pageSize = pageSize
  }

  var isEmpty: Bool { levels[0].bytes.isEmpty }

  /// The page of the term.
  var firstPage: Int {
    get { levels[0].page }
    set { levels[0].page = newValue }
  }

  /// A page has no rowid at all.
  func appendEmptyPage() throws(SQLError) {
    if !isEmpty { try levels[0].bytes.append(0) }
  }

  func append(_ rowid: Int64, page: Int) throws(SQLError) {
    var height = 0, isDone = false
    while !isDone {
      if levels[height].bytes.count >= pageSize {
        try flush(height)
      } else {
        isDone = true
      }
      let bytes = levels[height].bytes
      var value = rowid
      if levels[height].isPreviousKnown {
        value = rowid &- levels[height].previous
      } else {
        let child = height == 0 ? page : levels[height - 1].page
        try bytes.append(varint: isDone ? 0 : 1)
        try bytes.append(varint: child)
      }
      try bytes.append(varint: UInt64(bitPattern: value))
      levels[height].isPreviousKnown = true
      levels[height].previous = rowid
      height += 1
    }
  }

  /// Writes a page that is full. If it was the root, a new one gets its first rowid.
  private func flush(_ height: Int) throws(SQLError) {
    let bytes = levels[height].bytes
    bytes.start[0] = 1
    try write(height)
    if levels.count <= height + 1 { levels.append(Level()) }
    if levels[height + 1].bytes.isEmpty {
      let first = DoclistIndexWriter.firstRowid(bytes)
      let root = levels[height + 1].bytes
      try root.append(varint: 0)
      try root.append(varint: levels[height].page)
      try root.append(varint: UInt64(bitPattern: first))
      levels[height + 1].page = levels[height].page
      levels[height + 1].isPreviousKnown = true
      levels[height + 1].previous = first
    }
    bytes.removeAll()
    levels[height].isPreviousKnown = false
    levels[height].page += 1
  }

  private static func firstRowid(_ bytes: GrowingBytes) -> Int64 {
    var value: UInt64 = 0
    let offset = 1 + Varint.read(bytes.start + 1, &value)
    _ = Varint.read(bytes.start + offset, &value)
    return Int64(bitPattern: value)
  }

  private func write(_ height: Int) throws(SQLError) {
    try tables.write(
      IndexFormat.doclistIndexRow(segment, height: height, page: levels[height].page),
      levels[height].bytes.buffer)
  }

  /// Ends the index of a term.
  func finish(isWritten: Bool) throws(SQLError) {
    for height in levels.indices {
      if levels[height].bytes.isEmpty { break }
      if isWritten { try write(height) }
      levels[height].bytes.removeAll()
      levels[height].isPreviousKnown = false
    }
  }
}
