/* VFSs of a program: a shim over the default one, and one that is all its own (c3ref/vfs,
   c3ref/io_methods). What is printed does not depend on the order or number of calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sqlite3.h"

static void run(sqlite3 *db, const char *sql) {
  char *message = 0;
  int rc = sqlite3_exec(db, sql, 0, 0, &message);
  if (rc) printf("  %s: %d %d %s\n", sql, rc, sqlite3_extended_errcode(db), message);
  sqlite3_free(message);
}

static void show(sqlite3 *db, const char *sql) {
  sqlite3_stmt *stmt = 0;
  int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, 0), i;
  printf("  %s:", sql);
  if (rc) printf(" %d %s", rc, sqlite3_errmsg(db));
  if (stmt) printf(" (%d %s)", sqlite3_column_count(stmt),
                   sqlite3_column_count(stmt) && sqlite3_column_name(stmt, 0) ? sqlite3_column_name(stmt, 0) : "");
  while (stmt && (rc = sqlite3_step(stmt)) == SQLITE_ROW)
    for (i = 0; i < sqlite3_column_count(stmt); i++) {
      const char *text = (const char *)sqlite3_column_text(stmt, i);
      printf(" %s", text ? text : "NULL");
    }
  printf(" -> %d\n", rc);
  sqlite3_finalize(stmt);
}

static const char *last(const char *path) {
  const char *slash = path ? strrchr(path, '/') : 0;
  return slash ? slash + 1 : path ? path : "(null)";
}

/* ---- The shim: each file has the real one behind it. */

typedef struct {
  sqlite3_file base;
  sqlite3_file *real;
  int kind;
} shim_file;

static sqlite3_vfs *real_vfs, shim;
static sqlite3_io_methods shim_methods;
static int opened, closed, unaligned, page_writes, page_size, fail_kind, fail_code, fail_after;
static int sector_size, characteristics, committed, synced, super_synced, overwritten, deleted;
static int sleeps, busy_calls, hints;
static int crash_after = -1, hot_opens;
static unsigned journal_sector;
static int (*busy)(void *);
static void *busy_argument;
enum { none, on_open, on_read, on_write, on_sync, on_lock, on_truncate, on_size, on_delete, on_access };

static int failing(int kind) {
  if (fail_kind != kind) return 0;
  return fail_after-- <= 0 ? fail_code : 0;
}

static int shim_close(sqlite3_file *file) {
  shim_file *f = (shim_file *)file;
  int rc = f->real->pMethods ? f->real->pMethods->xClose(f->real) : SQLITE_OK;
  closed++;
  free(f->real);
  return rc;
}

static int shim_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  shim_file *f = (shim_file *)file;
  int rc = failing(on_read);
  return rc ? rc : f->real->pMethods->xRead(f->real, bytes, count, offset);
}

static int shim_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  shim_file *f = (shim_file *)file;
  int rc = failing(on_write);
  if (f->kind & SQLITE_OPEN_MAIN_DB) {
    page_writes++;
    if (crash_after >= 0 && crash_after-- == 0) _exit(0);
    if (count != page_size || offset % page_size) unaligned++;
  }
  if (f->kind & SQLITE_OPEN_MAIN_JOURNAL && offset == 0 && count >= 28) {
    const unsigned char *header = bytes;
    journal_sector = header[20] << 24 | header[21] << 16 | header[22] << 8 | header[23];
  }
  return rc ? rc : f->real->pMethods->xWrite(f->real, bytes, count, offset);
}

static int shim_truncate(sqlite3_file *file, sqlite3_int64 size) {
  shim_file *f = (shim_file *)file;
  int rc = failing(on_truncate);
  return rc ? rc : f->real->pMethods->xTruncate(f->real, size);
}

static int shim_sync(sqlite3_file *file, int flags) {
  shim_file *f = (shim_file *)file;
  int rc = failing(on_sync);
  if (flags != SQLITE_SYNC_NORMAL) printf("  sync with %x\n", flags);
  return rc ? rc : f->real->pMethods->xSync(f->real, flags);
}

static int shim_size(sqlite3_file *file, sqlite3_int64 *size) {
  shim_file *f = (shim_file *)file;
  int rc = failing(on_size);
  return rc ? rc : f->real->pMethods->xFileSize(f->real, size);
}

