/* Databases on a VFS that replicates them: what connections see of commits, of commits that are
   dropped, of checkpoints, and on machines that come later (c3ref/vfs, wal). */
#include "vfs_replicated.h"

static int row(void *none, int count, char **values, char **names) {
  int i;
  for (i = 0; i < count; i++) printf("%s%s", i ? "|" : "    ", values[i] ? values[i] : "NULL");
  printf("\n");
  return 0;
}

static void run(sqlite3 *db, const char *sql) {
  int code = sqlite3_exec(db, sql, row, 0, 0);
  printf("  %s: %d %d %s\n", sql, code, sqlite3_extended_errcode(db),
         code ? sqlite3_errmsg(db) : "");
}

static sqlite3 *open_at(machine *at) {
  sqlite3 *db;
  int code = sqlite3_open_v2("replicated.db", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                             at->vfs.zName);
  if (code) printf("open: %d %s\n", code, sqlite3_errmsg(db));
  sqlite3_extended_result_codes(db, 1);
  run(db, "PRAGMA page_size=1024");
  run(db, "PRAGMA synchronous=OFF");
  run(db, "PRAGMA journal_mode=WAL");
  run(db, "PRAGMA wal_autocheckpoint=0");
  sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, 0);
  return db;
}

static const char summary[] = "SELECT count(*), sum(a), sum(length(b)) FROM t";

static sqlite3_int64 log_size(sqlite3 *db) {
  sqlite3_file *log = 0;
  sqlite3_int64 size = -1;
  int code = sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  if (code || !log || !log->pMethods) return -1;
  log->pMethods->xFileSize(log, &size);
  return size;
}

/* A transaction that other machines have, too. */
static void replicate(sqlite3 *db, machine *at, machine *other, const char *sql) {
  list frames;
  run(db, sql);
  frames = poll_frames(at);
  printf("  %d frames\n", frames.count);
  if (frames.count == 0) return;
  apply(at, &frames);
  apply(other, &frames);
  clear(&frames);
}

static void checkpoint(sqlite3 *db) {
  sqlite3_file *file = 0;
  void volatile *region = 0;
  int frames = -2, done = -2, i, code, busy = 0;
  printf("-- checkpoint: log %lld\n", log_size(db));
  sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  code = file->pMethods->xShmMap(file, 0, REGION, 0, &region);
  printf("  region %d %d\n", code, region != 0);
  file->pMethods->xShmUnmap(file, 0);
  for (i = 0; i < SQLITE_SHM_NLOCK; i++) {
    code = file->pMethods->xShmLock(file, i, 1, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE);
    if (code) busy++;
    else file->pMethods->xShmLock(file, i, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE);
  }
  is_telling = 1;
  code = sqlite3_wal_checkpoint_v2(db, "main", SQLITE_CHECKPOINT_TRUNCATE, &frames, &done);
  is_telling = 0;
  printf("  %d busy; %d: %d of %d, log %lld\n", busy, code, done, frames, log_size(db));
}

static void commits(sqlite3 *db, sqlite3 *reader, sqlite3 *follower, machine *at, machine *other) {
  list frames;
  printf("-- a commit is seen when it is applied\n");
  is_telling = 1;
  run(db, "INSERT INTO t VALUES(1, 'one')");
  is_telling = 0;
  frames = poll_frames(at);
  run(db, summary);
  run(reader, summary);
  run(reader, "INSERT INTO t VALUES(2, 'two')");
  run(follower, summary);
  apply(at, &frames);
  run(db, summary);
  run(reader, summary);
  run(follower, summary);
  apply(other, &frames);
  run(follower, summary);
  clear(&frames);

  printf("-- a commit that is dropped\n");
  run(db, "INSERT INTO t VALUES(10, 'dropped')");
  frames = poll_frames(at);
  drop(at);
  clear(&frames);
  run(db, summary);
  run(reader, summary);
  replicate(reader, at, other, "INSERT INTO t VALUES(3, 'three')");
  run(db, summary);
  run(follower, summary);

  printf("-- a reader that goes on while others commit\n");
  run(reader, "BEGIN; SELECT count(*) FROM t");
  replicate(db, at, other, "INSERT INTO t VALUES(4, 'four')");
  run(reader, summary);
  run(reader, "INSERT INTO t VALUES(5, 'late')");
  checkpoint(db);
  run(reader, "COMMIT");
  run(reader, summary);
}

