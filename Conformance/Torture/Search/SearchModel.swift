/// A full-text table or an R-tree that statements may name.
struct SearchModel {
  enum Kind {
    case fts5, fts4, rtree
    /// `fts5vocab` or `fts4aux`: what terms a table has.
    case vocabulary
  }

  let name: String
  let kind: Kind
  /// The columns that are written; of an R-tree the bounds.
  var columns: [String]
  /// Auxiliary columns of an R-tree.
  var auxiliary: [String] = []
  /// The rows that are searched are in no shadow table: they cannot be changed as others are.
  var isContentless = false
  var isTrigram = false
  /// FTS5 with detail=none, where C's secure-delete loses entries (docs/deviations.md).
  var hasNoDetail = false
  /// FTS5 with contentless_unindexed, where INSERT OR IGNORE fails in C (docs/deviations.md).
  var keepsUnindexed = false
  /// `languageid=` of FTS4.
  var language: String?
  /// Shadow tables, by what stands behind the table's name.
  var shadows: [String] = []
  /// How many rows have been written into it, as far as the generator knows.
  var rowCount = 0

  /// The same table under another name.
  func renamed(_ name: String) -> SearchModel {
    var model = SearchModel(name: name, kind: kind, columns: columns)
    model.auxiliary = auxiliary
    model.isContentless = isContentless
    model.isTrigram = isTrigram
    model.hasNoDetail = hasNoDetail
    model.keepsUnindexed = keepsUnindexed
    model.language = language
    model.shadows = shadows
    model.rowCount = rowCount
    return model
  }
}
