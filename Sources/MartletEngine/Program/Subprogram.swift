/// A program that other programs of its statement run: a trigger's, or a foreign key action's
/// (SQLite's SubProgram).
///
/// Its `program` is there once it is compiled: a trigger that fires itself refers to it before.
final class Subprogram {
  /// What EXPLAIN shows.
  let name: String
  /// Of the schema, and not made for an action of a foreign key.
  let isTrigger: Bool
  /// The trigger: the same for all programs that are made of it.
  let token: AnyObject
  @exclusivity(unchecked) var program: Program?
  /// Columns of OLD and NEW that it reads: bit n for column n below 63, bit 63 for all above.
  @exclusivity(unchecked) var oldColumns = UInt64.max
  @exclusivity(unchecked) var newColumns = UInt64.max

  init(name: String, isTrigger: Bool, token: AnyObject) {
    self.name = name
    self.isTrigger = isTrigger
    self.token = token
  }
}

/// The sub-programs of a statement. They call each other in circles, so they know each other by
/// their number here; the statement's own program keeps the table, and theirs do not.
struct SubprogramTable {
  private unowned(unsafe) let list: List?
  private let owned: List?

  final class List {
    @exclusivity(unchecked) var all: [Subprogram] = []
  }

  /// The table that keeps the list alive, for the statement's own program.
  init(owning list: List) {
    self.list = list
    owned = list
  }

  init(sharing list: List?) {
    self.list = list
    owned = nil
  }

  /// The table of programs that call nothing.
  static var none: SubprogramTable { SubprogramTable(sharing: nil) }

  var all: [Subprogram] { list?.all ?? [] }
  var count: Int { list?.all.count ?? 0 }
}
