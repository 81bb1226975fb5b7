/* Counters of connections and statements. */
#include <stdio.h>

#include "sqlite3.h"

static sqlite3 *db;

static void run(const char *sql) {
  int code = sqlite3_exec(db, sql, 0, 0, 0);
  if (code != SQLITE_OK) printf("error %d %s\n", code, sqlite3_errmsg(db));
}

static int count(int op, int resets) {
  int current = -1, highest = -1;
  int code = sqlite3_db_status(db, op, &current, &highest, resets);
  if (code != SQLITE_OK) printf("op %d: error %d\n", op, code);
  return current;
}

int main(void) {
  sqlite3_open("status.db", &db);
  run("CREATE TABLE t(a, b); WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c "
      "WHERE i < 5000) INSERT INTO t SELECT i, 'some text for row ' || i FROM c");
  for (int op = 0; op <= 14; op++) {
    int current = -1, highest = -1;
    sqlite3_int64 current64 = -1, highest64 = -1;
    int code = sqlite3_db_status(db, op, &current, &highest, 0);
    int code64 = sqlite3_db_status64(db, op, &current64, &highest64, 0);
    printf("op %d: %d %d", op, code, code64);
    if (op == SQLITE_DBSTATUS_LOOKASIDE_USED || code != SQLITE_OK) printf("\n");
    else printf(" %d %d\n", current >= 0, current == current64);
  }
  printf("negative op %d\n", sqlite3_db_status(db, -1, (int[1]){0}, (int[1]){0}, 0));
  printf("cache used %d, shared the same %d\n", count(SQLITE_DBSTATUS_CACHE_USED, 0) > 4096,
      count(SQLITE_DBSTATUS_CACHE_USED, 0) == count(SQLITE_DBSTATUS_CACHE_USED_SHARED, 0));
  printf("schema used %d\n", count(SQLITE_DBSTATUS_SCHEMA_USED, 0) > 0);
  printf("hits %d\n", count(SQLITE_DBSTATUS_CACHE_HIT, 1) > 0);
  printf("writes %d\n", count(SQLITE_DBSTATUS_CACHE_WRITE, 1) > 10);
  printf("writes after the reset %d\n", count(SQLITE_DBSTATUS_CACHE_WRITE, 0));
  sqlite3_stmt *statement;
  sqlite3_prepare_v2(db, "SELECT * FROM t ORDER BY b", -1, &statement, 0);
  printf("statements %d\n", count(SQLITE_DBSTATUS_STMT_USED, 0) > 0);
  for (int turn = 0; turn < 2; turn++) {
    while (sqlite3_step(statement) == SQLITE_ROW) {}
    sqlite3_reset(statement);
  }
  printf("sorts %d runs %d reprepares %d memory %d\n",
      sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_SORT, 0),
      sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_RUN, 1),
      sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 0),
      sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_MEMUSED, 0) > 0);
  printf("runs after the reset %d\n", sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_RUN, 0));
  run("CREATE TABLE other(x)");
  sqlite3_step(statement);
  printf("reprepares %d\n", sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 0));
  sqlite3_finalize(statement);
  run("PRAGMA foreign_keys = 1; CREATE TABLE p(i INTEGER PRIMARY KEY);"
      "CREATE TABLE c(x REFERENCES p DEFERRABLE INITIALLY DEFERRED)");
  printf("foreign keys %d\n", count(SQLITE_DBSTATUS_DEFERRED_FKS, 0));
  run("BEGIN; INSERT INTO c VALUES(1)");
  printf("foreign keys %d\n", count(SQLITE_DBSTATUS_DEFERRED_FKS, 0));
  run("INSERT INTO p VALUES(1); COMMIT");
  printf("foreign keys %d\n", count(SQLITE_DBSTATUS_DEFERRED_FKS, 0));
  sqlite3_close(db);
  return 0;
}
