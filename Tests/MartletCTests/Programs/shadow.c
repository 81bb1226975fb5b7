/* Shadow tables: what may be done to them, in defensive mode and without, and what authorizers are
** asked about them. */
#include <stdio.h>
#include <string.h>
#include "sqlite3.h"

static sqlite3 *db;

static int printRow(void *data, int count, char **values, char **names) {
  int index;
  (void)data;
  for (index = 0; index < count; index++) printf("%s=%s ", names[index],
      values[index] ? values[index] : "NULL");
  printf("\n");
  return 0;
}

static void run(const char *sql) {
  char *message = 0;
  int code = sqlite3_exec(db, sql, printRow, 0, &message);
  printf("%s: %d %d %s\n", sql, code, sqlite3_extended_errcode(db), message ? message : "");
  sqlite3_free(message);
}

static void defend(int isOn) {
  int value = -9;
  int code = sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, isOn, &value);
  printf("-- defensive %d: %d %d\n", isOn, code, value);
}

/* A module whose tables keep one row in a table of their own. */
typedef struct Keeper { sqlite3_vtab base; sqlite3 *db; char *schema, *name; } Keeper;

static int keeperExecute(Keeper *keeper, const char *format, const char *more) {
  char *sql = sqlite3_mprintf(format, keeper->schema, keeper->name, more);
  char *message = 0;
  int code = sqlite3_exec(keeper->db, sql, 0, 0, &message);
  printf("  inside: %s: %d %s\n", sql, code, message ? message : "");
  sqlite3_free(message);
  sqlite3_free(sql);
  return code;
}

static int keeperMake(sqlite3 *db, const char *const *words, sqlite3_vtab **result, int isNew) {
  Keeper *keeper = sqlite3_malloc(sizeof *keeper);
  memset(keeper, 0, sizeof *keeper);
  keeper->db = db;
  keeper->schema = sqlite3_mprintf("%s", words[1]);
  keeper->name = sqlite3_mprintf("%s", words[2]);
  sqlite3_declare_vtab(db, "CREATE TABLE x(a)");
  if (isNew) keeperExecute(keeper, "CREATE TABLE \"%w\".\"%w_kept\"(a)", 0);
  else keeperExecute(keeper, "INSERT INTO \"%w\".\"%w_kept\" VALUES('connected')", 0);
  *result = &keeper->base;
  return SQLITE_OK;
}

static int keeperCreate(sqlite3 *db, void *aux, int count, const char *const *words,
    sqlite3_vtab **result, char **error) {
  return keeperMake(db, words, result, 1);
}

static int keeperConnect(sqlite3 *db, void *aux, int count, const char *const *words,
    sqlite3_vtab **result, char **error) {
  return keeperMake(db, words, result, 0);
}

static int keeperDisconnect(sqlite3_vtab *table) {
  Keeper *keeper = (Keeper *)table;
  sqlite3_free(keeper->schema);
  sqlite3_free(keeper->name);
  sqlite3_free(keeper);
  return SQLITE_OK;
}

static int keeperDestroy(sqlite3_vtab *table) {
  keeperExecute((Keeper *)table, "DROP TABLE \"%w\".\"%w_kept\"", 0);
  return keeperDisconnect(table);
}

static int keeperBestIndex(sqlite3_vtab *table, sqlite3_index_info *info) { return SQLITE_OK; }

static int keeperOpen(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor) {
  *cursor = sqlite3_malloc(sizeof **cursor);
  memset(*cursor, 0, sizeof **cursor);
  return SQLITE_OK;
}

static int keeperClose(sqlite3_vtab_cursor *cursor) { sqlite3_free(cursor); return SQLITE_OK; }
static int keeperFilter(sqlite3_vtab_cursor *cursor, int number, const char *text, int count,
    sqlite3_value **values) { return SQLITE_OK; }
static int keeperNext(sqlite3_vtab_cursor *cursor) { return SQLITE_OK; }
static int keeperEof(sqlite3_vtab_cursor *cursor) { return 1; }
static int keeperColumn(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column) {
  return SQLITE_OK;
}
static int keeperRowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *rowid) { return SQLITE_OK; }

