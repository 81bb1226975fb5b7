/* Limits at their exact places. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sqlite3.h"

static sqlite3 *db;

static void show(const char *name, int code) {
  printf("%s: %d %s\n", name, code, code ? sqlite3_errmsg(db) : "");
}

static void run(const char *sql) {
  char name[60];
  snprintf(name, sizeof name, "%.50s", sql);
  show(name, sqlite3_exec(db, sql, 0, 0, 0));
}

/* A SELECT of that many bytes. */
static char *text(int count) {
  char *sql = malloc(count + 1);
  memset(sql, ' ', count);
  memcpy(sql, "SELECT 1", 8);
  sql[count] = 0;
  return sql;
}

static void prepare(int count, int passed, const char *name) {
  char *sql = text(count), label[80];
  sqlite3_stmt *statement = 0;
  int code = sqlite3_prepare_v2(db, sql, passed, &statement, 0);
  snprintf(label, sizeof label, "%s, %d bytes, %d passed, %s", name, count, passed,
           statement ? "statement" : "none");
  show(label, code);
  sqlite3_finalize(statement);
  free(sql);
}

static void prepare16(int count, int passed, const char *name) {
  char *sql = text(count), label[80];
  unsigned short *wide = calloc(count + 1, 2);
  sqlite3_stmt *statement = 0;
  int i, code;
  for (i = 0; i < count; i++) wide[i] = sql[i];
  code = sqlite3_prepare16_v2(db, wide, passed, &statement, 0);
  snprintf(label, sizeof label, "16: %s, %d units, %d passed, %s", name, count, passed,
           statement ? "statement" : "none");
  show(label, code);
  sqlite3_finalize(statement);
  free(wide);
  free(sql);
}

static void lengthOfSQL(void) {
  int length;
  sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, 1000);
  for (length = 998; length <= 1002; length++) {
    prepare(length, -1, "no length");
    prepare(length, length, "exact");
    prepare(length, length + 1, "with the zero");

    prepare16(length, -1, "no length");
    prepare16(length, 2 * length, "exact");
    prepare16(length, 2 * length + 2, "with the zero");
    prepare16(length / 2, -1, "half");
  }
  prepare(20, 20, "short");
  prepare16(20, 1000, "short");
  prepare16(20, 2004, "short");
  for (length = 999; length <= 1001; length++) {
    char *sql = text(length), label[80];
    snprintf(label, sizeof label, "exec of %d", length);
    show(label, sqlite3_exec(db, sql, 0, 0, 0));
    free(sql);
  }
  sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, 1000000000);
}

/* The values of a row are within the limit, and the row is not. */
static void lengthOfRows(void) {
  int size;
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1000);
  run("CREATE TABLE long(a, b, c); CREATE TABLE key(a, b, PRIMARY KEY(a, b)) WITHOUT ROWID");
  run("CREATE TABLE indexed(a, b); CREATE INDEX i ON indexed(a, b)");
  for (size = 480; size <= 520; size++) {
    static const char *formats[] = {
      "INSERT INTO long(a, b) VALUES(zeroblob(%d), zeroblob(500))",
      "INSERT INTO long(a, b) VALUES(randomblob(%d), randomblob(500))",
      "INSERT INTO long(b, c) VALUES(randomblob(%d), zeroblob(500))",
      "INSERT INTO key(a, b) VALUES(randomblob(%d), randomblob(500))",
      "INSERT INTO indexed(a, b) VALUES(randomblob(%d), randomblob(500))",
      "UPDATE long SET c = randomblob(%d) WHERE length(b) = 500 AND c IS NULL",
      "SELECT randomblob(%d), randomblob(500) ORDER BY 1, 2",
      "SELECT DISTINCT randomblob(%d), randomblob(500) FROM long",
      "SELECT count(*) FROM (SELECT randomblob(%d) AS x, randomblob(500) AS y UNION SELECT 1, 2)",
      "CREATE TABLE made AS SELECT zeroblob(%d) AS x, zeroblob(500) AS y",
    };
    size_t i;
    for (i = 0; i < sizeof formats / sizeof *formats; i++) {
      char sql[300];
      if (size > 490 && size < 510 && size % 3 && i > 5) continue;
      snprintf(sql, sizeof sql, formats[i], size);
      printf("%d ", size);
      run(sql);
    }
    run("DELETE FROM long; DELETE FROM key; DELETE FROM indexed; DROP TABLE IF EXISTS made");
  }
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1000000000);
}

