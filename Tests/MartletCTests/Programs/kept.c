/* What statements that are kept, large values and long schemas leave in memory: little. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sqlite3.h"

enum { megabyte = 1 << 20 };
static sqlite3 *db;

static int show(void *nothing, int count, char **values, char **names) {
  (void)nothing, (void)names;
  for (int i = 0; i < count; i++) printf(" %s", values[i] ? values[i] : "NULL");
  return 0;
}

static void run(const char *sql) {
  printf("%s:", sql);
  int code = sqlite3_exec(db, sql, show, 0, 0);
  printf(" -> %d %s\n", code, code ? sqlite3_errmsg(db) : "");
}

static void tell_use(const char *what, sqlite3_int64 limit) {
  printf("%s: %s\n", what, sqlite3_memory_used() < limit ? "small" : "large");
}

static void tell_highest(const char *what, sqlite3_int64 limit) {
  printf("%s: %s\n", what, sqlite3_memory_highwater(1) < limit ? "small" : "large");
}

static int sum(const unsigned char *bytes, int count) {
  int total = 0;
  for (int i = 0; bytes && i < count; i++) total += bytes[i];
  return total;
}

/* Blobs and texts of a megabyte, by statements that are kept. */
static void large_columns(void) {
  sqlite3_stmt *kept[40];
  run("CREATE TABLE large(id INTEGER PRIMARY KEY, b, t)");
  run("INSERT INTO large VALUES (1, zeroblob(1048576), replace(hex(zeroblob(524288)), '0', 'x'))");
  run("UPDATE large SET b = CAST(t AS BLOB)");
  for (int i = 0; i < 40; i++) {
    char sql[64];
    snprintf(sql, sizeof sql, "SELECT b, t, %d FROM large", i);
    sqlite3_prepare_v2(db, sql, -1, &kept[i], 0);
    sqlite3_step(kept[i]);
    const unsigned char *blob = sqlite3_column_blob(kept[i], 0);
    const unsigned char *text = sqlite3_column_text(kept[i], 1);
    /* The same pointer again, whatever was asked for in between. */
    int same = blob == sqlite3_column_blob(kept[i], 0) && text == sqlite3_column_text(kept[i], 1);
    const unsigned char *as_text = i % 4 == 3 ? sqlite3_column_text(kept[i], 0) : 0;
    if (i < 4)
      printf("  %d %d %d %d %d %d %d\n", same, sum(blob, as_text ? 0 : megabyte), sum(text, megabyte),
        text[megabyte], as_text ? as_text[megabyte] : -1, sqlite3_column_bytes(kept[i], 0),
        sqlite3_column_bytes(kept[i], 1));
    if (i % 2) {
      sqlite3_reset(kept[i]);
    } else {
      printf("%s", sqlite3_step(kept[i]) == SQLITE_DONE ? "" : "another row\n");
    }
  }
  tell_use("40 statements that have read a megabyte", 8 * megabyte);
  for (int i = 0; i < 40; i++) sqlite3_finalize(kept[i]);
}

