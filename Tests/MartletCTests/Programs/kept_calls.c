/* What is kept from call to call – columns that blobs were opened in, pragmas that read a number,
   names of savepoints – follows the schema, the files, and who is to be asked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sqlite3.h"

static sqlite3 *db, *other;

static int print(void *nothing, int count, char **values, char **names) {
  (void)nothing, (void)names;
  for (int i = 0; i < count; i++) printf("%s%s", i ? "|" : " ", values[i] ? values[i] : "NULL");
  return 0;
}

static void run_on(sqlite3 *on, const char *sql) {
  printf("%s%s:", on == other ? "(other) " : "", sql);
  int code = sqlite3_exec(on, sql, print, 0, 0);
  printf(" -> %d %s\n", code, code ? sqlite3_errmsg(on) : "");
}

static void run(const char *sql) { run_on(db, sql); }

static void clear_files(void) {
  remove("kept.db"), remove("kept.db-journal"), remove("kept.db-wal"), remove("kept.db-shm");
  remove("kept2.db"), remove("kept2.db-journal");
}

/* Opens, reads three bytes, writes one, closes, and tells how each went. */
static void blob(
    const char *schema, const char *table, const char *column, int row, int writes) {
  sqlite3_blob *blob = 0;
  char bytes[4] = "";
  int opened = sqlite3_blob_open(db, schema, table, column, row, writes, &blob);
  printf(
      "blob %s.%s.%s %d %d: %d %s", schema ? schema : "NULL", table, column, row, writes, opened,
      sqlite3_errmsg(db));
  if (blob) {
    printf(" %d bytes", sqlite3_blob_bytes(blob));
    printf(" read %d", sqlite3_blob_read(blob, bytes, 3, 0));
    printf(" %s", bytes);
    printf(" write %d", sqlite3_blob_write(blob, "w", 1, 1));
    printf(" %s", sqlite3_errmsg(db));
  }
  printf(" close %d %s\n", sqlite3_blob_close(blob), sqlite3_errmsg(db));
}

static void blobs_follow_the_schema(void) {
  run("CREATE TABLE b(id INTEGER PRIMARY KEY, x, y)");
  run("INSERT INTO b VALUES(1, 'abcd', x'313233'), (2, 'efgh', 'ijkl'), (3, 3, NULL),"
      " (4, '', 1.5)");
  for (int writes = 0; writes < 2; writes++) {
    for (int row = 0; row < 6; row++) {
      blob("main", "b", "x", row, writes), blob("main", "b", "y", row, writes);
    }
  }
  blob(0, "b", "x", 1, 0), blob("MAIN", "B", "X", 1, 1), blob("temp", "b", "x", 1, 0);
  blob("none", "b", "x", 1, 0), blob("main", "none", "x", 1, 0), blob("main", "b", "none", 1, 0);
  blob("", "b", "x", 1, 0), blob("main", "", "x", 1, 0), blob("main", "b", "", 1, 0);
  run("CREATE INDEX bx ON b(x)");
  blob("main", "b", "x", 1, 1), blob("main", "b", "x", 1, 0), blob("main", "b", "y", 1, 1);
  run("DROP INDEX bx");
  blob("main", "b", "x", 1, 1);
  run("ALTER TABLE b ADD COLUMN z DEFAULT 'zzz'");
  blob("main", "b", "z", 1, 0), blob("main", "b", "x", 1, 1);
  run("ALTER TABLE b RENAME COLUMN x TO w");
  blob("main", "b", "x", 1, 0), blob("main", "b", "w", 1, 1);
  run("ALTER TABLE b DROP COLUMN w");
  blob("main", "b", "w", 1, 0), blob("main", "b", "y", 1, 1), blob("main", "b", "z", 1, 1);
  run("CREATE TEMP TABLE b(y); INSERT INTO temp.b VALUES('temporary')");
  blob("temp", "b", "y", 1, 1), blob("main", "b", "y", 1, 1), blob(0, "b", "y", 1, 0);
  run("DROP TABLE temp.b");
  blob("temp", "b", "y", 1, 1);
  run("VACUUM");
  blob("main", "b", "y", 1, 1);
  run("DROP TABLE b");
  blob("main", "b", "y", 1, 1);
  run("CREATE VIEW b AS SELECT 1 AS y");
  blob("main", "b", "y", 1, 1);
  run("DROP VIEW b");
}

