/* Which columns the preupdate hook can be asked for, and what it is told of them. */
#include "show.h"

static void tell(void *data, sqlite3 *db, int kind, const char *database, const char *table, sqlite3_int64 from,
                 sqlite3_int64 to) {
  int i;
  printf(" [%d", kind);
  for (i = -1; i <= sqlite3_preupdate_count(db); i++) {
    sqlite3_value *value = 0;
    int code = sqlite3_preupdate_old(db, i, &value);
    printf(" %d:%d", i, code);
    if (!code) printf("=%d", sqlite3_value_int(value));
    code = sqlite3_preupdate_new(db, i, &value);
    printf("/%d", code);
    if (!code) printf("=%d", sqlite3_value_int(value));
  }
  printf("]");
}

int main(void) {
  sqlite3 *db;
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db,
      "CREATE TABLE t(i INTEGER PRIMARY KEY, a, b); CREATE TABLE w(a, b, c, PRIMARY KEY(b, a)) WITHOUT ROWID;"
      "CREATE TABLE g(a, b AS (a + 1), c AS (a + 2) STORED, d);"
      "CREATE TABLE v(a PRIMARY KEY, b AS (a + 1), c) WITHOUT ROWID", 0, 0, 0);
  sqlite3_preupdate_hook(db, tell, 0);
  show(db, "INSERT INTO t VALUES(1, 2, 3)");
  show(db, "UPDATE t SET a = 5");
  show(db, "DELETE FROM t WHERE i = 1");
  show(db, "INSERT INTO w VALUES(1, 2, 3)");
  show(db, "UPDATE w SET c = 5");
  show(db, "UPDATE w SET a = 5");
  show(db, "DELETE FROM w WHERE a = 5");
  show(db, "INSERT INTO g(a, d) VALUES(1, 2)");
  show(db, "UPDATE g SET a = 2");
  show(db, "DELETE FROM g WHERE a = 2");
  show(db, "INSERT INTO v(a, c) VALUES(1, 2)");
  show(db, "DELETE FROM v WHERE a = 1");
  sqlite3_close(db);
  return 0;
}
