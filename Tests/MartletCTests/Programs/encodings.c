/* Encodings that are chosen twice, that come with other bytes, and that a question for bytes must not change; a
   statement of the old interface that cannot be compiled again; one number of threads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "show.h"

static void choose(const char *first, const char *second) {
  char sql[100];
  sqlite3 *db;
  sqlite3_open(":memory:", &db);
  printf("%s, then %s\n", first, second);
  snprintf(sql, sizeof sql, "PRAGMA encoding = '%s'; PRAGMA encoding = '%s'", first, second);
  sqlite3_exec(db, sql, 0, 0, 0);
  show(db, "CREATE TABLE t(x)");
  show(db, "INSERT INTO t VALUES('ab')");
  show(db, "PRAGMA encoding");
  show(db, "SELECT hex(CAST(x AS BLOB)) FROM t");
  sqlite3_close(db);
}

/* A database in UTF-8 takes the place of one in another encoding. */
static void replace(const char *encoding) {
  static const char make[] = "CREATE TABLE t(x, y DEFAULT 'xy'); INSERT INTO t(x) VALUES('hello')";
  sqlite3_int64 size;
  unsigned char *bytes;
  char sql[100];
  sqlite3 *db;
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db, make, 0, 0, 0);
  bytes = sqlite3_serialize(db, "main", &size, 0);
  sqlite3_close(db);
  sqlite3_open(":memory:", &db);
  snprintf(sql, sizeof sql, "PRAGMA encoding = '%s'; CREATE TABLE z(x); INSERT INTO z VALUES('abc')", encoding);
  sqlite3_exec(db, sql, 0, 0, 0);
  printf("UTF-8 in the place of %s: %d\n", encoding, sqlite3_deserialize(db, "main", bytes, size, size,
      SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE));
  show(db, "PRAGMA encoding");
  show(db, "SELECT x || y FROM t WHERE x LIKE 'H%'");
  show(db, "INSERT INTO t(x) VALUES('more')");
  show(db, "SELECT upper(x) FROM t ORDER BY x");
  sqlite3_close(db);
}

static void ask(const char *encoding) {
  char sql[100];
  sqlite3 *db;
  sqlite3_stmt *statement;
  sqlite3_value *value;
  sqlite3_open(":memory:", &db);
  snprintf(sql, sizeof sql, "PRAGMA encoding = '%s'; CREATE TABLE t(x); INSERT INTO t VALUES('ab')", encoding);
  sqlite3_exec(db, sql, 0, 0, 0);
  sqlite3_prepare_v2(db, "SELECT x FROM t", -1, &statement, 0);
  sqlite3_step(statement);
  value = sqlite3_column_value(statement, 0);
  printf("%s: %d", encoding, sqlite3_value_encoding(value));
  printf(" %d", sqlite3_column_bytes16(statement, 0));
  printf(" %d", sqlite3_value_encoding(value));
  printf(" %d", ((const char *)sqlite3_column_blob(statement, 0))[0]);
  printf(" %d\n", sqlite3_value_encoding(value));
  sqlite3_finalize(statement);
  sqlite3_close(db);
}

int main(void) {
  static const char *const names[] = { "UTF-8", "UTF-16le", "UTF-16be" };
  unsigned first, second;
  sqlite3 *db;
  sqlite3_stmt *statement;
  for (first = 0; first < 3; first++)
    for (second = 0; second < 3; second++) choose(names[first], names[second]);
  for (first = 1; first < 3; first++) replace(names[first]);
  for (first = 0; first < 3; first++) ask(names[first]);

  sqlite3_open(":memory:", &db);
  sqlite3_exec(db, "CREATE TABLE t(a)", 0, 0, 0);
  sqlite3_prepare(db, "SELECT * FROM t", -1, &statement, 0);
  sqlite3_step(statement);
  sqlite3_reset(statement);
  sqlite3_exec(db, "DROP TABLE t", 0, 0, 0);
  printf("old interface: %d", sqlite3_step(statement));
  printf(" %d", sqlite3_reset(statement) != SQLITE_OK);
  printf(" %s\n", strcmp(sqlite3_errmsg(db), "SQL logic error") ? "says why" : "says nothing");
  sqlite3_finalize(statement);

  show(db, "PRAGMA threads = 5");
  printf("limit %d", sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 3));
  printf(" %d\n", sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, -1));
  show(db, "PRAGMA threads");
  show(db, "PRAGMA threads = 100");
  sqlite3_close(db);
  return 0;
}
