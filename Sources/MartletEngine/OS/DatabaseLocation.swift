// The name of a database, as given to open or ATTACH: a file name, `:memory:`, nothing (a temporary
// database), or a URI (uri §3):
//
//     file: [ // [localhost] ] path [ ? key=value & … ] [ # fragment ]
//
// Escapes %HH are decoded in path, keys and values. A zero byte ends the part that it stands in.

/// A database to be opened: what its name and flags came to.
struct DatabaseLocation: Sendable, Equatable {
  /// Not yet absolute. Empty for a temporary database.
  var path: String
  var flags: OpenFlags
  /// The `vfs` parameter, else what the caller asked for; nil is the default VFS.
  var vfsName: String?
  /// All query parameters, in their order, known or not.
  var parameters: [URIParameter] = []
  var isURI = false

  /// `flags` are those of `sqlite3_open_v2`; without `.uri` the name is never taken for a URI.
  static func parse(
    _ name: String, flags: OpenFlags, vfsName: String? = nil
  ) throws(SQLError) -> DatabaseLocation {
    var location = DatabaseLocation(
      path: name, flags: flags.subtracting(.uri), vfsName: vfsName)
    guard flags.contains(.uri), name.utf8.starts(with: "file:".utf8) else {
      // Only a URI names memory that others can find.
      location.flags.remove(.sharedCache)
      return location
    }
    location.isURI = true
    var parser = URIParser(name)
    location.path = try parser.parsePath()
    location.parameters = parser.parseParameters()
    for parameter in location.parameters { try location.apply(parameter) }
    return location
  }

  /// Whether the database never touches the disk.
  var isInMemory: Bool { flags.contains(.memory) || path == ":memory:" }
  var isTemporary: Bool { path.isEmpty && !isInMemory }
  var isImmutable: Bool { boolean("immutable", default: false) }
  var hasNoLock: Bool { boolean("nolock", default: false) }

  /// The first value of a parameter (`sqlite3_uri_parameter`).
  func parameter(_ key: String) -> String? { parameters.value(of: key) }

  /// A parameter as a boolean (`sqlite3_uri_boolean`).
  func boolean(_ key: String, default fallback: Bool) -> Bool {
    parameters.boolean(key, default: fallback)
  }

  /// A parameter that changes how the database is opened; the others are kept for whoever asks.
  private mutating func apply(_ parameter: URIParameter) throws(SQLError) {
    switch parameter.key {
    case "vfs": vfsName = parameter.value
    case "cache": try applyCacheMode(parameter.value)
    case "mode": try applyAccessMode(parameter.value)
    default: break
    }
  }

  private mutating func applyCacheMode(_ mode: String) throws(SQLError) {
    let chosen: OpenFlags
    switch mode {
    case "shared": chosen = .sharedCache
    case "private": chosen = .privateCache
    default: throw .sql("no such cache mode: \(mode)")
    }
    flags.subtract([.sharedCache, .privateCache])
    flags.insert(chosen)
  }

  /// A mode may take rights away from those that the caller gave, never add to them.
  private mutating func applyAccessMode(_ mode: String) throws(SQLError) {
    let chosen: OpenFlags
    switch mode {
    case "ro": chosen = .readOnly
    case "rw": chosen = .readWrite
    case "rwc": chosen = [.readWrite, .create]
    case "memory": chosen = .memory
    default: throw .sql("no such access mode: \(mode)")
    }
    let all: OpenFlags = [.readOnly, .readWrite, .create, .memory]
    let limit = flags.intersection(all)
    guard chosen.subtracting(.memory).rawValue <= limit.rawValue else {
      throw SQLError(.permission, "access mode not allowed: \(mode)")
    }
    flags.subtract(all)
    flags.formUnion(chosen)
  }
}

/// Reads the parts of a `file:` URI, decoding escapes.
private struct URIParser {
  private let bytes: [UInt8]
  private var position = 5

  init(_ name: String) {
    let all = name.fileNameBytes
    // The fragment means nothing, and a zero byte ends a C string.
    let end = all.firstIndex { $0 == UInt8(ascii: "#") || $0 == 0 } ?? all.count
    bytes = Array(all[..<max(end, 5)])
  }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  mutating func parsePath() throws(SQLError) -> String {
    if bytes[position...].starts(with: "//".utf8) {
      position += 2
      let authority = bytes[position...].prefix { $0 != UInt8(ascii: "/") }
      guard authority.isEmpty || authority.elementsEqual("localhost".utf8) else {
        throw .sql("invalid uri authority: \(String(decoding: authority, as: UTF8.self))")
      }
      position += authority.count
    }
    return parsePart { $0 == UInt8(ascii: "?") }
  }

  mutating func parseParameters() -> [URIParameter] {
    var parameters: [URIParameter] = []
    while current != nil {
      position += 1  // The `?` or `&` before the key.
      let key = parsePart { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "&") }
      var value = ""
      if current == UInt8(ascii: "=") {
        position += 1
        value = parsePart { $0 == UInt8(ascii: "&") }
      }
      // A parameter without a name is skipped.
      if !key.isEmpty { parameters.append(.init(key: key, value: value)) }
    }
    return parameters
  }

  /// The decoded text up to the end or a byte that `ends` the part, which is not consumed.
  private mutating func parsePart(_ ends: (UInt8) -> Bool) -> String {
    var text: [UInt8] = []
    var isCutOff = false
    while let byte = current, !ends(byte) {
      position += 1
      var decoded = byte
      if byte == UInt8(ascii: "%"), position + 1 < bytes.count,
        let high = Self.hexDigit(bytes[position]), let low = Self.hexDigit(bytes[position + 1])
      {
        decoded = high << 4 | low
        position += 2
        if decoded == 0 { isCutOff = true }
      }
      if !isCutOff { text.append(decoded) }
    }
    return text.withUnsafeBytes { String(fileNameBytes: $0) }
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
