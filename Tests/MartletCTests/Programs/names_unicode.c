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

int main(void) {
  sqlite3 *db;
  collations();
  sqlite3_open(":memory:", &db);
  parameters(db);
  databases(db);
  data(db);
  sqlite3_close(db);
  sessions();
  return 0;
}
