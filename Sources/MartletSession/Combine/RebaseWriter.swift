import MartletEngine

/// What conflicts led to, as a changeset of its own: what the remote change was, an UPDATE as an
/// INSERT of what it sets, marked (as indirect changes are) where it has replaced what was there.
final class RebaseWriter {
  @exclusivity(unchecked) private(set) var bytes: [UInt8] = []
  @exclusivity(unchecked) private var hasTable = false

  func endTable() { hasTable = false }

  func cut(to count: Int) { bytes.removeLast(max(0, bytes.count - count)) }

  func note(_ reader: ChangesetReader, isReplaced: Bool) throws(SQLError) {
    guard let name = reader.tableName else { return }
    try bytes.makeRoom(for: reader.changeBytes.count + name.count + 2 * reader.columnCount + 16)
    if !hasTable {
      bytes.append(UInt8(ascii: "T"))
      bytes.appendVarint(reader.columnCount)
      bytes.append(contentsOf: reader.key)
      bytes.append(contentsOf: name)
      bytes.append(0)
      hasTable = true
    }
    let kind = reader.kind == .delete ? Connection.ChangeKind.delete : .insert
    bytes.append(UInt8(truncatingIfNeeded: kind.rawValue))
    bytes.append(isReplaced ? 1 : 0)
    for column in reader.key.indices {
      let isOld =
        reader.kind == .delete || reader.kind == .update && reader.key[column] != 0
      guard let field = try isOld ? reader.oldField(column) : reader.newField(column) else {
        bytes.append(.undefined)
        continue
      }
      let count = Field.byteCount(reader.bytes, at: field)
      bytes.append(contentsOf: reader.bytes[field..<(field + count)])
    }
  }
}
