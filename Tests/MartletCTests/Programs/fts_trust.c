/* Names in the definition of a full-text table: functions and tables that a view may not use either. */
#include <sqlite3.h>
#include <stdio.h>

static int called;

static void copy(sqlite3_context *context, int count, sqlite3_value **values) {
  called++;
  sqlite3_result_value(context, values[0]);
}

static sqlite3 *db;

static int print(void *data, int count, char **values, char **names) {
  for (int i = 0; i < count; i++) printf(" %s", values[i] ? values[i] : "NULL");
  printf("\n");
  return 0;
}

static void run(const char *sql) {
  char *message = 0;
  int before = called;
  int code = sqlite3_exec(db, sql, print, 0, &message);
  printf("%s: %d %s, called %d times\n", sql, code, message ? message : "", called - before);
  sqlite3_free(message);
}

static void define(const char *name, int flags) {
  sqlite3_create_function(db, name, 1, SQLITE_UTF8 | flags, 0, copy, 0, 0);
}

static void show(const char *title, int flags, const char *setting) {
  printf("-- %s\n", title);
  sqlite3_open(":memory:", &db);
  define("pack", SQLITE_INNOCUOUS);
  define("unpack", SQLITE_INNOCUOUS);
  run("CREATE VIRTUAL TABLE v USING fts4(x, compress=pack, uncompress=unpack)");
  run("INSERT INTO v VALUES ('one two')");
  run("SELECT * FROM v");
  define("pack", flags);
  run(setting);
  run("INSERT INTO v VALUES ('three')");
  run("SELECT * FROM v");
  define("unpack", flags);
  run("SELECT * FROM v");
  run("SELECT * FROM v WHERE v MATCH 'one'");
  define("pack", SQLITE_INNOCUOUS);
  define("unpack", SQLITE_INNOCUOUS);
  run("INSERT INTO v VALUES ('four')");
  run("SELECT * FROM v");
  sqlite3_close(db);
}

int main(void) {
  show("for direct use only", SQLITE_DIRECTONLY, "SELECT 1");
  show("not trusted", 0, "PRAGMA trusted_schema = OFF");
  show("trusted", 0, "SELECT 1");
  return 0;
}