static int keeperUpdate(sqlite3_vtab *table, int count, sqlite3_value **values,
    sqlite3_int64 *rowid) {
  if (count > 1) *rowid = 7;
  return keeperExecute((Keeper *)table, "INSERT INTO \"%w\".\"%w_kept\" VALUES('updated')", 0);
}

static int keeperBegin(sqlite3_vtab *table) { return SQLITE_OK; }
static int keeperSync(sqlite3_vtab *table) {
  return keeperExecute((Keeper *)table, "INSERT INTO \"%w\".\"%w_kept\" VALUES('synced')", 0);
}
static int keeperCommit(sqlite3_vtab *table) { return SQLITE_OK; }
static int keeperRollback(sqlite3_vtab *table) { return SQLITE_OK; }

static int keeperRename(sqlite3_vtab *table, const char *name) {
  return keeperExecute((Keeper *)table, "ALTER TABLE \"%w\".\"%w_kept\" RENAME TO \"%w_kept\"",
      name);
}

static int keeperSavepoint(sqlite3_vtab *table, int number) {
  return keeperExecute((Keeper *)table, "INSERT INTO \"%w\".\"%w_kept\" VALUES('savepoint')", 0);
}
static int keeperNumber(sqlite3_vtab *table, int number) { return SQLITE_OK; }

static int keeperShadow(const char *suffix) {
  return sqlite3_stricmp(suffix, "kept") == 0 || sqlite3_stricmp(suffix, "more") == 0
      || sqlite3_stricmp(suffix, "two_words") == 0;
}

static sqlite3_module keeperModule = {
  3, keeperCreate, keeperConnect, keeperBestIndex, keeperDisconnect, keeperDestroy, keeperOpen,
  keeperClose, keeperFilter, keeperNext, keeperEof, keeperColumn, keeperRowid, keeperUpdate,
  keeperBegin, keeperSync, keeperCommit, keeperRollback, 0, keeperRename, keeperSavepoint,
  keeperNumber, keeperNumber, keeperShadow,
};

static void openDatabase(const char *path) {
  sqlite3_open(path, &db);
  sqlite3_create_module(db, "keeper", &keeperModule, 0);
}

static void eachStatement(const char *const *statements, const char *table, const char *column) {
  char sql[400];
  for (; *statements; statements++) {
    sqlite3_snprintf(sizeof sql, sql, *statements, table, column, table, column);
    run(sql);
  }
}

/* All of them are taken back. */
static const char *const changes[] = {
  "SAVEPOINT s", "INSERT INTO %s DEFAULT VALUES", "UPDATE %s SET %s = 7 WHERE 0",
  "DELETE FROM %s WHERE 0", "REPLACE INTO %s(%s) VALUES(99)",
  "INSERT INTO %s(%s) VALUES(98) ON CONFLICT DO NOTHING RETURNING 1",
  "WITH x(y) AS (SELECT 1) DELETE FROM %s WHERE %s IN x",
  "ALTER TABLE %s RENAME TO other", "ALTER TABLE %s RENAME COLUMN %s TO renamed",
  "ALTER TABLE %s ADD COLUMN added", "ALTER TABLE %s DROP COLUMN %s",
  "CREATE INDEX i_x ON %s(%s)", "DROP INDEX i_x",
  "CREATE TRIGGER r_x AFTER INSERT ON %s BEGIN SELECT 1; END",
  "CREATE TEMP TRIGGER r_y AFTER INSERT ON %s BEGIN SELECT 1; END",
  "CREATE TABLE plain(a)",
  "CREATE TRIGGER r_z AFTER INSERT ON plain BEGIN SELECT 2; INSERT INTO %s(%s) VALUES(5); END",
  "CREATE TRIGGER r_u AFTER INSERT ON plain BEGIN UPDATE %s SET %s = 1; END",
  "CREATE TRIGGER r_d AFTER INSERT ON plain BEGIN DELETE FROM %s; END",
  "CREATE TEMP TRIGGER r_t AFTER DELETE ON plain BEGIN DELETE FROM %s; END",
  "INSERT INTO plain VALUES(1)", "DELETE FROM plain",
  "SELECT count(*) > 0 AS some FROM %s", "ANALYZE %s", "REINDEX %s",
  "CREATE VIEW w AS SELECT * FROM %s",
  "DROP TABLE IF EXISTS %s", "DROP VIEW %s",
  "ROLLBACK TO s", "RELEASE s", 0,
};

