/* The journal of a connection in exclusive locking mode: it stays after a transaction, and goes with
 * the lock where journal_mode says so. */
#include <stdio.h>
#include <sys/stat.h>

#include "sqlite3.h"

static void show(void) {
  struct stat status;
  if (stat("t.db-journal", &status)) {
    printf("  no journal\n");
  } else {
    printf("  a journal of %ld bytes\n", (long)status.st_size);
  }
}

static void run(sqlite3 *db, const char *sql) {
  int code = sqlite3_exec(db, sql, 0, 0, 0);
  printf("%s: %d %s\n", sql, sqlite3_extended_errcode(db), code ? sqlite3_errmsg(db) : "");
  show();
}

/* Changes in exclusive mode, with and without a way back to normal mode before the end. */
static void change(const char *mode, int goesBack, int isRolledBack) {
  char sql[80];
  sqlite3 *db = 0, *other = 0;
  sqlite3_open("t.db", &db);
  sqlite3_open("t.db", &other);
  snprintf(sql, sizeof sql, "PRAGMA journal_mode = %s", mode);
  run(db, sql);
  run(db, "DROP TABLE IF EXISTS t; CREATE TABLE t(a); INSERT INTO t VALUES(1)");
  run(db, "PRAGMA locking_mode = exclusive; INSERT INTO t VALUES(2)");
  run(other, "SELECT * FROM t");
  if (isRolledBack) {
    run(db, "BEGIN; UPDATE t SET a = a + 1; ROLLBACK");
  }
  if (goesBack) {
    run(db, "PRAGMA locking_mode = normal");
    run(db, "SELECT * FROM t");
    run(other, "SELECT * FROM t");
    run(other, "INSERT INTO t VALUES(3)");
    run(db, "INSERT INTO t VALUES(4)");
  }
  sqlite3_close(db);
  printf("closed\n");
  show();
  run(other, "PRAGMA journal_mode = DELETE; DELETE FROM t");
  sqlite3_close(other);
}

int main(void) {
  static const char *const modes[] = {"DELETE", "TRUNCATE", "PERSIST", "MEMORY"};
  int mode, rest;
  for (mode = 0; mode < 4; mode++) {
    for (rest = 0; rest < 4; rest++) {
      change(modes[mode], rest & 1, rest / 2);
    }
  }
  return 0;
}
