/* Page sizes and backups, and bounds of the number of pages. */
#include <unistd.h>
#include "show.h"

static void copy(sqlite3 *from, const char *source, sqlite3 *to, const char *target) {
  sqlite3_backup *backup = sqlite3_backup_init(to, target, from, source);
  int step = sqlite3_backup_step(backup, -1), finish = sqlite3_backup_finish(backup);
  printf("  backup: %d %d %s\n", step, finish, sqlite3_errmsg(to));
}

/* What the connection says of the size before it has read the file is an earlier one in C. */
static void look(sqlite3 *db) {
  show(db, "SELECT name FROM sqlite_schema");
  show(db, "PRAGMA page_size");
  show(db, "PRAGMA page_count");
}

static void emptySources(int kind) {
  sqlite3 *from, *to;
  printf("an empty source, %s target%s\n", kind & 1 ? "in memory," : "file,", kind & 2 ? " that is empty, too" : "");
  unlink("from.db"), unlink("to.db");
  sqlite3_open("from.db", &from), sqlite3_open(kind & 1 ? ":memory:" : "to.db", &to);
  show(from, "PRAGMA page_size = 1024");
  show(to, "PRAGMA page_size = 2048");
  if (!(kind & 2)) show(to, "CREATE TABLE old(a)");
  copy(from, "main", to, "main");
  look(to);
  show(to, "CREATE TABLE new(a)");
  look(to);
  sqlite3_close(from), sqlite3_close(to);
}

static void temporaryTargets(int kind) {
  sqlite3 *from, *to;
  sqlite3_backup *backup;
  int code;
  printf("a temporary target, %s%s\n", kind & 1 ? "in memory" : "in a file", kind & 2 ? ", with a table" : "");
  unlink("from.db");
  sqlite3_open("from.db", &from), sqlite3_open(":memory:", &to);
  show(from, "PRAGMA page_size = 1024");
  show(from, "CREATE TABLE t(a)");
  show(to, kind & 1 ? "PRAGMA temp_store = MEMORY" : "PRAGMA temp_store = FILE");
  if (kind & 2) show(to, "CREATE TEMP TABLE old(a)");
  copy(from, "main", to, "temp");
  show(to, "SELECT name FROM temp.sqlite_schema");
  show(to, "CREATE TEMP TABLE new(a)");
  /* It is known from the first step on. */
  show(from, "INSERT INTO t VALUES(zeroblob(20000))");
  backup = sqlite3_backup_init(to, "temp", from, "main");
  code = sqlite3_backup_step(backup, 3);
  printf("  first step: %d, end: %d\n", code, sqlite3_backup_finish(backup));
  show(from, "PRAGMA page_size = 4096");
  show(from, "VACUUM");
  copy(from, "main", to, "temp");
  show(to, "SELECT name FROM temp.sqlite_schema");
  sqlite3_close(from), sqlite3_close(to);
}

static void bounds(void) {
  sqlite3 *db, *other;
  puts("bounds");
  sqlite3_open("bound.db", &db), sqlite3_open("bound.db", &other);
  show(db, "CREATE TABLE t(a)");
  show(db, "PRAGMA max_page_count = 10");
  show(db, "INSERT INTO t VALUES(zeroblob(100000))");
  show(db, "PRAGMA max_page_count = 20");
  show(other, "INSERT INTO t VALUES(zeroblob(800000))");
  show(db, "PRAGMA page_count");
  show(db, "PRAGMA max_page_count");
  show(db, "INSERT INTO t VALUES(zeroblob(8000))");
  show(other, "DELETE FROM t");
  show(other, "VACUUM");
  show(db, "PRAGMA page_count");
  show(db, "PRAGMA max_page_count");
  show(db, "INSERT INTO t VALUES(zeroblob(80000))");
  show(db, "PRAGMA max_page_count = 4");
  sqlite3_close(db), sqlite3_close(other);
}

int main(void) {
  int kind;
  for (kind = 0; kind < 4; kind++) emptySources(kind);
  for (kind = 0; kind < 4; kind++) temporaryTargets(kind);
  bounds();
  return 0;
}
