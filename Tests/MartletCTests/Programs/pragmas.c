/* Pragmas that are deprecated and do what they always did: rows that count changes, long and short
   names of columns; and what a library says that lacks a feature. */
#include <stdio.h>

#include "sqlite3.h"

static sqlite3 *db;

static void run(const char *sql) {
  sqlite3_stmt *statement = 0;
  const char *rest = sql;
  int code, i;
  printf("%s\n", sql);
  while (*rest && (code = sqlite3_prepare_v2(db, rest, -1, &statement, &rest)) == SQLITE_OK) {
    if (!statement) break;
    printf(" ");
    for (i = 0; i < sqlite3_column_count(statement); i++)
      printf(" [%s]", sqlite3_column_name(statement, i));
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
      for (i = 0; i < sqlite3_column_count(statement); i++)
        printf(" %s", (const char *)sqlite3_column_text(statement, i));
      printf(";");
    }
    printf(" %d %d\n", code, sqlite3_changes(db));
    sqlite3_finalize(statement);
  }
  if (code != SQLITE_OK && code != SQLITE_DONE) printf("  %s\n", sqlite3_errmsg(db));
}

static void counts(void) {
  run("PRAGMA count_changes; PRAGMA count_changes = 1; PRAGMA count_changes");
  run("CREATE TABLE c(a INTEGER PRIMARY KEY, b UNIQUE); CREATE TABLE log(x)");
  run("INSERT INTO c VALUES(1, 1), (2, 2), (3, 3)");
  run("INSERT OR IGNORE INTO c VALUES(1, 1), (4, 4)");
  run("INSERT OR REPLACE INTO c VALUES(1, 2), (5, 5)");
  run("INSERT INTO c VALUES(6, 5) ON CONFLICT DO NOTHING");
  run("INSERT INTO c VALUES(6, 5), (7, 7) ON CONFLICT(b) DO UPDATE SET b = 55");
  run("INSERT INTO c SELECT a + 100, b + 100 FROM c");
  run("INSERT INTO c DEFAULT VALUES");
  run("INSERT INTO c(b) VALUES(900) RETURNING a");
  run("INSERT INTO c VALUES(1, 1)");
  run("UPDATE c SET b = b + 1000 WHERE a < 4");
  run("UPDATE c SET b = 1 WHERE a = -1");
  run("UPDATE OR IGNORE c SET b = 7");
  run("UPDATE c SET b = a RETURNING b");
  run("UPDATE c SET b = x.a FROM (SELECT 3 AS a) AS x WHERE c.a = 1");
  run("CREATE TRIGGER tr AFTER INSERT ON c BEGIN INSERT INTO log VALUES(new.a); END");
  run("INSERT INTO c VALUES(5000, 5000), (5001, 5001)");
  run("CREATE VIEW v AS SELECT a, b FROM c");
  run("CREATE TRIGGER tv INSTEAD OF INSERT ON v BEGIN INSERT INTO c VALUES(new.a, new.b); END");
  run("CREATE TRIGGER tu INSTEAD OF UPDATE ON v BEGIN UPDATE c SET b = new.b WHERE a = new.a; END");
  run("CREATE TRIGGER td INSTEAD OF DELETE ON v BEGIN DELETE FROM c WHERE a = old.a; END");
  run("INSERT INTO v VALUES(6000, 6000), (6001, 6001)");
  run("UPDATE v SET b = b + 1 WHERE a > 5000");
  run("DELETE FROM v WHERE a > 6000");
  run("DELETE FROM c WHERE a = 2");
  run("DELETE FROM c WHERE a < 10 AND b > 1");
  run("DELETE FROM c RETURNING a");
  run("INSERT INTO log VALUES(1), (2); DELETE FROM log");
  run("CREATE TABLE w(a PRIMARY KEY) WITHOUT ROWID; INSERT INTO w VALUES(1), (2); DELETE FROM w");
  run("REPLACE INTO log VALUES(4); CREATE TABLE m AS SELECT 1 AS one; DROP TABLE m; ANALYZE");
  run("CREATE TABLE p(a PRIMARY KEY); CREATE TABLE f(a REFERENCES p ON DELETE CASCADE)");
  run("PRAGMA foreign_keys = 1; INSERT INTO p VALUES(1); INSERT INTO f VALUES(1); DELETE FROM p");
  run("PRAGMA count_changes = 0; INSERT INTO log VALUES(1)");
}

