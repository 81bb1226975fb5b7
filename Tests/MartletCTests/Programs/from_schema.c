/* Statements that say that their text comes from the schema (SQLITE_PREPARE_FROM_DDL), and those that
   may use no virtual tables: also when the same text was prepared without the flag, and when they are
   compiled again. */
#include "show.h"

static void one(sqlite3_context *context, int count, sqlite3_value **arguments) {
  sqlite3_result_int(context, 1);
}

static void prepare(sqlite3 *db, const char *sql, unsigned flags) {
  sqlite3_stmt *statement = 0;
  int code = sqlite3_prepare_v3(db, sql, -1, flags, &statement, 0);
  printf("  %x %s: %d %s\n", flags, sql, code, code ? sqlite3_errmsg(db) : "");
  if (statement) printf("    step %d\n", sqlite3_step(statement));
  sqlite3_finalize(statement);
}

static const char *const statements[] = {
  "SELECT d()", "SELECT p()", "SELECT i()", "SELECT abs(1)", "SELECT load_extension('x') WHERE 0",
  "SELECT 1 FROM sqlite_dbpage", "SELECT 1 FROM json_each('[1]')", "SELECT 1 FROM pragma_user_version",
  "SELECT * FROM v", "SELECT sum(a) FROM t WHERE d()", "UPDATE t SET a = p()", "SELECT d() AS a FROM t",
  "SELECT * FROM (SELECT p() FROM t)", "DELETE FROM t WHERE a IN (SELECT d())", "PRAGMA user_version",
  "DELETE FROM sqlite_dbpage", "UPDATE sqlite_dbpage SET data = zeroblob(1) WHERE pgno = 9",
};

int main(void) {
  sqlite3 *db;
  sqlite3_stmt *statement;
  int trusts, code;
  size_t i, round;
  sqlite3_open(":memory:", &db);
  sqlite3_create_function(db, "d", 0, SQLITE_UTF8 | SQLITE_DIRECTONLY, 0, one, 0, 0);
  sqlite3_create_function(db, "p", 0, SQLITE_UTF8, 0, one, 0, 0);
  sqlite3_create_function(db, "i", 0, SQLITE_UTF8 | SQLITE_INNOCUOUS, 0, one, 0, 0);
  show(db, "CREATE TABLE t(a)");
  show(db, "INSERT INTO t VALUES(1)");
  show(db, "CREATE TEMP VIEW v AS SELECT a FROM t");
  for (trusts = 0; trusts < 2; trusts++) {
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, trusts, (int *)0);
    printf("trusts the schema: %d\n", trusts);
    /* What comes for the third time may have its program kept. */
    for (round = 0; round < 3; round++)
      for (i = 0; i < sizeof statements / sizeof *statements; i++) {
        prepare(db, statements[i], 0);
        prepare(db, statements[i], SQLITE_PREPARE_FROM_DDL);
        prepare(db, statements[i], SQLITE_PREPARE_NO_VTAB);
      }
  }

  puts("compiled again");
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1, (int *)0);
  code = sqlite3_prepare_v3(db, "SELECT p() FROM t", -1, SQLITE_PREPARE_FROM_DDL, &statement, 0);
  printf("  %d %d\n", code, sqlite3_step(statement));
  sqlite3_reset(statement);
  sqlite3_create_function(db, "p", 0, SQLITE_UTF8 | SQLITE_DIRECTONLY, 0, one, 0, 0);
  code = sqlite3_step(statement);
  printf("  %d %s\n", code, sqlite3_errmsg(db));
  sqlite3_finalize(statement);
  code = sqlite3_prepare_v3(db, "SELECT a FROM w", -1, SQLITE_PREPARE_NO_VTAB, &statement, 0);
  printf("  %d %s\n", code, sqlite3_errmsg(db));
  show(db, "CREATE TABLE w(a)");
  show(db, "INSERT INTO w VALUES(1)");
  code = sqlite3_prepare_v3(db, "SELECT a FROM w", -1, SQLITE_PREPARE_NO_VTAB, &statement, 0);
  printf("  %d %d\n", code, sqlite3_step(statement));
  sqlite3_reset(statement);
  show(db, "DROP TABLE w");
  show(db, "CREATE VIRTUAL TABLE w USING fts5(a)");
  code = sqlite3_step(statement);
  printf("  %d %s\n", code, sqlite3_errmsg(db));
  sqlite3_finalize(statement);
  sqlite3_close(db);
  return 0;
}
