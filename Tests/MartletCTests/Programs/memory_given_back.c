/* What sorts and hash tables took goes back to the system. */
#include <stdio.h>
#include "sqlite3.h"

static long resident_kb(void) {
  long all = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return 0;
  if (fscanf(file, "%ld %ld", &all, &resident) != 2) resident = 0;
  fclose(file);
  return resident * 4;
}

int main(void) {
  static const char *queries[] = {
      "SELECT count(*) FROM (SELECT DISTINCT d FROM t)",
      "SELECT count(*) FROM (SELECT d, count(*) FROM t GROUP BY d)",
      "SELECT count(*) FROM (SELECT * FROM t ORDER BY d LIMIT 120000 OFFSET 1)",
      "SELECT count(*) FROM (SELECT d FROM t EXCEPT SELECT d FROM t WHERE id%2)",
      "SELECT count(*) FROM t x JOIN t y ON x.d=y.d",
      "SELECT max(x) FROM (SELECT lag(d) OVER (ORDER BY a) x FROM t)"};
  sqlite3 *db;
  long start;
  int round, i;
  sqlite3_open("", &db);
  sqlite3_exec(db,
               "CREATE TABLE t(id INTEGER PRIMARY KEY, a INT, d TEXT);"
               "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<120000)"
               "INSERT INTO t SELECT i, i*7919%120001, 'some longer text for row '||i||"
               "' lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do' FROM c;",
               0, 0, 0);
  start = resident_kb();
  for (round = 0; round < 3; round++) {
    for (i = 0; i < 6; i++) {
      if (sqlite3_exec(db, queries[i], 0, 0, 0)) puts(sqlite3_errmsg(db));
    }
  }
  printf("grown by less than 48 MB: %d\n", resident_kb() - start < 48 << 10);
  sqlite3_db_release_memory(db);
  printf("by less than 16 MB when memory was released: %d\n", resident_kb() - start < 16 << 10);
  sqlite3_close(db);
  printf("%lld bytes are in use\n", sqlite3_memory_used());
  return 0;
}
