/* What lies around statements: damage that a transaction has met, hooks at the commit, blobs that
   move on from a changed row, images of empty databases, interrupts before a statement is compiled
   again. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "show.h"
#include "sqlite3.h"

static char path[500];

static sqlite3 *opened(const char *folder, const char *name) {
  sqlite3 *db;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  sqlite3_open(path, &db);
  return db;
}

/* A transaction that has met a damaged page writes no more, and cannot be committed. */
static void damage(const char *folder, const char *ending) {
  sqlite3 *db = opened(folder, "damage.db");
  FILE *file;
  char bytes[1024];
  printf("damage, %s\n", ending);
  sqlite3_exec(db, "PRAGMA page_size=1024; CREATE TABLE a(x); CREATE TABLE b(y);"
                   "INSERT INTO a SELECT zeroblob(200) FROM (WITH n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n LIMIT 200)"
                   " SELECT i FROM n)", 0, 0, 0);
  sqlite3_close(db);
  memset(bytes, 0xff, sizeof bytes);
  file = fopen(path, "r+b");
  fseek(file, 1024 * 5, SEEK_SET);
  fwrite(bytes, 1, sizeof bytes, file);
  fclose(file);
  db = opened(folder, "damage.db");
  show(db, "INSERT INTO b VALUES (0)");
  show(db, "SELECT sum(length(x)) FROM a");
  show(db, "INSERT INTO b VALUES (1)");
  show(db, "SAVEPOINT o");
  show(db, "INSERT INTO b VALUES (2)");
  show(db, "SAVEPOINT i");
  show(db, "SELECT sum(length(x)) FROM a");
  show(db, "INSERT INTO b VALUES (3)");
  show(db, "CREATE TABLE z(q)");
  show(db, "PRAGMA user_version = 5");
  show(db, "ROLLBACK TO i");
  show(db, "INSERT INTO b VALUES (4)");
  show(db, "SELECT count(*) FROM b");
  show(db, ending);
  printf("  autocommit %d\n", sqlite3_get_autocommit(db));
  show(db, "INSERT INTO b VALUES (5)");
  show(db, "SELECT group_concat(y) FROM b");
  show(db, "BEGIN");
  show(db, "INSERT INTO b VALUES (6)");
  show(db, "COMMIT");
  sqlite3_close(db);
  remove(path);
}

static int commits(void *name) {
  printf("  commit hook %s\n", (const char *)name);
  return 0;
}

static int logs(void *name, sqlite3 *db, const char *database, int frames) {
  printf("  log hook %s %s\n", (const char *)name, database);
  return SQLITE_OK;
}

/* Nobody is told of a commit for which there is no lock; VACUUM is told of. */
static void hooks(const char *folder) {
  sqlite3 *db = opened(folder, "hooks.db"), *other = opened(folder, "hooks.db");
  sqlite3_stmt *reader = 0;
  printf("hooks\n");
  show(db, "CREATE TABLE t(a)");
  show(db, "INSERT INTO t VALUES (1), (2)");
  sqlite3_commit_hook(db, commits, "one");
  sqlite3_prepare_v2(other, "SELECT a FROM t", -1, &reader, 0);
  sqlite3_step(reader);
  show(db, "INSERT INTO t VALUES (3)");
  show(db, "BEGIN");
  show(db, "INSERT INTO t VALUES (4)");
  show(db, "COMMIT");
  sqlite3_finalize(reader);
  show(db, "COMMIT");
  show(db, "VACUUM");
  sqlite3_commit_hook(db, 0, 0);
  show(db, "PRAGMA journal_mode = wal");
  sqlite3_commit_hook(db, commits, "one");
  sqlite3_wal_hook(db, logs, "two");
  show(db, "INSERT INTO t VALUES (5)");
  show(db, "VACUUM");
  sqlite3_close(other);
  sqlite3_close(db);
}

