// File names as VFSs of C get them (c3ref/uri_boolean, c3ref/filename_database,
// c3ref/create_filename, c3ref/database_file_object): a pointer into a block
//
//     | database's sqlite3_file * | 4 zero bytes | database 0 | key 0 value 0 | … | 0
//     | journal 0 | write-ahead log 0 | 0 0 |
//
// From the name of the journal or of the log the way back is the four zero bytes: nothing behind
// them has as many in a row.
import CSQLite3
import MartletEngine

enum FileNames {
  private static let pointerSize = MemoryLayout<UnsafeMutablePointer<sqlite3_file>?>.size
  private static let prefixSize = pointerSize + 4

  /// Makes a block; nil without memory. The result is the database's name in it.
  static func makeBlock(
    _ database: UnsafePointer<CChar>, _ journal: UnsafePointer<CChar>,
    _ log: UnsafePointer<CChar>, parameters: [UnsafePointer<CChar>]
  ) -> UnsafeMutablePointer<CChar>? {
    let strings = [database] + parameters
    var size = prefixSize + 1 + strlen(journal) + 1 + strlen(log) + 1 + 2
    for string in strings { size += strlen(string) + 1 }
    guard let block = calloc(1, size) else { return nil }
    let start = (block + prefixSize).assumingMemoryBound(to: CChar.self)
    var end = start
    for string in strings { append(string, to: &end) }
    end += 1
    append(journal, to: &end)
    append(log, to: &end)
    return start
  }

  private static func append(
    _ string: UnsafePointer<CChar>, to end: inout UnsafeMutablePointer<CChar>
  ) {
    let size = strlen(string) + 1
    memcpy(end, string, size)
    end += size
  }

  static func freeBlock(_ name: UnsafeMutablePointer<CChar>) {
    free(UnsafeMutableRawPointer(name) - prefixSize)
  }

  /// The place of the pointer in front of a block.
  static func file(
    of name: UnsafePointer<CChar>
  ) -> UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_file>?> {
    (UnsafeMutableRawPointer(mutating: name) - prefixSize)
      .assumingMemoryBound(to: UnsafeMutablePointer<sqlite3_file>?.self)
  }

  /// The database's name in the block that `name` points into.
  static func database(_ name: UnsafePointer<CChar>) -> UnsafePointer<CChar> {
    var start = name
    while start[-1] != 0 || start[-2] != 0 || start[-3] != 0 || start[-4] != 0 { start -= 1 }
    return start
  }

  static func journal(_ name: UnsafePointer<CChar>) -> UnsafePointer<CChar> {
    var place = end(of: database(name))
    while place[0] != 0 { place = end(of: end(of: place)) }
    return place + 1
  }

  static func log(_ name: UnsafePointer<CChar>) -> UnsafePointer<CChar> { end(of: journal(name)) }

  /// Where the string behind the one at `place` begins.
  private static func end(of place: UnsafePointer<CChar>) -> UnsafePointer<CChar> {
    place + strlen(place) + 1
  }

  /// The keys, each followed by its value.
  static func parameters(
    of name: UnsafePointer<CChar>
  ) -> [(key: UnsafePointer<CChar>, value: UnsafePointer<CChar>)] {
    var found: [(key: UnsafePointer<CChar>, value: UnsafePointer<CChar>)] = []
    var place = end(of: database(name))
    while place[0] != 0 {
      let value = end(of: place)
      found.append((place, value))
      place = end(of: value)
    }
    return found
  }

  static func value(of key: UnsafePointer<CChar>?, in name: UnsafePointer<CChar>?) -> String? {
    guard let value = sqlite3_uri_parameter(name, key) else { return nil }
    return String(cString: value)
  }
}

/// The block of a database's name, as long as the database is open.
final class FileNameBlock {
  let database: UnsafeMutablePointer<CChar>
  /// Of the engine's own files of the database, those that the program has asked for.
  var lentFiles: [LentFile: UnsafeMutablePointer<sqlite3_file>] = [:]

  enum LentFile { case database, journal }

  init(_ name: DatabaseFileName) throws(SQLError) {
    var texts: [UnsafeMutablePointer<CChar>?] = []
    for parameter in name.parameters {
      texts.append(parameter.key.withFileName { strdup($0) })
      texts.append(parameter.value.withFileName { strdup($0) })
    }
    defer { for text in texts { free(text) } }
    let parameters = texts.compactMap { text in text.map { UnsafePointer($0) } }
    let block = name.path.withFileName { path in
      name.journalPath.withFileName { journal in
        name.writeAheadLogPath.withFileName { log in
          // A database without a name has no other files.
          name.path.isEmpty
            ? FileNames.makeBlock(path, path, path, parameters: parameters)
            : FileNames.makeBlock(path, journal, log, parameters: parameters)
        }
      }
    }
    guard let block, parameters.count == texts.count else {
      if let block { FileNames.freeBlock(block) }
      throw SQLError(.outOfMemory)
    }
    database = block
  }