static int shim_lock(sqlite3_file *file, int level) {
  shim_file *f = (shim_file *)file;
  int rc = failing(on_lock);
  if (rc == SQLITE_BUSY && busy) while (busy(busy_argument)) busy_calls++;
  return rc ? rc : f->real->pMethods->xLock(f->real, level);
}

static int shim_unlock(sqlite3_file *file, int level) {
  shim_file *f = (shim_file *)file;
  return f->real->pMethods->xUnlock(f->real, level);
}

static int shim_reserved(sqlite3_file *file, int *result) {
  shim_file *f = (shim_file *)file;
  return f->real->pMethods->xCheckReservedLock(f->real, result);
}

static int shim_control(sqlite3_file *file, int code, void *argument) {
  shim_file *f = (shim_file *)file;
  char **strings = argument;
  int rc;
  switch (code) {
    case SQLITE_FCNTL_PRAGMA:
      if (!strcmp(strings[1], "shim")) {
        strings[0] = sqlite3_mprintf("shim says %s", strings[2] ? strings[2] : "nothing");
        return SQLITE_OK;
      }
      if (!strcmp(strings[1], "shim_quiet")) return SQLITE_OK;
      if (!strcmp(strings[1], "shim_error")) {
        strings[0] = sqlite3_mprintf("shim refuses %s", strings[2]);
        return SQLITE_PERM;
      }
      if (!strcmp(strings[1], "shim_code")) return SQLITE_IOERR;
      if (!strcmp(strings[1], "user_version") && strings[2] == 0) {
        strings[0] = sqlite3_mprintf("of the shim");
        return SQLITE_OK;
      }
      break;
    case SQLITE_FCNTL_BUSYHANDLER:
      busy = (int (*)(void *))((void **)argument)[0];
      busy_argument = ((void **)argument)[1];
      return SQLITE_OK;
    case SQLITE_FCNTL_SYNC:
      synced++;
      if (argument) super_synced++;
      break;
    case SQLITE_FCNTL_COMMIT_PHASETWO: committed++; break;
    case SQLITE_FCNTL_OVERWRITE: overwritten++; break;
    case SQLITE_FCNTL_MMAP_SIZE:
      *(sqlite3_int64 *)argument = 4711;
      return SQLITE_OK;
    case SQLITE_FCNTL_SIZE_HINT: hints++; break;
    case 1001: return *(int *)argument + 1;
    case SQLITE_FCNTL_VFSNAME:
      rc = f->real->pMethods->xFileControl(f->real, code, argument);
      if (rc == SQLITE_OK) {
        char *name = sqlite3_mprintf("shim/%s", strings[0]);
        sqlite3_free(strings[0]);
        strings[0] = name;
      }
      return rc;
  }
  return f->real->pMethods->xFileControl(f->real, code, argument);
}

static int shim_sector(sqlite3_file *file) {
  shim_file *f = (shim_file *)file;
  return sector_size ? sector_size : f->real->pMethods->xSectorSize(f->real);
}

static int shim_characteristics(sqlite3_file *file) {
  shim_file *f = (shim_file *)file;
  return characteristics >= 0 ? characteristics : f->real->pMethods->xDeviceCharacteristics(f->real);
}

static int show_opens;
static sqlite3_file *main_file;

static int shim_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *out) {
  shim_file *f = (shim_file *)file;
  int rc;
  f->base.pMethods = 0;
  rc = failing(on_open);
  if (rc && fail_after < -1) return rc;
  f->real = calloc(1, real_vfs->szOsFile);
  f->kind = flags;
  opened++;
  if (flags & SQLITE_OPEN_MAIN_JOURNAL && !(flags & SQLITE_OPEN_CREATE) && out) hot_opens++;
  if (show_opens) {
    const char *text = last(name), *super = strstr(text, "-mj");
    printf("  open %.*s%s flags %x", super ? (int)(super - text) : (int)strlen(text), text,
           super ? "-super" : "", flags);
    if (name && flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_MAIN_JOURNAL)) {
      const char *key = sqlite3_uri_parameter(name, "key");
      printf(", key %s number %lld", key ? key : "none", (long long)sqlite3_uri_int64(name, "n", -1));
      printf(", of %s", last(sqlite3_filename_database(name)));
      if (flags & SQLITE_OPEN_MAIN_JOURNAL)
        printf(", file %d", sqlite3_database_file_object(name) == main_file);
    }
    printf("\n");
  }
  if (flags & SQLITE_OPEN_MAIN_DB) main_file = file;
  if (rc == 0) rc = real_vfs->xOpen(real_vfs, name, f->real, flags, out);
  /* Methods are set in any case, so the file must be closed in any case. */
  f->base.pMethods = &shim_methods;
  return rc;
}

