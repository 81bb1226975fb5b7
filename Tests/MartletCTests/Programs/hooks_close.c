/* When the rollback hook is called, and what a backup finds in use. */
#include <stdio.h>
#include <unistd.h>
#include "show.h"

static void rolled(void *data) {
  puts("  rolled back");
}

static sqlite3 *open_with(const char *sql) {
  sqlite3 *db = 0;
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db, sql, 0, 0, 0);
  sqlite3_rollback_hook(db, rolled, 0);
  return db;
}

static void closing(const char *sql, int keeps) {
  sqlite3 *db = open_with("CREATE TABLE t(a)");
  sqlite3_stmt *statement = 0;
  printf("close behind %s, %d\n", sql, keeps);
  sqlite3_exec(db, sql, 0, 0, 0);
  if (keeps) {
    sqlite3_prepare_v2(db, "SELECT 1", -1, &statement, 0);
    printf("  %d\n", sqlite3_close(db));
    printf("  %d\n", sqlite3_close_v2(db));
    puts("  finalize");
    sqlite3_finalize(statement);
  } else {
    printf("  %d\n", sqlite3_close(db));
  }
}

static void second_backup(void) {
  sqlite3 *a = open_with("CREATE TABLE a(x)"), *b = open_with("CREATE TABLE b(x)"), *c = open_with("");
  sqlite3_backup *first = sqlite3_backup_init(c, "main", a, "main");
  sqlite3_backup *second = sqlite3_backup_init(c, "main", b, "main");
  printf("second backup: %d", second != 0);
  sqlite3_backup_finish(second);
  printf(" %d", sqlite3_backup_step(first, 1));
  second = sqlite3_backup_init(c, "main", b, "main");
  printf(" %d %s", second != 0, sqlite3_errmsg(c));
  printf(" %d", sqlite3_backup_step(first, -1));
  printf(" %d\n", sqlite3_backup_finish(first));
  show(c, "SELECT name FROM sqlite_schema");
  second = sqlite3_backup_init(c, "main", b, "main");
  printf("  %d", sqlite3_backup_step(second, -1));
  printf(" %d\n", sqlite3_backup_finish(second));
  show(c, "SELECT name FROM sqlite_schema");
  sqlite3_close(a);
  sqlite3_close(b);
  sqlite3_close(c);
}

/* A program that does not keep to the locks cuts the file, whose header stays as it is. */
static void cut(const char *folder, const char *mode) {
  char path[500], pragma[60];
  sqlite3 *db = 0;
  snprintf(path, sizeof path, "%s/cut.db", folder);
  snprintf(pragma, sizeof pragma, "PRAGMA journal_mode=%s", mode);
  unlink(path);
  sqlite3_open(path, &db);
  show(db, pragma);
  sqlite3_exec(db,
               "CREATE TABLE t(a); WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n WHERE x<40)"
               "INSERT INTO t SELECT zeroblob(1000) FROM n",
               0, 0, 0);
  printf("  cut %d\n", truncate(path, 4096 * 5));
  show(db, "INSERT INTO t VALUES(1)");
  show(db, "DELETE FROM t WHERE a=1");
  show(db, "BEGIN IMMEDIATE");
  sqlite3_close(db);
}

int main(int argc, char **argv) {
  sqlite3 *db;
  closing("BEGIN", 0);
  closing("BEGIN; INSERT INTO t VALUES(1)", 0);
  closing("SAVEPOINT s", 0);
  closing("BEGIN; INSERT INTO t VALUES(1)", 1);
  closing("INSERT INTO t VALUES(1)", 0);
  db = open_with("");
  show(db, "CREATE TEMP TABLE x(a)");
  show(db, "INSERT INTO x VALUES(1)");
  show(db, "CREATE TABLE y(a UNIQUE)");
  show(db, "INSERT INTO y VALUES(1),(1)");
  sqlite3_close(db);
  second_backup();
  cut(argc > 1 ? argv[1] : ".", "DELETE");
  cut(argc > 1 ? argv[1] : ".", "PERSIST");
  return 0;
}
