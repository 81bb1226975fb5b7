import Foundation
import Martlet

@main
enum Main {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let latitude = Double(arguments[2]),
      let longitude = Double(arguments[3])
    else {
      print("usage: CoordinateSystems FILE.csv LATITUDE LONGITUDE")
      exit(2)
    }
    do {
      try run(arguments[1], latitude, longitude)
    } catch {
      print("error: \(error)")
      exit(1)
    }
  }

  private static func run(_ path: String, _ latitude: Double, _ longitude: Double) throws {
    let dbQueue = try DatabaseQueue()
    try migrator.migrate(dbQueue)
    try load(path, into: dbQueue)
    try dbQueue.read { try report($0, latitude, longitude) }
    try rename(dbQueue)
  }

  /// All lines in one transaction: a file with a broken line leaves nothing behind.
  private static func load(_ path: String, into dbQueue: DatabaseQueue) throws {
    let lines = try CSVLine.read(path)
    let clock = ContinuousClock()
    let time = try clock.measure {
      try dbQueue.write { db in
        for line in lines { try CoordinateSystem(line).insert(db) }
      }
    }
    print("\(lines.count) systems loaded in \(time.formatted(.units(allowed: [.milliseconds])))")
  }

  private static func report(
    _ db: Database, _ latitude: Double, _ longitude: Double
  ) throws {
    print("\nBy kind:")
    let counts: SQLRequest<Row> = """
      SELECT kind, count(*) AS count FROM \(CoordinateSystem.self)
      GROUP BY kind ORDER BY count DESC
      """
    for row in try counts.fetchAll(db) { print("  \(row["kind"] as String): \(row["count"] as Int)") }

    let covering = CoordinateSystem.covering(latitude: latitude, longitude: longitude)
      .filter(CoordinateSystem.Columns.kind == "projected" && !CoordinateSystem.Columns.isDeprecated)
    print("\n\(try covering.fetchCount(db)) projected systems cover \(latitude), \(longitude):")
    for system in try covering.order(CoordinateSystem.Columns.name).limit(5).fetchAll(db) {
      print("  \(system.authority):\(system.code) \(system.name) (\(system.area.name))")
    }

    print("\nAll of one area, found by the index on a part of the JSON:")
    let area = CoordinateSystem.Columns.area["name"] == "Taiwan - onshore - mainland and Penghu"
    for system in try CoordinateSystem.filter(area).fetchAll(db) {
      print("  \(system.authority):\(system.code) \(system.name)")
    }
  }

  /// Updates a part of the JSON in place, and one record as a whole.
  private static func rename(_ dbQueue: DatabaseQueue) throws {
    try dbQueue.write { db in
      let area = CoordinateSystem.Columns.area
      let changed = try CoordinateSystem
        .filter(area["name"] == "World")
        .updateAll(db, area.set(to: Database.jsonSet(area, ["$.name": "Earth"])))
      print("\n\(changed) areas renamed")
      var system = try CoordinateSystem.find(db, key: ["authority": "EPSG", "code": "4326"])
      try system.updateChanges(db) { $0.name += " (GPS)" }
      print(try CoordinateSystem.find(db, key: ["authority": "EPSG", "code": "4326"]).name)
    }
  }
}
