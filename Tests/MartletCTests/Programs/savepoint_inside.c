/* A function that a change calls, and that goes back to a savepoint from before it: the change ends
   with "abort due to ROLLBACK", and leaves nothing behind; queries go on. */
#include <stdio.h>
#include "sqlite3.h"

static void go_back(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  if (sqlite3_value_int(values[0]) == 2) {
    sqlite3 *db = sqlite3_context_db_handle(context);
    printf(" (%d)", sqlite3_exec(db, "ROLLBACK TO s", 0, 0, 0));
  }
  sqlite3_result_value(context, values[0]);
}

static void run(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = 0;
  int rc = sqlite3_prepare_v2(db, sql, -1, &statement, 0);
  printf("  %s:", sql);
  while (statement && (rc = sqlite3_step(statement)) == SQLITE_ROW)
    printf(" %s", (const char *)sqlite3_column_text(statement, 0));
  printf(" -> %d %s\n", rc, rc == SQLITE_DONE ? "" : sqlite3_errmsg(db));
  sqlite3_finalize(statement);
}

static const char *changes[] = {"UPDATE t SET b = f(a)", "DELETE FROM t WHERE f(a) > 1",
    "INSERT INTO t VALUES(2, 'again') ON CONFLICT DO UPDATE SET b = f(2)",
    "CREATE TABLE t2 AS SELECT f(a) FROM t", "SELECT f(a) FROM t",
    "SELECT sum(f(a)) OVER (ORDER BY a) FROM t"};

int main(void) {
  int i;
  for (i = 0; i < 6; i++) {
    sqlite3 *db;
    sqlite3_open(":memory:", &db);
    sqlite3_create_function(db, "f", 1, SQLITE_UTF8, 0, go_back, 0, 0);
    run(db, "CREATE TABLE t(a INTEGER PRIMARY KEY, b)");
    run(db, "INSERT INTO t VALUES(1, 'x'), (2, 'y'), (3, 'z')");
    run(db, "SAVEPOINT r");
    run(db, "INSERT INTO t VALUES(4, 'r')");
    run(db, "SAVEPOINT s");
    run(db, "INSERT INTO t VALUES(5, 's')");
    run(db, changes[i]);
    run(db, "SELECT group_concat(a || b) FROM t");
    run(db, "INSERT INTO t VALUES(6, 'after')");
    run(db, "RELEASE r");
    run(db, "SELECT group_concat(a || b) FROM t");
    run(db, "PRAGMA integrity_check");
    sqlite3_close(db);
  }
  return 0;
}
