/* What a crash has left behind, as the log of a program is told of it (SQLITE_NOTICE_RECOVER_WAL). */
#include <stdlib.h>
#include <string.h>
#include "show.h"

static void tell(void *data, int code, const char *message) {
  const char *slash = strrchr(message, '/');
  /* How many pages were written early is not the same. */
  int shown = code == SQLITE_NOTICE_RECOVER_WAL ? 13 : 10;
  printf("\n    log %d %.*s … %s ", code, shown, message, slash ? slash + 1 : "");
}

static void leave(const char *mode, const char *copy) {
  sqlite3 *db;
  char text[200];
  sqlite3_open("a.db", &db);
  printf("%s\n", mode);
  show(db, mode);
  show(db, "CREATE TABLE IF NOT EXISTS t(a)");
  show(db, "WITH c(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM c WHERE x < 2000)"
           " INSERT INTO t SELECT zeroblob(200) FROM c");
  show(db, "PRAGMA cache_size = 2");
  show(db, "BEGIN");
  show(db, "UPDATE t SET a = zeroblob(201)");
  sprintf(text, "for end in '' -wal -journal; do test -e a.db$end && cp a.db$end %s$end; done", copy);
  system(text);
  show(db, "ROLLBACK");
  sqlite3_close(db);
  sqlite3_open(copy, &db);
  show(db, "SELECT count(*) FROM t");
  show(db, "SELECT count(*) FROM t");
  sqlite3_close(db);
  sqlite3_open(copy, &db);
  show(db, "SELECT count(*) FROM t");
  sqlite3_close(db);
}

int main(void) {
  sqlite3_config(SQLITE_CONFIG_LOG, tell, (void *)0);
  leave("PRAGMA journal_mode = WAL", "b.db");
  leave("PRAGMA journal_mode = DELETE", "c.db");
  return 0;
}
