/* Connections: opening, closing, facts, blobs, backups, images. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sqlite3.h"

static char folder[500];
static const char *path(const char *name) {
  static char buffer[4][700];
  static int next;
  char *result = buffer[next++ & 3];
  snprintf(result, 700, "%s/%s", folder, name);
  return result;
}
/* Messages and names without the folder. */
static const char *plain(const char *text) {
  static char buffer[2000];
  if (!text) return "-";
  const char *found = strstr(text, folder);
  if (!found) return text;
  snprintf(buffer, sizeof buffer, "%.*s<folder>%s", (int)(found - text), text, found + strlen(folder));
  return buffer;
}
static void show(const char *title, sqlite3 *db, int code) {
  printf("%s: %d, %d %d %s\n", title, code, sqlite3_errcode(db), sqlite3_extended_errcode(db), plain(sqlite3_errmsg(db)));
}
static void destroyed(void *p) { printf("destroyed %s\n", (char *)p); }
static int number_of(sqlite3 *db, const char *sql) {
  sqlite3_stmt *s = 0;
  int result = -1;
  if (sqlite3_prepare_v2(db, sql, -1, &s, 0)) { show(sql, db, -1); return -1; }
  if (sqlite3_step(s) == SQLITE_ROW) result = sqlite3_column_int(s, 0);
  sqlite3_finalize(s);
  return result;
}
static int busy_calls;
static int busy(void *p, int count) { busy_calls++; (void)p; return count < 3; }

static void opening(void) {
  struct { const char *name; int flags; } cases[] = {
      {"a.db", SQLITE_OPEN_READWRITE}, {"a.db", SQLITE_OPEN_READONLY},
      {"a.db", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE}, {"a.db", SQLITE_OPEN_READWRITE},
      {"a.db", SQLITE_OPEN_READONLY}, {"a.db", SQLITE_OPEN_CREATE}, {"a.db", 0}, {"a.db", 3}, {"a.db", 7},
      {"no/such/a.db", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE}, {"", SQLITE_OPEN_READWRITE},
      {"a.db", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY}, {"a.db", SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX},
      {"a.db", SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_PRIVATECACHE},
      {"a.db", SQLITE_OPEN_READWRITE | SQLITE_OPEN_EXRESCODE}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    sqlite3 *db = (sqlite3 *)&db;
    int code = sqlite3_open_v2(path(cases[i].name), &db, cases[i].flags, 0);
    printf("open %s %x: %d handle %d", cases[i].name, cases[i].flags, code, db != 0);
    if (db) show("", db, code); else printf("\n");
    if (!code) {
      char *message = 0;
      code = sqlite3_exec(db, "CREATE TABLE IF NOT EXISTS t(a)", 0, 0, &message);
      printf("  create %d %s; read-only %d\n", code, message ? message : "-", sqlite3_db_readonly(db, "main"));
      sqlite3_free(message);
    }
    printf("  close %d\n", sqlite3_close(db));
  }
  sqlite3 *db = 0;
  int code = sqlite3_open_v2(path("a.db"), &db, SQLITE_OPEN_READWRITE, "no-such-vfs");
  show("vfs", db, code);
  sqlite3_close(db);
  unsigned short wide[] = {':', 'm', 'e', 'm', 'o', 'r', 'y', ':', 0};
  code = sqlite3_open16(wide, &db);
  printf("open16 %d, encoding %d\n", code, number_of(db, "SELECT encoding = 'UTF-16le' FROM pragma_encoding"));
  sqlite3_close(db);
}

static void closing(void) {
  sqlite3 *db;
  sqlite3_stmt *s;
  sqlite3_open(":memory:", &db);
  sqlite3_set_clientdata(db, "one", "data of one", destroyed);
  sqlite3_set_clientdata(db, "two", "data of two", destroyed);
  sqlite3_set_clientdata(db, "one", "new data of one", destroyed);
  printf("client %s %s\n", (char *)sqlite3_get_clientdata(db, "one"), sqlite3_get_clientdata(db, "three") ? "?" : "-");
  sqlite3_set_clientdata(db, "two", 0, 0);
  sqlite3_prepare_v2(db, "SELECT 1 UNION SELECT 2", -1, &s, 0);
  sqlite3_step(s);
  show("close", db, sqlite3_close(db));
  printf("close_v2 %d\n", sqlite3_close_v2(db));
  printf("step %d %d\n", sqlite3_step(s), sqlite3_column_int(s, 0));
  printf("finalize %d\n", sqlite3_finalize(s));
  printf("nulls %d %d %d\n", sqlite3_close(0), sqlite3_close_v2(0), sqlite3_finalize(0));
}

