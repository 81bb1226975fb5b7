/* How many digits reals have as text (SQLITE_DBCONFIG_FP_DIGITS), also with two connections that
   disagree. */
#include <stdio.h>
#include <string.h>

#include "sqlite3.h"

static sqlite3 *other;

static int show(void *unused, int count, char **values, char **names) {
  int n;
  for (n = 0; n < count; n++) printf("%s%s", n ? "|" : "  ", values[n] ? values[n] : "NULL");
  printf("\n");
  return 0;
}

static void run(sqlite3 *db, const char *sql) {
  char *message = 0;
  printf("> %s\n", sql);
  sqlite3_exec(db, sql, show, 0, &message);
  if (message) printf("  error %s\n", message);
  sqlite3_free(message);
}

/* Its argument as text; between asking twice, the other connection runs. */
static void text(sqlite3_context *context, int count, sqlite3_value **values) {
  char seen[100];
  snprintf(seen, sizeof seen, "%s", (const char *)sqlite3_value_text(values[0]));
  sqlite3_exec(other, "SELECT 1.0 / 3, 1.0 / 3 || ''", show, 0, 0);
  sqlite3_result_text(context,
      sqlite3_mprintf("%s %s", seen, (const char *)sqlite3_value_text(values[1])), -1, sqlite3_free);
}

int main(void) {
  static const int digits[] = {0, 15, 2, 3, 4, 5, 6, 10, 16, 17, 18, 19, 20, 21, 22, 23, 24, 99, -1, 1, 15};
  sqlite3 *db;
  sqlite3_stmt *statement = 0;
  int n;
  sqlite3_open(":memory:", &db);
  sqlite3_open(":memory:", &other);
  sqlite3_create_function(db, "text", 2, SQLITE_UTF8, 0, text, 0, 0);
  run(db, "CREATE TABLE t(a REAL, b TEXT, c)");
  for (n = 0; n < (int)(sizeof digits / sizeof *digits); n++) {
    int now = -9;
    printf("%d", sqlite3_db_config(db, SQLITE_DBCONFIG_FP_DIGITS, digits[n], &now));
    printf(" %d -> %d\n", digits[n], now);
    run(db, "DELETE FROM t; INSERT INTO t VALUES (0.1 + 0.2, 1.0 / 3, 1e300 / 7)");
    run(db, "SELECT a, b, c FROM t; SELECT typeof(b), length(b) FROM t WHERE b = a");
    run(db, "SELECT 1.0/3, 123456789.123456789, 100.0, 1e15, 1e16, 1e17, 1e22, 1e23, 5e-324, -0.0,"
            " 2.5e-5, 1e-4 * 3, 9007199254740993.0, 1e999, -1e999, 123456.5, -99999.5, 0.99999999999");
    run(db, "SELECT CAST(1.0/3 AS TEXT), 1.0/3 || '', quote(1.0/3), hex(2.0/3), length(1.0/3),"
            " substr(2.0/3, 1, 9), upper(2e30/3), instr(1.0/3, '33'), concat(1.0/3, 'x'), 1e30/3 LIKE '%e%'");
    run(db, "SELECT printf('%s %g %.17g %!.20g', 1.0/3, 1.0/3, 1.0/3, 1.0/3), json_array(1.0/3),"
            " json_object('a', 2.0/3), json_quote(2.0/3), group_concat(1.0/3), sum(1.0/3), round(2.0/3, 7)");
    run(db, "SELECT json(2.0/3), '[0.1]' -> 0, json_extract('[0.3333333333333333333]', '$[0]'),"
            " julianday('2024-05-06 07:08:09.123'), replace(1.0/3, '3', '9'), unicode(2.0/3), trim(1.0/3, '3')");
    sqlite3_prepare_v2(db, "SELECT 2.0/3, ?1, text(1.0/3, 2.0/3)", -1, &statement, 0);
    sqlite3_bind_double(statement, 1, 1.0 / 7);
    sqlite3_step(statement);
    sqlite3_exec(other, "SELECT 1.0 / 3", show, 0, 0);
    printf("  %d", sqlite3_column_bytes(statement, 0));
    printf(" %s", sqlite3_column_text(statement, 0));
    printf(" %s", (const char *)sqlite3_column_blob(statement, 1));
    printf(" %s", sqlite3_column_text(statement, 2));
    printf(" %g %d", sqlite3_column_double(statement, 0), sqlite3_column_bytes16(statement, 1));
    printf(" %s\n", sqlite3_expanded_sql(statement));
    sqlite3_finalize(statement);
    run(other, "SELECT 0.1 + 0.2");
  }
  sqlite3_close(other);
  return sqlite3_close(db);
}
