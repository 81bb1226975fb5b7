/* Work in a process whose address space ends: each answers with a row or an error, and the database stays sound. */
#define _GNU_SOURCE
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sqlite3.h"

static int conflict(void *argument, int kind, sqlite3_changeset_iter *changes) {
  return kind <= SQLITE_CHANGESET_CONFLICT ? SQLITE_CHANGESET_REPLACE : SQLITE_CHANGESET_OMIT;
}

static int run(sqlite3 *db, const char *sql) { return sqlite3_exec(db, sql, 0, 0, 0); }

/* What is named by # is not SQL. */
static const char *works[] = {
  "INSERT INTO f SELECT b FROM t",
  "INSERT INTO f SELECT b FROM t; SELECT rowid FROM f WHERE f MATCH 'a* OR 1*' ORDER BY rank",
  "INSERT INTO f SELECT b FROM t; INSERT INTO f(f) VALUES ('optimize')",
  "INSERT INTO g SELECT b FROM t",
  "INSERT INTO g SELECT b FROM t; SELECT count(*) FROM g WHERE g MATCH 'a* OR 1*'",
  "INSERT INTO g SELECT b FROM t; INSERT INTO g(g) VALUES ('optimize')",
  "INSERT INTO r SELECT a, a, a + 1, a, a + 2 FROM t; SELECT count(*) FROM r WHERE x0 > 100",
  "UPDATE t SET c = zeroblob(600); PRAGMA wal_checkpoint(TRUNCATE)",
  "BEGIN; UPDATE t SET c = zeroblob(600); COMMIT",
  "SELECT group_concat(b) FROM (SELECT b FROM t ORDER BY b DESC)",
  "SELECT count(*) FROM (SELECT DISTINCT b, c FROM t)",
  "CREATE INDEX i ON t (b, c)",
  "#session", "#changegroup", "#list", "#sum", "#again", 0};

static int session(sqlite3 *db, int combines) {
  sqlite3_session *recorder;
  int code = sqlite3session_create(db, "main", &recorder);
  if (code) return code;
  code = sqlite3session_attach(recorder, 0);
  if (!code)
    code = run(db,
      "UPDATE t SET b = b || 'x' WHERE a % 2; INSERT INTO t SELECT a + 100000, b, c FROM t;"
      "DELETE FROM t WHERE a < 3000");
  int count = 0, inverseCount = 0, allCount = 0;
  void *changes = 0, *inverse = 0, *all = 0;
  if (!code) code = sqlite3session_changeset(recorder, &count, &changes);
  sqlite3session_delete(recorder);
  if (!code) code = sqlite3changeset_invert(count, changes, &inverseCount, &inverse);
  if (!code && combines)
    code = sqlite3changeset_concat(count, changes, inverseCount, inverse, &allCount, &all);
  if (!code) code = sqlite3changeset_apply(db, inverseCount, inverse, 0, conflict, 0);
  sqlite3_free(all);
  sqlite3_free(inverse);
  sqlite3_free(changes);
  return code;
}

static int longText(sqlite3 *db, const char *first, const char *middle, const char *last) {
  static char text[300000];
  char *end = text + sprintf(text, "%s", first);
  while (end - text < 200000) end += sprintf(end, "%s", middle);
  strcpy(end, last);
  return run(db, text);
}

/* Kept statements are compiled again. */
static int again(sqlite3 *db) {
  sqlite3_stmt *kept[200];
  int code = 0, count = 0;
  while (count < 200) {
    code = sqlite3_prepare_v2(db, "SELECT count(*) FROM t JOIN u ON u.x = t.a", -1, &kept[count], 0);
    if (code) break;
    count += 1;
  }
  if (!code) code = run(db, "ALTER TABLE t ADD COLUMN later");
  for (int index = 0; index < count; index++) {
    if (!code) sqlite3_step(kept[index]);
    sqlite3_finalize(kept[index]);
  }
  return code;
}

static int work(sqlite3 *db, const char *name) {
  if (!strcmp(name, "#session")) return session(db, 0);
  if (!strcmp(name, "#changegroup")) return session(db, 1);
  if (!strcmp(name, "#list")) return longText(db, "SELECT a FROM t WHERE a IN (1", ",12345", ")");
  if (!strcmp(name, "#sum")) return longText(db, "SELECT 'a", "abcdefg", "'");
  if (!strcmp(name, "#again")) return again(db);
  return run(db, name);
}

static void prepareFile(void) {
  sqlite3 *db;
  sqlite3_open("base.db", &db);
  int code = run(db,
    "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT, c BLOB);"
    "CREATE TABLE u (x INTEGER PRIMARY KEY);"
    "CREATE VIRTUAL TABLE f USING fts5(w, prefix = '2');"
    "CREATE VIRTUAL TABLE g USING fts4(w);"
    "CREATE VIRTUAL TABLE r USING rtree(id, x0, x1, y0, y1);"
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)"
    "INSERT INTO t SELECT i, printf('%x %x %x', i, i * 7919, i * 104729 % 100003), zeroblob(100)"
    "FROM n");
  if (code) printf("base: %s\n", sqlite3_errmsg(db));
  sqlite3_close(db);
}

static void limitMemory(long room) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld", &pages) != 1) exit(3);
  fclose(file);
  struct rlimit limit = {pages * 4096 + room, pages * 4096 + room};
  setrlimit(RLIMIT_AS, &limit);
}

static int try(const char *name, const char *mode, long room) {
  if (system("rm -f work.db*; cp base.db work.db")) return 1;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    sqlite3 *db;
    sqlite3_open("work.db", &db);
    run(db, mode);
    run(db, "SELECT count(*) FROM t, f, g, r");
    limitMemory(room);
    int code = work(db, name);
    sqlite3_close(db);
    _exit(code == SQLITE_OK || code == SQLITE_NOMEM || code == SQLITE_IOERR_NOMEM ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  int good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!good) printf("%s, %ld KB: status %d\n", name, room / 1024, status);
  sqlite3 *db;
  sqlite3_stmt *check;
  sqlite3_open("work.db", &db);
  if (sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &check, 0) != SQLITE_OK
      || sqlite3_step(check) != SQLITE_ROW
      || strcmp((const char *)sqlite3_column_text(check, 0), "ok")) {
    printf("%s, %ld KB: %s\n", name, room / 1024, sqlite3_errmsg(db));
    good = 0;
  }
  sqlite3_finalize(check);
  sqlite3_close(db);
  return good;
}

int main(void) {
  prepareFile();
  static const long rooms[] = {200, 400, 700, 1100, 1700, 2400, 2800, 3500, 5000, 8000, 12000};
  for (int index = 0; works[index]; index++) {
    int good = 0, count = 0;
    for (int room = 0; room < (int)(sizeof rooms / sizeof *rooms); room++) {
      /* ALTER TABLE reads the whole schema again: with less there may be too little for an object. */
      if (!strcmp(works[index], "#again") && rooms[room] < 700) continue;
      count += 2;
      good += try(works[index], "PRAGMA journal_mode = WAL", rooms[room] * 1024);
      good += try(works[index], "PRAGMA journal_mode = DELETE", rooms[room] * 1024);
    }
    printf("%s: %d of %d answered\n", works[index], good, count);
  }
  return 0;
}
