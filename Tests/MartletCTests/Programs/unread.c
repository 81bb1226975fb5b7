/* What is asked of a column behind a large value needs none of the pages of that value. */
#include <stdio.h>
#include "sqlite3.h"

int main(void) {
  static const char *const questions[] = {
    "typeof(y)", "typeof(r)", "typeof(n)", "typeof(s)", "typeof(z)", "length(z)", "octet_length(s)",
    "y", "length(s)",
  };
  unsigned index;
  sqlite3 *db;
  sqlite3_open("u.db", &db);
  sqlite3_exec(db, "CREATE TABLE t(id INTEGER PRIMARY KEY, x, y, r, n, s, z, f REAL);"
      "INSERT INTO t VALUES(1, zeroblob(3000000), 5, 2.5, NULL, 'text', x'0102', 7)", 0, 0, 0);
  sqlite3_close(db);
  for (index = 0; index < sizeof questions / sizeof *questions; index++) {
    char sql[100];
    int misses, most;
    sqlite3_stmt *statement;
    sqlite3_open("u.db", &db);
    sqlite3_exec(db, "SELECT count(*) FROM sqlite_schema", 0, 0, 0);
    snprintf(sql, sizeof sql, "SELECT %s FROM t", questions[index]);
    sqlite3_prepare_v2(db, sql, -1, &statement, 0);
    sqlite3_step(statement);
    sqlite3_db_status(db, SQLITE_DBSTATUS_CACHE_MISS, &misses, &most, 0);
    printf("%s: %s, %s\n", questions[index], (const char *)sqlite3_column_text(statement, 0),
        misses < 10 ? "at once" : "page by page");
    sqlite3_finalize(statement);
    sqlite3_close(db);
  }
  return 0;
}
