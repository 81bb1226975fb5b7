/* A column for which there is no memory must not pass for NULL: the statement fails (c3ref/column_blob).
   Bytes that a column has, and how many, belong together whatever was asked for before. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "failing_memory.h"

static int fails;

static int has_failed(void) { return fails; }

enum { as_text, as_text16, as_blob, as_bytes, as_bytes16, kinds };

static const void *ask(sqlite3_stmt *statement, int kind) {
  switch (kind) {
  case as_text: return sqlite3_column_text(statement, 0);
  case as_text16: return sqlite3_column_text16(statement, 0);
  case as_blob: return sqlite3_column_blob(statement, 0);
  case as_bytes: return sqlite3_column_bytes(statement, 0) ? "" : 0;
  default: return sqlite3_column_bytes16(statement, 0) ? "" : 0;
  }
}

/* Long texts of the other encoding: both libraries need memory for them. */
static void without_memory(const char *encoding, int kind, const char *sql, int ending) {
  sqlite3 *db;
  sqlite3_stmt *statement = 0;
  int rc, found;
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db, encoding, 0, 0, 0);
  sqlite3_exec(db, "CREATE TABLE t(a); INSERT INTO t VALUES(printf('%.9000c', 'x')), ('second')", 0, 0, 0);
  sqlite3_prepare_v2(db, sql, -1, &statement, 0);
  rc = sqlite3_step(statement);
  fails = 1;
  found = ask(statement, kind) != 0;
  fails = 0;
  printf("%s, kind %d, %s: %d found %d code %d;", encoding, kind, sql, rc, found, sqlite3_errcode(db));
  if (ending == 0) {
    rc = sqlite3_step(statement);
    printf(" step %d %s;", rc, rc == SQLITE_ROW ? "" : sqlite3_errmsg(db));
  }
  if (ending == 1) {
    printf(" reset %d;", sqlite3_reset(statement));
    printf(" step %d;", sqlite3_step(statement));
  }
  printf(" finalize %d;", sqlite3_finalize(statement));
  statement = 0;
  sqlite3_prepare_v2(db, "SELECT count(*) FROM t", -1, &statement, 0);
  sqlite3_step(statement);
  printf(" %d rows\n", sqlite3_column_int(statement, 0));
  sqlite3_finalize(statement);
  sqlite3_close(db);
}

static void print(const void *bytes, int count) {
  int index;
  if (!bytes) printf(" null");
  else printf(" ");
  for (index = 0; bytes && index < count; index++) printf("%02x", ((const unsigned char *)bytes)[index]);
}

/* One question after the other; what the last one gives has the length that is asked for next. */
static void in_turns(const char *encoding) {
  const char *values[] = {"'abc'", "12345678", "1.5", "x'61006200'", "''", "x''", "NULL", "'\xc3\xa9'"};
  size_t value;
  int first, second, third;
  sqlite3 *db;
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db, encoding, 0, 0, 0);
  for (value = 0; value < sizeof values / sizeof *values; value++) {
    printf("%s %s\n", encoding, values[value]);
    for (first = 0; first < kinds; first++)
      for (second = 0; second < kinds; second++)
        for (third = as_text; third <= as_blob; third++) {
          char sql[60];
          const void *bytes;
          int count;
          sqlite3_stmt *statement = 0;
          snprintf(sql, sizeof sql, "SELECT %s", values[value]);
          sqlite3_prepare_v2(db, sql, -1, &statement, 0);
          sqlite3_step(statement);
          ask(statement, first);
          ask(statement, second);
          bytes = ask(statement, third);
          count = third == as_text16 ? sqlite3_column_bytes16(statement, 0) : sqlite3_column_bytes(statement, 0);
          /* Behind a blob, the count may have made a text of it, somewhere else. */
          if (third == as_blob) bytes = sqlite3_column_blob(statement, 0);
          print(bytes, count);
          sqlite3_finalize(statement);
        }
    printf("\n");
  }
  sqlite3_close(db);
}

int main(void) {
  const char *encodings[] = {"PRAGMA encoding='UTF-8'", "PRAGMA encoding='UTF-16le'"};
  int encoding, kind, ending;
  install_failing_memory(has_failed);
  sqlite3_initialize();
  for (ending = 0; ending < 3; ending++)
    for (encoding = 0; encoding < 2; encoding++)
      for (kind = 0; kind < kinds; kind++) {
        int isOther = encoding == 0 ? kind == as_text16 || kind == as_bytes16 : kind == as_text || kind == as_bytes;
        if (!isOther) continue;
        without_memory(encodings[encoding], kind, "SELECT a FROM t", ending);
        without_memory(encodings[encoding], kind, "UPDATE t SET a=a||'y' RETURNING a", ending);
        without_memory(encodings[encoding], kind, "DELETE FROM t RETURNING a", ending);
      }
  for (encoding = 0; encoding < 2; encoding++) in_turns(encodings[encoding]);
  return 0;
}
