/* What a virtual table is called with: whose functions take the place of others, and the words of its
   constructor when memory runs out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failing_memory.h"
#include "show.h"

static int remaining = -1, missing;

static int has_failed(void) { return remaining > 0 && --remaining == 0; }

static int make(sqlite3 *db, void *data, int count, const char *const *words, sqlite3_vtab **table, char **message) {
  int i;
  for (i = 0; i < count; i++) missing += words[i] == 0;
  *table = calloc(1, sizeof **table);
  i = sqlite3_declare_vtab(db, "CREATE TABLE x(a, b)");
  if (i) {
    free(*table);
    *table = 0;
  }
  return i;
}

static int end(sqlite3_vtab *table) {
  free(table);
  return SQLITE_OK;
}

static int plan(sqlite3_vtab *table, sqlite3_index_info *info) { return SQLITE_OK; }

struct scan {
  sqlite3_vtab_cursor base;
  int row;
};

static int openScan(sqlite3_vtab *table, sqlite3_vtab_cursor **scan) {
  *scan = calloc(1, sizeof(struct scan));
  return SQLITE_OK;
}

static int closeScan(sqlite3_vtab_cursor *scan) {
  free(scan);
  return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *scan, int number, const char *text, int count, sqlite3_value **values) {
  ((struct scan *)scan)->row = 0;
  return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *scan) {
  ((struct scan *)scan)->row++;
  return SQLITE_OK;
}

static int atEnd(sqlite3_vtab_cursor *scan) { return ((struct scan *)scan)->row > 0; }

static int column(sqlite3_vtab_cursor *scan, sqlite3_context *context, int index) {
  sqlite3_result_int(context, index + 2);
  return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *scan, sqlite3_int64 *id) {
  *id = 1;
  return SQLITE_OK;
}

static void own(sqlite3_context *context, int count, sqlite3_value **values) {
  sqlite3_result_text(context, "own", -1, SQLITE_STATIC);
}

static int find(sqlite3_vtab *table, int count, const char *name,
                void (**function)(sqlite3_context *, int, sqlite3_value **), void **data) {
  if (strcmp(name, "glob") && strcmp(name, "like") && strcmp(name, "regexp") && strcmp(name, "abs")) return 0;
  *function = own;
  return 1;
}

static sqlite3_module module = {.xCreate = make,
                                .xConnect = make,
                                .xBestIndex = plan,
                                .xDisconnect = end,
                                .xDestroy = end,
                                .xOpen = openScan,
                                .xClose = closeScan,
                                .xFilter = filter,
                                .xNext = next,
                                .xEof = atEnd,
                                .xColumn = column,
                                .xRowid = rowid,
                                .xFindFunction = find};

static void overloading(sqlite3 *db) {
  const char *calls[] = {"a GLOB '2'",         "'2' GLOB a",          "glob('2', a)",     "glob(a, '2')",
                         "a LIKE '2'",         "'2' LIKE a",          "like('2', a)",     "like(a, '2')",
                         "a LIKE '2' ESCAPE b", "like(a, '2', b)",     "like('2', a, b)",  "like('2', '2', a)",
                         "a REGEXP '2'",       "regexp(a, '2')",      "abs(a)",           "abs(+a)",
                         "a GLOB b",           "(a || '') GLOB b",    "b NOT LIKE a"};
  char sql[200];
  size_t i;
  show(db, "CREATE VIRTUAL TABLE v USING m(x, 'y z')");
  for (i = 0; i < sizeof calls / sizeof *calls; i++) {
    snprintf(sql, sizeof sql, "SELECT %s FROM v", calls[i]);
    show(db, sql);
  }
}

static void constructing(void) {
  int n, others = 0, failed = 0;
  for (n = 1; n < 300; n++) {
    sqlite3 *db = 0;
    int code;
    sqlite3_open(":memory:", &db);
    sqlite3_create_module(db, "m", &module, 0);
    sqlite3_exec(db, "CREATE TABLE t(a)", 0, 0, 0);
    remaining = n;
    code = sqlite3_exec(db, "CREATE VIRTUAL TABLE v USING m(one, 'two three', four)", 0, 0, 0);
    remaining = -1;
    if (code == SQLITE_NOMEM) failed = 1;
    else if (code) others++;
    sqlite3_close(db);
  }
  printf("failed %d, with other codes %d, words that are missing %d\n", failed, others, missing);
}

int main(void) {
  sqlite3 *db = 0;
  install_failing_memory(has_failed);
  sqlite3_open(":memory:", &db);
  sqlite3_create_module(db, "m", &module, 0);
  overloading(db);
  sqlite3_close(db);
  constructing();
  return 0;
}
