/* Files of other applications: functions and collations that are not there, encodings that change, locks
** that are not taken. What does not need them can be read (c3ref/create_collation, uri). */
#include <stdio.h>
#include <string.h>

#include "show.h"

static void one(sqlite3_context *context, int count, sqlite3_value **values) {
  sqlite3_result_int(context, sqlite3_value_int(values[0]) + 1);
}

static int reversed(void *data, int leftCount, const void *left, int rightCount, const void *right) {
  int common = leftCount < rightCount ? leftCount : rightCount;
  int order = memcmp(right, left, common);
  return order ? order : rightCount - leftCount;
}

static int never_equal(void *data, int leftCount, const void *left, int rightCount, const void *right) {
  return leftCount < rightCount ? -1 : 1;
}

static sqlite3 *open_file(const char *name) {
  sqlite3 *db;
  sqlite3_open_v2(name, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, 0);
  return db;
}

/* Each statement on a connection of its own, which has not compiled anything before. */
static void each(const char *const *statements) {
  for (; *statements; statements++) {
    sqlite3 *db = open_file("application.db");
    show(db, *statements);
    sqlite3_close(db);
  }
}

static void make_file(void) {
  sqlite3 *db = open_file("application.db");
  sqlite3_create_function(db, "f", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, 0, one, 0, 0);
  sqlite3_create_collation(db, "rev", SQLITE_UTF8, 0, reversed);
  sqlite3_exec(db,
    "CREATE TABLE p(a INTEGER PRIMARY KEY, b, c); CREATE INDEX p1 ON p(c) WHERE f(b) > 0;"
    "CREATE TABLE e(a INTEGER PRIMARY KEY, b, c); CREATE INDEX e1 ON e(f(b));"
    "CREATE TABLE g(a INTEGER PRIMARY KEY, b, c AS (f(b)));"
    "CREATE TABLE k(a INTEGER PRIMARY KEY, b, c CHECK (f(c) >= 0));"
    "INSERT INTO p VALUES (1, 2, 3), (2, 3, 4); INSERT INTO e SELECT * FROM p;"
    "INSERT INTO g SELECT a, b FROM p; INSERT INTO k SELECT * FROM p;"
    "CREATE TABLE t(a INTEGER PRIMARY KEY, b COLLATE rev, c, d);"
    "CREATE INDEX tb ON t(b); CREATE INDEX tc ON t(c COLLATE rev); CREATE INDEX td ON t(d);"
    "INSERT INTO t VALUES (1, 'abc', 'aa', 'q'), (2, 'b', 'ab', 'r'), (3, NULL, 'B', 's');"
    "CREATE TABLE w(a COLLATE rev PRIMARY KEY, b) WITHOUT ROWID; INSERT INTO w VALUES ('x', 1)", 0, 0, 0);
  sqlite3_close(db);
}

static const char *const with_function[] = {
  "SELECT b FROM p", "SELECT count(*) FROM p", "SELECT a FROM p WHERE c = 3", "SELECT b FROM p ORDER BY c",
  "UPDATE p SET b = b", "UPDATE p SET c = c WHERE a = 1", "DELETE FROM p WHERE a = 77",
  "INSERT INTO p VALUES (9, 9, 9)", "PRAGMA quick_check(p)", "PRAGMA integrity_check(p)", "ANALYZE p",
  "SELECT b FROM e", "SELECT a FROM e WHERE b = 2", "UPDATE e SET c = 0", "DELETE FROM e", "REINDEX e",
  "SELECT b FROM g", "SELECT c FROM g", "SELECT * FROM g", "UPDATE g SET b = b", "INSERT INTO g VALUES (7, 7)",
  "SELECT c FROM k", "UPDATE k SET b = b", "UPDATE k SET c = 1", "INSERT INTO k VALUES (7, 7, 7)",
  "CREATE INDEX new ON p(f(a))", "CREATE TABLE new(a CHECK (f(a)))", 0};

