import MartletEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Inputs to begin with.
enum Seeds {
  static func make(in folder: String) {
    Target.sql.prepare()
    Files.makeFolder(folder)
    for target in Target.allCases {
      let path = "\(folder)/\(target.rawValue)"
      Files.makeFolder(path)
      var count = 0
      func add(_ bytes: [UInt8]) {
        count += 1
        Files.write(bytes, to: "\(path)/seed-\(count)")
      }
      switch target {
      case .sql: statements(add)
      case .image, .journal, .log: files(target, add)
      case .json: documents(add)
      case .function: functions(add)
      case .search: searches(add)
      case .changes: changesets(add)
      case .calls, .threads: calls(target, add)
      }
    }
  }

  /// Neighbouring statements of the Conformance scripts, so that those of one subject stand together.
  private static func statements(_ add: ([UInt8]) -> Void) {
    let root = #filePath.split(separator: "/").dropLast(5).joined(separator: "/")
    for script in StatementScripts(folder: "/\(root)/Conformance/sql").scripts {
      var text: [UInt8] = []
      for statement in script where statement.count < 2_000 {
        if text.count + statement.count > 800, !text.isEmpty {
          add(text)
          text = []
        }
        text += statement + Array(";\n".utf8)
      }
      add(text)
    }
    for choice in 1...3 as ClosedRange<UInt8> {
      add([choice] + Array("SELECT * FROM t, w, u; UPDATE t SET b = upper(b) || 'é';".utf8))
    }
  }

  // MARK: Files

  private static let settings = [
    "page_size = 512", "page_size = 512; PRAGMA auto_vacuum = FULL",
    "page_size = 1024; PRAGMA auto_vacuum = INCREMENTAL",
    "page_size = 512; PRAGMA encoding = 'UTF-16le'",
    "page_size = 1024; PRAGMA encoding = 'UTF-16be'",
  ]

  private static let probes = [
    "SELECT * FROM t; SELECT b, c FROM t ORDER BY b, c; SELECT * FROM w; SELECT x FROM w ORDER BY x",
    "SELECT count(*) FROM t; SELECT * FROM u ORDER BY p; SELECT * FROM v; SELECT max(a) FROM t",
    "INSERT INTO t(b, c, d) SELECT b || 'x', c, zeroblob(700) FROM t; DELETE FROM w WHERE k > 5",
    "DELETE FROM t WHERE a % 2; INSERT INTO u(p) VALUES(1000); UPDATE w SET x = x + 1",
    "UPDATE t SET b = hex(zeroblob(a * 7)); CREATE INDEX td ON t(d); DROP TABLE u",
    "PRAGMA incremental_vacuum; VACUUM; ANALYZE; PRAGMA foreign_key_check",
    "BEGIN; INSERT INTO s(n) VALUES(zeroblob(3000)); SAVEPOINT p; DELETE FROM t; ROLLBACK TO p; COMMIT",
    "SELECT * FROM dbstat; SELECT pgno, hex(data) FROM sqlite_dbpage; ALTER TABLE t ADD COLUMN e",
    "SELECT * FROM t WHERE a = 9; SELECT * FROM t WHERE b = 'text'; SELECT * FROM w WHERE k = 3",
    "REINDEX; CREATE TABLE n AS SELECT * FROM t; ALTER TABLE w RENAME COLUMN v TO z; DROP INDEX tb",
  ]

  private static func files(_ target: Target, _ add: ([UInt8]) -> Void) {
    let long = "UPDATE t SET d = zeroblob(1200) WHERE a = 12; INSERT INTO t(b) "
      + "SELECT hex(zeroblob(a * 3)) FROM t;"
    for (number, setting) in settings.enumerated() {
      for rows in ["", long, long + "DELETE FROM t WHERE a > 20;"] {
        guard let parts = files(target, setting: setting, rows: rows) else { continue }
        let flags = UInt8(truncatingIfNeeded: number * 5 + rows.utf8.count)
        for (index, probe) in probes.enumerated() where (index + number) % 3 == rows.utf8.count % 3 {
          add(Parts([[flags | 3]] + parts + [Array(probe.utf8)]).bytes)
        }
      }
    }
  }

