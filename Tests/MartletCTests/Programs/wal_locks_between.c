/* Others who come between two locks of a write-ahead log, and locks of it that fail. */
#include <stdlib.h>
#include <string.h>
#include "show.h"

typedef struct {
  sqlite3_file base;
  sqlite3_file *real;
} file;

static sqlite3_vfs *real_vfs, shim;
static sqlite3_io_methods methods;
static sqlite3 *other;
static int fails;

static int between(sqlite3_file *given, int offset, int count, int flags) {
  file *mine = (file *)given;
  if (fails) return SQLITE_IOERR;
  if (other && offset == 0 && flags == (SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE)) {
    sqlite3 *db = other;
    other = 0;
    sqlite3_exec(db, "INSERT INTO t VALUES('between')", 0, 0, 0);
  }
  return mine->real->pMethods->xShmLock(mine->real, offset, count, flags);
}

#define REAL(call) { sqlite3_file *f = ((file *)g)->real; return f->pMethods->call; }
static int m_close(sqlite3_file *g) {
  file *mine = (file *)g;
  int code = mine->real->pMethods->xClose(mine->real);
  free(mine->real);
  return code;
}
static int m_read(sqlite3_file *g, void *to, int n, sqlite3_int64 at) REAL(xRead(f, to, n, at))
static int m_write(sqlite3_file *g, const void *from, int n, sqlite3_int64 at) REAL(xWrite(f, from, n, at))
static int m_truncate(sqlite3_file *g, sqlite3_int64 n) REAL(xTruncate(f, n))
static int m_sync(sqlite3_file *g, int flags) REAL(xSync(f, flags))
static int m_size(sqlite3_file *g, sqlite3_int64 *n) REAL(xFileSize(f, n))
static int m_lock(sqlite3_file *g, int level) REAL(xLock(f, level))
static int m_unlock(sqlite3_file *g, int level) REAL(xUnlock(f, level))
static int m_reserved(sqlite3_file *g, int *is) REAL(xCheckReservedLock(f, is))
static int m_control(sqlite3_file *g, int op, void *data) REAL(xFileControl(f, op, data))
static int m_sector(sqlite3_file *g) REAL(xSectorSize(f))
static int m_traits(sqlite3_file *g) REAL(xDeviceCharacteristics(f))
static int m_map(sqlite3_file *g, int i, int n, int extend, void volatile **to) REAL(xShmMap(f, i, n, extend, to))
static void m_barrier(sqlite3_file *g) { sqlite3_file *f = ((file *)g)->real; f->pMethods->xShmBarrier(f); }
static int m_unmap(sqlite3_file *g, int deletes) REAL(xShmUnmap(f, deletes))

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *given, int flags, int *out) {
  file *mine = (file *)given;
  int code;
  mine->real = calloc(1, real_vfs->szOsFile);
  code = real_vfs->xOpen(real_vfs, name, mine->real, flags, out);
  given->pMethods = code ? 0 : &methods;
  if (code) free(mine->real);
  return code;
}

int main(void) {
  sqlite3 *db, *second;
  sqlite3_io_methods all = {2, m_close, m_read, m_write, m_truncate, m_sync, m_size, m_lock, m_unlock, m_reserved,
                            m_control, m_sector, m_traits, m_map, between, m_barrier, m_unmap};
  methods = all;
  real_vfs = sqlite3_vfs_find(0);
  shim = *real_vfs;
  shim.zName = "between", shim.szOsFile = sizeof(file), shim.xOpen = open_file;
  sqlite3_vfs_register(&shim, 1);
  sqlite3_open("b.db", &db), sqlite3_open("b.db", &second);
  show(db, "PRAGMA journal_mode = WAL");
  show(db, "CREATE TABLE t(a)");
  show(second, "SELECT * FROM t");

  puts("a write that begins with what is outdated by then");
  other = second;
  show(db, "BEGIN EXCLUSIVE");
  printf("  %d\n", sqlite3_extended_errcode(db));
  other = second;
  show(db, "INSERT INTO t VALUES('first')");
  printf("  %d\n", sqlite3_extended_errcode(db));
  show(db, "BEGIN");
  show(db, "SELECT * FROM t");
  other = second;
  show(db, "INSERT INTO t VALUES('second')");
  printf("  %d\n", sqlite3_extended_errcode(db));
  show(db, "ROLLBACK");
  sqlite3_busy_timeout(db, 10);
  other = second;
  show(db, "BEGIN EXCLUSIVE");
  show(db, "SELECT count(*) FROM t");
  show(db, "COMMIT");
  sqlite3_close(second);

  puts("exclusive mode that cannot be left");
  show(db, "PRAGMA locking_mode = EXCLUSIVE");
  show(db, "INSERT INTO t VALUES('third')");
  show(db, "PRAGMA locking_mode = NORMAL");
  fails = 1;
  show(db, "INSERT INTO t VALUES('fourth')");
  sqlite3_open("b.db", &second);
  show(second, "SELECT count(*) FROM t");
  sqlite3_close(second);
  fails = 0;
  show(db, "INSERT INTO t VALUES('fifth')");
  sqlite3_open("b.db", &second);
  show(second, "SELECT count(*) FROM t");
  show(second, "INSERT INTO t VALUES('sixth')");
  show(db, "SELECT count(*) FROM t");
  sqlite3_close(second), sqlite3_close(db);
  return 0;
}
