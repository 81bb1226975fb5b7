/* A virtual table that there once was no memory for can be used when there is some again. */
#include <stdio.h>
#include <stdlib.h>
#include "failing_memory.h"

static int left = -1;
/* From the opening of a scan on, there is no memory. */
static int fails_with_scan, fails;

static int has_failed(void) { return fails || (left >= 0 && left-- == 0); }

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
    if (info->aConstraint[i].usable) {
      info->aConstraintUsage[i].argvIndex = ++info->idxNum;
      if (sqlite3_vtab_in(info, i, -1)) sqlite3_vtab_in(info, i, 1);
    }
  return SQLITE_OK;
}

static int open_scan(sqlite3_vtab *table, sqlite3_vtab_cursor **scan) {
  *scan = calloc(1, sizeof **scan);
  fails = fails_with_scan;
  return SQLITE_OK;
}

static int close_scan(sqlite3_vtab_cursor *scan) {
  free(scan);
  return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *scan, int number, const char *text, int count, sqlite3_value **values) {
  int i;
  sqlite3_value *one;
  for (i = 0; i < count; i++) {
    int rc = sqlite3_vtab_in_first(values[i], &one);
    while (rc == SQLITE_OK) rc = sqlite3_vtab_in_next(values[i], &one);
    if (rc == SQLITE_NOMEM) return rc;
  }
  return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *scan) { return SQLITE_OK; }
static int at_end(sqlite3_vtab_cursor *scan) { return 1; }
static int column(sqlite3_vtab_cursor *scan, sqlite3_context *context, int index) { return SQLITE_OK; }
static int rowid(sqlite3_vtab_cursor *scan, sqlite3_int64 *id) { return SQLITE_OK; }
static int update(sqlite3_vtab *table, int count, sqlite3_value **values, sqlite3_int64 *id) { return SQLITE_OK; }

static const sqlite3_module module = {
    1, make, make, plan, end, end, open_scan, close_scan, filter, next, at_end, column, rowid, update};

static sqlite3_stmt *prepare(sqlite3 **db, const char *sql) {
  sqlite3_stmt *statement = 0;
  sqlite3_open(":memory:", db);
  sqlite3_create_module(*db, "m", &module, 0);
  sqlite3_exec(*db, "CREATE VIRTUAL TABLE v USING m; CREATE TABLE t(a); INSERT INTO t VALUES(1), (2)", 0, 0, 0);
  if (sqlite3_prepare_v2(*db, sql, -1, &statement, 0)) printf("%s: %s\n", sql, sqlite3_errmsg(*db));
  return statement;
}

/* The first scan of the process: what it would make to keep, it cannot make. */
static void first(void) {
  sqlite3 *db;
  sqlite3_stmt *statement = prepare(&db, "SELECT a FROM v WHERE b = 1");
  fails_with_scan = 1;
  sqlite3_step(statement);
  fails_with_scan = fails = 0;
  sqlite3_reset(statement);
  printf("the second scan: %d\n", sqlite3_step(statement));
  sqlite3_finalize(statement);
  sqlite3_close(db);
}

static void sweep(const char *sql) {
  int at, wrong = 0, hit = 1;
  for (at = 0; hit && at < 2000; at++) {
    sqlite3 *db;
    sqlite3_stmt *statement = prepare(&db, sql);
    int rc;
    left = at;
    rc = sqlite3_step(statement);
    hit = left < 0;
    left = -1;
    if (rc != SQLITE_NOMEM && rc != SQLITE_DONE) wrong++;
    sqlite3_reset(statement);
    if (sqlite3_step(statement) != SQLITE_DONE) {
      wrong++;
      printf("%s: %d later: %s\n", sql, at, sqlite3_errmsg(db));
    }
    sqlite3_finalize(statement);
    sqlite3_close(db);
  }
  printf("%s: wrong %d\n", sql, wrong);
}

int main(void) {
  sqlite3 *db;
  sqlite3_stmt *statement;
  install_failing_memory(has_failed);
  sqlite3_initialize();
  first();
  sweep("SELECT a FROM v WHERE a = 1 AND b IN (SELECT a FROM t)");
  sweep("INSERT INTO v VALUES(1, 2)");
  sweep("SELECT a FROM v WHERE b = 1");
  /* A column that is not there is a NULL. */
  sqlite3_open(":memory:", &db);
  sqlite3_prepare_v2(db, "SELECT 1", -1, &statement, 0);
  sqlite3_step(statement);
  printf("no column: %d, type %d\n", sqlite3_column_value(statement, 7) != 0,
         sqlite3_value_type(sqlite3_column_value(statement, 7)));
  sqlite3_finalize(statement);
  sqlite3_close(db);
  return 0;
}
