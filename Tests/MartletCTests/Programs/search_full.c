/* The merging of an index by optimize() that finds no room says so, though the error ends the
   transaction, and with it the function's savepoint (fts3 §4.4). */
#include <stdio.h>
#include "sqlite3.h"
#include "show.h"

int main(void) {
  int more, inside, index;
  for (more = 0; more < 8; more += 2)
    for (inside = 0; inside < 3; inside++) {
      sqlite3 *db;
      sqlite3_stmt *count;
      char limit[100];
      sqlite3_open(":memory:", &db);
      sqlite3_exec(db, "PRAGMA page_size = 512; CREATE VIRTUAL TABLE t USING fts4(a)", 0, 0, 0);
      for (index = 0; index < 6; index++)
        sqlite3_exec(db,
                     "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)"
                     " INSERT INTO t(a) SELECT 'w' || i || ' w1 w2 w' || (i % 9) || ' w4 ' || hex(i * 7919) FROM n",
                     0, 0, 0);
      /* A savepoint of that name is not the function's. */
      if (inside == 1) sqlite3_exec(db, "BEGIN; INSERT INTO t VALUES('own')", 0, 0, 0);
      if (inside == 2) sqlite3_exec(db, "SAVEPOINT fts3; INSERT INTO t VALUES('own')", 0, 0, 0);
      sqlite3_prepare_v2(db, "PRAGMA page_count", -1, &count, 0);
      sqlite3_step(count);
      sprintf(limit, "PRAGMA max_page_count = %d", sqlite3_column_int(count, 0) + more);
      sqlite3_finalize(count);
      sqlite3_exec(db, limit, 0, 0, 0);
      printf("%d pages more, %d\n", more, inside);
      show(db, "SELECT optimize(t) FROM t LIMIT 1");
      printf("  autocommit %d\n", sqlite3_get_autocommit(db));
      show(db, "SELECT count(*) FROM t WHERE t MATCH 'w1 OR own'");
      show(db, "INSERT INTO t(t) VALUES('integrity-check')");
      sqlite3_exec(db, "PRAGMA max_page_count = 100000", 0, 0, 0);
      show(db, "SELECT optimize(t) FROM t LIMIT 1");
      show(db, "SELECT count(*) FROM t WHERE t MATCH 'w1 OR own'");
      sqlite3_close(db);
    }
  return 0;
}
