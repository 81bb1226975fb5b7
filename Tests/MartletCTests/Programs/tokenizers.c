/* FTS3 and FTS4: tokenizers of the program, and the library's own for the program (fts3 §8.1). */
#include <fts3_tokenizer.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sqlite3 *db;
static int opened, closed;

static void show(sqlite3_stmt *statement) {
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
      printf(i ? "|" : "  ");
      if (sqlite3_column_type(statement, i) == SQLITE_BLOB)
        printf("blob of %d", sqlite3_column_bytes(statement, i));
      else
        printf("%s", (const char *)sqlite3_column_text(statement, i));
    }
    printf("\n");
  }
  if (code != SQLITE_DONE) printf("  %d %s\n", sqlite3_extended_errcode(db), sqlite3_errmsg(db));
}

static void run(const char *sql) {
  sqlite3_stmt *statement = 0;
  printf("%s\n", sql);
  if (sqlite3_prepare_v2(db, sql, -1, &statement, 0) == SQLITE_OK)
    show(statement);
  else
    printf("  %d %s\n", sqlite3_extended_errcode(db), sqlite3_errmsg(db));
  sqlite3_finalize(statement);
}

static void set(const char *what, const char *name, const void *blob, int size) {
  sqlite3_stmt *statement = 0;
  printf("%s\n", what);
  sqlite3_prepare_v2(db, "SELECT fts3_tokenizer(?1, ?2)", -1, &statement, 0);
  sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
  sqlite3_bind_blob(statement, 2, blob, size, SQLITE_STATIC);
  show(statement);
  sqlite3_finalize(statement);
}

static const sqlite3_tokenizer_module *get(const char *name) {
  const sqlite3_tokenizer_module *module = 0;
  sqlite3_stmt *statement = 0;
  sqlite3_prepare_v2(db, "SELECT fts3_tokenizer(?1)", -1, &statement, 0);
  sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
  if (sqlite3_step(statement) == SQLITE_ROW &&
      sqlite3_column_type(statement, 0) == SQLITE_BLOB)
    memcpy(&module, sqlite3_column_blob(statement, 0), sizeof module);
  else
    printf("  %d %s\n", sqlite3_extended_errcode(db), sqlite3_errmsg(db));
  sqlite3_finalize(statement);
  return module;
}

/* A tokenizer: words of letters; "the" takes a place without being a token. In language 2 words
   begin with "x", and there is no language 9. Some words say what goes wrong. */
struct words { sqlite3_tokenizer base; int count; };
struct place {
  sqlite3_tokenizer_cursor base;
  const char *text;
  int size, offset, position, language;
  char token[64];
};

static int create_words(int count, const char *const *words, sqlite3_tokenizer **result) {
  printf("  words begin:");
  for (int i = 0; i < count; i++) printf(" [%s]", words[i]);
  printf("\n");
  for (int i = 0; i < count; i++)
    if (!strcmp(words[i], "bad")) return SQLITE_MISMATCH;
  struct words *made = calloc(1, sizeof *made);
  made->count = count;
  *result = &made->base;
  return SQLITE_OK;
}

static int destroy_words(sqlite3_tokenizer *tokenizer) {
  printf("  words end: %d\n", ((struct words *)tokenizer)->count);
  free(tokenizer);
  return SQLITE_OK;
}

static int open_words(sqlite3_tokenizer *tokenizer, const char *text, int size,
    sqlite3_tokenizer_cursor **result) {
  (void)tokenizer;
  if (size < 0) size = text ? (int)strlen(text) : 0;
  if (size >= 7 && !memcmp(text, "no open", 7)) return SQLITE_PERM;
  struct place *made = calloc(1, sizeof *made);
  made->text = text;
  made->size = size;
  *result = &made->base;
  opened++;
  return SQLITE_OK;
}

static int close_words(sqlite3_tokenizer_cursor *cursor) {
  closed++;
  free(cursor);
  return SQLITE_OK;
}

