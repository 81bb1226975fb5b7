// Collations of the program (c3ref/create_collation, c3ref/collation_needed).
import CSQLite3
import MartletEngine

public typealias ComparisonPointer =
  @convention(c) (
    UnsafeMutableRawPointer?, Int32, UnsafeRawPointer?, Int32, UnsafeRawPointer?
  ) -> Int32

@c @implementation
public func sqlite3_create_collation(
  _ database: OpaquePointer!, _ name: UnsafePointer<CChar>!, _ encoding: Int32,
  _ userData: UnsafeMutableRawPointer!, _ compare: ComparisonPointer!
) -> Int32 {
  create(database, string(name), encoding, userData, compare, nil)
}

@c @implementation
public func sqlite3_create_collation_v2(
  _ database: OpaquePointer!, _ name: UnsafePointer<CChar>!, _ encoding: Int32,
  _ userData: UnsafeMutableRawPointer!, _ compare: ComparisonPointer!, _ destroy: Destructor!
) -> Int32 {
  create(database, string(name), encoding, userData, compare, destroy)
}

@c @implementation
public func sqlite3_create_collation16(
  _ database: OpaquePointer!, _ name: UnsafeRawPointer!, _ encoding: Int32,
  _ userData: UnsafeMutableRawPointer!, _ compare: ComparisonPointer!
) -> Int32 {
  create(database, name.map { utf8($0) }, encoding, userData, compare, nil)
}

/// The destructor is called when the collation goes, but not where making it fails.
private func create(
  _ database: OpaquePointer?, _ name: String?, _ representation: Int32,
  _ userData: UnsafeMutableRawPointer?, _ compare: ComparisonPointer?, _ destroy: Destructor?
) -> Int32 {
  guard let handle = ConnectionHandle(database), let name,
    let encoding = TextEncoding(representation)
  else { return SQLITE_MISUSE }
  nonisolated(unsafe) let userData = userData
  return handle.conclude { connection throws(SQLError) in
    connection.enter()
    defer { connection.leave() }
    if let compare {
      try connection.createCollation(name, encoding: encoding) { left, right in
        Int(
          compare(
            userData, Int32(truncatingIfNeeded: left.count), address(left),
            Int32(truncatingIfNeeded: right.count), address(right)))
      }
    } else {
      try connection.removeCollation(name, encoding: encoding)
    }
    let place = FunctionPlace(name, -1, encoding)
    let earlier = handle.core.collations.define(CFunction(handle, userData, destroy), at: place)
    earlier?.registrationEnds()
  }
}

/// Programs may look at the address of a text without bytes.
@inline(__always)
private func address(_ text: UnsafeRawBufferPointer) -> UnsafeRawPointer? {
  text.count == 0 ? UnsafeRawPointer(permanentCString("")) : text.baseAddress
}

@c @implementation
public func sqlite3_collation_needed(
  _ database: OpaquePointer!, _ data: UnsafeMutableRawPointer!,
  _ callback: (
    @convention(c) (
      UnsafeMutableRawPointer?, OpaquePointer?, Int32, UnsafePointer<CChar>?
    ) -> Void
  )!
) -> Int32 {
  nonisolated(unsafe) let data = data, database = database
  guard let callback else { return ask(database, nil) }
  return ask(database) { _, encoding, name in
    callback(data, database, Int32(encoding.rawValue), name)
  }
}

@c @implementation
public func sqlite3_collation_needed16(
  _ database: OpaquePointer!, _ data: UnsafeMutableRawPointer!,
  _ callback: (
    @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, Int32, UnsafeRawPointer?) -> Void
  )!
) -> Int32 {
  nonisolated(unsafe) let data = data, database = database
  guard let callback else { return ask(database, nil) }
  return ask(database) { _, encoding, name in
    let units = Array(name.utf16) + [0]
    units.withUnsafeBytes {
      callback(data, database, Int32(encoding.rawValue), $0.baseAddress)
    }
  }
}

private typealias Asking = @Sendable (Connection, TextEncoding, String) -> Void

private func ask(
  _ database: OpaquePointer?, _ callback: Asking?
) -> Int32 { report(database) { $0.collationNeeded = callback } }