static const char *const with_collation[] = {
  "SELECT a FROM t", "SELECT c FROM t", "SELECT count(c) FROM t", "SELECT count(*) FROM t",
  "SELECT d FROM t WHERE d = 'q'", "SELECT max(d) FROM t", "SELECT c FROM t UNION ALL SELECT b FROM t",
  "SELECT c FROM t ORDER BY c", "SELECT b FROM t ORDER BY b", "SELECT a FROM t WHERE b = 'b'",
  "SELECT a FROM t WHERE b IS NULL", "SELECT typeof(c) FROM t GROUP BY 1",
  "SELECT a FROM t INDEXED BY tc WHERE c = 'aa'", "UPDATE t SET d = d", "UPDATE t SET b = b",
  "SELECT b FROM w", "SELECT a FROM t WHERE c = 'aa' COLLATE rev", 0};

static void with_encodings(void) {
  sqlite3 *first = open_file("encoding.db"), *second;
  show(first, "CREATE TEMP TABLE t(x)");
  show(first, "INSERT INTO t VALUES ('abc')");
  second = open_file("encoding.db");
  show(second, "PRAGMA encoding = 'UTF-16le'");
  show(second, "CREATE TABLE m(z)");
  show(second, "INSERT INTO m VALUES ('main')");
  show(first, "SELECT z FROM m");
  show(first, "SELECT x FROM t");
  show(first, "INSERT INTO m VALUES ('two')");
  show(second, "SELECT hex(z) FROM m");
  sqlite3_close(first);
  sqlite3_close(second);
}

static void without_locks(void) {
  sqlite3 *other = open_file("locks.db"), *db;
  show(other, "CREATE TABLE t(a INTEGER PRIMARY KEY, b)");
  sqlite3_exec(other, "CREATE INDEX i ON t(b); INSERT INTO t VALUES (1, 'one')", 0, 0, 0);
  db = open_file("file:locks.db?nolock=1");
  show(db, "INSERT INTO t VALUES (2, 'two')");
  show(other, "SELECT a FROM t");
  show(db, "INSERT INTO t VALUES (3, 'three'), (4, 'four')");
  show(other, "INSERT INTO t VALUES (9, 'nine')");
  show(other, "SELECT a FROM t");
  show(other, "PRAGMA integrity_check");
  sqlite3_close(db);
  sqlite3_close(other);
}

static void with_built_in_names(void) {
  static const int encodings[] = {SQLITE_UTF8, SQLITE_UTF16LE, SQLITE_UTF16BE};
  static const char *const databases[] = {"PRAGMA encoding = 'UTF-8'", "PRAGMA encoding = 'UTF-16le'"};
  for (int database = 0; database < 2; database++)
    /* What has been used of the other UTF-16 decides there. */
    for (int encoding = 0; encoding < 3 - database; encoding++) {
      sqlite3 *db = open_file(":memory:");
      sqlite3_stmt *running = 0;
      show(db, databases[database]);
      show(db, "CREATE TABLE t(x TEXT COLLATE nocase UNIQUE)");
      show(db, "INSERT INTO t VALUES ('a')");
      printf("%d\n", sqlite3_create_collation(db, "NoCase", encodings[encoding], 0, never_equal));
      show(db, "SELECT 'A' = 'a' COLLATE nocase");
      show(db, "INSERT INTO t VALUES ('A')");
      sqlite3_prepare_v2(db, "SELECT * FROM t", -1, &running, 0);
      sqlite3_step(running);
      printf("%d", sqlite3_create_collation(db, "rtrim", encodings[encoding], 0, never_equal));
      printf(" %d\n", sqlite3_create_collation(db, "new", encodings[encoding], 0, never_equal));
      sqlite3_finalize(running);
      show(db, "SELECT 'a' = 'a ' COLLATE rtrim");
      sqlite3_close(db);
    }
}

int main(void) {
  make_file();
  each(with_function);
  each(with_collation);
  with_encodings();
  without_locks();
  with_built_in_names();
  return 0;
}
