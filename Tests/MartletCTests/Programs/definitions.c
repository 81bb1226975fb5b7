/* What ALTER TABLE finds in other definitions behind the change, and that the change is taken
   back then. */
#include <stdio.h>

#include "sqlite3.h"

static int row(void *unused, int count, char **values, char **names) {
  int i;
  for (i = 0; i < count; i++) printf("%s%s", i ? "|" : "    ", values[i] ? values[i] : "NULL");
  printf("\n");
  return 0;
}

static void alter(const char *schema, const char *sql) {
  sqlite3 *db;
  int code;
  sqlite3_open(":memory:", &db);
  code = sqlite3_exec(db, schema, 0, 0, 0);
  if (code) printf("schema: %s\n", sqlite3_errmsg(db));
  printf("%s\n", sql);
  code = sqlite3_exec(db, sql, 0, 0, 0);
  printf("  %d %s\n", code, code ? sqlite3_errmsg(db) : "");
  sqlite3_exec(db, "SELECT sql FROM sqlite_schema", row, 0, 0);
  sqlite3_exec(db, "SELECT sql FROM sqlite_temp_schema", row, 0, 0);
  sqlite3_exec(db, "SELECT * FROM v", row, 0, 0);
  /* Within a transaction, only the statement is taken back. */
  code = sqlite3_exec(db, "BEGIN; INSERT INTO t VALUES(9, 9, 9)", 0, 0, 0);
  code = sqlite3_exec(db, sql, 0, 0, 0);
  printf("  %d %s\n", code, code ? sqlite3_errmsg(db) : "");
  sqlite3_exec(db, "COMMIT; SELECT count(*) FROM t; PRAGMA integrity_check", row, 0, 0);
  sqlite3_exec(db, "SELECT name, sql FROM sqlite_schema", row, 0, 0);
  sqlite3_close(db);
}

/* Whether a mistake is met by compiling or by running, also as things were before 3.26. */
static void when(const char *schema, const char *sql) {
  int isLegacy;
  for (isLegacy = 0; isLegacy < 2; isLegacy++) {
    sqlite3 *db;
    sqlite3_stmt *statement = 0;
    int code;
    sqlite3_open(":memory:", &db);
    sqlite3_db_config(db, SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, isLegacy, (int *)0);
    sqlite3_exec(db, schema, 0, 0, 0);
    code = sqlite3_prepare_v2(db, sql, -1, &statement, 0);
    printf("  %s: %d %s", isLegacy ? "legacy" : "now", code, sqlite3_errmsg(db));
    code = sqlite3_step(statement);
    printf(", %d %s\n", code, sqlite3_errmsg(db));
    sqlite3_finalize(statement);
    sqlite3_exec(db, "SELECT sql FROM sqlite_schema", row, 0, 0);
    sqlite3_exec(db, "SELECT sql FROM sqlite_temp_schema", row, 0, 0);
    sqlite3_close(db);
  }
}

int main(void) {
  static const char tables[] = "CREATE TABLE t(a, b, c); CREATE TABLE u(d, e);"
                               "INSERT INTO t VALUES(1, 2, 3); INSERT INTO u VALUES(4, 5);";
  static const char *definitions[] = {
    "CREATE VIEW v AS SELECT a, d FROM t, u",
    "CREATE VIEW v AS SELECT a FROM t, u",
    "CREATE VIEW v AS SELECT * FROM t JOIN u USING (a)",
    "CREATE VIEW v AS SELECT t.a, u.d FROM t, u WHERE a = d",
    "CREATE TEMP VIEW v AS SELECT a FROM t, u",
    "CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT a FROM t, u; END",
    "CREATE TRIGGER g AFTER INSERT ON u BEGIN INSERT INTO t(a) SELECT a FROM t, u; END",
    "CREATE TRIGGER g AFTER UPDATE OF a ON t BEGIN UPDATE u SET d = new.a WHERE e = old.b; END",
    "CREATE TEMP TRIGGER g AFTER INSERT ON t BEGIN SELECT a FROM t, u; END",
    "CREATE TRIGGER g AFTER INSERT ON t WHEN new.c > 1 BEGIN SELECT 1; END",
    "CREATE TRIGGER g AFTER INSERT ON u BEGIN UPDATE t SET c = 1; END",
    "CREATE TRIGGER g AFTER INSERT ON u BEGIN INSERT INTO t(b, c) VALUES(1, 2); END",
    "CREATE TRIGGER g AFTER INSERT ON u BEGIN INSERT INTO t VALUES(1, 2, 3); END",
    "CREATE VIEW w AS SELECT * FROM t; CREATE VIEW v AS SELECT c FROM w",
    "CREATE VIEW v(x, y, z) AS SELECT * FROM t",
    "CREATE VIEW v AS SELECT c FROM t",
    "CREATE VIEW v AS SELECT 1 FROM t WHERE c = 1",
    "CREATE VIEW v AS SELECT max(c) FROM t GROUP BY a ORDER BY c",
    "CREATE INDEX i ON t(c)",
    "CREATE INDEX i ON t(b) WHERE c > 1",
    "CREATE INDEX i ON u(\"j\")",
    "CREATE INDEX i ON t(a, \"j\")",
    "CREATE INDEX i ON t(\"a\", b)",
    "CREATE VIEW v AS SELECT \"str\" FROM t",
    "CREATE VIEW v AS WITH x AS (SELECT a FROM t) SELECT a FROM x, u",
    "CREATE VIEW v AS SELECT a FROM t UNION SELECT d FROM u ORDER BY a",
  };
  static const char *changes[] = {
    "ALTER TABLE u RENAME COLUMN d TO a",
    "ALTER TABLE u RENAME d TO b",
    "ALTER TABLE t RENAME COLUMN a TO d",
    "ALTER TABLE t RENAME TO x",
    "ALTER TABLE u RENAME TO w2",
    "ALTER TABLE t DROP COLUMN c",
    "ALTER TABLE u DROP COLUMN d",
    "ALTER TABLE t ADD COLUMN d",
    "ALTER TABLE t RENAME COLUMN c TO j",
  };
  size_t i, j;
  for (i = 0; i < sizeof definitions / sizeof *definitions; i++)
    for (j = 0; j < sizeof changes / sizeof *changes; j++) {
      char schema[600];
      snprintf(schema, sizeof schema, "%s%s", tables, definitions[i]);
      printf("-- %s\n", definitions[i]);
      alter(schema, changes[j]);
      when(schema, changes[j]);
    }
  return 0;
}
