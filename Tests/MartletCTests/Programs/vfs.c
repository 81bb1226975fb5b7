/* The list of VFSs and the methods of the built-in ones (c3ref/vfs_find, c3ref/vfs). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sqlite3.h"

static void list(const char *title) {
  sqlite3_vfs *vfs;
  printf("%s:", title);
  for (vfs = sqlite3_vfs_find(0); vfs; vfs = vfs->pNext) printf(" %s", vfs->zName);
  printf("\n");
}

static void registration(void) {
  sqlite3_vfs first = *sqlite3_vfs_find(0), second = first, *unix_vfs = sqlite3_vfs_find("unix");
  first.zName = "first";
  second.zName = "second";
  list("at first");
  printf("find %d %d %d\n", sqlite3_vfs_find("unix") == unix_vfs, sqlite3_vfs_find("none") == 0,
         sqlite3_vfs_find("") == 0);
  printf("register %d\n", sqlite3_vfs_register(&first, 0));
  list("one more");
  printf("register %d\n", sqlite3_vfs_register(&second, 1));
  list("new default");
  printf("again %d\n", sqlite3_vfs_register(&first, 1));
  list("moved");
  second.zName = "first";
  printf("of two names %d\n", sqlite3_vfs_find("first") == &first);
  printf("unix first %d\n", sqlite3_vfs_register(unix_vfs, 1));
  list("restored");
  printf("unregister %d", sqlite3_vfs_unregister(&first));
  printf(" %d", sqlite3_vfs_unregister(&second));
  printf(" %d\n", sqlite3_vfs_unregister(&second));
  list("at last");
}

static void describe(const char *name) {
  sqlite3_vfs *vfs = sqlite3_vfs_find(name);
  if (!vfs) {
    printf("%s is absent\n", name);
    return;
  }
  printf("%s: path %d, open %d delete %d access %d full %d random %d sleep %d time %d\n", vfs->zName,
         vfs->mxPathname, vfs->xOpen != 0, vfs->xDelete != 0, vfs->xAccess != 0,
         vfs->xFullPathname != 0, vfs->xRandomness != 0, vfs->xSleep != 0, vfs->xCurrentTime != 0);
}

static const char *last(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static void files(sqlite3_vfs *vfs) {
  sqlite3_file *file = calloc(1, vfs->szOsFile);
  sqlite3_file *other = calloc(1, vfs->szOsFile);
  char full[600], bytes[20] = "";
  sqlite3_filename name;
  sqlite3_int64 size = -1;
  int rc, flags = 0, result = -1;
  rc = vfs->xFullPathname(vfs, "vfs-file.db", sizeof full, full);
  printf("full path %d %d %s\n", rc, full[0] == '/', last(full));
  name = sqlite3_create_filename(full, "", "", 0, 0);
  rc = vfs->xAccess(vfs, name, SQLITE_ACCESS_EXISTS, &result);
  printf("exists %d %d\n", rc, result);
  rc = vfs->xDelete(vfs, name, 0);
  printf("delete nothing %d\n", rc);
  rc = vfs->xOpen(vfs, name, file, SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_READWRITE, &flags);
  printf("open nothing %d %d\n", rc & 0xff, file->pMethods == 0);
  rc = vfs->xOpen(vfs, name, file,
                  SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &flags);
  printf("open %d %x\n", rc, flags);
  rc = vfs->xAccess(vfs, name, SQLITE_ACCESS_EXISTS, &result);
  printf("an empty file exists %d %d\n", rc, result);
  printf("write %d\n", file->pMethods->xWrite(file, "hello world", 11, 5));
  printf("size %d", file->pMethods->xFileSize(file, &size));
  printf(" %lld\n", (long long)size);
  memset(bytes, 'x', 19);
  printf("read %d", file->pMethods->xRead(file, bytes, 6, 10));
  printf(" %.6s\n", bytes);
  memset(bytes, 'x', 19);
  printf("short read %d", file->pMethods->xRead(file, bytes, 10, 10));
  printf(" %.6s %d\n", bytes, bytes[8]);
  printf("truncate %d", file->pMethods->xTruncate(file, 7));
  file->pMethods->xFileSize(file, &size);
  printf(" %lld\n", (long long)size);
  printf("sync %d %d\n", file->pMethods->xSync(file, SQLITE_SYNC_NORMAL),
         file->pMethods->xSync(file, SQLITE_SYNC_FULL | SQLITE_SYNC_DATAONLY));
  printf("sector %d, powersafe %d\n", file->pMethods->xSectorSize(file),
         (file->pMethods->xDeviceCharacteristics(file) & SQLITE_IOCAP_POWERSAFE_OVERWRITE) != 0);
  rc = vfs->xAccess(vfs, name, SQLITE_ACCESS_EXISTS, &result);
  printf("exists %d %d", rc, result);
  rc = vfs->xAccess(vfs, name, SQLITE_ACCESS_READWRITE, &result);
  printf(", may be written %d %d\n", rc, result);

  vfs->xOpen(vfs, name, other, SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_READWRITE, &flags);
  printf("shared %d", file->pMethods->xLock(file, SQLITE_LOCK_SHARED));
  printf(" %d\n", other->pMethods->xLock(other, SQLITE_LOCK_SHARED));
  printf("reserved %d", file->pMethods->xLock(file, SQLITE_LOCK_RESERVED));
  printf(" %d\n", other->pMethods->xLock(other, SQLITE_LOCK_RESERVED));
  printf("is reserved %d", other->pMethods->xCheckReservedLock(other, &result));
  printf(" %d\n", result);
  printf("exclusive %d", file->pMethods->xLock(file, SQLITE_LOCK_EXCLUSIVE));
  file->pMethods->xFileControl(file, SQLITE_FCNTL_LOCKSTATE, &result);
  printf(", state %d\n", result);
  printf("unlock %d\n", other->pMethods->xUnlock(other, SQLITE_LOCK_NONE));
  printf("pending keeps readers out %d\n", other->pMethods->xLock(other, SQLITE_LOCK_SHARED));
  printf("exclusive %d\n", file->pMethods->xLock(file, SQLITE_LOCK_EXCLUSIVE));
  printf("unlock %d", file->pMethods->xUnlock(file, SQLITE_LOCK_SHARED));
  printf(" %d\n", file->pMethods->xUnlock(file, SQLITE_LOCK_NONE));
  printf("close %d", other->pMethods->xClose(other));
  printf(" %d\n", file->pMethods->xClose(file));

  rc = vfs->xOpen(vfs, name, file, SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_READONLY, &flags);
  printf("read-only %d %x\n", rc, flags);
  file->pMethods->xClose(file);
  printf("delete %d", vfs->xDelete(vfs, name, 1));
  printf(" %d\n", vfs->xDelete(vfs, name, 0));
  rc = vfs->xOpen(vfs, 0, file,
                  SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
                      SQLITE_OPEN_EXCLUSIVE | SQLITE_OPEN_DELETEONCLOSE, &flags);
  printf("temporary %d", rc);
  printf(" %d", file->pMethods->xWrite(file, "abc", 3, 0));
  file->pMethods->xFileSize(file, &size);
  printf(" %lld", (long long)size);
  printf(" %d\n", file->pMethods->xClose(file));
  sqlite3_free_filename(name);
  free(file);
  free(other);
}

static void others(sqlite3_vfs *vfs) {
  char bytes[16] = "", message[100] = "";
  double day = 0;
  sqlite3_int64 now = 0;
  void *library;
  printf("randomness %d", vfs->xRandomness(vfs, 16, bytes));
  printf(" %d\n", memcmp(bytes, "\0\0\0\0\0\0\0\0", 8) != 0);
  printf("sleep %d\n", vfs->xSleep(vfs, 1000) >= 1000);
  printf("time %d %d", vfs->xCurrentTime(vfs, &day), day > 2460000);
  printf(" %d", vfs->xCurrentTimeInt64(vfs, &now));
  printf(" %d\n", now > 2460000LL * 86400000 && day * 86400000 - (double)now < 10000);
  library = vfs->xDlOpen(vfs, 0);
  printf("library %d, symbol %d %d\n", library != 0, vfs->xDlSym(vfs, library, "printf") != 0,
         vfs->xDlSym(vfs, library, "no_such_function_at_all") != 0);
  vfs->xDlClose(vfs, library);
  printf("no library %d", vfs->xDlOpen(vfs, "./no-such-library.so") != 0);
  vfs->xDlError(vfs, sizeof message, message);
  printf(" %d\n", strlen(message) > 10);
  printf("system call %d\n", vfs->xSetSystemCall(vfs, "no such call", 0));
}

/* Every VFS that is there works with SQL. */
static void databases(const char *vfs) {
  sqlite3 *db;
  sqlite3_stmt *stmt;
  int rc = sqlite3_open_v2("vfs-all.db", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs);
  printf("%s: %d %s\n", vfs, rc, rc ? sqlite3_errmsg(db) : "");
  if (rc == SQLITE_OK) {
    rc = sqlite3_exec(db, "CREATE TABLE IF NOT EXISTS t(a); INSERT INTO t VALUES (1)", 0, 0, 0);
    printf("  %d\n", rc);
    sqlite3_prepare_v2(db, "SELECT count(*) FROM t", -1, &stmt, 0);
    rc = sqlite3_step(stmt);
    printf("  %d %d\n", rc, sqlite3_column_int(stmt, 0));
    sqlite3_finalize(stmt);
  }
  sqlite3_close(db);
}

