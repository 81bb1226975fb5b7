import MartletEngine

/// A module of virtual tables, with its arguments.
public struct Module: Sendable {
  let name: String
  let arguments: [Expression<Void>]
  /// The modules of SQLite are named as they are.
  var isQuoted = true

  /// A module of its name and arguments.
  public init(_ name: String, _ arguments: [any Expressible]) {
    self.name = name
    self.arguments = arguments.map(\.expression)
  }

  init(builtIn name: String, _ arguments: [any Expressible]) {
    self.init(name, arguments)
    isQuoted = false
  }

  /// R-trees (rtree): the rowid, and pairs of the least and the largest coordinate.
  public static func RTree<T: Value, U: Value>(
    _ primaryKey: Expression<T>, _ pairs: (Expression<U>, Expression<U>)...
  ) -> Module where T.Datatype == Int64, U.Datatype == Double {
    var columns: [any Expressible] = [primaryKey]
    for (least, largest) in pairs { columns += [least, largest] as [any Expressible] }
    return Module(builtIn: "rtree", columns)
  }
}

extension Module: Expressible {
  /// The module as it stands behind USING.
  public var expression: Expression<Void> {
    (isQuoted ? name.quotedIdentifier : name).wrap(arguments)
  }
}
