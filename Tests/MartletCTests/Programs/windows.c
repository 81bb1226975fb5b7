/* Window functions of the program: which of their methods are called for which row, and what becomes
   of the errors of each. */
#include <stdio.h>
#include <string.h>

#include "sqlite3.h"

static sqlite3 *db;
static char failing;
static int failsFrom, count;

static int row(void *unused, int count, char **values, char **names) {
  int i;
  for (i = 0; i < count; i++) printf("%s%s", i ? "|" : "  ", values[i] ? values[i] : "NULL");
  printf("\n");
  return 0;
}

static void called(sqlite3_context *context, char method) {
  sqlite3_int64 *sum = sqlite3_aggregate_context(context, method == 's' ? sizeof *sum : 0);
  printf(" %c", method);
  if (method == 'f' || method == 'v') sqlite3_result_int64(context, sum ? *sum : -1);
  if (method == failing && ++count >= failsFrom) {
    if (failsFrom == 1) sqlite3_result_error(context, "refused", -1);
    else sqlite3_result_error_code(context, SQLITE_TOOBIG);
  }
}

static void step(sqlite3_context *context, int argumentCount, sqlite3_value **values) {
  sqlite3_int64 *sum = sqlite3_aggregate_context(context, sizeof *sum);
  *sum += sqlite3_value_int64(values[0]);
  called(context, 's');
}
static void inverse(sqlite3_context *context, int argumentCount, sqlite3_value **values) {
  sqlite3_int64 *sum = sqlite3_aggregate_context(context, sizeof *sum);
  *sum -= sqlite3_value_int64(values[0]);
  called(context, 'i');
}
static void value(sqlite3_context *context) { called(context, 'v'); }
static void final(sqlite3_context *context) { called(context, 'f'); }

static void run(const char *sql) {
  int code;
  static const char methods[] = "-svif";
  int i;
  printf("%s\n", sql);
  for (i = 0; methods[i]; i++) {
    for (failsFrom = 1; failsFrom < 4; failsFrom++) {
      failing = methods[i];
      count = 0;
      printf("%c from %d:\n", failing, failsFrom);
      code = sqlite3_exec(db, sql, row, 0, 0);
      printf("  %d %s\n", code, sqlite3_errmsg(db));
      if (failing == '-') break;
    }
  }
}

int main(void) {
  sqlite3_open(":memory:", &db);
  sqlite3_create_window_function(db, "total_of", 1, SQLITE_UTF8, 0, step, final, value, inverse, 0);
  sqlite3_create_function(db, "simple", 1, SQLITE_UTF8, 0, 0, step, final);
  sqlite3_exec(db, "CREATE TABLE t(a, g); INSERT INTO t VALUES(1, 1), (2, 1), (3, 2), (4, 2)", 0,
               0, 0);
  run("SELECT a, total_of(a) OVER (ORDER BY a) FROM t");
  run("SELECT a, total_of(a) OVER (PARTITION BY g ORDER BY a) FROM t");
  run("SELECT a, total_of(a) OVER () FROM t");
  run("SELECT a, total_of(a) OVER (PARTITION BY g) FROM t");
  run("SELECT a, total_of(a) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t");
  run("SELECT a, total_of(a) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING"
      " EXCLUDE CURRENT ROW) FROM t");
  run("SELECT a, total_of(a) FILTER (WHERE a > 2) OVER (ORDER BY a) FROM t");
  run("SELECT total_of(a) FROM t");
  run("SELECT simple(a) FROM t WHERE 0");
  return sqlite3_close(db);
}
