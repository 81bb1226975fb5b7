/* What pragmas list: the encodings of functions, modules before and after they are used, the size of
   the cache that a file suggests; and that tables which a module has without being created are none
   for sqlite3_table_column_metadata. */
#include <stdio.h>
#include <unistd.h>
#include "sqlite3.h"

static void nothing(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)context, (void)count, (void)values;
}

static void show(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = 0;
  int rc = sqlite3_prepare_v2(db, sql, -1, &statement, 0), i;
  printf("%s:", sql);
  while (statement && (rc = sqlite3_step(statement)) == SQLITE_ROW) {
    for (i = 0; i < sqlite3_column_count(statement); i++)
      printf("%c%s", i ? '|' : ' ', (const char *)sqlite3_column_text(statement, i));
  }
  printf(" -> %d\n", rc);
  sqlite3_finalize(statement);
}

static void encodings(void) {
  static const int kinds[] = {SQLITE_UTF8, SQLITE_UTF16LE, SQLITE_UTF16BE, SQLITE_UTF16,
      SQLITE_ANY, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS};
  sqlite3 *db;
  int i;
  sqlite3_open(":memory:", &db);
  for (i = 0; i < 6; i++) sqlite3_create_function(db, "f", i + 1, kinds[i], 0, nothing, 0, 0);
  show(db, "SELECT * FROM pragma_function_list WHERE name = 'f' ORDER BY narg, enc");
  show(db, "SELECT DISTINCT enc FROM pragma_function_list WHERE builtin");
  sqlite3_close(db);
}

static void modules(void) {
  static const char *list =
      "SELECT name FROM pragma_module_list WHERE name LIKE 'json%' OR name LIKE 'pragma%' ORDER BY 1";
  static const char *names[] = {"json_each", "pragma_table_info", "dbstat"};
  static const char *columns[] = {0, "key", "rowid", "name"};
  sqlite3 *db;
  int i, j;
  sqlite3_open(":memory:", &db);
  show(db, list);
  show(db, "SELECT value FROM json_each('[1]')");
  show(db, list);
  show(db, "SELECT name FROM pragma_table_info('x')");
  show(db, "SELECT 1 FROM Json_Tree");
  show(db, list);
  for (i = 0; i < 3; i++) {
    for (j = 0; j < 4; j++) {
      int rc = sqlite3_table_column_metadata(db, 0, names[i], columns[j], 0, 0, 0, 0, 0);
      printf("%s.%s %d %s\n", names[i], columns[j] ? columns[j] : "", rc, sqlite3_errmsg(db));
    }
  }
  sqlite3_close(db);
}

static sqlite3 *reopened(sqlite3 *db) {
  sqlite3_close(db);
  sqlite3_open("listings.db", &db);
  return db;
}

static void cache_sizes(void) {
  sqlite3 *db = 0, *other;
  unlink("listings.db");
  db = reopened(db);
  show(db, "CREATE TABLE t(a)");
  show(db, "PRAGMA default_cache_size = 77");
  show(db, "PRAGMA cache_size = 5");
  db = reopened(db);
  show(db, "PRAGMA cache_size");
  show(db, "PRAGMA cache_size = 9");
  sqlite3_open("listings.db", &other);
  show(other, "PRAGMA default_cache_size = -55");
  show(other, "CREATE TABLE u(a)");
  sqlite3_close(other);
  show(db, "SELECT count(*) FROM u");
  show(db, "PRAGMA cache_size");
  show(db, "ATTACH 'listings.db' AS x");
  show(db, "PRAGMA x.cache_size");
  show(db, "VACUUM");
  show(db, "PRAGMA main.cache_size");
  db = reopened(db);
  show(db, "PRAGMA cache_size = -4000");
  show(db, "SELECT count(*) FROM t");
  show(db, "PRAGMA cache_size");
  sqlite3_close(db);
  unlink("listings.db");
}

int main(void) {
  encodings();
  modules();
  cache_sizes();
  return 0;
}
