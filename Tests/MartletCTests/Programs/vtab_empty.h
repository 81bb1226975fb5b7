/* The methods of a virtual table without rows, of one column. */
#include <sqlite3.h>
#include <stdlib.h>

static int connect(sqlite3 *connection, void *data, int count, const char *const *arguments,
                   sqlite3_vtab **table, char **message) {
  *table = calloc(1, sizeof **table);
  return sqlite3_declare_vtab(connection, "CREATE TABLE x(a)");
}
static int disconnect(sqlite3_vtab *table) { free(table); return SQLITE_OK; }
static int best(sqlite3_vtab *table, sqlite3_index_info *info) { return SQLITE_OK; }
static int openCursor(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor) {
  *cursor = calloc(1, sizeof **cursor);
  return SQLITE_OK;
}
static int closeCursor(sqlite3_vtab_cursor *cursor) { free(cursor); return SQLITE_OK; }
static int filter(sqlite3_vtab_cursor *cursor, int number, const char *text, int count,
                  sqlite3_value **values) { return SQLITE_OK; }
static int next(sqlite3_vtab_cursor *cursor) { return SQLITE_OK; }
static int isAtEnd(sqlite3_vtab_cursor *cursor) { return 1; }
static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int n) { return SQLITE_OK; }
static int rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *id) { return SQLITE_OK; }
