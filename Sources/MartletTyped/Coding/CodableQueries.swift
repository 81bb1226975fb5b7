import Foundation

// Statements of Codable types: each property is a column of its name.

extension QueryType {
  /// INSERT of a value's properties; those that are nil are left out.
  ///
  /// - Parameters:
  ///   - userInfo: What the value's encoding may ask for.
  ///   - otherSetters: Columns besides.
  public func insert(
    _ encodable: any Encodable, userInfo: [CodingUserInfoKey: Any] = [:],
    otherSetters: [Setter] = []
  ) throws -> Insert {
    insert(try RowEncoder.setters(of: encodable, userInfo) + otherSetters)
  }

  /// INSERT of a value's properties, saying what happens if it breaks a constraint.
  public func insert(
    or onConflict: OnConflict, encodable: any Encodable, userInfo: [CodingUserInfoKey: Any] = [:],
    otherSetters: [Setter] = []
  ) throws -> Insert {
    insert(or: onConflict, try RowEncoder.setters(of: encodable, userInfo) + otherSetters)
  }

  /// INSERT of several values' properties; what is nil is NULL where another value has it.
  public func insertMany(
    _ encodables: [any Encodable], userInfo: [CodingUserInfoKey: Any] = [:],
    otherSetters: [Setter] = []
  ) throws -> Insert {
    insertMany(try encodables.map { try RowEncoder.setters(of: $0, userInfo) + otherSetters })
  }

  /// INSERT of several values' properties, saying what happens if one breaks a constraint.
  public func insertMany(
    or onConflict: OnConflict, encodables: [any Encodable],
    userInfo: [CodingUserInfoKey: Any] = [:], otherSetters: [Setter] = []
  ) throws -> Insert {
    insertMany(
      or: onConflict,
      try encodables.map { try RowEncoder.setters(of: $0, userInfo) + otherSetters })
  }

  /// INSERT of a value's properties, or UPDATE of the row in its way.
  public func upsert(
    _ encodable: any Encodable, userInfo: [CodingUserInfoKey: Any] = [:],
    otherSetters: [Setter] = [], onConflictOf conflicting: any Expressible
  ) throws -> Insert {
    upsert(
      try RowEncoder.setters(of: encodable, userInfo) + otherSetters, onConflictOf: conflicting)
  }

  /// UPDATE with a value's properties.
  ///
  /// - Parameter writesNull: Properties that are nil are set to NULL; otherwise they are left out,
  ///   as SQLite.swift does.
  public func update(
    _ encodable: any Encodable, userInfo: [CodingUserInfoKey: Any] = [:],
    otherSetters: [Setter] = [], writesNull: Bool = false
  ) throws -> Update {
    let setters = try RowEncoder.setters(of: encodable, userInfo, writesNull: writesNull)
    return update(setters + otherSetters)
  }
}

extension Row {
  /// A value whose properties are the columns of their names.
  public func decode<V: Decodable>(userInfo: [CodingUserInfoKey: Any] = [:]) throws -> V {
    try V(from: decoder(userInfo: userInfo))
  }

  /// A decoder of the row.
  public func decoder(userInfo: [CodingUserInfoKey: Any] = [:]) -> any Decoder {
    RowDecoder(row: self, userInfo: userInfo)
  }
}

extension CodingUserInfoKey {
  /// `true` in the dictionary of an encoding writes enumerations of texts, and other single values,
  /// as JSON with quotes: SQLite.swift's form.
  public static let encodesSingleValuesAsJSON =
    CodingUserInfoKey(rawValue: "MartletTyped.encodesSingleValuesAsJSON")!
}
