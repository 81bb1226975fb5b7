/* sqlite3_overload_function adds what is missing, and changes nothing that is there. */
#include <stdio.h>

#include "sqlite3.h"

static sqlite3 *db;

static void scalar(sqlite3_context *context, int count, sqlite3_value **values) {
  sqlite3_result_int(context, 100 + count);
}
static void step(sqlite3_context *context, int count, sqlite3_value **values) {}
static void final(sqlite3_context *context) { sqlite3_result_text(context, "aggregate", -1, 0); }

static int row(void *unused, int count, char **values, char **names) {
  int i;
  for (i = 0; i < count; i++) printf("%s%s", i ? "|" : " ", values[i] ? values[i] : "NULL");
  return 0;
}

static void call(const char *name, const char *arguments) {
  char sql[100];
  int code;
  snprintf(sql, sizeof sql, "SELECT %s(%s)", name, arguments);
  printf("  %s:", sql);
  code = sqlite3_exec(db, sql, row, 0, 0);
  printf(" %d %s\n", code, code ? sqlite3_errmsg(db) : "");
}

static void overload(const char *name, int count) {
  printf("%s, %d: %d\n", name, count, sqlite3_overload_function(db, name, count));
  call(name, "");
  call(name, "1");
  call(name, "1, 2");
}

int main(void) {
  static const char *names[] = {
    "none", "one", "any", "one_of_any", "total1", "totals", "abs", "ABS", "max", "count",
    "coalesce", "printf", "group_concat", "sum", "window_any",
  };
  static const int counts[] = {-1, 1, 2, -2, 0, -1};
  size_t i, j;
  for (i = 0; i < sizeof names / sizeof *names; i++) {
    for (j = 0; j < sizeof counts / sizeof *counts; j++) {
      sqlite3_open(":memory:", &db);
      sqlite3_create_function(db, "one", 1, SQLITE_UTF8, 0, scalar, 0, 0);
      sqlite3_create_function(db, "any", -1, SQLITE_UTF8, 0, scalar, 0, 0);
      sqlite3_create_function(db, "one_of_any", 1, SQLITE_UTF16LE, 0, scalar, 0, 0);
      sqlite3_create_function(db, "one_of_any", -1, SQLITE_UTF8, 0, scalar, 0, 0);
      sqlite3_create_function(db, "total1", 1, SQLITE_UTF8, 0, 0, step, final);
      sqlite3_create_function(db, "totals", -1, SQLITE_UTF8, 0, 0, step, final);
      sqlite3_create_window_function(db, "window_any", -1, SQLITE_UTF8, 0, step, final, final,
                                     step, 0);
      overload(names[i], counts[j]);
      sqlite3_close(db);
    }
  }
  return 0;
}