  deinit {
    FileNames.freeBlock(database)
    for file in lentFiles.values {
      NativeFile.forget(file)
      free(file)
    }
  }

  /// Of databases that have no file.
  nonisolated(unsafe) static let nameless = FileNames.makeBlock("", "", "", parameters: [])

  /// The block of a name, which the name keeps.
  static func of(_ name: DatabaseFileName) throws(SQLError) -> FileNameBlock {
    if let block = name.companion as? FileNameBlock { return block }
    let block = try FileNameBlock(name)
    name.companion = block
    return block
  }

  /// The name in the block that is `path`.
  func pointer(to path: String) -> UnsafePointer<CChar> {
    let names = [FileNames.journal(database), FileNames.log(database)]
    let name = path.withFileName { path in names.first { strcmp($0, path) == 0 } }
    return name ?? UnsafePointer(database)
  }
}

@c @implementation
public func sqlite3_uri_parameter(
  _ name: sqlite3_filename!, _ key: UnsafePointer<CChar>!
) -> UnsafePointer<CChar>! {
  guard let name, let key else { return nil }
  return FileNames.parameters(of: name).first { strcmp($0.key, key) == 0 }?.value
}

@c @implementation
public func sqlite3_uri_boolean(
  _ name: sqlite3_filename!, _ key: UnsafePointer<CChar>!, _ standard: Int32
) -> Int32 {
  guard let value = FileNames.value(of: key, in: name) else { return standard != 0 ? 1 : 0 }
  let parameters = [URIParameter(key: "", value: value)]
  return parameters.boolean("", default: standard != 0) ? 1 : 0
}

@c @implementation
public func sqlite3_uri_int64(
  _ name: sqlite3_filename!, _ key: UnsafePointer<CChar>!, _ standard: sqlite3_int64
) -> sqlite3_int64 {
  guard let value = FileNames.value(of: key, in: name) else { return standard }
  return integer(value) ?? standard
}

/// A number in decimal, blanks around it, or in hexadecimal; nil for anything else.
private func integer(_ text: String) -> Int64? {
  if text.hasPrefix("0x") || text.hasPrefix("0X") {
    let digits = text.utf8.dropFirst(2).drop { $0 == UInt8(ascii: "0") }
    if digits.isEmpty { return 0 }
    let isNumber = digits.allSatisfy { isxdigit(Int32($0)) != 0 }
    guard isNumber else { return nil }
    return UInt64(String(Substring(digits)), radix: 16).map { Int64(bitPattern: $0) }
  }
  let isBlank = { (byte: UInt8) in isspace(Int32(byte)) != 0 }
  var bytes = text.utf8.drop(while: isBlank)
  while let last = bytes.last, isBlank(last) { bytes.removeLast() }
  return Int64(String(Substring(bytes)))
}

@c @implementation
public func sqlite3_uri_key(_ name: sqlite3_filename!, _ index: Int32) -> UnsafePointer<CChar>! {
  guard let name, index >= 0 else { return nil }
  let parameters = FileNames.parameters(of: name)
  return Int(index) < parameters.count ? parameters[Int(index)].key : nil
}

@c @implementation
public func sqlite3_filename_database(_ name: sqlite3_filename!) -> UnsafePointer<CChar>! {
  guard let name else { return nil }
  return FileNames.database(name)
}

@c @implementation
public func sqlite3_filename_journal(_ name: sqlite3_filename!) -> UnsafePointer<CChar>! {
  guard let name else { return nil }
  return FileNames.journal(name)
}

@c @implementation
public func sqlite3_filename_wal(_ name: sqlite3_filename!) -> UnsafePointer<CChar>! {
  guard let name else { return nil }
  return FileNames.log(name)
}

@c @implementation
public func sqlite3_database_file_object(
  _ name: UnsafePointer<CChar>!
) -> UnsafeMutablePointer<sqlite3_file>! {
  guard let name else { return nil }
  return FileNames.file(of: FileNames.database(name)).pointee
}

@c @implementation
public func sqlite3_create_filename(
  _ database: UnsafePointer<CChar>!, _ journal: UnsafePointer<CChar>!,
  _ log: UnsafePointer<CChar>!, _ parameterCount: Int32,
  _ parameters: UnsafeMutablePointer<UnsafePointer<CChar>?>!
) -> sqlite3_filename! {
  guard let database, let journal, let log, parameterCount >= 0 else { return nil }
  let strings = (0..<2 * Int(parameterCount)).compactMap { parameters?[$0] }
  guard strings.count == 2 * Int(parameterCount) else { return nil }
  return FileNames.makeBlock(database, journal, log, parameters: strings)
    .map { UnsafePointer($0) }
}

@c @implementation
public func sqlite3_free_filename(_ name: sqlite3_filename!) {
  guard let name else { return }
  FileNames.freeBlock(UnsafeMutablePointer(mutating: FileNames.database(name)))
}
