/* What was allocated before the memory that could not be had is given back. */
#include <stdio.h>
#include "failing_memory.h"

static int left = -1, goes_on, hits;

static int has_failed(void) {
  if (left < 0) return 0;
  if (left > 0) return left--, 0;
  hits++;
  if (!goes_on) left = -1;
  return 1;
}

static void sweep(const char *sql) {
  for (goes_on = 0; goes_on < 2; goes_on++) {
    int at, kept = 0, wrong = 0, failed = 0;
    hits = 1;
    for (at = -1; at < 4000 && hits + (at < 1) > 0; at++) {
      sqlite3 *db = 0;
      sqlite3_int64 before = sqlite3_memory_used(), after;
      int rc;
      hits = 0;
      left = at;
      rc = sqlite3_open(":memory:", &db);
      if (!rc) rc = sqlite3_exec(db, sql, 0, 0, 0);
      sqlite3_close(db);
      left = -1;
      if (rc == SQLITE_NOMEM) failed++;
      else if (rc) {
        wrong++;
        printf("%s: %d, %d\n", sql, at, rc);
      }
      after = sqlite3_memory_used();
      /* The first run may make what the process keeps. */
      if (at >= 0 && after != before) {
        kept++;
        printf("%s: %d, %lld bytes\n", sql, at, after - before);
      }
    }
    printf("%s: some failed %d, wrong %d, kept %d\n", sql, failed > 0, wrong, kept);
  }
}

int main(void) {
  install_failing_memory(has_failed);
  sqlite3_initialize();
  sweep("CREATE TABLE t(a, b); CREATE INDEX i ON t(b); INSERT INTO t VALUES(1, 'x'); SELECT * FROM t WHERE b = 'x'");
  sweep("SELECT json_group_array(value) FROM json_each('[1, 2, {\"a\": 3}]')");
  sweep("SELECT json_set('{}', '$.a', json('[1]'))");
  sweep("SELECT jsonb('{a: 1}') -> '$.a', json_patch('{\"a\": 1}', '{\"b\": 2}'), json_pretty('[1, [2]]')");
  sweep("SELECT group_concat(a ORDER BY b DESC), count(DISTINCT a) FROM (SELECT 1 AS a, 2 AS b UNION SELECT 3, 4)");
  sweep("CREATE VIRTUAL TABLE f USING fts4(x); INSERT INTO f VALUES('a b c'); SELECT snippet(f) FROM f('b')");
  return 0;
}
