/* What the authorizer is asked about statements, in which order, and what its answers lead to. */
#include <stdio.h>
#include <string.h>

#include "sqlite3.h"

static sqlite3 *db;
static int shows, asked, special, answer;
static int actions[1000];

static int authorize(void *data, int action, const char *first, const char *second,
    const char *database, const char *view) {
  asked++;
  if (shows) {
    actions[asked] = action;
    printf("  %d %s %s %s %s\n", action, first ? first : "-", second ? second : "-",
        database ? database : "-", view ? view : "-");
  }
  return asked == special ? answer : SQLITE_OK;
}

static int prepare(const char *sql, sqlite3_stmt **statement) {
  asked = 0;
  return sqlite3_prepare_v2(db, sql, -1, statement, 0);
}

static void check(const char *sql, int replays) {
  sqlite3_stmt *statement;
  printf("> %s\n", sql);
  shows = 1;
  special = 0;
  int code = prepare(sql, &statement);
  if (code != SQLITE_OK) printf("  error %d %s\n", code, sqlite3_errmsg(db));
  sqlite3_finalize(statement);
  shows = 0;
  if (!replays) return;
  int count = asked;
  static const int answers[] = {SQLITE_DENY, SQLITE_IGNORE, 99};
  for (int kind = 0; kind < 3; kind++) {
    answer = answers[kind];
    /* C SQLite crashes where parts of a definition are ignored. */
    if (answer == SQLITE_IGNORE && strncmp(sql, "CREATE", 6) == 0) continue;
    for (special = 1; special <= count; special++) {
      if (kind == 2 && special > 1) break;
      /* What is left of a statement whose inner SELECT is ignored is not defined. */
      if (answer == SQLITE_IGNORE && special > 1
          && (actions[special] == SQLITE_SELECT || actions[special] == SQLITE_RECURSIVE)) continue;
      code = prepare(sql, &statement);
      /* How much is asked after a refusal does not matter. */
      printf("  %d at %d:", answer, special);
      if (code != SQLITE_OK) printf(" error %d %s", code, sqlite3_errmsg(db));
      else printf(" asked %d columns %d", asked, sqlite3_column_count(statement));
      printf("\n");
      sqlite3_finalize(statement);
    }
  }
  special = 0;
}

static int updates;

static void updated(void *data, int kind, const char *database, const char *table,
    sqlite3_int64 rowid) {
  updates++;
}

static int ignore_deletions(void *data, int action, const char *first, const char *second,
    const char *database, const char *view) {
  return action == SQLITE_DELETE ? SQLITE_IGNORE : SQLITE_OK;
}

static int ignore_reading(void *data, int action, const char *first, const char *second,
    const char *database, const char *view) {
  return action == SQLITE_READ && strcmp(second, "b") == 0 ? SQLITE_IGNORE : SQLITE_OK;
}

static int print_row(void *data, int count, char **values, char **names) {
  for (int index = 0; index < count; index++) {
    printf("%s%s", index ? "|" : "", values[index] ? values[index] : "NULL");
  }
  printf("\n");
  return 0;
}

