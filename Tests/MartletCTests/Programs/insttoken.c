/* FTS5: the tokens of a row that a query has found (xInstToken), of every kind of table. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search_api.h"

static sqlite3 *db;

static void run(const char *sql) {
  sqlite3_stmt *statement = 0;
  printf("%s\n", sql);
  int code = sqlite3_prepare_v2(db, sql, -1, &statement, 0);
  while (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
    for (int i = 0; i < sqlite3_column_count(statement); i++)
      printf("%s%s", i ? "|" : "  ", (const char *)sqlite3_column_text(statement, i));
    printf("\n");
    code = SQLITE_OK;
  }
  if (code != SQLITE_DONE && code != SQLITE_OK)
    printf("  %d %d %s\n", code, sqlite3_extended_errcode(db), sqlite3_errmsg(db));
  sqlite3_finalize(statement);
}

/* A tokenizer: words between blanks in small letters; a document's have a zero byte and the word as
   it was behind them, and one that ends in "s" has a synonym without it. */
static int create_cased(void *user, const char **words, int count, Fts5Tokenizer **result) {
  (void)user; (void)words;
  *result = (Fts5Tokenizer *)(count ? "s" : "");
  return SQLITE_OK;
}

static void delete_cased(Fts5Tokenizer *tokenizer) { (void)tokenizer; }

static int cut_cased(Fts5Tokenizer *tokenizer, void *context, int flags, const char *text, int size,
    int (*take)(void *, int, const char *, int, int, int)) {
  int offset = 0, code = SQLITE_OK, isQuery = flags & FTS5_TOKENIZE_QUERY;
  while (code == SQLITE_OK) {
    char token[100];
    int count = 0, start;
    while (offset < size && text[offset] == ' ') offset++;
    if (offset >= size) break;
    start = offset;
    while (offset < size && text[offset] != ' ' && count < 40)
      token[count++] = text[offset++] | 32;
    int whole = count;
    if (!isQuery) {
      token[count++] = 0;
      memcpy(token + count, text + start, whole);
      count += whole;
    }
    code = take(context, 0, token, count, start, offset);
    if (code == SQLITE_OK && *(const char *)tokenizer && !isQuery && token[whole - 1] == 's')
      code = take(context, FTS5_TOKEN_COLOCATED, token, whole - 1, start, offset);
  }
  return code;
}

static void tokens(const Fts5ExtensionApi *x, Fts5Context *context, sqlite3_context *result,
    int count, sqlite3_value **values) {
  sqlite3_str *out = sqlite3_str_new(0);
  int instances = 0;
  (void)count; (void)values;
  x->xInstCount(context, &instances);
  for (int i = 0; i < instances; i++) {
    int phrase, column, offset;
    x->xInst(context, i, &phrase, &column, &offset);
    for (int j = -1; j <= x->xPhraseSize(context, phrase); j++) {
      const char *token = 0;
      int size = 0, code = x->xInstToken(context, i, j, &token, &size);
      sqlite3_str_appendf(out, " %d.%d.%d %d:", phrase, column, offset + j, code);
      for (int k = 0; k < size; k++) sqlite3_str_appendchar(out, 1, token[k] ? token[k] : '/');
    }
  }
  sqlite3_result_text(result, sqlite3_str_finish(out), -1, sqlite3_free);
}

/* Without positions in the index, C finds no tokens of queries that keep them. */
static void ask(const char *table, int isFull) {
  static const char *queries[] = {
    "tw*", "two", "\"two thr*\" OR f*", "a: tw* OR b: on*", "T* NOT four", "tw* AND one", "twos",
    "NEAR(on* thr*)", "^tw*", 0,
  };
  for (int i = 0; queries[i]; i++) {
    char *sql = sqlite3_mprintf("SELECT rowid, tokens(%s) FROM %s(%Q)", table, table, queries[i]);
    run(sql);
    sqlite3_free(sql);
    if (!isFull) continue;
    sql = sqlite3_mprintf("SELECT rowid, tokens(%s) FROM %s(fts5_insttoken(%Q)) "
      "ORDER BY rowid DESC", table, table, queries[i]);
    run(sql);
    sqlite3_free(sql);
  }
}

static void fill(const char *options) {
  char *sql = sqlite3_mprintf("CREATE VIRTUAL TABLE t USING fts5(a, b%s)", options);
  run(sql);
  sqlite3_free(sql);
  run("INSERT INTO t(rowid, a, b) VALUES(1, 'One two Three', 'TWO'), (2, 'twofold Twos', 'one')");
  run("INSERT INTO t(rowid, a, b) VALUES(3, 'FOUR', 'Five twofold'), (4, 'twist Two three', '')");
  int isFull = !strstr(options, "detail");
  ask("t", isFull);
  run("INSERT INTO t(t, rank) VALUES('insttoken', 1)");
  if (isFull) ask("t", isFull);
  run("DROP TABLE t");
}

int main(void) {
  sqlite3_open(":memory:", &db);
  fts5_api *interface = search_api(db);
  fts5_tokenizer cased = {create_cased, delete_cased, cut_cased};
  interface->xCreateTokenizer(interface, "cased", 0, &cased, 0);
  interface->xCreateFunction(interface, "tokens", 0, tokens, 0);
  fill("");
  fill(", prefix='1 2'");
  fill(", content=''");
  fill(", content='', contentless_delete=1, prefix=2");
  fill(", detail=column");
  fill(", detail=none");
  fill(", tokenize='cased', tokendata=1");
  fill(", tokenize='cased s', tokendata=1");
  fill(", tokenize='cased s'");
  fill(", tokenize='cased', tokendata=1, content='', prefix=1");
  fill(", tokenize='cased', tokendata=1, detail=column");
  fill(", tokenize='cased', tokendata=1, detail=none");
  run("CREATE TABLE c(a, b)");
  run("INSERT INTO c(rowid, a, b) VALUES(1, 'one two', 'three'), (2, 'twenty', 'twofold')");
  run("CREATE VIRTUAL TABLE t USING fts5(a, b, content=c)");
  run("INSERT INTO t(t) VALUES('rebuild')");
  run("UPDATE c SET a = 'something else twice', b = ''");
  ask("t", 1);
  printf("closed %d\n", sqlite3_close(db));
  return 0;
}
