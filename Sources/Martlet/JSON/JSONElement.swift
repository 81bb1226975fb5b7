/// An element of JSON, as json_each and json_tree give it (json1 §4.24).
///
/// ```swift
/// let tags = try Database.jsonEach(json).order { $0.key }.fetchAll(db)
/// let tagged = Player.aliased(player).filter(
///   Database.jsonEach(player[JSONColumn("tags")]).filter { $0.value == "new" }.exists())
/// ```
public struct JSONElement: FetchableRecord, TableRecord, Sendable {
  /// Columns of the functions.
  public enum Columns {
    /// The key in the object, the index in the array, or NULL.
    public static let key = Column("key")
    /// The value of SQL, or the JSON of an array or object.
    public static let value = Column("value")
    /// The type of JSON.
    public static let type = Column("type")
    /// The value of SQL; NULL for arrays and objects.
    public static let atom = Column("atom")
    /// A number of the element.
    public static let id = Column("id")
    /// The number of the element that contains it.
    public static let parent = Column("parent")
    /// The path of the element.
    public static let fullKey = Column("fullkey")
    /// The path of what contains the element.
    public static let path = Column("path")
  }

  /// The key in the object, the index in the array, or NULL.
  public let key: DatabaseValue
  /// The value of SQL, or the JSON of an array or object.
  public let value: DatabaseValue
  /// The type of JSON.
  public let type: String
  /// The value of SQL; NULL for arrays and objects.
  public let atom: DatabaseValue
  /// A number of the element.
  public let id: Int
  /// The number of the element that contains it.
  public let parent: Int?
  /// The path of the element.
  public let fullKey: String
  /// The path of what contains the element.
  public let path: String

  /// The function that gives the elements of arrays and objects.
  public static let databaseTableName = "json_each"

  /// Reads a row of json_each or json_tree.
  public init(row: Row) {
    key = row["key"]
    value = row["value"]
    type = row["type"]
    atom = row["atom"]
    id = row["id"]
    parent = row["parent"]
    fullKey = row["fullkey"]
    path = row["path"]
  }
}

extension Database {
  /// The elements of an array or object: json_each.
  ///
  /// - Parameters:
  ///   - value: The JSON.
  ///   - path: Where in the JSON the array or object is; nil for the whole.
  public static func jsonEach(
    _ value: some SQLExpressible, atPath path: (any SQLExpressible)? = nil
  ) -> QueryInterfaceRequest<JSONElement> {
    elements("json_each", value, path)
  }

  /// The elements of JSON at any depth, and the whole itself: json_tree.
  ///
  /// - Parameters:
  ///   - value: The JSON.
  ///   - path: Where in the JSON to begin; nil for the whole.
  public static func jsonTree(
    _ value: some SQLExpressible, atPath path: (any SQLExpressible)? = nil
  ) -> QueryInterfaceRequest<JSONElement> {
    elements("json_tree", value, path)
  }

  private static func elements(
    _ function: String, _ value: some SQLExpressible, _ path: (any SQLExpressible)?
  ) -> QueryInterfaceRequest<JSONElement> {
    let arguments = [value.sqlExpression] + (path.map { [$0.sqlExpression] } ?? [])
    return QueryInterfaceRequest(SQLQuery(source: .function(function, arguments)))
  }
}