static const char *const schema =
  "CREATE TABLE t(a INTEGER PRIMARY KEY, b, c TEXT DEFAULT 'x');"
  "CREATE TABLE u(a, b UNIQUE, c CHECK (c > 0));"
  "CREATE TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID;"
  "CREATE TABLE parent(id INTEGER PRIMARY KEY, n);"
  "CREATE TABLE child(p REFERENCES parent ON DELETE CASCADE ON UPDATE SET NULL, x);"
  "CREATE TABLE g(a, b AS (a + 1), c AS (a * 2) STORED);"
  "CREATE TABLE log(what);"
  "CREATE TABLE auto(a INTEGER PRIMARY KEY AUTOINCREMENT, b);"
  "CREATE INDEX ib ON t(b);"
  "CREATE INDEX ie ON u(lower(a)) WHERE b IS NOT NULL;"
  "CREATE VIEW v AS SELECT a, b FROM t WHERE c = 'x';"
  "CREATE VIEW vv AS SELECT v.a, count(*) AS n FROM v JOIN u USING (b) GROUP BY v.a;"
  "CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO log VALUES(new.a); END;"
  "CREATE TRIGGER td BEFORE DELETE ON u WHEN old.a > 0 BEGIN "
  "UPDATE log SET what = old.b WHERE what = old.a; SELECT max(what) FROM log; END;"
  "CREATE TRIGGER tv INSTEAD OF INSERT ON v BEGIN INSERT INTO t(b) VALUES(new.b); END;"
  "CREATE VIEW v2 AS SELECT a, b FROM t WHERE c > 1;"
  "CREATE TRIGGER v2d INSTEAD OF DELETE ON v2 BEGIN DELETE FROM log WHERE what = old.a; END;"
  "CREATE TRIGGER v2u INSTEAD OF UPDATE ON v2 BEGIN UPDATE log SET what = new.b; END;"
  "CREATE TRIGGER v2i INSTEAD OF INSERT ON v2 BEGIN UPDATE log SET what = new.b; END;"
  "CREATE TABLE t3(x, y CONSTRAINT k CHECK (y > 1));"
  "CREATE TABLE strict1(a INT) STRICT;"
  "CREATE TEMP TABLE tt(x, y);"
  "ATTACH ':memory:' AS other;"
  "CREATE TABLE other.o(p, q);"
  "INSERT INTO t VALUES(1, 2, 'x'), (2, 3, 'y');"
  "PRAGMA foreign_keys = 1;";

