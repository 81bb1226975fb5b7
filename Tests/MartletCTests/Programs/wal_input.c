/* WAL mode where something is missing or wrong: files without shared memory, shared memory of the
   program's own, directories and files that may not be written, logs of another database or with a
   damaged header (c3ref/io_methods, wal, walformat, fileformat2 section 4). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sqlite3.h"

static int row(void *name, int count, char **values, char **names) {
  int i;
  for (i = 0; i < count; i++) printf("%s%s", i ? "|" : "    ", values[i] ? values[i] : "NULL");
  printf("\n");
  return 0;
}

static void on(sqlite3 *db, const char *sql) {
  int code = sqlite3_exec(db, sql, row, 0, 0);
  printf("  %s: %d %d %s\n", sql, code, sqlite3_extended_errcode(db),
         code ? sqlite3_errmsg(db) : "");
}

static sqlite3 *open_at(const char *name, const char *vfs) {
  sqlite3 *db = 0;
  int code = sqlite3_open_v2(
    name, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, vfs);
  if (code) printf("  open %s: %d %s\n", name, code, sqlite3_errmsg(db));
  return db;
}

static long size_of(const char *name) {
  struct stat status;
  return stat(name, &status) ? -1 : (long)status.st_size;
}

static void files(const char *name) {
  char wal[200], shm[200];
  snprintf(wal, sizeof wal, "%s-wal", name);
  snprintf(shm, sizeof shm, "%s-shm", name);
  printf("  %s %ld, wal %ld, shm %s\n", name, size_of(name), size_of(wal),
         size_of(shm) < 0 ? "no" : "yes");
}

static void erase(const char *name) {
  char text[200];
  const char *const ends[] = {"", "-wal", "-shm", "-journal"};
  size_t i;
  for (i = 0; i < 4; i++) {
    snprintf(text, sizeof text, "%s%s", name, ends[i]);
    if (unlink(text) && errno != ENOENT) rmdir(text);
  }
}

static unsigned char bytes[1 << 20];

static long load(const char *name) {
  FILE *in = fopen(name, "rb");
  long count;
  if (!in) return -1;
  count = (long)fread(bytes, 1, sizeof bytes, in);
  fclose(in);
  return count;
}

static void store(const char *name, long count) {
  FILE *out = fopen(name, "wb");
  fwrite(bytes, 1, count, out);
  fclose(out);
}

static void copy(const char *from, const char *to) { store(to, load(from)); }

/* Of pages that are cut off, an integrity check says less here before it gives up. */
static int checks = 1;

/* What is done with each database. */
static void probe(const char *name, const char *vfs) {
  sqlite3 *db = open_at(name, vfs);
  on(db, "SELECT count(*) FROM t");
  on(db, "PRAGMA journal_mode");
  on(db, "INSERT INTO t VALUES(7, 7)");
  on(db, "PRAGMA wal_checkpoint");
  on(db, "SELECT count(*) FROM t");
  if (checks) on(db, "PRAGMA integrity_check");
  sqlite3_close(db);
}

/* `name` with a log that is not in the file: two rows there, one more in the log. */
static void make(const char *name, int page_size) {
  sqlite3 *db;
  char sql[300], wal[100];
  erase("source.db");
  erase(name);
  db = open_at("source.db", 0);
  snprintf(sql, sizeof sql,
           "PRAGMA page_size = %d; PRAGMA journal_mode = wal; CREATE TABLE t(a, b);"
           "INSERT INTO t VALUES(1, 1), (2, 2); PRAGMA wal_checkpoint; INSERT INTO t VALUES(3, 3)",
           page_size);
  sqlite3_exec(db, sql, 0, 0, 0);
  copy("source.db", name);
  snprintf(wal, sizeof wal, "%s-wal", name);
  copy("source.db-wal", wal);
  sqlite3_close(db);
  erase("source.db");
}

/* ---- A shim over the default VFS. With `version` 1 its files have no shared memory; with 2 that is
   the program's own. */

typedef struct region {
  char name[200];
  int number, users;
  void *memory;
  struct region *next;
} region;

typedef struct {
  sqlite3_file base;
  sqlite3_file *real;
  char name[200];
  int is_database, maps;
} shim_file;

static sqlite3_vfs *real_vfs, shim;
static sqlite3_io_methods shim_methods;
static region *regions;
static int maps, locks, unlocks, barriers, unmaps, deletes, wrong, fail_map, fail_lock;
static signed char held[SQLITE_SHM_NLOCK];

