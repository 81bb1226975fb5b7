/* Texts of a schema that are not UTF-8, as programs of old have written them: the bytes stay as they
   are, in what is stored and in what is told. */
#include <stdio.h>
#include <string.h>
#include "sqlite3.h"

static void bytes(const char *text) {
  if (!text) printf(" NULL");
  if (text) putchar(' ');
  for (; text && *text; text++)
    if ((unsigned char)*text < 0x80) putchar(*text);
    else printf("<%02x>", (unsigned char)*text);
}

static void show(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = 0;
  int rc = sqlite3_prepare_v2(db, sql, -1, &statement, 0), column;
  bytes(sql);
  printf(":");
  for (column = 0; column < sqlite3_column_count(statement); column++) {
    bytes(sqlite3_column_name(statement, column));
    bytes(sqlite3_column_decltype(statement, column));
    bytes(sqlite3_column_origin_name(statement, column));
    bytes(sqlite3_column_table_name(statement, column));
  }
  printf(" |");
  while (statement && (rc = sqlite3_step(statement)) == SQLITE_ROW)
    for (column = 0; column < sqlite3_column_count(statement); column++)
      bytes((const char *)sqlite3_column_text(statement, column));
  printf(" -> %d", rc);
  if (rc != SQLITE_DONE) bytes(sqlite3_errmsg(db));
  printf("\n");
  sqlite3_finalize(statement);
}

static int authorize(void *data, int action, const char *first, const char *second,
                     const char *database, const char *inner) {
  if (action != SQLITE_READ && action != SQLITE_INSERT) return SQLITE_OK;
  printf("  asked:");
  bytes(first);
  bytes(second);
  bytes(inner);
  printf("\n");
  return SQLITE_OK;
}

static void changed(void *data, int kind, const char *database, const char *table,
                    sqlite3_int64 rowid) {
  printf("  changed:");
  bytes(table);
  printf("\n");
}

/* The last scalar of Unicode, with which ranges of keys end, is itself in every text. */
static void expanded(sqlite3 *db) {
  const char *last = "\xf4\x8f\xbf\xbf";
  char sql[100], *text;
  sqlite3_stmt *statement = 0;
  snprintf(sql, sizeof sql, "SELECT ?1, :\xe9%s, '%s\xe8' AS \"%s\", :\xe9%s", last, last, last, last);
  sqlite3_prepare_v2(db, sql, -1, &statement, 0);
  sqlite3_bind_text(statement, 1, last, -1, SQLITE_STATIC);
  sqlite3_bind_text(statement, 2, "two", -1, SQLITE_STATIC);
  text = sqlite3_expanded_sql(statement);
  printf("expanded:");
  bytes(text);
  bytes(sqlite3_sql(statement));
  bytes(sqlite3_column_name(statement, 2));
  bytes(sqlite3_bind_parameter_name(statement, 2));
  printf(" %d\n", sqlite3_bind_parameter_index(statement, sqlite3_bind_parameter_name(statement, 2)));
  sqlite3_free(text);
  sqlite3_finalize(statement);
  snprintf(sql, sizeof sql, "SELECT json_extract('{}', '%s')", last);
  show(db, sql);
  snprintf(sql, sizeof sql, "SELECT * FROM \"%s\"", last);
  show(db, sql);
}

/* Virtual tables have tables of their own, which are named as they are. */
static void modules(sqlite3 *db, const char *name) {
  const char *modules[] = {"fts5(a%s, prefix=2)", "fts4(a%s)", "rtree(id, a%s, y)"};
  size_t index;
  for (index = 0; index < sizeof modules / sizeof *modules; index++) {
    char sql[200], module[60];
    snprintf(module, sizeof module, modules[index], name);
    snprintf(sql, sizeof sql, "CREATE VIRTUAL TABLE \"v%s\" USING %s", name, module);
    show(db, sql);
    snprintf(sql, sizeof sql, "INSERT INTO \"v%s\" VALUES(%s)", name, index == 2 ? "1, 2, 3" : "'hello'");
    show(db, sql);
    snprintf(sql, sizeof sql, "SELECT * FROM \"v%s\" WHERE \"%c%s\" %s", name, index == 2 ? 'a' : 'v', name,
             index == 2 ? "> 0" : "MATCH 'hello'");
    show(db, sql);
    if (index == 0) {
      snprintf(sql, sizeof sql, "SELECT * FROM \"v%s\" WHERE \"v%s\" MATCH '\"a%s\" : hello'", name, name, name);
      show(db, sql);
    }
    snprintf(sql, sizeof sql, "ALTER TABLE \"v%s\" RENAME TO \"w%s\"", name, name);
    show(db, sql);
    snprintf(sql, sizeof sql, "UPDATE \"w%s\" SET \"a%s\" = 2", name, name);
    show(db, sql);
    show(db, "SELECT name, sql FROM sqlite_schema WHERE name LIKE 'w%' ORDER BY name");
    show(db, "PRAGMA integrity_check");
    snprintf(sql, sizeof sql, "DROP TABLE \"w%s\"", name);
    show(db, sql);
  }
  show(db, "SELECT name FROM sqlite_schema WHERE name LIKE 'w%'");
}

