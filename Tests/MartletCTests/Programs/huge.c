/* Files and logs that say they have as many pages as a database can have, and one more. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sqlite3.h"

enum { pageSize = 512, largest = 1 << 16 };
static unsigned char image[largest];
static size_t imageSize;

static void put(unsigned char *at, unsigned number) {
  at[0] = number >> 24, at[1] = number >> 16, at[2] = number >> 8, at[3] = number;
}

static unsigned get(const unsigned char *at) {
  return (unsigned)at[0] << 24 | (unsigned)at[1] << 16 | (unsigned)at[2] << 8 | at[3];
}

/* The sum of a log's frames, of numbers that stand with their highest byte in front. */
static void sum(unsigned *s, const unsigned char *bytes, int count) {
  int i;
  for (i = 0; i < count; i += 8) {
    s[0] += get(bytes + i) + s[1];
    s[1] += get(bytes + i + 4) + s[0];
  }
}

static void save(const char *name, const unsigned char *bytes, size_t count) {
  FILE *file = fopen(name, "wb");
  fwrite(bytes, 1, count, file);
  fclose(file);
}

static int tell(void *shows, int count, char **values, char **names) {
  (void)count, (void)names;
  if (shows) printf(" %s", values[0] ? values[0] : "NULL");
  return 0;
}

/* What is shown is the same in both libraries, up to the number of pages that there may be. */
static void use(const char *name, int shows) {
  static const char *statements[] = {
    "PRAGMA page_count", "SELECT a, length(b) FROM t", "CREATE TABLE u(x)",
    "INSERT INTO t VALUES(2, zeroblob(5000))", "PRAGMA integrity_check(3)",
    "PRAGMA incremental_vacuum(3)", "DROP TABLE t", "PRAGMA max_page_count = 4294967295",
  };
  sqlite3 *db;
  sqlite3_int64 size = 0;
  size_t i;
  sqlite3_open(name, &db);
  sqlite3_free(sqlite3_serialize(db, "main", &size, 0));
  if (shows) printf("%s %lld\n", name, size);
  for (i = 0; i < sizeof statements / sizeof *statements; i++) {
    int code = sqlite3_exec(db, statements[i], tell, shows ? db : 0, 0);
    if (shows) printf(" %d\n", code);
  }
  sqlite3_close(db);
}

static void file(unsigned pageCount, int shows) {
  unsigned char copy[largest];
  memcpy(copy, image, imageSize);
  put(copy + 28, pageCount);
  memcpy(copy + 92, copy + 24, 4);
  save("file.db", copy, imageSize);
  if (truncate("file.db", (off_t)pageSize * pageCount)) {
    /* Not every file system has room for a hole of two terabytes. */
    if (shows) printf("file.db");
    return;
  }
  use("file.db", shows);
  remove("file.db");
}

static void logOf(unsigned pageCount, int shows) {
  unsigned char copy[largest], log[32 + 24 + pageSize] = {0};
  unsigned s[2] = {0, 0};
  memcpy(copy, image, imageSize);
  copy[18] = copy[19] = 2;
  save("log.db", copy, imageSize);
  put(log, 0x377f0683), put(log + 4, 3007000), put(log + 8, pageSize);
  put(log + 16, 1), put(log + 20, 2);
  sum(s, log, 24);
  put(log + 24, s[0]), put(log + 28, s[1]);
  put(log + 32, 1), put(log + 36, pageCount), put(log + 40, 1), put(log + 44, 2);
  memcpy(log + 56, copy, pageSize);
  put(log + 56 + 28, pageCount), put(log + 56 + 52, pageCount);
  memcpy(log + 56 + 92, log + 56 + 24, 4);
  sum(s, log + 32, 8);
  sum(s, log + 56, pageSize);
  put(log + 48, s[0]), put(log + 52, s[1]);
  save("log.db-wal", log, sizeof log);
  remove("log.db-shm");
  use("log.db", shows);
}

int main(void) {
  sqlite3 *db;
  FILE *made;
  sqlite3_open("made.db", &db);
  sqlite3_exec(db, "PRAGMA page_size = 512; PRAGMA auto_vacuum = FULL; CREATE TABLE t(a, b);"
                   "INSERT INTO t VALUES(1, zeroblob(3000))", 0, 0, 0);
  sqlite3_close(db);
  made = fopen("made.db", "rb");
  imageSize = fread(image, 1, sizeof image, made);
  fclose(made);
  logOf(0xfffffffe, 1);
  logOf(0xffffffff, 0);
  logOf(0x80000000, 1);
  file(0xfffffffe, 1);
  file(0xffffffff, 0);
  return 0;
}