#define REAL(file) (((shim_file *)(file))->real)

static int shim_close(sqlite3_file *file) {
  int code = REAL(file)->pMethods->xClose(REAL(file));
  if (((shim_file *)file)->maps) wrong++;
  free(REAL(file));
  return code;
}

static int shim_read(sqlite3_file *file, void *to, int count, sqlite3_int64 offset) {
  return REAL(file)->pMethods->xRead(REAL(file), to, count, offset);
}

static int shim_write(sqlite3_file *file, const void *from, int count, sqlite3_int64 offset) {
  return REAL(file)->pMethods->xWrite(REAL(file), from, count, offset);
}

static int shim_truncate(sqlite3_file *file, sqlite3_int64 size) {
  return REAL(file)->pMethods->xTruncate(REAL(file), size);
}

static int shim_sync(sqlite3_file *file, int flags) {
  return REAL(file)->pMethods->xSync(REAL(file), flags);
}

static int shim_size(sqlite3_file *file, sqlite3_int64 *size) {
  return REAL(file)->pMethods->xFileSize(REAL(file), size);
}

static int shim_lock(sqlite3_file *file, int level) {
  return REAL(file)->pMethods->xLock(REAL(file), level);
}

static int shim_unlock(sqlite3_file *file, int level) {
  return REAL(file)->pMethods->xUnlock(REAL(file), level);
}

static int shim_reserved(sqlite3_file *file, int *result) {
  return REAL(file)->pMethods->xCheckReservedLock(REAL(file), result);
}

static int shim_control(sqlite3_file *file, int code, void *argument) { return SQLITE_NOTFOUND; }
static int shim_sector(sqlite3_file *file) { return 4096; }
static int shim_traits(sqlite3_file *file) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

static int shim_shm_map(
  sqlite3_file *file, int number, int size, int extending, void volatile **memory) {
  shim_file *f = (shim_file *)file;
  region *r;
  maps++;
  *memory = 0;
  if (!f->is_database || size != 32768) wrong++;
  if (fail_map) return fail_map;
  for (r = regions; r; r = r->next)
    if (r->number == number && strcmp(r->name, f->name) == 0) break;
  if (!r) {
    if (!extending) return SQLITE_OK;
    r = calloc(1, sizeof *r);
    strcpy(r->name, f->name);
    r->number = number;
    r->memory = calloc(1, size);
    r->next = regions;
    regions = r;
  }
  f->maps = 1;
  *memory = r->memory;
  return SQLITE_OK;
}

static int shim_shm_lock(sqlite3_file *file, int first, int count, int flags) {
  int i;
  if (first < 0 || count < 1 || first + count > SQLITE_SHM_NLOCK) return wrong++, SQLITE_IOERR;
  if (flags & SQLITE_SHM_SHARED && count != 1) wrong++;
  if (flags & SQLITE_SHM_UNLOCK) {
    unlocks += count;
    for (i = first; i < first + count; i++) {
      if (flags & SQLITE_SHM_SHARED ? held[i] < 1 : held[i] != -1) wrong++;
      held[i] = flags & SQLITE_SHM_SHARED ? held[i] - 1 : 0;
    }
    return SQLITE_OK;
  }
  if (fail_lock) return fail_lock;
  for (i = first; i < first + count; i++)
    if (flags & SQLITE_SHM_SHARED ? held[i] < 0 : held[i] != 0) return SQLITE_BUSY;
  locks += count;
  for (i = first; i < first + count; i++) held[i] = flags & SQLITE_SHM_SHARED ? held[i] + 1 : -1;
  return SQLITE_OK;
}

static void shim_shm_barrier(sqlite3_file *file) {
  barriers++;
  __sync_synchronize();
}

static int shim_shm_unmap(sqlite3_file *file, int deleting) {
  shim_file *f = (shim_file *)file;
  region **link = &regions;
  unmaps++;
  f->maps = 0;
  if (!deleting) return SQLITE_OK;
  deletes++;
  while (*link) {
    region *r = *link;
    if (strcmp(r->name, f->name)) {
      link = &r->next;
      continue;
    }
    *link = r->next;
    free(r->memory);
    free(r);
  }
  return SQLITE_OK;
}

