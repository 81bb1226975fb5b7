/* Arrays as tables. C SQLite is built without them as a rule, so the test has what is expected. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "sqlite3.h"

static sqlite3 *db;
static int freed;

typedef int (*Bind)(sqlite3_stmt *, int, void *, int, int, void (*)(void *));

static void gone(void *data) { freed++; }

static void show(sqlite3_stmt *statement) {
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    for (int column = 0; column < sqlite3_column_count(statement); column++) {
      const unsigned char *text = sqlite3_column_text(statement, column);
      printf("%s%d:%s", column ? "|" : "", sqlite3_column_type(statement, column),
          text ? (const char *)text : "NULL");
    }
    printf(" ");
  }
  printf(code == SQLITE_DONE ? "\n" : "error %s\n", sqlite3_errmsg(db));
  sqlite3_reset(statement);
}

int main(void) {
  Bind bind = (Bind)dlsym(RTLD_DEFAULT, "sqlite3_carray_bind");
  int numbers[] = {3, -1, 2147483647};
  sqlite3_int64 large[] = {1LL << 60, -5};
  double reals[] = {1.5, -2};
  char one[] = "one";
  char *texts[] = {one, 0, ""};
  struct iovec blobs[] = {{"ab", 2}, {0, 0}};
  sqlite3_stmt *statement;
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db, "CREATE TABLE t(a INTEGER PRIMARY KEY, b);"
      "INSERT INTO t VALUES(1, 'x'), (3, 'y'), (4, 'one')", 0, 0, 0);
  sqlite3_prepare_v2(db, "SELECT value, count, ctype, rowid FROM carray(?1)", -1, &statement, 0);
  show(statement);
  printf("%d\n", bind(statement, 1, numbers, 3, SQLITE_CARRAY_INT32, SQLITE_STATIC));
  show(statement);
  show(statement);
  printf("%d\n", bind(statement, 1, large, 2, SQLITE_CARRAY_INT64, gone));
  show(statement);
  printf("%d\n", bind(statement, 1, reals, 2, SQLITE_CARRAY_DOUBLE, gone));
  printf("freed %d\n", freed);
  show(statement);
  printf("%d\n", bind(statement, 1, texts, 3, SQLITE_CARRAY_TEXT, SQLITE_TRANSIENT));
  one[0] = 'O';
  show(statement);
  printf("%d\n", bind(statement, 1, blobs, 2, SQLITE_CARRAY_BLOB, SQLITE_TRANSIENT));
  show(statement);
  printf("%d %d\n", bind(statement, 1, numbers, 3, 7, gone), bind(statement, 9, numbers, 3, 0, gone));
  printf("freed %d\n", freed);
  sqlite3_finalize(statement);

  one[0] = 'o';
  sqlite3_prepare_v2(db, "SELECT * FROM t WHERE a IN carray(?1) OR b IN carray(?2)", -1,
      &statement, 0);
  bind(statement, 1, numbers, 3, SQLITE_CARRAY_INT32, SQLITE_STATIC);
  bind(statement, 2, texts, 3, SQLITE_CARRAY_TEXT, SQLITE_STATIC);
  show(statement);
  sqlite3_finalize(statement);

  sqlite3_prepare_v2(db, "SELECT value FROM carray(?1, ?2)", -1, &statement, 0);
  sqlite3_bind_pointer(statement, 1, numbers, "carray", 0);
  sqlite3_bind_int(statement, 2, 2);
  show(statement);
  sqlite3_bind_pointer(statement, 1, numbers, "other", 0);
  show(statement);
  sqlite3_finalize(statement);
  sqlite3_prepare_v2(db, "SELECT value FROM carray(?1, ?2, ?3)", -1, &statement, 0);
  sqlite3_bind_pointer(statement, 1, reals, "carray", 0);
  sqlite3_bind_int(statement, 2, 2);
  sqlite3_bind_text(statement, 3, "DOUBLE", -1, SQLITE_STATIC);
  show(statement);
  sqlite3_bind_text(statement, 3, "float", -1, SQLITE_STATIC);
  show(statement);
  sqlite3_finalize(statement);
  sqlite3_close(db);
  printf("freed %d\n", freed);
  return 0;
}
