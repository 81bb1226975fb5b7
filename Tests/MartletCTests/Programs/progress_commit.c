/* A progress handler that ends COMMIT, or what takes its place: the transaction stays as it was, and
   can be committed later. */
#include <stdio.h>
#include "show.h"
#include "sqlite3.h"

static int stop(void *data) { return 1; }

static void try_with(const char *begin, const char *end) {
  sqlite3 *db;
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db, "CREATE TABLE t(a)", 0, 0, 0);
  sqlite3_exec(db, begin, 0, 0, 0);
  sqlite3_exec(db, "INSERT INTO t VALUES(1), (2)", 0, 0, 0);
  sqlite3_progress_handler(db, 1, stop, 0);
  int code = sqlite3_exec(db, end, 0, 0, 0);
  sqlite3_progress_handler(db, 0, 0, 0);
  printf("%s ... %s: %d, rows", begin, end, code);
  if (!sqlite3_get_autocommit(db)) code = sqlite3_exec(db, end, 0, 0, 0);
  show(db, "SELECT count(*) FROM t");
  printf("autocommit %d\n", sqlite3_get_autocommit(db));
  sqlite3_close(db);
}

int main(void) {
  try_with("BEGIN", "COMMIT");
  try_with("BEGIN IMMEDIATE", "END");
  try_with("SAVEPOINT one", "RELEASE one");
  try_with("BEGIN; SAVEPOINT one", "RELEASE one; COMMIT");
  return 0;
}
