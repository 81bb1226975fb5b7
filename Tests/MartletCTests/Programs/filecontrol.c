/* sqlite3_file_control on the built-in VFSs (c3ref/c_fcntl_begin_atomic_write). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sqlite3.h"

static void run(sqlite3 *db, const char *sql) {
  int rc = sqlite3_exec(db, sql, 0, 0, 0);
  if (rc) printf("%s: %d %s\n", sql, rc, sqlite3_errmsg(db));
}

static sqlite3_int64 file_size(sqlite3 *db) {
  sqlite3_file *file = 0;
  sqlite3_int64 size = -1;
  sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  file->pMethods->xFileSize(file, &size);
  return size;
}

static void pointers(sqlite3 *db) {
  sqlite3_file *file = 0, *again = 0, *journal = 0;
  sqlite3_vfs *vfs = 0;
  char header[16] = "";
  int rc = sqlite3_file_control(db, 0, SQLITE_FCNTL_FILE_POINTER, &file);
  sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &again);
  printf("file %d %d %d\n", rc, file != 0, file == again);
  printf("read %d", file->pMethods->xRead(file, header, 16, 0));
  printf(" %.15s, %lld\n", header, (long long)file_size(db));
  rc = sqlite3_file_control(db, "main", SQLITE_FCNTL_VFS_POINTER, &vfs);
  printf("vfs %d %s\n", rc, vfs ? vfs->zName : "");
  rc = sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &journal);
  printf("journal %d %d\n", rc, journal->pMethods != 0);
  run(db, "BEGIN; INSERT INTO t VALUES (1)");
  rc = sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &journal);
  printf("journal %d %d\n", rc, journal->pMethods != 0);
  run(db, "COMMIT");
}

static int locks(sqlite3 *db) {
  int state = -1;
  sqlite3_file_control(db, "main", SQLITE_FCNTL_LOCKSTATE, &state);
  return state;
}

static void numbers(sqlite3 *db) {
  int value, rc;
  sqlite3_int64 size;
  char *text = 0;
  printf("lock %d", locks(db));
  run(db, "BEGIN; SELECT * FROM t");
  printf(" %d", locks(db));
  run(db, "INSERT INTO t VALUES (2)");
  printf(" %d", locks(db));
  run(db, "ROLLBACK; BEGIN EXCLUSIVE");
  printf(" %d", locks(db));
  run(db, "COMMIT");
  printf(" %d\n", locks(db));
  value = 77;
  rc = sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &value);
  printf("errno %d %d\n", rc, value);
  for (value = -1; value < 2; value++) {
    int first = value, second = -1;
    rc = sqlite3_file_control(db, "main", SQLITE_FCNTL_PERSIST_WAL, &first);
    printf("persist %d %d", rc, first);
    sqlite3_file_control(db, "main", SQLITE_FCNTL_PERSIST_WAL, &second);
    printf(" %d", second);
    first = 1 - value;
    second = -1;
    rc = sqlite3_file_control(db, "main", SQLITE_FCNTL_POWERSAFE_OVERWRITE, &first);
    printf(", powersafe %d %d", rc, first);
    sqlite3_file_control(db, "main", SQLITE_FCNTL_POWERSAFE_OVERWRITE, &second);
    printf(" %d\n", second);
  }
  rc = sqlite3_file_control(db, "main", SQLITE_FCNTL_VFSNAME, &text);
  printf("name %d %s\n", rc, text);
  sqlite3_free(text);
  text = 0;
  rc = sqlite3_file_control(db, "main", SQLITE_FCNTL_TEMPFILENAME, &text);
  printf("temporary %d %d\n", rc, text && text[0] != 0 && access(text, F_OK) != 0);
  sqlite3_free(text);
  value = -1;
  rc = sqlite3_file_control(db, "main", SQLITE_FCNTL_HAS_MOVED, &value);
  printf("moved %d %d", rc, value);
  rename("filecontrol.db", "filecontrol-moved.db");
  rc = sqlite3_file_control(db, "main", SQLITE_FCNTL_HAS_MOVED, &value);
  printf(", %d %d\n", rc, value);
  rename("filecontrol-moved.db", "filecontrol.db");
  size = -1;
  rc = sqlite3_file_control(db, "main", SQLITE_FCNTL_MMAP_SIZE, &size);
  printf("mapped %d %lld\n", rc, (long long)size);
  value = 9;
  rc = sqlite3_file_control(db, "main", SQLITE_FCNTL_EXTERNAL_READER, &value);
  printf("external reader %d %d\n", rc, value);
}

static void sizes(sqlite3 *db) {
  int chunk = 65536, rc;
  sqlite3_int64 size = 100000;
  rc = sqlite3_file_control(db, "main", SQLITE_FCNTL_SIZE_HINT, &size);
  printf("hint %d %lld\n", rc, (long long)file_size(db));
  rc = sqlite3_file_control(db, "main", SQLITE_FCNTL_CHUNK_SIZE, &chunk);
  rc += sqlite3_file_control(db, "main", SQLITE_FCNTL_SIZE_HINT, &size);
  printf("chunks %d %lld\n", rc, (long long)file_size(db));
  run(db, "INSERT INTO t VALUES (zeroblob(200000))");
  printf("grown %lld\n", (long long)file_size(db));
  run(db, "DELETE FROM t; VACUUM");
  printf("shrunk %lld\n", (long long)file_size(db));
  run(db, "PRAGMA integrity_check");
}

static unsigned version(sqlite3 *db) {
  unsigned value = 0;
  sqlite3_file_control(db, "main", SQLITE_FCNTL_DATA_VERSION, &value);
  return value;
}

static void versions(sqlite3 *db) {
  sqlite3 *other;
  unsigned start = version(db), next;
  printf("at first %u\n", start);
  sqlite3_open("filecontrol.db", &other);
  run(db, "SELECT * FROM t");
  printf("version %d", version(db) != start);
  run(db, "INSERT INTO t VALUES (1)");
  next = version(db);
  printf(" %d", next != start);
  run(db, "BEGIN; INSERT INTO t VALUES (1)");
  printf(" %d", version(db) != next);
  run(db, "COMMIT");
  printf(" %d", version(db) != next);
  next = version(db);
  run(other, "INSERT INTO t VALUES (1)");
  printf(" %d", version(db) != next);
  run(db, "SELECT * FROM t");
  printf(" %d\n", version(db) != next);
  sqlite3_close(other);
}

static void reserve(void) {
  sqlite3 *db;
  int value = -1, rc;
  unsigned char byte = 0;
  sqlite3_file *file;
  unlink("filecontrol2.db");
  sqlite3_open("filecontrol2.db", &db);
  rc = sqlite3_file_control(db, 0, SQLITE_FCNTL_RESERVE_BYTES, &value);
  printf("reserve %d %d", rc, value);
  value = 12;
  sqlite3_file_control(db, 0, SQLITE_FCNTL_RESERVE_BYTES, &value);
  printf(" %d", value);
  run(db, "CREATE TABLE t(a)");
  sqlite3_file_control(db, 0, SQLITE_FCNTL_FILE_POINTER, &file);
  file->pMethods->xRead(file, &byte, 1, 20);
  printf(" %d", byte);
  value = 40;
  sqlite3_file_control(db, 0, SQLITE_FCNTL_RESERVE_BYTES, &value);
  run(db, "VACUUM");
  file->pMethods->xRead(file, &byte, 1, 20);
  printf(" %d %d", value, byte);
  value = 500;
  sqlite3_file_control(db, 0, SQLITE_FCNTL_RESERVE_BYTES, &value);
  printf(" %d\n", value);
  sqlite3_close(db);
}

/* In WAL mode the journal is the log. */
static void log_pointer(void) {
  sqlite3 *db;
  sqlite3_file *journal = 0;
  sqlite3_int64 size = -1;
  unsigned char magic[4] = "";
  int rc;
  unlink("filecontrol3.db");
  sqlite3_open("filecontrol3.db", &db);
  run(db, "PRAGMA journal_mode = wal; CREATE TABLE t(a)");
  rc = sqlite3_file_control(db, 0, SQLITE_FCNTL_JOURNAL_POINTER, &journal);
  printf("log %d %d", rc, journal && journal->pMethods);
  if (journal && journal->pMethods) {
    journal->pMethods->xFileSize(journal, &size);
    journal->pMethods->xRead(journal, magic, 4, 0);
  }
  printf(" %lld %x%x%x\n", (long long)size, magic[0], magic[1], magic[2]);
  run(db, "PRAGMA journal_mode = delete");
  rc = sqlite3_file_control(db, 0, SQLITE_FCNTL_JOURNAL_POINTER, &journal);
  printf("no log %d %d\n", rc, journal && journal->pMethods);
  sqlite3_close(db);
}