static int is_letter(char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }

static int next_word(sqlite3_tokenizer_cursor *cursor, const char **token, int *size, int *start,
    int *end, int *position) {
  struct place *own = (struct place *)cursor;
  for (;;) {
    while (own->offset < own->size && !is_letter(own->text[own->offset])) own->offset++;
    if (own->offset >= own->size) return SQLITE_DONE;
    int count = 0, first = own->offset;
    if (own->language == 2) own->token[count++] = 'x';
    while (own->offset < own->size && is_letter(own->text[own->offset]) && count < 60)
      own->token[count++] = own->text[own->offset++] | 32;
    own->token[count] = 0;
    own->position++;
    if (!strcmp(own->token, "the")) continue;
    if (!strcmp(own->token, "fail")) return SQLITE_IOERR;
    *token = own->token;
    *size = strcmp(own->token, "nothing") ? count : 0;
    *start = first;
    *end = own->offset;
    *position = strcmp(own->token, "before") ? own->position - 1 : -5;
    return SQLITE_OK;
  }
}

static int language_of_words(sqlite3_tokenizer_cursor *cursor, int language) {
  struct place *own = (struct place *)cursor;
  own->language = language;
  return language == 9 ? SQLITE_RANGE : SQLITE_OK;
}

static const sqlite3_tokenizer_module words = {
  1, create_words, destroy_words, open_words, close_words, next_word, language_of_words,
};
static const sqlite3_tokenizer_module old_words = {
  0, create_words, destroy_words, open_words, close_words, next_word, 0,
};

/* Cuts a text with a tokenizer of the library's. */
static void cut(const char *name, int count, const char *const *arguments, const char *text,
    int size) {
  const sqlite3_tokenizer_module *module = get(name);
  sqlite3_tokenizer *tokenizer = 0;
  sqlite3_tokenizer_cursor *cursor = 0;
  if (!module) return;
  printf("%s, %d arguments, version %d\n", name, count, module->iVersion);
  int code = module->xCreate(count, arguments, &tokenizer);
  if (code != SQLITE_OK) {
    printf("  create: %d\n", code);
    return;
  }
  tokenizer->pModule = module;
  code = module->xOpen(tokenizer, text, size, &cursor);
  if (code == SQLITE_OK) {
    const char *token;
    int bytes, start, end, position;
    cursor->pTokenizer = tokenizer;
    while ((code = module->xNext(cursor, &token, &bytes, &start, &end, &position)) == SQLITE_OK)
      printf("  %.*s %d..%d %d\n", bytes, token, start, end, position);
    printf("  then %d\n", code);
    printf("  close %d\n", module->xClose(cursor));
  }
  printf("  destroy %d\n", module->xDestroy(tokenizer));
}

static void functions(void) {
  const sqlite3_tokenizer_module *module = &words;
  run("SELECT typeof(fts3_tokenizer('simple')), typeof(fts3_tokenizer('porter'))");
  run("SELECT fts3_tokenizer('none')");
  run("SELECT fts3_tokenizer('SIMPLE')");
  run("SELECT fts3_tokenizer(NULL)");
  run("SELECT fts3_tokenizer('words', x'0102030405060708')");
  run("CREATE VIEW v AS SELECT fts3_tokenizer('simple')");
  run("SELECT * FROM v");
  printf("simple: %s\n", get("simple") ? "there" : "not there");
  printf("none: %s\n", get("none") ? "there" : "not there");
  set("too short", "words", &module, 7);
  set("no name", 0, &module, sizeof module);
  set("empty", "words", "", 0);
  set("words", "words", &module, sizeof module);
  printf("the same: %d\n", get("words") == &words);
  printf("Words: %s\n", get("Words") ? "there" : "not there");
  module = &old_words;
  set("other words", "words", &module, sizeof module);
  printf("the other: %d\n", get("words") == &old_words);
  set("old", "old", &module, sizeof module);
  module = &words;
  set("words again", "words", &module, sizeof module);
}

