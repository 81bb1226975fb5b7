/* Statements that were prepared when something was not there, or before something hid it, and are
   run again: they see the schema of now. */
#include <stdio.h>
#include <string.h>

#include "sqlite3.h"

#define LIMIT 64

static sqlite3 *first, *second;

/* The statements of a connection, by their text, as drivers keep them. */
static struct kept {
  sqlite3 *db;
  sqlite3_stmt *statement;
  const char *text;
} kept[LIMIT];
static int kept_count;

static sqlite3_stmt *find(sqlite3 *db, const char *text) {
  for (int i = 0; i < kept_count; i++)
    if (kept[i].db == db && strcmp(kept[i].text, text) == 0) return kept[i].statement;
  sqlite3_stmt *statement = 0;
  int code = sqlite3_prepare_v2(db, text, -1, &statement, 0);
  if (code != SQLITE_OK) {
    printf("  prepare: %d %s\n", code, sqlite3_errmsg(db));
    return 0;
  }
  kept[kept_count++] = (struct kept){db, statement, text};
  return statement;
}

/* Runs a statement that is kept, and shows its rows. */
static void run(sqlite3 *db, const char *text) {
  printf("%s: %s\n", db == first ? "first" : "second", text);
  sqlite3_stmt *statement = find(db, text);
  if (!statement) return;
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    printf(" ");
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
      const char *value = (const char *)sqlite3_column_text(statement, i);
      /* Names of files differ from run to run. */
      printf(" %s", !value ? "NULL" : strchr(value, '/') ? "(file)" : value);
    }
    printf("\n");
  }
  if (code != SQLITE_DONE) printf("  step: %d %s\n", code, sqlite3_errmsg(db));
  sqlite3_reset(statement);
}

/* Runs a text that is not kept. */
static void change(sqlite3 *db, const char *text) {
  printf("%s changes: %s\n", db == first ? "first" : "second", text);
  int code = sqlite3_exec(db, text, 0, 0, 0);
  if (code != SQLITE_OK) printf("  exec: %d %s\n", code, sqlite3_errmsg(db));
}

static void start(void) {
  remove("again.db");
  sqlite3_open("again.db", &first);
  sqlite3_open("again.db", &second);
}

static void end(void) {
  while (kept_count > 0) sqlite3_finalize(kept[--kept_count].statement);
  printf("close %d %d\n", sqlite3_close(first), sqlite3_close(second));
}

/* Pragmas that found nothing at first. */
static void pragmas(void) {
  static const char *const texts[] = {
    "PRAGMA table_info(t)", "PRAGMA main.table_info(t)", "PRAGMA temp.table_info(t)",
    "PRAGMA table_xinfo(t)", "PRAGMA table_list(t)", "PRAGMA index_list(t)",
    "PRAGMA index_info(ti)", "PRAGMA index_xinfo(ti)", "PRAGMA foreign_key_list(t)",
    "PRAGMA database_list", "SELECT name FROM pragma_table_info('t')",
    "SELECT name FROM pragma_index_list('t')", "PRAGMA foreign_key_check", "PRAGMA integrity_check",
    "PRAGMA user_version", "PRAGMA foreign_keys", "PRAGMA cache_size", "PRAGMA quick_check(t)",
  };
  static const char *const changes[] = {
    "SELECT 1", "CREATE TABLE t(a INTEGER PRIMARY KEY, b REFERENCES t)", "CREATE INDEX ti ON t(b)",
    "PRAGMA user_version = 5", "PRAGMA foreign_keys = ON", "PRAGMA cache_size = 77",
    "CREATE TEMP TABLE t(x, y UNIQUE)", "ATTACH ':memory:' AS aux", "CREATE TABLE aux.t(q)",
    "DROP TABLE temp.t", "ALTER TABLE t ADD COLUMN d", "DROP INDEX ti", "DETACH aux", "DROP TABLE t",
  };
  start();
  for (size_t c = 0; c < sizeof changes / sizeof *changes; c++) {
    change(first, changes[c]);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) run(first, texts[i]);
  }
  end();
}

/* The same where another connection makes the change, before and after this one has looked. */
static void others(void) {
  static const char *const texts[] = {
    "PRAGMA table_info(t)", "PRAGMA table_list(t)", "PRAGMA index_list(t)", "PRAGMA index_info(ti)",
    "PRAGMA foreign_key_list(t)", "SELECT name FROM pragma_table_info('t')",
    "SELECT count(*) FROM sqlite_schema", "SELECT * FROM one", "SELECT (SELECT one FROM one)",
    "SELECT o.z FROM o LEFT JOIN k ON k.a = o.z",
  };
  static const char *const changes[] = {
    "CREATE TABLE o(z)", "CREATE TABLE t(a INTEGER PRIMARY KEY, b REFERENCES t)",
    "CREATE INDEX ti ON t(b)", "ALTER TABLE t ADD COLUMN c", "DROP INDEX ti", "DROP TABLE t",
    "CREATE VIEW one AS SELECT 1 AS one; CREATE TABLE k(a); CREATE UNIQUE INDEX ki ON k(a)",
    "DROP VIEW one; CREATE VIEW one AS SELECT 2 AS one",
    "DROP INDEX ki; INSERT INTO k VALUES(1), (1); INSERT INTO o VALUES(1)",
  };
  start();
  for (size_t c = 0; c < sizeof changes / sizeof *changes; c++) {
    change(second, changes[c]);
    for (int round = 0; round < 2; round++)
      for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) run(first, texts[i]);
  }
  end();
}

