/* What a virtual table may do to others while it is told of a commit (xSync). */
#include <string.h>
#include "show.h"

typedef struct { sqlite3_vtab base; sqlite3 *db; } table;
static const char *inside[8];
static int count, isInside;

static int connect(sqlite3 *db, void *data, int n, const char *const *words, sqlite3_vtab **out, char **message) {
  table *made = sqlite3_malloc(sizeof *made);
  memset(made, 0, sizeof *made);
  made->db = db, *out = &made->base;
  return sqlite3_declare_vtab(db, "CREATE TABLE x(a, b)");
}
static int disconnect(sqlite3_vtab *given) { sqlite3_free(given); return SQLITE_OK; }
static int plan(sqlite3_vtab *given, sqlite3_index_info *info) { return SQLITE_OK; }
static int openCursor(sqlite3_vtab *given, sqlite3_vtab_cursor **out) {
  *out = sqlite3_malloc(sizeof **out);
  memset(*out, 0, sizeof **out);
  return SQLITE_OK;
}
static int closeCursor(sqlite3_vtab_cursor *cursor) { sqlite3_free(cursor); return SQLITE_OK; }
static int filter(sqlite3_vtab_cursor *c, int number, const char *text, int n, sqlite3_value **v) { return SQLITE_OK; }
static int next(sqlite3_vtab_cursor *c) { return SQLITE_OK; }
static int isAtEnd(sqlite3_vtab_cursor *c) { return 1; }
static int column(sqlite3_vtab_cursor *c, sqlite3_context *context, int i) { return SQLITE_OK; }
static int rowid(sqlite3_vtab_cursor *c, sqlite3_int64 *row) { *row = 1; return SQLITE_OK; }
static int update(sqlite3_vtab *given, int n, sqlite3_value **v, sqlite3_int64 *row) { *row = 1; return SQLITE_OK; }
static int done(sqlite3_vtab *given) { return SQLITE_OK; }
static int sync(sqlite3_vtab *given) {
  int i;
  if (isInside) return SQLITE_OK;
  isInside = 1;
  for (i = 0; i < count; i++) show(((table *)given)->db, inside[i]);
  isInside = 0;
  return SQLITE_OK;
}

static sqlite3_module module = {1, connect, connect, plan, disconnect, disconnect, openCursor, closeCursor, filter, next,
                                isAtEnd, column, rowid, update, done, sync, done, done};

int main(void) {
  static const char *const statements[] = {
    "CREATE VIRTUAL TABLE q USING m", "DROP TABLE y", "INSERT INTO y VALUES(1, 2)", "UPDATE y SET a = 1",
    "SELECT * FROM y", "CREATE VIRTUAL TABLE IF NOT EXISTS y USING m", "DROP TABLE IF EXISTS nope", "DROP TABLE z",
  };
  sqlite3 *db;
  size_t i;
  sqlite3_open(":memory:", &db);
  sqlite3_create_module(db, "m", &module, 0);
  show(db, "CREATE VIRTUAL TABLE x USING m");
  show(db, "CREATE VIRTUAL TABLE y USING m");
  show(db, "CREATE VIRTUAL TABLE z USING fts5(a)");
  for (i = 0; i < sizeof statements / sizeof *statements; i++) {
    inside[0] = statements[i], count = 1;
    show(db, "INSERT INTO x VALUES(1, 2)");
    show(db, "BEGIN");
    show(db, "UPDATE z SET a = 1");
    show(db, "INSERT INTO x VALUES(1, 2)");
    show(db, "COMMIT");
    show(db, "SELECT name FROM sqlite_schema WHERE name NOT LIKE 'z_%'");
  }
  count = 0;
  show(db, "DROP TABLE y");
  show(db, "CREATE VIRTUAL TABLE q USING m");
  show(db, "DROP TABLE q");
  show(db, "PRAGMA integrity_check");
  sqlite3_close(db);
  return 0;
}
