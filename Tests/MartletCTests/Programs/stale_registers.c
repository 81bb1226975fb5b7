/* Texts that grow from row to row, with an allocator that gives memory back at once: what a statement
   has of the row before must not be looked at when a trigger is called, or a generated column waits. */
#ifdef __linux__
#include <malloc.h>
#endif
#include "show.h"

static const char *const statements[] = {
  "PRAGMA recursive_triggers = ON",
  "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c)",
  "CREATE INDEX tb ON t(b)",
  "CREATE TABLE l(x)",
  "CREATE TRIGGER tr BEFORE UPDATE ON t BEGIN INSERT INTO l VALUES(length(new.b)); END",
  "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9)"
      " INSERT INTO t SELECT i, printf('%.*c', 90000 * i * i, 'a') || i, i FROM n",
  "UPDATE t SET b = b || 'x'",
  "UPDATE t SET b = substr(b, 2), c = c + 1 WHERE a < 20",
  "SELECT count(*) || ' ' || sum(x) FROM l",
  "CREATE TABLE w(c0 PRIMARY KEY, c1 UNIQUE, c2, c3 UNIQUE) WITHOUT ROWID",
  "INSERT INTO w SELECT a, a * 10, a, b FROM t",
  "CREATE TRIGGER x AFTER DELETE ON w BEGIN INSERT INTO l VALUES(length(old.c3)); END",
  "UPDATE OR REPLACE w SET c1 = 0.25, c2 = 'q' FROM (SELECT c3 k FROM w) f WHERE w.c3 IS f.k",
  "SELECT count(*) || ' ' || sum(x) FROM l",
  "CREATE TABLE q(c1, c3 PRIMARY KEY, c4)",
  "CREATE TRIGGER qi AFTER INSERT ON q BEGIN INSERT INTO l VALUES(length(new.c1)); END",
  "INSERT INTO q(c1) WITH r(n, x) AS (VALUES(1, 'a') UNION SELECT n + 1, printf('%.*c', 90000 * n * n, 'b') || n"
      " FROM r WHERE n < 8 ORDER BY 1) SELECT x FROM r LIMIT 9 ON CONFLICT(c3) DO UPDATE SET c3 = 1",
  "SELECT count(*) || ' ' || sum(x) FROM l",
  "CREATE TABLE g(a, b, g REAL AS (b) STORED)",
  "INSERT INTO g(a, b) VALUES('a', printf('%.*c', 90000, 'p')), ('b', printf('%.*c', 900000, 'q')),"
      " ('c', printf('%.*c', 3000000, 'r'))",
  "UPDATE g SET b = b || 'y'",
  "SELECT count(*) || ' ' || sum(length(g)) FROM g",
};

int main(void) {
  sqlite3 *db;
  size_t index;
#ifdef M_MMAP_THRESHOLD
  mallopt(M_MMAP_THRESHOLD, 65536);
#endif
  sqlite3_open(":memory:", &db);
  for (index = 0; index < sizeof statements / sizeof *statements; index++) show(db, statements[index]);
  sqlite3_close(db);
  return 0;
}