static const char *const definitions[] = {
  "SAVEPOINT s", "SELECT 1 FROM sqlite_schema LIMIT 0", "CREATE TABLE %s(%s)", "CREATE TABLE IF NOT EXISTS %s(%s)",
  "CREATE TEMP TABLE %s(%s)", "CREATE VIEW IF NOT EXISTS %s(%s) AS SELECT 1",
  "CREATE TABLE %s AS SELECT 1 AS %s", "CREATE TABLE harmless(a)", "CREATE INDEX %s ON harmless(a)",
  "CREATE TRIGGER %s AFTER INSERT ON harmless BEGIN SELECT 1; END",
  "ALTER TABLE harmless RENAME TO %s", "CREATE VIRTUAL TABLE %s USING fts5(%s)",
  "ROLLBACK TO s", "RELEASE s", 0,
};

static const char *const shadows[][2] = {
  {"f5_data", "id"}, {"f5_idx", "segid"}, {"f5_docsize", "id"}, {"f5_content", "id"},
  {"f5_config", "k"}, {"f4_content", "docid"}, {"f4_segments", "blockid"}, {"f4_segdir", "level"},
  {"f4_docsize", "docid"}, {"f4_stat", "id"}, {"r_node", "nodeno"}, {"r_parent", "nodeno"},
  {"r_rowid", "rowid"}, {"k_kept", "a"}, {"temp.f5_data", "id"}, {"main.F5_DATA", "id"},
};

static const char *const names[] = {
  "f5_more", "f5_DATA2", "f4_more", "r_more", "k_more", "k_two_words", "k_", "f5_x_data", "K_MORE",
  "nothing_data", "_data", "f5x_data", "temp.k_more",
};

static void tables(void) {
  run("CREATE VIRTUAL TABLE f5 USING fts5(a, prefix=2)");
  run("CREATE VIRTUAL TABLE f4 USING fts4(a)");
  run("CREATE VIRTUAL TABLE r USING rtree(id, a, b, +c)");
  run("CREATE VIRTUAL TABLE k USING keeper(a)");
  run("INSERT INTO f5 VALUES('one two'); INSERT INTO f4 VALUES('one two')");
  run("INSERT INTO r VALUES(1, 2, 3, 'c')");
  run("INSERT INTO k VALUES(1)");
}

static void protection(int isOn) {
  unsigned index;
  defend(isOn);
  for (index = 0; index < sizeof shadows / sizeof *shadows; index++)
    eachStatement(changes, shadows[index][0], shadows[index][1]);
  for (index = 0; index < sizeof names / sizeof *names; index++)
    eachStatement(definitions, names[index], "a");
}

