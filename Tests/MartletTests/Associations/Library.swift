import Martlet

/// A library: record types, their associations, and a database of them, for tests of associations.
enum Library {}

extension Library {
  struct Country: Codable, FetchableRecord, PersistableRecord, Hashable {
    enum Columns {
      static let code = Column("code")
      static let name = Column("name")
    }
    static let authors = hasMany(Author.self)
    static let books = hasMany(Book.self, through: authors, using: Author.books)
    static let passports = hasMany(Passport.self)
    static let citizens = hasMany(Citizen.self, through: passports, using: Passport.citizen)
    var code: String
    var name: String
  }

  struct Author: Codable, FetchableRecord, PersistableRecord, Hashable {
    enum Columns {
      static let id = Column("id")
      static let name = Column("name")
      static let countryCode = Column("countryCode")
    }
    static let country = belongsTo(Country.self)
    static let books = hasMany(Book.self)
    static let novels = books.filter(Book.Columns.kind == "novel").forKey("novels")
    static let reviews = hasMany(Review.self, through: books, using: Book.reviews)
    static let profile = hasOne(Profile.self)
    var id: Int64
    var name: String
    var countryCode: String?
  }

  struct Book: Codable, FetchableRecord, PersistableRecord, Hashable {
    enum Columns {
      static let id = Column("id")
      static let authorId = Column("authorId")
      static let title = Column("title")
      static let year = Column("year")
      static let price = Column("price")
      static let kind = Column("kind")
    }
    static let author = belongsTo(Author.self)
    static let country = hasOne(Country.self, through: author, using: Author.country)
    static let profile = hasOne(Profile.self, through: author, using: Author.profile)
    static let reviews = hasMany(Review.self)
    static let taggings = hasMany(Tagging.self)
    static let tags = hasMany(Tag.self, through: taggings, using: Tagging.tag)
    var id: Int64
    var authorId: Int64?
    var title: String
    var year: Int
    var price: Double?
    var kind: String
  }

  struct Review: Codable, FetchableRecord, PersistableRecord, Hashable {
    enum Columns {
      static let stars = Column("stars")
    }
    static let book = belongsTo(Book.self)
    var id: Int64
    var bookId: Int64
    var stars: Int
  }

  struct Profile: Codable, FetchableRecord, PersistableRecord, Hashable {
    static let author = belongsTo(Author.self)
    var authorId: Int64
    var motto: String
  }

  struct Tag: Codable, FetchableRecord, PersistableRecord, Hashable {
    static let taggings = hasMany(Tagging.self)
    static let books = hasMany(Book.self, through: taggings, using: Tagging.book)
    var uuid: String
    var label: String
  }

  struct Tagging: Codable, FetchableRecord, PersistableRecord, Hashable {
    static let book = belongsTo(Book.self)
    static let tag = belongsTo(Tag.self)
    var bookId: Int64
    var tagUuid: String
  }

  struct Citizen: Codable, FetchableRecord, PersistableRecord, Hashable {
    static let passports = hasMany(Passport.self)
    static let countries = hasMany(Country.self, through: passports, using: Passport.country)
    var id: Int64
    var name: String
  }

  struct Passport: Codable, FetchableRecord, PersistableRecord, Hashable {
    static let country = belongsTo(Country.self)
    static let citizen = belongsTo(Citizen.self)
    var countryCode: String
    var citizenId: Int64
  }

  /// Refers to its own table, and has no other name for it.
  struct Person: Codable, FetchableRecord, PersistableRecord, Hashable {
    static let parent = belongsTo(Person.self, key: "parent")
    static let children = hasMany(Person.self, key: "children")
    var id: Int64
    var name: String
    var parentId: Int64?
  }

  /// Has two foreign keys to one table.
  struct Letter: Codable, FetchableRecord, PersistableRecord, Hashable {
    static let sender = belongsTo(Person.self, key: "sender", using: ForeignKey(["senderId"]))
    static let receiver = belongsTo(
      Person.self, key: "receiver", using: ForeignKey([Column("receiverId")], to: [Column("id")]))
    static let anyone = belongsTo(Person.self)
    var id: Int64
    var senderId: Int64
    var receiverId: Int64
  }

  /// A key of two columns.
  struct Shelf: Codable, FetchableRecord, PersistableRecord, Hashable {
    static let boxes = hasMany(Box.self)
    var room: String
    var number: Int
  }