/* Zeros take no memory where they end a row. */
static void zeros(void) {
  run("CREATE TABLE z(id INTEGER PRIMARY KEY, name, b)");
  sqlite3_memory_highwater(1);
  run("INSERT INTO z VALUES (1, 'first', zeroblob(50000000))");
  tell_highest("a zeroblob", 20 * megabyte);
  sqlite3_stmt *statement;
  sqlite3_prepare_v2(db, "INSERT INTO z VALUES (2, 'second', ?)", -1, &statement, 0);
  sqlite3_bind_zeroblob64(statement, 1, 40000000);
  printf("bound: %d\n", sqlite3_step(statement));
  sqlite3_finalize(statement);
  tell_highest("a zeroblob that is bound", 20 * megabyte);
  run("SELECT id, name, length(b), typeof(b) FROM z");
  sqlite3_blob *blob;
  static unsigned char bytes[100000];
  int code = sqlite3_blob_open(db, "main", "z", "b", 1, 1, &blob);
  printf("open: %d %d\n", code, sqlite3_blob_bytes(blob));
  int total = 0;
  for (int place = 0; place < 50000000; place += sizeof bytes) {
    sqlite3_blob_read(blob, bytes, sizeof bytes, place);
    total += sum(bytes, sizeof bytes);
  }
  printf("zeros: %d\n", total);
  memset(bytes, 7, sizeof bytes);
  printf("write: %d\n", sqlite3_blob_write(blob, bytes, sizeof bytes, 30000000));
  printf("write: %d\n", sqlite3_blob_write(blob, bytes, 10, 5));
  sqlite3_blob_close(blob);
  run("SELECT hex(substr(b, 1, 20)), hex(substr(b, 29999999, 4)), hex(substr(b, 30099999, 4)) FROM z"
      " WHERE id = 1");
  /* The same size: the row is overwritten where it is. */
  sqlite3_memory_highwater(1);
  run("PRAGMA page_count");
  run("UPDATE z SET b = zeroblob(50000000) WHERE id = 1");
  tell_highest("the same again", 20 * megabyte);
  run("PRAGMA page_count");
  code = sqlite3_blob_open(db, "main", "z", "b", 1, 0, &blob);
  sqlite3_blob_read(blob, bytes, sizeof bytes, 30000000);
  printf("zeros: %d\n", sum(bytes, sizeof bytes));
  sqlite3_blob_read(blob, bytes, sizeof bytes, 0);
  printf("zeros: %d\n", sum(bytes, sizeof bytes));
  sqlite3_blob_close(blob);
  run("UPDATE z SET b = zeroblob(300000), name = 'third' WHERE id = 2");
  run("INSERT INTO z SELECT id + 10, name || '!', zeroblob(200000 + id) FROM z");
  run("REPLACE INTO z VALUES (11, 'again', zeroblob(131073)), (13, 'more', zeroblob(131072))");
  run("SELECT id, name, length(b), b = zeroblob(length(b)) FROM z");
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1000000);
  run("INSERT INTO z VALUES (20, 'x', zeroblob(999995))");
  run("INSERT INTO z VALUES (21, 'x', zeroblob(999980))");
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1000000000);
  run("PRAGMA integrity_check");
}

/* Schemas that nobody uses any more are not kept by statements that are. */
static void schemas(void) {
  sqlite3_stmt *kept[60];
  sqlite3_exec(db, "BEGIN", 0, 0, 0);
  for (int i = 0; i < 1500; i++) {
    char sql[160];
    snprintf(sql, sizeof sql, "CREATE TABLE t%d(id INTEGER PRIMARY KEY, a TEXT, b REAL, c)", i);
    sqlite3_exec(db, sql, 0, 0, 0);
  }
  sqlite3_exec(db, "COMMIT", 0, 0, 0);
  sqlite3_int64 before = sqlite3_memory_used();
  for (int i = 0; i < 60; i++) {
    char sql[160];
    snprintf(sql, sizeof sql, "SELECT a AS \"name %d\", b, ?1 AS p FROM t%d", i, i);
    sqlite3_prepare_v2(db, sql, -1, &kept[i], 0);
    sqlite3_bind_int(kept[i], 1, i);
    sqlite3_step(kept[i]);
    sqlite3_reset(kept[i]);
    snprintf(sql, sizeof sql, "ALTER TABLE t%d ADD COLUMN d", i);
    sqlite3_exec(db, sql, 0, 0, 0);
  }
  printf("60 schemas: %s\n", sqlite3_memory_used() - before < 8 * megabyte ? "small" : "large");
  for (int i = 0; i < 60; i += 7) {
    printf("  %d %s %s %s %s", sqlite3_column_count(kept[i]), sqlite3_column_name(kept[i], 0),
      sqlite3_column_decltype(kept[i], 0), sqlite3_column_table_name(kept[i], 1),
      sqlite3_column_database_name(kept[i], 1));
    char *text = sqlite3_expanded_sql(kept[i]);
    printf(" %d %s", sqlite3_stmt_readonly(kept[i]), text);
    sqlite3_free(text);
    char sql[64];
    snprintf(sql, sizeof sql, "INSERT INTO t%d(a, b) VALUES ('v%d', 1.5)", i, i);
    sqlite3_exec(db, sql, 0, 0, 0);
    int code = sqlite3_step(kept[i]);
    printf(" %d %s %d\n", code, sqlite3_column_text(kept[i], 0), sqlite3_column_int(kept[i], 2));
  }
  for (int i = 0; i < 60; i++) sqlite3_finalize(kept[i]);
}

int main(void) {
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 1);
  sqlite3_open("kept.db", &db);
  run("PRAGMA synchronous = OFF");
  large_columns();
  zeros();
  schemas();
  printf("%d\n", sqlite3_close(db));
  return 0;
}
