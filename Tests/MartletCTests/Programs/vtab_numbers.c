/* A virtual table that answers with numbers at the ends of their types, and what is made of them. */
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sqlite3.h"

static sqlite3 *db;

/* What the next xBestIndex answers. */
static double cost;
static sqlite3_int64 rows;
static int number, argument, flags, consumed, whole;
static unsigned char omitted;
static sqlite3_int64 rowid;

typedef struct { sqlite3_vtab_cursor base; int position; } Cursor;

static int connectTable(sqlite3 *database, void *data, int count, const char *const *words,
                        sqlite3_vtab **table, char **message) {
  (void)data, (void)count, (void)words, (void)message;
  *table = calloc(1, sizeof **table);
  return sqlite3_declare_vtab(database, "CREATE TABLE x(a, b, c HIDDEN)");
}
static int disconnect(sqlite3_vtab *table) { free(table); return SQLITE_OK; }

static int bestIndex(sqlite3_vtab *table, sqlite3_index_info *info) {
  int i;
  (void)table;
  for (i = 0; i < info->nConstraint; i++) {
    if (!info->aConstraint[i].usable || argument == 0) continue;
    if (info->aConstraint[i].op >= SQLITE_INDEX_CONSTRAINT_LIMIT && argument > 0) continue;
    info->aConstraintUsage[i].argvIndex = argument == 1 ? i + 1 : argument;
    info->aConstraintUsage[i].omit = omitted;
    if (whole != 99) sqlite3_vtab_in(info, i, whole);
  }
  info->estimatedCost = cost;
  info->estimatedRows = rows;
  info->idxNum = number;
  info->idxFlags = flags;
  info->orderByConsumed = consumed;
  return SQLITE_OK;
}

static int openCursor(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor) {
  (void)table;
  *cursor = calloc(1, sizeof(Cursor));
  return SQLITE_OK;
}
static int closeCursor(sqlite3_vtab_cursor *cursor) { free(cursor); return SQLITE_OK; }
static int filter(sqlite3_vtab_cursor *cursor, int index, const char *text, int count,
                  sqlite3_value **values) {
  (void)text;
  ((Cursor *)cursor)->position = 0;
  printf("[filter %d %d%s] ", index, count, values ? "" : " without an array");
  return SQLITE_OK;
}
static int next(sqlite3_vtab_cursor *cursor) { ((Cursor *)cursor)->position++; return SQLITE_OK; }
static int atEnd(sqlite3_vtab_cursor *cursor) { return ((Cursor *)cursor)->position >= 3; }
static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int index) {
  if (index == 1) sqlite3_result_double(context, NAN);
  else sqlite3_result_int(context, ((Cursor *)cursor)->position + index);
  return SQLITE_OK;
}
static int rowID(sqlite3_vtab_cursor *cursor, sqlite3_int64 *result) {
  int position = ((Cursor *)cursor)->position;
  *result = rowid < 0 ? rowid + position : rowid - position;
  return SQLITE_OK;
}
static int update(sqlite3_vtab *table, int count, sqlite3_value **values, sqlite3_int64 *result) {
  (void)table;
  printf("[update %d %lld] ", count,
         count > 0 ? (long long)sqlite3_value_int64(values[0]) : -1);
  *result = rowid;
  return SQLITE_OK;
}

static const sqlite3_module module = {
  .iVersion = 2, .xConnect = connectTable, .xCreate = connectTable, .xBestIndex = bestIndex,
  .xDisconnect = disconnect, .xDestroy = disconnect, .xOpen = openCursor, .xClose = closeCursor,
  .xFilter = filter, .xNext = next, .xEof = atEnd, .xColumn = column, .xRowid = rowID,
  .xUpdate = update,
};

/* Each text is another one, so that the table is asked again. */
static void run(const char *sql) {
  static int number;
  sqlite3_stmt *statement = 0;
  char *text = sqlite3_mprintf("%s -- %d", sql, number++);
  int code = sqlite3_prepare_v2(db, text, -1, &statement, 0);
  sqlite3_free(text);
  printf("> %.60s\n", sql);
  if (code) printf("  prepare %d %s\n", code, sqlite3_errmsg(db));
  if (!statement) return;
  printf("  ");
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    int i;
    /* Of a plan, only what it says. */
    for (i = sqlite3_stmt_isexplain(statement) ? 3 : 0; i < sqlite3_column_count(statement); i++) {
      const char *text = (const char *)sqlite3_column_text(statement, i);
      printf("%s%s", i ? "," : "", text ? text : "NULL");
    }
    printf("; ");
  }
  printf("%d\n", code);
  if (code != SQLITE_DONE) printf("  %s\n", sqlite3_errmsg(db));
  sqlite3_finalize(statement);
}

