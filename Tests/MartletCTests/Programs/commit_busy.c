/* A COMMIT over several databases, one of which somebody else reads: BUSY, and nothing of it is
   committed. What is done then, and what a later COMMIT writes. */
#include <stdio.h>
#include <unistd.h>

#include "show.h"

static void begin(const char *mode, const char *second, sqlite3 **writer, sqlite3 **reader) {
  const char *files[] = {"busy0.db", "busy1.db", "busy2.db"};
  char name[40], sql[200];
  int i, isMemory = mode[0] == ':';
  for (i = 0; i < 3; i++) {
    snprintf(name, sizeof name, "%s-wal", files[i]);
    unlink(name);
    snprintf(name, sizeof name, "%s-journal", files[i]);
    unlink(name);
    unlink(files[i]);
  }
  printf("%s, %s\n", mode, second);
  sqlite3_open(isMemory ? ":memory:" : files[0], writer);
  sqlite3_open(":memory:", reader);
  if (!isMemory) {
    snprintf(sql, sizeof sql, "PRAGMA journal_mode=%s", mode);
    show(*writer, sql);
  }
  show(*writer, "CREATE TABLE t(a)");
  show(*writer, "INSERT INTO t VALUES('old')");
  for (i = 1; i < 3; i++) {
    snprintf(sql, sizeof sql, "ATTACH '%s' AS x%d", files[i], i);
    show(*writer, sql);
    show(*reader, sql);
    snprintf(sql, sizeof sql, "PRAGMA x%d.journal_mode=%s", i, second);
    show(*writer, sql);
    snprintf(sql, sizeof sql, "CREATE TABLE x%d.t%d AS SELECT 'old' AS a", i, i);
    show(*writer, sql);
  }
}

static void compare(sqlite3 *writer, sqlite3 *reader) {
  show(writer, "SELECT t.a || t1.a || t2.a FROM t, t1, t2");
  show(reader, "SELECT t1.a || t2.a || (SELECT count(*) FROM t1) FROM t1, t2 LIMIT 1");
  show(reader, "PRAGMA x1.integrity_check");
  sqlite3_close(reader);
  printf("closed %d\n", sqlite3_close(writer));
}

static sqlite3_stmt *reading(sqlite3 *reader) {
  sqlite3_stmt *statement = 0;
  sqlite3_prepare_v2(reader, "SELECT * FROM t2", -1, &statement, 0);
  printf("reading %d\n", sqlite3_step(statement));
  return statement;
}

static void withTransaction(const char *mode, const char *second, const char *end) {
  sqlite3 *writer = 0, *reader = 0;
  sqlite3_stmt *statement;
  begin(mode, second, &writer, &reader);
  statement = reading(reader);
  show(writer, "BEGIN");
  show(writer, "UPDATE t SET a = 'new'");
  show(writer, "UPDATE t1 SET a = 'new'");
  show(writer, "UPDATE t2 SET a = 'new'");
  show(writer, "COMMIT");
  printf("autocommit %d\n", sqlite3_get_autocommit(writer));
  show(writer,
       "INSERT INTO t1 WITH r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r LIMIT 2000) "
       "SELECT 'more' || n FROM r");
  sqlite3_finalize(statement);
  show(writer, end);
  show(writer, "SELECT count(*) FROM t1");
  compare(writer, reader);
}

static void withTrigger(const char *mode, const char *second) {
  sqlite3 *writer = 0, *reader = 0;
  sqlite3_stmt *statement;
  begin(mode, second, &writer, &reader);
  show(writer,
       "CREATE TEMP TRIGGER r AFTER UPDATE ON main.t BEGIN "
       "UPDATE t1 SET a = 'new'; UPDATE t2 SET a = 'new'; END");
  statement = reading(reader);
  show(writer, "UPDATE t SET a = 'new'");
  printf("autocommit %d\n", sqlite3_get_autocommit(writer));
  sqlite3_finalize(statement);
  compare(writer, reader);
}

int main(void) {
  const char *modes[] = {":memory:", "wal", "delete", "off", "memory", "persist"};
  const char *seconds[] = {"delete", "truncate", "memory", "persist"};
  size_t i, j;
  for (i = 0; i < sizeof modes / sizeof *modes; i++)
    for (j = 0; j < sizeof seconds / sizeof *seconds; j++) {
      withTransaction(modes[i], seconds[j], "COMMIT");
      withTransaction(modes[i], seconds[j], "ROLLBACK");
      withTrigger(modes[i], seconds[j]);
    }
  return 0;
}
