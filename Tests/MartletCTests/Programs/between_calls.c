/* What changes between two calls: the schema behind a text that is known, a collation of another
   encoding, an interrupt that nothing was running for, PRAGMA query_only; and what is done to one
   database while others are in use. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sqlite3.h"

static int show(void *data, int count, char **values, char **names) {
  printf("  %d columns:", count);
  for (int i = 0; i < count; i++)
    printf(" %s=%s", names[i], values ? values[i] ? values[i] : "NULL" : "(none)");
  printf("\n");
  return data != 0;
}

static void run(sqlite3 *db, const char *sql) {
  char *message = 0;
  int code = sqlite3_exec(db, sql, show, 0, &message);
  printf("%s: %d %s\n", sql, code, message ? message : "");
  sqlite3_free(message);
}

/* A text that one connection has compiled before another changes the table. */
static void schema(void) {
  sqlite3 *one, *two;
  sqlite3_open("columns.db", &one);
  sqlite3_open("columns.db", &two);
  run(one, "CREATE TABLE t(a, b, c); INSERT INTO t VALUES(1, 2, 3), (4, 5, 6)");
  const char *select = "SELECT * FROM t";
  run(two, select);
  run(one, "ALTER TABLE t ADD COLUMN d DEFAULT 7");
  run(two, select);
  run(one, "ALTER TABLE t ADD COLUMN e DEFAULT 8");
  char **table;
  int rows, columns;
  sqlite3_get_table(two, select, &table, &rows, &columns, 0);
  printf("table of %d rows, %d columns, last %s\n", rows, columns,
         table[(rows + 1) * columns - 1]);
  sqlite3_free_table(table);
  run(one, "ALTER TABLE t DROP COLUMN e; ALTER TABLE t DROP COLUMN d; ALTER TABLE t DROP COLUMN c");
  run(two, select);
  run(two, "PRAGMA empty_result_callbacks = 1");
  run(one, "ALTER TABLE t RENAME COLUMN b TO a_name_that_is_longer_than_it_was; DELETE FROM t");
  run(two, select);
  run(one, "ALTER TABLE t ADD COLUMN f; INSERT INTO t VALUES(1, 2, 3), (1, 2, 3)");
  printf("stopped: %d\n", sqlite3_exec(two, select, show, "", 0));
  sqlite3_close(one);
  sqlite3_close(two);
}

static int compare(void *data, int count, const void *bytes, int otherCount, const void *others) {
  int shorter = count < otherCount ? count : otherCount, order = memcmp(bytes, others, shorter);
  if (order == 0) order = count - otherCount;
  return data ? -order : order;
}

static void collations(void) {
  for (int encoding = 0; encoding < 2; encoding++) {
    sqlite3 *db;
    sqlite3_stmt *kept;
    sqlite3_open(":memory:", &db);
    run(db, encoding ? "PRAGMA encoding = 'UTF-16le'" : "PRAGMA encoding = 'UTF-8'");
    run(db, "CREATE TABLE t(x); INSERT INTO t VALUES('a'), ('b'), ('c')");
    struct {
      int encoding;
      void *isReversed;
    } made[] = {{SQLITE_UTF8, db}, {SQLITE_UTF16LE, 0}, {SQLITE_UTF8, 0}, {SQLITE_UTF16, db}};
    for (int i = 0; i < 4; i++) {
      sqlite3_create_collation(db, "own", made[i].encoding, made[i].isReversed, compare);
      if (i == 0) sqlite3_prepare_v2(db, "SELECT x FROM t ORDER BY x COLLATE own", -1, &kept, 0);
      printf("collation %d:", i);
      while (sqlite3_step(kept) == SQLITE_ROW) printf(" %s", sqlite3_column_text(kept, 0));
      printf(" (%d)\n", sqlite3_reset(kept));
    }
    sqlite3_finalize(kept);
    sqlite3_close(db);
  }
}

