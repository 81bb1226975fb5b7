/* What switches of a connection do to a schema that is there already: strings in double quotes in
   CHECKs, generated columns and indexes stay strings; ALTER TABLE looks into views that may not be
   read. Which code a refusal has below CREATE VIRTUAL TABLE. Temporary databases that are opened for
   reading. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "sqlite3.h"

static void show(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = 0;
  int rc = sqlite3_prepare_v2(db, sql, -1, &statement, 0), i;
  printf("  %s:", sql);
  while (statement && (rc = sqlite3_step(statement)) == SQLITE_ROW) {
    for (i = 0; i < sqlite3_column_count(statement); i++) {
      const char *text = (const char *)sqlite3_column_text(statement, i);
      printf("%c%s", i ? '|' : ' ', text ? text : "NULL");
    }
  }
  printf(" -> %d %s\n", rc, rc == SQLITE_DONE ? "" : sqlite3_errmsg(db));
  sqlite3_finalize(statement);
}

static sqlite3 *reopened(sqlite3 *db) {
  sqlite3_close(db);
  sqlite3_open("switches.db", &db);
  sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, (void *)0);
  return db;
}

static void strings(void) {
  sqlite3 *db = 0;
  int round;
  unlink("switches.db");
  sqlite3_open("switches.db", &db);
  show(db, "CREATE TABLE t(a CHECK(a <> \"zz\"), b AS (a || \"yy\"))");
  show(db, "CREATE INDEX i ON t(a || \"q\") WHERE a <> \"w\"");
  show(db, "CREATE VIEW v AS SELECT \"vv\"");
  show(db, "INSERT INTO t VALUES(1)");
  sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, (void *)0);
  for (round = 0; round < 2; round++) {
    show(db, "INSERT INTO t(a) VALUES(2)");
    show(db, "INSERT INTO t(a) VALUES('zz')");
    show(db, "SELECT * FROM t");
    show(db, "SELECT * FROM t WHERE a || 'q' = '2q' AND a <> 'w'");
    show(db, "SELECT \"mine\" FROM t");
    show(db, "SELECT * FROM v");
    show(db, "PRAGMA integrity_check");
    show(db, "REINDEX");
    show(db, "UPDATE t SET a = a + 1 WHERE a = 2");
    show(db, "DELETE FROM t WHERE a = 3");
    show(db, "VACUUM");
    db = reopened(db);
  }
  sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DDL, 0, (void *)0);
  show(db, "INSERT INTO t(a) VALUES(4)");
  show(db, "SELECT * FROM t");
  show(db, "PRAGMA integrity_check");
  show(db, "CREATE TABLE u(a CHECK(a <> \"zz\"))");
  show(db, "CREATE TABLE u(a, b AS (a || \"zz\"))");
  show(db, "CREATE INDEX j ON t(a || \"new\")");
  show(db, "CREATE INDEX j ON t(a) WHERE a <> \"new\"");
  show(db, "CREATE TABLE u AS SELECT \"mine\"");
  show(db, "ALTER TABLE t ADD COLUMN c CHECK(c <> \"new\")");
  show(db, "ALTER TABLE t ADD COLUMN d AS (a || \"new\")");
  show(db, "SELECT * FROM t");
  sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 1, (void *)0);
  show(db, "CREATE TABLE u AS SELECT \"mine\"");
  sqlite3_close(db);
  unlink("switches.db");
}

static void views(void) {
  sqlite3 *db;
  sqlite3_open(":memory:", &db);
  show(db, "CREATE TABLE t(a)");
  show(db, "CREATE VIEW v AS SELECT * FROM t");
  show(db, "CREATE VIEW w AS SELECT * FROM v");
  show(db, "CREATE TRIGGER i INSTEAD OF INSERT ON v BEGIN INSERT INTO t VALUES(new.a); END");
  show(db, "CREATE TRIGGER j INSTEAD OF INSERT ON w BEGIN INSERT INTO v VALUES(new.a); END");
  show(db, "CREATE TRIGGER u INSTEAD OF UPDATE ON v BEGIN SELECT 1; END");
  show(db, "CREATE TRIGGER d INSTEAD OF DELETE ON v BEGIN SELECT 1; END");
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (void *)0);
  /* Neither are rows read for its columns. */
  show(db, "PRAGMA table_info(v)");
  show(db, "SELECT name FROM pragma_table_xinfo('v')");
  show(db, "SELECT * FROM v");
  /* New rows are not read from the view. */
  show(db, "INSERT INTO v VALUES(1) RETURNING *");
  show(db, "REPLACE INTO v SELECT a + 1 FROM t");
  show(db, "INSERT INTO v SELECT a FROM v");
  show(db, "UPDATE v SET a = 3");
  show(db, "DELETE FROM v");
  show(db, "INSERT INTO w VALUES(4)");
  show(db, "SELECT a FROM t");
  show(db, "ALTER TABLE t RENAME TO t2");
  show(db, "ALTER TABLE t2 RENAME a TO b");
  show(db, "SELECT sql FROM sqlite_schema");
  show(db, "SELECT * FROM v");
  sqlite3_close(db);
}

static int refuse(void *data, int action, const char *first, const char *second,
                  const char *database, const char *trigger) {
  (void)data, (void)second, (void)database, (void)trigger;
  return action == SQLITE_CREATE_TABLE && strcmp(first, "f_idx") == 0 ? SQLITE_DENY : SQLITE_OK;
}

static void refusals(void) {
  sqlite3 *db;
  sqlite3_open(":memory:", &db);
  sqlite3_set_authorizer(db, refuse, 0);
  show(db, "CREATE VIRTUAL TABLE f USING fts5(x)");
  sqlite3_close(db);
}

static void temporary(void) {
  static const char *names[] = {"", ":memory:", "file:?mode=ro"};
  sqlite3 *db;
  int i;
  for (i = 0; i < 3; i++) {
    sqlite3_open_v2(names[i], &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, 0);
    printf("\"%s\" %d\n", names[i], sqlite3_db_readonly(db, "main"));
    show(db, "CREATE TABLE t(a)");
    show(db, "CREATE TEMP TABLE u(a)");
    show(db, "INSERT INTO u VALUES(1)");
    show(db, "SELECT count(*) FROM u, main.sqlite_schema");
    show(db, "BEGIN IMMEDIATE");
    sqlite3_close(db);
  }
}

int main(void) {
  strings();
  views();
  refusals();
  temporary();
  return 0;
}