int main(void) {
  const char *statements[] = {
      "CREATE TABLE \"t\xe9\"(a TYP\xe9 DEFAULT '\xe9', b CHECK(b<>'\xe8'), \"\x81\", \"\x82\" NOT NULL "
      "DEFAULT 2)",
      "CREATE INDEX \"i\xe9\" ON \"t\xe9\"(\"\x81\") WHERE \"\x82\"='\xe8'",
      "CREATE VIEW \"v\xe9\" AS SELECT a AS \"\xe9\", '\xe9' AS \"\xe8\" FROM \"t\xe9\"",
      "CREATE TRIGGER \"r\xe9\" AFTER INSERT ON \"t\xe9\" BEGIN UPDATE \"t\xe9\" SET b='\xe0' WHERE "
      "\"\x81\"='\xe9'; END",
      "INSERT INTO \"t\xe9\"(b, \"\x81\") VALUES(1, '\xe9')",
      "INSERT INTO \"t\xe9\"(b) VALUES('\xe8')",
      "SELECT * FROM \"t\xe9\"",
      "SELECT * FROM \"v\xe9\"",
      "ALTER TABLE \"t\xe9\" ADD COLUMN z DEFAULT '\xe9\xe8'",
      "ALTER TABLE \"t\xe9\" RENAME a TO \"a\xea\"",
      "ALTER TABLE \"t\xe9\" RENAME \"\x81\" TO \"\x83\"",
      "ALTER TABLE \"t\xe9\" RENAME TO \"u\xe9\"",
      "ALTER TABLE \"u\xe9\" ALTER COLUMN \"\x82\" DROP NOT NULL",
      "ALTER TABLE \"u\xe9\" ADD COLUMN \"\x84\"",
      "ALTER TABLE \"u\xe9\" DROP COLUMN \"\x84\"",
      "SELECT type, name, tbl_name, sql FROM sqlite_schema",
      "INSERT INTO \"u\xe9\"(b) VALUES('\xe8')",
      "INSERT INTO \"u\xe9\"(b) VALUES(2)",
      "SELECT * FROM \"u\xe9\"",
      "SELECT name, type, dflt_value FROM pragma_table_info('u\xe9')",
      "PRAGMA index_info(\"i\xe9\")",
      "PRAGMA foreign_key_list(\"u\xe9\")",
      "CREATE TABLE copy AS SELECT '\xe9' AS \"\xe9\", 2 AS \"\xe8\"",
      "SELECT \"\xe8\" FROM copy",
      "SELECT sql FROM sqlite_schema WHERE name='copy'",
      "SELECT 1 AS \"\xe9\", '\xe9', \"\xe9\"",
      "SELECT * FROM \"\xe9\"",
      "SELECT nosuch\xe9 FROM copy",
      "SELECT nosuch\xe9(1)",
      "SELECT 1 COLLATE \xe9",
      "CREATE TABLE copy(a\xe9 a\xe9)",
      "CREATE TABLE \"u\xe9\"(a)",
      "ANALYZE",
      "SELECT tbl, idx, stat FROM sqlite_stat1",
      "REINDEX \"i\xe9\"",
      "VACUUM",
      "SELECT type, name, tbl_name, sql FROM sqlite_schema",
      "SELECT raise\xe9",
      "PRAGMA integrity_check",
      "DROP TABLE \"u\xe9\"",
      "SELECT name FROM sqlite_schema"};
  size_t index;
  sqlite3 *db;
  sqlite3_open(":memory:", &db);
  sqlite3_set_authorizer(db, authorize, 0);
  sqlite3_update_hook(db, changed, 0);
  for (index = 0; index < sizeof statements / sizeof *statements; index++) {
    if (index == 8) sqlite3_set_authorizer(db, 0, 0);
    /* SQLite tells of the rows of the schema that it copies. */
    if (strcmp(statements[index], "VACUUM") == 0) sqlite3_update_hook(db, 0, 0);
    show(db, statements[index]);
  }
  expanded(db);
  show(db, "DROP VIEW \"v\xe9\"");
  modules(db, "\xe9");
  modules(db, "\xf4\x8f\xbf\xbf");
  sqlite3_close(db);
  return 0;
}