static int shim_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out) {
  shim_file *f = (shim_file *)file;
  int code;
  memset(f, 0, sizeof *f);
  f->real = calloc(1, real_vfs->szOsFile);
  f->is_database = (flags & SQLITE_OPEN_MAIN_DB) != 0;
  if (name) snprintf(f->name, sizeof f->name, "%s", name);
  code = real_vfs->xOpen(real_vfs, name, f->real, flags, out);
  if (code) {
    free(f->real);
    return code;
  }
  f->base.pMethods = &shim_methods;
  return SQLITE_OK;
}

static void install(int version) {
  static const sqlite3_io_methods methods = {
    1, shim_close, shim_read, shim_write, shim_truncate, shim_sync, shim_size, shim_lock,
    shim_unlock, shim_reserved, shim_control, shim_sector, shim_traits, shim_shm_map,
    shim_shm_lock, shim_shm_barrier, shim_shm_unmap,
  };
  real_vfs = sqlite3_vfs_find(0);
  shim_methods = methods;
  shim_methods.iVersion = version;
  shim = *real_vfs;
  shim.zName = "shim";
  shim.szOsFile = sizeof(shim_file);
  shim.xOpen = shim_open;
  sqlite3_vfs_register(&shim, 0);
}

static void without_shared_memory(void) {
  sqlite3 *db;
  printf("-- files without shared memory\n");
  install(1);
  erase("none.db");
  db = open_at("none.db", "shim");
  on(db, "PRAGMA journal_mode = wal; CREATE TABLE t(a, b); PRAGMA journal_mode");
  on(db, "PRAGMA wal_checkpoint");
  on(db, "PRAGMA locking_mode = exclusive; PRAGMA journal_mode = wal; INSERT INTO t VALUES(1, 1)");
  files("none.db");
  on(db, "PRAGMA locking_mode = normal; SELECT count(*) FROM t; PRAGMA locking_mode");
  on(db, "PRAGMA wal_checkpoint");
  sqlite3_close(db);
  files("none.db");
  probe("none.db", "shim");
  make("none.db", 4096);
  probe("none.db", "shim");
  files("none.db");
  db = open_at("none.db", "shim");
  on(db, "PRAGMA locking_mode = exclusive; SELECT count(*) FROM t; INSERT INTO t VALUES(4, 4)");
  on(db, "PRAGMA journal_mode = delete; PRAGMA locking_mode = normal; SELECT count(*) FROM t");
  sqlite3_close(db);
  files("none.db");
  printf("  %d calls\n", maps + locks + unlocks + barriers + unmaps);
  /* A version that says there is shared memory, and no method for it. */
  make("none.db", 4096);
  shim_methods.iVersion = 2;
  shim_methods.xShmMap = 0;
  probe("none.db", "shim");
}

static void with_its_own(void) {
  sqlite3 *db, *other;
  printf("-- shared memory of the program\n");
  install(2);
  erase("own.db");
  db = open_at("own.db", "shim");
  on(db, "PRAGMA journal_mode = wal; CREATE TABLE t(a, b); INSERT INTO t VALUES(1, 1)");
  other = open_at("own.db", "shim");
  on(other, "BEGIN; SELECT count(*) FROM t");
  on(db, "INSERT INTO t VALUES(2, 2); PRAGMA wal_checkpoint");
  on(other, "SELECT count(*) FROM t; COMMIT; SELECT count(*) FROM t");
  on(other, "BEGIN IMMEDIATE");
  on(db, "INSERT INTO t VALUES(3, 3)");
  on(other, "COMMIT");
  fail_lock = SQLITE_IOERR_SHMLOCK;
  on(db, "SELECT count(*) FROM t");
  on(db, "PRAGMA wal_checkpoint");
  fail_lock = 0;
  on(db, "INSERT INTO t WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
         "SELECT i, randomblob(4000) FROM n");
  on(other, "SELECT count(*) FROM t");
  sqlite3_close(db);
  printf("  %d\n", deletes);
  sqlite3_close(other);
  files("own.db");
  printf("  maps %d, locks %d, balanced %d, barriers %d, unmaps %d, deletes %d, regions %d, wrong %d\n",
         maps > 2, locks > 10, locks == unlocks, barriers > 4, unmaps, deletes, regions != 0, wrong);
  fail_map = SQLITE_IOERR_SHMMAP;
  probe("own.db", "shim");
  fail_map = SQLITE_CANTOPEN;
  probe("own.db", "shim");
  fail_map = SQLITE_READONLY_CANTINIT;
  probe("own.db", "shim");
  fail_map = 0;
  probe("own.db", "shim");
  printf("  wrong %d\n", wrong);
}

