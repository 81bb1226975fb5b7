/* Databases in WAL mode: switches, checkpoints, hooks, snapshots, locks between two connections, and
   what is opened read-only (c3ref/wal_checkpoint_v2, c3ref/wal_hook, c3ref/snapshot, wal). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sqlite3.h"

static sqlite3 *db, *other;

static int row(void *name, int count, char **values, char **names) {
  int i;
  for (i = 0; i < count; i++) printf("%s%s", i ? "|" : "    ", values[i] ? values[i] : "NULL");
  printf("\n");
  return 0;
}

static void on(sqlite3 *which, const char *sql) {
  int code = sqlite3_exec(which, sql, row, 0, 0);
  printf("  %s%s: %d %d %s\n", which == other ? "(other) " : "", sql, code,
         sqlite3_extended_errcode(which), code ? sqlite3_errmsg(which) : "");
}

static void run(const char *sql) { on(db, sql); }

static void open_at(sqlite3 **which, const char *name, const char *vfs) {
  int code = sqlite3_open_v2(
    name, which, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, vfs);
  if (code) printf("  open %s %s: %d %s\n", name, vfs ? vfs : "", code, sqlite3_errmsg(*which));
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
    unlink(text);
  }
}

static void copy(const char *from, const char *to) {
  char buffer[4096];
  size_t count;
  FILE *in = fopen(from, "rb"), *out;
  if (!in) return;
  out = fopen(to, "wb");
  while ((count = fread(buffer, 1, sizeof buffer, in)) > 0) fwrite(buffer, 1, count, out);
  fclose(in);
  fclose(out);
}

static void checkpoint(sqlite3 *which, const char *schema, int mode) {
  int frames = 99, done = 99;
  int code = sqlite3_wal_checkpoint_v2(which, schema, mode, &frames, &done);
  printf("  checkpoint %s %d: %d %d %d %s\n", schema ? schema : "NULL", mode, code, frames, done,
         code ? sqlite3_errmsg(which) : "");
}

static void fresh(const char *name) {
  erase(name);
  open_at(&db, name, 0);
  sqlite3_exec(db, "PRAGMA journal_mode = wal; CREATE TABLE t(a, b)", 0, 0, 0);
}

static void modes(void) {
  static const char *const names[] = {
    "delete", "wal", "persist", "wal", "truncate", "wal", "memory", "wal", "off", "wal", "nosuch",
    "w", "",
  };
  size_t i;
  printf("-- modes\n");
  open_at(&db, "modes.db", 0);
  run("PRAGMA journal_mode");
  for (i = 0; i < sizeof names / sizeof *names; i++) {
    char sql[80];
    snprintf(sql, sizeof sql, "PRAGMA journal_mode = '%s'", names[i]);
    run(sql);
    run("CREATE TABLE IF NOT EXISTS t(a, b); INSERT INTO t VALUES(1, 2)");
    files("modes.db");
  }
  run("BEGIN; PRAGMA journal_mode = delete");
  run("COMMIT");
  run("BEGIN; INSERT INTO t VALUES(3, 4); PRAGMA journal_mode = delete");
  run("PRAGMA wal_checkpoint");
  run("COMMIT; SELECT count(*) FROM t");
  open_at(&other, "modes.db", 0);
  on(other, "SELECT count(*) FROM t");
  run("PRAGMA journal_mode = delete");
  on(other, "BEGIN; SELECT count(*) FROM t");
  run("PRAGMA journal_mode = delete");
  on(other, "COMMIT");
  sqlite3_close(other), other = 0;
  run("PRAGMA journal_mode = delete");
  files("modes.db");
  run("BEGIN; SELECT count(*) FROM t; PRAGMA journal_mode = wal");
  run("COMMIT");
  open_at(&other, "modes.db", 0);
  on(other, "BEGIN; SELECT count(*) FROM t");
  run("PRAGMA journal_mode = wal");
  on(other, "COMMIT");
  run("PRAGMA journal_mode = wal");
  on(other, "SELECT count(*) FROM t; PRAGMA journal_mode");
  sqlite3_close(other), other = 0;
  run("ATTACH 'modes2.db' AS two; PRAGMA two.journal_mode; PRAGMA two.journal_mode = wal");
  run("PRAGMA journal_mode = delete; PRAGMA two.journal_mode; PRAGMA temp.journal_mode = wal");
  sqlite3_close(db);
  open_at(&db, ":memory:", 0);
  run("PRAGMA journal_mode = wal; CREATE TABLE t(a); PRAGMA wal_checkpoint");
  sqlite3_close(db);
  open_at(&db, "", 0);
  run("PRAGMA journal_mode = wal");
  sqlite3_close(db);
  open_at(&db, "sizes.db", 0);
  run("PRAGMA page_size = 1024; PRAGMA journal_mode = wal; CREATE TABLE t(a); PRAGMA page_size = 4096;"
      "VACUUM; PRAGMA page_size; PRAGMA journal_mode = delete; VACUUM; PRAGMA page_size");
  sqlite3_close(db);
}

static void checkpoints(void) {
  int mode;
  static const char *const names[] = {"PASSIVE", "FULL", "RESTART", "TRUNCATE", "NOOP", "nosuch"};
  printf("-- checkpoints\n");
  fresh("cp.db");
  for (mode = 0; mode < 6; mode++) {
    char sql[80];
    run("INSERT INTO t VALUES(1, 2)");
    snprintf(sql, sizeof sql, "PRAGMA wal_checkpoint(%s)", names[mode]);
    run(sql);
    files("cp.db");
  }
  for (mode = -2; mode < 5; mode++) {
    run("INSERT INTO t VALUES(1, 2)");
    checkpoint(db, "main", mode);
    checkpoint(db, 0, mode);
  }
  checkpoint(db, "nosuch", 0);
  checkpoint(db, "", 0);
  checkpoint(db, "temp", 0);
  printf("  %d\n", sqlite3_wal_checkpoint(db, 0));
  printf("  %d\n", sqlite3_wal_checkpoint(db, "nosuch"));
  run("BEGIN; INSERT INTO t VALUES(1, 3)");
  checkpoint(db, 0, 0);
  run("ROLLBACK; BEGIN; SELECT count(*) FROM t");
  checkpoint(db, 0, 0);
  run("COMMIT");
  /* Another connection reads, or writes. */
  open_at(&other, "cp.db", 0);
  on(other, "BEGIN; SELECT count(*) FROM t");
  run("INSERT INTO t VALUES(5, 5)");
  for (mode = 0; mode < 4; mode++) checkpoint(db, 0, mode);
  on(other, "INSERT INTO t VALUES(6, 6)");
  on(other, "COMMIT; BEGIN IMMEDIATE");
  for (mode = 0; mode < 4; mode++) checkpoint(db, 0, mode);
  run("INSERT INTO t VALUES(7, 7)");
  on(other, "COMMIT");
  run("ATTACH 'cp2.db' AS two; PRAGMA two.journal_mode = wal; CREATE TABLE two.u(a)");
  run("PRAGMA wal_checkpoint; PRAGMA two.wal_checkpoint; INSERT INTO u VALUES(1)");
  checkpoint(db, "two", 3);
  checkpoint(db, 0, 3);
  run("PRAGMA nosuch.wal_checkpoint");
  sqlite3_close(other), other = 0;
  sqlite3_close(db);
  files("cp.db");
  files("cp2.db");
}

