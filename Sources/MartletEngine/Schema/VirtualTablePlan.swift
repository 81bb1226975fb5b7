/// What a query wants of a virtual table, and how the table answers it (`sqlite3_index_info`,
/// vtab §2.3).
///
/// It is lent for the call of `planScan`.
public final class VirtualTablePlan {
  /// `column operator value`, one of the conditions that rows must meet.
  public struct Constraint: Sendable {
    /// -1 for the rowid. Without meaning for LIMIT and OFFSET.
    public let column: Int
    public let `operator`: VirtualTableOperator
    /// The value is known when the table is scanned.
    public internal(set) var isUsable: Bool
    /// `sqlite3_vtab_collation`.
    public let collation: String
    /// The values of an IN may be asked for at once (`sqlite3_vtab_in`).
    public let isInList: Bool
  }

  public struct OrderingTerm: Sendable {
    /// -1 for the rowid.
    public let column: Int
    public let isDescending: Bool
  }

  /// What the rows are sorted for (`sqlite3_vtab_distinct`).
  public enum OrderingPurpose: Int, Sendable {
    /// They have to come in the order of `ordering`.
    case order = 0
    /// Rows that are equal in all terms have to come one after the other.
    case group = 1
    /// Of rows that are equal in all terms one is enough, in any order.
    case distinct = 2
    /// Of rows that are equal in all terms one is enough, in the order of `ordering`.
    case distinctOrder = 3
  }

  // MARK: What is asked

  public internal(set) var constraints: [Constraint] = []
  /// ORDER BY, GROUP BY or DISTINCT, where it has nothing but columns of the table.
  public internal(set) var ordering: [OrderingTerm] = []
  public internal(set) var orderingPurpose = OrderingPurpose.order
  /// Columns that the statement reads: bit n for column n below 63, bit 63 for all above.
  public internal(set) var usedColumns: UInt64 = 0
  /// Values of the constraints, where the statement's text has them (`sqlite3_vtab_rhs_value`).
  var constants: (Int) -> Value? = { _ in nil }

  // MARK: What is answered

  struct Use {
    /// Position of the value among the arguments of the scan, -1 where it is not wanted.
    var argument = -1
    var isOmitted = false
    var takesWholeList = false
  }

  var uses: [Use] = []
  /// What `VirtualTableCursor.filter` is told of the plan (`idxNum`, `idxStr`).
  public var number: Int32 = 0
  public var text: String?
  /// The same as a text of the application's, which stays where it is; EXPLAIN QUERY PLAN shows
  /// `text`.
  public var keptText: VirtualTablePlanText?
  /// Rows come in the order of `ordering`.
  public var isOrdered = false
  /// What a scan costs, in disk accesses, and how many rows it gives.
  public var estimatedCost = 0.0
  public var estimatedRowCount: Int64 = 0
  /// The scan gives one row at most.
  public var isUnique = false
  /// EXPLAIN QUERY PLAN shows `number` in hexadecimal digits.
  public var showsNumberInHex = false

  init() {}

  /// Sets what `planScan` finds before it answers.
  func startOver() {
    uses = Array(repeating: Use(), count: constraints.count)
    number = 0
    text = nil
    keptText = nil
    isOrdered = false
    estimatedCost = 5e98
    estimatedRowCount = 25
    isUnique = false
    showsNumberInHex = false
  }

  /// The scan wants the value of a constraint as its argument at `position`, counted from 0; all
  /// positions below the highest have to be taken. Several constraints cannot share one.
  ///
  /// - Parameter omittingTest: The table itself sees to it that the constraint holds.
  public func take(
    _ constraint: Int, asArgument position: Int, omittingTest: Bool = false
  ) {
    guard uses.indices.contains(constraint) else { return }
    uses[constraint].argument = position
    uses[constraint].isOmitted = omittingTest
  }

  /// Gives all values of an IN to one scan (`sqlite3_vtab_in`); otherwise there is a scan for each.
  public func takeWholeList(_ constraint: Int, _ isWhole: Bool = true) {
    guard constraints.indices.contains(constraint), constraints[constraint].isInList else { return }
    uses[constraint].takesWholeList = isWhole
  }

  /// The value of a constraint, if it stands in the statement as a constant
  /// (`sqlite3_vtab_rhs_value`).
  public func constantValue(_ constraint: Int) -> Value? { constants(constraint) }
}

/// A text in memory of the application, which gets it back as it is.
public final class VirtualTablePlanText {
  public let bytes: UnsafeMutablePointer<CChar>
  private let free: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?

  /// - Parameter free: Called when nothing refers to the text any more.
  public init(
    _ bytes: UnsafeMutablePointer<CChar>,
    free: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
  ) {
    self.bytes = bytes
    self.free = free
  }

  deinit { free?(bytes) }
}

@available(*, unavailable)
extension VirtualTablePlanText: Sendable {}

/// How a constraint compares. The numbers are those of `SQLITE_INDEX_CONSTRAINT_…`.
public struct VirtualTableOperator: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let equal = VirtualTableOperator(rawValue: 2)
  public static let greater = VirtualTableOperator(rawValue: 4)
  public static let lessOrEqual = VirtualTableOperator(rawValue: 8)
  public static let less = VirtualTableOperator(rawValue: 16)
  public static let greaterOrEqual = VirtualTableOperator(rawValue: 32)
  public static let match = VirtualTableOperator(rawValue: 64)
  public static let like = VirtualTableOperator(rawValue: 65)
  public static let glob = VirtualTableOperator(rawValue: 66)
  public static let regexp = VirtualTableOperator(rawValue: 67)
  public static let notEqual = VirtualTableOperator(rawValue: 68)
  public static let isNot = VirtualTableOperator(rawValue: 69)
  public static let isNotNull = VirtualTableOperator(rawValue: 70)
  public static let isNull = VirtualTableOperator(rawValue: 71)
  public static let `is` = VirtualTableOperator(rawValue: 72)
  /// The number of rows that the statement wants; there is no column.
  public static let limit = VirtualTableOperator(rawValue: 73)
  public static let offset = VirtualTableOperator(rawValue: 74)
  /// This and higher numbers stand for functions that the table overloads.
  public static let function = VirtualTableOperator(rawValue: 150)
}

/// How a scan is run: what a table answered, as the program has it.
final class VirtualScan {
  let table: Table
  let number: Int32
  let text: String?
  let keptText: VirtualTablePlanText?
  let argumentCount: Int
  /// Bit n: argument n is the whole list of an IN.
  let listArguments: UInt64
  /// The module is the application's, which may run statements.
  let callsApplication: Bool

  init(
    table: Table, number: Int32, text: String?, keptText: VirtualTablePlanText?,
    argumentCount: Int, listArguments: UInt64
  ) {
    self.table = table
    self.number = number
    self.text = text
    self.keptText = keptText
    self.argumentCount = argumentCount
    self.listArguments = listArguments
    callsApplication = table.virtual.map { !$0.isBuiltIn } ?? false
  }
}