static const char *const statements[] = {
  "SELECT 1",
  "SELECT * FROM t",
  "SELECT a FROM t",
  "SELECT rowid FROM t",
  "SELECT rowid, _rowid_ FROM u",
  "SELECT count(*) FROM t",
  "SELECT 1 FROM t",
  "SELECT t.b, u.b FROM t, u WHERE t.a = u.a",
  "SELECT * FROM t JOIN u USING (a)",
  "SELECT * FROM t NATURAL JOIN u",
  "SELECT * FROM t LEFT JOIN u ON t.b = u.b AND u.c > 5",
  "SELECT b FROM t ORDER BY c",
  "SELECT b, count(*) FROM t GROUP BY b HAVING max(c) > 'a'",
  "SELECT upper(b), length(c), abs(a) FROM t",
  "SELECT coalesce(b, c), iif(a, b, c), likely(b) FROM t",
  "SELECT a FROM t WHERE b LIKE 'x%' AND c GLOB 'y*'",
  "SELECT a FROM t WHERE b BETWEEN 1 AND 2 OR c IN ('a', 'b')",
  "SELECT a FROM t WHERE b IN (SELECT a FROM u)",
  "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a)",
  "SELECT (SELECT max(b) FROM u), a FROM t",
  "SELECT * FROM (SELECT a, b FROM t) WHERE a > 0",
  "SELECT * FROM (SELECT a FROM t UNION ALL SELECT b FROM u)",
  "SELECT a FROM t UNION SELECT b FROM u ORDER BY 1",
  "SELECT a FROM t EXCEPT SELECT a FROM u",
  "SELECT * FROM v",
  "SELECT a FROM v WHERE b > 1",
  "SELECT * FROM vv",
  "SELECT count(*) FROM vv",
  "WITH x AS (SELECT a FROM t) SELECT * FROM x",
  "WITH x AS (SELECT a FROM t) SELECT * FROM x, x AS y",
  "WITH RECURSIVE r(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM r WHERE i < 5) SELECT i FROM r",
  "VALUES(1, 2)",
  "SELECT sum(a) OVER (ORDER BY b) FROM t",
  "SELECT row_number() OVER (PARTITION BY c), b FROM t",
  "SELECT DISTINCT b FROM t LIMIT 1",
  "SELECT k FROM w WHERE v = 1",
  "SELECT * FROM w",
  "SELECT b, c FROM g",
  "SELECT x FROM tt",
  "SELECT p FROM other.o",
  "SELECT o.q, t.a FROM other.o, main.t",
  "SELECT * FROM sqlite_master",
  "SELECT name FROM sqlite_schema",
  "SELECT name FROM sqlite_temp_master",
  "SELECT name FROM other.sqlite_schema",
  "SELECT CAST(a AS TEXT), a COLLATE nocase, CASE a WHEN 1 THEN b ELSE c END FROM t",
  "SELECT random(), datetime('now'), CURRENT_TIMESTAMP",
  "SELECT group_concat(b, ',') FROM t",
  "SELECT * FROM json_each('[1]')",
  "SELECT value FROM t, json_each(t.c)",
  "SELECT name FROM pragma_table_info('t')",
  "SELECT t.a FROM t AS t, t AS x WHERE x.b = t.b",
  "SELECT (SELECT b FROM t AS inner_t WHERE inner_t.a = t.a) FROM t",
  "SELECT min(a) FROM t",
  "SELECT a, b FROM t WHERE a = ?1 AND b = :x",
  "SELECT nothing FROM t",
  "SELECT a FROM nowhere",
  "INSERT INTO t VALUES(1, 2, 'x')",
  "INSERT INTO t(b) VALUES(1)",
  "INSERT INTO t DEFAULT VALUES",
  "INSERT INTO u SELECT a, b, 1 FROM t",
  "INSERT INTO u SELECT * FROM u",
  "INSERT OR REPLACE INTO u VALUES(1, 2, 3)",
  "INSERT INTO u VALUES(1, 2, 3) ON CONFLICT(b) DO UPDATE SET a = excluded.a WHERE u.a > 0",
  "INSERT INTO u VALUES(1, 2, 3) ON CONFLICT DO NOTHING",
  "INSERT INTO u VALUES(1, 2, 3) RETURNING a, b + c",
  "INSERT INTO w VALUES('a', 'b')",
  "INSERT INTO child VALUES(1, 2)",
  "INSERT INTO tt VALUES(1, 2)",
  "INSERT INTO other.o VALUES(1, 2)",
  "INSERT INTO auto(b) VALUES(1)",
  "INSERT INTO g(a) VALUES(1)",
  "WITH x(i) AS (VALUES(1)) INSERT INTO u(a) SELECT i FROM x",
  "REPLACE INTO w VALUES('a', 'b')",
  "UPDATE t SET b = 1",
  "UPDATE t SET b = c, c = b WHERE a = 1",
  "UPDATE t SET a = a + 1",
  "UPDATE t SET rowid = 5 WHERE b = 1",
  "UPDATE w SET v = 1",
  "UPDATE parent SET n = 5",
  "UPDATE child SET p = 1",
  "UPDATE g SET a = 1",
  "UPDATE t SET b = 1 RETURNING c",
  "UPDATE tt SET x = 1",
  "UPDATE OR IGNORE u SET b = 1",
  "DELETE FROM t",
  "DELETE FROM t WHERE b = 1",
  "DELETE FROM u",
  "DELETE FROM w",
  "DELETE FROM child WHERE p = 1",
  "DELETE FROM log",
  "DELETE FROM tt",
  "CREATE TABLE n1(a, b)",
  "CREATE TABLE n3(a PRIMARY KEY, b) WITHOUT ROWID",
  "CREATE TABLE n4(a CHECK (a > 1), b DEFAULT (1 + 1), c AS (a + b))",
  "CREATE TABLE n5 AS SELECT a, b FROM t",
  "CREATE TABLE n6(a INTEGER PRIMARY KEY AUTOINCREMENT)",
  "CREATE TABLE n7(a REFERENCES parent)",
  "CREATE TABLE IF NOT EXISTS t(a)",
  "CREATE TEMP TABLE n8(a)",
  "CREATE TABLE other.n9(a)",
  "CREATE INDEX n10 ON t(c)",
  "CREATE UNIQUE INDEX n11 ON u(a, c DESC) WHERE b > 1",
  "CREATE INDEX n12 ON t(upper(c))",
  "CREATE INDEX other.n13 ON o(p)",
  "CREATE INDEX IF NOT EXISTS ib ON t(b)",
  "CREATE VIEW n14 AS SELECT * FROM t",
  "CREATE TEMP VIEW n15(x) AS SELECT b FROM t",
  "CREATE TRIGGER n16 AFTER UPDATE OF b ON t BEGIN DELETE FROM log; END",
  "CREATE TEMP TRIGGER n17 BEFORE INSERT ON t BEGIN SELECT 1; END",
  "CREATE TRIGGER n18 INSTEAD OF DELETE ON v BEGIN SELECT old.a; END",
  "DROP TABLE IF EXISTS nowhere",
  "DROP TRIGGER IF EXISTS nowhere",
  "REINDEX nocase",
  "BEGIN",
  "BEGIN IMMEDIATE",
  "COMMIT",
  "ROLLBACK",
  "SAVEPOINT sp",
  "RELEASE sp",
  "ROLLBACK TO sp",
  "ATTACH 'file' AS x",
  "ATTACH ?1 AS x",
  "ATTACH 'a' || 'b' AS x",
  "DETACH other",
  "VACUUM",
  "VACUUM INTO 'file'",
  "PRAGMA user_version",
  "PRAGMA user_version = 5",
  "PRAGMA main.cache_size",
  "PRAGMA table_info(t)",
  "PRAGMA foreign_keys = 1",
  "PRAGMA foreign_key_check",
  "PRAGMA integrity_check",
  "PRAGMA nonsense",
  "PRAGMA other.journal_mode = delete",
  "PRAGMA encoding",
  "PRAGMA index_list('t')",
  "PRAGMA optimize",
  "EXPLAIN SELECT a FROM t",
  "EXPLAIN QUERY PLAN DELETE FROM t WHERE b = 1",
  "EXPLAIN INSERT INTO log VALUES(1)",
  "WITH RECURSIVE r(i) AS (SELECT a FROM t UNION SELECT b FROM t, r WHERE a = i) SELECT i FROM r",
  "SELECT a -> 'x', a ->> 'y' FROM t",
  "INSERT INTO v(b) VALUES(1)",
  "UPDATE t SET b = u.b FROM u WHERE u.a = t.a",
  "DELETE FROM parent",
  "DELETE FROM t WHERE a IN (SELECT a FROM u) RETURNING a",
  "CREATE TABLE n2(a PRIMARY KEY, b UNIQUE)",
  "CREATE TABLE t(a)",
  "REINDEX",
  "REINDEX t",
  "REINDEX ib",
  "INSERT INTO t(b) VALUES(1) RETURNING c",
  "INSERT INTO t(b) SELECT a FROM u RETURNING c",
  "DELETE FROM u WHERE a = 5 RETURNING c",
  "DELETE FROM parent RETURNING n",
  "INSERT INTO child VALUES(1,2) RETURNING x",
  "UPDATE v2 SET b = 1 WHERE a = 2",
  "DELETE FROM v2 WHERE a = 2",
  "DELETE FROM v2",
  "INSERT INTO v2(a) SELECT a FROM u",
  "UPDATE v2 SET b = u.b FROM u WHERE u.a = v2.a",
  "UPDATE w SET v = u.b FROM u WHERE u.a = w.k",
  "UPDATE t SET b = 1 WHERE a IN (SELECT a FROM u)",
  "UPDATE t SET b = 1, c = (SELECT max(a) FROM u) WHERE a = 5",
  "ALTER TABLE v RENAME TO vvvv",
  "ALTER TABLE t3 RENAME nothing TO k",
  "ALTER TABLE t3 DROP nothing",
  "CREATE VIRTUAL TABLE vt USING nomodule",
  "CREATE VIRTUAL TABLE t USING nomodule",
  "CREATE VIEW t AS SELECT 1",
  "CREATE TABLE ib(a)",
  "CREATE INDEX t ON u(a)",
  "CREATE INDEX ib ON u(a)",
  "REINDEX w",
  "REINDEX sqlite_autoindex_w_1",
  "REINDEX expressions",
  "CREATE TABLE k(a, b, UNIQUE(a,b), UNIQUE(b), PRIMARY KEY(a)) WITHOUT ROWID",
  "CREATE TABLE k(a REFERENCES t, b UNIQUE CHECK(a>5) DEFAULT (1), c AS (lower(a)) UNIQUE)",
};

