/* How many ordinary and how many full syncs a VFS is asked for, with `fullfsync`, `checkpoint_fullfsync` and
   `synchronous` in every combination. */
#include <stdio.h>
#include <string.h>
#include "sqlite3.h"

static sqlite3_vfs *original, vfs;
/* Of databases, and of what stands beside them: those have other locks. */
static sqlite3_io_methods methods[2];
static int normal, full;

static int sync_file(sqlite3_file *file, int flags) {
  if ((flags & 0x0f) == SQLITE_SYNC_FULL) full++; else normal++;
  return SQLITE_OK;
}

static int open_file(sqlite3_vfs *self, const char *name, sqlite3_file *file, int flags, int *out) {
  int rc = original->xOpen(original, name, file, flags, out);
  if (rc == SQLITE_OK) {
    sqlite3_io_methods *own = &methods[(flags & SQLITE_OPEN_MAIN_DB) != 0];
    *own = *file->pMethods;
    own->xSync = sync_file;
    file->pMethods = own;
  }
  return rc;
}

static void run(sqlite3 *db, const char *sql) {
  normal = full = 0;
  if (sqlite3_exec(db, sql, 0, 0, 0)) printf(" (%s)", sqlite3_errmsg(db));
  printf(" %d %d,", normal, full);
}

/* A reader keeps the checkpoint from the end of the log: there is nothing to be synced yet but the log. */
static void check_beside(unsigned flags) {
  char sql[300];
  sqlite3 *db, *reader;
  snprintf(sql, sizeof sql, "b%u.db", flags);
  sqlite3_open_v2(sql, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "syncs");
  sqlite3_open_v2(sql, &reader, SQLITE_OPEN_READWRITE, "syncs");
  snprintf(sql, sizeof sql, "PRAGMA page_size = 4096; CREATE TABLE t(x); PRAGMA journal_mode = WAL;"
      "PRAGMA checkpoint_fullfsync = %d; PRAGMA fullfsync = %d", flags & 1, flags >> 1);
  sqlite3_exec(db, sql, 0, 0, 0);
  printf("beside a reader %d%d:", flags >> 1, flags & 1);
  run(db, "INSERT INTO t VALUES('abc')");
  sqlite3_exec(reader, "BEGIN; SELECT * FROM t", 0, 0, 0);
  run(db, "INSERT INTO t VALUES('def')");
  run(db, "PRAGMA wal_checkpoint");
  run(db, "PRAGMA wal_checkpoint");
  sqlite3_exec(reader, "COMMIT", 0, 0, 0);
  run(db, "PRAGMA wal_checkpoint");
  printf("\n");
  sqlite3_close(reader);
  sqlite3_close(db);
}

int main(void) {
  static const char *const modes[] = { "delete", "truncate", "persist", "wal" };
  static const char *const levels[] = { "off", "normal", "full", "extra" };
  unsigned mode, level, flags;
  original = sqlite3_vfs_find(0);
  vfs = *original;
  vfs.zName = "syncs";
  vfs.xOpen = open_file;
  sqlite3_vfs_register(&vfs, 0);
  for (mode = 0; mode < 4; mode++)
    for (level = 0; level < 4; level++)
      for (flags = 0; flags < 4; flags++) {
        sqlite3 *db;
        char sql[300];
        snprintf(sql, sizeof sql, "f%u%u%u.db", mode, level, flags);
        sqlite3_open_v2(sql, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "syncs");
        sqlite3_exec(db, "PRAGMA page_size = 4096; CREATE TABLE t(x); PRAGMA wal_autocheckpoint = OFF", 0, 0, 0);
        snprintf(sql, sizeof sql, "PRAGMA journal_mode = %s; PRAGMA checkpoint_fullfsync = %d;"
            "PRAGMA fullfsync = %d; PRAGMA synchronous = %s", modes[mode], flags & 1, flags >> 1,
            levels[level]);
        sqlite3_exec(db, sql, 0, 0, 0);
        printf("%s %s %d%d:", modes[mode], levels[level], flags >> 1, flags & 1);
        run(db, "INSERT INTO t VALUES('abc')");
        run(db, "INSERT INTO t VALUES('def')");
        run(db, "BEGIN; INSERT INTO t VALUES(zeroblob(30000)); DELETE FROM t WHERE x = 'abc'; COMMIT");
        run(db, "PRAGMA wal_checkpoint");
        run(db, "INSERT INTO t VALUES('ghi')");
        run(db, "BEGIN; INSERT INTO t VALUES(1); ROLLBACK");
        printf("\n");
        sqlite3_close(db);
      }
  for (flags = 0; flags < 4; flags++) check_beside(flags);
  return 0;
}
