/* SQLITE_DBCONFIG_RESET_DATABASE: an empty database, whatever the file holds. */
#include <stdio.h>
#include <string.h>

#include "sqlite3.h"

static sqlite3 *db;

static int row(void *unused, int count, char **values, char **names) {
  int i;
  for (i = 0; i < count; i++) printf("%s%s", i ? "|" : "  ", values[i] ? values[i] : "NULL");
  printf("\n");
  return 0;
}

static void run(const char *sql) {
  int code = sqlite3_exec(db, sql, row, 0, 0);
  printf("%s: %d %s\n", sql, code, code ? sqlite3_errmsg(db) : "");
}

/* Writes a text over the bytes of a file from a place on. */
static void damage(const char *name, long place, const char *text) {
  FILE *file = fopen(name, "r+b");
  fseek(file, place, SEEK_SET);
  fwrite(text, 1, strlen(text), file);
  fclose(file);
}

/* A file of one text. */
static void fill(const char *name, const char *text) {
  FILE *file = fopen(name, "wb");
  fputs(text, file);
  fclose(file);
}

/* The first 108 bytes without those that count changes and name the library, and the size. */
static void header(const char *name) {
  unsigned char bytes[108];
  FILE *file = fopen(name, "rb");
  size_t count = fread(bytes, 1, sizeof bytes, file);
  size_t i;
  fseek(file, 0, SEEK_END);
  printf("%s: %ld bytes\n ", name, ftell(file));
  fclose(file);
  for (i = 16; i < count; i++) {
    if ((i >= 24 && i < 28) || (i >= 92 && i < 100)) continue;
    printf("%02x", bytes[i]);
  }
  printf("\n");
}

static void reset(const char *name, int reads) {
  int isOn = -1;
  printf("-- %s\n", name);
  sqlite3_open(name, &db);
  if (reads) run("SELECT count(*) FROM sqlite_schema");
  printf("%d", sqlite3_db_config(db, SQLITE_DBCONFIG_RESET_DATABASE, 1, &isOn));
  printf(" %d\n", isOn);
  run("VACUUM");
  header(name);
  printf("%d", sqlite3_db_config(db, SQLITE_DBCONFIG_RESET_DATABASE, 0, &isOn));
  printf(" %d\n", isOn);
  run("SELECT count(*) FROM sqlite_schema");
  run("PRAGMA page_size; PRAGMA encoding; PRAGMA user_version; PRAGMA auto_vacuum");
  run("CREATE TABLE t(a); INSERT INTO t VALUES(1); SELECT * FROM t; PRAGMA integrity_check");
  header(name);
  sqlite3_close(db);
}

static void make(const char *name, const char *settings) {
  remove(name);
  sqlite3_open(name, &db);
  sqlite3_exec(db, settings, 0, 0, 0);
  run("CREATE TABLE t(a, b); CREATE INDEX i ON t(a); CREATE VIEW v AS SELECT 1");
  run("WITH n(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM n WHERE x < 500)"
      " INSERT INTO t SELECT x, randomblob(50) FROM n");
  sqlite3_close(db);
}

/* In a transaction, and beside another connection that reads. */
static void refused(void) {
  sqlite3 *other;
  make("busy.db", "");
  sqlite3_open("busy.db", &db);
  sqlite3_open("busy.db", &other);
  sqlite3_exec(other, "BEGIN; SELECT count(*) FROM t", 0, 0, 0);
  sqlite3_db_config(db, SQLITE_DBCONFIG_RESET_DATABASE, 1, NULL);
  run("VACUUM");
  sqlite3_close(other);
  run("BEGIN; VACUUM");
  run("COMMIT");
  sqlite3_db_config(db, SQLITE_DBCONFIG_RESET_DATABASE, 0, NULL);
  run("SELECT count(*) FROM sqlite_schema");
  sqlite3_close(db);
}

/* The first page is damaged in a write-ahead log, whose pages keep their size. */
static void logged(int size) {
  char sql[200];
  sprintf(sql, "PRAGMA page_size = %d; PRAGMA journal_mode = WAL", size);
  make("logged.db", sql);
  sqlite3_open("logged.db", &db);
  run("SELECT count(*) FROM t");
  sprintf(sql, "UPDATE sqlite_dbpage SET data = randomblob(%d) WHERE pgno = 1", size);
  run(sql);
  sqlite3_db_config(db, SQLITE_DBCONFIG_RESET_DATABASE, 1, NULL);
  run("VACUUM");
  sqlite3_db_config(db, SQLITE_DBCONFIG_RESET_DATABASE, 0, NULL);
  run("PRAGMA page_size; PRAGMA journal_mode; PRAGMA integrity_check; SELECT count(*) FROM sqlite_schema");
  run("CREATE TABLE t(a); INSERT INTO t VALUES(1); SELECT * FROM t");
  sqlite3_close(db);
}

int main(void) {
  int reads;
  for (reads = 0; reads < 2; reads++) {
    make("good.db", "PRAGMA user_version = 5; PRAGMA page_size = 1024");
    reset("good.db", reads);
    make("wide.db", "PRAGMA encoding = 'UTF-16be'; PRAGMA auto_vacuum = 1");
    reset("wide.db", reads);
    make("schema.db", "PRAGMA page_size = 2048");
    damage("schema.db", 2000, "CREATE CREATE CREATE CREATE CREATE");
    reset("schema.db", reads);
    make("magic.db", "");
    damage("magic.db", 0, "this is no database at all");
    reset("magic.db", reads);
    make("size.db", "PRAGMA page_size = 512");
    damage("size.db", 16, "xx");
    reset("size.db", reads);
    make("future.db", "PRAGMA page_size = 512");
    damage("future.db", 18, "\003");
    reset("future.db", reads);
    make("short.db", "");
    fill("short.db", "just a text");
    reset("short.db", reads);
    fill("none.db", "");
    reset("none.db", reads);
  }
  logged(4096);
  logged(8192);
  refused();
  return 0;
}
