import Testing

@testable import MartletEngine

/// A connection compiles its statements with one emitter, which is cleared in between.
struct EmitterReuseTests {
  private static let schema = """
    CREATE TABLE parent(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
    CREATE TABLE child(
      id INTEGER PRIMARY KEY AUTOINCREMENT, parent INT REFERENCES parent ON DELETE CASCADE,
      a INT, b REAL, sum AS (a + b), double AS (sum * 2), CHECK (a < 1000));
    CREATE INDEX child_a ON child(a); CREATE INDEX child_b ON child(b, a + b);
    CREATE INDEX child_sum ON child(sum) WHERE a > 5;
    CREATE TABLE plain(k TEXT PRIMARY KEY, v ANY) WITHOUT ROWID;
    CREATE VIEW joined AS SELECT name, a, b FROM parent JOIN child ON child.parent = parent.id;
    CREATE TRIGGER noted AFTER UPDATE ON child BEGIN
      INSERT INTO plain VALUES(new.id, old.a) ON CONFLICT(k) DO UPDATE SET v = excluded.v;
    END;
    """

  private static let statements = [
    "SELECT 1", "SELECT * FROM parent WHERE id = 7", "SELECT a, sum, double FROM child WHERE b > 2",
    "SELECT name FROM parent WHERE id = 5 OR name = 'x' OR (id > 7 AND name LIKE 'y%')",
    "SELECT DISTINCT a FROM child ORDER BY b LIMIT 5 OFFSET 2",
    "SELECT a, count(*), min(b), group_concat(DISTINCT b) FROM child GROUP BY a + b HAVING a > 1",
    "SELECT max(a) FROM child", "SELECT count(*) FROM joined j JOIN child c ON c.a = j.b",
    "SELECT name, row_number() OVER (PARTITION BY a ORDER BY b) FROM joined WHERE a IN (1, 2)",
    """
    WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM c WHERE x < 9)
    SELECT x, (SELECT a FROM child WHERE id = x) FROM c WHERE x IN (SELECT a FROM child)
    """,
    "SELECT (a, b) = (SELECT a, b FROM child WHERE id = 3) FROM child LEFT JOIN plain ON k = a",
    "SELECT a FROM child UNION SELECT v FROM plain EXCEPT VALUES(1), (2) ORDER BY 1",
    "SELECT * FROM child RIGHT JOIN parent ON parent = parent.id FULL JOIN plain ON k = name",
    "SELECT name FROM joined WHERE EXISTS (SELECT 1 FROM plain WHERE v = joined.a)",
    "INSERT INTO child(parent, a, b) VALUES(1, 2, 3) RETURNING id, double",
    "INSERT OR REPLACE INTO plain SELECT name, id FROM parent",
    "INSERT INTO parent VALUES(1, 'a') ON CONFLICT(name) DO UPDATE SET name = excluded.name || id",
    "UPDATE child SET a = a + 1 WHERE b > 2 RETURNING sum",
    "UPDATE child SET a = p.id FROM parent p WHERE p.id = child.parent",
    "DELETE FROM parent WHERE id IN (SELECT parent FROM child)", "DELETE FROM plain",
    "SELECT nothing FROM child", "SELECT a, nothing() FROM child GROUP BY a",
    "SELECT (SELECT a, b FROM child) FROM parent", "UPDATE child SET a = (SELECT b, c FROM plain)",
  ]

  /// What an object holds, a line for each property, and the same of the builder in it.
  private func facts(_ object: Any) -> [String] {
    Mirror(reflecting: object).children.flatMap { child -> [String] in
      let label = child.label ?? ""
      if child.value is ProgramBuilder || child.value is SideTables { return facts(child.value) }
      return ["\(label): \(child.value)"]
    }
  }

  @Test func `a cleared emitter is like a new one`() throws {
    let connection = try Connection(path: ":memory:")
    try connection.execute(Self.schema + "PRAGMA foreign_keys = ON; PRAGMA count_changes = ON;")
    var used = 0
    for statement in Self.statements {
      _ = try? connection.prepare(statement)
      guard let emitter = connection.programs.spareEmitter else { continue }
      used += 1
      let new = Emitter(
        catalog: emitter.catalog, collations: emitter.collations, explain: emitter.explain,
        measuresScans: emitter.measuresScans)
      #expect(facts(emitter) == facts(new), "after \(statement)")
    }
    #expect(used == Self.statements.count)
  }

  @Test func `what fails leaves nothing for the next statement`() throws {
    let reused = try Connection(path: ":memory:")
    try reused.execute(Self.schema)
    for statement in Self.statements {
      let fresh = try Connection(path: ":memory:")
      try fresh.execute(Self.schema)
      _ = try? reused.prepare("SELECT a, b, nothing FROM child WHERE a = 7 GROUP BY b")
      let expected = try? fresh.prepare(statement), found = try? reused.prepare(statement)
      #expect((expected == nil) == (found == nil), "\(statement)")
      guard let expected, let found else { continue }
      #expect(listing(found.program) == listing(expected.program), "\(statement)")
    }
  }

  private func listing(_ program: Program) -> [String] {
    (0..<program.instructionCount).map { "\(program.instructions[$0])" }
      + ["\(program.registerCount) \(program.cursorCount) \(program.traits.rawValue)"]
  }
}
