/// A collating sequence: an order on texts (datatype3 §7).
///
/// The three built-in ones are recognized by `kind`, so that comparisons need no call through a
/// closure. A custom one calls the application's function with the texts in `encoding`.
public final class Collation: @unchecked Sendable {
  enum Kind: UInt8 { case binary, noCase, rightTrim, custom }

  typealias Compare = (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int

  public let name: String
  let kind: Kind
  /// Encoding that `function` wants its texts in. Built-in collations take the database's, and are
  /// not asked by it.
  let encoding: TextEncoding
  /// The application's. Not optional: calling what is unwrapped first counts references.
  let function: Compare
  /// The application's, in place of a built-in one.
  let replacesBuiltIn: Bool

  private init(name: String, kind: Kind) {
    self.name = name
    self.kind = kind
    encoding = .utf8
    function = { _, _ in 0 }
    replacesBuiltIn = false
  }

  /// An application's collation. Its function is called on the thread that uses the connection.
  init(name: String, encoding: TextEncoding, function: @escaping Compare) {
    self.name = name
    kind = .custom
    self.encoding = encoding
    self.function = function
    replacesBuiltIn = ["nocase", "rtrim"].contains(name.lowercased())
  }

  static let binary = Collation(name: "BINARY", kind: .binary)
  static let noCase = Collation(name: "NOCASE", kind: .noCase)
  static let rightTrim = Collation(name: "RTRIM", kind: .rightTrim)
}

/// How the columns of an index or sort key compare (SQLite's KeyInfo).
final class KeyInfo: @unchecked Sendable {
  struct Column {
    let collation: Collation
    let isDescending: Bool
    /// NULLs are put where the sort order would not put them (NULLS FIRST/LAST, SQLite's BIGNULL).
    let hasBigNulls: Bool
  }

  /// Columns that take part in comparisons, then columns that are only stored.
  let columns: [Column]
  /// How many of `columns` make the key. Index trees of rowid tables count the rowid.
  let keyColumnCount: Int
  let encoding: TextEncoding
  /// All columns are ascending, BINARY and without `hasBigNulls`: the fast comparison applies.
  let isPlain: Bool
  /// `columns` as plain data, for comparisons: reading it counts no references.
  let orders: UnsafeMutablePointer<ColumnOrder>

  init(columns: [Column], keyColumnCount: Int? = nil, encoding: TextEncoding) {
    self.columns = columns
    self.keyColumnCount = keyColumnCount ?? columns.count
    self.encoding = encoding
    isPlain = columns.allSatisfy {
      $0.collation.kind == .binary && !$0.isDescending && !$0.hasBigNulls
    }
    orders = .allocate(capacity: columns.count)
    for (index, column) in columns.enumerated() {
      (orders + index).initialize(to: ColumnOrder(column))
    }
  }

  deinit { orders.deallocate() }
}

/// A `KeyInfo.Column` as plain data; the key info keeps the collation alive.
struct ColumnOrder {
  let collation: Unmanaged<Collation>
  let collationKind: Collation.Kind
  let isDescending: Bool
  let hasBigNulls: Bool

  init(_ column: KeyInfo.Column) {
    collation = .passUnretained(column.collation)
    collationKind = column.collation.kind
    isDescending = column.isDescending
    hasBigNulls = column.hasBigNulls
  }
}