/* A SELECT in which something stands as often as that, before or behind another. */
static void nested(const char *before, const char *middle, const char *behind, int count) {
  size_t size = 20 + strlen(middle) + count * (strlen(before) + strlen(behind));
  char *sql = malloc(size);
  int i;
  strcpy(sql, "SELECT ");
  for (i = 0; i < count; i++) strcat(sql, before);
  strcat(sql, middle);
  for (i = 0; i < count; i++) strcat(sql, behind);
  printf("%s%s%s %d: ", before, middle, behind, count);
  show("", sqlite3_exec(db, sql, 0, 0, 0));
  free(sql);
}

/* Expressions, triggers and foreign keys as deep as they may be when nobody has set a limit. */
static void depths(void) {
  static const struct { const char *before, *middle, *behind; } kinds[] = {
    {"- ", "1", ""}, {"NOT ", "1", ""}, {"", "1", "+1"}, {"", "1", " AND 1"}, {"", "1", "||1"},
    {"", "1", "->1"}, {"", "1", " BETWEEN 1 AND 2"}, {"", "1", " IN (1, 2)"}, {"", "1", " LIKE 1"},
  };
  size_t i;
  int count;
  for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
    for (count = 996; count <= 1001; count++)
      nested(kinds[i].before, kinds[i].middle, kinds[i].behind, count);
  run("PRAGMA recursive_triggers = 1; CREATE TABLE r(x); CREATE TRIGGER rt AFTER INSERT ON r "
      "WHEN new.x > 1 BEGIN INSERT INTO r VALUES(new.x - 1); END");
  run("PRAGMA foreign_keys = 1; CREATE TABLE f(x PRIMARY KEY, y REFERENCES f ON DELETE CASCADE)");
  for (count = 998; count <= 1002; count++) {
    char sql[200];
    sprintf(sql, "DELETE FROM r; INSERT INTO r VALUES(%d)", count);
    printf("trigger %d ", count), run(sql);
    sprintf(sql, "INSERT INTO f WITH c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < %d) "
                 "SELECT i, nullif(i - 1, 0) FROM c", count);
    run(sql);
    printf("cascade %d ", count), run("DELETE FROM f WHERE x = 1");
    run("PRAGMA foreign_keys = 0; DELETE FROM f; PRAGMA foreign_keys = 1");
  }
}

/* A billion bytes, one less and one more: of values that need no memory. */
static void billions(void) {
  enum { most = 1000000000 };
  sqlite3_stmt *statement = 0;
  int count;
  sqlite3_prepare_v2(db, "SELECT length(?), ?2", -1, &statement, 0);
  for (count = most - 1; count <= most + 1; count++) {
    char text[100];
    printf("%d bytes: ", count);
    show("blob", sqlite3_bind_zeroblob(statement, 1, count));
    show("blob", sqlite3_bind_zeroblob64(statement, 1, count));
    show("step", sqlite3_step(statement));
    printf("%d\n", sqlite3_column_int(statement, 0));
    sqlite3_reset(statement);
    sprintf(text, "SELECT length(zeroblob(%d))", count);
    run(text);
  }
  show("blob", sqlite3_bind_blob(statement, 1, "", most + 1, SQLITE_STATIC));
  show("blob", sqlite3_bind_blob64(statement, 1, "", most + 1ull, SQLITE_STATIC));
  show("text", sqlite3_bind_text(statement, 1, "", most + 1, SQLITE_STATIC));
  show("text", sqlite3_bind_text64(statement, 1, "", most + 1ull, SQLITE_STATIC, SQLITE_UTF8));
  sqlite3_finalize(statement);
}

/* How many pages a file may have. */
static void pages(void) {
  static const char *counts[] = {"0", "1", "-1", "2147483646", "2147483647", "2147483648", "4294967293",
    "4294967294", "4294967295", "4294967296", "18446744073709551616", "1e3", "'7'", "x"};
  size_t i;
  for (i = 0; i < sizeof counts / sizeof *counts; i++) {
    sqlite3_stmt *statement = 0;
    char sql[100];
    sprintf(sql, "PRAGMA max_page_count = %s", counts[i]);
    show(sql, sqlite3_prepare_v2(db, sql, -1, &statement, 0));
    while (sqlite3_step(statement) == SQLITE_ROW) printf("%s\n", sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
  }
}

int main(void) {
  sqlite3_open(":memory:", &db);
  lengthOfSQL();
  lengthOfRows();
  depths();
  billions();
  pages();
  return sqlite3_close(db);
}