static void moves(sqlite3_blob *blob, sqlite3 *db, int row) {
  char bytes[3] = "..";
  int code = sqlite3_blob_reopen(blob, row);
  printf("  to %d: %d %s, %d bytes;", row, code, sqlite3_errmsg(db), sqlite3_blob_bytes(blob));
  code = sqlite3_blob_read(blob, bytes, 2, 0);
  printf(" read %d %s\n", code, bytes);
}

static void blobs(void) {
  sqlite3 *db;
  sqlite3_blob *blob = 0;
  printf("blobs\n");
  sqlite3_open(":memory:", &db);
  show(db, "CREATE TABLE t(a INTEGER PRIMARY KEY, b)");
  show(db, "INSERT INTO t VALUES (1, 'one'), (2, 'two'), (3, 'three'), (4, 4)");
  sqlite3_blob_open(db, "main", "t", "b", 2, 0, &blob);
  show(db, "DELETE FROM t WHERE a = 2");
  moves(blob, db, 1);
  show(db, "UPDATE t SET b = 'eins' WHERE a = 1");
  moves(blob, db, 1);
  show(db, "UPDATE t SET b = 'uno' WHERE a = 1");
  moves(blob, db, 2);
  moves(blob, db, 3);
  sqlite3_blob_close(blob);
  sqlite3_blob_open(db, "main", "t", "b", 3, 1, &blob);
  show(db, "UPDATE t SET b = 'drei' WHERE a = 3");
  printf("  write %d\n", sqlite3_blob_write(blob, "x", 1, 0));
  moves(blob, db, 1);
  sqlite3_blob_close(blob);
  sqlite3_blob_open(db, "main", "t", "b", 3, 0, &blob);
  moves(blob, db, 4);
  moves(blob, db, 1);
  sqlite3_blob_close(blob);
  sqlite3_blob_open(db, "main", "t", "b", 1, 0, &blob);
  show(db, "BEGIN");
  show(db, "INSERT INTO t VALUES (9, 'nine')");
  show(db, "ROLLBACK");
  moves(blob, db, 3);
  sqlite3_blob_close(blob);
  sqlite3_close(db);
}

static void images(const char *folder) {
  sqlite3 *db;
  sqlite3_int64 size;
  unsigned char *image;
  int i;
  printf("images\n");
  for (i = 0; i < 3; i++) {
    if (i == 1) db = opened(folder, "empty.db");
    else sqlite3_open(":memory:", &db);
    if (i == 2) sqlite3_exec(db, "BEGIN", 0, 0, 0);
    size = -9;
    image = sqlite3_serialize(db, "main", &size, 0);
    printf("  %d: %d, %d bytes\n", i, image != 0, (int)size);
    sqlite3_free(image);
    show(db, "PRAGMA page_count");
    show(db, "PRAGMA integrity_check");
    sqlite3_close(db);
  }
}

static void interrupt(sqlite3_context *context, int count, sqlite3_value **values) {
  sqlite3_interrupt(sqlite3_context_db_handle(context));
}

static void interrupted(void) {
  sqlite3 *db;
  sqlite3_stmt *kept = 0;
  printf("interrupted\n");
  sqlite3_open(":memory:", &db);
  sqlite3_create_function(db, "interrupt", 0, SQLITE_UTF8, 0, interrupt, 0, 0);
  show(db, "CREATE TABLE t(a)");
  show(db, "INSERT INTO t VALUES (1), (2)");
  sqlite3_prepare_v2(db, "SELECT a FROM t", -1, &kept, 0);
  show(db, "CREATE TABLE u(a)");
  show(db, "SELECT interrupt() FROM t");
  printf("  %d\n", sqlite3_step(kept));
  sqlite3_finalize(kept);
  sqlite3_close(db);
}

