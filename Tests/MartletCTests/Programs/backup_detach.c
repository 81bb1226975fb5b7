/* Backups while databases are detached: of another one, whose going changes their numbers, and of
   their own. */
#include <stdio.h>

#include "sqlite3.h"

static int row(void *data, int count, char **values, char **names) {
  printf("    %s\n", values[0] ? values[0] : "NULL");
  return 0;
}

static void run(sqlite3 *db, const char *sql) {
  int code = sqlite3_exec(db, sql, row, 0, 0);
  printf("  %s: %d %s\n", sql, code, code ? sqlite3_errmsg(db) : "");
}

int main(void) {
  sqlite3 *from, *to;
  sqlite3_backup *backup;
  int code, copies;
  for (copies = 0; copies < 2; copies++) {
    sqlite3_open(":memory:", &from);
    sqlite3_open(":memory:", &to);
    run(from, "ATTACH ':memory:' AS a; ATTACH ':memory:' AS b; ATTACH ':memory:' AS c");
    run(from, "CREATE TABLE a.t(x); CREATE TABLE b.t(x); CREATE TABLE c.t(x)");
    run(from, "INSERT INTO a.t VALUES('a'); INSERT INTO b.t VALUES('b'); INSERT INTO c.t VALUES('c')");
    run(to, "ATTACH ':memory:' AS a; ATTACH ':memory:' AS b; ATTACH ':memory:' AS c");
    backup = sqlite3_backup_init(to, "b", from, "b");
    if (copies) printf("  step %d\n", sqlite3_backup_step(backup, 1));
    run(from, "DETACH a");
    run(from, "DETACH b");
    if (!copies) run(to, "DETACH a");
    code = sqlite3_backup_step(backup, -1);
    printf("  %d, finish %d\n", code, sqlite3_backup_finish(backup));
    run(to, "SELECT x FROM b.t");
    run(to, "SELECT count(*) FROM c.sqlite_schema");
    run(from, "DETACH b");
    run(to, "DETACH b");
    sqlite3_close(from);
    sqlite3_close(to);
  }
  sqlite3_open(":memory:", &from);
  sqlite3_open(":memory:", &to);
  run(from, "CREATE TABLE t(x)");
  backup = sqlite3_backup_init(to, "main", from, "main");
  printf("  step %d\n", sqlite3_backup_step(backup, 1));
  printf("  deserialize %d\n", sqlite3_deserialize(from, "main", 0, 0, 0, 0));
  printf("  close %d\n", sqlite3_close(from));
  printf("  finish %d\n", sqlite3_backup_finish(backup));
  printf("  close %d %d\n", sqlite3_close(from), sqlite3_close(to));
  return 0;
}