static void facts(void) {
  sqlite3 *db, *other;
  sqlite3_open(path("f.db"), &db);
  sqlite3_exec(db, "CREATE TABLE t(a INTEGER PRIMARY KEY AUTOINCREMENT, b TEXT COLLATE NOCASE NOT NULL, c, "
      "d DECIMAL(10, 2) UNIQUE); CREATE VIEW v AS SELECT * FROM t; ATTACH ':memory:' AS more; "
      "CREATE TABLE more.u(x REAL, PRIMARY KEY(x)) WITHOUT ROWID; CREATE TEMP TABLE w(y)", 0, 0, 0);
  for (int i = -1; i < 5; i++) {
    const char *name = sqlite3_db_name(db, i);
    printf("database %d %s", i, name ? name : "-");
    if (name) printf(" [%s] read-only %d", plain(sqlite3_db_filename(db, name)), sqlite3_db_readonly(db, name));
    printf("\n");
  }
  printf("nothing %d %s\n", sqlite3_db_readonly(db, "nope"), sqlite3_db_filename(db, "nope") ? "?" : "-");
  const char *columns[][3] = {{0, "t", "a"}, {"main", "t", "b"}, {0, "t", "c"}, {0, "T", "D"}, {"more", "u", "x"},
      {0, "u", "x"}, {"temp", "w", "y"}, {0, "t", "rowid"}, {0, "u", "rowid"}, {0, "v", "a"}, {0, "t", "nope"},
      {0, "nope", "a"}, {"more", "t", "a"}, {0, "t", 0}, {0, "nope", 0}, {0, "sqlite_schema", "sql"}};
  for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
    const char *type = "?", *collation = "?";
    int not_null = -1, key = -1, increment = -1;
    int code = sqlite3_table_column_metadata(db, columns[i][0], columns[i][1], columns[i][2], &type, &collation, &not_null, &key, &increment);
    printf("column %s.%s: %d %s %s %d %d %d; %s\n", columns[i][1], columns[i][2] ? columns[i][2] : "-", code,
        type ? type : "-", collation ? collation : "-", not_null, key, increment, sqlite3_errmsg(db));
  }
  sqlite3_exec(db, "INSERT INTO t(b, d) VALUES ('x', 1), ('y', 2), ('z', 3)", 0, 0, 0);
  printf("changes %d %lld total %d rowid %lld autocommit %d state %d\n", sqlite3_changes(db), sqlite3_changes64(db),
      sqlite3_total_changes(db), sqlite3_last_insert_rowid(db), sqlite3_get_autocommit(db), sqlite3_txn_state(db, 0));
  sqlite3_set_last_insert_rowid(db, 77);
  printf("rowid %lld\n", sqlite3_last_insert_rowid(db));
  sqlite3_exec(db, "BEGIN; UPDATE t SET c = 1 WHERE a > 1", 0, 0, 0);
  printf("changes %d autocommit %d states %d %d %d %d\n", sqlite3_changes(db), sqlite3_get_autocommit(db),
      sqlite3_txn_state(db, 0), sqlite3_txn_state(db, "main"), sqlite3_txn_state(db, "more"), sqlite3_txn_state(db, "nope"));
  printf("flush %d\n", sqlite3_db_cacheflush(db));
  sqlite3_open(path("f.db"), &other);
  show("blocked", other, sqlite3_exec(other, "UPDATE t SET c = 2", 0, 0, 0));
  sqlite3_busy_handler(other, busy, 0);
  show("blocked", other, sqlite3_exec(other, "UPDATE t SET c = 2", 0, 0, 0));
  printf("busy %d\n", busy_calls);
  sqlite3_busy_timeout(other, 10);
  show("blocked", other, sqlite3_exec(other, "BEGIN IMMEDIATE", 0, 0, 0));
  sqlite3_exec(db, "ROLLBACK", 0, 0, 0);
  sqlite3_close(other);
  for (int i = -1; i < 14; i++) {
    int old = sqlite3_limit(db, i, -1);
    printf("limit %d: %d", i, old);
    sqlite3_limit(db, i, 7);
    printf(" %d", sqlite3_limit(db, i, 2147483647));
    printf(" %d\n", sqlite3_limit(db, i, old));
  }
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 100);
  sqlite3_stmt *s;
  sqlite3_prepare_v2(db, "SELECT ?", -1, &s, 0);
  show("long text", db, sqlite3_bind_text(s, 1, folder, 101, SQLITE_STATIC));
  show("long zeroblob", db, sqlite3_bind_zeroblob64(s, 1, 1000));
  sqlite3_finalize(s);
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1000000000);
  printf("set_errmsg %d\n", sqlite3_set_errmsg(db, SQLITE_CANTOPEN, "my own words"));
  show("own", db, 0);
  sqlite3_set_errmsg(db, SQLITE_BUSY, 0);
  show("own", db, 0);
  printf("interrupted %d", sqlite3_is_interrupted(db));
  sqlite3_interrupt(db);
  printf(" %d\n", sqlite3_is_interrupted(db));
  printf("setlk %d\n", sqlite3_setlk_timeout(db, -5, 0));
  printf("close %d\n", sqlite3_close(db));
}

