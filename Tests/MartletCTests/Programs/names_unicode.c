/* Names are the same where their bytes are, but for the case of ASCII letters: neither other letters
** nor the forms in which Unicode writes one letter count. */
#define SQLITE_ENABLE_SESSION 1
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#include <stdio.h>
#include <string.h>
#include "sqlite3.h"

#define CAPITAL "\xc3\x89"
#define SMALL "\xc3\xa9"
#define TWO "e\xcc\x81" /* SMALL, by a letter and a combining accent */

static int print(void *unused, int count, char **values, char **names) {
  int i;
  for (i = 0; i < count; i++) printf("%s%s", i ? "|" : "  ", values[i] ? values[i] : "NULL");
  printf("\n");
  return 0;
}

static void run(sqlite3 *db, const char *sql) {
  char *message = 0;
  int code = sqlite3_exec(db, sql, print, 0, &message);
  printf("%s: %d %s\n", sql, code, message ? message : "");
  sqlite3_free(message);
}

static int forwards(void *unused, int n, const void *a, int m, const void *b) {
  int order = memcmp(a, b, n < m ? n : m);
  return order ? order : n - m;
}

static int backwards(void *unused, int n, const void *a, int m, const void *b) {
  return -forwards(0, n, a, m, b);
}

static void collations(void) {
  sqlite3 *db;
  int round;
  remove("names_unicode.db");
  for (round = 0; round < 3; round++) {
    printf("round %d\n", round);
    sqlite3_open("names_unicode.db", &db);
    if (round == 0) sqlite3_create_collation(db, CAPITAL, SQLITE_UTF8, 0, forwards);
    sqlite3_create_collation(db, SMALL, SQLITE_UTF8, 0, backwards);
    if (round == 1) sqlite3_create_collation(db, CAPITAL, SQLITE_UTF8, 0, forwards);
    if (round == 0) {
      run(db, "CREATE TABLE c(x COLLATE " CAPITAL " UNIQUE)");
      run(db, "CREATE TABLE k(x COLLATE " SMALL ")");
      run(db, "INSERT INTO c VALUES('a'), ('b'), ('c')");
      run(db, "INSERT INTO k VALUES('a'), ('b'), ('c')");
    }
    run(db, "SELECT x FROM c WHERE x > 'b'");
    run(db, "SELECT x FROM k ORDER BY x");
    run(db, "INSERT INTO c VALUES('a')");
    run(db, "SELECT x FROM k ORDER BY x COLLATE " TWO);
    if (round < 2) run(db, "PRAGMA integrity_check");
    sqlite3_close(db);
  }
  remove("names_unicode.db");
}

static void parameters(sqlite3 *db) {
  sqlite3_stmt *statement;
  run(db, "CREATE TABLE t(a, b)");
  sqlite3_prepare_v2(db, "INSERT INTO t VALUES(:" SMALL ", :" TWO ")", -1, &statement, 0);
  sqlite3_bind_int(statement, sqlite3_bind_parameter_index(statement, ":" SMALL), 1);
  sqlite3_bind_int(statement, sqlite3_bind_parameter_index(statement, ":" TWO), 2);
  sqlite3_step(statement);
  sqlite3_finalize(statement);
  run(db, "SELECT * FROM t");
}

static void databases(sqlite3 *db) {
  run(db, "ATTACH ':memory:' AS " SMALL);
  run(db, "ATTACH ':memory:' AS " TWO);
  printf("%s %d\n", strcmp(sqlite3_db_name(db, 3), TWO) ? "another" : "its own",
         sqlite3_db_readonly(db, CAPITAL));
  printf("%d %d\n", sqlite3_db_readonly(db, SMALL), sqlite3_db_readonly(db, TWO));
  printf("%d\n", sqlite3_txn_state(db, CAPITAL));
}

static void data(sqlite3 *db) {
  sqlite3_set_clientdata(db, SMALL, "one", 0);
  sqlite3_set_clientdata(db, TWO, "two", 0);
  printf("%s %s\n", (char *)sqlite3_get_clientdata(db, SMALL),
         (char *)sqlite3_get_clientdata(db, TWO));
}

