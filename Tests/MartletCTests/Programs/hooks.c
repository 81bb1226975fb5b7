/* What a program is told of changes: update, commit, rollback and preupdate hooks, progress. */
#include <stdio.h>
#include <string.h>

#include "sqlite3.h"

static sqlite3 *db;
static int refuses;

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

static void updated(void *data, int kind, const char *database, const char *table,
    sqlite3_int64 rowid) {
  printf("update(%s, %d, %s.%s, %lld)\n", (const char *)data, kind, database, table, rowid);
}

static int committed(void *data) {
  printf("commit(%s)\n", (const char *)data);
  return refuses;
}

static void rolled_back(void *data) { printf("rollback(%s)\n", (const char *)data); }

static void show(const char *name, int code, sqlite3_value *value) {
  if (code != SQLITE_OK) {
    printf(" %s=error %d", name, code);
    return;
  }
  int type = sqlite3_value_type(value);
  const unsigned char *text = sqlite3_value_text(value);
  printf(" %s=%d:%s", name, type, text ? (const char *)text : "NULL");
}

static void before(void *data, sqlite3 *connection, int kind, const char *database,
    const char *table, sqlite3_int64 old_rowid, sqlite3_int64 new_rowid) {
  printf("before(%s, %d, %s.%s", (const char *)data, kind, database, table);
  if (strcmp(table, "w") != 0) {
    if (kind != SQLITE_INSERT) printf(", %lld", old_rowid);
    if (kind != SQLITE_DELETE) printf(", %lld", new_rowid);
  }
  printf(") count %d depth %d blob %d", sqlite3_preupdate_count(connection),
      sqlite3_preupdate_depth(connection), sqlite3_preupdate_blobwrite(connection));
  for (int column = 0; column < sqlite3_preupdate_count(connection); column++) {
    sqlite3_value *value = 0;
    if (kind != SQLITE_INSERT) {
      int code = sqlite3_preupdate_old(connection, column, &value);
      show("old", code, value);
    }
    if (kind != SQLITE_DELETE) {
      int code = sqlite3_preupdate_new(connection, column, &value);
      show("new", code, value);
      printf(" code %d", sqlite3_errcode(connection));
    }
  }
  sqlite3_value *value = 0;
  printf(" range %d", sqlite3_preupdate_count(connection) > 0 && kind == SQLITE_INSERT
          ? sqlite3_preupdate_new(connection, 99, &value)
          : sqlite3_preupdate_old(connection, -1, &value));
  if (kind == SQLITE_INSERT) printf(" misuse %d", sqlite3_preupdate_old(connection, 0, &value));
  if (kind == SQLITE_DELETE) printf(" misuse %d", sqlite3_preupdate_new(connection, 0, &value));
  printf("\n");
}

static int stopping(void *data) {
  int *left = data;
  return --*left <= 0;
}

static unsigned some_pages(void *data, const char *database, unsigned pages, unsigned unused,
    unsigned size) {
  printf("vacuum(%s, %s, %u, %u, %u)\n", (const char *)data, database, pages, unused, size);
  return unused / 2;
}

static void vacuumed(void *data) { printf("vacuumed(%s)\n", (const char *)data); }

static void vacuum(void) {
  sqlite3_open("vacuum.db", &db);
  run("PRAGMA auto_vacuum = 1");
  run("CREATE TABLE big(a)");
  printf("%d\n", sqlite3_autovacuum_pages(db, some_pages, "v1", vacuumed));
  run("WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < 40) "
      "INSERT INTO big SELECT zeroblob(3000) FROM c");
  run("DELETE FROM big WHERE rowid % 2");
  run("PRAGMA page_count; PRAGMA freelist_count; PRAGMA integrity_check");
  printf("%d\n", sqlite3_autovacuum_pages(db, 0, "v2", vacuumed));
  run("DELETE FROM big WHERE rowid % 4");
  run("PRAGMA page_count; PRAGMA freelist_count; PRAGMA integrity_check");
  sqlite3_close(db);
}

static const char *text(void *data) { return data ? data : "(null)"; }

static void changes(void) {
  run("INSERT INTO t VALUES(1, 'one', 1.5), (2, 'two', 2)");
  run("UPDATE t SET b = 'zwei' WHERE a = 2");
  run("UPDATE t SET a = 20 WHERE a = 2");
  run("INSERT OR REPLACE INTO t VALUES(20, 'again', x'00')");
  run("INSERT INTO t VALUES(20, 'upsert', 0) ON CONFLICT(a) DO UPDATE SET c = c + 1");
  run("INSERT OR IGNORE INTO t VALUES(20, 'ignored', 0)");
  run("INSERT INTO w VALUES('k', 'v')");
  run("UPDATE w SET v = 'v2'");
  run("DELETE FROM w");
  run("INSERT INTO g VALUES(3)");
  run("UPDATE g SET a = 4");
  run("DELETE FROM g");
  run("INSERT INTO trig VALUES(5)");
  run("DELETE FROM trig");
  run("INSERT INTO parent VALUES(1)");
  run("INSERT INTO child VALUES(1), (1)");
  run("DELETE FROM parent");
  run("DELETE FROM t WHERE a = 1");
  run("INSERT INTO t SELECT a + 100, b, c FROM t");
  run("DELETE FROM t");
  run("INSERT INTO auto(b) VALUES('x')");
  run("DELETE FROM auto");
  run("CREATE TABLE made(x)");
  run("DROP TABLE made");
  run("CREATE TEMP TABLE tt(x)");
  run("INSERT INTO tt VALUES(1)");
  run("DROP TABLE tt");
}