static int hook_code, checkpointing;

static int hook(void *argument, sqlite3 *which, const char *schema, int frames) {
  printf("    hook %s: %s %d %d\n", (char *)argument, schema, frames, sqlite3_get_autocommit(which));
  if (checkpointing) checkpoint(which, schema, 0);
  return hook_code;
}

static void hooks(void) {
  int i;
  printf("-- hooks\n");
  fresh("hook.db");
  run("PRAGMA wal_autocheckpoint");
  printf("  %d\n", sqlite3_wal_hook(db, hook, "one") != 0);
  run("PRAGMA wal_autocheckpoint");
  run("INSERT INTO t VALUES(1, 1)");
  run("BEGIN; INSERT INTO t VALUES(1, 1); INSERT INTO t VALUES(1, 1); COMMIT; SELECT 1");
  run("BEGIN; INSERT INTO t VALUES(1, 1); ROLLBACK; UPDATE t SET a = 1 WHERE 0");
  checkpointing = 1;
  run("INSERT INTO t VALUES(1, 1)");
  checkpointing = 0;
  hook_code = SQLITE_ERROR;
  run("INSERT INTO t VALUES(2, 2)");
  hook_code = SQLITE_CONSTRAINT;
  run("BEGIN; INSERT INTO t VALUES(3, 3); COMMIT");
  hook_code = SQLITE_BUSY;
  run("INSERT INTO t VALUES(4, 4); SELECT 5");
  hook_code = SQLITE_DONE;
  run("INSERT INTO t VALUES(4, 4)");
  hook_code = 0;
  run("SELECT count(*) FROM t");
  printf("  %s\n", (char *)sqlite3_wal_hook(db, hook, "two"));
  run("ATTACH 'hook2.db' AS aux2; PRAGMA aux2.journal_mode = wal; CREATE TABLE aux2.u(a);"
      "BEGIN; INSERT INTO t VALUES(1, 1); INSERT INTO u VALUES(1); COMMIT");
  printf("  %d\n", sqlite3_wal_autocheckpoint(db, 4));
  run("PRAGMA wal_autocheckpoint");
  for (i = 0; i < 6; i++) {
    run("INSERT INTO t VALUES(1, randomblob(100))");
    checkpoint(db, "main", -1);
  }
  run("PRAGMA wal_autocheckpoint = 7; PRAGMA wal_autocheckpoint = -3; INSERT INTO t VALUES(8, 8)");
  checkpoint(db, "main", -1);
  printf("  %d\n", sqlite3_wal_autocheckpoint(db, -5));
  run("PRAGMA wal_autocheckpoint");
  sqlite3_close(db);
}

