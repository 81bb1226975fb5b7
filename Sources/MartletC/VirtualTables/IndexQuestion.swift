// What xBestIndex is asked (c3ref/index_info, c3ref/vtab_collation, c3ref/vtab_distinct,
// c3ref/vtab_in, c3ref/vtab_rhs_value, vtab §2.3).
import CSQLite3
import MartletEngine

/// `sqlite3_index_info`, and what belongs to it. It lives for one call.
///
///     | sqlite3_index_info | plan, connection, values | constraints | uses | ordering |
struct IndexQuestion {
  var info = sqlite3_index_info()
  unowned(unsafe) let plan: VirtualTablePlan
  let connection: ConnectionHandle
  /// One a constraint, once one was asked for.
  var values: UnsafeMutablePointer<ValueState?>?

  typealias Handle = UnsafeMutablePointer<IndexQuestion>

  static func make(
    _ plan: VirtualTablePlan, _ connection: ConnectionHandle
  ) throws(SQLError) -> Handle {
    let constraints = plan.constraints, ordering = plan.ordering
    let constraintOffset = MemoryLayout<IndexQuestion>.stride
    let useOffset =
      constraintOffset + constraints.count * MemoryLayout<sqlite3_index_constraint>.stride
    let orderOffset =
      useOffset + constraints.count * MemoryLayout<sqlite3_index_constraint_usage>.stride
    let size = orderOffset + ordering.count * MemoryLayout<sqlite3_index_orderby>.stride
    guard let memory = malloc(size) else { throw SQLError(.outOfMemory) }
    let handle = memory.bindMemory(to: IndexQuestion.self, capacity: 1)
    handle.initialize(to: IndexQuestion(plan: plan, connection: connection))
    let conditions = (memory + constraintOffset).bindMemory(
      to: sqlite3_index_constraint.self, capacity: constraints.count)
    let uses = (memory + useOffset).bindMemory(
      to: sqlite3_index_constraint_usage.self, capacity: constraints.count)
    for (index, constraint) in constraints.enumerated() {
      (conditions + index).initialize(
        to: sqlite3_index_constraint(
          iColumn: Int32(truncatingIfNeeded: constraint.column), op: constraint.operator.rawValue,
          usable: constraint.isUsable ? 1 : 0, iTermOffset: Int32(truncatingIfNeeded: index)))
      (uses + index).initialize(to: sqlite3_index_constraint_usage())
    }
    let terms = (memory + orderOffset).bindMemory(
      to: sqlite3_index_orderby.self, capacity: ordering.count)
    for (index, term) in ordering.enumerated() {
      (terms + index).initialize(
        to: sqlite3_index_orderby(
          iColumn: Int32(truncatingIfNeeded: term.column), desc: term.isDescending ? 1 : 0))
    }
    handle.pointee.info.nConstraint = Int32(truncatingIfNeeded: constraints.count)
    handle.pointee.info.aConstraint = conditions
    handle.pointee.info.aConstraintUsage = uses
    handle.pointee.info.nOrderBy = Int32(truncatingIfNeeded: ordering.count)
    handle.pointee.info.aOrderBy = terms
    handle.pointee.info.estimatedCost = plan.estimatedCost
    handle.pointee.info.estimatedRows = plan.estimatedRowCount
    handle.pointee.info.colUsed = plan.usedColumns
    return handle
  }
}

extension UnsafeMutablePointer<IndexQuestion> {
  /// That of the structure that a program has got.
  fileprivate init?(_ info: UnsafeMutablePointer<sqlite3_index_info>?) {
    guard let info else { return nil }
    self = UnsafeMutableRawPointer(info).assumingMemoryBound(to: IndexQuestion.self)
  }

  /// What the program gets: the structure begins with it.
  var info: UnsafeMutablePointer<sqlite3_index_info> {
    UnsafeMutableRawPointer(self).assumingMemoryBound(to: sqlite3_index_info.self)
  }

  private var constraintCount: Int { pointee.plan.constraints.count }