/* IF EXISTS and IF NOT EXISTS that had nothing to do. */
static void definitions(void) {
  static const char *const texts[] = {
    "DROP TABLE IF EXISTS t", "CREATE TABLE IF NOT EXISTS t(a)", "INSERT INTO t VALUES(1)",
    "CREATE INDEX IF NOT EXISTS ti ON t(a)", "DROP INDEX IF EXISTS ti",
    "CREATE VIEW IF NOT EXISTS v AS SELECT * FROM t", "SELECT * FROM v", "DROP VIEW IF EXISTS v",
    "CREATE TRIGGER IF NOT EXISTS g AFTER INSERT ON t BEGIN SELECT 1; END",
    "DROP TRIGGER IF EXISTS g", "SELECT name FROM sqlite_schema",
  };
  start();
  for (int round = 0; round < 3; round++)
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
      run(first, texts[i]);
      run(first, texts[i]);
      if (round > 0) run(second, texts[i]);
    }
  change(first, "DROP TABLE IF EXISTS t");
  run(first, "CREATE TEMP TABLE IF NOT EXISTS t(b)");
  run(first, "DROP TABLE IF EXISTS t");
  run(first, "SELECT name FROM sqlite_temp_schema");
  run(first, "CREATE TEMP TABLE IF NOT EXISTS t(b)");
  run(first, "CREATE TEMP TABLE IF NOT EXISTS t(b)");
  run(first, "SELECT name FROM sqlite_temp_schema");
  end();
}

/* What hides a name, and what takes it away again. */
static void names(void) {
  static const char *const texts[] = {
    "SELECT * FROM t", "INSERT INTO t VALUES('new')", "UPDATE t SET a = a || '!'",
    "SELECT count(*) FROM t x, t y", "SELECT (SELECT max(a) FROM t)", "SELECT * FROM v",
    "WITH q AS (SELECT * FROM t) SELECT * FROM q",
  };
  static const char *const changes[] = {
    "CREATE TABLE t(a); INSERT INTO t VALUES('main'); CREATE VIEW v AS SELECT a FROM t",
    "CREATE TEMP TABLE t(a); INSERT INTO temp.t VALUES('temp')",
    "BEGIN; DROP TABLE temp.t", "ROLLBACK", "SAVEPOINT s; ALTER TABLE temp.t RENAME TO other",
    "ROLLBACK TO s; RELEASE s", "DROP TABLE temp.t", "CREATE TEMP VIEW t AS SELECT 'view' AS a",
    "DROP VIEW temp.t", "CREATE TEMP VIEW v AS SELECT 'hidden' AS a FROM t",
    "CREATE TEMP TRIGGER g AFTER INSERT ON t BEGIN UPDATE t SET a = 'triggered' WHERE a = 'new'; END",
    "CREATE TEMP TABLE t(a)", "DROP TABLE main.t", "DROP TABLE temp.t",
  };
  start();
  for (size_t c = 0; c < sizeof changes / sizeof *changes; c++) {
    change(first, changes[c]);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) run(first, texts[i]);
  }
  end();
}

/* ALTER, BEGIN and DETACH that ran before. */
static void rest(void) {
  start();
  change(first, "CREATE TABLE a(x)");
  run(first, "ALTER TABLE a RENAME TO b");
  run(first, "ALTER TABLE b RENAME TO a");
  change(second, "CREATE TABLE b(y)");
  run(first, "ALTER TABLE a RENAME TO b");
  run(first, "SELECT name FROM sqlite_schema ORDER BY name");
  run(first, "ATTACH ':memory:' AS aux");
  change(first, "CREATE TABLE aux.t(a); INSERT INTO aux.t VALUES(1), (2)");
  run(first, "DETACH aux");
  run(first, "DETACH aux");
  run(first, "ATTACH ':memory:' AS aux");
  change(first, "CREATE TABLE aux.t(a); INSERT INTO aux.t VALUES(1), (2)");
  run(first, "BEGIN");
  run(first, "SELECT * FROM aux.t");
  run(first, "DETACH aux");
  run(first, "COMMIT");
  sqlite3_stmt *open = find(first, "SELECT a FROM aux.t");
  printf("step %d\n", sqlite3_step(open));
  run(first, "DETACH aux");
  sqlite3_reset(open);
  run(first, "DETACH aux");
  run(first, "SELECT a FROM aux.t");
  end();
}

static int ignore(void *data, int action, const char *first, const char *second, const char *db,
                  const char *view) {
  (void)data, (void)db, (void)view;
  int isHidden = first && second && (strcmp(first, "one") == 0 || strcmp(second, "b") == 0);
  return action == SQLITE_READ && isHidden ? SQLITE_IGNORE : SQLITE_OK;
}

/* An authorizer decides when statements are compiled; without it they say everything again. */
static void authorizers(void) {
  static const char *const texts[] = {
    "SELECT a, b FROM t", "SELECT * FROM one", "UPDATE t SET b = b + 1", "SELECT sum(b) FROM t",
  };
  start();
  change(first, "CREATE TABLE t(a, b); INSERT INTO t VALUES(1, 2); CREATE VIEW one AS SELECT 1 AS q");
  for (int round = 0; round < 4; round++) {
    printf("authorizer %d\n", sqlite3_set_authorizer(first, round & 1 ? ignore : 0, 0));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) run(first, texts[i]);
  }
  end();
}

int main(void) {
  authorizers();
  pragmas();
  others();
  definitions();
  names();
  rest();
  return 0;
}
