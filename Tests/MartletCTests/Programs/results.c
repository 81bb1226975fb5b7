/* Errors of functions: which code and which message a statement ends with, where a function sets
   several of them, or a result behind them (c3ref/result_blob). */
#include <stdio.h>
#include "sqlite3.h"

static const int codes[] = {SQLITE_NOMEM, SQLITE_TOOBIG, SQLITE_BUSY, SQLITE_OK, SQLITE_IOERR,
    SQLITE_FULL, SQLITE_IOERR_READ, SQLITE_INTERRUPT, SQLITE_CORRUPT, SQLITE_ABORT};
enum { CODE_COUNT = sizeof codes / sizeof *codes };

static void fail(sqlite3_context *context, int count, sqlite3_value **values) {
  int way = sqlite3_value_int(values[0]), code = codes[sqlite3_value_int(values[1])];
  (void)count;
  switch (way) {
    case 0:
      sqlite3_result_error(context, "a message", -1);
      sqlite3_result_error_code(context, code);
      break;
    case 1: sqlite3_result_error_code(context, code); break;
    case 2:
      sqlite3_result_error_code(context, code);
      sqlite3_result_error(context, "a message", -1);
      break;
    case 3:
      sqlite3_result_int(context, 7);
      sqlite3_result_error_code(context, code);
      break;
    case 4:
      sqlite3_result_error_code(context, code);
      sqlite3_result_int(context, 7);
      break;
    case 5:
      sqlite3_result_error_nomem(context);
      sqlite3_result_error_code(context, code);
      break;
    case 6:
      sqlite3_result_error_toobig(context);
      sqlite3_result_error_code(context, code);
      break;
    case 7:
      sqlite3_result_error(context, "a message", -1);
      sqlite3_result_error_nomem(context);
      break;
    case 8:
      sqlite3_result_error_nomem(context);
      sqlite3_result_error(context, "a message", -1);
      break;
    default:
      sqlite3_result_error_nomem(context);
      sqlite3_result_int(context, 7);
  }
}

/* Programs pass -1 for a text that ends at a zero where the length has no sign, too. */
static void lengths(sqlite3 *db) {
  static const unsigned char kinds[] = {SQLITE_UTF8, SQLITE_UTF16LE, SQLITE_UTF16};
  sqlite3_stmt *statement;
  int i;
  sqlite3_prepare_v2(db, "SELECT hex(?1)", -1, &statement, 0);
  for (i = 0; i < 3; i++) {
    int rc = sqlite3_bind_text64(statement, 1, "a\0b\0\0\0c", (sqlite3_uint64)-1, 0, kinds[i]);
    sqlite3_step(statement);
    printf("%d %d %s\n", kinds[i], rc, (const char *)sqlite3_column_text(statement, 0));
    sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
}

int main(void) {
  sqlite3 *db;
  sqlite3_stmt *statement;
  int way, code, rc;
  sqlite3_open(":memory:", &db);
  sqlite3_create_function(db, "fail", 2, SQLITE_UTF8, 0, fail, 0, 0);
  for (way = 0; way < 10; way++) {
    for (code = 0; code < CODE_COUNT; code++) {
      sqlite3_prepare_v2(db, "SELECT fail(?1, ?2)", -1, &statement, 0);
      sqlite3_bind_int(statement, 1, way);
      sqlite3_bind_int(statement, 2, code);
      rc = sqlite3_step(statement);
      printf("way %d code %d: %d %d", way, codes[code], rc, sqlite3_extended_errcode(db));
      if (rc == SQLITE_ROW) printf(" %s\n", (const char *)sqlite3_column_text(statement, 0));
      else printf(" %s\n", sqlite3_errmsg(db));
      sqlite3_finalize(statement);
    }
  }
  lengths(db);
  return sqlite3_close(db);
}
