/* Files of a VFS that answer SQLITE_IOERR_NOMEM, at each of their calls in turn: the program is told
   that memory is out, and the database is what it was. */
#include <stdio.h>
#include <string.h>

#include "sqlite3.h"

static sqlite3_vfs vfs, *native;
static sqlite3_io_methods methods;
static const sqlite3_io_methods *inner;
static int countdown;
static int failures;

static int fails(void) {
  if (countdown <= 0 || --countdown > 0) return 0;
  failures++;
  return 1;
}

static int read_file(sqlite3_file *file, void *bytes, int count, sqlite3_int64 at) {
  return fails() ? SQLITE_IOERR_NOMEM : inner->xRead(file, bytes, count, at);
}
static int write_file(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 at) {
  return fails() ? SQLITE_IOERR_NOMEM : inner->xWrite(file, bytes, count, at);
}
static int sync_file(sqlite3_file *file, int flags) {
  return fails() ? SQLITE_IOERR_NOMEM : inner->xSync(file, flags);
}

static int open_file(sqlite3_vfs *self, const char *name, sqlite3_file *file, int flags, int *got) {
  int code = native->xOpen(native, name, file, flags, got);
  if (code == SQLITE_OK && flags & SQLITE_OPEN_MAIN_DB) {
    if (!inner) {
      inner = file->pMethods;
      methods = *inner;
      methods.xRead = read_file;
      methods.xWrite = write_file;
      methods.xSync = sync_file;
    }
    file->pMethods = &methods;
  }
  return code;
}

static int run(sqlite3 *db, const char *sql) { return sqlite3_exec(db, sql, 0, 0, 0); }

static sqlite3_int64 number(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement;
  sqlite3_int64 result = -1;
  if (sqlite3_prepare_v2(db, sql, -1, &statement, 0) != SQLITE_OK) return -2;
  if (sqlite3_step(statement) == SQLITE_ROW) result = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return result;
}

int main(void) {
  native = sqlite3_vfs_find(0);
  vfs = *native;
  vfs.zName = "forgetful";
  vfs.xOpen = open_file;
  sqlite3_vfs_register(&vfs, 0);
  sqlite3 *db;
  sqlite3_open_v2("memory.db", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "forgetful");
  sqlite3_extended_result_codes(db, 1);
  run(db, "PRAGMA cache_size = 5; CREATE TABLE t(a, b); CREATE INDEX i ON t(b)");
  run(db, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) "
          "INSERT INTO t SELECT i, randomblob(100) FROM n");
  const char *texts[] = {"SELECT sum(length(b)) FROM t", "UPDATE t SET b = randomblob(90)",
                         "DELETE FROM t WHERE a % 3 = 0"};
  int codes[3] = {0}, others = 0, wrong = 0;
  for (int text = 0; text < 3; text++)
    for (int at = 1;; at++) {
      sqlite3_close(db);
      sqlite3_open_v2("memory.db", &db, SQLITE_OPEN_READWRITE, "forgetful");
      sqlite3_extended_result_codes(db, 1);
      run(db, "PRAGMA cache_size = 5; BEGIN; SELECT a FROM t LIMIT 1");
      int before = failures;
      countdown = at;
      int code = run(db, texts[text]);
      int extended = sqlite3_extended_errcode(db);
      const char *message = sqlite3_errmsg(db);
      countdown = 0;
      if (failures == before) break;
      if (code == SQLITE_NOMEM && extended == SQLITE_NOMEM && !strcmp(message, "out of memory"))
        codes[text]++;
      else if (code != SQLITE_OK)
        others++;
      run(db, "ROLLBACK");
      if (number(db, "SELECT count(*) FROM t") != 300) wrong++;
      if (number(db, "SELECT integrity_check = 'ok' FROM pragma_integrity_check") != 1) wrong++;
    }
  printf("out of memory %d %d %d, other errors %d, wrong %d\n", codes[0] > 0, codes[1] > 0,
         codes[2] > 0, others, wrong);
  sqlite3_close(db);
  return 0;
}
