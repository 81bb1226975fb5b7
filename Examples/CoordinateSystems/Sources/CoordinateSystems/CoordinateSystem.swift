import Martlet

/// Where a coordinate system may be used. It is stored as JSON.
struct Area: Codable, Hashable {
  var name: String
  var south: Double
  var north: Double
  var west: Double
  var east: Double
}

/// A row of the table `coordinateSystem`.
struct CoordinateSystem: Codable, FetchableRecord, PersistableRecord {
  var authority: String
  var code: String
  var name: String
  var kind: String
  var isDeprecated: Bool
  var area: Area

  enum Columns {
    static let authority = Column(CodingKeys.authority)
    static let code = Column(CodingKeys.code)
    static let name = Column(CodingKeys.name)
    static let kind = Column(CodingKeys.kind)
    static let isDeprecated = Column(CodingKeys.isDeprecated)
    static let area = JSONColumn(CodingKeys.area)
  }
}

extension CoordinateSystem {
  /// Makes a system of a line of the CSV file.
  init(_ line: CSVLine) throws {
    authority = try line["authority"]
    code = try line["code"]
    name = try line["name"]
    kind = try line["type"]
    isDeprecated = try line["deprecated"] == "1"
    area = Area(
      name: try line["area"], south: try line.number("south_lat"),
      north: try line.number("north_lat"), west: try line.number("west_lon"),
      east: try line.number("east_lon"))
  }

  /// Those that cover a place. An area that crosses the date line has its west behind its east.
  static func covering(latitude: Double, longitude: Double) -> QueryInterfaceRequest<Self> {
    let area = Columns.area
    let isBetween = area["west"] <= longitude && area["east"] >= longitude
    let isAcross = area["west"] > area["east"]
      && (area["west"] <= longitude || area["east"] >= longitude)
    return filter(area["south"] <= latitude && area["north"] >= latitude && (isBetween || isAcross))
  }
}

/// The schema, step by step.
var migrator: DatabaseMigrator {
  var migrator = DatabaseMigrator()
  migrator.registerMigration("coordinate systems") { db in
    try db.create(table: "coordinateSystem") { t in
      t.primaryKey {
        t.column("authority", .text)
        t.column("code", .text)
      }
      t.column("name", .text).notNull()
      t.column("kind", .text).notNull().indexed()
      t.column("isDeprecated", .boolean).notNull()
      t.column("area", .jsonText).notNull()
    }
    try db.create(
      index: "coordinateSystem_on_areaName", on: "coordinateSystem",
      expressions: [JSONColumn("area")["name"]])
  }
  return migrator
}