static int busy(void *limit, int count) {
  printf("    busy %d\n", count);
  return count < *(int *)limit;
}

static void locks(void) {
  static int limit = 2;
  printf("-- locks\n");
  fresh("lock.db");
  run("INSERT INTO t VALUES(1, 1)");
  open_at(&other, "lock.db", 0);
  sqlite3_busy_handler(db, busy, &limit);
  on(other, "BEGIN IMMEDIATE");
  run("INSERT INTO t VALUES(2, 2)");
  run("BEGIN IMMEDIATE");
  run("BEGIN; SELECT count(*) FROM t; INSERT INTO t VALUES(2, 2)");
  run("COMMIT");
  checkpoint(db, 0, 0);
  checkpoint(db, 0, 1);
  on(other, "INSERT INTO t VALUES(3, 3); COMMIT");
  run("BEGIN; SELECT count(*) FROM t");
  on(other, "INSERT INTO t VALUES(4, 4)");
  run("INSERT INTO t VALUES(5, 5)");
  run("SELECT count(*) FROM t; COMMIT; SELECT count(*) FROM t");
  on(other, "BEGIN; SELECT count(*) FROM t");
  run("INSERT INTO t VALUES(6, 6)");
  checkpoint(db, 0, 1);
  checkpoint(db, 0, 2);
  on(other, "COMMIT; BEGIN; SELECT count(*) FROM t");
  checkpoint(db, 0, 1);
  checkpoint(db, 0, 2);
  checkpoint(db, 0, 3);
  on(other, "COMMIT");
  checkpoint(db, 0, 3);
  run("PRAGMA journal_mode = delete");
  on(other, "BEGIN EXCLUSIVE");
  run("SELECT count(*) FROM t");
  on(other, "COMMIT");
  sqlite3_close(other), other = 0;
  run("PRAGMA locking_mode = exclusive; SELECT count(*) FROM t; INSERT INTO t VALUES(9, 9)");
  files("lock.db");
  open_at(&other, "lock.db", 0);
  on(other, "SELECT count(*) FROM t");
  run("PRAGMA locking_mode = normal; SELECT count(*) FROM t; INSERT INTO t VALUES(9, 9)");
  on(other, "SELECT count(*) FROM t");
  sqlite3_close(other), other = 0;
  sqlite3_close(db);
  open_at(&db, "lock.db", 0);
  run("PRAGMA locking_mode = exclusive; PRAGMA journal_mode = wal; INSERT INTO t VALUES(9, 9)");
  files("lock.db");
  run("PRAGMA locking_mode = normal; SELECT count(*) FROM t; PRAGMA locking_mode");
  sqlite3_close(db);
  files("lock.db");
}

static void snapshots(void) {
  sqlite3_snapshot *one = 0, *two = 0, *three = 0;
  printf("-- snapshots\n");
  fresh("snap.db");
  printf("  %d\n", sqlite3_snapshot_get(db, "main", &one));
  run("BEGIN");
  printf("  %d %d\n", sqlite3_snapshot_get(db, "main", &one), one != 0);
  run("COMMIT; INSERT INTO t VALUES(1, 1); BEGIN; SELECT count(*) FROM t");
  printf("  %d %d\n", sqlite3_snapshot_get(db, "main", &two), two != 0);
  run("COMMIT; INSERT INTO t VALUES(2, 2); BEGIN");
  if (one && two) printf("  %d %d %d\n", sqlite3_snapshot_cmp(one, two),
                         sqlite3_snapshot_cmp(two, one), sqlite3_snapshot_cmp(two, two));
  printf("  %d\n", sqlite3_snapshot_open(db, "main", two));
  run("SELECT count(*) FROM t; INSERT INTO t VALUES(3, 3)");
  printf("  %d\n", sqlite3_snapshot_open(db, "main", one));
  run("SELECT count(*) FROM t; COMMIT");
  printf("  %d\n", sqlite3_snapshot_open(db, "main", two));
  printf("  %d\n", sqlite3_snapshot_get(db, "nosuch", &three));
  printf("  %d\n", sqlite3_snapshot_recover(db, "main"));
  checkpoint(db, 0, 0);
  run("INSERT INTO t VALUES(4, 4); BEGIN");
  printf("  %d\n", sqlite3_snapshot_open(db, "main", two));
  run("SELECT count(*) FROM t; INSERT INTO t VALUES(5, 5)");
  printf("  %d\n", sqlite3_snapshot_get(db, "main", &three));
  run("COMMIT");
  sqlite3_snapshot_free(one);
  sqlite3_snapshot_free(two);
  sqlite3_close(db);
}

