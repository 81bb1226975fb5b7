/* Views and common tables that multiply the tables that they read. */
#include <stdio.h>

#include "sqlite3.h"

static sqlite3 *db;

static void prepare(const char *sql) {
  sqlite3_stmt *statement = 0;
  int code = sqlite3_prepare_v2(db, sql, -1, &statement, 0);
  printf("%s: %d %s\n", sql, code, code ? sqlite3_errmsg(db) : "");
  sqlite3_finalize(statement);
}

int main(void) {
  int i;
  char sql[300];
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db, "CREATE TABLE t(a); CREATE VIEW v0 AS SELECT a FROM t", 0, 0, 0);
  sqlite3_exec(db, "CREATE VIEW w0 AS SELECT a FROM v0", 0, 0, 0);
  for (i = 1; i < 25; i++) {
    snprintf(sql, sizeof sql, "CREATE VIEW v%d AS SELECT a FROM v%d UNION ALL SELECT a FROM v%d", i,
             i - 1, i - 1);
    sqlite3_exec(db, sql, 0, 0, 0);
    snprintf(sql, sizeof sql,
             "CREATE VIEW w%d AS SELECT (SELECT count(*) FROM w%d) + (SELECT count(*) FROM w%d) AS a",
             i, i - 1, i - 1);
    sqlite3_exec(db, sql, 0, 0, 0);
  }
  prepare("SELECT count(*) FROM v12");
  prepare("SELECT count(*) FROM v16");
  prepare("SELECT count(*) FROM v24");
  prepare("SELECT count(*) FROM w12");
  prepare("SELECT count(*) FROM w16");
  prepare("SELECT count(*) FROM w24");
  prepare("SELECT nosuch FROM v12");
  return sqlite3_close(db);
}
