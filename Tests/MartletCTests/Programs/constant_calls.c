/* How often a deterministic function of constants is called, wherever it stands. */
#include <sqlite3.h>
#include <stdio.h>

static int callCount;

static void call(sqlite3_context *context, int count, sqlite3_value **values) {
  callCount++;
  sqlite3_result_value(context, values[0]);
}

static int print(void *data, int count, char **values, char **names) {
  for (int i = 0; i < count; i++) printf("%s%s", i ? "|" : "  ", values[i] ? values[i] : "NULL");
  printf("\n");
  return 0;
}

int main(void) {
  const char *statements[] = {
    "CREATE TABLE t(a)",
    "INSERT INTO t VALUES(1), (2), (3), (4), (5)",
    "SELECT sum(CASE WHEN a > 2 THEN f(7) ELSE 0 END) FROM t",
    "SELECT sum(CASE WHEN a > 9 THEN f(7) ELSE 0 END) FROM t",
    "SELECT sum(CASE a WHEN f(2) THEN 1 WHEN f(3) THEN f(10) END) FROM t",
    "SELECT sum(iif(a > 1, f(7), f(8))), sum(coalesce(nullif(a, a), f(9))) FROM t",
    "SELECT count(*) FROM t WHERE a > 3 OR a < f(2)",
    "SELECT count(*) FROM t WHERE a > f(3) AND a < f(5)",
    "SELECT sum(a) FILTER (WHERE a < f(4)) FROM t",
    "SELECT a, f(f(1) + 1) FROM t ORDER BY a + f(2) LIMIT 2",
    "CREATE TABLE c(a CHECK(a < f(100)))",
    "INSERT INTO c SELECT a FROM t",
    "UPDATE c SET a = a + 1",
    "UPDATE t SET a = CASE WHEN a > 1 THEN f(6) ELSE f(7) END",
    "INSERT INTO t VALUES(f(1)), (f(1) + f(2)) RETURNING a + f(3)",
    "SELECT (SELECT max(a) FROM t AS u WHERE u.a < f(9) + t.a - t.a) FROM t"};
  sqlite3 *db;
  sqlite3_open(":memory:", &db);
  sqlite3_create_function(db, "f", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, 0,
                          call, 0, 0);
  for (unsigned i = 0; i < sizeof statements / sizeof *statements; i++) {
    callCount = 0;
    printf("%s\n", statements[i]);
    int code = sqlite3_exec(db, statements[i], print, 0, 0);
    printf("%d, called %d times\n", code, callCount);
  }
  sqlite3_close(db);
  return 0;
}
