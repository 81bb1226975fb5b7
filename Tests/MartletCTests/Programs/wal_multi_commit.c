/* A transaction over a database in WAL mode and an attached one, which cannot be written at COMMIT:
** the file is full. What is in the log stays, whole, and can be written to. */
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
#include "sqlite3.h"

static int print(void *prefix, int count, char **values, char **names) {
  printf("%s", (const char *)prefix);
  for (int i = 0; i < count; i++) printf(" %s", values[i] ? values[i] : "NULL");
  printf("\n");
  return 0;
}

static void run(sqlite3 *db, const char *name, const char *sql) {
  int code = sqlite3_exec(db, sql, print, "  ", 0);
  printf("%s: %.50s: %d\n", name, sql, code & 0xff);
}

static void limit(rlim_t size) {
  struct rlimit limits;
  getrlimit(RLIMIT_FSIZE, &limits);
  limits.rlim_cur = size;
  setrlimit(RLIMIT_FSIZE, &limits);
}

static void work(const char *mode, int order) {
  sqlite3 *db, *other;
  printf("attached: %s, %s\n", mode, order ? "second" : "first");
  const char *files[] = {"wm.db", "wm.db-wal", "wm.db-shm", "wa.db", "wa.db-wal", "wa.db-shm", "wa.db-journal"};
  for (int i = 0; i < 7; i++) unlink(files[i]);
  sqlite3_open("wm.db", &db);
  run(db, "a", "PRAGMA page_size=1024; PRAGMA journal_mode=WAL");
  run(db, "a", "CREATE TABLE t(a INTEGER PRIMARY KEY, b); CREATE TABLE v(a)");
  run(db, "a", "INSERT INTO t VALUES(1, zeroblob(100)); INSERT INTO v VALUES(1)");
  run(db, "a", "ATTACH 'wa.db' AS aux; PRAGMA aux.page_size=1024");
  char *sql = sqlite3_mprintf("PRAGMA aux.journal_mode=%s", mode);
  run(db, "a", sql);
  sqlite3_free(sql);
  run(db, "a", "CREATE TABLE aux.u(a); PRAGMA aux.cache_size=10000");
  run(db, "a", "BEGIN");
  const char *inMain = "INSERT INTO t(b) WITH RECURSIVE x(i) AS "
      "(VALUES(1) UNION ALL SELECT i+1 FROM x WHERE i<30) SELECT zeroblob(700) FROM x";
  if (!order) run(db, "a", inMain);
  run(db, "a", "INSERT INTO u WITH RECURSIVE x(i) AS "
      "(VALUES(1) UNION ALL SELECT i+1 FROM x WHERE i<300) SELECT zeroblob(700) FROM x");
  if (order) run(db, "a", inMain);
  limit(100000);
  int code = sqlite3_exec(db, "COMMIT", 0, 0, 0);
  printf("fails: %d\n", code != 0);
  limit(RLIM_INFINITY);
  if (!sqlite3_get_autocommit(db)) run(db, "a", "ROLLBACK");
  sqlite3_open("wm.db", &other);
  for (int i = 0; i < 3; i++) {
    run(db, "a", "SELECT count(*), sum(length(b)) FROM t; SELECT * FROM v");
    run(db, "a", "PRAGMA main.integrity_check; PRAGMA aux.integrity_check");
    run(other, "b", "SELECT count(*), sum(length(b)) FROM t; SELECT * FROM v");
    run(other, "b", "PRAGMA integrity_check");
    if (i == 0) run(db, "a", "INSERT INTO v VALUES('after')");
    if (i == 1) run(other, "b", "INSERT INTO t(b) VALUES('other')");
  }
  run(db, "a", "SELECT count(*) FROM u; INSERT INTO u VALUES(1); SELECT count(*) FROM u");
  sqlite3_close(db);
  sqlite3_close(other);
  sqlite3_open("wm.db", &db);
  run(db, "c", "SELECT count(*), sum(length(b)) FROM t; PRAGMA integrity_check");
  sqlite3_close(db);
}

int main(void) {
  signal(SIGXFSZ, SIG_IGN);
  for (int order = 0; order < 2; order++) {
    work("DELETE", order);
    work("WAL", order);
    work("PERSIST", order);
  }
  return 0;
}
