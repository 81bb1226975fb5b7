/* FTS5: tokenizers and auxiliary functions of the program (fts5 §7). */
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

/* A tokenizer: letters are tokens, and with "twice" each has its capital beside it. */
struct letters { int twice; };

static int create_letters(void *user, const char **words, int count, Fts5Tokenizer **result) {
  struct letters *made = malloc(sizeof *made);
  printf("  letters begin: %s, %d words\n", (const char *)user, count);
  for (int i = 0; i < count; i++) {
    if (strcmp(words[i], "twice")) { free(made); return SQLITE_ERROR; }
  }
  made->twice = count > 0;
  *result = (Fts5Tokenizer *)made;
  return SQLITE_OK;
}

static void delete_letters(Fts5Tokenizer *tokenizer) { free(tokenizer); }

static int cut_letters(Fts5Tokenizer *tokenizer, void *context, int flags, const char *text, int size,
    int (*take)(void *, int, const char *, int, int, int)) {
  struct letters *own = (struct letters *)tokenizer;
  (void)flags;
  for (int i = 0; i < size; i++) {
    if (text[i] < 'a' || text[i] > 'z') continue;
    int code = take(context, 0, text + i, 1, i, i + 1);
    if (code == SQLITE_OK && own->twice) {
      char capital = text[i] - 32;
      code = take(context, FTS5_TOKEN_COLOCATED, &capital, 1, i, i + 1);
    }
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

static void end_user(void *user) { printf("  end of %s\n", (const char *)user); }

static int count_token(void *context, int flags, const char *token, int size, int start, int end) {
  (void)token; (void)size; (void)start; (void)end;
  if (!(flags & FTS5_TOKEN_COLOCATED)) ++*(int *)context;
  return SQLITE_OK;
}

static int count_row(const Fts5ExtensionApi *x, Fts5Context *context, void *user) {
  sqlite3_int64 *sums = user;
  int instances = 0;
  x->xInstCount(context, &instances);
  sums[0]++;
  sums[1] += x->xRowid(context);
  sums[2] += instances;
  return sums[0] == 2 ? SQLITE_DONE : SQLITE_OK;
}

/* Tells all that there is to be told of a match. */
static void tell(const Fts5ExtensionApi *x, Fts5Context *context, sqlite3_context *result, int count,
    sqlite3_value **values) {
  sqlite3_str *out = sqlite3_str_new(0);
  sqlite3_int64 rows = 0, tokens = 0, sums[3] = {0, 0, 0};
  int columns = x->xColumnCount(context), phrases = x->xPhraseCount(context), code, instances = 0;
  sqlite3_str_appendf(out, "v%d %s args%d", x->iVersion, (const char *)x->xUserData(context), count);
  if (count) sqlite3_str_appendf(out, "=%s", (const char *)sqlite3_value_text(values[0]));
  code = x->xRowCount(context, &rows);
  sqlite3_str_appendf(out, " rows%d:%lld", code, rows);
  code = x->xColumnTotalSize(context, -1, &tokens);
  sqlite3_str_appendf(out, " total%d:%lld", code, tokens);
  code = x->xColumnTotalSize(context, columns, &tokens);
  sqlite3_str_appendf(out, " beyond%d rowid%lld", code, x->xRowid(context));
  for (int i = 0; i <= columns; i++) {
    const char *text = 0;
    int size = 0, tokenCount = -1, cut = 0;
    code = x->xColumnText(context, i, &text, &size);
    sqlite3_str_appendf(out, " [%d:%.*s", code, text ? size : 0, text ? text : "");
    if (text) x->xTokenize(context, text, size, &cut, count_token);
    code = x->xColumnSize(context, i, &tokenCount);
    sqlite3_str_appendf(out, " size%d:%d cut%d]", code, tokenCount, cut);
  }
  for (int i = 0; i < phrases; i++) {
    Fts5PhraseIter iterator;
    int column = 0, offset = 0, size = 0;
    const char *token = 0;
    code = x->xQueryToken(context, i, 0, &token, &size);
    sqlite3_str_appendf(out, " phrase%d size%d token%d:%.*s", i, x->xPhraseSize(context, i), code,
      size, token ? token : "");
    for (code = x->xPhraseFirst(context, i, &iterator, &column, &offset); column >= 0;
        x->xPhraseNext(context, &iterator, &column, &offset))
      sqlite3_str_appendf(out, " %d.%d", column, offset);
    for (code = x->xPhraseFirstColumn(context, i, &iterator, &column); column >= 0;
        x->xPhraseNextColumn(context, &iterator, &column))
      sqlite3_str_appendf(out, " c%d", column);
    code = x->xQueryPhrase(context, i, sums, count_row);
    sqlite3_str_appendf(out, " query%d:%lld,%lld,%lld", code, sums[0], sums[1], sums[2]);
    sums[0] = 0;
  }
  x->xInstCount(context, &instances);
  for (int i = 0; i <= instances; i++) {
    int phrase = -1, column = -1, offset = -1;
    code = x->xInst(context, i, &phrase, &column, &offset);
    if (code) sqlite3_str_appendf(out, " inst%d", code);
    else sqlite3_str_appendf(out, " inst%d.%d.%d", phrase, column, offset);
  }
  int *calls = x->xGetAuxdata(context, 0);
  if (!calls) {
    calls = calloc(1, sizeof *calls);
    x->xSetAuxdata(context, calls, free);
  }
  sqlite3_str_appendf(out, " call%d", ++*calls);
  sqlite3_result_text(result, sqlite3_str_finish(out), -1, sqlite3_free);
}

/* The tokens of the row that were found. */
static void tokens(const Fts5ExtensionApi *x, Fts5Context *context, sqlite3_context *result,
    int count, sqlite3_value **values) {
  sqlite3_str *out = sqlite3_str_new(0);
  int instances = 0;
  (void)count; (void)values;
  x->xInstCount(context, &instances);
  for (int i = 0; i < instances; i++) {
    int phrase, column, offset;
    x->xInst(context, i, &phrase, &column, &offset);
    for (int j = 0; j < x->xPhraseSize(context, phrase); j++) {
      const char *token = 0;
      int size = 0, code = x->xInstToken(context, i, j, &token, &size);
      sqlite3_str_appendf(out, " %d.%d.%d %d:%.*s", phrase, column, offset + j, code, size,
        token ? token : "");
    }
  }
  sqlite3_result_text(result, sqlite3_str_finish(out), -1, sqlite3_free);
}

static void fail(const Fts5ExtensionApi *x, Fts5Context *context, sqlite3_context *result, int count,
    sqlite3_value **values) {
  (void)x; (void)context; (void)count; (void)values;
  sqlite3_result_error(result, "no, thanks", -1);
}

static void offset_of(const Fts5ExtensionApi *x, Fts5Context *context, sqlite3_context *result,
    int count, sqlite3_value **values) {
  int phrase, column, offset = 99;
  (void)values;
  x->xInst(context, 0, &phrase, &column, &offset);
  sqlite3_result_int(result, offset * (count ? -1 : 1));
}

int main(void) {
  sqlite3_open(":memory:", &db);
  fts5_api *interface = search_api(db);
  printf("version %d\n", interface->iVersion);
  fts5_tokenizer letters = {create_letters, delete_letters, cut_letters};
  static char name[] = "alphabet", told[] = "teller";
  printf("%d\n", interface->xCreateTokenizer(interface, "letters", name, &letters, end_user));
  printf("%d\n", interface->xCreateFunction(interface, "tell", told, tell, end_user));
  printf("%d\n", interface->xCreateFunction(interface, "fail", 0, fail, 0));
  printf("%d\n", interface->xCreateFunction(interface, "offset_of", 0, offset_of, 0));
  run("CREATE VIRTUAL TABLE l USING fts5(a, tokenize='letters')");
  run("CREATE VIRTUAL TABLE m USING fts5(a, tokenize='letters twice')");
  run("CREATE VIRTUAL TABLE n USING fts5(a, tokenize='letters thrice')");
  run("INSERT INTO l VALUES('abc cab'),('xyz')");
  run("INSERT INTO m VALUES('abc cab'),('xyz')");
  run("SELECT rowid, highlight(l, 0, '[', ']') FROM l('ca')");
  run("SELECT rowid, highlight(l, 0, '[', ']') FROM l('A')");
  run("SELECT rowid, highlight(m, 0, '[', ']') FROM m('b')");
  run("CREATE VIRTUAL TABLE v USING fts5vocab(m, instance)");
  run("SELECT * FROM v");
  run("CREATE VIRTUAL TABLE t USING fts5(a, b)");
  run("INSERT INTO t VALUES('one two three', 'two'),('two two', 'one'),('four', 'five'),('two','')");
  run("SELECT tell(t) FROM t('two')");
  run("SELECT tell(t, 'x') FROM t('one OR \"two two\"') ORDER BY rank");
  run("SELECT tell(t, rowid) FROM t('b : two AND thr*')");
  run("SELECT tell(t) FROM t LIMIT 1");
  run("SELECT fail(t) FROM t('two')");
  run("SELECT tell(1)");
  run("SELECT rowid, rank FROM t('two', 'offset_of()') ORDER BY rank");
  run("SELECT rowid, rank FROM t('two', 'offset_of(1)') ORDER BY rank");
  run("SELECT rowid, rank FROM t('two', 'fail()') ORDER BY rank");
  interface->xCreateFunction(interface, "tokens", 0, tokens, 0);
  run("SELECT tokens(t) FROM t('tw*')");
  run("SELECT tokens(t) FROM t('\"two thr*\" OR f*')");
  run("CREATE VIRTUAL TABLE bare USING fts5(a, b, content='', prefix=1)");
  run("INSERT INTO bare(rowid, a, b) VALUES(1, 'one two three', 'two'),(2, 'twofold twos', 'one')");
  run("INSERT INTO bare(rowid, a, b) VALUES(3, 'four', 'five twofold'),(4, 'twist', '')");
  run("SELECT rowid, tokens(bare) FROM bare('tw*')");
  run("SELECT rowid, tokens(bare) FROM bare(fts5_insttoken('tw* OR f*'))");
  run("SELECT rowid, tokens(bare) FROM bare('t* OR \"five two*\"')");
  run("SELECT rowid, tokens(bare) FROM bare('two') ORDER BY rowid DESC");
  run("SELECT rowid, tokens(bare) FROM bare('tw*') ORDER BY rowid DESC");
  void *user = 0;
  fts5_tokenizer found;
  printf("%d", interface->xFindTokenizer(interface, "letters", &user, &found));
  printf(" %s %d\n", (char *)user, found.xTokenize == cut_letters);
  printf("%d\n", interface->xFindTokenizer(interface, "nothing", &user, &found));
  printf("%d\n", interface->xFindTokenizer(interface, "porter", &user, &found));
  Fts5Tokenizer *porter = 0;
  const char *words[] = {"ascii"};
  int count = 0;
  printf("%d", found.xCreate(user, words, 1, &porter));
  printf(" %d", found.xTokenize(porter, &count, FTS5_TOKENIZE_QUERY, "some words here", 15,
    count_token));
  printf(" %d\n", count);
  found.xDelete(porter);
  fts5_tokenizer_v2 *second = 0;
  printf("%d", interface->xFindTokenizer_v2(interface, "unicode61", &user, &second));
  count = 0;
  printf(" %d", second->xCreate(user, 0, 0, &porter));
  printf(" %d", second->xTokenize(porter, &count, FTS5_TOKENIZE_QUERY, "some words here", 15, 0, 0,
    count_token));
  printf(" %d\n", count);
  second->xDelete(porter);
  printf("closed %d\n", sqlite3_close(db));
  return 0;
}