static void refused(sqlite3 *db) {
  static const int codes[] = {SQLITE_FCNTL_SYNC, SQLITE_FCNTL_COMMIT_PHASETWO, SQLITE_FCNTL_OVERWRITE,
    SQLITE_FCNTL_PRAGMA, SQLITE_FCNTL_BEGIN_ATOMIC_WRITE, SQLITE_FCNTL_LOCK_TIMEOUT,
    SQLITE_FCNTL_SIZE_LIMIT, SQLITE_FCNTL_ZIPVFS, SQLITE_FCNTL_CKPT_DONE, SQLITE_FCNTL_TRACE, 99,
    100, 12345};
  unsigned i;
  void *argument[4] = {0, "none", 0, 0};
  for (i = 0; i < sizeof codes / sizeof codes[0]; i++)
    printf("%d: %d\n", codes[i], sqlite3_file_control(db, "main", codes[i], argument));
  printf("no such database %d", sqlite3_file_control(db, "x", SQLITE_FCNTL_LOCKSTATE, argument));
  printf(" %d\n", sqlite3_errcode(db));
  i = version(db);
  printf("reset cache %d", sqlite3_file_control(db, "main", SQLITE_FCNTL_RESET_CACHE, 0));
  printf(" %d\n", version(db) - i);
  run(db, "SELECT * FROM t");
}

