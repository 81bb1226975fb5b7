/* What sqlite3_wal_hook returns: the step fails, the reset tells the code, and nothing is run again. */
#include <unistd.h>
#include "show.h"

static int calls;

static int hook(void *code, sqlite3 *db, const char *name, int frames) {
  calls++;
  return *(int *)code;
}

int main(void) {
  int codes[] = {0, SQLITE_ERROR, SQLITE_BUSY, SQLITE_SCHEMA, SQLITE_CONSTRAINT, SQLITE_MISUSE, SQLITE_DONE,
                 SQLITE_ROW, SQLITE_IOERR_READ, SQLITE_INTERRUPT, SQLITE_ABORT_ROLLBACK};
  size_t i;
  for (i = 0; i < sizeof codes / sizeof *codes; i++) {
    sqlite3 *db;
    sqlite3_stmt *statement;
    int code;
    unlink("w.db"), unlink("w.db-wal"), unlink("w.db-shm");
    sqlite3_open("w.db", &db);
    show(db, "PRAGMA journal_mode = WAL");
    calls = 0;
    sqlite3_wal_hook(db, hook, &codes[i]);
    printf("hook returns %d\n", codes[i]);
    show(db, "CREATE TABLE t(a UNIQUE)");
    sqlite3_prepare_v2(db, "INSERT INTO t SELECT ifnull(max(a), 0) + 1 FROM t", -1, &statement, 0);
    code = sqlite3_step(statement);
    printf("  step %d, %s, %d changes\n", code, sqlite3_errmsg(db), sqlite3_changes(db));
    code = sqlite3_step(statement);
    printf("  step %d, %s\n", code, sqlite3_errmsg(db));
    code = sqlite3_reset(statement);
    printf("  reset %d, %d, %s\n", code, sqlite3_extended_errcode(db), sqlite3_errmsg(db));
    code = sqlite3_finalize(statement);
    printf("  finalize %d, %s\n", code, sqlite3_errmsg(db));
    sqlite3_prepare(db, "INSERT INTO t SELECT max(a) + 1 FROM t", -1, &statement, 0);
    code = sqlite3_step(statement);
    printf("  step of the old interface %d, %s\n", code, sqlite3_errmsg(db));
    code = sqlite3_finalize(statement);
    printf("  finalize %d, %s\n", code, sqlite3_errmsg(db));
    code = sqlite3_exec(db, "INSERT INTO t SELECT max(a) + 1 FROM t", 0, 0, 0);
    printf("  exec %d, %s\n", code, sqlite3_errmsg(db));
    show(db, "BEGIN");
    show(db, "INSERT INTO t VALUES(100)");
    show(db, "INSERT INTO t VALUES(100)");
    show(db, "COMMIT");
    show(db, "INSERT OR FAIL INTO t VALUES(200), (100)");
    show(db, "SELECT count(*) FROM t");
    printf("  %d calls\n", calls);
    sqlite3_close(db);
  }
  return 0;
}
