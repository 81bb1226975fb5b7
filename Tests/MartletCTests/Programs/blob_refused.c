/* Blobs whose transaction is refused when they end (sqlite3_blob_reopen). */
#include "show.h"

static int refuses;
static int refuse(void *data) { return refuses; }

static void blobs(int extended) {
  sqlite3 *db;
  sqlite3_blob *blob;
  int code;
  printf("extended codes: %d\n", extended);
  sqlite3_open(":memory:", &db);
  sqlite3_extended_result_codes(db, extended);
  sqlite3_exec(db, "CREATE TABLE t(a); INSERT INTO t VALUES(zeroblob(5)), (zeroblob(5))", 0, 0, 0);
  sqlite3_commit_hook(db, refuse, 0);
  sqlite3_blob_open(db, "main", "t", "a", 1, 1, &blob);
  sqlite3_blob_write(blob, "x", 1, 0);
  refuses = 1;
  code = sqlite3_blob_reopen(blob, 99);
  printf("  reopen %d %d %s\n", code, sqlite3_errcode(db), sqlite3_errmsg(db));
  code = sqlite3_blob_reopen(blob, 1);
  printf("  reopen %d\n", code);
  code = sqlite3_blob_close(blob);
  printf("  close %d\n", code);
  refuses = 0;
  show(db, "SELECT hex(a) FROM t");
  sqlite3_blob_open(db, "main", "t", "a", 1, 1, &blob);
  sqlite3_blob_write(blob, "x", 1, 0);
  code = sqlite3_blob_reopen(blob, 99);
  printf("  reopen %d %d %s\n", code, sqlite3_errcode(db), sqlite3_errmsg(db));
  sqlite3_blob_close(blob);
  show(db, "SELECT hex(a) FROM t");
  sqlite3_close(db);
}

int main(void) {
  blobs(0);
  blobs(1);
  return 0;
}