static void blobs_follow_foreign_keys(void) {
  run("CREATE TABLE p(a PRIMARY KEY); CREATE TABLE c(a REFERENCES p, b)");
  run("INSERT INTO p VALUES('parent'); INSERT INTO c VALUES('parent', 'bbb')");
  for (int on = 0; on < 4; on++) {
    run(on & 1 ? "PRAGMA foreign_keys = ON" : "PRAGMA foreign_keys = OFF");
    blob("main", "c", "a", 1, 0), blob("main", "c", "a", 1, 1), blob("main", "c", "b", 1, 1);
  }
  run("PRAGMA foreign_keys = OFF; DROP TABLE c; DROP TABLE p");
}

static void blobs_follow_other_connections(void) {
  run("CREATE TABLE o(a, b); INSERT INTO o VALUES('aaaa', 'bbbb'), ('cccc', 'dddd')");
  blob("main", "o", "b", 1, 1), blob("main", "o", "b", 2, 0);
  run_on(other, "DROP TABLE o; CREATE TABLE q(x); CREATE TABLE o(b, a)");
  run_on(other, "INSERT INTO o VALUES('BBBB', 'AAAA'), ('DDDD', 'CCCC')");
  blob("main", "o", "b", 1, 1), blob("main", "o", "b", 2, 0);
  run_on(other, "BEGIN EXCLUSIVE");
  blob("main", "o", "b", 1, 1), blob("main", "o", "b", 2, 0);
  run_on(other, "ROLLBACK");
  blob("main", "o", "b", 1, 1), blob("main", "o", "b", 2, 0);
  run_on(other, "CREATE INDEX ob ON o(b)");
  blob("main", "o", "b", 1, 1), blob("main", "o", "b", 2, 0);
  run_on(other, "DROP TABLE o; DROP TABLE q");
  blob("main", "o", "b", 1, 1), blob("main", "o", "b", 2, 0);
}

static void blobs_at_the_same_time(void) {
  sqlite3_blob *open[40];
  char bytes[9];
  run("CREATE TABLE s(a); INSERT INTO s VALUES('11111111'), ('22222222'), ('33333333')");
  for (int i = 0; i < 40; i++) sqlite3_blob_open(db, "main", "s", "a", 1 + i % 3, i & 1, &open[i]);
  for (int i = 39; i >= 0; i--) {
    int read = sqlite3_blob_read(open[i], bytes, 8, 0);
    bytes[8] = 0;
    printf("%d: %d %s %d;", i, read, bytes, sqlite3_blob_write(open[i], "x", 1, i % 8));
    if (i == 20) run("UPDATE s SET a = 'changed!' WHERE rowid = 2");
    if (i % 7 == 0) printf(" reopen %d", sqlite3_blob_reopen(open[i], 2));
    printf(" %d\n", sqlite3_blob_close(open[i]));
  }
  run("SELECT * FROM s");
  sqlite3_blob_open(db, "main", "s", "a", 1, 1, &open[0]);
  run("BEGIN");
  printf("write %d\n", sqlite3_blob_write(open[0], "rolled", 6, 0));
  run("ROLLBACK");
  printf("read %d %s\n", sqlite3_blob_read(open[0], bytes, 8, 0), sqlite3_errmsg(db));
  printf("close %d %s\n", sqlite3_blob_close(open[0]), sqlite3_errmsg(db));
  run("BEGIN; UPDATE s SET a = 'nothing' WHERE rowid = 1");
  sqlite3_blob_open(db, "main", "s", "a", 1, 1, &open[0]);
  sqlite3_blob_open(db, "main", "s", "a", 3, 0, &open[1]);
  printf("write %d\n", sqlite3_blob_write(open[0], "some", 4, 0));
  run("ROLLBACK");
  printf("read %d", sqlite3_blob_read(open[0], bytes, 7, 0));
  printf(" read %d\n", sqlite3_blob_read(open[1], bytes, 7, 0));
  printf("close %d", sqlite3_blob_close(open[0]));
  printf(" close %d\n", sqlite3_blob_close(open[1]));
  run("SELECT * FROM s");
  for (int i = 0; i < 20; i++) {
    char sql[100];
    sqlite3_snprintf(
        sizeof sql, sql, "CREATE TABLE s%d(a); INSERT INTO s%d VALUES('of %d')", i, i, i);
    sqlite3_exec(db, sql, 0, 0, 0);
  }
  for (int i = 0; i < 60; i++) {
    char table[10];
    sqlite3_snprintf(sizeof table, table, "s%d", i % 20);
    blob("main", table, "a", 1, i & 1);
  }
}

static void attached_blobs(void) {
  for (int turn = 0; turn < 3; turn++) {
    run("ATTACH 'kept2.db' AS two");
    run("CREATE TABLE IF NOT EXISTS two.s(a); DELETE FROM two.s");
    run("INSERT INTO two.s VALUES('second')");
    blob("two", "s", "a", 1, 1), blob("main", "s", "a", 1, 1);
    run("DETACH two");
    blob("two", "s", "a", 1, 1), blob("main", "s", "a", 1, 1);
  }
}