static void queries(void) {
  run("SELECT a, b, rowid FROM v");
  run("SELECT a FROM v WHERE a = 1");
  run("SELECT a FROM v WHERE a IN (1, 2, 3) ORDER BY a");
  run("SELECT a FROM v WHERE a > 0 AND b < 2 LIMIT 2 OFFSET 1");
  run("SELECT count(*) FROM v AS x, v AS y, v AS z WHERE x.a = y.a AND y.a = z.a");
  run("SELECT t.x, v.a FROM t LEFT JOIN v ON v.a = t.x ORDER BY 1, 2");
  run("SELECT DISTINCT a FROM v GROUP BY a");
  run("SELECT a FROM v WHERE a = 1 OR b = 2 OR a = 3");
}

static void reset(void) {
  cost = 10, rows = 10, number = 0, argument = 1, flags = 0, consumed = 0, omitted = 0;
  whole = 99, rowid = 7;
}

int main(void) {
  static const double costs[] = {-1.0 / 0.0, -1e308, -1, -0.0, 0, 1e-308, 0.5, 1, 1e10, 1e99,
                                 1e300, 1e308, 1.0 / 0.0, NAN};
  static const sqlite3_int64 counts[] = {INT64_MIN, INT64_MIN + 1, -4294967296LL, -1, 0, 1,
                                         4294967296LL, INT64_MAX - 1, INT64_MAX};
  static const int numbers[] = {INT_MIN + 1, -65536, -1, 0, 1, 2, 16, 63, 64, 65536, INT_MAX};
  size_t i;
  sqlite3_open(":memory:", &db);
  sqlite3_create_module(db, "v", &module, 0);
  run("CREATE TABLE t(x)");
  run("INSERT INTO t VALUES(1), (2), (3)");
  for (i = 0; i < sizeof costs / sizeof *costs; i++) {
    reset();
    cost = costs[i];
    printf("cost %g\n", cost);
    queries();
  }
  for (i = 0; i < sizeof counts / sizeof *counts; i++) {
    reset();
    rows = counts[i];
    printf("rows %lld\n", (long long)rows);
    queries();
  }
  for (i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    reset();
    argument = numbers[i];
    printf("argument %d\n", argument);
    queries();
    reset();
    number = numbers[i];
    printf("number %d\n", number);
    queries();
    run("EXPLAIN QUERY PLAN SELECT * FROM v WHERE a = 1");
    reset();
    flags = numbers[i];
    printf("flags %d\n", flags);
    queries();
    run("EXPLAIN QUERY PLAN SELECT * FROM v WHERE a = 1");
    reset();
    whole = numbers[i];
    printf("whole %d\n", whole);
    queries();
    reset();
    consumed = numbers[i];
    omitted = (unsigned char)numbers[i];
    printf("consumed %d\n", consumed);
    queries();
  }
  for (i = 0; i < sizeof counts / sizeof *counts; i++) {
    reset();
    rowid = counts[i];
    printf("rowid %lld\n", (long long)rowid);
    run("SELECT rowid, a FROM v ORDER BY rowid");
    run("INSERT INTO v(a) VALUES(1)");
    printf("last %lld\n", sqlite3_last_insert_rowid(db));
    run("UPDATE v SET a = 2");
    run("DELETE FROM v");
    run("UPDATE v SET rowid = -9223372036854775808");
  }
  {
    /* More terms than there are marks for. */
    char sql[20000] = "SELECT count(*) FROM v WHERE a IN (1, 2)";
    reset();
    omitted = 1;
    whole = 1;
    for (i = 0; i < 100; i++) sprintf(sql + strlen(sql), " AND a <> %d", (int)i + 100);
    run(sql);
    for (i = 0; i < 100; i++) sprintf(sql + strlen(sql), " AND a IN (%d, 1, 2, 3)", (int)i + 100);
    run(sql);
  }
  return sqlite3_close(db);
}
