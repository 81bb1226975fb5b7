import MartletEngine

/// One of SQLite's result codes, primary or extended.
///
/// A primary code used as a pattern matches the errors of all its extended codes, an extended code
/// matches only itself:
///
/// ```swift
/// do {
///   try player.insert(db)
/// } catch ResultCode.SQLITE_CONSTRAINT_FOREIGNKEY {
///   // The team does not exist.
/// } catch ResultCode.SQLITE_CONSTRAINT {
///   // Any other constraint.
/// }
/// ```
public struct ResultCode: RawRepresentable, Hashable, Sendable {
  /// The number that SQLite's C interface gives the code.
  public let rawValue: CInt

  /// Wraps a number.
  public init(rawValue: CInt) { self.rawValue = rawValue }

  init(_ code: MartletEngine.ResultCode) { rawValue = code.rawValue }

  /// The code without its extended part.
  public var primaryResultCode: ResultCode { ResultCode(rawValue: rawValue & 0xff) }

  /// The code has no extended part.
  var isPrimary: Bool { rawValue <= 0xff }

  /// Whether a code matches a pattern: a primary code matches its extended codes.
  public static func ~= (pattern: ResultCode, code: ResultCode) -> Bool {
    pattern == (pattern.isPrimary ? code.primaryResultCode : code)
  }

  /// Whether an error is a `DatabaseError` whose code matches a pattern.
  public static func ~= (pattern: ResultCode, error: any Error) -> Bool {
    guard let error = error as? DatabaseError else { return false }
    return pattern ~= error.extendedResultCode
  }

  var engineCode: MartletEngine.ResultCode { MartletEngine.ResultCode(rawValue: rawValue) }
}

extension ResultCode: CustomStringConvertible {
  /// The number and SQLite's text for it.
  public var description: String { "\(rawValue) (\(engineCode.description))" }
}
