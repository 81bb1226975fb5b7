/* A VFS whose files say strange numbers: sizes of sectors and files, characteristics, times. */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sqlite3.h"

static sqlite3_vfs *below, shim;
static sqlite3_io_methods methods;

static int sector = 512, characteristics;
static sqlite3_int64 addedSize, fixedSize = -1, now;

typedef struct { sqlite3_file base; sqlite3_file *real; } File;
static sqlite3_file *real(sqlite3_file *file) { return ((File *)file)->real; }

static int closeFile(sqlite3_file *f) {
  int code = real(f)->pMethods->xClose(real(f));
  sqlite3_free(real(f));
  f->pMethods = 0;
  return code;
}
static int readFile(sqlite3_file *f, void *b, int n, sqlite3_int64 o) {
  return real(f)->pMethods->xRead(real(f), b, n, o);
}
static int writeFile(sqlite3_file *f, const void *b, int n, sqlite3_int64 o) {
  /* A file of that length nobody wants to have. */
  if (o > 1 << 28) return SQLITE_FULL;
  return real(f)->pMethods->xWrite(real(f), b, n, o);
}
static int truncateFile(sqlite3_file *f, sqlite3_int64 n) {
  if (n > 1 << 28) return SQLITE_OK;
  return real(f)->pMethods->xTruncate(real(f), n);
}
static int syncFile(sqlite3_file *f, int flags) { return real(f)->pMethods->xSync(real(f), flags); }
static int fileSize(sqlite3_file *f, sqlite3_int64 *n) {
  int code = real(f)->pMethods->xFileSize(real(f), n);
  *n += addedSize;
  if (fixedSize != -1) *n = fixedSize;
  return code;
}
static int lockFile(sqlite3_file *f, int l) { return real(f)->pMethods->xLock(real(f), l); }
static int unlockFile(sqlite3_file *f, int l) { return real(f)->pMethods->xUnlock(real(f), l); }
static int reserved(sqlite3_file *f, int *r) {
  return real(f)->pMethods->xCheckReservedLock(real(f), r);
}
static int control(sqlite3_file *f, int op, void *a) {
  return real(f)->pMethods->xFileControl(real(f), op, a);
}
static int sectorSize(sqlite3_file *f) { (void)f; return sector; }
static int deviceCharacteristics(sqlite3_file *f) { (void)f; return characteristics; }

static int openFile(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *out) {
  int code;
  (void)vfs;
  ((File *)f)->real = sqlite3_malloc(below->szOsFile);
  memset(real(f), 0, below->szOsFile);
  code = below->xOpen(below, name, real(f), flags, out);
  f->pMethods = code ? 0 : &methods;
  if (code) sqlite3_free(real(f));
  return code;
}
static int deleteFile(sqlite3_vfs *v, const char *n, int s) {
  (void)v;
  return below->xDelete(below, n, s);
}
static int accessFile(sqlite3_vfs *v, const char *n, int f, int *r) {
  (void)v;
  return below->xAccess(below, n, f, r);
}
static int fullPath(sqlite3_vfs *v, const char *n, int size, char *out) {
  (void)v;
  return below->xFullPathname(below, n, size > 512 ? 512 : size, out);
}
static int randomness(sqlite3_vfs *v, int n, char *out) {
  (void)v;
  memset(out, 1, n);
  return n;
}
static int sleepFor(sqlite3_vfs *v, int n) { (void)v; return n; }
static int currentTime(sqlite3_vfs *v, sqlite3_int64 *out) {
  (void)v;
  *out = now;
  return SQLITE_OK;
}

static sqlite3 *db;

static void run(const char *sql) {
  sqlite3_stmt *statement = 0;
  const char *rest = sql;
  while (*rest) {
    int code = sqlite3_prepare_v2(db, rest, -1, &statement, &rest);
    if (code) { printf(" prepare %d", code & 0xff); return; }
    if (!statement) break;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
      int i;
      for (i = 0; i < sqlite3_column_count(statement); i++) {
        const char *text = (const char *)sqlite3_column_text(statement, i);
        printf(" %.70s", text ? text : "NULL");
      }
    }
    if (code != SQLITE_DONE) printf(" step %d", code & 0xff);
    sqlite3_finalize(statement);
  }
}