/* MARK: Statements */

/* How often an authorizer was asked, and whether pragmas were compiled again, where it is told. */
static int asked, tells;

static int authorize(
    void *nothing, int code, const char *a, const char *b, const char *c, const char *d) {
  (void)nothing, (void)code, (void)a, (void)b, (void)c, (void)d;
  asked++;
  return SQLITE_OK;
}

static void step(sqlite3_stmt *statement) {
  int code;
  printf("  %s:", sqlite3_sql(statement));
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
      const char *text = (const char *)sqlite3_column_text(statement, i);
      printf("%s%s", i ? "|" : " ", text ? text : "NULL");
    }
  }
  printf(" -> %d", code);
  code = sqlite3_reset(statement);
  printf(" %d %s", code, code ? sqlite3_errmsg(db) : "");
  int again = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 1) > 0;
  if (tells) printf(" asked %d again %d", asked, again);
  asked = 0;
  printf("\n");
}

static const char *const texts[] = {
    "PRAGMA user_version", "PRAGMA schema_version", "PRAGMA application_id",
    "PRAGMA freelist_count",
    "PRAGMA main.user_version", "PRAGMA temp.user_version", "PRAGMA page_count",
    "PRAGMA table_info(k)", "PRAGMA foreign_keys", "PRAGMA index_list(k)",
    "SELECT m.name, p.name FROM sqlite_schema m, pragma_table_info(m.name) p"
    " WHERE m.name LIKE 'k%'",
    "SELECT m.name, p.name, i.name FROM sqlite_schema m, pragma_index_list(m.name) p,"
    " pragma_index_xinfo(p.name) i WHERE m.name LIKE 'k%'",
    "SELECT m.name, p.\"table\", p.\"from\" FROM sqlite_schema m,"
    " pragma_foreign_key_list(m.name, 'main') p",
    "SELECT name, type, hidden FROM pragma_table_xinfo('k')",
    "SELECT schema, name, ncol FROM pragma_table_list('k')",
    "SELECT name FROM pragma_table_info('v')"};
enum { text_count = sizeof texts / sizeof *texts };

static sqlite3_stmt *kept[text_count];

static void all(const char *when) {
  printf("%s\n", when);
  for (int i = 0; i < text_count; i++) step(kept[i]);
  tells = 0;
}

static void kept_pragmas(void) {
  run("CREATE TABLE k(a INTEGER PRIMARY KEY, b TEXT UNIQUE, c REFERENCES k2)");
  run("CREATE TABLE k2(x PRIMARY KEY, y) WITHOUT ROWID; CREATE INDEX k2y ON k2(y DESC)");
  run("CREATE VIEW v AS SELECT b, c FROM k");
  for (int i = 0; i < text_count; i++) {
    if (sqlite3_prepare_v2(db, texts[i], -1, &kept[i], 0)) printf("%s\n", sqlite3_errmsg(db));
  }
  tells = 1, all("first");
  tells = 1, all("second");
  run("PRAGMA user_version = 7; PRAGMA application_id = 8");
  tells = 1, all("changed");
  run_on(other, "PRAGMA user_version = 9; ALTER TABLE k ADD COLUMN d; DROP TABLE k2");
  all("changed by another");
  run("ALTER TABLE k RENAME COLUMN b TO bb");
  all("renamed");
  run("CREATE TEMP TABLE k(temporary); PRAGMA temp.user_version = 3");
  all("with a temporary table");
  run("DROP TABLE temp.k; BEGIN; PRAGMA user_version = 10; CREATE TABLE k3(only)");
  all("in a transaction");
  run("ROLLBACK");
  all("rolled back");
  sqlite3_set_authorizer(db, authorize, 0);
  all("authorized"), all("authorized again");
  sqlite3_set_authorizer(db, 0, 0);
  all("not authorized any more");
  run("ATTACH 'kept2.db' AS two");
  all("attached");
  run("DETACH two");
  all("detached");
  run_on(other, "BEGIN EXCLUSIVE");
  all("locked");
  run_on(other, "ROLLBACK");
  run("DROP VIEW v; CREATE VIEW v AS SELECT none FROM nowhere");
  all("with a broken view");
  run("DROP VIEW v; DROP TABLE k");
  all("dropped");
  for (int i = 0; i < text_count; i++) sqlite3_finalize(kept[i]);
}

