/* FTS5: what an auxiliary function asks of phrases and columns that there are not. */
#include <sqlite3.h>
#include <stdio.h>

#include "search_api.h"

static sqlite3 *db;

static void run(const char *sql) {
  char *message = 0;
  int code = sqlite3_exec(db, sql, 0, 0, &message);
  printf("%s: %d %s\n", sql, code, message ? message : "");
  sqlite3_free(message);
}

static void ask(const Fts5ExtensionApi *api, Fts5Context *fts, sqlite3_context *context, int count,
                sqlite3_value **values) {
  static const int numbers[] = {0, 2, 3, 9999, -1};
  (void)count, (void)values;
  for (int i = 0; i < 5; i++) {
    Fts5PhraseIter places;
    int number = numbers[i], column = -7, offset = -7, size = -5, length = 0;
    sqlite3_int64 total = -5;
    const char *text = 0;
    int code = api->xPhraseFirstColumn(fts, number, &places, &column);
    printf("  %d: column %d %d", number, code, column);
    column = -7;
    code = api->xPhraseFirst(fts, number, &places, &column, &offset);
    printf(", place %d %d %d, size %d", code, column, offset, api->xPhraseSize(fts, number));
    printf(", token %d", api->xQueryToken(fts, number, 0, &text, &length));
    code = api->xColumnTotalSize(fts, number, &total);
    printf(", total %d %lld", code, total);
    code = api->xColumnSize(fts, number, &size);
    printf(", size %d %d", code, size);
    printf(", text %d\n", api->xColumnText(fts, number, &text, &length));
  }
  sqlite3_result_int(context, 1);
}

int main(void) {
  sqlite3_open(":memory:", &db);
  fts5_api *api = search_api(db);
  api->xCreateFunction(api, "ask", 0, ask, 0);
  static const char *details[] = {"full", "column", "none"};
  for (int i = 0; i < 3; i++) {
    char sql[200];
    sqlite3_snprintf(sizeof sql, sql, "CREATE VIRTUAL TABLE t%d USING fts5(a, b, c, detail=%s)", i,
                     details[i]);
    run(sql);
    sqlite3_snprintf(sizeof sql, sql, "INSERT INTO t%d VALUES('a c d', 'b c d', 'c d 5')", i);
    run(sql);
    sqlite3_snprintf(sizeof sql, sql, "SELECT ask(t%d) FROM t%d('c OR 5 OR d')", i, i);
    run(sql);
  }
  return sqlite3_close(db);
}