static void spills(sqlite3 *db, sqlite3 *follower, machine *at, machine *other) {
  printf("-- frames before the commit\n");
  run(db, "PRAGMA cache_size=5");
  run(db, "BEGIN; WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 199)"
          " INSERT INTO t SELECT i, hex(zeroblob(300)) FROM n");
  printf("  %d\n", at->pending.count > 0);
  run(db, "ROLLBACK");
  printf("  %d\n", at->pending.count);
  run(db, summary);
  replicate(db, at, other,
            "BEGIN; WITH RECURSIVE n(i) AS (SELECT 200 UNION ALL SELECT i + 1 FROM n WHERE i < 299)"
            " INSERT INTO t SELECT i, 'x' FROM n; SAVEPOINT s; UPDATE t SET b = hex(zeroblob(100));"
            " ROLLBACK TO s; UPDATE t SET b = b || 'y' WHERE a % 2; COMMIT");
  run(db, summary);
  run(follower, summary);
  run(follower, "PRAGMA integrity_check");
  run(db, "PRAGMA cache_size=-2000");
}

/* The whole of a machine, for one that begins anew or was away. */
static void transfer(machine *from, machine *to) {
  int i;
  to->page_size = from->page_size;
  to->page_count = from->page_count;
  to->pages = malloc((to->page_count + 1) * sizeof *to->pages);
  for (i = 0; i < to->page_count; i++) to->pages[i] = copy(from->pages[i], to->page_size);
  memcpy(to->log_header, from->log_header, LOG_HEADER);
  for (i = 0; i < from->log.count; i++) {
    frame *new = add(&to->log);
    memcpy(new->header, from->log.frames[i].header, FRAME_HEADER);
    new->page = copy(from->log.frames[i].page, to->page_size);
  }
}

int main(void) {
  static machine first, second, third;
  sqlite3 *db, *reader, *follower, *late;
  int i;
  install(&first, "first"), install(&second, "second"), install(&third, "third");
  printf("-- opening\n");
  db = open_at(&first), follower = open_at(&second), reader = open_at(&first);
  printf("  log %lld\n", log_size(db));
  run(db, "PRAGMA page_size=2048");
  run(db, "PRAGMA journal_mode=DELETE");
  run(db, "PRAGMA journal_mode");
  replicate(db, &first, &second, "CREATE TABLE t(a INTEGER PRIMARY KEY, b)");
  commits(db, reader, follower, &first, &second);
  spills(db, follower, &first, &second);
  checkpoint(db);
  checkpoint(follower);
  replicate(db, &first, &second,
            "BEGIN; INSERT INTO t VALUES(6, 'six'); DELETE FROM t WHERE a = 3; COMMIT");
  run(follower, summary);

  printf("-- more frames than a region of the index has\n");
  for (i = 0; i < 4200; i++) {
    list frames;
    char sql[80];
    sprintf(sql, "UPDATE t SET b = 'round %d' WHERE a = %d", i, 200 + i % 100);
    sqlite3_exec(db, sql, 0, 0, 0);
    frames = poll_frames(&first);
    apply(&first, &frames);
    apply(&second, &frames);
    clear(&frames);
    if (i % 700 == 0) run(follower, summary);
  }
  run(reader, summary);
  run(follower, summary);
  printf("  logs %lld %lld\n", log_size(db), log_size(follower));

  printf("-- a machine that was away\n");
  transfer(&first, &third);
  late = open_at(&third);
  run(late, summary);
  run(late, "PRAGMA integrity_check");
  replicate(late, &third, &first, "INSERT INTO t VALUES(7, 'seven')");
  run(db, summary);
  run(late, summary);
  checkpoint(late);
  checkpoint(db);
  run(db, "PRAGMA integrity_check");
  printf("close %d %d %d %d\n", sqlite3_close(db), sqlite3_close(reader), sqlite3_close(follower),
         sqlite3_close(late));
  printf("%d pages, log %d; %d users\n", first.page_count, first.log.count, first.users);
  return 0;
}