static void blobs(void) {
  sqlite3 *db;
  sqlite3_blob *b = (sqlite3_blob *)&db;
  char buffer[40] = {0};
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db, "CREATE TABLE t(a INTEGER PRIMARY KEY, b BLOB, c, i UNIQUE); CREATE VIEW v AS SELECT * FROM t; "
      "CREATE TABLE w(k PRIMARY KEY, b) WITHOUT ROWID; "
      "INSERT INTO t VALUES (1, zeroblob(20), 'some text', x'aa'), (2, x'0102', 7, NULL), (3, 1.5, NULL, x'bb')", 0, 0, 0);
  struct { const char *table, *column; sqlite3_int64 row; int write; } cases[] = {
      {"t", "b", 1, 0}, {"t", "b", 9, 0}, {"t", "c", 2, 0}, {"t", "b", 3, 0}, {"t", "c", 3, 0}, {"t", "nope", 1, 0},
      {"nope", "b", 1, 0}, {"v", "b", 1, 0}, {"w", "b", 1, 0}, {"t", "i", 1, 0}, {"t", "i", 1, 1}, {"t", "a", 1, 0}, {"t", "c", 1, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    int code = sqlite3_blob_open(db, "main", cases[i].table, cases[i].column, cases[i].row, cases[i].write, &b);
    printf("blob %s.%s %lld: handle %d bytes %d ", cases[i].table, cases[i].column, cases[i].row, b != 0, sqlite3_blob_bytes(b));
    show("", db, code);
    sqlite3_blob_close(b);
  }
  sqlite3_blob_open(db, "main", "t", "b", 1, 1, &b);
  show("write", db, sqlite3_blob_write(b, "hello", 5, 3));
  show("write past", db, sqlite3_blob_write(b, "hello", 5, 16));
  show("write before", db, sqlite3_blob_write(b, "hello", 5, -1));
  show("write nothing", db, sqlite3_blob_write(b, "hello", 0, 20));
  show("negative", db, sqlite3_blob_read(b, buffer, -1, 0));
  show("read", db, sqlite3_blob_read(b, buffer, 10, 1));
  for (int i = 0; i < 10; i++) printf("%02x ", (unsigned char)buffer[i]);
  printf("\n");
  show("reopen", db, sqlite3_blob_reopen(b, 2));
  printf("bytes %d\n", sqlite3_blob_bytes(b));
  show("reopen nothing", db, sqlite3_blob_reopen(b, 8));
  show("read aborted", db, sqlite3_blob_read(b, buffer, 1, 0));
  show("reopen aborted", db, sqlite3_blob_reopen(b, 1));
  show("close", db, sqlite3_blob_close(b));
  sqlite3_blob_open(db, "main", "t", "b", 1, 0, &b);
  show("read-only", db, sqlite3_blob_write(b, "x", 1, 0));
  sqlite3_exec(db, "UPDATE t SET b = x'99' WHERE a = 1", 0, 0, 0);
  show("expired", db, sqlite3_blob_read(b, buffer, 1, 0));
  printf("bytes %d\n", sqlite3_blob_bytes(b));
  show("close", db, sqlite3_blob_close(b));
  /* What the last call failed with, the blob ends with. */
  sqlite3_exec(db, "INSERT INTO t(a, b) VALUES(9, x'010203')", 0, 0, 0);
  sqlite3_blob_open(db, "main", "t", "b", 9, 0, &b);
  show("read-only", db, sqlite3_blob_write(b, "x", 1, 0));
  show("close", db, sqlite3_blob_close(b));
  sqlite3_blob_open(db, "main", "t", "b", 9, 0, &b);
  show("read-only", db, sqlite3_blob_write(b, "x", 1, 0));
  show("write past", db, sqlite3_blob_write(b, "x", 1, 3));
  show("close", db, sqlite3_blob_close(b));
  sqlite3_blob_open(db, "main", "t", "b", 9, 0, &b);
  show("read-only", db, sqlite3_blob_write(b, "x", 1, 0));
  show("read", db, sqlite3_blob_read(b, buffer, 3, 0));
  show("close", db, sqlite3_blob_close(b));
  sqlite3_exec(db, "BEGIN; INSERT INTO t(a, b) VALUES(10, x'04')", 0, 0, 0);
  sqlite3_blob_open(db, "main", "t", "b", 10, 0, &b);
  show("read-only", db, sqlite3_blob_write(b, "x", 1, 0));
  show("close", db, sqlite3_blob_close(b));
  show("commit", db, sqlite3_exec(db, "COMMIT", 0, 0, 0));
  printf("closed %d\n", sqlite3_close(db));
}

