/* What a text that goes beyond a limit, or is wrong otherwise, leaves behind: code, message, where
   it is wrong and what is left of it, in both kinds of text and by each way to compile. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sqlite3.h"

static sqlite3 *db;
static char sql[100000];
static size_t used;

static void add(const char *format, ...) {
  va_list list;
  va_start(list, format);
  sqlite3_vsnprintf(sizeof sql - used, sql + used, format, list);
  used += strlen(sql + used);
  va_end(list);
}

static void repeat(int count, const char *piece, const char *between) {
  int i;
  for (i = 0; i < count; i++) add(i ? "%s" : "", between), add(piece, i + 1);
}

/* Errors without a place leave that of an earlier one. */
static void forget(void) {
  sqlite3_stmt *statement;
  sqlite3_prepare_v2(db, "SELECT nosuch FROM nosuch", -1, &statement, 0);
}

static void show(const char *how, int code, sqlite3_stmt *statement, long rest) {
  printf("  %s: %d %d %s, offset %d, rest %ld\n", how, code, statement != 0, sqlite3_errmsg(db),
         sqlite3_error_offset(db), rest);
  sqlite3_finalize(statement);
  forget();
}

static void report(const char *name, int count) {
  static unsigned short wide[sizeof sql];
  static char copy[sizeof sql];
  sqlite3_stmt *statement = 0;
  const char *rest = 0;
  const void *rest16 = 0;
  char *message = 0;
  size_t i;
  int code;
  printf("%s %d (%d bytes)\n", name, count, (int)used);
  code = sqlite3_prepare_v2(db, sql, -1, &statement, &rest);
  show("to the zero", code, statement, rest ? rest - sql : -1);
  statement = 0, rest = 0;
  code = sqlite3_prepare_v2(db, sql, used + 1, &statement, &rest);
  show("with the zero", code, statement, rest ? rest - sql : -1);
  memcpy(copy, sql, used), memcpy(copy + used, "!!!", 4);
  statement = 0, rest = 0;
  code = sqlite3_prepare_v2(db, copy, used, &statement, &rest);
  show("that long", code, statement, rest ? rest - copy : -1);
  for (i = 0; i <= used; i++) wide[i] = sql[i];
  statement = 0;
  code = sqlite3_prepare16_v2(db, wide, -1, &statement, &rest16);
  show("16", code, statement, rest16 ? (unsigned short *)rest16 - wide : -1);
  statement = 0, rest16 = 0;
  code = sqlite3_prepare16_v2(db, wide, 2 * used, &statement, &rest16);
  show("16, that long", code, statement, rest16 ? (unsigned short *)rest16 - wide : -1);
  code = sqlite3_exec(db, sql, 0, 0, &message);
  printf("  exec: %d %s\n", code, message ? message : "-");
  forget();
  sqlite3_free(message);
  used = 0, sql[0] = 0;
}

static int last(int category, int value) { return sqlite3_limit(db, category, value); }

/* --- Wrong texts, without any limit --- */

