/* What the loops of statements are said to have done. Times differ, so that of them only the sign is
   printed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "sqlite3.h"

static sqlite3 *db;

/* C SQLite, to which the program is linked, is built without them. */
static int (*scanstatus)(sqlite3_stmt *, int, int, void *);
static int (*scanstatus_v2)(sqlite3_stmt *, int, int, int, void *);
static void (*scanstatus_reset)(sqlite3_stmt *);

static void show(sqlite3_stmt *statement, int flags) {
  int n;
  for (n = 0;; n++) {
    sqlite3_int64 loops = -7, visits = -7, cycles = -7;
    double estimate = -7;
    const char *name = "unset", *text = "unset";
    int id = -7, parent = -7;
    if (scanstatus_v2(statement, n, SQLITE_SCANSTAT_NLOOP, flags, &loops)) break;
    scanstatus_v2(statement, n, SQLITE_SCANSTAT_NVISIT, flags, &visits);
    scanstatus_v2(statement, n, SQLITE_SCANSTAT_EST, flags, &estimate);
    scanstatus_v2(statement, n, SQLITE_SCANSTAT_NAME, flags, &name);
    scanstatus_v2(statement, n, SQLITE_SCANSTAT_EXPLAIN, flags, &text);
    scanstatus_v2(statement, n, SQLITE_SCANSTAT_SELECTID, flags, &id);
    scanstatus_v2(statement, n, SQLITE_SCANSTAT_PARENTID, flags, &parent);
    scanstatus_v2(statement, n, SQLITE_SCANSTAT_NCYCLE, flags, &cycles);
    printf("  %lld %lld %g %s|%s|%s %s\n", loops, visits, estimate, name ? name : "none", text,
        parent == 0 ? "root" : parent < id ? "child" : "?",
        cycles > 0 ? "time" : cycles == 0 ? "no time" : "unknown");
  }
}

static void run(const char *sql, int flags) {
  sqlite3_stmt *statement = 0;
  sqlite3_int64 total = -7;
  printf("%s\n", sql);
  if (sqlite3_prepare_v2(db, sql, -1, &statement, 0)) {
    printf("  %s\n", sqlite3_errmsg(db));
    return;
  }
  while (sqlite3_step(statement) == SQLITE_ROW) {}
  show(statement, flags);
  printf("  total %d", scanstatus(statement, -1, SQLITE_SCANSTAT_NCYCLE, &total));
  printf(" %s\n", total > 0 ? "time" : total == 0 ? "no time" : "unknown");
  sqlite3_finalize(statement);
}

/* The numbers are those of EXPLAIN QUERY PLAN. */
static void compare(const char *sql) {
  char text[400];
  sqlite3_stmt *statement = 0, *plan = 0;
  int n = 0, same = 1;
  snprintf(text, sizeof text, "EXPLAIN QUERY PLAN %s", sql);
  sqlite3_prepare_v2(db, sql, -1, &statement, 0);
  sqlite3_prepare_v2(db, text, -1, &plan, 0);
  while (sqlite3_step(plan) == SQLITE_ROW) {
    int id = -7, parent = -7;
    const char *detail = "";
    scanstatus_v2(statement, n, SQLITE_SCANSTAT_SELECTID, 1, &id);
    scanstatus_v2(statement, n, SQLITE_SCANSTAT_PARENTID, 1, &parent);
    scanstatus_v2(statement, n, SQLITE_SCANSTAT_EXPLAIN, 1, &detail);
    same &= id == sqlite3_column_int(plan, 0) && parent == sqlite3_column_int(plan, 1) &&
        !strcmp(detail, (const char *)sqlite3_column_text(plan, 3));
    n++;
  }
  printf("%d nodes, %s\n", n, same ? "the same" : "others");
  sqlite3_finalize(statement);
  sqlite3_finalize(plan);
}

