import Foundation
import TestSupport

@testable import MartletEngine

/// A file that C SQLite has written, opened for reading.
final class TestDatabase {
  let directory: TemporaryDirectory
  let path: String
  let oracle: OracleShell
  private(set) var tree: BTree
  private var isReading = false

  /// Pragmas come before the first table; `sql` fills the file.
  init(_ sql: String) throws {
    directory = try TemporaryDirectory()
    path = directory("test.db")
    oracle = try OracleShell(path)
    let output = try oracle.run(sql)
    guard !output.lowercased().contains("error") else { throw SQLError.sql(output) }
    tree = BTree(pager: try Self.open(path))
    try tree.pager.beginRead()
    isReading = true
  }

  private static func open(_ path: String) throws -> Pager {
    try Pager.open(try DatabaseLocation.parse(path, flags: [.readOnly]))
  }

  deinit {
    if isReading { tree.pager.endRead() }
    tree.pager.close()
  }

  func root(of name: String) throws -> PageNumber {
    let text = try oracle.run("select rootpage from sqlite_schema where name = '\(name)';")
    return PageNumber(UInt32(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0)
  }

  func tableCursor(_ name: String) throws -> Cursor {
    Cursor(tree: tree, root: try root(of: name), keyInfo: nil)
  }

  func indexCursor(_ name: String, _ columns: [KeyInfo.Column]) throws -> Cursor {
    let keyInfo = KeyInfo(columns: columns, encoding: tree.pager.header.textEncoding)
    return Cursor(tree: tree, root: try root(of: name), keyInfo: keyInfo)
  }

  /// The lines that a query prints. They go through a file, whole, whatever their size.
  func lines(_ sql: String) throws -> [String] {
    let file = directory("lines.txt")
    try oracle.run(".output \(file)\n\(sql)\n.output stdout")
    let data = try Data(contentsOf: URL(fileURLWithPath: file))
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// A table of all kinds of values, with rowids missing, and a tree of several levels.
  static func mixedRows(pageSize: Int, encoding: String = "UTF-8", autoVacuum: Int = 0) -> String {
    """
    pragma page_size = \(pageSize); pragma encoding = '\(encoding)';
    pragma auto_vacuum = \(autoVacuum);
    create table t(a, b, c, d);
    insert into t select
        case value % 5 when 0 then null when 1 then value * 1234567890123 else value % 300 - 9 end,
        case value % 3 when 0 then 'Name ' || value else printf('é漢%c', 97 + value % 26) end,
        zeroblob(value % 40),
        case when value % 50 = 0 then printf('%.*c', value * 7, 'x') else value % 2 end
      from generate_series(1, 1500);
    delete from t where rowid % 7 = 3;
    create index ab on t(a, b desc);
    create index bn on t(b collate nocase);
    create table w(k, n, v, primary key(k, n)) without rowid;
    insert into w select b, rowid, d from t;
    alter table t add column e default 5;
    insert into t values(1, 2, 3, 4, 6);
    """
  }
}

extension Cursor {
  /// The columns of the entry that the record has, as quote() prints them.
  func quotedRow(_ register: TestRegisters) throws -> String {
    var columns: [String] = []
    while try column(columns.count, into: register.pointer) {
      columns.append(try quoted(register.pointer[0]))
    }
    return columns.joined(separator: "|")
  }

  private func quoted(_ register: Register) throws -> String {
    guard register.tag == .text, pager.header.textEncoding != .utf8 else {
      return TestValue(register).description
    }
    let copy = try TranscodedText(
      register.byteBuffer, from: pager.header.textEncoding, to: .utf8)
    defer { copy.deallocate() }
    return TestValue.text(String(decoding: copy.bytes, as: UTF8.self)).description
  }
}
