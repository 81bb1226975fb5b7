/* Virtual tables without rowids: one that may be changed has one column as its key (vtab §2.1.3).
   colUsed has the key, by which joins and OR tell rows from each other. */
#include <stdio.h>
#include <stdlib.h>
#include "sqlite3.h"

static const char *declaration;

static int connect(sqlite3 *db, void *data, int count, const char *const *arguments,
                   sqlite3_vtab **table, char **message) {
  int rc = sqlite3_declare_vtab(db, declaration);
  (void)data, (void)count, (void)arguments, (void)message;
  printf("declared %d\n", rc);
  if (rc == SQLITE_OK) *table = calloc(1, sizeof(sqlite3_vtab));
  return rc;
}

static int disconnect(sqlite3_vtab *table) {
  free(table);
  return SQLITE_OK;
}

static int plan(sqlite3_vtab *table, sqlite3_index_info *info) {
  (void)table;
  info->idxNum = (int)info->colUsed;
  return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor) {
  (void)table;
  *cursor = calloc(1, sizeof(sqlite3_vtab_cursor));
  return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor) {
  free(cursor);
  return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *cursor, int number, const char *text, int count,
                  sqlite3_value **values) {
  (void)cursor, (void)text, (void)count, (void)values;
  printf("  columns %d\n", number);
  return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *cursor) { return (void)cursor, SQLITE_OK; }
static int is_at_end(sqlite3_vtab_cursor *cursor) { return (void)cursor, 1; }

static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int number) {
  (void)cursor, (void)context, (void)number;
  return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *value) {
  (void)cursor;
  *value = 0;
  return SQLITE_OK;
}

static int update(sqlite3_vtab *table, int count, sqlite3_value **values, sqlite3_int64 *value) {
  (void)table, (void)count, (void)values, (void)value;
  return SQLITE_OK;
}

static void run(sqlite3 *db, const char *sql) {
  char *message = 0;
  int rc = sqlite3_exec(db, sql, 0, 0, &message);
  printf("  %s: %d %s\n", sql, rc, message ? message : "");
  sqlite3_free(message);
}

int main(void) {
  static const char *declarations[] = {"CREATE TABLE x(a, b)",
      "CREATE TABLE x(a PRIMARY KEY, b) WITHOUT ROWID",
      "CREATE TABLE x(a, b, PRIMARY KEY(b)) WITHOUT ROWID",
      "CREATE TABLE x(a, b, PRIMARY KEY(a, b)) WITHOUT ROWID",
      "CREATE TABLE x(a, b, PRIMARY KEY(a, a)) WITHOUT ROWID"};
  int i, writes;
  for (writes = 0; writes < 2; writes++) {
    for (i = 0; i < 5; i++) {
      sqlite3_module module = {0};
      sqlite3 *db;
      module.xCreate = module.xConnect = connect;
      module.xDestroy = module.xDisconnect = disconnect;
      module.xBestIndex = plan;
      module.xOpen = open_cursor;
      module.xClose = close_cursor;
      module.xFilter = filter;
      module.xNext = next;
      module.xEof = is_at_end;
      module.xColumn = column;
      module.xRowid = rowid;
      if (writes) module.xUpdate = update;
      sqlite3_open(":memory:", &db);
      sqlite3_create_module(db, "m", &module, 0);
      declaration = declarations[i];
      printf("%s, %s\n", declaration, writes ? "may be changed" : "only read");
      run(db, "CREATE VIRTUAL TABLE t USING m");
      run(db, "SELECT * FROM t WHERE a = 1 AND b = 2");
      run(db, "UPDATE t SET a = 5");
      run(db, "SELECT a FROM t");
      run(db, "SELECT b FROM t WHERE b = 1 OR b = 2");
      run(db, "SELECT 1 FROM (SELECT 1) FULL JOIN t");
      sqlite3_close(db);
    }
  }
  return 0;
}
