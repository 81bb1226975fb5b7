/* An argument for which there is no memory must not pass for NULL: the statement fails. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failing_memory.h"
#include "show.h"

static int fails, lost;

static int has_failed(void) { return fails; }

/* A long text in the other encoding than the database's: both libraries need memory for it. */
static int isNull(sqlite3_value *value) {
  int found;
  fails = lost > 0;
  found = sqlite3_value_text16(value) != 0;
  fails = 0;
  return !found;
}

static void scalar(sqlite3_context *context, int count, sqlite3_value **values) {
  int null = isNull(values[0]);
  if (count > 1) sqlite3_result_error(context, "an error of its own", -1);
  else sqlite3_result_text(context, null ? "nothing" : "something", -1, SQLITE_STATIC);
}

static void step(sqlite3_context *context, int count, sqlite3_value **values) {
  int *sum = sqlite3_aggregate_context(context, sizeof(int));
  *sum += isNull(values[0]);
}

static void result(sqlite3_context *context) {
  int *sum = sqlite3_aggregate_context(context, sizeof(int));
  sqlite3_result_int(context, sum ? *sum : -1);
}

/* A table of no rows that looks at what it is given. */
static int make(sqlite3 *db, void *data, int count, const char *const *words, sqlite3_vtab **table, char **message) {
  *table = calloc(1, sizeof **table);
  return sqlite3_declare_vtab(db, "CREATE TABLE x(a, b)");
}

static int end(sqlite3_vtab *table) {
  free(table);
  return SQLITE_OK;
}

static int plan(sqlite3_vtab *table, sqlite3_index_info *info) {
  int i;
  for (i = 0; i < info->nConstraint; i++)
    if (info->aConstraint[i].usable && info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ)
      info->aConstraintUsage[i].argvIndex = ++info->idxNum;
  return SQLITE_OK;
}

static int openScan(sqlite3_vtab *table, sqlite3_vtab_cursor **scan) {
  *scan = calloc(1, sizeof **scan);
  return SQLITE_OK;
}

static int closeScan(sqlite3_vtab_cursor *scan) {
  free(scan);
  return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *scan, int number, const char *text, int count, sqlite3_value **values) {
  int i;
  for (i = 0; i < count; i++) isNull(values[i]);
  return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *scan) { return SQLITE_OK; }
static int atEnd(sqlite3_vtab_cursor *scan) { return 1; }
static int column(sqlite3_vtab_cursor *scan, sqlite3_context *context, int index) { return SQLITE_OK; }
static int rowid(sqlite3_vtab_cursor *scan, sqlite3_int64 *id) { return SQLITE_OK; }

static int update(sqlite3_vtab *table, int count, sqlite3_value **values, sqlite3_int64 *id) {
  if (count > 2) isNull(values[2]);
  return SQLITE_OK;
}

static const sqlite3_module module = {
    1, make, make, plan, end, end, openScan, closeScan, filter, next, atEnd, column, rowid, update};

/* What arguments were made is kept for the next call: each time all begins anew. */
static sqlite3 *begin(void) {
  sqlite3 *db;
  sqlite3_open(":memory:", &db);
  sqlite3_create_function(db, "f", -1, SQLITE_UTF8, 0, scalar, 0, 0);
  sqlite3_create_function(db, "g", 1, SQLITE_UTF8, 0, 0, step, result);
  sqlite3_create_module(db, "m", &module, 0);
  sqlite3_exec(db, "CREATE TABLE t(a); INSERT INTO t VALUES (printf('%.9000c', 'x')), (printf('%.8000c', 'y'));"
                   "CREATE TABLE u(a); CREATE VIRTUAL TABLE v USING m", 0, 0, 0);
  return db;
}

int main(void) {
  sqlite3 *db;
  install_failing_memory(has_failed);
  for (lost = 0; lost < 2; lost++) {
    printf("%s memory\n", lost ? "without" : "with");
    db = begin();
    show(db, "SELECT f(a) FROM t");
    show(db, "SELECT f(a, 1) FROM t");
    show(db, "INSERT INTO u SELECT f(a) FROM t");
    show(db, "SELECT count(*) FROM u");
    show(db, "SELECT g(a) FROM t");
    show(db, "SELECT count(*) FROM v WHERE a = (SELECT a FROM t) AND b = 1");
    show(db, "SELECT count(*) FROM v WHERE b = 1");
    show(db, "INSERT INTO v SELECT a, 1 FROM t");
    show(db, "INSERT INTO v VALUES (NULL, 1)");
    lost = -lost;
    show(db, "SELECT f(a) FROM t");
    show(db, "SELECT g(a) FROM t");
    show(db, "INSERT INTO v SELECT a, 1 FROM t");
    lost = -lost;
    sqlite3_close(db);
  }
  return 0;
}
