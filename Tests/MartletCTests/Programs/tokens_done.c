/* Who takes tokens may have had enough of them: SQLITE_DONE ends `unicode61` and `ascii` without an
   error, other tokenizers pass it on as they like (fts5 §7.1). */
#include <stdio.h>
#include <stdlib.h>
#include "sqlite3.h"

static fts5_api *interface_of(sqlite3 *db) {
  fts5_api *api = 0;
  sqlite3_stmt *statement;
  sqlite3_prepare_v2(db, "SELECT fts5(?1)", -1, &statement, 0);
  sqlite3_bind_pointer(statement, 1, &api, "fts5_api_ptr", 0);
  sqlite3_step(statement);
  sqlite3_finalize(statement);
  return api;
}

static int code, limit;

static int take(void *context, int flags, const char *token, int count, int start, int end) {
  int *taken = context;
  (void)flags, (void)start, (void)end;
  printf("[%.*s]", count, token);
  return ++*taken == limit ? code : SQLITE_OK;
}

static void tokens(const Fts5ExtensionApi *api, Fts5Context *match, sqlite3_context *context,
                   int count, sqlite3_value **values) {
  int taken = 0, byte_count;
  const char *text;
  (void)count, (void)values;
  api->xColumnText(match, 0, &text, &byte_count);
  sqlite3_result_int(context, api->xTokenize(match, text, byte_count, &taken, take));
}

/* A tokenizer around another one. */
typedef struct {
  Fts5Tokenizer *inner;
  fts5_tokenizer methods;
} wrapper;

static fts5_api *api;

static int make(void *data, const char **arguments, int count, Fts5Tokenizer **result) {
  wrapper *made = calloc(1, sizeof *made);
  void *user;
  (void)data;
  api->xFindTokenizer(api, count ? arguments[0] : "unicode61", &user, &made->methods);
  *result = (Fts5Tokenizer *)made;
  return made->methods.xCreate(user, 0, 0, &made->inner);
}

static void destroy(Fts5Tokenizer *tokenizer) {
  wrapper *own = (wrapper *)tokenizer;
  own->methods.xDelete(own->inner);
  free(own);
}

static int tokenize(Fts5Tokenizer *tokenizer, void *context, int flags, const char *text, int count,
                    int (*taker)(void *, int, const char *, int, int, int)) {
  wrapper *own = (wrapper *)tokenizer;
  int rc = own->methods.xTokenize(own->inner, context, flags, text, count, taker);
  if (flags & FTS5_TOKENIZE_AUX) printf("{%d}", rc);
  return rc;
}

static void show(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = 0;
  int rc = sqlite3_prepare_v2(db, sql, -1, &statement, 0);
  printf("  ");
  while (statement && (rc = sqlite3_step(statement)) == SQLITE_ROW)
    printf(" %s", (const char *)sqlite3_column_text(statement, 0));
  printf(" -> %d %s\n", rc, rc == SQLITE_DONE ? "" : sqlite3_errmsg(db));
  sqlite3_finalize(statement);
}

int main(void) {
  static const char *kinds[] = {"unicode61", "ascii", "porter", "porter ascii", "trigram",
      "wrap unicode61", "wrap ascii", "wrap porter", "wrap trigram", "porter wrap"};
  static const int codes[] = {SQLITE_DONE, SQLITE_ERROR, SQLITE_ROW};
  int kind, number;
  for (kind = 0; kind < 10; kind++) {
    for (number = 0; number < 3; number++) {
      for (limit = 1; limit < 4; limit++) {
        fts5_tokenizer methods = {make, destroy, tokenize};
        sqlite3 *db;
        char sql[100];
        sqlite3_open(":memory:", &db);
        api = interface_of(db);
        api->xCreateTokenizer(api, "wrap", 0, &methods, 0);
        api->xCreateFunction(api, "tokens", 0, tokens, 0);
        code = codes[number];
        printf("%s, %d at token %d\n", kinds[kind], code, limit);
        snprintf(sql, sizeof sql, "CREATE VIRTUAL TABLE t USING fts5(x, tokenize='%s')",
                 kinds[kind]);
        show(db, sql);
        show(db, "INSERT INTO t VALUES('running dogs barked')");
        show(db, "SELECT tokens(t) FROM t WHERE t MATCH 'running'");
        show(db, "SELECT rowid FROM t WHERE t MATCH 'barked'");
        sqlite3_close(db);
      }
    }
  }
  return 0;
}
