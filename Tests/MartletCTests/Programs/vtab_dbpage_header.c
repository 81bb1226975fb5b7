/* sqlite_dbpage: page 1 is overwritten with what is no header of the database. */
#include <stdio.h>
#include <stdlib.h>
#include <sqlite3.h>

static void run(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement;
  int code = sqlite3_prepare_v2(db, sql, -1, &statement, 0);
  printf("%s:", sql);
  while (code == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW)
    printf(" %s", (const char *)sqlite3_column_text(statement, 0));
  code = code == SQLITE_OK ? sqlite3_finalize(statement) : code;
  if (code != SQLITE_OK) printf(" %d %s", code, sqlite3_errmsg(db));
  printf("\n");
}

/* Writes bytes into page 1, alone or in a transaction, and looks at what is left. */
static void overwrite(
    const char *name, const char *mode, int offset, const char *hex, const char *end) {
  sqlite3 *db;
  char sql[300];
  printf("-- %s: %d %s %s\n", mode, offset, hex, end ? end : "");
  sqlite3_open(name, &db);
  run(db, "PRAGMA page_size=512");
  run(db, mode);
  run(db, "CREATE TABLE t(a, b)");
  run(db, "INSERT INTO t VALUES(1, 'one'), (2, zeroblob(3000))");
  if (end) run(db, "BEGIN");
  snprintf(sql, sizeof sql,
           "UPDATE sqlite_dbpage SET data = CAST(substr(data, 1, %d) || x'%s' || substr(data, %d) "
           "AS BLOB) WHERE pgno = 1",
           offset, hex, offset + (int)(snprintf(0, 0, "%s", hex) / 2) + 1);
  run(db, sql);
  if (end) {
    run(db, "SELECT a FROM t");
    run(db, "INSERT INTO t VALUES(3, zeroblob(2000))");
    run(db, end);
  }
  run(db, "SELECT length(b) FROM t");
  run(db, "INSERT INTO t VALUES(4, 'four')");
  sqlite3_close(db);
  sqlite3_open(name, &db);
  run(db, "SELECT length(b) FROM t");
  printf("close %d\n", sqlite3_close(db));
}

int main(void) {
  static const char *const modes[] = {
      "PRAGMA journal_mode=delete", "PRAGMA journal_mode=wal", "PRAGMA locking_mode=exclusive"};
  char name[40];
  for (int mode = 0, number = 0; mode < 3; mode++) {
    static const char *const ends[] = {0, "COMMIT", "ROLLBACK"};
    for (int end = 0; end < 3; end++) {
      /* Not the text that a database begins with. */
      snprintf(name, sizeof name, "header%d.db", number++);
      overwrite(name, modes[mode], 0, "58", ends[end]);
      /* Of a page, too few bytes are left. */
      snprintf(name, sizeof name, "header%d.db", number++);
      overwrite(name, modes[mode], 20, "40", ends[end]);
      /* Pages of 64 KB. What is made of them in WAL mode is the old pages' bytes. */
      snprintf(name, sizeof name, "header%d.db", number++);
      if (mode != 1 || end == 2) overwrite(name, modes[mode], 16, "0001", ends[end]);
    }
  }
  return 0;
}