  struct Box: Codable, FetchableRecord, PersistableRecord, Hashable {
    static let shelf = belongsTo(Shelf.self)
    static let coins = hasMany(Coin.self)
    var id: Int64
    var room: String?
    var number: Int?
  }

  struct Coin: Codable, FetchableRecord, PersistableRecord, Hashable {
    static let box = belongsTo(Box.self)
    var id: Int64
    var boxId: Int64
  }
}

extension Library {
  static func make(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE country (code TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE author (
          id INTEGER PRIMARY KEY, name TEXT NOT NULL, countryCode TEXT REFERENCES country(code));
        CREATE TABLE book (
          id INTEGER PRIMARY KEY, authorId INTEGER REFERENCES author(id), title TEXT NOT NULL,
          year INTEGER NOT NULL, price REAL, kind TEXT NOT NULL);
        CREATE TABLE review (
          id INTEGER PRIMARY KEY, bookId INTEGER NOT NULL REFERENCES book(id), stars INTEGER NOT NULL);
        CREATE TABLE profile (authorId INTEGER PRIMARY KEY REFERENCES author(id), motto TEXT NOT NULL);
        CREATE TABLE tag (uuid TEXT NOT NULL PRIMARY KEY, label TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE tagging (
          bookId INTEGER NOT NULL REFERENCES book(id), tagUuid TEXT NOT NULL REFERENCES tag(uuid),
          PRIMARY KEY (bookId, tagUuid));
        CREATE TABLE citizen (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE passport (
          countryCode TEXT NOT NULL REFERENCES country(code),
          citizenId INTEGER NOT NULL REFERENCES citizen(id), PRIMARY KEY (countryCode, citizenId));
        CREATE TABLE person (
          id INTEGER PRIMARY KEY, name TEXT NOT NULL, parentId INTEGER REFERENCES person(id));
        CREATE TABLE letter (
          id INTEGER PRIMARY KEY, senderId INTEGER NOT NULL REFERENCES person(id),
          receiverId INTEGER NOT NULL REFERENCES person(id));
        CREATE TABLE shelf (room TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (room, number));
        CREATE TABLE box (
          id INTEGER PRIMARY KEY, room TEXT, number INTEGER,
          FOREIGN KEY (room, number) REFERENCES shelf(room, number));
        CREATE TABLE coin (id INTEGER PRIMARY KEY, boxId INTEGER NOT NULL REFERENCES box(id));
        CREATE VIEW oldBook AS SELECT * FROM book WHERE year < 1900;

        INSERT INTO country VALUES ('FR', 'France'), ('US', 'United States'), ('IS', 'Iceland');
        INSERT INTO author VALUES
          (1, 'Melville', 'US'), (2, 'Proust', 'FR'), (3, 'Anonymous', NULL), (4, 'Twain', 'US');
        INSERT INTO book VALUES
          (1, 1, 'Moby-Dick', 1851, 10.5, 'novel'), (2, 1, 'Battle-Pieces', 1866, NULL, 'poems'),
          (3, 2, 'Swann', 1913, 12.0, 'novel'), (4, NULL, 'Edda', 1220, 8.0, 'poems');
        INSERT INTO review VALUES (1, 1, 5), (2, 1, 3), (3, 3, 4);
        INSERT INTO profile VALUES (1, 'Call me'), (2, 'Longtemps');
        INSERT INTO tag VALUES ('a', 'sea'), ('b', 'time');
        INSERT INTO tagging VALUES (1, 'a'), (1, 'b'), (3, 'b');
        INSERT INTO citizen VALUES (1, 'Arthur'), (2, 'Barbara'), (3, 'Craig');
        INSERT INTO passport VALUES ('FR', 1), ('FR', 2), ('US', 2);
        INSERT INTO person VALUES (1, 'Odin', NULL), (2, 'Thor', 1), (3, 'Modi', 2), (4, 'Magni', 2);
        INSERT INTO letter VALUES (1, 1, 2), (2, 3, 1);
        INSERT INTO shelf VALUES ('hall', 1), ('hall', 2), ('attic', 1);
        INSERT INTO box VALUES (1, 'hall', 1), (2, 'hall', 1), (3, 'attic', 1), (4, NULL, NULL);
        INSERT INTO coin VALUES (1, 1), (2, 1), (3, 3);
        """)
  }
}