static void memory(void) {
  sqlite3 *db;
  sqlite3_file *file = 0;
  sqlite3_vfs *vfs = 0;
  sqlite3_int64 limit = -1;
  int value = 5, rc;
  sqlite3_open(":memory:", &db);
  rc = sqlite3_file_control(db, 0, SQLITE_FCNTL_FILE_POINTER, &file);
  printf("memory: file %d %d", rc, file && file->pMethods);
  rc = sqlite3_file_control(db, 0, SQLITE_FCNTL_VFS_POINTER, &vfs);
  printf(", vfs %d %s", rc, vfs->zName);
  printf(", lock %d", sqlite3_file_control(db, 0, SQLITE_FCNTL_LOCKSTATE, &value));
  printf(", temp %d\n", sqlite3_file_control(db, "temp", SQLITE_FCNTL_LOCKSTATE, &value));
  run(db, "CREATE TEMP TABLE x(a)");
  printf("temp %d\n", sqlite3_file_control(db, "temp", SQLITE_FCNTL_LOCKSTATE, &value));
  sqlite3_close(db);
  rc = sqlite3_open_v2("/limited", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "memdb");
  run(db, "CREATE TABLE t(a)");
  rc = sqlite3_file_control(db, 0, SQLITE_FCNTL_SIZE_LIMIT, &limit);
  printf("limit %d %lld", rc, (long long)limit);
  limit = 40000;
  rc = sqlite3_file_control(db, 0, SQLITE_FCNTL_SIZE_LIMIT, &limit);
  printf(" %d %lld\n", rc, (long long)limit);
  run(db, "INSERT INTO t VALUES (zeroblob(100000))");
  sqlite3_close(db);
}

int main(void) {
  sqlite3 *db;
  unlink("filecontrol.db");
  sqlite3_open("filecontrol.db", &db);
  run(db, "CREATE TABLE t(a)");
  pointers(db);
  numbers(db);
  versions(db);
  sizes(db);
  refused(db);
  sqlite3_close(db);
  reserve();
  log_pointer();
  memory();
  return 0;
}
