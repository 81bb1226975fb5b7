import MartletTyped

/// Foundation has a type of this name too.
typealias Expression = MartletTyped.Expression

/// The tables of PROJ's database, as far as they are used.
enum Proj {
  static let extent = Table("extent", database: "proj")
  static let usage = Table("usage", database: "proj")
  static let projected = Table("projected_crs", database: "proj")
  static let ellipsoid = Table("ellipsoid", database: "proj")

  static let authority = Expression<String>("auth_name")
  static let code = Expression<String>("code")
  static let name = Expression<String>("name")
  static let south = Expression<Double?>("south_lat"), north = Expression<Double?>("north_lat")
  static let west = Expression<Double?>("west_lon"), east = Expression<Double?>("east_lon")
  static let isDeprecated = Expression<Bool>("deprecated")

  static let objectTable = Expression<String>("object_table_name")
  static let objectAuthority = Expression<String>("object_auth_name")
  static let objectCode = Expression<String>("object_code")
  static let extentAuthority = Expression<String>("extent_auth_name")
  static let extentCode = Expression<String>("extent_code")

  static let semiMajorAxis = Expression<Double>("semi_major_axis")
  static let inverseFlattening = Expression<Double?>("inv_flattening")
}

/// The areas, by what they cover.
enum Area {
  static let table = Table("area"), boxes = VirtualTable("area_box")
  static let id = Expression<Int64>("id")
  static let authority = Expression<String>("authority"), code = Expression<String>("code")
  static let name = Expression<String>("name")
  static let south = Expression<Double>("south"), north = Expression<Double>("north")
  static let west = Expression<Double>("west"), east = Expression<Double>("east")
}
