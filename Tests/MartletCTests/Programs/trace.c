/* Looking at statements: the four events of sqlite3_trace_v2, sqlite3_trace and sqlite3_profile. */
#include <stdio.h>
#include <string.h>

#include "sqlite3.h"

static sqlite3 *db;

static void run(const char *sql) {
  printf("> %s\n", sql);
  int code = sqlite3_exec(db, sql, 0, 0, 0);
  if (code != SQLITE_OK) printf("error %d %s\n", code, sqlite3_errmsg(db));
}

static int traced(unsigned event, void *data, void *object, void *detail) {
  if (event == SQLITE_TRACE_ROW && !sqlite3_sql(object)) return 0;
  printf("%s ", (const char *)data);
  switch (event) {
    case SQLITE_TRACE_STMT: {
      char *expanded = sqlite3_expanded_sql(object);
      printf("statement [%s] [%s] of [%s]\n", (const char *)detail, expanded, sqlite3_sql(object));
      sqlite3_free(expanded);
      break;
    }
    case SQLITE_TRACE_PROFILE:
      printf("profile [%s] %d\n", sqlite3_sql(object), *(sqlite3_int64 *)detail >= 0);
      break;
    case SQLITE_TRACE_ROW: printf("row %d of [%s]\n", sqlite3_data_count(object),
        sqlite3_sql(object)); break;
    case SQLITE_TRACE_CLOSE: printf("close %d\n", object == db); break;
    default: printf("event %u\n", event);
  }
  return 0;
}

static void text(void *data, const char *sql) { printf("%s text [%s]\n", (const char *)data, sql); }

static void time_of(void *data, const char *sql, sqlite3_uint64 time) {
  printf("%s time of [%s]\n", (const char *)data, sql);
}

static void inner(sqlite3_context *context, int count, sqlite3_value **values) {
  sqlite3_exec(sqlite3_context_db_handle(context), "SELECT 5\n-- inside", 0, 0, 0);
  sqlite3_result_int(context, 1);
}

static void statements(void) {
  run("SELECT 1; SELECT 2");
  run("  SELECT 3 /* c */ ; ");
  run("INSERT INTO t VALUES(1)");
  run("DELETE FROM p");
  run("INSERT INTO p VALUES(1); INSERT INTO c VALUES(1)");
  run("DELETE FROM p");
  run("SELECT inner()");
  run("BEGIN; COMMIT");
  run("EXPLAIN QUERY PLAN SELECT 1");
  run("CREATE TABLE made(a); DROP TABLE made");
  run("PRAGMA user_version");
  run("INSERT INTO p VALUES(2), (2)");
  run("SELECT * FROM nowhere");
  sqlite3_stmt *statement;
  sqlite3_prepare_v2(db, "SELECT ?1, :name, 'text ?', ?1, ?5", -1, &statement, 0);
  sqlite3_bind_text(statement, 1, "it's", -1, SQLITE_STATIC);
  sqlite3_bind_blob(statement, 2, "\1\2", 2, SQLITE_STATIC);
  sqlite3_bind_double(statement, 5, 2.5);
  sqlite3_step(statement);
  sqlite3_reset(statement);
  sqlite3_step(statement);
  printf("finalize\n");
  sqlite3_finalize(statement);
}

int main(void) {
  sqlite3_open(":memory:", &db);
  run("PRAGMA foreign_keys = 1");
  run("CREATE TABLE t(a)");
  run("CREATE TABLE l(b)");
  run("CREATE TABLE p(id INTEGER PRIMARY KEY)");
  run("CREATE TABLE c(x REFERENCES p ON DELETE CASCADE)");
  run("CREATE TRIGGER tr AFTER INSERT ON t WHEN new.a > 0 BEGIN\n INSERT INTO l VALUES(  new.a ) ;"
      "   UPDATE l  SET b = b + 1; SELECT 1; DELETE FROM l WHERE b = 77; END");
  run("CREATE TRIGGER \"tr 2\" AFTER INSERT ON l BEGIN SELECT new.b; END");
  sqlite3_create_function(db, "inner", 0, SQLITE_UTF8, 0, inner, 0, 0);
  printf("%d\n", sqlite3_trace_v2(db, 15, traced, "all"));
  statements();
  printf("%d\n", sqlite3_trace_v2(db, SQLITE_TRACE_STMT, traced, "statements"));
  run("SELECT 1");
  printf("%d\n", sqlite3_trace_v2(db, SQLITE_TRACE_PROFILE | SQLITE_TRACE_ROW, traced, "rows"));
  run("SELECT 1");
  printf("%d\n", sqlite3_trace_v2(db, 0, traced, "nothing"));
  run("SELECT 1");
  printf("earlier %s\n", (const char *)sqlite3_trace(db, text, "old style"));
  statements();
  printf("earlier %s\n", (const char *)sqlite3_trace(db, text, "again"));
  printf("earlier %d\n", sqlite3_profile(db, time_of, "times") != 0);
  run("SELECT 1");
  printf("earlier %s\n", (const char *)sqlite3_profile(db, 0, 0));
  run("SELECT 1");
  sqlite3_trace_v2(db, SQLITE_TRACE_CLOSE, traced, "closing");
  sqlite3_close(db);
  return 0;
}
