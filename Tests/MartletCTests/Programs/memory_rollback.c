/* Transactions of databases that nobody else has, in memory and temporary, while the n-th allocation
** fails: they are done, or undone with the next statement, and work goes on. */
#include <stdio.h>
#include <string.h>
#include "failing_memory.h"

static int countdown, is_lasting, is_failing, failure_count;

static int fails(void) {
  if (countdown > 0 && --countdown == 0) is_failing = 1;
  if (!is_failing) return 0;
  if (!is_lasting) is_failing = 0;
  failure_count++;
  return 1;
}

static const char setup[] =
    "PRAGMA cache_size = 20; PRAGMA page_size = 1024; CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);"
    "CREATE INDEX t_b ON t(b); CREATE VIRTUAL TABLE f USING fts4(x); CREATE TABLE u(c);"
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)"
    " INSERT INTO t SELECT i, printf('%.*c', 100 + i % 90, char(97 + i % 26)) FROM n;"
    "INSERT INTO f SELECT b || ' ' || a FROM t; DELETE FROM t WHERE a % 7 = 0";

static const char *const changes[] = {
  "BEGIN",
  "UPDATE t SET b = b || 'x' WHERE a % 3 = 0",
  "INSERT INTO t SELECT a + 1000, b || 'y' FROM t",
  "SAVEPOINT s",
  "DELETE FROM t WHERE a % 5 = 0",
  "INSERT INTO f SELECT b FROM t WHERE a > 1000",
  "ROLLBACK TO s",
  "DELETE FROM f WHERE docid % 2 = 0",
  "CREATE TABLE v AS SELECT a FROM t",
  "COMMIT",
};

static const char contents[] =
    "SELECT count(*) || ',' || sum(a) || ',' || sum(length(b)) || ',' || (SELECT count(*) FROM f)"
    " || ',' || (SELECT count(*) FROM sqlite_schema) FROM t";

static void ask(sqlite3 *db, const char *sql, char *answer, size_t size) {
  sqlite3_stmt *statement = 0;
  answer[0] = 0;
  if (sqlite3_prepare_v2(db, sql, -1, &statement, 0) == SQLITE_OK
      && sqlite3_step(statement) == SQLITE_ROW)
    snprintf(answer, size, "%s", (const char *)sqlite3_column_text(statement, 0));
  else
    snprintf(answer, size, "%s", sqlite3_errmsg(db));
  sqlite3_finalize(statement);
}

/* The n-th allocation of the transaction fails. Returns whether one has. */
static int with_failure(const char *path, int n, int lasting, int *done, int *broken) {
  char before[200], after[200], sound[200];
  sqlite3 *db;
  unsigned index;
  int rc = SQLITE_OK, other = 0;
  sqlite3_open(path, &db);
  sqlite3_exec(db, setup, 0, 0, 0);
  ask(db, contents, before, sizeof before);
  failure_count = 0;
  is_lasting = lasting;
  countdown = n;
  for (index = 0; index < sizeof changes / sizeof changes[0] && rc == SQLITE_OK; index++)
    rc = sqlite3_exec(db, changes[index], 0, 0, 0);
  if (rc != SQLITE_OK && rc != SQLITE_NOMEM) other = 1;
  if (!sqlite3_get_autocommit(db)) sqlite3_exec(db, "ROLLBACK", 0, 0, 0);
  countdown = is_failing = 0;
  if (!sqlite3_get_autocommit(db)) sqlite3_exec(db, "ROLLBACK", 0, 0, 0);
  ask(db, contents, after, sizeof after);
  ask(db, "PRAGMA integrity_check", sound, sizeof sound);
  if (rc == SQLITE_OK) (*done)++;
  if (other || (strcmp(before, after) == 0) != (rc != SQLITE_OK) || strcmp(sound, "ok")
      || sqlite3_exec(db, "INSERT INTO u SELECT b FROM t", 0, 0, 0)
      || sqlite3_exec(db, "INSERT INTO f(f) VALUES('integrity-check')", 0, 0, 0)) {
    if ((*broken)++ < 5)
      printf("%d: %d, %s, %s, %s, %s\n", n, rc, before, after, sound, sqlite3_errmsg(db));
  }
  sqlite3_close(db);
  return failure_count > 0;
}

static void sweep(const char *name, const char *path, int lasting) {
  int done = 0, broken = 0, n = 1;
  while (with_failure(path, n, lasting, &done, &broken)) n += 1 + n / 60;
  printf("%s %d: many %d, some done %d, broken %d\n", name, lasting, n > 100, done > 0, broken);
}

/* Random keys in a cache of ten pages: an UPDATE spills, and its rollback needs pages again. */
static int with_small_cache(int n, int lasting, int *broken) {
  char before[200], after[200], sound[200];
  sqlite3 *db;
  int rc;
  sqlite3_open("", &db);
  sqlite3_exec(db, "PRAGMA page_size = 1024; PRAGMA cache_size = 10; CREATE TABLE t(a, b);"
      "CREATE INDEX i ON t(b, a); WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)"
      " INSERT INTO t SELECT randomblob(100), randomblob(100) FROM n", 0, 0, 0);
  ask(db, "SELECT count(*) || sum(length(a)) FROM t", before, sizeof before);
  failure_count = 0;
  is_lasting = lasting;
  countdown = n;
  rc = sqlite3_exec(db, "UPDATE t SET a = randomblob(99)", 0, 0, 0);
  countdown = is_failing = 0;
  ask(db, "SELECT count(*) || sum(length(a)) FROM t", after, sizeof after);
  ask(db, "PRAGMA integrity_check", sound, sizeof sound);
  if ((strcmp(before, after) == 0) != (rc != SQLITE_OK) || strcmp(sound, "ok")
      || sqlite3_exec(db, "UPDATE t SET a = randomblob(98)", 0, 0, 0)) {
    if ((*broken)++ < 5) printf("%d: %d, %s, %s, %s\n", n, rc, before, after, sound);
  }
  sqlite3_close(db);
  return failure_count > 0;
}

int main(void) {
  int lasting, round, broken = 0;
  install_failing_memory(fails);
  for (round = 0; round < 12; round++) {
    int n = 1;
    while (with_small_cache(n, round % 2, &broken)) n++;
  }
  printf("small cache: broken %d\n", broken);
  for (lasting = 0; lasting < 2; lasting++) {
    sweep("memory", ":memory:", lasting);
    sweep("temporary", "", lasting);
  }
  return 0;
}