static int shim_delete(sqlite3_vfs *vfs, const char *name, int syncs) {
  int rc = failing(on_delete);
  deleted++;
  return rc ? rc : real_vfs->xDelete(real_vfs, name, syncs);
}

static int shim_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
  int rc = failing(on_access);
  return rc ? rc : real_vfs->xAccess(real_vfs, name, flags, result);
}

static int shim_sleep(sqlite3_vfs *vfs, int microseconds) {
  sleeps++;
  return microseconds;
}

static void make_shim(void) {
  real_vfs = sqlite3_vfs_find(0);
  shim = *real_vfs;
  shim.zName = "shim";
  shim.szOsFile = sizeof(shim_file);
  shim.pAppData = &shim;
  shim.xOpen = shim_open;
  shim.xDelete = shim_delete;
  shim.xAccess = shim_access;
  shim.xSleep = shim_sleep;
  shim_methods.iVersion = 1;
  shim_methods.xClose = shim_close;
  shim_methods.xRead = shim_read;
  shim_methods.xWrite = shim_write;
  shim_methods.xTruncate = shim_truncate;
  shim_methods.xSync = shim_sync;
  shim_methods.xFileSize = shim_size;
  shim_methods.xLock = shim_lock;
  shim_methods.xUnlock = shim_unlock;
  shim_methods.xCheckReservedLock = shim_reserved;
  shim_methods.xFileControl = shim_control;
  shim_methods.xSectorSize = shim_sector;
  shim_methods.xDeviceCharacteristics = shim_characteristics;
  characteristics = -1;
  page_size = 4096;
  sqlite3_vfs_register(&shim, 0);
}

static sqlite3 *open_shim(const char *name) {
  sqlite3 *db = 0;
  int rc = sqlite3_open_v2(name, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, "shim");
  if (rc) printf("  open %s: %d %d %s\n", last(name), rc, sqlite3_extended_errcode(db), sqlite3_errmsg(db));
  return db;
}

static void plain_work(void) {
  sqlite3 *db;
  printf("plain work\n");
  show_opens = 1;
  db = open_shim("file:shim.db?key=a%20b&n=0x10&psow=1");
  run(db, "CREATE TABLE t(a, b)");
  show_opens = 0;
  run(db, "WITH c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < 500) "
          "INSERT INTO t SELECT i, randomblob(100) FROM c");
  run(db, "CREATE INDEX ta ON t(a)");
  run(db, "DELETE FROM t WHERE a % 3 = 0");
  show(db, "SELECT count(*), sum(a), sum(length(b)) FROM t");
  printf("  unaligned %d of %d, committed %d, synced %d, super %d\n", unaligned, page_writes > 0,
         committed, synced, super_synced);
  overwritten = 0;
  run(db, "VACUUM");
  printf("  overwritten %d, hints %d, deleted %d\n", overwritten, hints > 0, deleted > 0);
  show(db, "PRAGMA integrity_check");
  show_opens = 1;
  run(db, "ATTACH 'shim2.db' AS other");
  run(db, "CREATE TABLE other.u(a)");
  super_synced = 0;
  run(db, "BEGIN; INSERT INTO u VALUES (1); INSERT INTO t VALUES (1, 2); COMMIT");
  printf("  super-journal given %d\n", super_synced);
  show_opens = 0;
  sqlite3_close(db);
  printf("  all closed %d\n", opened == closed);
}

static void pragmas(void) {
  sqlite3 *db = open_shim("shim.db");
  printf("pragmas\n");
  show(db, "PRAGMA shim");
  show(db, "PRAGMA shim = hello");
  show(db, "PRAGMA main.shim(-5)");
  show(db, "PRAGMA shim_quiet");
  show(db, "PRAGMA shim_error = 'x y'");
  show(db, "PRAGMA shim_code");
  show(db, "PRAGMA user_version");
  show(db, "PRAGMA user_version = 3");
  show(db, "PRAGMA page_size");
  show(db, "PRAGMA unknown");
  show(db, "PRAGMA mmap_size");
  sqlite3_close(db);
}

