import Foundation

/// Says what time it is for `Database.transactionDate`.
public protocol TransactionClock: Sendable {
  /// The date of a transaction.
  func now(_ db: Database) throws -> Date
}

extension TransactionClock where Self == DefaultTransactionClock {
  /// The system's clock.
  public static var `default`: Self { DefaultTransactionClock() }
}

extension TransactionClock where Self == CustomTransactionClock {
  /// A function.
  public static func custom(_ now: @escaping @Sendable (Database) throws -> Date) -> Self {
    CustomTransactionClock(now)
  }
}

/// The system's clock.
public struct DefaultTransactionClock: TransactionClock {
  /// The present.
  public func now(_ db: Database) throws -> Date { Date() }
}

/// A clock that is a function.
public struct CustomTransactionClock: TransactionClock {
  private let date: @Sendable (Database) throws -> Date

  /// Wraps a function.
  public init(_ now: @escaping @Sendable (Database) throws -> Date) { date = now }

  /// What the function says.
  public func now(_ db: Database) throws -> Date { try date(db) }
}
