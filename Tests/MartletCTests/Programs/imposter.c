/* The CREATE TABLE behind SQLITE_TESTCTRL_IMPOSTER makes no table that stays. */
#include <stdio.h>
#include "show.h"

int main(void) {
  sqlite3 *db;
  sqlite3_open("f.db", &db);
  sqlite3_exec(db, "CREATE TABLE t(a, b); CREATE INDEX i ON t(b); INSERT INTO t VALUES(1, 2), (3, 4)", 0, 0, 0);
  sqlite3_test_control(SQLITE_TESTCTRL_IMPOSTER, db, "main", 1, 3);
  sqlite3_exec(db, "CREATE TABLE imp(b, rowid, PRIMARY KEY(b, rowid)) WITHOUT ROWID", 0, 0, 0);
  sqlite3_test_control(SQLITE_TESTCTRL_IMPOSTER, db, "main", 0, 0);
  sqlite3_close(db);
  sqlite3_open("f.db", &db);
  show(db, "SELECT name FROM sqlite_schema ORDER BY 1");
  show(db, "PRAGMA schema_version");
  show(db, "CREATE TABLE real(x)");
  show(db, "SELECT name FROM sqlite_schema ORDER BY 1");
  sqlite3_close(db);
  return 0;
}
