/* Full-text search of a UTF-16 database while the n-th allocation of a statement fails: what says that
   it is done has done its work. */
#include <stdio.h>
#include <string.h>
#include "failing_memory.h"

static int countdown, failure_count;

static int fails(void) {
  if (countdown <= 0 || --countdown > 0) return 0;
  failure_count++;
  return 1;
}

static char answer[2000];

static int append(void *data, int count, char **values, char **names) {
  int index;
  (void)data;
  (void)names;
  for (index = 0; index < count; index++) {
    strncat(answer, values[index] ? values[index] : "NULL", 200);
    strcat(answer, "|");
  }
  return 0;
}

static int ask(sqlite3 *db, const char *sql) {
  answer[0] = 0;
  return sqlite3_exec(db, sql, append, 0, 0);
}

static const char *const changes[] = {
  "INSERT INTO f(rowid, x, y) VALUES(10, 'one two three zeta', 'alpha eta')",
  "DELETE FROM f WHERE rowid = 1",
  "UPDATE f SET x = 'changed two' WHERE rowid = 2",
  "REPLACE INTO f(rowid, x, y) VALUES(1, 'new text', 'beta')",
  "INSERT INTO f(f) VALUES('rebuild')",
};

/* Whether an allocation has failed. */
static int change(const char *definition, const char *sql, int n, char *wanted, int *broken) {
  char result[2000];
  sqlite3 *db;
  int rc;
  sqlite3_open(":memory:", &db);
  ask(db, "PRAGMA encoding = 'UTF-16le'");
  ask(db, definition);
  ask(db, "INSERT INTO f(x, y) VALUES('one two three', 'alpha beta'), ('two four', 'gamma alpha one'),"
          " ('a third row two', 'with words')");
  failure_count = 0;
  countdown = n;
  rc = ask(db, sql);
  countdown = 0;
  strcpy(result, answer);
  ask(db, "SELECT group_concat(rowid) FROM (SELECT rowid FROM f WHERE f MATCH 'two OR al*' ORDER BY rowid)");
  strcat(result, answer);
  if (n == 0) strcpy(wanted, result);
  if ((rc != SQLITE_OK && rc != SQLITE_NOMEM) || (rc == SQLITE_OK && strcmp(result, wanted))
      || ask(db, "INSERT INTO f(f) VALUES('integrity-check')")) {
    if ((*broken)++ < 3) printf("%s, %s, %d: %d %s\n", definition, sql, n, rc, sqlite3_errmsg(db));
  }
  sqlite3_close(db);
  return failure_count;
}

int main(void) {
  static const char *const definitions[] = {
    "CREATE VIRTUAL TABLE f USING fts4(x, y, prefix='2')",
    "CREATE VIRTUAL TABLE f USING fts3(x, y)",
  };
  unsigned table, index;
  install_failing_memory(fails);
  for (table = 0; table < 2; table++)
    for (index = 0; index < 5; index++) {
      char wanted[2000];
      int broken = 0, n = 1;
      change(definitions[table], changes[index], 0, wanted, &broken);
      while (change(definitions[table], changes[index], n, wanted, &broken)) n++;
      printf("%s: %s: broken %d\n", definitions[table], changes[index], broken);
    }
  return 0;
}