static void wrong(void) {
  static const char *texts[] = {
    "", ";", " ", "-- c", "/* c", "SELECT 1", "SELECT 1;", "SELECT 1; SELECT 2", ";;SELECT 1;;",
    "SELECT", "SELECT ;", "SELEC 1; SELECT 2", "SELECT 1 2 3", "SELECT nosuch; SELECT 2",
    "SELECT a FROM nosuch; SELECT 2", "SELECT 1 FROM t WHERE x; SELECT 2", "SELECT nosuch() ;SELECT 2",
    "SELECT abs(); SELECT 3", "INSERT INTO t VALUES(1, 2); SELECT 1", "INSERT INTO nosuch VALUES(1); ;",
    "INSERT INTO t(q) VALUES(1) ; x", "UPDATE t SET q = 1; x", "DELETE FROM q; x", "SELECT 'abc",
    "SELECT \"abc", "SELECT x'12z'; SELECT 2", "SELECT # ; SELECT 2", "SELECT 12a; SELECT 2", "SELECT 1 $; x",
    "CREATE TABLE u(a,,); SELECT 2",
    "CREATE TABLE u(a); SELECT 2", "DROP TABLE u; x", "CREATE INDEX i ON t(q); x",
    "CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT 1; SELEC 2; END; SELECT 3",
    "CREATE VIEW v AS SELECT ?; SELECT 3", "ATTACH 1, 2; x", "EXPLAIN SELECT q; x", "BEGIN; x", "COMMIT; x",
    "PRAGMA nosuch = 1; x", "SELECT 1 LIMIT q; x", "SELECT 1 ORDER BY 7; x", "SELECT 1 UNION SELECT 1, 2; x",
    "WITH c AS (SELECT 1) SELECT * FROM d; x", "SELECT (1, 2); x", "SELECT ?0; x", "SELECT ?1234567; x",
    "SELECT sum(sum(a)) FROM t; x", "SELECT a FROM t WHERE sum(a); x", "SELECT 1 COLLATE nosuch; x",
    "SELECT 1 ORDER BY 1 COLLATE nosuch; x", "VALUES(1), (1, 2); x", "ALTER TABLE t ADD a; x",
    "ALTER TABLE q ADD a; x", "REINDEX q; x", "SELECT 1 )", "SELECT (1; x", "SELECT 1 AS; x", "END x; y",
    "SELECT CASE; x", "SELECT 1\x01; x", "SELECT 1; ; -- c", "SELECT 1 -- c", "INSERT INTO t DEFAULT; x",
    "SELECT RAISE(ABORT, 'x'); x", "SELECT * ; x", "SELECT t.* ; x", "SELECT a.b.c.d; x",
    "SELECT a FROM t GROUP BY 9; x", "SELECT 9223372036854775808; -9223372036854775809; x",
    "SELECT 1 FROM t JOIN t USING(q); x", "SELECT 1 FROM t AS a NATURAL JOIN t AS b USING(a); x",
    "SELECT 1 FROM t INDEXED BY nosuch; x", "SAVEPOINT; x", "ROLLBACK TO q; x", "SELECT likelihood(1, 2); x",
  };
  size_t i;
  for (i = 0; i < sizeof texts / sizeof *texts; i++) {
    add("%s", texts[i]);
    printf("[%s] ", sql);
    report("text", (int)i);
  }
}

/* --- Limits --- */

static void lengths(void) {
  int count, behind;
  last(SQLITE_LIMIT_SQL_LENGTH, 40);
  for (count = 38; count <= 42; count++) {
    add("SELECT 1 /*"), repeat(count - 13, "x", ""), add("*/");
    report("comment", count);
    add("SELECT 1"), repeat(count - 8, " ", "");
    report("spaces", count);
    add("SELECT '"), repeat(count - 9, "x", ""), add("'");
    report("literal", count);
    add("SELECT 1;"), repeat(count - 9, " ", "");
    report("semicolon", count);
    add("SELECT 1;"), repeat(count - 9, "x", "");
    report("next", count);
    add("SELEC 1;"), repeat(count - 8, "x", "");
    report("wrong", count);
    repeat(count, " ", "");
    report("nothing", count);
    repeat(count, ";", "");
    report("nothing but semicolons", count);
    add("SELECT 1 + q"), repeat(count - 12, " ", "");
    report("unknown column", count);
    add("SELECT '\xc3\xa4"), repeat(count - 11, "x", ""), add("'");
    report("umlaut", count);
  }
  for (count = 39; count <= 41; count++)
    for (behind = 1; behind < 40; behind += 19) {
      add("SELECT 1"), repeat(count - 8, " ", ""), add(";"), repeat(behind, "x", "");
      report("the next is beyond", count);
    }
  last(SQLITE_LIMIT_SQL_LENGTH, 1000000000);
}

