/* Options of connections and of tests: sqlite3_db_config, sqlite3_test_control, old functions. */
#include <stdio.h>
#include <string.h>
#include "sqlite3.h"

static sqlite3 *db;

static int printRow(void *data, int count, char **values, char **names) {
  int index;
  (void)data;
  for (index = 0; index < count; index++) printf("%s=%s ", names[index],
      values[index] ? values[index] : "NULL");
  printf("\n");
  return 0;
}

static void run(const char *sql) {
  char *message = 0;
  int code = sqlite3_exec(db, sql, printRow, 0, &message);
  printf("%s: %d %s\n", sql, code, message ? message : "");
  sqlite3_free(message);
}

static void switches(void) {
  int op, value, code;
  for (op = 1002; op <= 1025; op++) {
    value = -9;
    code = sqlite3_db_config(db, op, -1, &value);
    printf("%d: %d %d", op, code, value);
    code = sqlite3_db_config(db, op, !value, &value);
    printf(", %d %d", code, value);
    code = sqlite3_db_config(db, op, !value, (int *)0);
    sqlite3_db_config(db, op, -1, &value);
    printf(", %d %d\n", code, value);
  }
  printf("%d %d\n", sqlite3_db_config(db, SQLITE_DBCONFIG_LOOKASIDE, (void *)0, 0, 0),
      sqlite3_db_config(db, 5, 1, (int *)0));
}

static void effects(void) {
  run("CREATE TABLE t(a); CREATE TABLE log(text); CREATE VIEW v AS SELECT a FROM t");
  run("CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO log VALUES('main ' || new.a); END");
  run("CREATE TEMP TRIGGER s AFTER INSERT ON t "
      "BEGIN INSERT INTO log VALUES('temp ' || new.a); END");
  run("INSERT INTO t VALUES(1)");
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0);
  run("INSERT INTO t VALUES(2)");
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 1, (int *)0);
  run("INSERT INTO t VALUES(3)");
  run("SELECT * FROM log");
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)0);
  run("SELECT * FROM v");
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 1, (int *)0);
  run("SELECT * FROM v");
  sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
  run("SELECT \"none\"");
  sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 1, (int *)0);
  run("SELECT \"none\"");
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_COMMENTS, 0, (int *)0);
  run("SELECT 1 -- one");
  run("SELECT /* two */ 2");
  run("SELECT '-- no comment'");
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_COMMENTS, 1, (int *)0);
  run("SELECT 1 -- one");
  sqlite3_db_config(db, SQLITE_DBCONFIG_REVERSE_SCANORDER, 1, (int *)0);
  run("SELECT a FROM t; PRAGMA reverse_unordered_selects");
  sqlite3_db_config(db, SQLITE_DBCONFIG_REVERSE_SCANORDER, 0, (int *)0);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE, 0, (int *)0);
  run("ATTACH 'other.db' AS other");
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE, 1, (int *)0);
  run("ATTACH 'other.db' AS other; CREATE TABLE other.x(y); DETACH other");
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE, 0, (int *)0);
  run("ATTACH 'other.db' AS other");
  run("INSERT INTO other.x VALUES(1)");
  run("SELECT count(*) FROM other.x");
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
  run("PRAGMA writable_schema = ON; PRAGMA writable_schema");
  run("DELETE FROM sqlite_schema");
  printf("%d\n", sqlite3_db_config(db, SQLITE_DBCONFIG_MAINDBNAME, "first"));
  run("SELECT count(*) FROM first.t");
  run("SELECT count(*) FROM main.t");
  run("SELECT seq, name FROM pragma_database_list");
  printf("%s\n", sqlite3_db_name(db, 0));
}

static int asked;

static int fault(int number) {
  asked += number + 1;
  return 7;
}

/* A file whose lock bytes are in its middle. */
static void movedLockByte(void) {
  sqlite3 *file;
  unsigned char page[1024];
  unsigned sum = 0;
  int count = 0;
  sqlite3_test_control(SQLITE_TESTCTRL_PENDING_BYTE, 0x10000);
  printf("%d\n", sqlite3_test_control(SQLITE_TESTCTRL_PENDING_BYTE, 0));
  sqlite3_open("moved.db", &file);
  sqlite3_exec(file, "PRAGMA page_size = 1024; PRAGMA auto_vacuum = 1; CREATE TABLE t(a, b);"
      "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < 400) "
      "INSERT INTO t SELECT i, printf('%0700d', i) FROM c; CREATE INDEX i ON t(b);"
      "DELETE FROM t WHERE a % 7 = 0; UPDATE t SET b = b || b WHERE a % 5 = 0", 0, 0, 0);
  sqlite3_exec(file, "PRAGMA integrity_check; PRAGMA page_count; SELECT sum(length(b)) FROM t",
      printRow, 0, 0);
  sqlite3_close(file);
  FILE *bytes = fopen("moved.db", "rb");
  while (fread(page, 1, sizeof page, bytes) == sizeof page) {
    if (count++ != 0x10000 / 1024) continue;
    for (size_t index = 0; index < sizeof page; index++) sum += page[index];
  }
  fclose(bytes);
  printf("%d pages, lock bytes %u\n", count, sum);
  sqlite3_test_control(SQLITE_TESTCTRL_PENDING_BYTE, 0x40000000);
}

