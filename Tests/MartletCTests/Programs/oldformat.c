/* Files in the schema formats before 4 (fileformat2 §1.3.9): records have no types for 0 and 1, and
   indexes no descending columns. */
#include <stdio.h>
#include <string.h>

#include "sqlite3.h"

static sqlite3 *db;

static int print(void *data, int count, char **values, char **names) {
  for (int index = 0; index < count; index++) {
    printf("%s%s", index ? "|" : "", values[index] ? values[index] : "NULL");
  }
  printf("\n");
  return 0;
}

static void run(const char *sql) {
  int code = sqlite3_exec(db, sql, print, 0, 0);
  if (code != SQLITE_OK) printf("%s: %d %s\n", sql, code, sqlite3_errmsg(db));
}

/* The cells of a page with one cell, or the first bytes of one with more. */
static void content(const char *name) {
  sqlite3_stmt *statement;
  sqlite3_prepare_v2(db, "SELECT data FROM sqlite_dbpage WHERE pgno = "
      "(SELECT rootpage FROM sqlite_schema WHERE name = ?1)", -1, &statement, 0);
  sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
  if (sqlite3_step(statement) == SQLITE_ROW) {
    const unsigned char *page = sqlite3_column_blob(statement, 0);
    int size = sqlite3_column_bytes(statement, 0);
    printf("%s:", name);
    for (int index = page[5] << 8 | page[6]; index < size; index++) printf(" %02x", page[index]);
    printf("\n");
  }
  sqlite3_finalize(statement);
}

/* Files that are made in format 1. */
static void legacy(void) {
  int isOn = -1;
  sqlite3_open("legacy.db", &db);
  printf("%d", sqlite3_db_config(db, SQLITE_DBCONFIG_LEGACY_FILE_FORMAT, -1, &isOn));
  printf(" %d\n", isOn);
  sqlite3_db_config(db, SQLITE_DBCONFIG_LEGACY_FILE_FORMAT, 1, &isOn);
  printf("%d\n", isOn);
  run("CREATE TABLE t(a, b); CREATE INDEX i ON t(a DESC)");
  run("INSERT INTO t VALUES(0, 1), (1, 0)");
  run("SELECT hex(substr(data, 45, 4)) FROM sqlite_dbpage WHERE pgno = 1");
  content("t");
  content("i");
  sqlite3_db_config(db, SQLITE_DBCONFIG_LEGACY_FILE_FORMAT, 0, &isOn);
  run("INSERT INTO t VALUES(1, 1); PRAGMA integrity_check");
  content("t");
  sqlite3_close(db);
}

int main(void) {
  legacy();
  for (int format = 1; format <= 4; format++) {
    char name[20];
    snprintf(name, sizeof name, "format%d.db", format);
    printf("== %d\n", format);
    sqlite3_open(name, &db);
    run("PRAGMA page_size = 512; CREATE TABLE t(a, b); CREATE INDEX i ON t(a DESC, b);"
        "CREATE TABLE w(k PRIMARY KEY, v) WITHOUT ROWID");
    sqlite3_close(db);
    FILE *file = fopen(name, "r+b");
    fseek(file, 47, SEEK_SET);
    fputc(format, file);
    fclose(file);
    sqlite3_open(name, &db);
    run("INSERT INTO t VALUES(0, 1), (1, NULL), (2, 0)");
    run("INSERT INTO w VALUES(1, 0), (0, 1)");
    content("t");
    content("i");
    content("w");
    run("UPDATE t SET b = 1 WHERE a = 2; UPDATE w SET v = v + 1; DELETE FROM t WHERE a = 1");
    run("CREATE INDEX late ON t(b DESC)");
    content("t");
    content("late");
    run("SELECT * FROM t ORDER BY a DESC; SELECT b FROM t ORDER BY b DESC; SELECT * FROM w");
    run("CREATE TABLE log(x); CREATE TRIGGER tr AFTER INSERT ON t BEGIN "
        "INSERT INTO log VALUES(new.a); END; INSERT INTO t VALUES(1, 1)");
    content("log");
    run("CREATE TABLE made AS SELECT 0 AS z, 1 AS o");
    content("made");
    run("ALTER TABLE made ADD COLUMN n");
    run("SELECT hex(substr(data, 45, 4)) FROM sqlite_dbpage WHERE pgno = 1");
    run("ALTER TABLE made ADD COLUMN d DEFAULT 1");
    run("SELECT hex(substr(data, 45, 4)) FROM sqlite_dbpage WHERE pgno = 1");
    run("INSERT INTO made VALUES(1, 0, 1, 0)");
    content("made");
    run("INSERT INTO log VALUES(0)");
    content("log");
    run("VACUUM; INSERT INTO t VALUES(7, 0), (-1, 1); PRAGMA integrity_check");
    run("SELECT * FROM t ORDER BY a DESC; SELECT * FROM t WHERE a > 0 ORDER BY a; SELECT * FROM log");
    sqlite3_close(db);
  }
  return 0;
}