  /// Takes over what the program has answered.
  func answer() {
    let plan = pointee.plan, answer = pointee.info
    for index in 0..<constraintCount {
      guard let use = answer.aConstraintUsage?[index], use.argvIndex > 0 else { continue }
      plan.take(index, asArgument: Int(use.argvIndex) - 1, omittingTest: use.omit != 0)
    }
    plan.number = answer.idxNum
    if let text = answer.idxStr {
      plan.text = String(fileName: text)
      plan.keptText = VirtualTablePlanText(
        text, free: answer.needToFreeIdxStr != 0 ? sqlite3_free : nil)
    }
    plan.isOrdered = answer.orderByConsumed != 0
    plan.estimatedCost = answer.estimatedCost
    plan.estimatedRowCount = answer.estimatedRows
    plan.isUnique = answer.idxFlags & SQLITE_INDEX_SCAN_UNIQUE != 0
    plan.showsNumberInHex = answer.idxFlags & SQLITE_INDEX_SCAN_HEX != 0
  }

  func destroy() {
    if let values = pointee.values {
      for index in 0..<constraintCount {
        values[index]?.text.deallocate()
        values[index]?.source.deallocate()
      }
      free(values)
    }
    free(self)
  }

  /// The value of a constraint where the statement has it as a constant.
  fileprivate func value(of constraint: Int) throws(SQLError) -> ValueHandle? {
    guard let value = pointee.plan.constantValue(constraint) else { return nil }
    if pointee.values == nil {
      guard let memory = malloc(constraintCount * MemoryLayout<ValueState?>.stride) else {
        throw SQLError(.outOfMemory)
      }
      let values = memory.bindMemory(to: ValueState?.self, capacity: constraintCount)
      values.initialize(repeating: nil, count: constraintCount)
      pointee.values = values
    }
    guard let values = pointee.values else { return nil }
    if values[constraint] == nil { values[constraint] = ValueState(try .make(value)) }
    return UnsafeMutableRawPointer(values + constraint).assumingMemoryBound(to: ValueState.self)
  }
}

/// The collation that a constraint compares with; nil where there is no such constraint.
@c @implementation
public func sqlite3_vtab_collation(
  _ info: UnsafeMutablePointer<sqlite3_index_info>!, _ constraint: Int32
) -> UnsafePointer<CChar>! {
  guard let question = IndexQuestion.Handle(info),
    question.pointee.plan.constraints.indices.contains(Int(constraint))
  else { return nil }
  return question.pointee.connection.keep(
    question.pointee.plan.constraints[Int(constraint)].collation)
}

@c @implementation
public func sqlite3_vtab_distinct(_ info: UnsafeMutablePointer<sqlite3_index_info>!) -> Int32 {
  guard let question = IndexQuestion.Handle(info) else { return 0 }
  return Int32(question.pointee.plan.orderingPurpose.rawValue)
}

/// Whether a constraint is an IN whose values can come all at once. They do if `isWhole` is above
/// 0, and no more if it is 0.
@c @implementation
public func sqlite3_vtab_in(
  _ info: UnsafeMutablePointer<sqlite3_index_info>!, _ constraint: Int32, _ isWhole: Int32
) -> Int32 {
  // Only the first 32 constraints have a mark for it.
  guard let question = IndexQuestion.Handle(info), constraint < 32,
    question.pointee.plan.constraints.indices.contains(Int(constraint)),
    question.pointee.plan.constraints[Int(constraint)].isInList
  else { return 0 }
  if isWhole >= 0 { question.pointee.plan.takeWholeList(Int(constraint), isWhole > 0) }
  return 1
}

@c @implementation
public func sqlite3_vtab_rhs_value(
  _ info: UnsafeMutablePointer<sqlite3_index_info>!, _ constraint: Int32,
  _ value: UnsafeMutablePointer<OpaquePointer?>!
) -> Int32 {
  value?.pointee = nil
  guard let question = IndexQuestion.Handle(info), let value,
    question.pointee.plan.constraints.indices.contains(Int(constraint))
  else { return SQLITE_MISUSE }
  do throws(SQLError) {
    guard let found = try question.value(of: Int(constraint)) else { return SQLITE_NOTFOUND }
    value.pointee = found.opaque
    return SQLITE_OK
  } catch {
    return error.code.rawValue
  }
}
