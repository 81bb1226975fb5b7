/* Databases of bytes that are none, or damaged: they are given back as they came (c3ref/serialize,
   c3ref/deserialize). */
#include <stdio.h>
#include <string.h>
#include "show.h"

static void try_image(const unsigned char *image, sqlite3_int64 size) {
  sqlite3 *db;
  sqlite3_int64 given = -1;
  unsigned char *bytes = sqlite3_malloc64(size + 1), *copy;
  memcpy(bytes, image, size);
  sqlite3_open(":memory:", &db);
  printf("%lld bytes: %d\n", size,
         sqlite3_deserialize(db, "main", bytes, size, size, SQLITE_DESERIALIZE_FREEONCLOSE));
  show(db, "SELECT count(*) FROM t");
  copy = sqlite3_serialize(db, "main", &given, 0);
  printf("  given %d %lld, %s\n", copy != 0, given,
         copy && given == size && memcmp(copy, image, size) == 0 ? "as it came" : "something else");
  sqlite3_free(copy);
  sqlite3_close(db);
}

/* A file whose header does not say how many pages there are, with a part of one at its end. */
static void cut_page(const unsigned char *image, sqlite3_int64 size, int more) {
  static const unsigned char zeros[1024];
  sqlite3 *db;
  FILE *file = fopen("cut.db", "wb");
  fwrite(image, 1, 28, file);
  fwrite(zeros, 1, 4, file);
  fwrite(image + 32, 1, size - 32, file);
  fwrite(zeros, 1, more, file);
  fclose(file);
  printf("%d bytes more\n", more);
  sqlite3_open("cut.db", &db);
  show(db, "PRAGMA page_count");
  show(db, "INSERT INTO t VALUES(3)");
  show(db, "SELECT count(*) FROM t");
  show(db, "PRAGMA page_count");
  show(db, "PRAGMA integrity_check");
  sqlite3_close(db);
}

int main(void) {
  static unsigned char garbage[2048];
  sqlite3 *db;
  sqlite3_int64 size;
  unsigned char *image;
  int i;
  for (i = 0; i < (int)sizeof garbage; i++) garbage[i] = (unsigned char)(i * 7 + 1);
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db, "PRAGMA page_size = 1024; CREATE TABLE t(a); INSERT INTO t VALUES(1),(2);"
                   "CREATE INDEX i ON t(a)", 0, 0, 0);
  image = sqlite3_serialize(db, "main", &size, 0);
  try_image(image, size);
  try_image(image, 100);
  try_image(image, 512);
  try_image(image, 1024);
  try_image(image, 2048);
  try_image(garbage, 2048);
  try_image(garbage, 20);
  cut_page(image, size, 0);
  cut_page(image, size, 1);
  cut_page(image, size, 1000);
  sqlite3_free(image);
  return sqlite3_close(db);
}