static void pragma_tables(void) {
  run("CREATE TABLE w(a, \"b c\" DEFAULT 'x''y', d AS (a + 1), e AS (a) STORED,"
      " f NOT NULL DEFAULT (1+2))");
  run("SELECT * FROM pragma_table_info('w')");
  run("SELECT * FROM pragma_table_xinfo('w')");
  run("SELECT * FROM pragma_table_info('w', 'main')");
  run("SELECT * FROM pragma_table_info('w', 'temp')");
  run("SELECT * FROM pragma_table_info('w', 'none')");
  run("SELECT * FROM pragma_table_info('W', 'MAIN')");
  run("SELECT * FROM pragma_table_info('none')");
  run("SELECT * FROM pragma_table_info('')");
  run("SELECT * FROM pragma_table_info(NULL)");
  run("SELECT * FROM pragma_table_info");
  run("SELECT * FROM pragma_table_info(1)");
  run("SELECT name FROM pragma_table_info('w' || char(0) || 'x')");
  run("SELECT name, arg, schema FROM pragma_table_info('w', 'main') WHERE cid > 0");
  run("SELECT name FROM pragma_table_info('sqlite_schema')");
  run("SELECT name FROM pragma_table_info('pragma_table_info')");
  run("SELECT count(*) FROM pragma_table_list");
  run("SELECT name FROM pragma_index_info('sqlite_autoindex_none_1')");
  run("CREATE TABLE \"1\"(one)");
  run("SELECT name, arg, typeof(arg), schema FROM pragma_table_info(1)");
  run("SELECT name, arg, typeof(arg) FROM pragma_table_info('1' || char(0) || 'x')");
  run("DROP TABLE \"1\"");
  run("SELECT rowid, name FROM pragma_table_info('w') ORDER BY rowid DESC");
  run("DROP TABLE w");
}

static void kept_transactions(void) {
  static const char *const sql[] = {
      "BEGIN", "BEGIN IMMEDIATE", "BEGIN EXCLUSIVE", "COMMIT", "ROLLBACK", "SAVEPOINT a",
      "RELEASE A", "ROLLBACK TO a", "SAVEPOINT \"\xc3\xa4\"", "RELEASE \"\xc3\x84\"",
      "RELEASE \"\xc3\xa4\"", "SAVEPOINT \"a long name of a savepoint\"",
      "RELEASE \"A Long Name of a SAVEPOINT\"", "RELEASE \"a long name of a savepoinT \""};
  enum { count = sizeof sql / sizeof *sql };
  sqlite3_stmt *statements[count], *half;
  for (int i = 0; i < count; i++) sqlite3_prepare_v2(db, sql[i], -1, &statements[i], 0);
  sqlite3_prepare_v2(db, "SELECT a FROM s", -1, &half, 0);
  unsigned seed = 12345;
  for (int turn = 0; turn < 400; turn++) {
    seed = seed * 1103515245 + 12345;
    int what = (int)(seed >> 16) % (count + 6);
    if (what < count) step(statements[what]);
    if (what == count) printf("  half: %d\n", sqlite3_step(half));
    if (what == count + 1) printf("  reset: %d\n", sqlite3_reset(half));
    if (what == count + 2) run("INSERT INTO s VALUES('inserted')");
    if (what == count + 3) run(turn & 1 ? "ATTACH 'kept2.db' AS two" : "DETACH two");
    if (what == count + 4) run_on(other, turn & 1 ? "BEGIN IMMEDIATE" : "ROLLBACK");
    if (what == count + 5) printf("  autocommit %d\n", sqlite3_get_autocommit(db));
  }
  sqlite3_finalize(half);
  for (int i = 0; i < count; i++) sqlite3_finalize(statements[i]);
  run("ROLLBACK");
  run_on(other, "ROLLBACK");
}

int main(void) {
  static const char *const encodings[] = {
      "PRAGMA encoding = 'UTF-8'", "PRAGMA encoding = 'UTF-16le'"};
  for (int i = 0; i < 2; i++) {
    clear_files();
    sqlite3_open("kept.db", &db), sqlite3_open("kept.db", &other);
    run(encodings[i]);
    blobs_follow_the_schema(), blobs_follow_foreign_keys(), blobs_follow_other_connections();
    blobs_at_the_same_time(), kept_pragmas(), pragma_tables();
    if (i == 0) attached_blobs(), kept_transactions();
    sqlite3_blob *last = 0;
    printf("open %d", sqlite3_blob_open(db, "main", "s", "a", 1, 1, &last));
    printf(" close %d", sqlite3_close(db));
    printf(" blob %d", sqlite3_blob_close(last));
    printf(" close %d %d\n", sqlite3_close(db), sqlite3_close(other));
  }
  clear_files();
  return 0;
}