/* ---- What may not be written. The superuser may write everything, so a process of nobody tries. */

static void as_nobody(void (*body)(const char *), const char *argument) {
  pid_t child;
  fflush(stdout);
  child = fork();
  if (child == 0) {
    if (geteuid() == 0 && (setgid(65534) || setuid(65534))) printf("still the superuser\n");
    body(argument);
    fflush(stdout);
    _exit(0);
  }
  waitpid(child, 0, 0);
}

static void probe_it(const char *uri) {
  probe(uri, 0);
  files("may/x.db");
}

static void permissions(void) {
  static const struct {
    int directory, database, wal, shm;
  } cases[] = {
    /* -1: there is no such file. */
    {0777, 0444, 0444, 0444}, {0777, 0444, 0666, 0666}, {0777, 0666, 0444, 0666},
    {0777, 0666, 0666, 0444}, {0777, 0666, 0666, 0},    {0777, 0666, 0, 0666},
    {0777, 0444, -1, -1},     {0777, 0666, 0666, -1},   {0777, 0444, 0444, -1},
    {0555, 0666, 0666, 0666}, {0555, 0666, 0666, -1},   {0555, 0666, -1, -1},
    {0555, 0666, -1, 0666},   {0555, 0444, 0444, -1},   {0555, 0444, -1, -1},
    {0555, 0444, 0444, 0444},
  };
  size_t i;
  printf("-- permissions\n");
  chmod(".", 0777);
  for (i = 0; i < sizeof cases / sizeof *cases; i++) {
    char uri[100];
    int mode;
    printf(" directory %o, database %o, log %o, index %o\n", cases[i].directory, cases[i].database,
           cases[i].wal, cases[i].shm);
    for (mode = 0; mode < 2; mode++) {
      mkdir("may", 0777);
      make("may/x.db", 4096);
      if (cases[i].wal < 0) unlink("may/x.db-wal");
      else chmod("may/x.db-wal", cases[i].wal);
      if (cases[i].shm >= 0) {
        memset(bytes, 0, 32768);
        store("may/x.db-shm", 32768);
        chmod("may/x.db-shm", cases[i].shm);
      }
      chmod("may/x.db", cases[i].database);
      chmod("may", cases[i].directory);
      snprintf(uri, sizeof uri, mode ? "file:may/x.db?mode=ro" : "may/x.db");
      printf(" %s\n", uri);
      as_nobody(probe_it, uri);
      chmod("may", 0777);
      erase("may/x.db");
      rmdir("may");
    }
  }
}

static void directories(void) {
  printf("-- a directory in the place of a file\n");
  make("dir.db", 4096);
  mkdir("dir.db-shm", 0777);
  probe("dir.db", 0);
  make("dir.db", 4096);
  unlink("dir.db-wal");
  mkdir("dir.db-wal", 0777);
  probe("dir.db", 0);
  erase("dir.db");
}

/* ---- Logs that do not belong there, or are damaged. */

static unsigned get(long offset) {
  return (unsigned)bytes[offset] << 24 | bytes[offset + 1] << 16 | bytes[offset + 2] << 8
    | bytes[offset + 3];
}

static void put(long offset, unsigned number) {
  bytes[offset] = number >> 24;
  bytes[offset + 1] = number >> 16;
  bytes[offset + 2] = number >> 8;
  bytes[offset + 3] = number;
}

/* Fileformat2 section 4.2. */
static void sum(long offset, long count, unsigned *s) {
  int big = bytes[3] & 1;
  for (; count > 0; count -= 8, offset += 8) {
    unsigned first = get(offset), second = get(offset + 4);
    if (!big) first = __builtin_bswap32(first), second = __builtin_bswap32(second);
    s[0] += first + s[1];
    s[1] += second + s[0];
  }
}

/* Makes all checksums of a log right, whatever its header says. */
static void seal(long count, long page_size) {
  unsigned s[2] = {0, 0};
  long frame;
  sum(0, 24, s);
  put(24, s[0]);
  put(28, s[1]);
  for (frame = 32; frame + 24 + page_size <= count; frame += 24 + page_size) {
    memcpy(bytes + frame + 8, bytes + 16, 8);
    sum(frame, 8, s);
    sum(frame + 24, page_size, s);
    put(frame + 16, s[0]);
    put(frame + 20, s[1]);
  }
}