static int frozen(sqlite3_vfs *vfs, sqlite3_int64 *now) {
  *now = 2451545LL * 86400000;
  return SQLITE_OK;
}

static int broken(sqlite3_vfs *vfs, sqlite3_int64 *now) { return SQLITE_ERROR; }

static void show(sqlite3 *db, const char *sql) {
  sqlite3_stmt *stmt;
  int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, 0);
  if (rc == SQLITE_OK) rc = sqlite3_step(stmt);
  printf("%s: %d %s\n", sql, rc, rc == SQLITE_ROW && sqlite3_column_text(stmt, 0)
         ? (const char *)sqlite3_column_text(stmt, 0) : "");
  sqlite3_finalize(stmt);
}

/* What a program replaces in a structure takes effect, on open connections too. */
static void live_clock(void) {
  sqlite3_vfs *vfs = sqlite3_vfs_find(0);
  int (*now)(sqlite3_vfs *, sqlite3_int64 *) = vfs->xCurrentTimeInt64;
  sqlite3 *db;
  sqlite3_open("vfs-clock.db", &db);
  show(db, "SELECT datetime('now') > '2020'");
  vfs->xCurrentTimeInt64 = frozen;
  show(db, "SELECT datetime('now')");
  show(db, "SELECT CURRENT_TIMESTAMP");
  vfs->xCurrentTimeInt64 = broken;
  show(db, "SELECT datetime('now')");
  vfs->xCurrentTimeInt64 = now;
  show(db, "SELECT datetime('now') > '2020'");
  sqlite3_close(db);
}

/* When the library begins again, the system's VFS is the default one. */
static void restarted(void) {
  static sqlite3_vfs other;
  other = *sqlite3_vfs_find(0);
  other.zName = "other";
  sqlite3_vfs_register(&other, 1);
  list("before the end");
  printf("shutdown %d", sqlite3_shutdown());
  printf(" initialize %d\n", sqlite3_initialize());
  list("after the beginning");
  sqlite3_vfs_unregister(&other);
}

int main(void) {
  sqlite3 *db = 0;
  int rc;
  registration();
  describe("unix");
  describe("unix-excl");
  describe("unix-dotfile");
  describe("unix-none");
  describe("memdb");
  files(sqlite3_vfs_find("unix"));
  others(sqlite3_vfs_find("unix"));
  databases("unix");
  databases("unix-none");
  databases("unix-dotfile");
  databases("unix-excl");
  databases("memdb");
  rc = sqlite3_open_v2("x", &db, SQLITE_OPEN_READWRITE, "nothing");
  printf("unknown %d %s\n", rc, sqlite3_errmsg(db));
  sqlite3_close(db);
  live_clock();
  restarted();
  return 0;
}