static void names(const char *settings) {
  static const char *queries[] = {
    "SELECT a, b, a AS c, a + 1, rowid FROM t", "SELECT * FROM t", "SELECT t.* FROM t",
    "SELECT a, x.a, x.*, * FROM t AS x", "SELECT A, T.B, \"a\", (a), a COLLATE nocase FROM T",
    "SELECT * FROM t, u", "SELECT t.a, u.d FROM t JOIN u ON a = d",
    "SELECT * FROM t NATURAL JOIN u",
    "SELECT * FROM (SELECT a, b FROM t)", "SELECT a FROM (SELECT a, b FROM t)",
    "SELECT * FROM (SELECT a AS z FROM t) AS s", "SELECT s.z FROM (SELECT a AS z FROM t) AS s",
    "SELECT * FROM view1", "SELECT a, p FROM view1",
    "WITH k(n) AS (SELECT a FROM t) SELECT n FROM k",
    "WITH k AS (SELECT a FROM t) SELECT * FROM k", "SELECT a FROM t UNION SELECT d FROM u",
    "SELECT * FROM t UNION ALL SELECT * FROM u", "VALUES(1, 2)",
    "SELECT (SELECT a FROM t), count(*)",
    "SELECT a FROM t GROUP BY a", "SELECT DISTINCT a FROM t ORDER BY b",
    "SELECT main.t.a, main.t.rowid, _rowid_ FROM main.t", "SELECT sum(a) OVER (), a FROM t",
    "INSERT INTO t VALUES(5, 6) RETURNING a, *, a + 1, rowid",
    "UPDATE t SET a = 1 RETURNING t.a, b",
    "PRAGMA user_version", "SELECT value, key FROM json_each('[1]')", "SELECT a[1] FROM t",
    "SELECT a, (SELECT b FROM t LIMIT 1) AS q, 'text', 1.5 FROM t LIMIT 1",
  };
  size_t i;
  run(settings);
  for (i = 0; i < sizeof queries / sizeof *queries; i++) run(queries[i]);
  run("CREATE TABLE made AS SELECT a, b + 1, rowid FROM t; PRAGMA table_info(made);"
      "DROP TABLE made");
  run("CREATE TABLE made AS SELECT * FROM t; PRAGMA table_info(made); DROP TABLE made");
  run("CREATE VIEW made AS SELECT a, b + 1 FROM t; SELECT * FROM made; DROP VIEW made");
  run("PRAGMA full_column_names; PRAGMA short_column_names");
}

int main(void) {
  sqlite3_open(":memory:", &db);
  counts();
  sqlite3_close(db);
  sqlite3_open(":memory:", &db);
  run("CREATE TABLE t(a, b); INSERT INTO t VALUES(1, 2)");
  run("CREATE TABLE u(d, b); INSERT INTO u VALUES(1, 2)");
  run("CREATE VIEW view1 AS SELECT a, b AS p, a + b FROM t");
  names("PRAGMA full_column_names = 0; PRAGMA short_column_names = 1");
  names("PRAGMA full_column_names = 1; PRAGMA short_column_names = 1");
  names("PRAGMA full_column_names = 1; PRAGMA short_column_names = 0");
  names("PRAGMA full_column_names = 0; PRAGMA short_column_names = 0");
  run("PRAGMA journal_mode = wal; PRAGMA journal_mode");
  return sqlite3_close(db);
}
