/* sqlite3_stmt_readonly, also of what is explained, and what EXPLAIN does to a statement. */
#include <stdio.h>

#include "sqlite3.h"

static sqlite3 *db;

static void ask(const char *prefix, const char *sql) {
  char text[300];
  sqlite3_stmt *statement = 0;
  snprintf(text, sizeof text, "%s%s", prefix, sql);
  sqlite3_prepare_v2(db, text, -1, &statement, 0);
  printf("%s: %d %d", text, sqlite3_stmt_readonly(statement), sqlite3_stmt_isexplain(statement));
  if (!*prefix) {
    sqlite3_stmt_explain(statement, 1);
    printf(" %d", sqlite3_stmt_readonly(statement));
    sqlite3_stmt_explain(statement, 2);
    printf(" %d", sqlite3_stmt_readonly(statement));
    sqlite3_stmt_explain(statement, 0);
    printf(" %d", sqlite3_stmt_readonly(statement));
  }
  printf("\n");
  sqlite3_finalize(statement);
}

int main(void) {
  static const char *statements[] = {
    "SELECT * FROM t", "VALUES(1)", "INSERT INTO t VALUES(1)", "UPDATE t SET a = 1",
    "DELETE FROM t", "DELETE FROM t WHERE 0", "REPLACE INTO t VALUES(2) RETURNING a",
    "CREATE TABLE u(a)", "CREATE TABLE IF NOT EXISTS t(a)", "CREATE INDEX i ON t(a)",
    "CREATE VIEW v AS SELECT 1", "CREATE TEMP TABLE s(a)", "DROP TABLE t",
    "DROP TABLE IF EXISTS nosuch", "ALTER TABLE t RENAME TO u", "ALTER TABLE t ADD COLUMN b",
    "BEGIN", "BEGIN IMMEDIATE", "BEGIN EXCLUSIVE", "COMMIT", "ROLLBACK", "SAVEPOINT s",
    "RELEASE s", "ROLLBACK TO s", "VACUUM", "VACUUM INTO 'x.db'", "ANALYZE", "REINDEX",
    "ATTACH ':memory:' AS a", "DETACH a", "PRAGMA user_version", "PRAGMA user_version = 4",
    "PRAGMA journal_mode", "PRAGMA journal_mode = memory", "PRAGMA cache_size = 4",
    "PRAGMA table_info(t)", "PRAGMA integrity_check", "PRAGMA incremental_vacuum",
    "PRAGMA auto_vacuum = 1", "PRAGMA wal_checkpoint", "PRAGMA optimize", "PRAGMA page_size = 512",
    "PRAGMA encoding", "PRAGMA foreign_keys = 1", "PRAGMA schema_version",
    "PRAGMA schema_version = 4",
  };
  size_t i;
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db, "CREATE TABLE t(a); CREATE INDEX known ON t(a)", 0, 0, 0);
  for (i = 0; i < sizeof statements / sizeof *statements; i++) {
    ask("", statements[i]);
    ask("EXPLAIN ", statements[i]);
    ask("EXPLAIN QUERY PLAN ", statements[i]);
  }
  return sqlite3_close(db);
}
