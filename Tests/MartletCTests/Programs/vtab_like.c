/* A virtual table may have numbers in a column that is declared as text: LIKE and GLOB are asked of
   each row, and no bounds are made of their patterns where these may be numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "show.h"

static int connect(sqlite3 *db, void *data, int argc, const char *const *argv, sqlite3_vtab **table,
                   char **message) {
  *table = calloc(1, sizeof **table);
  return sqlite3_declare_vtab(db, "CREATE TABLE x(a INTEGER, b TEXT, c)");
}

static int disconnect(sqlite3_vtab *table) {
  free(table);
  return SQLITE_OK;
}

static int plan(sqlite3_vtab *table, sqlite3_index_info *info) {
  int index;
  for (index = 0; index < info->nConstraint; index++)
    printf(" [%d %d %d]", info->aConstraint[index].iColumn, info->aConstraint[index].op,
           info->aConstraint[index].usable);
  info->estimatedCost = 100;
  return SQLITE_OK;
}

typedef struct {
  sqlite3_vtab_cursor base;
  int row;
} cursor;

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **result) {
  *result = calloc(1, sizeof(cursor));
  return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *place) {
  free(place);
  return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *place, int number, const char *text, int argc, sqlite3_value **argv) {
  ((cursor *)place)->row = 0;
  return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *place) {
  ((cursor *)place)->row++;
  return SQLITE_OK;
}

static int eof(sqlite3_vtab_cursor *place) {
  return ((cursor *)place)->row >= 6;
}

static int column(sqlite3_vtab_cursor *place, sqlite3_context *context, int index) {
  int row = ((cursor *)place)->row;
  if (index == 0) sqlite3_result_int(context, row);
  else if (row == 0) sqlite3_result_int(context, 8);
  else if (row == 1) sqlite3_result_text(context, "8x", -1, SQLITE_STATIC);
  else if (row == 2) sqlite3_result_int(context, 80);
  else if (row == 3) sqlite3_result_double(context, 8.5);
  else if (row == 4) sqlite3_result_blob(context, "88", 2, SQLITE_STATIC);
  else sqlite3_result_text(context, "abc", -1, SQLITE_STATIC);
  return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *place, sqlite3_int64 *result) {
  *result = ((cursor *)place)->row;
  return SQLITE_OK;
}

int main(void) {
  static sqlite3_module module;
  const char *statements[] = {
      "SELECT a FROM v WHERE b LIKE '8%'", "SELECT a FROM v WHERE b GLOB '8*'",
      "SELECT a FROM v WHERE c LIKE '8%'", "SELECT a FROM v WHERE b LIKE 'ab%'",
      "SELECT a FROM v WHERE b GLOB 'ab*'", "SELECT a FROM v WHERE b LIKE '8'",
      "SELECT a FROM v JOIN t ON b LIKE '8%' AND x LIKE '8%'", "SELECT x FROM t WHERE x LIKE '8%'"};
  size_t index;
  sqlite3 *db;
  module.xConnect = connect;
  module.xBestIndex = plan;
  module.xDisconnect = disconnect;
  module.xOpen = open_cursor;
  module.xClose = close_cursor;
  module.xFilter = filter;
  module.xNext = next;
  module.xEof = eof;
  module.xColumn = column;
  module.xRowid = rowid;
  sqlite3_open(":memory:", &db);
  sqlite3_create_module(db, "v", &module, 0);
  sqlite3_exec(db, "CREATE TABLE t(x TEXT); INSERT INTO t VALUES(8),('8x'),('9')", 0, 0, 0);
  for (index = 0; index < sizeof statements / sizeof *statements; index++) show(db, statements[index]);
  sqlite3_close(db);
  return 0;
}