static void copies(void) {
  sqlite3 *a, *b;
  sqlite3_open(path("from.db"), &a);
  sqlite3_open(path("to.db"), &b);
  sqlite3_exec(a, "PRAGMA page_size = 1024; CREATE TABLE t(x); WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 "
      "FROM c WHERE n < 300) INSERT INTO t SELECT zeroblob(100) FROM c", 0, 0, 0);
  sqlite3_exec(b, "CREATE TABLE old(y)", 0, 0, 0);
  printf("same %d", sqlite3_backup_init(a, "main", a, "main") != 0);
  show("", a, 0);
  printf("unknown %d", sqlite3_backup_init(b, "nope", a, "main") != 0);
  show("", b, 0);
  sqlite3_backup *backup = sqlite3_backup_init(b, "main", a, "main");
  printf("start %d %d\n", sqlite3_backup_remaining(backup), sqlite3_backup_pagecount(backup));
  int code = 0;
  for (int i = 0; i < 20 && code == 0; i++) {
    code = sqlite3_backup_step(backup, 5);
    printf("step %d: %d of %d\n", code, sqlite3_backup_remaining(backup), sqlite3_backup_pagecount(backup));
  }
  printf("again %d\n", sqlite3_backup_step(backup, 5));
  printf("close source %d\n", sqlite3_close(a));
  printf("finish %d\n", sqlite3_backup_finish(backup));
  printf("rows %d\n", number_of(b, "SELECT count(*) FROM t"));
  sqlite3_exec(a, "BEGIN IMMEDIATE; INSERT INTO t VALUES (1)", 0, 0, 0);
  backup = sqlite3_backup_init(b, "main", a, "main");
  /* C's documents say locked, C says busy. */
  code = sqlite3_backup_step(backup, -1);
  printf("locked %d\n", code == SQLITE_BUSY || code == SQLITE_LOCKED);
  sqlite3_exec(a, "COMMIT", 0, 0, 0);
  printf("free %d\n", sqlite3_backup_step(backup, -1));
  printf("finish %d\n", sqlite3_backup_finish(backup));
  sqlite3_int64 size = 0;
  unsigned char *image = sqlite3_serialize(a, "main", &size, 0);
  printf("image %lld %.15s\n", size, image);
  printf("unknown %d %lld\n", sqlite3_serialize(a, "nope", &size, 0) != 0, size);
  sqlite3 *c;
  sqlite3_open(":memory:", &c);
  size = 1024 * (image[30] * 256 + image[31]);
  printf("deserialize %d\n", sqlite3_deserialize(c, "main", image, size, size, SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE));
  printf("rows %d\n", number_of(c, "SELECT count(*) FROM t"));
  show("insert", c, sqlite3_exec(c, "INSERT INTO t SELECT zeroblob(5000)", 0, 0, 0));
  printf("rows %d\n", number_of(c, "SELECT count(*) FROM t"));
  image = sqlite3_serialize(a, "main", &size, 0);
  printf("deserialize %d\n", sqlite3_deserialize(c, "main", image, size, size, SQLITE_DESERIALIZE_READONLY | SQLITE_DESERIALIZE_FREEONCLOSE));
  show("insert", c, sqlite3_exec(c, "INSERT INTO t VALUES (1)", 0, 0, 0));
  show("temp", c, sqlite3_deserialize(c, "temp", 0, 0, 0, 0));
  show("unknown", c, sqlite3_deserialize(c, "nope", 0, 0, 0, 0));
  sqlite3_close(c);
  sqlite3_close(b);
  printf("closed %d\n", sqlite3_close(a));
}

int main(void) {
  if (!getcwd(folder, sizeof folder)) return 1;
  opening();
  closing();
  facts();
  blobs();
  copies();
  return 0;
}
