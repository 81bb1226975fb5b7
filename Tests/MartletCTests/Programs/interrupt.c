/* Interrupts between two steps, from functions and while other statements run: also statements whose
   programs have no loop see them. */
#include <stdio.h>

#include "sqlite3.h"

static sqlite3 *db;

static void show(const char *name, int code) {
  printf("  %s: %d %d %s, %d\n", name, code, sqlite3_errcode(db), sqlite3_errmsg(db),
         sqlite3_is_interrupted(db));
}

/* With the row of a statement that was compiled again, SQLite shows the text of the older error. */
static void last(const char *sql, int code) {
  if (sql[0] == 'P') printf("  step: %d\n", code);
  else show("step", code);
}

static sqlite3_stmt *prepare(const char *sql) {
  sqlite3_stmt *statement = 0;
  int code = sqlite3_prepare_v2(db, sql, -1, &statement, 0);
  if (code) show(sql, code);
  return statement;
}

static void interrupt(sqlite3_context *context, int count, sqlite3_value **values) {
  sqlite3_interrupt(sqlite3_context_db_handle(context));
  sqlite3_result_int(context, 7);
}

static void steps(const char *sql, int interruptedAfter) {
  sqlite3_stmt *statement = prepare(sql);
  int i, code = SQLITE_ROW;
  printf("%s, after %d\n", sql, interruptedAfter);
  for (i = 0; i < 5 && code == SQLITE_ROW; i++) {
    if (i == interruptedAfter) sqlite3_interrupt(db);
    code = sqlite3_step(statement);
    show("step", code);
  }
  show("reset", sqlite3_reset(statement));
  last(sql, sqlite3_step(statement));
  show("finalize", sqlite3_finalize(statement));
}

/* Another statement is at a row. */
static void beside(const char *sql) {
  sqlite3_stmt *row = prepare("SELECT a FROM t"), *ready = prepare(sql), *other;
  printf("beside: %s\n", sql);
  sqlite3_step(row);
  sqlite3_interrupt(db);
  show("interrupted", 0);
  show("step", sqlite3_step(ready));
  show("again", sqlite3_step(ready));
  other = prepare("SELECT 2");
  sqlite3_finalize(other);
  show("row", sqlite3_step(row));
  other = prepare("SELECT 3");
  sqlite3_finalize(other);
  last(sql, sqlite3_step(ready));
  sqlite3_finalize(ready);
  sqlite3_finalize(row);
}

int main(void) {
  static const char *statements[] = {
    "SELECT 1",
    "VALUES(1), (2), (3)",
    "SELECT 1 UNION ALL SELECT 2",
    "SELECT stop()",
    "SELECT stop() UNION ALL SELECT 2",
    "SELECT a FROM t",
    "SELECT a, stop() FROM t",
    "SELECT a FROM t ORDER BY b",
    "SELECT a FROM t WHERE rowid = 2",
    "SELECT count(*) FROM t",
    "INSERT INTO t VALUES(9, 9) RETURNING a",
    "INSERT INTO t VALUES(stop(), 9)",
    "UPDATE t SET b = 3 WHERE rowid = 1",
    "EXPLAIN SELECT 1",
    "PRAGMA user_version",
    "BEGIN",
    "COMMIT",
    "CREATE TABLE u(a)",
    "DROP TABLE u",
  };
  size_t i;
  int after;
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db, "CREATE TABLE t(a, b); INSERT INTO t VALUES(1, 3), (2, 2), (3, 1)", 0, 0, 0);
  sqlite3_create_function(db, "stop", 0, SQLITE_UTF8, 0, interrupt, 0, 0);
  for (i = 0; i < sizeof statements / sizeof *statements; i++) {
    if (statements[i][0] == 'E') continue;
    for (after = -1; after < 2; after++) steps(statements[i], after);
    beside(statements[i]);
    sqlite3_exec(db, "DELETE FROM t WHERE a > 3; ROLLBACK; DROP TABLE IF EXISTS u", 0, 0, 0);
  }
  sqlite3_interrupt(db);
  show("nothing runs", 0);
  sqlite3_finalize(prepare("SELECT 1"));
  show("prepared", 0);
  sqlite3_interrupt(db);
  show("exec", sqlite3_exec(db, "SELECT 1; SELECT 2", 0, 0, 0));
  show("exec", sqlite3_exec(db, "SELECT stop(); SELECT 2", 0, 0, 0));
  printf("%d\n", sqlite3_close(db));
  return 0;
}
