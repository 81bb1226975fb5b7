/* A column of a virtual table that is a pointer, named several times in one expression: each argument has its
   own, which lives as long as the call. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sqlite3.h"

static int numbers[4000], made, alive;

static void drop(void *pointer) { alive--; *(int *)pointer = -9; }

typedef struct { sqlite3_vtab_cursor base; int row; } cursor;

static int connect(sqlite3 *db, void *data, int count, const char *const *words, sqlite3_vtab **table,
    char **message) {
  *table = calloc(1, sizeof **table);
  return sqlite3_declare_vtab(db, "CREATE TABLE x(h, n)");
}
static int disconnect(sqlite3_vtab *table) { free(table); return SQLITE_OK; }
static int best(sqlite3_vtab *table, sqlite3_index_info *info) { return SQLITE_OK; }
static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **made) {
  *made = calloc(1, sizeof(cursor));
  return SQLITE_OK;
}
static int close_cursor(sqlite3_vtab_cursor *base) { free(base); return SQLITE_OK; }
static int filter(sqlite3_vtab_cursor *base, int number, const char *text, int count, sqlite3_value **values) {
  ((cursor *)base)->row = 0;
  return SQLITE_OK;
}
static int next(sqlite3_vtab_cursor *base) { ((cursor *)base)->row++; return SQLITE_OK; }
static int at_end(sqlite3_vtab_cursor *base) { return ((cursor *)base)->row >= 2; }
static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int index) {
  if (index == 0) {
    int *number = &numbers[made++ % 4000];
    *number = ((cursor *)base)->row + 7;
    alive++;
    sqlite3_result_pointer(context, number, "int", drop);
  } else {
    sqlite3_result_int(context, ((cursor *)base)->row);
  }
  return SQLITE_OK;
}
static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *result) {
  *result = ((cursor *)base)->row;
  return SQLITE_OK;
}

static void get(sqlite3_context *context, int count, sqlite3_value **values) {
  char text[200] = "";
  int index;
  for (index = 0; index < count; index++) {
    int *number = sqlite3_value_pointer(values[index], "int");
    snprintf(text + strlen(text), sizeof text - strlen(text), "%d ", number ? *number : -1);
  }
  sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

static int show(void *data, int count, char **values, char **names) {
  int index;
  for (index = 0; index < count; index++) printf(" %s|", values[index] ? values[index] : "NULL");
  return 0;
}

int main(void) {
  static const char *const texts[] = {
    "SELECT get(h) FROM m", "SELECT get(h, h) FROM m", "SELECT get(h, h || 'x', h, n, h) FROM m",
    "SELECT get(a.h, b.h, a.h) FROM m a, m b", "SELECT get(h, k) FROM (SELECT h, h AS k FROM m)",
    "SELECT get(h, (SELECT get(h, h))) FROM m", "SELECT get(h), get(h, h) FROM m WHERE get(h) <> get(h, h)",
    "SELECT count(*) FROM m a, m b, (WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s"
    " WHERE i < 2000) SELECT i FROM s) WHERE get(a.h, b.h) <> ''",
  };
  unsigned index;
  sqlite3_module module;
  sqlite3 *db;
  memset(&module, 0, sizeof module);
  module.xConnect = connect;
  module.xDisconnect = disconnect;
  module.xBestIndex = best;
  module.xOpen = open_cursor;
  module.xClose = close_cursor;
  module.xFilter = filter;
  module.xNext = next;
  module.xEof = at_end;
  module.xColumn = column;
  module.xRowid = rowid;
  sqlite3_open(":memory:", &db);
  sqlite3_create_module(db, "m", &module, 0);
  sqlite3_create_function(db, "get", -1, SQLITE_UTF8, 0, get, 0, 0);
  for (index = 0; index < sizeof texts / sizeof *texts; index++) {
    char *message = 0;
    printf("%s:", texts[index]);
    if (sqlite3_exec(db, texts[index], show, 0, &message)) printf(" %s", message);
    printf(" alive %d\n", alive);
    sqlite3_free(message);
  }
  sqlite3_close(db);
  return 0;
}
