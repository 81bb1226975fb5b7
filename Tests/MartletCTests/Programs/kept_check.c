/* PRAGMA foreign_key_check that is kept and run again: over changes of rows and of schemas, by this
 * connection and by another one. */
#include <stdio.h>
#include <unistd.h>

#include "sqlite3.h"

static sqlite3_stmt *kept[4];
static int count;

static void check(const char *what) {
  int i, j, code;
  printf("%s\n", what);
  for (i = 0; i < count; i++) {
    while ((code = sqlite3_step(kept[i])) == SQLITE_ROW) {
      printf(" ");
      for (j = 0; j < sqlite3_column_count(kept[i]); j++) {
        const unsigned char *text = sqlite3_column_text(kept[i], j);
        printf(" %s", text ? (const char *)text : "NULL");
      }
      printf("\n");
    }
    printf("  %d: %d %d\n", i, code, sqlite3_reset(kept[i]));
  }
}

static void run(sqlite3 *db, const char *sql) {
  int code = sqlite3_exec(db, sql, 0, 0, 0);
  if (code) printf("  %d %s\n", code, sqlite3_errmsg(db));
  check(sql);
}

int main(void) {
  static const char *const checks[] = {"PRAGMA foreign_key_check", "PRAGMA foreign_key_check(child)",
    "PRAGMA main.foreign_key_check", "PRAGMA temp.foreign_key_check"};
  sqlite3 *db, *other;
  int i, hasTables;
  for (hasTables = 0; hasTables < 2; hasTables++) {
    unlink("k.db");
    sqlite3_open("k.db", &db);
    sqlite3_open("k.db", &other);
    if (hasTables) {
      sqlite3_exec(db, "CREATE TABLE child(a REFERENCES parent(id)); CREATE TABLE parent(id PRIMARY KEY)", 0, 0, 0);
    }
    count = 0;
    for (i = 0; i < 4; i++) {
      int code = sqlite3_prepare_v2(db, checks[i], -1, &kept[count], 0);
      printf("%s: %d %s\n", checks[i], code, code ? sqlite3_errmsg(db) : "");
      if (!code) count++;
    }
    check("first");
    run(other, "CREATE TABLE IF NOT EXISTS child(a REFERENCES parent(id)); CREATE TABLE IF NOT EXISTS parent(id PRIMARY KEY)");
    run(db, "INSERT INTO child VALUES(1), (2)");
    run(other, "INSERT INTO parent VALUES(1)");
    run(other, "INSERT INTO child VALUES(3)");
    run(db, "CREATE TABLE second(b REFERENCES child)");
    run(db, "DROP TABLE second");
    run(db, "BEGIN; INSERT INTO parent VALUES(2)");
    run(db, "ROLLBACK");
    run(other, "CREATE TABLE third(b INTEGER PRIMARY KEY REFERENCES parent(id)) WITHOUT ROWID; INSERT INTO third VALUES(7)");
    run(db, "CREATE TEMP TABLE child(a REFERENCES parent(id)); CREATE TEMP TABLE parent(id PRIMARY KEY); INSERT INTO temp.child VALUES(9)");
    run(db, "DROP TABLE temp.child");
    run(other, "ALTER TABLE child RENAME TO kid");
    run(other, "DROP TABLE parent");
    run(other, "CREATE TABLE parent(x)");
    for (i = 0; i < count; i++) sqlite3_finalize(kept[i]);
    sqlite3_close(db);
    sqlite3_close(other);
  }
  return 0;
}
