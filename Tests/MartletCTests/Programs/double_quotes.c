/* Names in double quotes that are no columns are strings; the log is warned of them (quirks §8). */
#include <stdio.h>
#include <string.h>
#include "sqlite3.h"

static void tell(void *data, int code, const char *message) {
  (void)data;
  if (code == SQLITE_WARNING) printf("  log %d %s\n", code, message);
}

static const char *statements[] = {"SELECT \"hello\"", "CREATE TABLE t(a, b)",
    "SELECT * FROM t WHERE a = \"x\"\"y\" AND b = \"zz\"", "SELECT \"a\" FROM t",
    "INSERT INTO t VALUES(\"q\", \"it's\")", "CREATE VIEW v AS SELECT \"nocol\" FROM t",
    "CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT \"tr\"; END",
    "INSERT INTO t VALUES(1, 2)", "UPDATE t SET a = \"u\"", "SELECT \"one\", \"one\"",
    "SELECT a FROM t GROUP BY \"g\"", "SELECT \"\"", "SELECT [nosuch]", "SELECT a AS \"x\" FROM t",
    "SELECT 1 AS x ORDER BY \"y\"", "DELETE FROM t WHERE \"d\" IN (\"e\")"};

int main(void) {
  sqlite3 *db;
  int i;
  sqlite3_config(SQLITE_CONFIG_LOG, tell, (void *)0);
  sqlite3_open(":memory:", &db);
  for (i = 0; i < (int)(sizeof statements / sizeof *statements); i++) {
    printf("%s\n", statements[i]);
    sqlite3_exec(db, statements[i], 0, 0, 0);
  }
  sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, 0);
  printf("%d\n", sqlite3_exec(db, "SELECT \"off\"", 0, 0, 0));
  return sqlite3_close(db);
}
