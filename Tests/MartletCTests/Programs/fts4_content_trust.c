/* The content of an FTS4 table is read as a schema's own statement: not by tables that only the
** program itself may use. */
#include <stdio.h>
#include "sqlite3.h"

static int print(void *prefix, int count, char **values, char **names) {
  for (int i = 0; i < count; i++) printf(" %s", values[i] ? values[i] : "NULL");
  printf("\n");
  return 0;
}

static void run(sqlite3 *db, const char *sql) {
  char *message = 0;
  int code = sqlite3_exec(db, sql, print, 0, &message);
  printf("%s: %d %s\n", sql, code, message ? message : "");
  sqlite3_free(message);
}

int main(void) {
  sqlite3 *db;
  sqlite3_open(":memory:", &db);
  for (int trusted = 0; trusted < 2; trusted++) {
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, trusted, (int *)0);
    run(db, "CREATE VIRTUAL TABLE p USING fts4(data, content=sqlite_dbpage)");
    run(db, "INSERT INTO p(p) VALUES('rebuild')");
    run(db, "INSERT INTO p(p) VALUES('integrity-check')");
    run(db, "SELECT count(*) FROM p");
    run(db, "SELECT * FROM p WHERE p MATCH 'a'");
    run(db, "CREATE TABLE source(data); INSERT INTO source VALUES('a b'), ('c')");
    run(db, "CREATE VIRTUAL TABLE t USING fts4(data, content=source)");
    run(db, "INSERT INTO t(t) VALUES('rebuild')");
    run(db, "INSERT INTO t(t) VALUES('integrity-check')");
    run(db, "SELECT * FROM t WHERE t MATCH 'a'");
    run(db, "DROP TABLE t; DROP TABLE source; DROP TABLE p");
  }
  return sqlite3_close(db);
}
