/* Which of two mistakes in one statement is reported: tables are looked up before columns. */
#include <stdio.h>

#include "sqlite3.h"

static sqlite3 *db;

static void prepare(const char *sql) {
  sqlite3_stmt *statement = 0;
  int code = sqlite3_prepare_v2(db, sql, -1, &statement, 0);
  printf("%s: %d %s\n", sql, code, code ? sqlite3_errmsg(db) : "");
  sqlite3_finalize(statement);
}

int main(void) {
  static const char *statements[] = {
    "SELECT x FROM t, nosuch",
    "SELECT (SELECT y FROM t), (SELECT 1 FROM nosuch)",
    "SELECT x, (SELECT 1 FROM nosuch) FROM t",
    "SELECT a FROM t WHERE x = 1 AND a IN (SELECT 1 FROM nosuch)",
    "SELECT a FROM t WHERE x IN nosuch",
    "SELECT a FROM t WHERE a IN t2 AND x",
    "SELECT a FROM (SELECT x FROM t), nosuch",
    "SELECT a FROM (SELECT x FROM t) JOIN (SELECT 1 FROM nosuch)",
    "SELECT rowid FROM t JOIN nosuch",
    "SELECT x FROM t UNION SELECT a FROM nosuch",
    "SELECT a FROM nosuch UNION SELECT x FROM t",
    "SELECT a FROM nosuch1 UNION SELECT a FROM nosuch2",
    "SELECT a FROM t ORDER BY x, (SELECT 1 FROM nosuch)",
    "SELECT a FROM t GROUP BY x HAVING (SELECT 1 FROM nosuch)",
    "SELECT a FROM t LIMIT (SELECT x FROM nosuch)",
    "SELECT nosuch(a), (SELECT 1 FROM nosuch) FROM t",
    "SELECT abs(1, 2), (SELECT 1 FROM nosuch) FROM t",
    "SELECT sum(sum(a)), (SELECT 1 FROM nosuch) FROM t",
    "SELECT x FROM v, nosuch",
    "SELECT x FROM broken",
    "SELECT x FROM t JOIN broken",
    "WITH c AS (SELECT 1 FROM nosuch) SELECT x FROM t",
    "WITH c AS (SELECT 1 FROM nosuch) SELECT x FROM t, c",
    "WITH c AS (SELECT x FROM t) SELECT 1 FROM c, nosuch",
    "WITH c AS (SELECT x FROM nosuch) SELECT 1 FROM c",
    "WITH c(n) AS (SELECT 1 UNION ALL SELECT n + x FROM c) SELECT 1 FROM c, nosuch",
    "SELECT x FROM t JOIN u USING (nosuch)",
    "SELECT x FROM t JOIN u USING (a), nosuch",
    "SELECT *, x FROM nosuch",
    "SELECT a FROM t JOIN u ON x = (SELECT 1 FROM nosuch)",
    "INSERT INTO t SELECT x FROM t, nosuch",
    "INSERT INTO nosuch SELECT x FROM t",
    "INSERT INTO t VALUES(x, (SELECT 1 FROM nosuch))",
    "UPDATE t SET a = x, b = (SELECT 1 FROM nosuch)",
    "UPDATE t SET a = (SELECT x FROM nosuch)",
    "UPDATE t SET a = 1 WHERE x = (SELECT 1 FROM nosuch)",
    "UPDATE t SET a = x FROM nosuch",
    "DELETE FROM t WHERE x = (SELECT 1 FROM nosuch)",
    "DELETE FROM t WHERE a = (SELECT x FROM t, nosuch)",
    "CREATE TABLE made AS SELECT x FROM t, nosuch",
    "CREATE VIEW made AS SELECT x FROM t, nosuch",
    "SELECT CASE WHEN x THEN (SELECT 1 FROM nosuch) END FROM t",
    "SELECT (a, b) = (SELECT x, 1 FROM nosuch) FROM t",
    "SELECT (1, 2) FROM t WHERE EXISTS (SELECT 1 FROM nosuch)",
    "SELECT (SELECT 1, 2) FROM nosuch",
    "SELECT a FROM t AS p, u AS q WHERE b = (SELECT 1 FROM nosuch)",
    "SELECT a, (SELECT 1 FROM nosuch) FROM t, t2",
    "SELECT x FROM main.nosuch",
    "SELECT x FROM t, other.nosuch",
    "VALUES(x), ((SELECT 1 FROM nosuch))",
    "SELECT count(*) OVER (ORDER BY x) FROM t, nosuch",
    "SELECT x FROM json_each(y), nosuch",
  };
  size_t i;
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db,
               "CREATE TABLE t(a, b); CREATE TABLE t2(a); CREATE TABLE u(c, b);"
               "CREATE VIEW v AS SELECT a FROM t; CREATE VIEW broken AS SELECT 1 FROM gone",
               0, 0, 0);
  for (i = 0; i < sizeof statements / sizeof *statements; i++) prepare(statements[i]);
  return sqlite3_close(db);
}
