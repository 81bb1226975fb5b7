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

int main(void) {
  sqlite3_open(":memory:", &db);
  lengthOfSQL();
  lengthOfRows();
  return sqlite3_close(db);
}
