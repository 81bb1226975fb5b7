/// Which columns of a row are read at once, and into which registers.
struct RowReading {
  /// For each column up to the last one that is read its register, or 0. A column whose integers
  /// become reals has the register's number with a minus.
  let registers: UnsafePointer<Int32>
  /// At least 1.
  let columnCount: Int
  /// The register of the rowid, or 0.
  let rowidRegister: Int
  /// The rowid is wanted, now or later.
  let needsRowid: Bool
  /// The places of the columns are kept for what is read of the row later.
  let keepsPlaces: Bool
}
