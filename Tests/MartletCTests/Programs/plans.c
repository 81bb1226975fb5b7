/* EXPLAIN QUERY PLAN with the plans of triggers (c3ref/c_dbconfig_defensive, TRIGGER_EQP). */
#include <stdio.h>
#include <sqlite3.h>

static const char *const definitions =
    "CREATE TABLE a(x, y); CREATE TABLE b(x, y); CREATE INDEX i ON b(y);"
    "CREATE TABLE p(k PRIMARY KEY); CREATE TABLE c(k REFERENCES p ON DELETE CASCADE);"
    "CREATE TRIGGER ta AFTER INSERT ON a BEGIN"
    "  SELECT * FROM b ORDER BY x; UPDATE b SET x = new.x WHERE y = new.y; END;"
    "CREATE TRIGGER tb AFTER UPDATE ON b BEGIN DELETE FROM p WHERE k = new.x; END;"
    "PRAGMA foreign_keys = ON;";

static void plan(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement;
  printf("%s\n", sql);
  if (sqlite3_prepare_v2(db, sql, -1, &statement, 0) != SQLITE_OK)
    printf("  %s\n", sqlite3_errmsg(db));
  while (sqlite3_step(statement) == SQLITE_ROW)
    printf("  %s\n", sqlite3_column_type(statement, 3) == SQLITE_NULL
                          ? "NULL"
                          : (const char *)sqlite3_column_text(statement, 3));
  sqlite3_finalize(statement);
}

int main(void) {
  sqlite3 *db;
  int isOn = -1;
  sqlite3_open(":memory:", &db);
  printf("define %d\n", sqlite3_exec(db, definitions, 0, 0, 0));
  for (int on = 0; on < 2; on++) {
    printf("switch %d %d\n", sqlite3_db_config(db, SQLITE_DBCONFIG_TRIGGER_EQP, on, &isOn), isOn);
    plan(db, "EXPLAIN QUERY PLAN INSERT INTO a VALUES(1, 2)");
    plan(db, "EXPLAIN QUERY PLAN INSERT INTO a SELECT x, y FROM b WHERE y = 3");
    plan(db, "EXPLAIN QUERY PLAN UPDATE b SET x = 1 WHERE y = 2");
    plan(db, "EXPLAIN QUERY PLAN DELETE FROM p WHERE k = 1");
    plan(db, "EXPLAIN QUERY PLAN SELECT * FROM a");
  }
  printf("insert %d\n", sqlite3_exec(db, "INSERT INTO a VALUES(1, 2)", 0, 0, 0));
  printf("kept %d %d\n", sqlite3_db_config(db, SQLITE_DBCONFIG_TRIGGER_EQP, -1, &isOn), isOn);
  sqlite3_close(db);
  return 0;
}