  /// What stands in the files in the middle of a transaction.
  private static func files(_ target: Target, setting: String, rows: String) -> [[UInt8]]? {
    let vfs = FuzzVFS.shared
    defer { vfs.clear() }
    guard let connection = try? Connection(path: "main") else { return nil }
    do throws(SQLError) {
      try connection.execute("PRAGMA \(setting); \(SQLTarget.schema) \(rows)")
      if target == .journal {
        try connection.execute(
          "PRAGMA cache_size = 2; BEGIN; UPDATE t SET b = b || 'changed', c = c + 1;"
            + "DELETE FROM w WHERE k % 3 = 0; INSERT INTO t SELECT a + 5000, b, c, d FROM t")
      } else if target == .log {
        try connection.execute(
          "PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0;"
            + "UPDATE t SET b = b || 'changed'; DELETE FROM w WHERE k % 3 = 0;"
            + "INSERT INTO t SELECT a + 5000, b, c, d FROM t WHERE a < 20")
      }
    } catch { fatalError("a seed cannot be made: \(error.message)") }
    let image = vfs.bytes(at: "main") ?? []
    switch target {
    case .journal: return [image, vfs.bytes(at: "main-journal") ?? []]
    case .log:
      // The first KB of the index are those that say something of a short log.
      let index = vfs.sharedMemory(of: "main") ?? []
      return [image, vfs.bytes(at: "main-wal") ?? [], Array(index.prefix(1_024))]
    default: return [image]
    }
  }

  // MARK: JSON

  private static let texts = [
    "{\"a\":[1,2.5e3,-0,null,true,\"x\\u00e9\\n\"],\"b\":{\"c\":{}}}", "[[[[[]]]],{},\"\",0]",
    "{a:1,'b':+.5,c:0x1F,d:Infinity,e:NaN,/* f */g:'\\x41\\\n',}", "\"\\ud83d\\ude00\"", "123", "nul",
    "[1e400,-1e-400,9223372036854775808,00]", "{\"a\":1,\"a\":2,\"\":3}", "[1,2,3,4,5,6,7,8,9,10,11]",
    "{\"k\":\"a long text that needs more than one byte for the size of its header\"}",
  ]
  private static let paths = [
    "$", "$.a", "$.a[1]", "$[#-1]", "$[0]", "$.\"b\".c", "$.b.c.d", "a", "$[", "$.a[#]", "$..", "$[1][0]",
  ]

  private static func documents(_ add: ([UInt8]) -> Void) {
    guard let connection = try? Connection(path: ":memory:"),
      let convert = try? connection.prepare("SELECT jsonb(?1)")
    else { return }
    for (number, text) in texts.enumerated() {
      for path in paths[(number % 2)...] {
        let value = texts[(number + path.utf8.count) % texts.count]
        add(Parts([[0] + Array(text.utf8), Array(path.utf8), Array(value.utf8)]).bytes)
        try? convert.bind(text: text, at: 1)
        if (try? convert.step()) == true {
          let blob = Array(convert.columnBytes(0))
          add(Parts([[1] + blob, Array(path.utf8), [0x13, 0x35]]).bytes)
        }
        try? convert.reset()
      }
    }
  }

  // MARK: Others

  private static func functions(_ add: ([UInt8]) -> Void) {
    let values: [UInt8] = [
      2, 0, 0, 0, 0, 0, 0, 0, 5, 7, 10] + Array("2024-02-29".utf8) + [7, 8] + Array("%5.3f %q".utf8)
    for number in 0..<300 {
      for form in [0x30, 0x21, 0x42] as [UInt8] {
        add([form, UInt8(number >> 8), UInt8(number & 255)] + values)
      }
    }
  }

  private static func calls(_ target: Target, _ add: ([UInt8]) -> Void) {
    var random = RandomSource(seed: 1)
    func bytes() -> [UInt8] { (0..<200).map { _ in UInt8(truncatingIfNeeded: random.next()) } }
    for _ in 0..<60 { add(target == .calls ? bytes() : Parts([bytes(), bytes(), bytes()]).bytes) }
  }
}
