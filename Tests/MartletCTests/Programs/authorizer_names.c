/* How tables are called to an authorizer: with the name that the statement, or the schema, has for
   them where no column is read, and with their own where one is. */
#include <stdio.h>

#include "sqlite3.h"

static sqlite3 *db;

static int asked(void *data, int action, const char *first, const char *second, const char *database,
                 const char *view) {
  printf("  %d %s %s %s %s\n", action, first ? first : "-", second ? second : "-",
         database ? database : "-", view ? view : "-");
  return SQLITE_OK;
}

static void run(const char *sql) {
  sqlite3_stmt *statement = 0;
  int code;
  printf("-- %s\n", sql);
  code = sqlite3_prepare_v2(db, sql, -1, &statement, 0);
  printf("  %d %s\n", code, code ? sqlite3_errmsg(db) : "");
  sqlite3_finalize(statement);
}

int main(void) {
  static const char *statements[] = {
    "SELECT count(*) FROM T", "SELECT 1 FROM T", "SELECT 1 FROM MAIN.T AS Q",
    "SELECT 1 FROM T, U", "SELECT 1 FROM V", "SELECT 1 FROM T X, T Y", "SELECT A FROM T",
    "SELECT Q.A FROM MAIN.T AS Q", "SELECT (SELECT 1 FROM T)", "SELECT EXISTS (SELECT 1 FROM U)",
    "SELECT count(*) FROM V", "WITH T(x) AS (SELECT 1 FROM U) SELECT 1 FROM T",
    "WITH Z AS (SELECT 1 FROM U) SELECT 1 FROM z", "INSERT INTO T VALUES(1,2)",
    "INSERT INTO T(A) SELECT 1 FROM U", "UPDATE T SET A = 1",
    "UPDATE MAIN.T SET B = A WHERE ROWID = 1", "DELETE FROM T", "DELETE FROM T WHERE A = 1",
    "CREATE TABLE NEW(a)", "CREATE INDEX IX ON T(A)", "CREATE VIEW VW AS SELECT 1 FROM T",
    "CREATE TRIGGER TRG AFTER INSERT ON T BEGIN DELETE FROM U; END", "DROP TABLE T",
    "DROP VIEW V", "DROP INDEX I", "DROP TRIGGER TR", "ALTER TABLE T RENAME TO TT",
    "ALTER TABLE T RENAME COLUMN A TO AA", "ALTER TABLE T DROP COLUMN B",
    "ALTER TABLE T ADD COLUMN CC", "REINDEX T", "ANALYZE T", "PRAGMA TABLE_INFO(T)",
    "SELECT ABS(1) FROM T", "UPDATE U SET D = (SELECT 1 FROM T)", "SELECT 1 FROM SQLITE_MASTER",
    "SELECT 1 FROM SQLITE_SCHEMA", "SELECT 1 FROM sqlite_temp_master",
    "SELECT 1 FROM T INDEXED BY I", "SELECT 1 FROM (SELECT 1 FROM T)",
    "SELECT 1 FROM T WHERE A IN U", "SELECT 1 WHERE 1 IN U",
    "DELETE FROM T WHERE EXISTS (SELECT 1 FROM U)", "UPDATE T SET A = 1 FROM U",
    "SELECT COUNT(*) FROM \"T\" JOIN [U]", "SELECT 1 FROM T NATURAL JOIN U",
    "SELECT count(*) FROM temp.S", "SELECT count(*) FROM S", "INSERT INTO V VALUES(1)",
    "ATTACH 'X' AS Y", "SAVEPOINT S", "BEGIN",
  };
  size_t i;
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db,
               "CREATE TABLE t(a, b); CREATE INDEX i ON t(a); CREATE TABLE u(d);"
               "CREATE VIEW v AS SELECT 1 AS one FROM t; CREATE TEMP TABLE s(x);"
               "CREATE TRIGGER tr AFTER DELETE ON t BEGIN INSERT INTO U SELECT 1 FROM T; END;"
               "CREATE TRIGGER tv INSTEAD OF INSERT ON v BEGIN INSERT INTO U SELECT 1 FROM T; END",
               0, 0, 0);
  sqlite3_set_authorizer(db, asked, 0);
  for (i = 0; i < sizeof statements / sizeof *statements; i++) run(statements[i]);
  return sqlite3_close(db);
}
