/* A statement, the first column of its rows, and how it ended, in a line. */
#include <stdio.h>
#include "sqlite3.h"

static void show(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = 0;
  int rc = sqlite3_prepare_v2(db, sql, -1, &statement, 0);
  printf("  %s:", sql);
  while (statement && (rc = sqlite3_step(statement)) == SQLITE_ROW)
    printf(" %s", (const char *)sqlite3_column_text(statement, 0));
  printf(" -> %d %s\n", rc, rc == SQLITE_DONE ? "" : sqlite3_errmsg(db));
  sqlite3_finalize(statement);
}