static void tests(void) {
  int number = -1;
  printf("%d\n", sqlite3_test_control(SQLITE_TESTCTRL_FAULT_INSTALL, fault));
  printf("%d %d\n", asked, sqlite3_test_control(SQLITE_TESTCTRL_FAULT_INSTALL, (void *)0));
  printf("%d", sqlite3_test_control(SQLITE_TESTCTRL_PENDING_BYTE, 0));
  printf(" %d", sqlite3_test_control(SQLITE_TESTCTRL_ASSERT, 1));
  printf(" %d %d", sqlite3_test_control(SQLITE_TESTCTRL_ALWAYS, 0),
      sqlite3_test_control(SQLITE_TESTCTRL_ALWAYS, 5));
  printf(" %d %d", sqlite3_test_control(SQLITE_TESTCTRL_BYTEORDER),
      sqlite3_test_control(SQLITE_TESTCTRL_ISINIT));
  printf(" %d", sqlite3_test_control(SQLITE_TESTCTRL_OPTIMIZATIONS, db, 0xff));
  printf(" %d", sqlite3_test_control(SQLITE_TESTCTRL_GETOPT, db, &number));
  printf(" %d", number);
  printf(" %d", sqlite3_test_control(SQLITE_TESTCTRL_OPTIMIZATIONS, db, 0));
  printf(" %d", sqlite3_test_control(SQLITE_TESTCTRL_LOCALTIME_FAULT, 0));
  printf(" %d", sqlite3_test_control(SQLITE_TESTCTRL_NEVER_CORRUPT, 0));
  printf(" %d", sqlite3_test_control(SQLITE_TESTCTRL_EXTRA_SCHEMA_CHECKS, 1));
  printf(" %d\n", sqlite3_test_control(99));
}

static void oldOnes(void) {
  sqlite3_stmt *one, *two, *three;
  sqlite3_prepare_v2(db, "SELECT ?, ?2", -1, &one, 0);
  sqlite3_prepare_v2(db, "SELECT ?1 || '-' || ?2 AS pair", -1, &two, 0);
  sqlite3_prepare_v2(db, "SELECT ?1", -1, &three, 0);
  sqlite3_bind_text(one, 1, "text", -1, SQLITE_TRANSIENT);
  sqlite3_bind_int(one, 2, 42);
  printf("%d", sqlite3_transfer_bindings(one, two));
  printf(" %d\n", sqlite3_transfer_bindings(one, three));
  printf("%d", sqlite3_step(two));
  printf(" %s", (const char *)sqlite3_column_text(two, 0));
  printf(" %d", sqlite3_step(one));
  printf(" %d\n", sqlite3_column_type(one, 0));
  printf("%d %d\n", sqlite3_expired(one), sqlite3_expired(0));
  sqlite3_finalize(one);
  sqlite3_finalize(two);
  sqlite3_finalize(three);
  printf("%d %d %d\n", sqlite3_global_recover(), sqlite3_memory_alarm(0, 0, 0),
      sqlite3_enable_shared_cache(0));
  sqlite3_thread_cleanup();
}

static void checkpoints(void) {
  int pages = 5, done = 5;
  printf("%d", sqlite3_wal_checkpoint_v2(db, 0, SQLITE_CHECKPOINT_FULL, &pages, &done));
  printf(" %d %d", pages, done);
  printf(" %d", sqlite3_wal_checkpoint_v2(db, "main", 7, &pages, &done));
  printf(" %d %d", sqlite3_wal_checkpoint(db, "main"), sqlite3_wal_checkpoint(db, ""));
  printf(" %d", sqlite3_wal_checkpoint(db, "nothing"));
  printf(" %s\n", sqlite3_errmsg(db));
  run("BEGIN IMMEDIATE");
  printf("%d", sqlite3_wal_checkpoint(db, "main"));
  printf(" %s", sqlite3_errmsg(db));
  printf(" %d\n", sqlite3_wal_checkpoint(db, 0));
  run("COMMIT");
  printf("%d", (int)(size_t)sqlite3_wal_hook(db, 0, &pages));
  printf(" %d", sqlite3_wal_hook(db, 0, 0) == &pages);
  printf(" %d", sqlite3_wal_autocheckpoint(db, 50));
  printf(" %d\n", (int)(size_t)sqlite3_wal_hook(db, 0, 0));
  sqlite3_wal_autocheckpoint(db, 70);
  run("PRAGMA wal_autocheckpoint");
}

int main(void) {
  sqlite3_open("main.db", &db);
  switches();
  effects();
  tests();
  movedLockByte();
  oldOnes();
  sqlite3_close(db);
  sqlite3_open(":memory:", &db);
  checkpoints();
  printf("%d\n", sqlite3_close(db));
  return 0;
}