static void blobs(void) {
  sqlite3_blob *blob;
  run("CREATE TABLE blobs(id INTEGER PRIMARY KEY, a, b)");
  run("INSERT INTO blobs VALUES(7, 'text', x'00112233'), (8, 1.5, zeroblob(5))");
  printf("%d\n", sqlite3_blob_open(db, "main", "blobs", "b", 7, 1, &blob));
  printf("%d\n", sqlite3_blob_write(blob, "xy", 2, 1));
  printf("%d\n", sqlite3_blob_write(blob, "too much", 8, 1));
  printf("%d\n", sqlite3_blob_reopen(blob, 8));
  printf("%d\n", sqlite3_blob_write(blob, "12345", 5, 0));
  printf("%d\n", sqlite3_blob_close(blob));
  run("SELECT id, hex(a), hex(b) FROM blobs");
  run("DROP TABLE blobs");
}

int main(void) {
  sqlite3_value *value;
  sqlite3_open(":memory:", &db);
  printf("outside %d %d %d\n", sqlite3_preupdate_count(db), sqlite3_preupdate_depth(db),
      sqlite3_preupdate_old(db, 0, &value));
  run("PRAGMA foreign_keys = 1");
  run("CREATE TABLE t(a INTEGER PRIMARY KEY, b, c REAL)");
  run("CREATE TABLE w(k PRIMARY KEY, v) WITHOUT ROWID");
  run("CREATE TABLE g(a, b AS (a * 2) STORED, c AS (a * 3), d DEFAULT 'd')");
  run("CREATE TABLE log(what)");
  run("CREATE TABLE trig(a)");
  run("CREATE TRIGGER tr AFTER INSERT ON trig BEGIN "
      "INSERT INTO log VALUES(new.a); UPDATE log SET what = what + 1; END");
  run("CREATE TRIGGER deep AFTER INSERT ON log BEGIN INSERT INTO g VALUES(7); END");
  run("CREATE TABLE parent(id INTEGER PRIMARY KEY)");
  run("CREATE TABLE child(p REFERENCES parent ON DELETE CASCADE)");
  run("CREATE TABLE auto(a INTEGER PRIMARY KEY AUTOINCREMENT, b)");

  printf("earlier data: %s\n", text(sqlite3_update_hook(db, updated, "u1")));
  printf("earlier data: %s\n", text(sqlite3_update_hook(db, updated, "u2")));
  changes();
  printf("earlier data: %s\n", text(sqlite3_update_hook(db, 0, 0)));

  printf("earlier data: %s\n", text(sqlite3_commit_hook(db, committed, "c1")));
  printf("earlier data: %s\n", text(sqlite3_rollback_hook(db, rolled_back, "r1")));
  run("INSERT INTO t VALUES(1, 2, 3)");
  run("SELECT count(*) FROM t");
  run("BEGIN; COMMIT");
  run("BEGIN; INSERT INTO t VALUES(2, 2, 3); COMMIT");
  run("BEGIN; INSERT INTO t VALUES(3, 2, 3); ROLLBACK");
  run("BEGIN; ROLLBACK");
  run("BEGIN; SAVEPOINT s; INSERT INTO t VALUES(3, 2, 3); ROLLBACK TO s; COMMIT");
  run("SAVEPOINT s; INSERT INTO t VALUES(3, 2, 3); RELEASE s");
  run("INSERT INTO t VALUES(1, 'twice', 0)");
  run("BEGIN; INSERT OR ROLLBACK INTO t VALUES(1, 'twice', 0)");
  run("UPDATE t SET b = 5 WHERE 0");
  refuses = 1;
  run("INSERT INTO t VALUES(50, 'refused', 0)");
  run("BEGIN; INSERT INTO t VALUES(51, 'refused', 0); COMMIT");
  run("SELECT * FROM t");
  refuses = 0;
  printf("earlier data: %s\n", text(sqlite3_commit_hook(db, 0, 0)));
  printf("earlier data: %s\n", text(sqlite3_rollback_hook(db, 0, "ignored")));
  run("DELETE FROM t");

  printf("earlier data: %s\n", text(sqlite3_preupdate_hook(db, before, "p1")));
  changes();
  blobs();
  printf("earlier data: %s\n", text(sqlite3_preupdate_hook(db, 0, 0)));

  int left = 3;
  sqlite3_progress_handler(db, 100, stopping, &left);
  run("WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < 1000000) "
      "SELECT sum(i) FROM c");
  left = 1 << 30;
  run("WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c WHERE i < 1000) "
      "SELECT sum(i) FROM c");
  printf("called %d\n", left < 1 << 30);
  sqlite3_progress_handler(db, 0, stopping, &left);
  sqlite3_interrupt(db);
  printf("interrupted %d\n", sqlite3_is_interrupted(db));
  run("SELECT 'runs all the same'");
  run("BEGIN; INSERT INTO t VALUES(1, 2, 3)");
  printf("close %d\n", sqlite3_close(db));
  vacuum();
  return 0;
}
