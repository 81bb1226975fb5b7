/* Pointers that are bound go over to another statement, and end once. */
#include <sqlite3.h>
#include <stdio.h>

static int endCount;

static void end(void *data) { endCount++; }

static void show(sqlite3_context *context, int count, sqlite3_value **values) {
  const char *text = sqlite3_value_pointer(values[0], "text");
  sqlite3_result_text(context, text ? text : "none", -1, SQLITE_STATIC);
}

static void step(sqlite3_stmt *statement, const char *name) {
  sqlite3_step(statement);
  printf("%s: %s, %d ended\n", name, sqlite3_column_text(statement, 0), endCount);
  sqlite3_reset(statement);
}

int main(void) {
  sqlite3 *db;
  sqlite3_stmt *first, *second;
  sqlite3_open(":memory:", &db);
  sqlite3_create_function(db, "show", 1, SQLITE_UTF8, 0, show, 0, 0);
  sqlite3_prepare_v2(db, "SELECT show(?1) || ifnull(?2, '-')", -1, &first, 0);
  sqlite3_prepare_v2(db, "SELECT show(?1) || ifnull(?2, '-')", -1, &second, 0);
  sqlite3_bind_pointer(first, 1, "one", "text", end);
  sqlite3_bind_text(first, 2, " and more", -1, SQLITE_STATIC);
  sqlite3_bind_pointer(second, 1, "two", "text", end);
  step(first, "first");
  step(second, "second");
  printf("%d\n", sqlite3_transfer_bindings(first, second));
  step(first, "first");
  step(second, "second");
  printf("%d\n", sqlite3_transfer_bindings(second, first));
  step(first, "first");
  sqlite3_clear_bindings(first);
  step(first, "first");
  sqlite3_finalize(first);
  sqlite3_finalize(second);
  printf("%d ended\n", endCount);
  sqlite3_close(db);
  return 0;
}
