import Foundation
import MartletTyped

@main
enum Main {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let latitude = Double(arguments[2]),
      let longitude = Double(arguments[3])
    else { return print("usage: Extents PROJ.db LATITUDE LONGITUDE") }
    let db = try Connection(.inMemory)
    try db.attach(.uri(arguments[1], parameters: [.mode(.readOnly)]), as: "proj")
    let clock = ContinuousClock()
    let time = try clock.measure { try copyAreas(db) }
    let count = try db.scalar(Area.table.count)
    print("\(count) areas copied in \(time.formatted(.units(allowed: [.milliseconds])))")
    try reportAreas(db, latitude, longitude)
    try reportProjections(db, latitude, longitude)
    try reportEllipsoids(db)
  }

  private static func copyAreas(_ db: Connection) throws {
    try db.transaction {
      try db.run(
        Area.table.create { t in
          t.column(Area.id, primaryKey: true)
          t.column(Area.authority)
          t.column(Area.code)
          t.column(Area.name)
          t.unique(Area.authority, Area.code)
        })
      try db.run(
        Area.boxes.create(.RTree(Area.id, (Area.south, Area.north), (Area.west, Area.east))))
      // Areas that cross the line of the date have their east in the west.
      let usable = Proj.extent.filter(!Proj.isDeprecated && Proj.west <= Proj.east)
      let code: Expression<String> = Proj.code.cast()
      let rows = usable.select(
        Proj.authority, code, Proj.name, Proj.south, Proj.north, Proj.west, Proj.east)
      for row in try db.prepare(rows) {
        let id = try db.run(
          Area.table.insert(
            Area.authority <- row[Proj.authority], Area.code <- row[code],
            Area.name <- row[Proj.name]))
        guard let south = row[Proj.south], let north = row[Proj.north], let west = row[Proj.west],
          let east = row[Proj.east]
        else { continue }
        try db.run(
          Area.boxes.insert(
            Area.id <- id, Area.south <- south, Area.north <- north, Area.west <- west,
            Area.east <- east))
      }
    }
  }

  private static func covering(_ latitude: Double, _ longitude: Double) -> VirtualTable {
    Area.boxes.filter(
      Area.south <= latitude && Area.north >= latitude && Area.west <= longitude
        && Area.east >= longitude)
  }

  private static func reportAreas(
    _ db: Connection, _ latitude: Double, _ longitude: Double
  ) throws {
    let boxes = covering(latitude, longitude)
    let size = (Area.north - Area.south) * (Area.east - Area.west)
    let smallest = boxes.join(Area.table, on: Area.table[Area.id] == Area.boxes[Area.id])
      .select(Area.name, size).order(size).limit(5)
    print("\n\(try db.scalar(boxes.select(count(*)))) of them cover the place; the smallest:")
    for area in try db.prepare(smallest) {
      print("  \(area[Area.name]): \(area[size].rounded()) square degrees")
    }
  }

  private static func reportProjections(
    _ db: Connection, _ latitude: Double, _ longitude: Double
  ) throws {
    let here = Table("here"), usage = Proj.usage, projected = Proj.projected
    let areas = Area.table.select(Area.authority, Area.code)
      .filter(covering(latitude, longitude).select(Area.id).contains(Area.id))
    let isOfArea =
      usage[Proj.extentAuthority] == here[Area.authority]
      && usage[Proj.extentCode] == here[Area.code]
    let isUsed =
      projected[Proj.authority] == usage[Proj.objectAuthority]
      && projected[Proj.code] == usage[Proj.objectCode]
    let byAuthority = here.with(here, as: areas)
      .join(usage, on: isOfArea && Proj.objectTable == "projected_crs")
      .join(projected, on: isUsed && !projected[Proj.isDeprecated])
    let authority = projected[Proj.authority]
    print("\nProjections for it, by authority:")
    let counts = byAuthority.select(authority, count(*)).group(authority).order(count(*).desc)
    for row in try db.prepare(counts) { print("  \(row[authority]): \(row[count(*)])") }
  }

  private static func reportEllipsoids(_ db: Connection) throws {
    let polarRadius = try db.createFunction("polarRadius", deterministic: true) {
      (axis: Double, flattening: Double?) in
      flattening.map { $0 == 0 ? axis : axis * (1 - 1 / $0) } ?? axis
    }
    let radius = polarRadius(Proj.semiMajorAxis, Proj.inverseFlattening)
    let place = rank(Proj.semiMajorAxis.desc)
    let earths = Proj.ellipsoid.filter(6_300_000...6_400_000 ~= Proj.semiMajorAxis)
    print("\nThe largest of \(try db.scalar(earths.count)) ellipsoids of the Earth:")
    let largest = earths.select(Proj.name, radius, place).order(place).limit(3)
    for row in try db.prepare(largest) {
      print("  \(row[place]). \(row[Proj.name]), \((row[radius] / 1_000).rounded()) km to the pole")
    }
  }
}
