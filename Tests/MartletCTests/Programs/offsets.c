/* Where in a statement its error is (c3ref/errcode): nowhere, if it is in the text of a view or of a
** trigger; and errors that show only when the statement runs. */
#include <stdio.h>

#include "sqlite3.h"

static const char *setup =
  "CREATE TABLE t(a, b); CREATE TABLE u(a CONSTRAINT k NOT NULL UNIQUE, b CONSTRAINT d DEFAULT 5);"
  "CREATE VIEW v AS SELECT nosuch FROM t; CREATE VIEW w AS SELECT nosuch(a) FROM t;"
  "CREATE VIEW x AS SELECT a FROM nosuch; CREATE VIEW y AS SELECT * FROM v;"
  "CREATE VIEW h AS SELECT 1, 0x10000000000000000;"
  "CREATE TRIGGER r AFTER UPDATE ON t BEGIN SELECT nosuch; END;"
  "CREATE TRIGGER s AFTER INSERT ON t WHEN nosuch BEGIN SELECT 1; END;"
  "CREATE TRIGGER q AFTER DELETE ON t BEGIN SELECT nosuch(1); END;"
  "CREATE TRIGGER p AFTER DELETE ON u BEGIN DELETE FROM t; END;";

static const char *statements[] = {
  "SELECT * FROM v", "SELECT 1 FROM w", "SELECT 1, 2, 3 FROM x", "SELECT 1 FROM y",
  "SELECT nosuch2 FROM v", "UPDATE t SET a = 1", "UPDATE t SET a = nosuch2",
  "INSERT INTO t VALUES(1, 2)", "DELETE FROM t", "DELETE FROM u",
  "ALTER TABLE t RENAME nosuch TO b", "ALTER TABLE t DROP COLUMN nosuch", "REINDEX nosuch.t",
  "SELECT upper(a ORDER BY b) FROM t", "ALTER TABLE t DROP CONSTRAINT nosuch",
  "ALTER TABLE u DROP CONSTRAINT nosuch", "ALTER TABLE u ADD CONSTRAINT k CHECK(1)",
  "ALTER TABLE u ADD CONSTRAINT d CHECK(nosuch)", "ALTER TABLE nosuch DROP CONSTRAINT k",
  "SELECT 1 + 0x10000000000000000", "SELECT -  0x10000000000000000", "SELECT * FROM h",
  "SELECT 1 LIMIT 0x10000000000000000", "CREATE INDEX i ON t(a + 0x10000000000000000)",
};

int main(void) {
  sqlite3 *db;
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db, setup, 0, 0, 0);
  for (unsigned i = 0; i < sizeof statements / sizeof *statements; i++) {
    sqlite3_stmt *statement = 0;
    int code = sqlite3_prepare_v2(db, statements[i], -1, &statement, 0);
    printf("%s: %d, at %d, %s", statements[i], code, sqlite3_error_offset(db),
           code ? sqlite3_errmsg(db) : "");
    if (statement) {
      code = sqlite3_step(statement);
      printf("; step %d, at %d, %s", code, sqlite3_error_offset(db), sqlite3_errmsg(db));
    }
    sqlite3_finalize(statement);
    printf("\n");
  }
  sqlite3_close(db);
  return 0;
}
