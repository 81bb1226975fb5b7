/* Sessions while memory runs out: a changeset or its application is whole, or says that it is not. */
#include <stdio.h>
#include <string.h>
#include "failing_memory.h"
#include "sqlite3session.h"

static int left = -1, goes_on, hits;

static int has_failed(void) {
  if (left < 0) return 0;
  if (left > 0) return left--, 0;
  hits++;
  if (!goes_on) left = -1;
  return 1;
}

static const char setup[] =
    "CREATE TABLE t1(a PRIMARY KEY, b UNIQUE, c DEFAULT 'a default that is longer than some');"
    "CREATE INDEX i1 ON t1(c);"
    "INSERT INTO t1 VALUES(1, 2, 3), (4, 5, 6), (7, 8, 9);"
    "CREATE TABLE t2(a PRIMARY KEY, b, c);"
    "INSERT INTO t2 VALUES(1, 2, 'a text of some length that is no short one'), (4, 5, 6); ANALYZE;";

static const char changes[] =
    "INSERT INTO sqlite_stat1 VALUES('x', 'y', 45);"
    "UPDATE sqlite_stat1 SET stat = 123 WHERE tbl = 't1' AND idx = 'i1';"
    "INSERT INTO t1 VALUES(10, 11, 'new text'); UPDATE t1 SET c = c || 'x' WHERE a = 4; DELETE FROM t1 WHERE a = 1;"
    "UPDATE t2 SET b = 'a new text for it', c = c || c; INSERT INTO t2 VALUES(77, zeroblob(100), 1.5);"
    "DELETE FROM t2 WHERE a = 4";

static void dump(sqlite3 *db, char *text) {
  static const char *const queries[] = {
      "SELECT a, b, c FROM t1 ORDER BY a", "SELECT a, b, c FROM t2 ORDER BY a",
      "SELECT tbl, idx, stat FROM sqlite_stat1 ORDER BY 1, 2"};
  int query, index;
  *text = 0;
  for (query = 0; query < 3; query++) {
    sqlite3_stmt *rows = 0;
    sqlite3_prepare_v2(db, queries[query], -1, &rows, 0);
    while (sqlite3_step(rows) == SQLITE_ROW)
      for (index = 0; index < 3; index++) {
        const char *value = (const char *)sqlite3_column_text(rows, index);
        strcat(strcat(text, value ? value : "NULL"), index < 2 ? "," : ";");
      }
    sqlite3_finalize(rows);
  }
}

static int omit(void *data, int kind, sqlite3_changeset_iter *change) { return SQLITE_CHANGESET_OMIT; }

static sqlite3 *begin(const char *encoding) {
  sqlite3 *db;
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db, encoding, 0, 0, 0);
  sqlite3_exec(db, setup, 0, 0, 0);
  return db;
}

enum { recording, collecting, applying, comparing, phases };

static int lost, wrong, half, failed;

static void attempt(const char *encoding, int phase, int at) {
  static char wanted[4000], found[4000], before[4000];
  sqlite3 *changed = begin(encoding), *other = begin(encoding);
  sqlite3_session *session;
  void *bytes = 0;
  int count, rc = SQLITE_OK, applied = SQLITE_OK;
  dump(other, before);
  hits = 0;
  sqlite3session_create(changed, "main", &session);
  if (phase == comparing) {
    /* Against the table of another database that has no rows, all count as inserted. */
    sqlite3_exec(changed, "ATTACH ':memory:' AS x; CREATE TABLE x.t2(a PRIMARY KEY, b, c)", 0, 0, 0);
    sqlite3_exec(other, "DELETE FROM t2", 0, 0, 0);
    dump(other, before);
    left = at;
    rc = sqlite3session_diff(session, "x", "t2", 0);
    left = -1;
  } else {
    sqlite3session_attach(session, 0);
    if (phase == recording) left = at;
    /* What fails here is not recorded either. */
    if (sqlite3_exec(changed, changes, 0, 0, 0)) failed++;
    left = -1;
  }
  dump(changed, wanted);
  if (phase == collecting) left = at;
  if (rc == SQLITE_OK) rc = sqlite3session_changeset(session, &count, &bytes);
  left = -1;
  if (rc == SQLITE_OK) {
    if (phase == applying) left = at;
    applied = sqlite3changeset_apply(other, count, bytes, 0, omit, 0);
    left = -1;
  }
  dump(other, found);
  if (rc || applied) failed++;
  /* SQLite's sqlite3session_diff says once that a query of its own is wrong. */
  if ((rc && rc != SQLITE_NOMEM && (phase != comparing || rc != SQLITE_ERROR)) || (applied && applied != SQLITE_NOMEM)) {
    wrong++;
    printf("%s, phase %d, %d: codes %d %d\n", encoding, phase, at, rc, applied);
  }
  if (!rc && !applied && strcmp(wanted, found)) {
    lost++;
    printf("%s, phase %d, %d: %s\nis not %s\n", encoding, phase, at, found, wanted);
  }
  /* Without any memory, there is none to roll back with, either. */
  if (applied && !goes_on && strcmp(before, found)) {
    half++;
    printf("%s, phase %d, %d: failed, and is %s\n", encoding, phase, at, found);
  }
  sqlite3_free(bytes);
  sqlite3session_delete(session);
  sqlite3_close(changed);
  sqlite3_close(other);
}

int main(void) {
  static const char *const encodings[] = {"PRAGMA encoding = 'UTF-8'", "PRAGMA encoding = 'UTF-16le'"};
  int encoding, phase, at;
  sqlite3_int64 kept;
  install_failing_memory(has_failed);
  sqlite3_initialize();
  /* What the process keeps is made. */
  attempt(encodings[0], recording, -1);
  attempt(encodings[1], comparing, -1);
  kept = sqlite3_memory_used();
  for (encoding = 0; encoding < 2; encoding++) {
    for (goes_on = 0; goes_on < 2 - encoding; goes_on++)
      for (phase = 0; phase < phases; phase++) {
        lost = wrong = half = failed = 0;
        hits = 1;
        for (at = -1; at < 3000 && hits + (at < 1) > 0; at++) attempt(encodings[encoding], phase, at);
        printf("%s, phase %d, %s: some failed %d, lost %d, wrong %d, half applied %d\n", encodings[encoding], phase,
               goes_on ? "for good" : "once", failed > 0, lost, wrong, half);
      }
    if (encoding == 0) printf("left %lld\n", (long long)(sqlite3_memory_used() - kept));
  }
  return 0;
}