/* The same is asked, but after a refusal or where a part is ignored they go on differently. */
static const char *const sequences[] = {
  "VALUES(1, 2), (3, 4)",
  "INSERT INTO t(b) VALUES(1), (2)",
  "UPDATE t SET (b, c) = (SELECT a, b FROM u)",
  "UPDATE u SET c = 1 WHERE b IN (SELECT b FROM t)",
  "DROP TABLE t",
  "DROP TABLE w",
  "DROP TABLE child",
  "DROP TABLE tt",
  "DROP TABLE other.o",
  "DROP VIEW v",
  "DROP VIEW vv",
  "DROP INDEX ib",
  "DROP INDEX ie",
  "DROP TRIGGER tr",
  "SELECT a FROM t WHERE (a, b) = (SELECT a, b FROM u)",
  "UPDATE parent SET id = 5",
  "DROP TABLE auto",
  "DROP TABLE parent",
  "ALTER TABLE t RENAME TO t2",
  "ALTER TABLE u RENAME COLUMN a TO z",
  "ALTER TABLE t ADD COLUMN d",
  "ALTER TABLE t ADD COLUMN d DEFAULT 5",
  "ALTER TABLE u DROP COLUMN c",
  "ALTER TABLE log RENAME TO log2",
  "ANALYZE",
  "ANALYZE t",
  "ANALYZE ib",
  "ANALYZE other",
  "INSERT INTO t(b) VALUES((SELECT a FROM u)) RETURNING c, (SELECT max(p) FROM child)",
  "UPDATE t SET b = (SELECT max(a) FROM u) RETURNING c",
  "UPDATE parent SET id = 4 RETURNING n",
  "ALTER TABLE t ADD CHECK (a > 0)",
  "ALTER TABLE t ADD CONSTRAINT x CHECK (a > 0)",
  "ALTER TABLE u ALTER COLUMN a SET NOT NULL",
  "ALTER TABLE u ALTER a DROP NOT NULL",
  "ALTER TABLE t3 DROP CONSTRAINT k",
  "ALTER TABLE tt RENAME TO tt2",
  "ALTER TABLE tt RENAME COLUMN x TO z",
  "ALTER TABLE tt ADD COLUMN z",
  "ALTER TABLE tt DROP COLUMN y",
  "ALTER TABLE other.o RENAME TO o2",
  "ALTER TABLE other.o RENAME p TO pp",
  "ALTER TABLE other.o DROP p",
  "ALTER TABLE t3 ADD COLUMN z NOT NULL DEFAULT 5",
  "ALTER TABLE t3 ADD COLUMN z CHECK (z > 5)",
  "ALTER TABLE t3 ADD COLUMN z AS (x + 5)",
  "ALTER TABLE t3 ADD COLUMN z AS (x + 5) STORED",
  "ALTER TABLE t3 ADD COLUMN z REFERENCES parent",
  "ALTER TABLE t3 ADD COLUMN z NOT NULL",
  "ALTER TABLE t3 ADD COLUMN z DEFAULT (1 + 1)",
  "ALTER TABLE t3 ADD COLUMN z NOT NULL AS (x + 5)",
  "ALTER TABLE w DROP COLUMN v",
  "ALTER TABLE strict1 ADD COLUMN z TEXT",
  "ALTER TABLE strict1 ADD COLUMN z",
};