static void controls(void) {
  sqlite3 *db = open_shim("shim.db");
  sqlite3_file *file = 0;
  sqlite3_vfs *vfs = 0;
  char *name = 0;
  int value = 41;
  printf("controls\n");
  printf("  own %d\n", sqlite3_file_control(db, 0, 1001, &value));
  printf("  unknown %d\n", sqlite3_file_control(db, 0, 1002, &value));
  sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  printf("  file %d %d\n", file == main_file, file->pMethods == &shim_methods);
  sqlite3_file_control(db, "main", SQLITE_FCNTL_VFS_POINTER, &vfs);
  printf("  vfs %d\n", vfs == &shim);
  sqlite3_file_control(db, "main", SQLITE_FCNTL_VFSNAME, &name);
  printf("  name %s\n", name);
  sqlite3_free(name);
  printf("  file name %s, key %s\n", last(sqlite3_db_filename(db, "main")),
         sqlite3_uri_parameter(sqlite3_db_filename(db, "main"), "key") ? "there" : "none");
  sqlite3_close(db);
}

static void inject(const char *title, int kind, int after, int code, const char *sql) {
  sqlite3 *db = open_shim("shim.db");
  printf("%s\n", title);
  run(db, "PRAGMA cache_size = 0");
  run(db, "SELECT count(*) FROM t");
  fail_kind = kind;
  fail_after = after;
  fail_code = code;
  run(db, sql);
  fail_kind = none;
  show(db, "SELECT count(*) FROM t WHERE a = 77777");
  sqlite3_close(db);
}

static void failures(void) {
  const char *insert = "INSERT INTO t VALUES (77777, 1)";
  sqlite3 *db;
  int i;
  inject("write fails", on_write, 0, SQLITE_IOERR_WRITE, insert);
  inject("disk full", on_write, 1, SQLITE_FULL, insert);
  inject("sync fails", on_sync, 0, SQLITE_IOERR_FSYNC, insert);
  inject("read fails", on_read, 0, SQLITE_IOERR_READ, "SELECT * FROM t");
  inject("own code", on_read, 0, SQLITE_IOERR | 99 << 8, "SELECT * FROM t");
  inject("lock is busy", on_lock, 0, SQLITE_BUSY, insert);
  inject("lock fails", on_lock, 0, SQLITE_IOERR_LOCK, insert);
  inject("journal cannot be opened", on_open, 0, SQLITE_CANTOPEN, insert);
  inject("access fails", on_access, 0, SQLITE_IOERR_ACCESS, "SELECT * FROM t");
  inject("journal stays", on_delete, 0, SQLITE_IOERR_DELETE, insert);
  for (i = 0; i < 2; i++) {
    printf("open fails\n");
    opened = closed = 0;
    fail_kind = on_open;
    fail_code = i ? SQLITE_PERM : SQLITE_CANTOPEN_ISDIR;
    fail_after = 0;
    db = open_shim("shim.db");
    fail_kind = none;
    sqlite3_close(db);
    printf("  all closed %d %d\n", opened == closed, opened > 0);
  }
}

static int count_busy(void *argument, int count) { return ++*(int *)argument % 3 != 0; }

static void waiting(void) {
  sqlite3 *db = open_shim("shim.db"), *other = open_shim("shim.db");
  int count = 0;
  printf("waiting\n");
  run(other, "BEGIN EXCLUSIVE");
  sleeps = 0;
  sqlite3_busy_timeout(db, 20);
  run(db, "SELECT * FROM t");
  printf("  slept %d times\n", sleeps);
  run(other, "COMMIT");
  sqlite3_close(other);
  sqlite3_close(db);
  db = open_shim("shim.db");
  sqlite3_busy_handler(db, count_busy, &count);
  busy_calls = 0;
  fail_kind = on_lock;
  fail_code = SQLITE_BUSY;
  fail_after = 0;
  run(db, "SELECT * FROM t");
  fail_kind = none;
  printf("  asked %d, went on %d\n", count > 0, busy_calls);
  sqlite3_close(db);
}

