/* Collations of the program: registration, encodings, replacement, destructors, asking for them. */
#include <stdio.h>
#include <string.h>

#include "sqlite3.h"

static sqlite3 *db;
static int comparisons;

static int print_row(void *data, int count, char **values, char **names) {
  for (int index = 0; index < count; index++) {
    printf("%s%s", index ? "|" : "", values[index] ? values[index] : "NULL");
  }
  printf("\n");
  return 0;
}

static void run(const char *sql) {
  printf("> %s\n", sql);
  int code = sqlite3_exec(db, sql, print_row, 0, 0);
  if (code != SQLITE_OK) {
    printf("error %d %d %s\n", code, sqlite3_extended_errcode(db), sqlite3_errmsg(db));
  }
}

static void ended(void *data) { printf("destroy(%s)\n", (const char *)data); }

/* By the last byte first. */
static int backward(void *data, int left_count, const void *left, int right_count,
    const void *right) {
  const unsigned char *first = left, *second = right;
  comparisons++;
  while (left_count > 0 && right_count > 0) {
    left_count--;
    right_count--;
    if (first[left_count] != second[right_count]) {
      return first[left_count] - second[right_count];
    }
  }
  return left_count - right_count;
}

static int inverse(void *data, int left_count, const void *left, int right_count,
    const void *right) {
  int count = left_count < right_count ? left_count : right_count;
  int order = memcmp(left, right, count);
  return order ? -order : right_count - left_count;
}

static int telling(void *data, int left_count, const void *left, int right_count,
    const void *right) {
  const unsigned char *first = left;
  printf("%s:", (const char *)data);
  for (int index = 0; index < left_count; index++) printf("%02x", first[index]);
  printf(" %d\n", right_count);
  return left_count - right_count;
}

static void needed(void *data, sqlite3 *connection, int encoding, const char *name) {
  printf("needed(%s, %d, %s)\n", (const char *)data, encoding, name);
  if (strcmp(name, "found") == 0) {
    sqlite3_create_collation(connection, name, SQLITE_UTF8, 0, inverse);
  }
}

static void needed16(void *data, sqlite3 *connection, int encoding, const void *name) {
  const unsigned char *bytes = name;
  printf("needed16(%s, %d, %c%c)\n", (const char *)data, encoding, bytes[0], bytes[2]);
  sqlite3_create_collation16(connection, name, SQLITE_UTF16, "16", inverse);
}

int main(void) {
  sqlite3_stmt *statement;
  sqlite3_open(":memory:", &db);
  printf("%d\n", sqlite3_create_collation(db, "backward", SQLITE_UTF8, 0, backward));
  run("CREATE TABLE t(a COLLATE backward, b)");
  run("INSERT INTO t VALUES('az', 1), ('by', 2), ('cx', 3), ('dx', 4), (NULL, 5), (7, 6)");
  run("SELECT a FROM t ORDER BY a");
  run("CREATE INDEX i ON t(a)");
  run("SELECT a FROM t WHERE a > 'zx' ORDER BY a DESC");
  run("SELECT a FROM t WHERE a = 'by'");
  run("SELECT max(a), min(a) FROM t");
  run("SELECT DISTINCT b COLLATE backward FROM t");
  run("SELECT group_concat(b) FROM t GROUP BY substr(a, 2) COLLATE backward");
  run("SELECT 'ab' < 'ba' COLLATE backward, 'ab' COLLATE backward < 'ba'");
  printf("called: %d\n", comparisons > 0);
  run("PRAGMA collation_list");

  printf("wrong encodings: %d %d %d\n", sqlite3_create_collation_v2(db, "x", 0, "x", inverse, ended),
      sqlite3_create_collation_v2(db, "x", SQLITE_ANY, "x", inverse, ended),
      sqlite3_create_collation_v2(db, "x", 99, "x", inverse, ended));
  printf("aligned: %d\n",
      sqlite3_create_collation_v2(db, "x", SQLITE_UTF16_ALIGNED, "aligned", inverse, ended));
  printf("replaced: %d\n",
      sqlite3_create_collation_v2(db, "X", SQLITE_UTF16, "second", inverse, ended));
  printf("other encoding: %d\n",
      sqlite3_create_collation_v2(db, "x", SQLITE_UTF8, "third", inverse, ended));
  printf("while statements run\n");
  sqlite3_prepare_v2(db, "SELECT 1 UNION ALL SELECT 2", -1, &statement, 0);
  sqlite3_step(statement);
  printf("%d", sqlite3_create_collation_v2(db, "x", SQLITE_UTF8, "busy", inverse, ended));
  printf(" %s\n", sqlite3_errmsg(db));
  printf("%d\n", sqlite3_create_collation_v2(db, "fresh", SQLITE_UTF8, "fresh", inverse, ended));
  sqlite3_finalize(statement);
  printf("deleted %d\n", sqlite3_create_collation_v2(db, "x", SQLITE_UTF8, 0, 0, 0));
  run("SELECT 'a' < 'b' COLLATE x");
  printf("deleted %d\n", sqlite3_create_collation_v2(db, "x", SQLITE_UTF16, 0, 0, 0));
  run("SELECT 'a' < 'b' COLLATE x");

  printf("built-in\n");
  run("SELECT 'a' = 'A' COLLATE nocase, 'a' < 'b' COLLATE nocase, 'a' = 'a ' COLLATE rtrim");
  run("CREATE TABLE n(a TEXT COLLATE nocase)");
  run("INSERT INTO n VALUES('a'), ('B'), ('c')");
  printf("%d\n", sqlite3_create_collation_v2(db, "nocase", SQLITE_UTF8, "mine", inverse, ended));
  run("SELECT 'a' = 'A' COLLATE nocase, 'a' < 'b' COLLATE nocase");
  run("SELECT a FROM n ORDER BY a");
  run("CREATE INDEX ni ON n(a)");
  run("SELECT a FROM n ORDER BY a DESC");
  run("SELECT a FROM n WHERE a = 'b'");
  run("SELECT a FROM n WHERE a < 'c'");

  run("SELECT 'a' < 'b' COLLATE nowhere");
  sqlite3_collation_needed(db, "data", needed);
  run("SELECT 'a' < 'b' COLLATE nowhere");
  run("SELECT 'a' < 'b' COLLATE found");
  run("SELECT 'a' < 'b' COLLATE found");
  sqlite3_collation_needed16(db, "data", needed16);
  run("SELECT 'a' < 'b' COLLATE wide");
  sqlite3_collation_needed(db, 0, 0);
  run("SELECT 'a' < 'b' COLLATE gone");
  sqlite3_create_collation_v2(db, "nocase", SQLITE_UTF8, "at the end", inverse, 0);
  printf("close %d\n", sqlite3_close(db));

  sqlite3_open(":memory:", &db);
  run("PRAGMA encoding = 'UTF-16be'");
  sqlite3_create_collation(db, "telling", SQLITE_UTF8, "8", telling);
  run("SELECT 'a\xe2\x82\xac' < 'b' COLLATE telling");
  sqlite3_create_collation(db, "little", SQLITE_UTF8, "8", telling);
  sqlite3_create_collation(db, "little", SQLITE_UTF16LE, "le", telling);
  run("SELECT 'a\xe2\x82\xac' < 'b' COLLATE little");
  sqlite3_create_collation(db, "telling", SQLITE_UTF16BE, "be", telling);
  run("SELECT 'a\xe2\x82\xac' < 'b' COLLATE telling");
  run("SELECT '' < 'b' COLLATE telling");
  sqlite3_close(db);
  return 0;
}