static void terms(void) {
  int count;
  last(SQLITE_LIMIT_COLUMN, 6), last(SQLITE_LIMIT_EXPR_DEPTH, 8);
  last(SQLITE_LIMIT_COMPOUND_SELECT, 4), last(SQLITE_LIMIT_FUNCTION_ARG, 4);
  last(SQLITE_LIMIT_VARIABLE_NUMBER, 5), last(SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 5);
  for (count = 3; count <= 9; count++) {
    add("SELECT "), repeat(count, "%d", ","), add("; x");
    report("columns", count);
    add("SELECT 1 ORDER BY "), repeat(count, "+1", ","), add("; x");
    report("order", count);
    add("SELECT 1 GROUP BY "), repeat(count, "+1", ","), add("; x");
    report("group", count);
    add("INSERT INTO t VALUES("), repeat(count, "%d", ","), add("); x");
    report("insert", count);
    add("UPDATE t SET "), repeat(count, "a=%d", ","), add("; x");
    report("update", count);
    add("CREATE INDEX i ON t("), repeat(count, "a", ","), add("); x");
    report("index", count);
    sqlite3_exec(db, "DROP INDEX IF EXISTS i", 0, 0, 0);
    add("SELECT "), repeat(count, "1", "+"), add(" ; x");
    report("depth", count);
    add("SELECT "), repeat(count, "-", " "), add("1 AS a; x");
    report("minus", count);
    add("SELECT 1 FROM t WHERE "), repeat(count, "a=%d", " AND "), add("; x");
    report("and", count);
    repeat(count, "SELECT %d", " UNION ALL "), add("; x");
    report("compound", count);
    add("SELECT * FROM ("), repeat(count, "SELECT %d", " UNION ALL "), add(") LIMIT 1; x");
    report("compound in from", count);
    add("SELECT max("), repeat(count, "%d", ","), add("); x");
    report("arguments", count);
    add("SELECT ?%d; x", count);
    report("number", count);
    add("SELECT "), repeat(count, "?", "||"), add("; x");
    report("question marks", count);
    add("SELECT "), repeat(count, ":n%d", "||"), add("; x");
    report("names", count);
    add("SELECT 'a' LIKE '"), repeat(count, "a", ""), add("'; x");
    report("like", count);
    add("SELECT a FROM t WHERE a GLOB '"), repeat(count, "a", ""), add("*'; x");
    report("glob", count);
    add("CREATE VIEW v("), repeat(count, "c%d", ","), add(") AS SELECT "), repeat(count, "%d", ","), add("; x");
    report("view", count);
    sqlite3_exec(db, "DROP VIEW IF EXISTS v", 0, 0, 0);
    add("WITH c("), repeat(count, "c%d", ","), add(") AS (SELECT 1) SELECT 2; x");
    report("names of a common table", count);
    add("SELECT sum(1) OVER (ORDER BY "), repeat(count, "+%d", ","), add("); x");
    report("window", count);
    add("SELECT 1 IN ("), repeat(count, "%d", ","), add("); x");
    report("in", count);
  }
}

static void joins(void) {
  int count;
  for (count = 63; count <= 65; count++) {
    add("SELECT 1 FROM "), repeat(count, "t AS t%d", ","), add(" WHERE 0; x");
    report("join", count);
  }
}

/* A category is what it was set to, within its bounds; another one is -1. */
static void categories(void) {
  static const int values[] = {-2147483647 - 1, -2, -1, 0, 1, 2, 9, 10, 11, 29, 30, 31, 124, 125, 126, 999, 1000, 1001,
    1999, 2000, 2001, 2500, 2501, 32765, 32766, 32767, 49999, 50000, 50001, 65535, 65536, 250000000, 250000001,
    999999999, 1000000000, 1000000001, 2147483645, 2147483647};
  int category;
  size_t i;
  for (category = -1; category <= 14; category++) {
    printf("category %d:", category);
    for (i = 0; i < sizeof values / sizeof *values; i++) printf(" %d", last(category, values[i]));
    printf(" %d\n", last(category, -1));
  }
}

/* Instructions and registers of a program. */
static void operations(void) {
  static const int limits[] = {0, 1, 2, 5, 1000};
  size_t i;
  for (i = 0; i < sizeof limits / sizeof *limits; i++) {
    last(SQLITE_LIMIT_VDBE_OP, limits[i]);
    add("SELECT a FROM t");
    printf("operations ");
    report("select", limits[i]);
    add("INSERT INTO t VALUES(1)");
    report("insert", limits[i]);
    add("BEGIN");
    report("begin", limits[i]);
    add("COMMIT");
    report("commit", limits[i]);
    add("PRAGMA user_version");
    report("pragma", limits[i]);
    add("DROP TABLE IF EXISTS e");
    report("drop", limits[i]);
    add("ATTACH ':memory:' AS m");
    report("attach", limits[i]);
    add("DETACH m");
    report("detach", limits[i]);
    add("SELECT "), repeat(300, "abs(%d)+a", ","), add(" FROM t");
    report("many", limits[i]);
  }
  last(SQLITE_LIMIT_VDBE_OP, 250000000);
}

int main(void) {
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db, "CREATE TABLE t(a)", 0, 0, 0);
  categories();
  sqlite3_close(db);
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db, "CREATE TABLE t(a)", 0, 0, 0);
  wrong();
  lengths();
  joins();
  operations();
  terms();
  sqlite3_close(db);
  return 0;
}
