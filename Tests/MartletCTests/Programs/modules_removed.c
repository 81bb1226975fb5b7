/* Modules that a null takes away, be they the library's own; extensions that are registered before
   anything else, and that change the list of extensions while a connection is opened. */
#include <stdio.h>
#include "sqlite3.h"

static void run(sqlite3 *db, const char *sql) {
  int rc = sqlite3_exec(db, sql, 0, 0, 0);
  printf("  %s: %d %s\n", sql, rc, sqlite3_errmsg(db));
}

static int first(sqlite3 *db, char **message, const sqlite3_api_routines *api);

static int third(sqlite3 *db, char **message, const sqlite3_api_routines *api) {
  printf("third\n");
  return SQLITE_OK;
}

static int second(sqlite3 *db, char **message, const sqlite3_api_routines *api) {
  printf("second\n");
  return SQLITE_OK;
}

static int first(sqlite3 *db, char **message, const sqlite3_api_routines *api) {
  printf("first\n");
  sqlite3_cancel_auto_extension((void (*)(void))second);
  sqlite3_auto_extension((void (*)(void))third);
  return SQLITE_OK;
}

int main(void) {
  static const char *const names[] = {
    "sqlite_dbpage", "json_each", "JSON_TREE", "dbstat", "sqlite_stmt", "pragma_table_list", "fts5", "rtree",
  };
  unsigned index;
  sqlite3 *db;
  printf("before the library: %d\n", sqlite3_auto_extension((void (*)(void))second));
  sqlite3_shutdown();
  sqlite3_open(":memory:", &db);
  for (index = 0; index < sizeof names / sizeof *names; index++) {
    char sql[100];
    snprintf(sql, sizeof sql, index < 6 ? "SELECT * FROM %s" : "CREATE VIRTUAL TABLE x USING %s(a, b, c)",
        names[index]);
    printf("%s: %d\n", names[index], sqlite3_create_module(db, names[index], 0, 0));
    run(db, sql);
  }
  sqlite3_close(db);
  sqlite3_auto_extension((void (*)(void))first);
  sqlite3_auto_extension((void (*)(void))second);
  sqlite3_open(":memory:", &db);
  sqlite3_close(db);
  sqlite3_open(":memory:", &db);
  sqlite3_close(db);
  sqlite3_reset_auto_extension();
  return 0;
}