static void interrupts(void) {
  sqlite3 *db;
  sqlite3_stmt *statement;
  int frames, copied;
  sqlite3_open("log.db", &db);
  run(db, "PRAGMA journal_mode = WAL; CREATE TABLE t(a); INSERT INTO t VALUES(1)");
  sqlite3_wal_checkpoint_v2(db, 0, SQLITE_CHECKPOINT_TRUNCATE, &frames, &copied);
  sqlite3_interrupt(db);
  printf("interrupted: %d\n", sqlite3_is_interrupted(db));
  printf("checkpoint: %d", sqlite3_wal_checkpoint_v2(db, 0, 0, &frames, &copied));
  printf(" %d %d\n", frames, copied);
  printf("interrupted: %d\n", sqlite3_is_interrupted(db));
  sqlite3_prepare_v2(db, "SELECT a FROM t", -1, &statement, 0);
  sqlite3_interrupt(db);
  printf("explain: %d, ", sqlite3_stmt_explain(statement, 1));
  printf("%d, ", sqlite3_stmt_explain(statement, 0));
  sqlite3_interrupt(db);
  printf("step: %d\n", sqlite3_step(statement));
  sqlite3_finalize(statement);
  sqlite3_close(db);
}

static void query_only(void) {
  sqlite3 *db;
  sqlite3_open("only.db", &db);
  run(db, "CREATE TABLE t(a); PRAGMA query_only = 1");
  run(db, "VACUUM INTO 'copy.db'");
  run(db, "VACUUM");
  run(db, "BEGIN IMMEDIATE");
  run(db, "BEGIN; SELECT count(*) FROM t; COMMIT");
  sqlite3_close(db);
  sqlite3_open_v2("only.db", &db, SQLITE_OPEN_READONLY, 0);
  run(db, "BEGIN IMMEDIATE; COMMIT; BEGIN EXCLUSIVE; COMMIT");
  run(db, "PRAGMA query_only = 1; BEGIN IMMEDIATE");
  run(db, "BEGIN EXCLUSIVE");
  sqlite3_close(db);
}

static long size_of(const char *name) {
  FILE *file = fopen(name, "rb");
  if (!file) return -1;
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  fclose(file);
  return size;
}

static void images(void) {
  sqlite3 *db;
  sqlite3_stmt *reading;
  sqlite3_int64 size = 7;
  sqlite3_open("image.db", &db);
  run(db, "SAVEPOINT one");
  unsigned char *image = sqlite3_serialize(db, "temp", &size, 0);
  printf("temp: %d, %lld bytes, transaction %d, file %ld\n", image != 0, size,
         sqlite3_txn_state(db, 0), size_of("image.db"));
  run(db, "RELEASE one; CREATE TABLE t(a); INSERT INTO t VALUES(1), (2); ATTACH ':memory:' AS aux");
  image = sqlite3_serialize(db, "main", &size, 0);
  printf("main: %d, %lld bytes\n", image != 0, size);
  sqlite3_prepare_v2(db, "SELECT a FROM main.t", -1, &reading, 0);
  printf("step: %d\n", sqlite3_step(reading));
  int flags = SQLITE_DESERIALIZE_RESIZEABLE;
  printf("main while it is read: %d\n", sqlite3_deserialize(db, "main", image, size, size, flags));
  printf("aux meanwhile: %d\n", sqlite3_deserialize(db, "aux", image, size, size, flags));
  printf("step: %d\n", sqlite3_step(reading));
  printf("finalize: %d\n", sqlite3_finalize(reading));
  run(db, "BEGIN; SAVEPOINT one");
  printf("aux in a transaction: %d\n",
         sqlite3_deserialize(db, "aux", image, size, size, flags));
  run(db, "INSERT INTO aux.t VALUES(3); SAVEPOINT two; INSERT INTO aux.t VALUES(4); ROLLBACK TO two");
  run(db, "SELECT * FROM aux.t");
  printf("aux when it is read: %d\n",
         sqlite3_deserialize(db, "aux", image, size, size, flags));
  run(db, "ROLLBACK TO one; SELECT * FROM aux.t; VACUUM temp; COMMIT; SELECT * FROM aux.t");
  run(db, "CREATE TEMP TABLE x(a); BEGIN; VACUUM temp; COMMIT");
  sqlite3_close(db);
  sqlite3_free(image);
}

/* What cannot be read has no size. */
static void unreadable_image(void) {
  sqlite3 *db, *other;
  sqlite3_int64 size = 7;
  sqlite3_open("locked.db", &db);
  sqlite3_open("locked.db", &other);
  run(db, "CREATE TABLE t(a)");
  run(other, "BEGIN EXCLUSIVE");
  unsigned char *image = sqlite3_serialize(db, "main", &size, 0);
  printf("locked: %d, %lld bytes\n", image != 0, size);
  sqlite3_free(image);
  run(other, "COMMIT");
  sqlite3_close(other);
  sqlite3_close(db);
}

int main(void) {
  schema();
  collations();
  interrupts();
  query_only();
  images();
  unreadable_image();
  return 0;
}
