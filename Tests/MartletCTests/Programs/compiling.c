/* Statements whose compiling is long: the program can end it, and its limits hold. */
#include <stdio.h>

#include "sqlite3.h"

static sqlite3 *db;
static int calls, last;

/* How often it is called is the engine's own affair. */
static int progress(void *context) {
  calls++;
  if (context && calls == last) sqlite3_interrupt(db);
  return !context && calls >= last;
}

static int count(const char *sql) {
  sqlite3_stmt *statement = 0;
  int code = sqlite3_prepare_v2(db, sql, -1, &statement, 0), value = -1;
  printf("  prepare: %d %d %s\n", code, sqlite3_errcode(db), sqlite3_errmsg(db));
  if (statement && sqlite3_step(statement) == SQLITE_ROW) value = sqlite3_column_int(statement, 0);
  if (statement) printf("  rows: %d, finalize: %d\n", value, sqlite3_finalize(statement));
  return value;
}

int main(void) {
  int i;
  char sql[200];
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db, "CREATE TABLE t(a); INSERT INTO t VALUES(1); CREATE VIEW v0 AS SELECT a FROM t", 0,
               0, 0);
  for (i = 0; i < 15; i++) {
    sqlite3_snprintf(sizeof sql, sql,
                     "CREATE VIEW v%d AS SELECT a FROM v%d UNION ALL SELECT a FROM v%d", i + 1, i, i);
    sqlite3_exec(db, sql, 0, 0, 0);
  }
  printf("ended by the handler\n");
  last = 3;
  sqlite3_progress_handler(db, 100, progress, 0);
  count("SELECT count(*) FROM v15");
  printf("  %d calls\n", calls);

  printf("interrupted by the handler\n");
  calls = 0;
  sqlite3_progress_handler(db, 100, progress, db);
  count("SELECT count(*) FROM v15");

  printf("not ended\n");
  calls = 0;
  last = -1;
  sqlite3_progress_handler(db, 100, progress, db);
  count("SELECT count(*) FROM v4");
  sqlite3_progress_handler(db, 0, 0, 0);

  printf("without memory\n");
  sqlite3_hard_heap_limit64(8000000);
  count("SELECT count(*) FROM v15");
  count("SELECT count(*) FROM v4");
  sqlite3_hard_heap_limit64(0);
  printf("close: %d\n", sqlite3_close(db));
  return 0;
}