static void tables(void) {
  run("CREATE VIRTUAL TABLE t USING fts4(a, b, tokenize=words one \"two three\")");
  run("INSERT INTO t VALUES('The cat sat on the mat', 'a dog and the cat'),"
      "('cat; the dog', 'mat, the mat'), ('THE END', NULL)");
  run("SELECT docid, offsets(t) FROM t WHERE t MATCH 'cat'");
  run("SELECT docid, offsets(t) FROM t WHERE t MATCH '\"on mat\"'");
  run("SELECT docid, offsets(t) FROM t WHERE t MATCH '\"on the mat\"'");
  run("SELECT docid, offsets(t) FROM t WHERE t MATCH 'cat NEAR/1 dog'");
  run("SELECT docid, snippet(t, '[', ']', '...', -1, 3) FROM t WHERE t MATCH 'mat'");
  run("SELECT docid, snippet(t, '[', ']', '...', 0, 2) FROM t WHERE t MATCH 'mat OR sat'");
  run("SELECT docid, snippet(t, '[', ']', '...', -1, -2) FROM t WHERE t MATCH 'cat dog'");
  run("SELECT docid, hex(matchinfo(t, 'pcnalx')) FROM t WHERE t MATCH 'cat'");
  run("SELECT docid FROM t WHERE t MATCH 'the'");
  run("SELECT docid FROM t WHERE t MATCH 'the end'");
  run("SELECT docid FROM t WHERE t MATCH 'a:ma* OR b:^a'");
  run("SELECT docid, hex(size) FROM t_docsize");
  run("SELECT id, hex(value) FROM t_stat");
  run("SELECT level, idx, hex(root) FROM t_segdir");
  run("INSERT INTO t(t) VALUES('integrity-check')");
  run("UPDATE t SET a = 'the the last of all cats' WHERE docid = 2");
  run("INSERT INTO t(t) VALUES('rebuild')");
  run("INSERT INTO t(t) VALUES('integrity-check')");
  run("SELECT docid, offsets(t) FROM t WHERE t MATCH 'last'");
  run("INSERT INTO t VALUES('one two fail three', '')");
  run("INSERT INTO t VALUES('one nothing three', '')");
  run("INSERT INTO t VALUES('one before three', '')");
  run("INSERT INTO t VALUES('no open', '')");
  run("SELECT docid FROM t WHERE t MATCH 'fail'");
  run("SELECT docid FROM t WHERE t MATCH 'no open'");
  run("SELECT docid, a FROM t");
  run("DROP TABLE t");
  run("CREATE VIRTUAL TABLE t USING fts3(a, tokenize=words bad)");
  run("CREATE VIRTUAL TABLE t USING fts3(a, tokenize=Words)");
}

static void languages(void) {
  run("CREATE VIRTUAL TABLE l USING fts4(a, languageid=lid, tokenize=words)");
  run("INSERT INTO l(a, lid) VALUES('some words', 0), ('some other words', 2)");
  run("INSERT INTO l(a, lid) VALUES('some words', 9)");
  run("SELECT docid, offsets(l) FROM l WHERE l MATCH 'some'");
  run("SELECT docid, offsets(l) FROM l WHERE l MATCH 'some' AND lid = 2");
  run("SELECT docid, snippet(l) FROM l WHERE l MATCH 'other words' AND lid = 2");
  run("SELECT docid FROM l WHERE l MATCH 'xsome' AND lid = 0");
  run("SELECT docid FROM l WHERE l MATCH 'some' AND lid = 9");
  run("SELECT docid FROM l WHERE l MATCH 'some' AND lid = 1");
  run("CREATE VIRTUAL TABLE l_terms USING fts4aux(l)");
  run("SELECT term, documents FROM l_terms WHERE col = '*' AND languageid = 2");
  run("INSERT INTO l(l) VALUES('integrity-check')");
  run("DROP TABLE l_terms");
  run("DROP TABLE l");
  run("CREATE VIRTUAL TABLE l USING fts4(a, languageid=lid, tokenize=old)");
  run("INSERT INTO l(a, lid) VALUES('some words', 0), ('some other words', 9)");
  run("SELECT docid FROM l WHERE l MATCH 'some' AND lid = 9");
  run("DROP TABLE l");
  run("CREATE VIRTUAL TABLE k USING fts3tokenize(words, one, 'two three')");
  run("SELECT token, start, end, position FROM k WHERE input = 'The cat and the dog'");
  run("SELECT token FROM k WHERE input = 'one fail two'");
  run("SELECT token FROM k WHERE input = 'no open'");
  run("DROP TABLE k");
  run("CREATE VIRTUAL TABLE k USING fts3tokenize(words, bad)");
}

