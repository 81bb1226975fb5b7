/* Transactions that break off: what the file, or the next transaction, has when a write fails while
   they are undone, when the lock cannot be given back then, and when a part of a page arrives. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "show.h"

static sqlite3_vfs *original, vfs;
static const sqlite3_io_methods *real;
static sqlite3_io_methods methods;
/* Writes that pass before one fails; -1 for none that does. How many fail then, with what, and whether
   the first 512 bytes arrive. */
static int passing = -1, failing, failure = SQLITE_IOERR_WRITE, is_torn, keeps_lock;

static int write_page(sqlite3_file *file, const void *page, int size, sqlite3_int64 offset) {
  if (passing > 0) {
    passing--;
  } else if (passing == 0 && failing > 0) {
    failing--;
    if (is_torn && size > 512) real->xWrite(file, page, 512, offset);
    return failure;
  }
  return real->xWrite(file, page, size, offset);
}

static int unlock(sqlite3_file *file, int level) {
  return keeps_lock ? SQLITE_IOERR_UNLOCK : real->xUnlock(file, level);
}

static int open_file(sqlite3_vfs *self, const char *name, sqlite3_file *file, int flags, int *out) {
  int rc = original->xOpen(original, name, file, flags, out);
  if (rc == SQLITE_OK && flags & SQLITE_OPEN_MAIN_DB) {
    real = file->pMethods;
    methods = *real;
    methods.xWrite = write_page;
    methods.xUnlock = unlock;
    file->pMethods = &methods;
  }
  return rc;
}

static void fail_writes(int after, int count, int torn) {
  passing = after;
  failing = count;
  is_torn = torn;
}

static sqlite3 *open_database(const char *mode) {
  char sql[100];
  sqlite3 *db;
  sqlite3_open_v2("f.db", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "faults");
  snprintf(sql, sizeof sql, "PRAGMA journal_mode = %s", mode);
  sqlite3_exec(db, sql, 0, 0, 0);
  return db;
}

static void remove_files(void) {
  unlink("f.db");
  unlink("f.db-journal");
}

static void run(sqlite3 *db, const char *sql) {
  char *message = 0;
  int rc = sqlite3_exec(db, sql, 0, 0, &message);
  if (rc) printf("  %s: %d %s\n", sql, rc, message);
  sqlite3_free(message);
}

static const char contents[] = "SELECT sum(b LIKE 'a%') || ' ' || sum(b LIKE 'z%') FROM t";

/* A transaction that has spilled is undone, and writes fail. */
static void undo(const char *mode, int after, int count, int keeps, const char *next) {
  sqlite3 *db;
  remove_files();
  printf("%s, write %d fails, %d in all, lock %s:\n", mode, after + 1, count, keeps ? "kept" : "given");
  db = open_database(mode);
  run(db, "PRAGMA page_size = 512; CREATE TABLE t(a INTEGER PRIMARY KEY, b);"
      "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 60)"
      " INSERT INTO t SELECT i, printf('%.150c', 'a') || i FROM c");
  sqlite3_close(db);
  db = open_database(mode);
  run(db, "PRAGMA cache_size = 6; BEGIN; UPDATE t SET b = printf('%.120c', 'z') || a");
  fail_writes(after, count, 0);
  keeps_lock = keeps;
  sqlite3_exec(db, "ROLLBACK", 0, 0, 0);
  fail_writes(-1, 0, 0);
  keeps_lock = 0;
  if (next) run(db, next);
  show(db, contents);
  show(db, "PRAGMA integrity_check");
  sqlite3_close(db);
  sqlite3_open("f.db", &db);
  show(db, contents);
  show(db, "PRAGMA integrity_check");
  sqlite3_close(db);
}

