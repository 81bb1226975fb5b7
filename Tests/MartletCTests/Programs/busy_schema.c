/* DDL whose commit is busy, beside a query of the same connection: the query goes on. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "sqlite3.h"

static int run(sqlite3 *db, const char *sql) {
  int code = sqlite3_exec(db, sql, 0, 0, 0);
  printf("%s: %d %s\n", sql, code, code ? sqlite3_errmsg(db) : "");
  return code;
}

static void step(sqlite3_stmt *statement, sqlite3 *db) {
  int code = sqlite3_step(statement);
  if (code == SQLITE_ROW) printf("row %d\n", sqlite3_column_int(statement, 0));
  else printf("step %d %s\n", code, sqlite3_errmsg(db));
}

static const char *changes[] = {"CREATE TABLE made(x)", "CREATE INDEX made ON t(a)", "DROP TABLE other",
    "ALTER TABLE t ADD COLUMN b DEFAULT 3", "INSERT INTO t VALUES(9)"};

int main(void) {
  int i;
  for (i = 0; i < (int)(sizeof changes / sizeof *changes); i++) {
    sqlite3 *first, *second;
    sqlite3_stmt *query, *held;
    unlink("busy_schema.db");
    sqlite3_open("busy_schema.db", &first);
    sqlite3_open("busy_schema.db", &second);
    run(first, "PRAGMA journal_mode = DELETE");
    run(first, "CREATE TABLE t(a); CREATE TABLE other(y); INSERT INTO t VALUES(1), (2), (3), (4)");
    sqlite3_prepare_v2(second, "SELECT a FROM t", -1, &held, 0);
    step(held, second);
    sqlite3_prepare_v2(first, "SELECT a FROM t WHERE a > 0", -1, &query, 0);
    step(query, first);
    run(first, changes[i]);
    step(query, first);
    sqlite3_finalize(held);
    step(query, first);
    run(first, changes[i]);
    step(query, first);
    step(query, first);
    sqlite3_finalize(query);
    run(first, "SELECT count(*) FROM sqlite_schema");
    sqlite3_close(first);
    sqlite3_close(second);
  }
  unlink("busy_schema.db");
  return 0;
}