static void headers(void) {
  static const struct {
    const char *name;
    long offset;
    unsigned value;
    int sealed;
  } cases[] = {
    {"as it is", 12, 0, 1},
    {"magic", 0, 0x377f0681, 1}, {"magic", 0, 0x377f0684, 1}, {"magic", 0, 0, 1},
    {"the other order of bytes", 0, 0x377f0683, 1},
    {"the other order of bytes, not sealed", 0, 0x377f0683, 0},
    {"version", 4, 3007001, 1}, {"version", 4, 3006999, 1}, {"version", 4, 0, 1},
    {"version, not sealed", 4, 3007001, 0},
    {"page size", 8, 0, 1}, {"page size", 8, 1, 1}, {"page size", 8, 3, 1}, {"page size", 8, 256, 1},
    {"page size", 8, 512, 1}, {"page size", 8, 1025, 1}, {"page size", 8, 65536, 1},
    {"page size", 8, 131072, 1}, {"page size", 8, 0x80000000, 1}, {"page size", 8, 0xffffffff, 1},
    {"count", 12, 0xffffffff, 1}, {"count, not sealed", 12, 7, 0},
    {"salt", 16, 0x12345678, 1}, {"salt, not sealed", 16, 0x12345678, 0},
    {"salt, not sealed", 20, 0x12345678, 0},
    {"checksum", 24, 1, 0}, {"checksum", 28, 1, 0},
    {"page of a frame", 32, 0, 1}, {"page of a frame", 32, 0x7fffffff, 1},
    {"page of a frame", 32, 0xffffffff, 1}, {"page of a frame, not sealed", 32, 2, 0},
    {"size at a commit", 36, 1, 1},
    {"size at a commit, not sealed", 36, 9, 0},
    {"salt of a frame", 40, 1, 0}, {"salt of a frame", 44, 1, 0},
    {"checksum of a frame", 48, 1, 0}, {"checksum of a frame", 52, 1, 0},
    {"content of a frame", 1000, 1, 0},
  };
  static const long ends[] = {0, 1, 31, 32, 33, 56, 4151, 4152, 4153};
  size_t i;
  long count;
  printf("-- headers\n");
  for (i = 0; i < sizeof cases / sizeof *cases; i++) {
    make("head.db", 4096);
    count = load("head.db-wal");
    /* The log was started again: what is behind its only frame is older. */
    if (count > 4152) count = 4152;
    put(cases[i].offset, cases[i].value);
    if (cases[i].sealed) seal(count, 4096);
    store("head.db-wal", count);
    printf(" %s %u at %ld\n", cases[i].name, cases[i].value, cases[i].offset);
    probe("head.db", 0);
    files("head.db");
  }
  for (i = 0; i < sizeof ends / sizeof *ends; i++) {
    make("head.db", 4096);
    load("head.db-wal");
    store("head.db-wal", ends[i]);
    printf(" cut at %ld\n", ends[i]);
    probe("head.db", 0);
    files("head.db");
  }
}

static void others(void) {
  static const int sizes[] = {512, 1024, 8192, 65536};
  size_t i;
  printf("-- logs of other databases\n");
  for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    make("foreign.db", sizes[i]);
    make("host.db", 4096);
    copy("foreign.db-wal", "host.db-wal");
    printf(" pages of %d\n", sizes[i]);
    checks = sizes[i] < 4096;
    probe("host.db", 0);
    files("host.db");
    /* Beside a database that is not in WAL mode, beside an empty one, and beside nothing. */
    make("host.db", 4096);
    load("host.db");
    bytes[18] = bytes[19] = 1;
    store("host.db", size_of("host.db"));
    copy("foreign.db-wal", "host.db-wal");
    probe("host.db", 0);
    files("host.db");
    erase("host.db");
    copy("foreign.db-wal", "host.db-wal");
    probe("host.db", 0);
    files("host.db");
    erase("host.db");
    copy("foreign.db-wal", "host.db-wal");
    store("host.db", 0);
    probe("host.db", 0);
    files("host.db");
    erase("host.db");
  }
  checks = 1;
}

int main(void) {
  /* The library is not used before processes are forked. */
  permissions();
  directories();
  headers();
  others();
  without_shared_memory();
  with_its_own();
  return 0;
}
