/* All memory is given back at the end, also of statements that are compiled with an authorizer. */
#include <stdio.h>

#include "sqlite3.h"

static int code, every;

static int ask(void *count, int action, const char *a, const char *b, const char *c, const char *d) {
  return ++*(int *)count % every ? SQLITE_OK : code;
}

static void run(int answer, int how) {
  static const char *const texts[] = {
      "CREATE TABLE t(a INTEGER PRIMARY KEY, b UNIQUE, c AS (b || 1), CHECK (b <> 'x'))",
      "CREATE TABLE k(x REFERENCES t ON DELETE CASCADE)",
      "CREATE VIEW v AS SELECT a, b FROM t",
      "CREATE TRIGGER r AFTER UPDATE ON t BEGIN INSERT INTO k VALUES (new.a); END",
      "CREATE TRIGGER s INSTEAD OF DELETE ON v BEGIN DELETE FROM t WHERE a = old.a; END",
      "INSERT INTO t VALUES (1, 'one'), (2, 'two') RETURNING *, a + 1",
      "INSERT INTO t(b) SELECT b || a FROM t WHERE 1 ON CONFLICT DO UPDATE SET b = excluded.b RETURNING rowid",
      "UPDATE t SET b = b || '!' FROM k WHERE a > 1 RETURNING b, (SELECT count(*) FROM k)",
      "UPDATE t SET b = b || '?' RETURNING c",
      "WITH w AS (SELECT 1 AS x) DELETE FROM t WHERE a IN w RETURNING a, b, c",
      "DELETE FROM v WHERE a = 2 RETURNING *",
      "REPLACE INTO t VALUES (3, 'three') RETURNING nothing",
      "DELETE FROM t RETURNING t.*",
      "SELECT sum(a) OVER (ORDER BY b), (SELECT max(x) FROM k) FROM t JOIN v USING (a) GROUP BY a",
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3) SELECT * FROM n, v",
  };
  sqlite3 *db = 0;
  int i, asked = 0, failed = 0;
  code = answer;
  every = how;
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db, "PRAGMA foreign_keys = ON", 0, 0, 0);
  sqlite3_set_authorizer(db, how ? ask : 0, &asked);
  for (i = 0; i < (int)(sizeof texts / sizeof texts[0]); i++) failed += sqlite3_exec(db, texts[i], 0, 0, 0) != 0;
  i = sqlite3_close(db);
  printf("%d every %d: %d, failed %d, left %lld\n", answer, how, i, how == 1 || answer == 0 ? failed : -1,
         (long long)sqlite3_memory_used());
}

int main(void) {
  int i;
  sqlite3_initialize();
  run(SQLITE_OK, 0);
  run(SQLITE_OK, 1);
  for (i = 1; i < 40; i++) run(SQLITE_DENY, i);
  return 0;
}
