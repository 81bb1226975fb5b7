/* Counters of connections and statements. */
#include <stdio.h>

#include <string.h>
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

/* Steps of full scans, rows of automatic indexes, and that instructions are counted. */
static void scans(void) {
  static const char *const statements[] = {
    "SELECT count(a) FROM s",
    "SELECT a FROM s WHERE b = 5",
    "SELECT a FROM s WHERE i = 5",
    "SELECT a FROM s WHERE i > 5",
    "SELECT a FROM s WHERE rowid = 5",
    "SELECT a FROM s WHERE rowid BETWEEN 5 AND 9",
    "SELECT i FROM s ORDER BY i",
    "SELECT i FROM s ORDER BY i DESC",
    "SELECT a FROM s ORDER BY rowid DESC LIMIT 10",
    "SELECT a FROM s ORDER BY a, b",
    "SELECT a FROM s ORDER BY i, a",
    "SELECT a FROM s ORDER BY i, a LIMIT 4 OFFSET 2",
    "SELECT a FROM s WHERE i = 900 ORDER BY i, a",
    "SELECT b, sum(a) FROM s GROUP BY b",
    "SELECT i, sum(i) FROM s GROUP BY i",
    "SELECT sum(a) FROM s",
    "SELECT count(*), avg(b), max(b) FROM s",
    "SELECT x.a FROM s x, o y WHERE x.a = y.p",
    "SELECT x.a FROM s x LEFT JOIN o y ON x.a = y.p",
    "SELECT a FROM s WHERE b IN (SELECT p FROM o)",
    "SELECT a FROM s WHERE EXISTS (SELECT 1 FROM o WHERE p = b)",
    "SELECT a FROM (SELECT a FROM s UNION ALL SELECT p FROM o)",
    "SELECT a FROM s UNION SELECT p FROM o",
    "INSERT INTO o SELECT a, b FROM s WHERE b = 7",
    "UPDATE s SET b = b + 1 WHERE b < 5",
    "UPDATE s SET i = i + 1",
    "DELETE FROM s WHERE b = 3",
    "DELETE FROM o",
    "SELECT k FROM w",
    "SELECT v FROM w WHERE k = 'k5'",
  };
  run("CREATE TABLE s(a, b, i); CREATE INDEX si ON s(i); CREATE TABLE o(p, q);"
      "CREATE TABLE w(k PRIMARY KEY, v) WITHOUT ROWID;"
      "WITH RECURSIVE c(n) AS (VALUES(1) UNION ALL SELECT n + 1 FROM c WHERE n < 100) "
      "INSERT INTO s SELECT n, n % 10, n FROM c; INSERT INTO o SELECT a, b FROM s WHERE a < 50;"
      "INSERT INTO w SELECT 'k' || a, b FROM s");
  for (size_t index = 0; index < sizeof statements / sizeof statements[0]; index++) {
    sqlite3_stmt *statement;
    sqlite3_prepare_v2(db, statements[index], -1, &statement, 0);
    while (sqlite3_step(statement) == SQLITE_ROW) {}
    printf("%s: scan %d", statements[index],
        sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0));
    printf(" automatic %d", sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_AUTOINDEX, 0));
    if (strstr(statements[index], "ORDER BY"))
      printf(" sorts %d", sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_SORT, 0));
    printf(" steps %d", sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1) > 0);
    sqlite3_reset(statement);
    while (sqlite3_step(statement) == SQLITE_ROW) {}
    printf(", again: %d", sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1));
    printf(" steps %d", sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1) > 0);
    printf(", then %d %d\n", sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0),
        sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0));
    sqlite3_finalize(statement);
  }
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
  scans();
  sqlite3_close(db);
  return 0;
}