/* A transaction that was opened for a snapshot holds it against writers that start the log again. */
static void held_snapshot(void) {
  sqlite3_snapshot *held = 0;
  sqlite3 *third = 0;
  printf("-- a snapshot of a state that is in the file\n");
  fresh("held.db");
  open_at(&other, "held.db", 0);
  open_at(&third, "held.db", 0);
  run("INSERT INTO t VALUES(1, 1)");
  checkpoint(db, 0, 0);
  run("BEGIN");
  printf("  %d\n", sqlite3_snapshot_get(db, "main", &held));
  on(other, "INSERT INTO t VALUES(2, 2)");
  on(third, "BEGIN; SELECT count(*) FROM t");
  printf("  %d\n", sqlite3_snapshot_open(third, "main", held));
  on(third, "SELECT count(*) FROM t; COMMIT");
  run("SELECT count(*) FROM t; COMMIT; SELECT count(*) FROM t");
  files("held.db");
  sqlite3_snapshot_free(held);
  sqlite3_close(third);
  sqlite3_close(other);
  sqlite3_close(db);
}

static void closing(void) {
  int on_off = -1, persist = 1;
  printf("-- closing\n");
  fresh("close.db");
  run("INSERT INTO t VALUES(1, 1)");
  printf("  %d", sqlite3_file_control(db, "main", SQLITE_FCNTL_PERSIST_WAL, &persist));
  persist = -1;
  printf(" %d", sqlite3_file_control(db, "main", SQLITE_FCNTL_PERSIST_WAL, &persist));
  printf(" %d\n", persist);
  sqlite3_close(db);
  files("close.db");
  open_at(&db, "close.db", 0);
  persist = 1;
  sqlite3_file_control(db, "main", SQLITE_FCNTL_PERSIST_WAL, &persist);
  run("PRAGMA journal_size_limit = 0; INSERT INTO t VALUES(2, 2)");
  sqlite3_close(db);
  files("close.db");
  open_at(&db, "close.db", 0);
  printf("  %d", sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, -1, &on_off));
  printf(" %d", on_off);
  printf(" %d", sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, &on_off));
  printf(" %d\n", on_off);
  run("INSERT INTO t VALUES(3, 3); ATTACH 'close2.db' AS two; PRAGMA two.journal_mode = wal;"
      "CREATE TABLE two.u(a); ATTACH 'close3.db' AS three; PRAGMA three.journal_mode = wal;"
      "CREATE TABLE three.v(a); DETACH three");
  files("close3.db");
  sqlite3_close(db);
  files("close.db");
  files("close2.db");
  open_at(&db, "close2.db", 0);
  run("SELECT name FROM sqlite_schema");
  sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, &on_off);
  run("PRAGMA journal_mode = delete");
  files("close2.db");
  run("SELECT name FROM sqlite_schema");
  sqlite3_close(db);
  open_at(&db, "close3.db", 0);
  run("SELECT name FROM sqlite_schema");
  sqlite3_close(db);
  files("close3.db");
}

