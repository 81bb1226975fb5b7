/* Virtual tables that end the transaction when they are told of a savepoint. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "vtab_empty.h"

static sqlite3 *db;
static const char *statement, *moment;

static int run(const char *sql) {
  char *message = 0;
  int code = sqlite3_exec(db, sql, 0, 0, &message);
  printf("  %s: %d %s\n", sql, code, message ? message : "");
  sqlite3_free(message);
  return code;
}

static int act(const char *now) {
  if (!strcmp(now, moment) && statement) {
    const char *sql = statement;
    statement = 0;
    run(sql);
  }
  return SQLITE_OK;
}

static int update(sqlite3_vtab *table, int count, sqlite3_value **values, sqlite3_int64 *id) {
  *id = 1;
  return SQLITE_OK;
}
static int begin(sqlite3_vtab *table) { return SQLITE_OK; }
static int savepoint(sqlite3_vtab *table, int depth) { return act("savepoint"); }
static int release(sqlite3_vtab *table, int depth) { return act("release"); }
static int rollbackTo(sqlite3_vtab *table, int depth) { return act("rollback to"); }

static sqlite3_module module = {2, connect, connect, best, disconnect, disconnect, openCursor,
                                closeCursor, filter, next, isAtEnd, column, rowid, update, begin,
                                begin, begin, begin, 0, 0, savepoint, release, rollbackTo};

static void attempt(const char *when, const char *sql) {
  printf("%s in '%s'\n", sql, when);
  moment = "";
  sqlite3_open(":memory:", &db);
  sqlite3_create_module(db, "v", &module, 0);
  run("CREATE VIRTUAL TABLE v USING v");
  run("CREATE TABLE t(a)");
  run("BEGIN");
  run("INSERT INTO v VALUES(1)");
  run("SAVEPOINT one");
  run("INSERT INTO t VALUES(1)");
  run("SAVEPOINT two");
  moment = when;
  statement = sql;
  run("ROLLBACK TO one");
  run("RELEASE one");
  moment = "";
  printf("  autocommit: %d\n", sqlite3_get_autocommit(db));
  if (!sqlite3_get_autocommit(db)) run("COMMIT");
  printf("closed: %d\n", sqlite3_close(db));
}

int main(void) {
  const char *moments[] = {"release", "rollback to"};
  const char *statements[] = {"COMMIT", "ROLLBACK", "RELEASE one", "SELECT * FROM t"};
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 4; j++) attempt(moments[i], statements[j]);
  return 0;
}
