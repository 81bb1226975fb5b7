/* Locks of a VFS of the program: one that cannot be dropped without an error, and a pending lock
   that an attempt has left (c3ref/io_methods, lockingv3 §3). */
#include <stdio.h>
#include <unistd.h>
#include "show.h"

static sqlite3_vfs *original, vfs;
static const sqlite3_io_methods *real;
static sqlite3_io_methods methods;
static sqlite3_file *pending;
static int fails;

/* As unix does it: who tries for the exclusive lock keeps new readers out. */
static int lock(sqlite3_file *file, int level) {
  int rc;
  if (level == SQLITE_LOCK_SHARED && pending && pending != file) return SQLITE_BUSY;
  rc = real->xLock(file, level);
  if (level == SQLITE_LOCK_EXCLUSIVE && rc == SQLITE_BUSY) pending = file;
  return rc;
}

static int unlock(sqlite3_file *file, int level) {
  int rc = real->xUnlock(file, level);
  if (pending == file) pending = 0;
  if (fails == 0) return rc;
  fails--;
  return SQLITE_IOERR_UNLOCK;
}

static int open_file(sqlite3_vfs *self, const char *name, sqlite3_file *file, int flags, int *out) {
  int rc = original->xOpen(original, name, file, flags, out);
  if (rc == SQLITE_OK && flags & SQLITE_OPEN_MAIN_DB) {
    real = file->pMethods;
    methods = *real;
    methods.xLock = lock;
    methods.xUnlock = unlock;
    file->pMethods = &methods;
  }
  return rc;
}

static sqlite3 *connect(const char *path) {
  sqlite3 *db = 0;
  sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "unlock");
  return db;
}

static void pending_lock(const char *path) {
  sqlite3 *a = connect(path), *b = connect(path), *c;
  puts("pending");
  show(a, "PRAGMA journal_mode=WAL");
  show(a, "CREATE TABLE t(a)");
  show(b, "SELECT count(*) FROM t");
  show(a, "PRAGMA journal_mode=DELETE");
  c = connect(path);
  show(c, "SELECT count(*) FROM t");
  sqlite3_close(c);
  sqlite3_close(b);
  show(a, "PRAGMA journal_mode=DELETE");
  sqlite3_close(a);
}

/* Locks are asked for again after each of them. What a change says whose last lock cannot be
   dropped is another matter: it was committed. */
static void failing_unlock(const char *path) {
  sqlite3 *a = connect(path), *b = connect(path);
  int count;
  puts("errors of xUnlock");
  for (count = 0; count < 4; count++) {
    fails = 1;
    show(a, "SELECT count(*) FROM t");
    fails = count;
    sqlite3_exec(a, "INSERT INTO t VALUES(2)", 0, 0, 0);
    fails = 0;
    show(a, "BEGIN");
    show(a, "SELECT count(*) FROM t");
    show(b, "INSERT INTO t VALUES(3)");
    show(b, "DELETE FROM t");
    show(a, "SELECT count(*) FROM t");
    show(a, "COMMIT");
    show(b, "INSERT INTO t VALUES(4)");
  }
  show(a, "PRAGMA integrity_check");
  sqlite3_close(a);
  sqlite3_close(b);
}

int main(int argc, char **argv) {
  char path[500];
  snprintf(path, sizeof path, "%s/unlock.db", argc > 1 ? argv[1] : ".");
  original = sqlite3_vfs_find(0);
  vfs = *original;
  vfs.zName = "unlock";
  vfs.pNext = 0;
  vfs.xOpen = open_file;
  sqlite3_vfs_register(&vfs, 0);
  pending_lock(path);
  failing_unlock(path);
  return 0;
}
