/* A folder that may be written and not read: it cannot be opened to be synced, and what was committed
 * is committed all the same. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sqlite3.h"

static int show(void *unused, int count, char **values, char **names) {
  int i;
  for (i = 0; i < count; i++) printf("  %s", values[i] ? values[i] : "NULL");
  printf("\n");
  return 0;
}

static void run(sqlite3 *db, const char *sql) {
  int code = sqlite3_exec(db, sql, show, 0, 0);
  printf("%s: %d %d %s\n", sql, code, sqlite3_extended_errcode(db), code ? sqlite3_errmsg(db) : "");
}

static void change(const char *vacuum, const char *synchronous) {
  char sql[80];
  sqlite3 *db = 0;
  unlink("t.db");
  sqlite3_open("t.db", &db);
  snprintf(sql, sizeof sql, "PRAGMA auto_vacuum = %s", vacuum);
  run(db, sql);
  snprintf(sql, sizeof sql, "PRAGMA synchronous = %s", synchronous);
  run(db, sql);
  run(db, "CREATE TABLE t(a)");
  run(db, "INSERT INTO t SELECT zeroblob(3000) FROM sqlite_master, json_each('[1,2,3,4,5,6,7,8]')");
  run(db, "DELETE FROM t WHERE rowid > 2");
  run(db, "BEGIN; INSERT INTO t VALUES(1); ROLLBACK");
  run(db, "PRAGMA incremental_vacuum");
  run(db, "SELECT count(*), sum(length(a)) FROM t");
  run(db, "PRAGMA journal_mode = WAL");
  run(db, "INSERT INTO t VALUES(2)");
  run(db, "PRAGMA journal_mode = DELETE");
  run(db, "VACUUM");
  run(db, "SELECT count(*) FROM t");
  sqlite3_close(db);
}

int main(void) {
  static const char *const vacuums[] = {"NONE", "FULL", "INCREMENTAL"};
  static const char *const modes[] = {"OFF", "NORMAL", "FULL", "EXTRA"};
  int vacuum, mode;
  /* All folders above it can be searched by anybody. */
  char folder[] = "/tmp/folderXXXXXX";
  if (!mkdtemp(folder) || chdir(folder)) return 1;
  chmod(".", 0333);
  /* For the superuser every folder can be read. */
  if (!geteuid() && (chown(".", 65534, 65534) || seteuid(65534))) return 1;
  for (vacuum = 0; vacuum < 3; vacuum++) {
    for (mode = 0; mode < 4; mode++) change(vacuums[vacuum], modes[mode]);
  }
  unlink("t.db");
  if (!getuid()) seteuid(0);
  rmdir(folder);
  return 0;
}
