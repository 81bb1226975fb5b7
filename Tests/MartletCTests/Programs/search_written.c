/* Scans of FTS5 tables and their vocabularies, while the same connection writes to the table. */
#include <stdio.h>
#include <string.h>
#include "show.h"

static sqlite3 *open_database(const char *sql) {
  sqlite3 *db;
  sqlite3_open(":memory:", &db);
  if (sqlite3_exec(db, sql, 0, 0, 0)) printf("%s\n", sqlite3_errmsg(db));
  return db;
}

/* Runs `change` at the row whose first column is `at`. */
static void scan(sqlite3 *db, const char *sql, int at, const char *change) {
  sqlite3_stmt *statement = 0;
  int rc = sqlite3_prepare_v2(db, sql, -1, &statement, 0), column;
  printf("%s; %s:", sql, change);
  sqlite3_exec(db, "BEGIN", 0, 0, 0);
  while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
    printf(" (");
    for (column = 0; column < sqlite3_column_count(statement); column++)
      printf("%s%s", column ? " " : "", (const char *)sqlite3_column_text(statement, column));
    printf(")");
    if (sqlite3_column_int(statement, 0) == at)
      printf(" %d", sqlite3_exec(db, change, 0, 0, 0));
  }
  printf(" -> %d %s\n", rc, rc == SQLITE_DONE ? "" : sqlite3_errmsg(db));
  sqlite3_finalize(statement);
  sqlite3_exec(db, "ROLLBACK", 0, 0, 0);
}

int main(void) {
  static const char *const changes[] = {
    "DELETE FROM t", "DELETE FROM t WHERE rowid = 200", "DELETE FROM t WHERE rowid = 300",
    "INSERT INTO t(rowid, n) VALUES(250, '3'), (150, '3'), (350, '3')", "UPDATE t SET n = '9 3'",
    "DELETE FROM t; INSERT INTO t(rowid, n) VALUES(50, '3')", "INSERT INTO t(t) VALUES('optimize')",
  };
  static const char *const orders[] = { "", " ORDER BY rowid DESC", " ORDER BY rowid" };
  static const char *const columns[] = { "rowid", "rowid, n" };
  unsigned change, order, column;
  sqlite3 *db = open_database(
      "CREATE VIRTUAL TABLE t USING fts5(n); INSERT INTO t(rowid, n) VALUES(100, '1 2 3 4 5'),"
      "(200, '1 2 3 4'), (300, '2 3 4'), (400, '2 3'), (500, '3')");
  for (change = 0; change < sizeof changes / sizeof *changes; change++)
    for (order = 0; order < 3; order++)
      for (column = 0; column < 2; column++) {
        char sql[200];
        snprintf(sql, sizeof sql, "SELECT %s FROM t WHERE t MATCH '3'%s", columns[column],
            orders[order]);
        scan(db, sql, 300, changes[change]);
      }
  show(db, "INSERT INTO t(t) VALUES('integrity-check')");
  sqlite3_close(db);

  /* What a vocabulary is read from may be gone after the change. */
  db = open_database(
      "CREATE VIRTUAL TABLE t USING fts5(a); CREATE VIRTUAL TABLE v USING fts5vocab(t, instance);"
      "CREATE VIRTUAL TABLE r USING fts5vocab(t, row);"
      "WITH s(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM s WHERE i < 3000)"
      " INSERT INTO t SELECT 'State Emergency Service (SES), Rural Fire Service (RFS) and Volunteers' FROM s");
  show(db, "INSERT INTO t SELECT rowid FROM v");
  show(db, "SELECT count(*) FROM t");
  show(db, "INSERT INTO t SELECT randomblob(3000) FROM v");
  show(db, "INSERT INTO t SELECT term FROM r");
  show(db, "SELECT count(*) FROM t");
  show(db, "SELECT group_concat(term) FROM r");
  show(db, "INSERT INTO t(t) VALUES('integrity-check')");
  sqlite3_close(db);
  return 0;
}
