/* Destructors that register again what is being replaced, more of it, or remove it. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fts5.h"
#include "vtab_empty.h"

static sqlite3 *db;
static sqlite3_stmt *statement;
static fts5_api *search;
static int kind, deed, depth, endCount;

static void end(void *data);

static void one(sqlite3_context *context, int count, sqlite3_value **values) {
  sqlite3_result_int(context, 1);
}
static void last(sqlite3_context *context) { sqlite3_result_int(context, 1); }
static int compare(void *data, int n, const void *a, int m, const void *b) { return n - m; }
static void call(const Fts5ExtensionApi *api, Fts5Context *fts, sqlite3_context *context, int count,
                 sqlite3_value **values) {}

static sqlite3_module module = {0, connect, connect, best, disconnect, disconnect, openCursor,
                                closeCursor, filter, next, isAtEnd, column, rowid};

static int makeTokenizer(void *data, const char **arguments, int count, Fts5Tokenizer **made) {
  *made = calloc(1, 8);
  return SQLITE_OK;
}
static void endTokenizer(Fts5Tokenizer *tokenizer) { free(tokenizer); }
static int tokenize(Fts5Tokenizer *tokenizer, void *context, int flags, const char *text, int count,
                    int (*token)(void *, int, const char *, int, int, int)) { return SQLITE_OK; }
static fts5_tokenizer tokenizer = {makeTokenizer, endTokenizer, tokenize};

static const char *kinds[] = {"function", "window function", "collation", "module",
                              "tokenizer", "auxiliary function", "text", "pointer",
                              "blob"};

static void put(char *name, int removes) {
  switch (kind) {
  case 0:
    sqlite3_create_function_v2(db, name, 1, SQLITE_UTF8, name, removes ? 0 : one, 0, 0, end);
    break;
  case 1:
    sqlite3_create_window_function(db, name, 1, SQLITE_UTF8, name, removes ? 0 : one,
                                   removes ? 0 : last, removes ? 0 : last, removes ? 0 : one, end);
    break;
  case 2: sqlite3_create_collation_v2(db, name, SQLITE_UTF8, name, removes ? 0 : compare, end); break;
  case 3: sqlite3_create_module_v2(db, name, removes ? 0 : &module, name, removes ? 0 : end); break;
  case 4: search->xCreateTokenizer(search, name, name, &tokenizer, end); break;
  case 5: search->xCreateFunction(search, name, name, call, end); break;
  case 6: sqlite3_bind_text(statement, 1, "abc", 3, removes ? SQLITE_STATIC : end); break;
  case 7: sqlite3_bind_pointer(statement, 1, name, "name", end); break;
  case 8: sqlite3_bind_blob64(statement, 1 + (*name == 'b'), "abcdefghij", 10, end); break;
  }
}

static void end(void *data) {
  static char names[20][8];
  endCount++;
  if (depth || endCount > 60) return;
  depth = 1;
  switch (deed) {
  case 0: put("a", 0); break;
  case 1: put("a", 1); break;
  case 2:
    for (int i = 0; i < 20; i++) {
      sprintf(names[i], "more%d", i);
      put(names[i], 0);
    }
    break;
  case 3: put("a", 0), put("a", 0), put("b", 0), put("a", 1), put("b", 1); break;
  case 4: sqlite3_exec(db, "SELECT 1; CREATE TABLE t(a); DROP TABLE t; PRAGMA function_list;"
                           "PRAGMA module_list", 0, 0, 0); break;
  case 5: sqlite3_drop_modules(db, 0); break;
  }
  depth = 0;
}

static void run(void) {
  sqlite3_stmt *find;
  const char *kept[] = {"b", 0};
  endCount = 0;
  sqlite3_open(":memory:", &db);
  sqlite3_prepare_v2(db, "SELECT fts5(?1)", -1, &find, 0);
  sqlite3_bind_pointer(find, 1, &search, "fts5_api_ptr", 0);
  sqlite3_step(find);
  sqlite3_finalize(find);
  sqlite3_prepare_v2(db, "SELECT ?1, ?2", -1, &statement, 0);
  put("a", 0), put("b", 0), put("c", 0), put("a", 0), put("a", 0);
  put("b", 1), put("b", 0), put("c", 0);
  if (kind >= 6) {
    sqlite3_step(statement);
    sqlite3_reset(statement);
    put("a", 0);
    sqlite3_clear_bindings(statement);
    put("a", 0), put("b", 0);
    sqlite3_step(statement);
  }
  if (kind == 3) {
    sqlite3_exec(db, "CREATE VIRTUAL TABLE v USING a; SELECT * FROM v; DROP TABLE v", 0, 0, 0);
    sqlite3_drop_modules(db, kept);
    put("a", 0);
    sqlite3_drop_modules(db, 0);
    put("a", 0);
  }
  printf("%s, %d: %d", kinds[kind], deed,
         sqlite3_exec(db, "CREATE TABLE q(x); INSERT INTO q VALUES(1), (2);"
                          "SELECT * FROM q ORDER BY x; SELECT count(*) FROM pragma_module_list",
                      0, 0, 0));
  sqlite3_finalize(statement);
  statement = 0;
  deed = -1;
  /* What a destructor registers in the place of what is being registered, SQLite forgets. */
  printf(" %d%s\n", sqlite3_close(db), endCount ? "" : ", none ended");
  fflush(stdout);
}

int main(void) {
  for (kind = 0; kind < 9; kind++)
    for (int i = 0; i < 6; i++) {
      /* SQLite itself does not survive modules that drop modules. */
      if (kind == 3 && i == 5) continue;
      deed = i;
      run();
    }
  return 0;
}