/* What virtual tables do themselves works in defensive mode. */
static void inside(void) {
  run("BEGIN; SAVEPOINT a; INSERT INTO f5 VALUES('three'); INSERT INTO f4 VALUES('four')");
  run("INSERT INTO r VALUES(2, 3, 4, 'd'); INSERT INTO k VALUES(2); RELEASE a; COMMIT");
  run("INSERT INTO f5(f5) VALUES('optimize'); INSERT INTO f5(f5) VALUES('rebuild')");
  run("INSERT INTO f4(f4) VALUES('optimize'); INSERT INTO f4(f4) VALUES('integrity-check')");
  run("INSERT INTO f4(f4) VALUES('rebuild'); INSERT INTO f4(f4) VALUES('automerge=4')");
  run("UPDATE f5 SET a = 'five' WHERE rowid = 1; DELETE FROM f4 WHERE docid = 1");
  run("SELECT rowid, a FROM f5; SELECT docid, a FROM f4; SELECT * FROM r; PRAGMA integrity_check");
  run("ALTER TABLE f5 RENAME TO f5b; ALTER TABLE f4 RENAME TO f4b; ALTER TABLE r RENAME TO rb");
  run("ALTER TABLE k RENAME TO kb");
  run("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
  run("PRAGMA main.table_list");
  run("INSERT INTO f5b VALUES('six'); INSERT INTO f4b VALUES('seven'); INSERT INTO kb VALUES(3)");
  run("VACUUM");
  run("SELECT count(*) FROM f5b WHERE f5b MATCH 'six'");
  run("DROP TABLE f5b; DROP TABLE f4b; DROP TABLE rb; DROP TABLE kb");
  run("SELECT count(*) FROM sqlite_schema");
}

static int blob(const char *table, const char *column, int isWritable) {
  sqlite3_blob *blob = 0;
  int code = sqlite3_blob_open(db, "main", table, column, 1, isWritable, &blob);
  printf("blob of %s.%s %d: %d %s\n", table, column, isWritable, code, sqlite3_errmsg(db));
  sqlite3_blob_close(blob);
  return code;
}

static void write(sqlite3_context *context, int count, sqlite3_value **values) {
  char *message = 0;
  int code = sqlite3_exec(sqlite3_context_db_handle(context), "DELETE FROM f5_data WHERE 0", 0, 0,
      &message);
  printf("  from a function: %d %s\n", code, message ? message : "");
  sqlite3_free(message);
  sqlite3_result_int(context, code);
}

/* What was prepared before the mode changes, and what runs inside other statements. */
static void times(void) {
  sqlite3_stmt *before;
  int code;
  defend(0);
  sqlite3_prepare_v2(db, "DELETE FROM f5_data WHERE 0", -1, &before, 0);
  defend(1);
  code = sqlite3_step(before);
  printf("prepared before: %d", code);
  code = sqlite3_reset(before);
  printf(" %d %s\n", code, sqlite3_errmsg(db));
  defend(0);
  code = sqlite3_step(before);
  printf("and after: %d %s\n", code, sqlite3_errmsg(db));
  sqlite3_finalize(before);
  defend(1);
  sqlite3_create_function(db, "write_shadow", 0, SQLITE_UTF8, 0, write, 0, 0);
  run("SELECT write_shadow()");
  run("DELETE FROM f5_data WHERE 0");
  run("INSERT INTO f5(f5) VALUES('merge=4')");
  run("REPLACE INTO 'main'.'f5_data'(id, block) VALUES(?,?)");
  blob("f5_data", "block", 0);
  blob("f5_data", "block", 1);
  blob("f4_content", "c0a", 1);
  defend(0);
  blob("f5_data", "block", 1);
}

static void writableSchema(void) {
  defend(0);
  run("PRAGMA writable_schema = ON; PRAGMA writable_schema");
  run("UPDATE sqlite_schema SET name = name WHERE 0");
  run("CREATE TABLE sqlite_mine(a); DROP TABLE sqlite_mine");
  defend(1);
  run("PRAGMA writable_schema");
  run("UPDATE sqlite_schema SET name = name WHERE 0");
  run("CREATE TABLE sqlite_mine(a)");
  run("INSERT INTO f5_data VALUES(99, x'')");
  run("PRAGMA writable_schema = OFF; PRAGMA writable_schema = ON; PRAGMA writable_schema");
  run("PRAGMA schema_version = 99; PRAGMA schema_version < 99");
  run("PRAGMA journal_mode = OFF");
  run("UPDATE sqlite_dbpage SET data = data WHERE pgno = 1");
  defend(0);
  run("PRAGMA writable_schema");
  run("UPDATE sqlite_schema SET name = name WHERE 0");
  run("PRAGMA writable_schema = OFF");
}

/* Without defensive mode a shadow table can be dropped; the virtual table is then damaged. */
static void damage(void) {
  run("DROP TABLE f5_data; INSERT INTO f5 VALUES('more')");
  run("SELECT * FROM f5 WHERE f5 MATCH 'one'");
  run("DROP TABLE f4_segdir; INSERT INTO f4 VALUES('more')");
  run("SELECT * FROM f4 WHERE f4 MATCH 'one'");
  run("DROP TABLE r_node; INSERT INTO r VALUES(5, 5, 5, 5)");
  run("SELECT * FROM r");
  run("DROP TABLE f5; DROP TABLE f4; DROP TABLE r");
  run("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
}

static const char *deniedTable;
static int deniedAction;

static int authorize(void *data, int action, const char *first, const char *second,
    const char *database, const char *inner) {
  return action == deniedAction && first && strcmp(first, deniedTable) == 0 ? SQLITE_DENY
      : SQLITE_OK;
}

/* What a full-text table passes on of a statement that was denied is its code. C's R-trees go on
** without statements that write and were denied, and its FTS5 reads f5_data as blobs. */
static int isComparable(int action, const char *table) {
  if (table[0] == 'r') {
    return action != SQLITE_INSERT && action != SQLITE_DELETE && action != SQLITE_READ;
  }
  return action != SQLITE_READ || strcmp(table, "f5_data") != 0;
}

static void runForCode(const char *sql) {
  sqlite3_stmt *statement = 0;
  int rows = 0, code = sqlite3_prepare_v2(db, sql, -1, &statement, 0);
  if (code == SQLITE_OK) {
    while (sqlite3_step(statement) == SQLITE_ROW) rows++;
    code = sqlite3_finalize(statement);
  }
  printf("%s: %d, %d rows\n", sql, code, rows);
}

/* Each action on each shadow table is denied, then the tables are used on a new connection. */
static void denials(void) {
  static const int actions[] = {SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE, SQLITE_READ,
      SQLITE_CREATE_TABLE, SQLITE_DROP_TABLE};
  static const char *const uses[] = {
    "SAVEPOINT s", "INSERT INTO f5 VALUES('one three')", "INSERT INTO f4 VALUES('one three')",
    "INSERT INTO r VALUES(9, 8, 9, 'x')", "SELECT a FROM f5 WHERE f5 MATCH 'one'",
    "SELECT a FROM f4 WHERE f4 MATCH 'one'", "SELECT id, c FROM r WHERE a > 1",
    "DELETE FROM f5 WHERE rowid = 1", "DELETE FROM f4 WHERE docid = 1",
    "DELETE FROM r WHERE id = 1", "DROP TABLE f5", "DROP TABLE f4", "DROP TABLE r",
    "ROLLBACK TO s", "RELEASE s", 0,
  };
  unsigned action, table, use;
  for (action = 0; action < sizeof actions / sizeof *actions; action++) {
    for (table = 0; table < 13; table++) {
      if (!isComparable(actions[action], shadows[table][0])) continue;
      openDatabase("denials.db");
      deniedAction = actions[action];
      deniedTable = shadows[table][0];
      sqlite3_set_authorizer(db, authorize, 0);
      printf("-- %d %s\n", deniedAction, deniedTable);
      for (use = 0; uses[use]; use++) runForCode(uses[use]);
      sqlite3_close(db);
    }
  }
}

int main(void) {
  printf("%s\n", sqlite3_libversion());
  openDatabase("shadow.db");
  tables();
  protection(0);
  protection(1);
  sqlite3_close(db);
  openDatabase("shadow.db");
  defend(1);
  run("DELETE FROM f5_data WHERE 0; DELETE FROM k_kept WHERE 0");
  run("DELETE FROM k_kept WHERE 0");
  run("SELECT * FROM k");
  times();
  writableSchema();
  defend(1);
  inside();
  tables();
  defend(0);
  damage();
  run("DROP TABLE k");
  sqlite3_close(db);
  openDatabase("denials.db");
  tables();
  sqlite3_close(db);
  denials();
  return 0;
}