static void copies(void) {
  sqlite3_backup *backup;
  sqlite3_int64 size = 0;
  unsigned char *bytes;
  int kind;
  printf("-- copies\n");
  fresh("from.db");
  run("INSERT INTO t VALUES(1, randomblob(5000)); DELETE FROM t; INSERT INTO t VALUES(1, 2); VACUUM;"
      "PRAGMA page_count; PRAGMA integrity_check; VACUUM INTO 'into.db'");
  open_at(&other, "into.db", 0);
  on(other, "PRAGMA journal_mode; SELECT * FROM t");
  sqlite3_close(other), other = 0;
  open_at(&other, "to.db", 0);
  backup = sqlite3_backup_init(other, "main", db, "main");
  printf("  %d", sqlite3_backup_step(backup, 1));
  run("INSERT INTO t VALUES(7, 8)");
  printf(" %d", sqlite3_backup_step(backup, -1));
  printf(" %d\n", sqlite3_backup_finish(backup));
  on(other, "PRAGMA journal_mode; SELECT * FROM t; PRAGMA integrity_check");
  on(other, "INSERT INTO t VALUES(5, 5); PRAGMA page_size");
  files("to.db");
  /* Into a database that is in WAL mode already. */
  backup = sqlite3_backup_init(db, "main", other, "main");
  printf("  %d", sqlite3_backup_step(backup, -1));
  printf(" %d\n", sqlite3_backup_finish(backup));
  run("SELECT * FROM t; PRAGMA journal_mode; PRAGMA integrity_check");
  sqlite3_close(other), other = 0;
  for (kind = 0; kind < 4; kind++) {
    bytes = sqlite3_serialize(db, "main", &size, 0);
    printf("  %d: %d %d %d\n", kind, (int)size, bytes ? bytes[18] : -1, bytes ? bytes[19] : -1);
    if (kind == 1) bytes[18] = 1;
    if (kind == 2) bytes[18] = bytes[19] = 1;
    open_at(&other, ":memory:", 0);
    printf("  %d\n", sqlite3_deserialize(
      other, "main", bytes, size, size,
      SQLITE_DESERIALIZE_FREEONCLOSE | (kind == 3 ? SQLITE_DESERIALIZE_READONLY : 0)));
    on(other, "SELECT count(*) FROM t");
    on(other, "PRAGMA journal_mode");
    /* What is in memory is changed with a journal in memory here. */
    if (kind != 2) on(other, "PRAGMA journal_mode = delete");
    on(other, "PRAGMA wal_checkpoint");
    on(other, "INSERT INTO t VALUES(9, 9)");
    bytes = sqlite3_serialize(other, "main", &size, 0);
    printf("  %d %d\n", (int)size, bytes ? bytes[19] : -1);
    sqlite3_free(bytes);
    sqlite3_close(other), other = 0;
  }
  sqlite3_close(db);
}

/* Copies with a log, without, and with a log of an ended process, opened in every way. */
static void readings(void) {
  static const char *const uris[] = {
    "file:%s", "file:%s?mode=ro", "file:%s?immutable=1", "file:%s?nolock=1", "file:%s?readonly_shm=1",
    "file:%s?mode=ro&immutable=1", "file:%s?mode=ro&nolock=1", "file:%s?mode=ro&readonly_shm=1",
    "file:%s?vfs=unix-none", "file:%s?vfs=unix-dotfile", "file:%s?vfs=unix-excl",
    "file:%s?mode=ro&vfs=unix-excl",
  };
  size_t i;
  int kind;
  sqlite3 *source;
  printf("-- readings\n");
  fresh("read.db");
  source = db;
  sqlite3_exec(db, "INSERT INTO t VALUES(1, 1); PRAGMA wal_checkpoint; INSERT INTO t VALUES(2, 2)", 0, 0, 0);
  for (kind = 0; kind < 3; kind++) {
    for (i = 0; i < sizeof uris / sizeof *uris; i++) {
      char uri[200];
      erase("kind.db");
      copy("read.db", "kind.db");
      if (kind > 0) copy("read.db-wal", "kind.db-wal");
      if (kind > 1) copy("read.db-shm", "kind.db-shm");
      snprintf(uri, sizeof uri, uris[i], "kind.db");
      printf(" %d %s\n", kind, uri);
      open_at(&db, uri, 0);
      run("SELECT count(*) FROM t");
      run("PRAGMA journal_mode");
      run("INSERT INTO t VALUES(3, 3)");
      files("kind.db");
      run("PRAGMA wal_checkpoint");
      run("PRAGMA wal_checkpoint = TRUNCATE");
      files("kind.db");
      run("PRAGMA journal_mode = delete");
      sqlite3_close(db);
      files("kind.db");
      rmdir("kind.db.lock");
    }
  }
  /* While another connection of the process has it open. */
  for (i = 0; i < 8; i++) {
    char uri[200];
    snprintf(uri, sizeof uri, uris[i], "read.db");
    printf(" open %s\n", uri);
    open_at(&db, uri, 0);
    run("SELECT count(*) FROM t");
    run("INSERT INTO t VALUES(3, 3)");
    sqlite3_close(db);
  }
  sqlite3_close(source);
}

int main(void) {
  modes();
  checkpoints();
  hooks();
  locks();
  snapshots();
  held_snapshot();
  closing();
  copies();
  readings();
  return 0;
}