/* A handler of conflicts that is not there is not called where there are none. */
static void sessions(void) {
  sqlite3 *db, *other;
  sqlite3_session *session;
  int size;
  void *bytes;
  const char *tables =
      "CREATE TABLE " SMALL "(a INTEGER PRIMARY KEY, b);"
      "CREATE TABLE " TWO "(a INTEGER PRIMARY KEY, b)";
  sqlite3_open(":memory:", &db);
  sqlite3_open(":memory:", &other);
  sqlite3_exec(db, tables, 0, 0, 0);
  sqlite3_exec(other, tables, 0, 0, 0);
  sqlite3session_create(db, "main", &session);
  sqlite3session_attach(session, 0);
  run(db, "INSERT INTO " SMALL " VALUES(1, 'one'); INSERT INTO " TWO " VALUES(1, 'two')");
  sqlite3session_changeset(session, &size, &bytes);
  printf("applied: %d\n", sqlite3changeset_apply(other, size, bytes, 0, 0, 0));
  run(other, "SELECT b FROM " SMALL);
  run(other, "SELECT b FROM " TWO);
  sqlite3_free(bytes);
  sqlite3session_delete(session);
  sqlite3_close(db);
  sqlite3_close(other);
}

static int endedCount;

static void ended(void *name) {
  if (endedCount++ == 0) printf("ended: %s\n", (char *)name);
}

static void call(sqlite3_context *context, int count, sqlite3_value **values) {
  sqlite3_result_text(context, sqlite3_user_data(context), -1, SQLITE_STATIC);
}

/* Functions whose names Unicode takes as equal; one goes when it is replaced, or at the end. */
static void functions(void) {
  const char *names[] = {SMALL, TWO, CAPITAL, "k", "\xe2\x84\xaa", SMALL};
  const char *data[] = {"small", "two", "capital", "k", "kelvin", "small again"};
  sqlite3 *db;
  sqlite3_open(":memory:", &db);
  for (int i = 0; i < 6; i++)
    sqlite3_create_function_v2(db, names[i], 0, SQLITE_UTF8, (void *)data[i], call, 0, 0, ended);
  run(db, "SELECT group_concat(x, ' ') FROM (SELECT " SMALL "() AS x UNION ALL SELECT " TWO
          "() UNION ALL SELECT " CAPITAL "() UNION ALL SELECT k())");
  run(db, "SELECT \xe2\x84\xaa()");
  printf("%d ended\n", endedCount);
  sqlite3_close(db);
  printf("%d ended\n", endedCount);
}

/* Bytes that are no text, in options of tokenizers and in messages. */
static void bytes(sqlite3 *db) {
  const char *options[] = {"\xff", "\x80", "a\xe9z", "\xf4\x8f\xbe\x80"};
  const char *forms[] = {"CREATE VIRTUAL TABLE f USING fts4(c, tokenize=unicode61 \"%s=%s\")",
                         "CREATE VIRTUAL TABLE f USING fts5(c, tokenize='unicode61 %s ''%s''')"};
  char text[400];
  for (int i = 0; i < 16; i++) {
    const char *option = options[i % 4];
    int isFive = i & 4;
    snprintf(text, sizeof text, forms[isFive != 0], i & 8 ? "separators" : "tokenchars", option);
    run(db, text);
    snprintf(text, sizeof text, "INSERT INTO f VALUES('one x%sy \xef\xbf\xbd" "b two')", option);
    run(db, text);
    run(db, isFive ? "CREATE VIRTUAL TABLE v USING fts5vocab(f, row)"
                   : "CREATE VIRTUAL TABLE v USING fts4aux(f)");
    run(db, "SELECT DISTINCT hex(term) FROM v ORDER BY 1");
    run(db, "DROP TABLE v; DROP TABLE f");
  }
  run(db, "SELECT * FROM \"x\xff\"");
  run(db, "ATTACH '/nowhere/x\xff' AS y");
}

int main(void) {
  sqlite3 *db;
  collations();
  functions();
  sqlite3_open(":memory:", &db);
  parameters(db);
  databases(db);
  data(db);
  bytes(db);
  sqlite3_close(db);
  sessions();
  return 0;
}