static void use(const char *mode) {
  remove("test.db");
  remove("test.db-journal");
  sqlite3_open_v2("test.db", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "shim");
  run(mode);
  run("CREATE TABLE t(a PRIMARY KEY, b)");
  run("INSERT INTO t VALUES(1, randomblob(3000)), (2, randomblob(3000)), (3, 3)");
  run("BEGIN; UPDATE t SET b = randomblob(2000); SAVEPOINT s; DELETE FROM t; ROLLBACK TO s; COMMIT");
  run("BEGIN; DELETE FROM t; ROLLBACK");
  run("SELECT count(*) FROM t; PRAGMA integrity_check; PRAGMA page_count");
  run("VACUUM; SELECT count(*) FROM t");
  sqlite3_close(db);
  printf("\n");
}

/* How it goes is not told: in C the numbers overflow. */
static void sizes(sqlite3_int64 fixed, sqlite3_int64 added) {
  use("PRAGMA page_size = 1024");
  fixedSize = fixed;
  addedSize = added;
  sqlite3_open_v2("test.db", &db, SQLITE_OPEN_READWRITE, "shim");
  sqlite3_exec(db, "SELECT count(*) FROM t; INSERT INTO t VALUES(10, 10)", 0, 0, 0);
  sqlite3_exec(db, "INSERT INTO t VALUES(11, randomblob(9000)); PRAGMA integrity_check", 0, 0, 0);
  sqlite3_close(db);
  fixedSize = -1;
  addedSize = 0;
}

int main(void) {
  static const int sectors[] = {INT_MIN, -512, -1, 0, 1, 31, 32, 512, 4096, 65536, 65537,
                                131072, 1 << 30, INT_MAX};
  static const int bits[] = {0, -1, INT_MIN, INT_MAX, 0x1000, 0x7fff, 0x40, 0x80, 0x8000};
  static const sqlite3_int64 times[] = {INT64_MIN, -1, 0, 1, 210866760000000, 464269060799999};
  static const sqlite3_int64 lengths[] = {INT64_MIN, INT64_MIN + 1, -1000000, 0, 1, 511, 1024,
                                          1LL << 40, 1LL << 46, 1LL << 62, INT64_MAX - 1, INT64_MAX};
  size_t i;
  below = sqlite3_vfs_find(0);
  shim = *below;
  shim.zName = "shim";
  shim.szOsFile = sizeof(File);
  shim.xOpen = openFile;
  shim.xDelete = deleteFile;
  shim.xAccess = accessFile;
  shim.xFullPathname = fullPath;
  shim.xRandomness = randomness;
  shim.xSleep = sleepFor;
  shim.xCurrentTimeInt64 = currentTime;
  methods.iVersion = 1;
  methods.xClose = closeFile;
  methods.xRead = readFile;
  methods.xWrite = writeFile;
  methods.xTruncate = truncateFile;
  methods.xSync = syncFile;
  methods.xFileSize = fileSize;
  methods.xLock = lockFile;
  methods.xUnlock = unlockFile;
  methods.xCheckReservedLock = reserved;
  methods.xFileControl = control;
  methods.xSectorSize = sectorSize;
  methods.xDeviceCharacteristics = deviceCharacteristics;
  sqlite3_vfs_register(&shim, 0);
  for (i = 0; i < sizeof sectors / sizeof *sectors; i++) {
    sector = sectors[i];
    printf("sector %d:", sector);
    use("PRAGMA page_size = 512");
    use("PRAGMA page_size = 65536");
  }
  /* With others, which are no powers of two, C loses rows. */
  sector = 512;
  for (i = 0; i < sizeof bits / sizeof *bits; i++) {
    characteristics = bits[i];
    printf("characteristics %x:", (unsigned)bits[i]);
    use("PRAGMA journal_mode = PERSIST");
  }
  characteristics = 0;
  for (i = 0; i < sizeof times / sizeof *times; i++) {
    now = times[i];
    printf("time %lld:", (long long)now);
    sqlite3_open_v2("test.db", &db, SQLITE_OPEN_READWRITE, "shim");
    run("SELECT datetime('now'), julianday('now'), unixepoch('now'), strftime('%s %f %J %G %V', 'now')");
    run("SELECT date('now', '+1 day', 'start of month'), time('now', 'utc'), CURRENT_TIMESTAMP");
    run("SELECT timediff('now', '2000-01-01'), datetime('now', 'weekday 1', '-14000 years')");
    sqlite3_close(db);
    printf("\n");
  }
  now = 210866760000000;
  for (i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    printf("length %lld:", (long long)lengths[i]);
    sizes(lengths[i], 0);
    sizes(-1, lengths[i]);
  }
  {
    static const int paths[] = {1 << 24, 4096};
    for (i = 0; i < 2; i++) {
      shim.mxPathname = paths[i];
      printf("path %d:", paths[i]);
      use("PRAGMA page_size = 512");
    }
  }
  return 0;
}