/* What docs/deviations.md says is asked otherwise; a test wants each of them to differ. */
static const char *const different[] = {
  "UPDATE t SET rowid = u.b, b = 5 FROM u, log WHERE u.a = t.b AND log.what = 3",
};

/* Asked where there are statistics. */
static const char *const analyzed[] = {
  "ANALYZE",
  "ANALYZE t",
  "ANALYZE ib",
  "ANALYZE other",
  "ANALYZE sqlite_master",
  "ANALYZE w",
  "ANALYZE sqlite_autoindex_w_1",
  "PRAGMA optimize",
  "PRAGMA optimize(-1)",
  "DROP TABLE t",
  "DROP TABLE auto",
  "DROP TABLE parent",
  "DROP INDEX ib",
  "DROP VIEW v",
  "DROP TABLE other.o",
  "DROP TRIGGER tr",
  "DROP TABLE tt",
  "CREATE TABLE q2(a INTEGER PRIMARY KEY AUTOINCREMENT)",
  "CREATE INDEX ib9 ON t(b)",
};

#define CHECK(list, replays) \
  for (size_t index = 0; index < sizeof list / sizeof list[0]; index++) check(list[index], replays)

/* With an argument: the statements that differ. */
int main(int count, char **arguments) {
  sqlite3_stmt *statement;
  setvbuf(stdout, 0, _IOLBF, 0);
  sqlite3_open(":memory:", &db);
  if (sqlite3_exec(db, schema, 0, 0, 0) != SQLITE_OK) printf("%s\n", sqlite3_errmsg(db));
  printf("%d\n", sqlite3_set_authorizer(db, authorize, 0));
  if (count > 1) {
    CHECK(different, 0);
    return 0;
  }
  CHECK(statements, 1);
  CHECK(sequences, 0);
  sqlite3_set_authorizer(db, 0, 0);
  sqlite3_exec(db, "ANALYZE", 0, 0, 0);
  sqlite3_set_authorizer(db, authorize, 0);
  CHECK(analyzed, 0);

  sqlite3_update_hook(db, updated, 0);
  sqlite3_set_authorizer(db, 0, 0);
  sqlite3_exec(db, "INSERT INTO log VALUES(1), (2), (3)", 0, 0, 0);
  updates = 0;
  sqlite3_exec(db, "DELETE FROM log", 0, 0, 0);
  printf("told of %d deletions\n", updates);
  sqlite3_exec(db, "INSERT INTO log VALUES(1), (2), (3)", 0, 0, 0);
  sqlite3_set_authorizer(db, ignore_deletions, 0);
  updates = 0;
  sqlite3_exec(db, "DELETE FROM log", 0, 0, 0);
  printf("told of %d deletions\n", updates);
  sqlite3_exec(db, "SELECT count(*) FROM log", print_row, 0, 0);

  sqlite3_set_authorizer(db, ignore_reading, 0);
  sqlite3_exec(db, "SELECT a, b, c FROM t", print_row, 0, 0);
  sqlite3_exec(db, "SELECT * FROM v", print_row, 0, 0);
  sqlite3_set_authorizer(db, 0, 0);
  sqlite3_prepare_v2(db, "SELECT a, b FROM t", -1, &statement, 0);
  sqlite3_set_authorizer(db, ignore_reading, 0);
  sqlite3_step(statement);
  printf("compiled before: %d\n", sqlite3_column_type(statement, 1));
  sqlite3_finalize(statement);
  sqlite3_close(db);
  return 0;
}