/* The disk is full when the outermost savepoint is released, and has room again afterwards. */
static void release(const char *mode, int after, const char *next) {
  sqlite3 *db;
  int rc;
  remove_files();
  db = open_database(mode);
  run(db, "CREATE TABLE t(a INTEGER PRIMARY KEY, b);"
      "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 200)"
      " INSERT INTO t SELECT i, printf('%.150c', 'a') || i FROM c;"
      "SAVEPOINT s; UPDATE t SET b = printf('%.120c', 'z') || a");
  failure = SQLITE_FULL;
  fail_writes(after, 1000, 0);
  rc = sqlite3_exec(db, "RELEASE s", 0, 0, 0);
  fail_writes(-1, 0, 0);
  failure = SQLITE_IOERR_WRITE;
  printf("%s, full at write %d of RELEASE: %d %d, %s\n", mode, after + 1, rc,
      sqlite3_get_autocommit(db), next);
  show(db, contents);
  run(db, next);
  show(db, "PRAGMA integrity_check");
  show(db, contents);
  printf("  %d\n", sqlite3_get_autocommit(db));
  sqlite3_close(db);
}

static long size_of(const char *path) {
  FILE *file = fopen(path, "r");
  long size = -1;
  if (file) {
    fseek(file, 0, SEEK_END);
    size = ftell(file);
    fclose(file);
  }
  return size;
}

/* Of the n-th write of a database's first transaction only a part arrives. */
static void begin_anew(const char *mode, int reopens) {
  int after;
  for (after = 0; after < 6; after++) {
    sqlite3 *db;
    int rc;
    remove_files();
    db = open_database(mode);
    fail_writes(after, 1, 1);
    rc = sqlite3_exec(db, "CREATE TABLE t(a)", 0, 0, 0);
    fail_writes(-1, 0, 0);
    printf("new, %s, write %d is torn: %d, %ld bytes\n", mode, after + 1, rc, size_of("f.db"));
    if (reopens) {
      sqlite3_close(db);
      db = open_database(mode);
    }
    run(db, "CREATE TABLE IF NOT EXISTS t(a); INSERT INTO t VALUES(1)");
    show(db, "SELECT count(*) FROM t");
    show(db, "PRAGMA integrity_check");
    sqlite3_close(db);
  }
}

/* The same of the target of a backup. */
static void back_up(void) {
  sqlite3 *source, *target;
  int after;
  sqlite3_open(":memory:", &source);
  run(source, "CREATE TABLE t(a, b); INSERT INTO t VALUES(1, zeroblob(20000))");
  for (after = 0; after < 4; after++) {
    sqlite3_backup *backup;
    remove_files();
    target = open_database("DELETE");
    backup = sqlite3_backup_init(target, "main", source, "main");
    fail_writes(after, 1, 1);
    sqlite3_backup_step(backup, -1);
    fail_writes(-1, 0, 0);
    printf("backup, write %d is torn: %d", after + 1, sqlite3_backup_finish(backup));
    backup = sqlite3_backup_init(target, "main", source, "main");
    sqlite3_backup_step(backup, -1);
    printf(", again %d\n", sqlite3_backup_finish(backup));
    show(target, "PRAGMA integrity_check");
    sqlite3_close(target);
  }
  sqlite3_close(source);
}

int main(void) {
  static const char *const modes[] = { "DELETE", "TRUNCATE", "PERSIST", "MEMORY" };
  unsigned index;
  int after;
  original = sqlite3_vfs_find(0);
  vfs = *original;
  vfs.zName = "faults";
  vfs.xOpen = open_file;
  sqlite3_vfs_register(&vfs, 0);
  for (index = 0; index < 4; index++) {
    for (after = 0; after < 12; after += 4) {
      undo(modes[index], after, 1, 0, 0);
      undo(modes[index], after, 1, 0, "UPDATE t SET b = 'new' WHERE a = 60");
    }
    begin_anew(modes[index], 0);
    begin_anew(modes[index], 1);
  }
  for (index = 0; index < 3; index++)
    for (after = 0; after < 12; after += 4) {
      undo(modes[index], after, 1000, 1, 0);
      undo(modes[index], after, 1000, 1, "UPDATE t SET b = 'new' WHERE a = 60");
    }
  back_up();
  for (index = 0; index < 3; index++)
    for (after = 0; after < 3; after++) {
      release(modes[index], after, "ROLLBACK");
      release(modes[index], after, "RELEASE s");
      release(modes[index], after, "INSERT INTO t VALUES(1000, 'new'); COMMIT");
    }
  return 0;
}
