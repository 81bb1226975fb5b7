import Synchronization

@testable import MartletEngine

/// The module of `Conformance/fixtures/bestindex.txt`, which notes what it is asked.
final class LogModule: VirtualTableModule {
  let log = Log()

  final class Log: Sendable {
    private let entries = Mutex<[String]>([])

    func add(_ line: String) { entries.withLock { $0.append(line) } }

    func take() -> [String] {
      entries.withLock { entries in
        defer { entries = [] }
        return entries
      }
    }
  }

  func connect(_ request: VirtualTableRequest) throws(SQLError) -> any VirtualTable {
    try request.declare("create table x(a integer,b text collate nocase,h hidden)")
    let mode = request.arguments.first.flatMap { Int($0) } ?? 0
    return LogTable(name: request.tableName, mode: mode, log: log)
  }
}

final class LogTable: FunctionOverloading {
  private let name: String
  private let mode: Int
  private let log: LogModule.Log

  init(name: String, mode: Int, log: LogModule.Log) {
    self.name = name
    self.mode = mode
    self.log = log
  }

  func makeCursor() throws(SQLError) -> VirtualTableCursor { LogCursor(log) }

  func function(named name: String, argumentCount: Int) -> OverloadedFunction? {
    switch name {
    case "match", "MATCH":
      OverloadedFunction { (call) throws(SQLError) in call.setResult(1) }
    case "near":
      OverloadedFunction(operator: .function) { (call) throws(SQLError) in call.setResult(1) }
    default: nil
    }
  }

  func planScan(_ plan: VirtualTablePlan) throws(SQLError) {
    log.add(line(of: plan))
    var first: Int?, hidden: Int?, limit: Int?, offset: Int?
    for (index, constraint) in plan.constraints.enumerated() where constraint.isUsable {
      switch (constraint.operator, constraint.column) {
      case (.limit, _): limit = index
      case (.offset, _): offset = index
      case (.equal, 0): first = index
      case (.equal, 2): hidden = index
      default: break
      }
    }
    var position = 0
    func take(_ constraint: Int?, _ bit: Int32, omitting: Bool) {
      guard let constraint else { return }
      plan.take(constraint, asArgument: position, omittingTest: omitting)
      position += 1
      plan.number |= bit
    }
    plan.estimatedCost = 1_000
    plan.estimatedRowCount = 1_000
    if let first {
      take(first, 1, omitting: false)
      plan.estimatedCost = 10
      plan.estimatedRowCount = 1
      if mode & 4 != 0 { plan.isUnique = true }
      if mode & 8 != 0 { plan.takeWholeList(first) }
    }
    take(hidden, 2, omitting: true)
    if mode & 1 != 0, limit != nil {
      take(limit, 4, omitting: true)
      take(offset, 8, omitting: true)
    }
    if mode & 2 != 0 { plan.isOrdered = true }
    plan.text = "m\(mode)"
  }

  private func line(of plan: VirtualTablePlan) -> String {
    let names: [VirtualTableOperator: String] = [
      .equal: "EQ", .greater: "GT", .lessOrEqual: "LE", .less: "LT", .greaterOrEqual: "GE",
      .match: "MATCH", .like: "LIKE", .glob: "GLOB", .regexp: "REGEXP", .notEqual: "NE",
      .isNot: "ISNOT", .isNotNull: "ISNOTNULL", .isNull: "ISNULL", .is: "IS", .limit: "LIMIT",
      .offset: "OFFSET",
    ]
    var text = "\(name):"
    for (index, constraint) in plan.constraints.enumerated() {
      let operation = constraint.operator
      let isLimit = operation == .limit || operation == .offset
      text += " \(isLimit ? -9 : constraint.column)\(names[operation] ?? "\(operation.rawValue)")"
      if !constraint.isUsable { text += "!" }
      if constraint.isInList { text += "in" }
      if constraint.collation != "BINARY" { text += "nc" }
      switch plan.constantValue(index) {
      case .integer(let value): text += "=\(value)"
      case .text(let value): text += "=\(value)"
      case .blob: text += "="
      default: break
      }
    }
    text += " |"
    for term in plan.ordering { text += " \(term.column)\(term.isDescending ? "D" : "")" }
    return text + " | \(plan.orderingPurpose.rawValue) \(String(plan.usedColumns, radix: 16))"
  }
}

private final class LogCursor: VirtualTableCursor {
  private let log: LogModule.Log
  private var row = 1

  init(_ log: LogModule.Log) { self.log = log }

  override func filter(_ scan: borrowing VirtualTableArguments) throws(SQLError) {
    row = 1
    var text = "filter \(scan.number) \(scan.text ?? "")"
    for position in 0..<scan.count {
      var list: [String] = []
      try scan.forEach(inList: position) { (value) throws(SQLError) in
        list.append(try value.text() ?? "")
        return true
      }
      if list.isEmpty {
        text += " \(try scan[position].text() ?? "(null)")"
      } else {
        text += " [ \(list.joined(separator: " ")) ]"
      }
    }
    log.add(text)
  }

  override func advance() throws(SQLError) { row += 1 }
  override var isAtEnd: Bool { row > 5 }
  override func rowid() throws(SQLError) -> Int64 { Int64(row) }

  override func read(
    _ column: Int, into value: borrowing VirtualTableValue
  ) throws(SQLError) {
    if column == 0 { value.set(row) }
    if column == 1 { try value.set(text: "x\(row)") }
  }
}
