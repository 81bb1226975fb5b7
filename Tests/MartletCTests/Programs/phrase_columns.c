/* FTS5 (fts5 §7): the columns of a phrase, in rows of each order and detail, with columns left out. */
#include <stdio.h>

#include "search_api.h"
#include "show.h"

static void columns(const Fts5ExtensionApi *x, Fts5Context *context, sqlite3_context *result,
    int count, sqlite3_value **values) {
  sqlite3_str *out = sqlite3_str_new(0);
  for (int phrase = 0; phrase < x->xPhraseCount(context); phrase++) {
    Fts5PhraseIter iterator;
    int column = -1;
    int code = x->xPhraseFirstColumn(context, phrase, &iterator, &column);
    sqlite3_str_appendf(out, " p%d code%d", phrase, code);
    for (; code == SQLITE_OK && column >= 0; x->xPhraseNextColumn(context, &iterator, &column))
      sqlite3_str_appendf(out, " %d", column);
  }
  sqlite3_result_text(result, sqlite3_str_finish(out), -1, sqlite3_free);
}

static const char *const orders[] = {"", " ORDER BY rowid DESC", " ORDER BY rank", " ORDER BY rank LIMIT 2"};
static const char *const details[] = {"full", "column", "none"};
static const char *const contents[] = {"", ", content=''", ", b UNINDEXED"};
static const char *const queries[] = {"one", "on*", "-a: one", "c: one", "{a c}: on*", "one OR two", "one two"};

static void with_table(const char *content, const char *detail) {
  sqlite3 *db;
  char sql[300];
  fts5_api *interface;
  sqlite3_open(":memory:", &db);
  interface = search_api(db);
  interface->xCreateFunction(interface, "columns", 0, columns, 0);
  snprintf(sql, sizeof sql, "CREATE VIRTUAL TABLE t USING fts5(a, c, d%s, detail=%s)", content, detail);
  show(db, sql);
  sqlite3_exec(db, "INSERT INTO t(rowid, a, c, d) VALUES (5, 'x', 'one', 'two one'), (6, 'one', 'one', ''),"
    " (7, 'one', 'y two', 'on'), (8, '', '', 'one one two')", 0, 0, 0);
  for (int query = 0; query < 7; query++)
    for (int order = 0; order < 4; order++) {
      snprintf(sql, sizeof sql, "SELECT rowid || columns(t) FROM t WHERE t MATCH '%s'%s", queries[query], orders[order]);
      show(db, sql);
    }
  sqlite3_close(db);
}

int main(void) {
  for (int content = 0; content < 3; content++)
    for (int detail = 0; detail < 3; detail++) with_table(contents[content], details[detail]);
  return 0;
}
