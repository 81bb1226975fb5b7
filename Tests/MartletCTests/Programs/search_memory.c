/* Full-text search while memory runs out (c3ref/hard_heap_limit64): a statement runs or says that
** memory is out, and the index stays that of the content. */
#include <stdio.h>
#include <string.h>
#include "sqlite3.h"

static int failed, ran, wrong, broken;

static void run(sqlite3 *db, const char *sql) {
  int rc = sqlite3_exec(db, sql, 0, 0, 0);
  if (rc == SQLITE_OK)
    ran++;
  else if (rc == SQLITE_NOMEM)
    failed++;
  else {
    wrong++;
    printf("%d: %s\n", rc, sql);
  }
}

static const char *const queries[] = {
  "SELECT count(*) FROM t WHERE t MATCH 'w1'",
  "SELECT count(*) FROM t WHERE t MATCH 'w*'",
  "SELECT count(*) FROM t WHERE t MATCH '\"w1 w2\" OR w3'",
  "SELECT count(*) FROM t WHERE t MATCH 'w1 NEAR w3 OR w2'",
  "SELECT snippet(t) FROM t WHERE t MATCH 'w1 w2' ORDER BY rowid DESC",
  "SELECT offsets(t), matchinfo(t, 'xys') FROM t WHERE t MATCH 'w1 OR w4'",
};

static const char *const queries5[] = {
  "SELECT count(*) FROM t WHERE t MATCH 'w1'",
  "SELECT count(*) FROM t WHERE t MATCH 'w*'",
  "SELECT count(*) FROM t WHERE t MATCH 'w1 + w2 OR w3'",
  "SELECT count(*) FROM t WHERE t MATCH 'NEAR(w1 w3) OR w2'",
  "SELECT snippet(t, -1, '<', '>', '.', 9) FROM t WHERE t MATCH 'w1 w2'",
  "SELECT rowid, rank FROM t WHERE t MATCH 'w1 OR w4' ORDER BY rank",
};

static const char rows[] =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)"
    " INSERT INTO t(a) SELECT 'w' || i || ' w1 w2 w' || (i % 9) || ' w4 ' || hex(i * 7919) FROM n";

static void with_limit(const char *definition, const char *const *asked, sqlite3_int64 more) {
  sqlite3 *db;
  int index;
  remove("search_memory.db");
  sqlite3_open("search_memory.db", &db);
  sqlite3_exec(db, "PRAGMA synchronous = OFF", 0, 0, 0);
  sqlite3_exec(db, definition, 0, 0, 0);
  for (index = 0; index < 3; index++) sqlite3_exec(db, rows, 0, 0, 0);
  sqlite3_hard_heap_limit64(sqlite3_memory_used() + more);
  for (index = 0; index < 6; index++) run(db, asked[index]);
  run(db, rows);
  run(db, "BEGIN");
  run(db, rows);
  run(db, "UPDATE t SET a = a || ' more' WHERE rowid % 3 = 0");
  run(db, asked[0]);
  if (!sqlite3_get_autocommit(db)) run(db, "COMMIT");
  run(db, "DELETE FROM t WHERE rowid % 5 = 0");
  run(db, "INSERT INTO t(t) VALUES('optimize')");
  sqlite3_hard_heap_limit64(0);
  if (!sqlite3_get_autocommit(db)) sqlite3_exec(db, "ROLLBACK", 0, 0, 0);
  if (sqlite3_exec(db, "INSERT INTO t(t) VALUES('integrity-check')", 0, 0, 0)) {
    broken++;
    printf("%lld more: %s\n", more, sqlite3_errmsg(db));
  }
  sqlite3_close(db);
}

static void sweep(const char *name, const char *definition, const char *const *asked) {
  sqlite3_int64 more;
  failed = ran = wrong = broken = 0;
  for (more = 2000; more < 400000; more += more < 60000 ? 1500 : 20000)
    with_limit(definition, asked, more);
  printf("%s: some ran %d, some did not %d, ", name, ran > 0, failed > 0);
  printf("wrong %d, broken %d\n", wrong, broken);
}

int main(void) {
  sweep("fts4", "CREATE VIRTUAL TABLE t USING fts4(a)", queries);
  sweep("fts4, falling", "CREATE VIRTUAL TABLE t USING fts4(a, order=desc, prefix='1,2')", queries);
  sweep("fts5", "CREATE VIRTUAL TABLE t USING fts5(a, prefix=2)", queries5);
  return 0;
}