static void sectors(int size, int traits) {
  sqlite3 *db;
  printf("sectors of %d, traits %x\n", size, traits);
  sector_size = size;
  characteristics = traits;
  page_size = 1024;
  journal_sector = 0;
  real_vfs->xDelete(real_vfs, "shim3.db", 0);
  db = open_shim("shim3.db");
  run(db, "PRAGMA page_size = 1024; CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(20000))");
  run(db, "UPDATE t SET a = 1");
  printf("  in the journal %u\n", journal_sector);
  show(db, "PRAGMA integrity_check");
  sqlite3_close(db);
  sector_size = 0;
  characteristics = -1;
  page_size = 4096;
}

/* A process that dies between two pages leaves a hot journal. */
static void crash(void) {
  sqlite3 *db;
  int status = 0;
  pid_t child;
  printf("crash\n");
  fflush(stdout);
  child = fork();
  if (child == 0) {
    db = open_shim("shim.db");
    crash_after = 2;
    run(db, "UPDATE t SET b = zeroblob(300)");
    _exit(1);
  }
  waitpid(child, &status, 0);
  printf("  crashed %d\n", status == 0);
  db = open_shim("shim.db");
  show(db, "SELECT count(*) FROM t WHERE length(b) = 300");
  show(db, "PRAGMA integrity_check");
  printf("  journal opened %d\n", hot_opens > 0);
  sqlite3_close(db);
}

/* ---- A VFS of version 1 that keeps its files in memory, and has nothing of the default one. */

typedef struct { char name[100]; char *bytes; sqlite3_int64 size; int used; } ram_content;
typedef struct { sqlite3_file base; ram_content *content; int is_temporary; } ram_file;
static ram_content contents[20];
static int ram_random;

static ram_content *ram_find(const char *name, int make) {
  int i;
  for (i = 0; i < 20; i++) if (contents[i].used && name && !strcmp(contents[i].name, name)) return &contents[i];
  if (!make) return 0;
  for (i = 0; contents[i].used; i++);
  memset(&contents[i], 0, sizeof contents[i]);
  contents[i].used = 1;
  if (name) strcpy(contents[i].name, name);
  return &contents[i];
}

static int ram_close(sqlite3_file *file) {
  ram_file *f = (ram_file *)file;
  if (f->is_temporary) {
    free(f->content->bytes);
    f->content->used = 0;
  }
  return SQLITE_OK;
}

static int ram_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  ram_content *c = ((ram_file *)file)->content;
  sqlite3_int64 there = c->size - offset;
  if (there >= count) {
    memcpy(bytes, c->bytes + offset, count);
    return SQLITE_OK;
  }
  memset(bytes, 0, count);
  if (there > 0) memcpy(bytes, c->bytes + offset, there);
  return SQLITE_IOERR_SHORT_READ;
}

static int ram_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  ram_content *c = ((ram_file *)file)->content;
  if (offset + count > c->size) {
    c->bytes = realloc(c->bytes, offset + count);
    memset(c->bytes + c->size, 0, offset + count - c->size);
    c->size = offset + count;
  }
  memcpy(c->bytes + offset, bytes, count);
  return SQLITE_OK;
}

static int ram_truncate(sqlite3_file *file, sqlite3_int64 size) {
  ram_content *c = ((ram_file *)file)->content;
  if (size < c->size) c->size = size;
  return SQLITE_OK;
}

static int ram_sync(sqlite3_file *file, int flags) { return SQLITE_OK; }
static int ram_size(sqlite3_file *file, sqlite3_int64 *size) {
  *size = ((ram_file *)file)->content->size;
  return SQLITE_OK;
}
static int ram_lock(sqlite3_file *file, int level) { return SQLITE_OK; }
static int ram_reserved(sqlite3_file *file, int *result) { *result = 0; return SQLITE_OK; }
static int ram_control(sqlite3_file *file, int code, void *argument) { return SQLITE_NOTFOUND; }
static int ram_sector(sqlite3_file *file) { return 0; }
static int ram_traits(sqlite3_file *file) { return 0; }

static const sqlite3_io_methods ram_methods = {1, ram_close, ram_read, ram_write, ram_truncate, ram_sync,
  ram_size, ram_lock, ram_lock, ram_reserved, ram_control, ram_sector, ram_traits};

static int ram_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *out) {
  ram_file *f = (ram_file *)file;
  f->base.pMethods = 0;
  f->content = ram_find(name, flags & SQLITE_OPEN_CREATE);
  if (!f->content) return SQLITE_CANTOPEN;
  f->is_temporary = (flags & SQLITE_OPEN_DELETEONCLOSE) != 0;
  if (!name != f->is_temporary) printf("  a name and a temporary file\n");
  f->base.pMethods = &ram_methods;
  if (out) *out = flags;
  return SQLITE_OK;
}

