/// Compiled statements of a connection by their text. For layers above the engine, which have
/// statements of their own types.
package struct StatementCache<Item: AnyObject> {
  /// nil while somebody has taken the statement.
  private var items: [ExactText: Item?] = [:]
  private var order: [ExactText] = []

  /// The most statements that are kept; the oldest goes first.
  private static var capacity: Int { 500 }

  package init() {}

  /// A statement, which stays in the cache and may be at work.
  package func find(_ sql: String) -> Item? { items[ExactText(sql)] ?? nil }

  /// A statement for somebody who has it alone until it is kept again.
  package mutating func take(_ sql: String) -> Item? {
    guard let index = items.index(forKey: ExactText(sql)) else { return nil }
    let item = items.values[index]
    items.values[index] = nil
    return item
  }

  package func contains(_ sql: String) -> Bool { find(sql) != nil }

  package mutating func keep(_ item: Item, sql: String) {
    let sql = ExactText(sql)
    if items.updateValue(item, forKey: sql) != nil { return }
    if order.count >= StatementCache.capacity {
      items[order.removeFirst()] = nil
    }
    order.append(sql)
  }

  /// A statement that has failed is compiled again the next time.
  package mutating func remove(_ item: Item) {
    guard let sql = items.first(where: { $0.value === item })?.key else { return }
    items[sql] = nil
    order.removeAll { $0 == sql }
  }

  package mutating func removeAll() {
    items = [:]
    order = []
  }
}