/* A blob of one byte is no character in UTF-16, and was not lost. */
static void halves(void) {
  sqlite3 *db;
  sqlite3_stmt *statement = 0;
  printf("halves\n");
  sqlite3_open(":memory:", &db);
  show(db, "PRAGMA encoding = 'UTF-16'");
  show(db, "CREATE TABLE t(a)");
  sqlite3_prepare_v2(db, "INSERT INTO t VALUES (x'c3') RETURNING a", -1, &statement, 0);
  sqlite3_step(statement);
  printf("  text %d,", sqlite3_column_text(statement, 0) != 0);
  printf(" %d bytes,", sqlite3_column_bytes16(statement, 0));
  printf(" error %d,", sqlite3_errcode(db));
  printf(" reset %d\n", sqlite3_reset(statement));
  sqlite3_finalize(statement);
  sqlite3_close(db);
}

/* A table whose tokenizer nobody has registered is read, and dropped; codes, marks and rows of FTS5. */
static void searches(const char *folder) {
  sqlite3 *db = opened(folder, "search.db");
  int i;
  printf("searches\n");
  show(db, "CREATE VIRTUAL TABLE f USING fts5(t, tokenize = 'unicode61')");
  show(db, "INSERT INTO f VALUES ('a b')");
  show(db, "PRAGMA writable_schema = on");
  show(db, "UPDATE sqlite_schema SET sql = replace(sql, 'unicode61', 'unknown') WHERE name = 'f'");
  sqlite3_close(db);
  db = opened(folder, "search.db");
  show(db, "SELECT t FROM f WHERE rowid = 1");
  show(db, "SELECT t FROM f WHERE f MATCH 'a'");
  show(db, "INSERT INTO f VALUES ('c')");
  show(db, "SELECT count(*) FROM f");
  show(db, "CREATE VIRTUAL TABLE g USING fts5(t, tokenize = 'unknown')");
  show(db, "ALTER TABLE f RENAME TO h");
  show(db, "DROP TABLE h");
  show(db, "CREATE VIRTUAL TABLE t USING fts5(a, tokenize = trigram)");
  show(db, "INSERT INTO t(rowid, a) VALUES (8, 'abc two run onetwo running two')");
  show(db, "SELECT highlight(t, 0, '<', '>') FROM t WHERE t MATCH 'one two'");
  for (i = 0; i < 2; i++) {
    sqlite3_extended_result_codes(db, i);
    show(db, "INSERT INTO t(rowid, a) VALUES (8, 'again')");
  }
  show(db, "CREATE VIRTUAL TABLE c USING fts5(a, b UNINDEXED, content = '', contentless_unindexed = 1)");
  show(db, "INSERT INTO c(rowid, a, b) VALUES (9, 'two', 12), (8, 'x', 13)");
  show(db, "INSERT INTO c(c, rowid, a, b) VALUES ('delete', 9, 'two', 12)");
  show(db, "SELECT group_concat(rowid || b) FROM c");
  show(db, "INSERT INTO c(rowid, a, b) VALUES (9, 'three', 14)");
  show(db, "SELECT group_concat(rowid || b) FROM c");
  sqlite3_close(db);
}

/* The memory of a VFS that is in the list has gone with the library that had it: nobody looks at it who
   takes another one out in front of it. */
static void list(void) {
  sqlite3_vfs *standard = sqlite3_vfs_find(0), kept = *standard, *gone;
  long size = sysconf(_SC_PAGESIZE);
  printf("list\n");
  gone = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *gone = *standard;
  gone->zName = "gone";
  kept.zName = "kept";
  printf("  %d", sqlite3_vfs_register(gone, 0));
  printf(" %d", sqlite3_vfs_register(&kept, 0));
  munmap(gone, size);
  printf(" %d", sqlite3_vfs_find("kept") == &kept);
  printf(" %d\n", sqlite3_vfs_unregister(&kept));
}

int main(int count, char **words) {
  const char *folder = count > 1 ? words[1] : ".";
  damage(folder, "COMMIT");
  damage(folder, "ROLLBACK");
  damage(folder, "RELEASE o");
  hooks(folder);
  blobs();
  images(folder);
  interrupted();
  halves();
  searches(folder);
  list();
  return 0;
}
