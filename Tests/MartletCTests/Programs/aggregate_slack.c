/* An aggregate that asks for the size of a pointer, and uses the two numbers that it points to: a
   mistake of bindings in use, which SQLite's allocator forgives. */
#include <stdio.h>
#include "show.h"
#include "sqlite3.h"

typedef struct {
  sqlite3_int64 count, sum;
} mean;

static void step(sqlite3_context *context, int count, sqlite3_value **values) {
  mean *known = sqlite3_aggregate_context(context, sizeof known);
  /* Only what was asked for is zero. */
  if (known->count++ == 0) known->sum = 0;
  known->sum += sqlite3_value_int64(values[0]);
}

static void result(sqlite3_context *context) {
  mean *known = sqlite3_aggregate_context(context, 0);
  if (known) sqlite3_result_int64(context, known->sum / known->count);
}

int main(void) {
  sqlite3 *db;
  sqlite3_open(":memory:", &db);
  sqlite3_create_function(db, "mean", 1, SQLITE_UTF8, 0, 0, step, result);
  sqlite3_exec(db, "CREATE TABLE t(a, b);"
                   "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)"
                   " INSERT INTO t SELECT i % 700, 'text of row ' || i FROM n", 0, 0, 0);
  for (int turn = 0; turn < 5; turn++) {
    show(db, "SELECT mean(a) FROM t");
    show(db, "SELECT sum(m), sum(length(g)) FROM"
             " (SELECT mean(a) AS m, group_concat(b) AS g FROM t GROUP BY a)");
    show(db, "SELECT max(m) FROM (SELECT mean(a) OVER (PARTITION BY a) AS m FROM t)");
  }
  sqlite3_close(db);
  return 0;
}
