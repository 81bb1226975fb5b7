/* A function that a change calls, and that goes back to a savepoint from before it: the change ends
   with "abort due to ROLLBACK", and leaves nothing behind; queries go on. */
#include <stdio.h>
#include "show.h"

static void go_back(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  if (sqlite3_value_int(values[0]) == 2) {
    sqlite3 *db = sqlite3_context_db_handle(context);
    printf(" (%d)", sqlite3_exec(db, "ROLLBACK TO s", 0, 0, 0));
  }
  sqlite3_result_value(context, values[0]);
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
    show(db, "CREATE TABLE t(a INTEGER PRIMARY KEY, b)");
    show(db, "INSERT INTO t VALUES(1, 'x'), (2, 'y'), (3, 'z')");
    show(db, "SAVEPOINT r");
    show(db, "INSERT INTO t VALUES(4, 'r')");
    show(db, "SAVEPOINT s");
    show(db, "INSERT INTO t VALUES(5, 's')");
    show(db, changes[i]);
    show(db, "SELECT group_concat(a || b) FROM t");
    show(db, "INSERT INTO t VALUES(6, 'after')");
    show(db, "RELEASE r");
    show(db, "SELECT group_concat(a || b) FROM t");
    show(db, "PRAGMA integrity_check");
    sqlite3_close(db);
  }
  return 0;
}
