/* An aggregate without memory for its group must not pass for one that has left a row out: the
   statement fails (c3ref/aggregate_context). */
#include <stdio.h>
#include "failing_memory.h"
#include "show.h"

/* The row at whose step memory fails; 0 means when the result is asked for. */
static int fails, failing_row;

static int has_failed(void) { return fails; }

static int *memory(sqlite3_context *context, int size, int row) {
  int *found;
  fails = row == failing_row;
  found = sqlite3_aggregate_context(context, size);
  fails = 0;
  return found;
}

static void step(sqlite3_context *context, int count, sqlite3_value **values) {
  int *sum = memory(context, sizeof(int), sqlite3_value_int(values[0]));
  if (sum) *sum += sqlite3_value_int(values[0]);
}

static void inverse(sqlite3_context *context, int count, sqlite3_value **values) {
  int *sum = memory(context, sizeof(int), sqlite3_value_int(values[0]));
  if (sum) *sum -= sqlite3_value_int(values[0]);
}

static void value(sqlite3_context *context) {
  int *sum = memory(context, 0, 0);
  sqlite3_result_int(context, sum ? *sum : -1);
}

/* It asks for memory, though no row may have been there. */
static void result(sqlite3_context *context) {
  int *sum = memory(context, sizeof(int), 0);
  sqlite3_result_int(context, sum ? *sum : -1);
}

/* An error of its own counts less. */
static void step_with_error(sqlite3_context *context, int count, sqlite3_value **values) {
  if (!memory(context, sizeof(int), sqlite3_value_int(values[0]))) sqlite3_result_error(context, "no memory for me", -1);
}

int main(void) {
  static const char *const texts[] = {
      "SELECT total2(a) FROM t",
      "SELECT total2(a) FROM t GROUP BY b ORDER BY 1",
      "SELECT total2(a) FROM t WHERE a > 100",
      "INSERT INTO kept SELECT total2(a) FROM t GROUP BY b",
      "SELECT total2(a) OVER (ORDER BY a ROWS 1 PRECEDING) FROM t",
      "SELECT total2(a) OVER (PARTITION BY b) FROM t",
      "SELECT strict(a) FROM t",
      "UPDATE t SET a = (SELECT total2(a) FROM kept)",
  };
  size_t text;
  install_failing_memory(has_failed);
  sqlite3_initialize();
  for (failing_row = -1; failing_row < 4; failing_row++)
    for (text = 0; text < sizeof texts / sizeof *texts; text++) {
      sqlite3 *db;
      sqlite3_open(":memory:", &db);
      sqlite3_create_window_function(db, "total2", 1, SQLITE_UTF8, 0, step, result, value, inverse, 0);
      sqlite3_create_function(db, "strict", 1, SQLITE_UTF8, 0, 0, step_with_error, result);
      sqlite3_exec(db, "CREATE TABLE t(a, b); INSERT INTO t VALUES(1, 'x'), (2, 'x'), (3, 'y'); CREATE TABLE kept(a)",
                   0, 0, 0);
      printf("row %d\n", failing_row);
      show(db, texts[text]);
      show(db, "SELECT count(*) FROM kept");
      show(db, "SELECT a FROM t");
      sqlite3_close(db);
    }
  return 0;
}
