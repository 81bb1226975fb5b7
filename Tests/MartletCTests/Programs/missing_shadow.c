/* FTS5 tables whose own tables are gone. */
#include "show.h"

static const char *const gone[] = {"data", "idx", "content", "docsize", "config"};
static const char *const statements[] = {
  "INSERT INTO f VALUES('b c')", "SELECT rowid FROM f('a')", "SELECT bm25(f) < 0 FROM f('a')", "SELECT * FROM f",
  "UPDATE f SET x = 'd' WHERE rowid = 1", "DELETE FROM f WHERE rowid = 1", "DELETE FROM f",
  "INSERT INTO f(f) VALUES('optimize')", "INSERT INTO f(f, rank) VALUES('pgsz', 64)",
};

int main(void) {
  size_t i, k;
  sqlite3 *db;
  for (i = 0; i < sizeof gone / sizeof *gone; i++)
    for (k = 0; k < sizeof statements / sizeof *statements; k++) {
      char sql[100];
      sqlite3_open(":memory:", &db);
      sqlite3_exec(db, "CREATE VIRTUAL TABLE f USING fts5(x); INSERT INTO f VALUES('a b')", 0, 0, 0);
      sprintf(sql, "DROP TABLE f_%s", gone[i]);
      show(db, sql);
      show(db, statements[k]);
      sqlite3_close(db);
    }
  puts("in a transaction");
  sqlite3_open(":memory:", &db);
  show(db, "CREATE VIRTUAL TABLE one USING fts5(x)");
  show(db, "CREATE VIRTUAL TABLE two USING fts5(x)");
  show(db, "DROP TABLE two_idx");
  show(db, "BEGIN");
  show(db, "INSERT INTO two VALUES('a')");
  show(db, "INSERT INTO one VALUES('a')");
  show(db, "SAVEPOINT s");
  sqlite3_close(db);
  return 0;
}
