import Foundation
import MartletTyped

// Foundation has a type of this name: SQLite.swift's users write this line.
typealias Expression = SQLite.Expression

// MARK: - Tables

enum Authors {
  static let table = Table("authors")
  static let id = Expression<Int64>("id")
  static let name = Expression<String>("name")
  static let born = Expression<Int?>("born")
}

enum Books {
  static let table = Table("books")
  static let id = Expression<Int64>("id")
  static let authorId = Expression<Int64>("author_id")
  static let isbn = Expression<String>("isbn")
  static let title = Expression<String>("title")
  static let price = Expression<Double>("price")
  static let stock = Expression<Int>("stock")
  static let published = Expression<Date?>("published")
  static let cover = Expression<Data?>("cover")
}

enum Orders {
  static let table = Table("orders")
  static let id = Expression<Int64>("id")
  static let customer = Expression<UUID>("customer")
  static let bookId = Expression<Int64>("book_id")
  static let count = Expression<Int>("count")
  static let state = Expression<State>("state")
  static let note = Expression<String?>("note")
}

/// A type of the program's own that is stored as a text.
enum State: String, Value {
  case open, paid, shipped

  static var declaredDatatype: String {
    return String.declaredDatatype
  }

  static func fromDatatypeValue(_ datatypeValue: String) -> State {
    return State(rawValue: datatypeValue) ?? .open
  }

  var datatypeValue: String {
    return rawValue
  }
}

// MARK: - Codable rows

struct Author: Codable, Equatable {
  var id: Int64?
  var name: String
  var born: Int?
}

public struct Review: Codable, Equatable {
  public enum Mood: String, Codable {
    case good, bad
  }

  public struct Place: Codable, Equatable {
    public var page: Int
    public var line: Int
  }

  public var id: Int64
  public var book_id: Int64
  public var text: String
  public var stars: Int
  public var mood: Mood
  public var place: Place?
  public var written: Date
}

enum Reviews {
  static let table = Table("reviews")
  static let id = Expression<Int64>("id")
  static let bookId = Expression<Int64>("book_id")
  static let text = Expression<String>("text")
  static let stars = Expression<Int>("stars")
  static let mood = Expression<String>("mood")
  static let place = Expression<String?>("place")
  static let written = Expression<Date>("written")
}