static int ram_delete(sqlite3_vfs *vfs, const char *name, int syncs) {
  ram_content *c = ram_find(name, 0);
  if (!c) return SQLITE_IOERR_DELETE_NOENT;
  free(c->bytes);
  c->used = 0;
  return SQLITE_OK;
}

static int ram_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
  *result = ram_find(name, 0) != 0;
  return SQLITE_OK;
}

static int ram_full(sqlite3_vfs *vfs, const char *name, int size, char *result) {
  if ((int)strlen(name) + 5 >= size) return SQLITE_CANTOPEN;
  strcpy(result, "ram:");
  strcat(result, name);
  return SQLITE_OK;
}

static int ram_randomness(sqlite3_vfs *vfs, int size, char *bytes) {
  ram_random++;
  memset(bytes, 7, size);
  return size;
}
static int ram_sleep(sqlite3_vfs *vfs, int microseconds) { return microseconds; }
static int ram_time(sqlite3_vfs *vfs, double *day) { *day = 2451545.25; return SQLITE_OK; }

static sqlite3_vfs ram_vfs = {1, sizeof(ram_file), 40, 0, "ram", 0, ram_open, ram_delete, ram_access, ram_full,
  0, 0, 0, 0, ram_randomness, ram_sleep, ram_time};

static void own_vfs(void) {
  sqlite3 *db = 0;
  int rc, i, used = 0;
  printf("a VFS in memory\n");
  sqlite3_vfs_register(&ram_vfs, 0);
  for (i = 0; i < 2; i++) {
    rc = sqlite3_open_v2("first", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "ram");
    printf("  open %d %s\n", rc, sqlite3_db_filename(db, 0));
    run(db, "CREATE TABLE IF NOT EXISTS t(a); INSERT INTO t VALUES (1), (2)");
    show(db, "SELECT count(*) FROM t");
    show(db, "SELECT datetime('now')");
    run(db, "BEGIN; DELETE FROM t; ROLLBACK");
    run(db, "PRAGMA temp_store = file; CREATE TEMP TABLE x(a); PRAGMA temp.cache_size = 5");
    run(db, "WITH c(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM c WHERE i < 300) "
            "INSERT INTO x SELECT randomblob(1000) FROM c");
    show(db, "SELECT count(*), sum(length(a)) FROM x");
    show(db, "PRAGMA mmap_size");
    show(db, "PRAGMA temp.mmap_size = 100");
    show(db, "PRAGMA integrity_check");
    sqlite3_close(db);
  }
  for (i = 0; i < 20; i++) used += contents[i].used;
  printf("  files left %d\n", used);
  rc = sqlite3_open_v2("missing", &db, SQLITE_OPEN_READWRITE, "ram");
  printf("  missing %d %s\n", rc, sqlite3_errmsg(db));
  sqlite3_close(db);
  rc = sqlite3_open_v2("a name that is too long for it", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "ram");
  printf("  long %d\n", rc);
  sqlite3_close(db);
  rc = sqlite3_open_v2("file:first?vfs=ram", &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, 0);
  printf("  by URI %d\n", rc);
  run(db, "INSERT INTO t VALUES (3)");
  show(db, "SELECT count(*) FROM t");
  run(db, "ATTACH 'second' AS s");
  sqlite3_close(db);
  sqlite3_vfs_unregister(&ram_vfs);
  rc = sqlite3_open_v2("first", &db, SQLITE_OPEN_READWRITE, "ram");
  printf("  unregistered %d %s\n", rc, sqlite3_errmsg(db));
  sqlite3_close(db);
}

int main(void) {
  make_shim();
  plain_work();
  pragmas();
  controls();
  failures();
  waiting();
  crash();
  sectors(4096, SQLITE_IOCAP_POWERSAFE_OVERWRITE);
  sectors(4096, 0);
  sectors(0, SQLITE_IOCAP_ATOMIC | SQLITE_IOCAP_SAFE_APPEND | SQLITE_IOCAP_SEQUENTIAL);
  sectors(16, 0);
  sectors(1 << 20, 0);
  own_vfs();
  return 0;
}