static void enabled(void) {
  const sqlite3_tokenizer_module *module = &old_words;
  char sql[200];
  int isOn = -1;
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, -1, &isOn);
  printf("enabled: %d\n", isOn);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 1, &isOn);
  printf("enabled: %d\n", isOn);
  run("SELECT typeof(fts3_tokenizer('simple')), length(fts3_tokenizer('words'))");
  unsigned char bytes[sizeof module];
  memcpy(bytes, &module, sizeof module);
  strcpy(sql, "SELECT length(fts3_tokenizer('literal', x'");
  for (size_t i = 0; i < sizeof module; i++) sprintf(sql + strlen(sql), "%02x", bytes[i]);
  strcat(sql, "'))");
  sqlite3_stmt *statement = 0;
  sqlite3_prepare_v2(db, sql, -1, &statement, 0);
  show(statement);
  sqlite3_finalize(statement);
  printf("the same: %d\n", get("literal") == &old_words);
  run("SELECT fts3_tokenizer('words', x'01')");
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, &isOn);
  printf("enabled: %d\n", isOn);
  run("SELECT typeof(fts3_tokenizer('simple'))");
}

static void ours(void) {
  const char *options[] = {"tokenchars=-", "remove_diacritics=0"}, *wrong[] = {"nonsense"};
  const char *delimiters[] = {"x", "aeiou"};
  cut("simple", 0, 0, "Some words, and more of THEM.", -1);
  cut("simple", 0, 0, "Some words, and more of THEM.", 8);
  cut("simple", 2, delimiters, "Some words", -1);
  cut("porter", 0, 0, "relational running 123", -1);
  cut("unicode61", 0, 0, "\xc3\x89t\xc3\xa9 well-known", -1);
  cut("unicode61", 2, options, "\xc3\x89t\xc3\xa9 well-known", -1);
  cut("unicode61", 1, wrong, "x", -1);
  cut("simple", 0, 0, "", 0);
  cut("simple", 0, 0, 0, 0);
}

static void replaced(void) {
  const sqlite3_tokenizer_module *module = &words;
  run("CREATE VIRTUAL TABLE first USING fts3(a)");
  run("INSERT INTO first VALUES('the 1st')");
  set("simple", "simple", &module, sizeof module);
  run("SELECT docid FROM first WHERE first MATCH 'the'");
  run("CREATE VIRTUAL TABLE second USING fts3(a)");
  run("INSERT INTO second VALUES('the 1st')");
  run("SELECT docid FROM second WHERE second MATCH 'the'");
  run("SELECT docid, offsets(second) FROM second WHERE second MATCH 'st'");
  run("SELECT token FROM fts3tokenize WHERE input = 'the 2nd'");
}

int main(void) {
  sqlite3_open(":memory:", &db);
  functions();
  tables();
  languages();
  enabled();
  ours();
  replaced();
  printf("close: %d\n", sqlite3_close(db));
  printf("all closed: %d\n", opened == closed && opened > 0);
  return 0;
}
