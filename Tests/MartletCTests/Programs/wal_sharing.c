/* WAL: who gives way to whom, locks of the shared memory that others hold, and what stands beside
   transactions: automatic checkpoints in place of a hook, copies with another page size. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sqlite3.h"

static sqlite3 *one, *two;

static int row(void *name, int count, char **values, char **names) {
  int i;
  for (i = 0; i < count; i++) printf("%s%s", i ? "|" : "    ", values[i] ? values[i] : "NULL");
  printf("\n");
  return 0;
}

static void run(sqlite3 *db, const char *sql) {
  int code = sqlite3_exec(db, sql, row, 0, 0);
  printf("  %s%s: %d %s\n", db == two ? "(two) " : "", sql, sqlite3_extended_errcode(db),
      code ? sqlite3_errmsg(db) : "");
}

static void both(const char *name) {
  sqlite3_close(one);
  sqlite3_close(two);
  sqlite3_open(name, &one);
  sqlite3_open(name, &two);
  printf("%s\n", name);
}

/* A connection that was alone lets others in when it has read. */
static void exclusive(void) {
  both("exclusive.db");
  run(one, "PRAGMA journal_mode = WAL; CREATE TABLE t(a); INSERT INTO t VALUES(1)");
  run(one, "PRAGMA locking_mode = EXCLUSIVE; INSERT INTO t VALUES(2)");
  run(two, "SELECT count(*) FROM t");
  run(one, "PRAGMA locking_mode = NORMAL");
  run(two, "SELECT count(*) FROM t");
  run(one, "SELECT count(*) FROM t");
  run(two, "SELECT count(*) FROM t");
  run(two, "INSERT INTO t VALUES(3)");
  run(one, "SELECT count(*) FROM t");
  run(one, "PRAGMA locking_mode = EXCLUSIVE; INSERT INTO t VALUES(4)");
  run(one, "PRAGMA locking_mode = NORMAL; BEGIN; SELECT count(*) FROM t");
  run(two, "SELECT count(*) FROM t");
  run(one, "COMMIT");
  run(two, "INSERT INTO t VALUES(5); SELECT count(*) FROM t");
  run(one, "PRAGMA locking_mode = EXCLUSIVE; SELECT count(*) FROM t");
  run(two, "INSERT INTO t VALUES(6); SELECT count(*) FROM t");
  run(one, "PRAGMA locking_mode = NORMAL; SELECT count(*) FROM t");
  run(two, "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE");
  run(one, "PRAGMA integrity_check");
}

/* Locks that a connection does not hold are not its to give back. */
static void foreign(void) {
  sqlite3_file *first = 0, *second = 0;
  int slot, code[8];
  both("foreign.db");
  run(one, "PRAGMA journal_mode = WAL; CREATE TABLE t(a); INSERT INTO t VALUES(1)");
  run(two, "SELECT * FROM t");
  sqlite3_file_control(one, "main", SQLITE_FCNTL_FILE_POINTER, &first);
  sqlite3_file_control(two, "main", SQLITE_FCNTL_FILE_POINTER, &second);
#define LOCK(file, flags) first->pMethods->xShmLock(file, 5, 1, flags)
  code[0] = LOCK(first, SQLITE_SHM_LOCK | SQLITE_SHM_SHARED);
  code[1] = LOCK(first, SQLITE_SHM_LOCK | SQLITE_SHM_SHARED);
  code[2] = LOCK(second, SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED);
  code[3] = LOCK(second, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE);
  code[4] = LOCK(first, SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED);
  code[5] = LOCK(second, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE);
  code[6] = LOCK(first, SQLITE_SHM_LOCK | SQLITE_SHM_SHARED);
  code[7] = LOCK(second, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE);
  for (slot = 0; slot < 8; slot++) printf("  %d", code[slot]);
  printf("\n");
  run(two, "BEGIN; INSERT INTO t VALUES(2)");
  run(one, "BEGIN IMMEDIATE");
  printf("  %d\n", first->pMethods->xShmLock(first, 0, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE));
  run(one, "BEGIN IMMEDIATE");
  run(two, "COMMIT");
  run(one, "BEGIN IMMEDIATE; INSERT INTO t VALUES(3); COMMIT; SELECT * FROM t");
}

static int hooked;
static int hook(void *data, sqlite3 *db, const char *schema, int frames) {
  hooked++;
  return SQLITE_OK;
}

static void hooks(void) {
  both("hooks.db");
  run(one, "PRAGMA journal_mode = WAL; CREATE TABLE t(a)");
  printf("  before %d\n", sqlite3_wal_hook(one, hook, &hooked) == &hooked);
  run(one, "INSERT INTO t VALUES(1); PRAGMA wal_autocheckpoint");
  printf("  hooked %d\n", hooked);
  run(one, "PRAGMA wal_autocheckpoint = 2; PRAGMA wal_autocheckpoint");
  run(one, "INSERT INTO t VALUES(1); INSERT INTO t VALUES(2); PRAGMA wal_checkpoint = NOOP");
  printf("  hooked %d, before %d\n", hooked, sqlite3_wal_hook(one, hook, &one) == 0);
  run(one, "INSERT INTO t VALUES(1); PRAGMA wal_autocheckpoint");
  printf("  hooked %d\n", hooked);
  printf("  before %d\n", sqlite3_wal_hook(one, 0, 0) == &one);
  run(one, "PRAGMA wal_autocheckpoint");
}

static void copies(void) {
  both("copies.db");
  run(one, "PRAGMA journal_mode = WAL; CREATE TABLE t(a); INSERT INTO t VALUES(1)");
  run(one, "PRAGMA page_size = 1024; VACUUM INTO 'copy.db'; PRAGMA page_size");
  run(one, "ATTACH 'copy.db' AS c; PRAGMA c.page_size; PRAGMA c.journal_mode; SELECT * FROM c.t");
  run(one, "DETACH c; VACUUM; PRAGMA page_size; VACUUM INTO 'copy2.db'");
  run(one, "ATTACH 'copy2.db' AS c; PRAGMA c.page_size");
}

int main(void) {
  exclusive();
  foreign();
  hooks();
  copies();
  return 0;
}