static void edges(void) {
  sqlite3_stmt *statement = 0;
  sqlite3_int64 number = 5;
  sqlite3_prepare_v2(db, "SELECT a FROM t", -1, &statement, 0);
  sqlite3_step(statement);
  sqlite3_step(statement);
  scanstatus(statement, 0, SQLITE_SCANSTAT_NVISIT, &number);
  printf("after two rows %lld\n", number);
  /* Counted no longer, though the statement goes on. */
  sqlite3_db_config(db, SQLITE_DBCONFIG_STMT_SCANSTATUS, 0, (int *)0);
  sqlite3_step(statement);
  scanstatus(statement, 0, SQLITE_SCANSTAT_NVISIT, &number);
  printf("switched off %lld\n", number);
  sqlite3_db_config(db, SQLITE_DBCONFIG_STMT_SCANSTATUS, 1, (int *)0);
  sqlite3_reset(statement);
  sqlite3_step(statement);
  scanstatus_reset(statement);
  sqlite3_step(statement);
  scanstatus(statement, 0, SQLITE_SCANSTAT_NVISIT, &number);
  printf("after a reset %lld\n", number);
  number = 5;
  printf("%d", scanstatus(statement, 1, SQLITE_SCANSTAT_NLOOP, &number));
  printf(" %d", scanstatus(statement, -1, SQLITE_SCANSTAT_NLOOP, &number));
  printf(" %d", scanstatus(statement, -2, SQLITE_SCANSTAT_NLOOP, &number));
  printf(" %d", scanstatus(statement, 0, 99, &number));
  printf(" %d", scanstatus(statement, 0, SQLITE_SCANSTAT_NLOOP, 0));
  printf(" %d", scanstatus(0, 0, SQLITE_SCANSTAT_NLOOP, &number));
  printf(" %lld\n", number);
  sqlite3_finalize(statement);
  printf("%d\n", scanstatus(statement, 0, SQLITE_SCANSTAT_NLOOP, &number));
}

int main(void) {
  int on = -1;
  scanstatus = (int (*)(sqlite3_stmt *, int, int, void *))dlsym(RTLD_DEFAULT, "sqlite3_stmt_scanstatus");
  scanstatus_v2 = (int (*)(sqlite3_stmt *, int, int, int, void *))dlsym(
      RTLD_DEFAULT, "sqlite3_stmt_scanstatus_v2");
  scanstatus_reset = (void (*)(sqlite3_stmt *))dlsym(RTLD_DEFAULT, "sqlite3_stmt_scanstatus_reset");
  if (!scanstatus || !scanstatus_v2 || !scanstatus_reset) return 2;
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db,
      "CREATE TABLE t(a INTEGER PRIMARY KEY, b, c);"
      "WITH n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 100)"
      "INSERT INTO t SELECT x, x % 10, x % 7 FROM n; CREATE INDEX tb ON t(b);"
      "CREATE TABLE u(b, d); INSERT INTO u VALUES (3, 'x'), (5, 'y'), (30, 'z');"
      "CREATE TABLE log(x); CREATE TRIGGER w AFTER INSERT ON u BEGIN"
      " INSERT INTO log SELECT a FROM t; END", 0, 0, 0);
  run("SELECT * FROM t WHERE c = 2", 0);
  sqlite3_db_config(db, SQLITE_DBCONFIG_STMT_SCANSTATUS, 1, &on);
  printf("on %d\n", on);
  run("SELECT * FROM t WHERE c = 2", 0);
  run("SELECT * FROM u JOIN t USING (b)", 0);
  run("SELECT * FROM u LEFT JOIN t USING (b) WHERE d <> 'y'", 0);
  run("SELECT * FROM t WHERE a = 7 OR b = 3", 1);
  run("SELECT * FROM u, t AS v ON v.c = u.b", 0);
  run("SELECT * FROM t RIGHT JOIN u ON t.a = u.b", 1);
  run("SELECT a, (SELECT count(*) FROM u WHERE u.b = t.b AND d > '') FROM t WHERE a < 4", 1);
  run("SELECT b, count(*) FROM (SELECT DISTINCT b, c FROM t LIMIT 20) GROUP BY 1 ORDER BY 2", 1);
  run("SELECT count(*) FROM t", 1);
  run("SELECT a FROM t WHERE b IN (1, 2, 77) LIMIT 15", 0);
  run("SELECT 1 UNION SELECT a FROM t", 1);
  run("UPDATE t SET c = 0 WHERE b = 4", 0);
  run("INSERT INTO u SELECT 1, 2 FROM t WHERE a < 3 RETURNING b", 0);
  run("DELETE FROM t WHERE c = 0", 0);
  run("WITH n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 9) SELECT x FROM n", 1);
  compare("SELECT * FROM u LEFT JOIN t USING (b) WHERE a IN (SELECT x FROM log) ORDER BY a");
  edges();
  sqlite3_db_config(db, SQLITE_DBCONFIG_STMT_SCANSTATUS, 0, &on);
  printf("on %d\n", on);
  run("SELECT * FROM t WHERE c = 2", 1);
  return sqlite3_close(db);
}
