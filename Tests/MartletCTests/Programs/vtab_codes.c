/* What the constructor of a virtual table fails with is what the statement fails with, of eponymous
   tables too; and a constructor that asks for the table that it makes. */
#include <stdio.h>
#include <stdlib.h>
#include "sqlite3.h"

static int code;
static const char *words, *asked;
static int depth;

static int make(sqlite3 *db, void *data, int count, const char *const *arguments, sqlite3_vtab **table,
                char **message) {
  if (asked) {
    int rc;
    if (depth >= 5) return SQLITE_INTERNAL;
    depth++;
    rc = sqlite3_exec(db, asked, 0, 0, 0);
    depth--;
    printf("  [%s inside %s: %d %s]\n", asked, arguments[2], rc, sqlite3_errmsg(db));
    if (rc) return rc;
  }
  if (code) {
    if (words) *message = sqlite3_mprintf("%s", words);
    return code;
  }
  sqlite3_declare_vtab(db, "CREATE TABLE x(a)");
  *table = calloc(1, sizeof **table);
  return SQLITE_OK;
}

static int end(sqlite3_vtab *table) {
  free(table);
  return SQLITE_OK;
}

static int plan(sqlite3_vtab *table, sqlite3_index_info *info) { return SQLITE_OK; }

static int open_scan(sqlite3_vtab *table, sqlite3_vtab_cursor **scan) {
  *scan = calloc(1, sizeof **scan);
  return SQLITE_OK;
}

static int close_scan(sqlite3_vtab_cursor *scan) {
  free(scan);
  return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *scan, int number, const char *text, int count, sqlite3_value **values) {
  return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *scan) { return SQLITE_OK; }
static int at_end(sqlite3_vtab_cursor *scan) { return 1; }
static int column(sqlite3_vtab_cursor *scan, sqlite3_context *context, int index) { return SQLITE_OK; }
static int rowid(sqlite3_vtab_cursor *scan, sqlite3_int64 *id) { return SQLITE_OK; }

static const sqlite3_module both = {
    1, make, make, plan, end, end, open_scan, close_scan, filter, next, at_end, column, rowid};
static const sqlite3_module eponymous = {
    1, 0, make, plan, end, end, open_scan, close_scan, filter, next, at_end, column, rowid};

static void run(sqlite3 *db, const char *sql) {
  int rc = sqlite3_exec(db, sql, 0, 0, 0);
  printf("  %s: %d, %d, %s\n", sql, rc, sqlite3_extended_errcode(db), sqlite3_errmsg(db));
}

/* The table is in the schema already, and is looked for anew. */
static void use(sqlite3 *db) {
  int kept = code;
  const char *kept_asked = asked;
  code = 0;
  asked = 0;
  sqlite3_exec(db, "CREATE VIRTUAL TABLE t USING both", 0, 0, 0);
  sqlite3_exec(db, "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = sql; PRAGMA writable_schema = RESET", 0,
               0, 0);
  code = kept;
  asked = kept_asked;
  run(db, "SELECT * FROM t");
}

static sqlite3 *begin(int extended) {
  sqlite3 *db;
  sqlite3_open(":memory:", &db);
  sqlite3_extended_result_codes(db, extended);
  sqlite3_create_module(db, "both", &both, 0);
  sqlite3_create_module(db, "eponymous", &eponymous, 0);
  return db;
}

int main(void) {
  static const int codes[] = {1, 5, 6, 7, 8, 9, 10, 11, 13, 19, 21, 23, 266, 267, 517, 3082, 0};
  static const char *const questions[] = {
      "SELECT * FROM eponymous", "SELECT * FROM EPONYMOUS('x')", "SELECT * FROM both", "SELECT * FROM t",
      "SELECT * FROM nowhere"};
  size_t index;
  int extended;
  for (extended = 0; extended < 2; extended++)
    for (index = 0; codes[index]; index++) {
      sqlite3 *db = begin(extended);
      code = codes[index];
      words = index % 2 ? "words of its own" : 0;
      printf("%d, extended %d, words %d\n", code, extended, words != 0);
      run(db, "SELECT * FROM eponymous");
      run(db, "SELECT * FROM main.eponymous");
      run(db, "SELECT * FROM both");
      run(db, "PRAGMA table_info(eponymous)");
      run(db, "INSERT INTO eponymous VALUES(1)");
      run(db, "CREATE VIEW w AS SELECT * FROM eponymous");
      run(db, "SELECT * FROM w");
      /* Of this code, another message is left of CREATE. */
      if (code != 3082) run(db, "CREATE VIRTUAL TABLE t USING both");
      use(db);
      code = 0;
      run(db, "SELECT * FROM eponymous");
      run(db, "SELECT * FROM t");
      sqlite3_close(db);
    }
  code = 0;
  for (index = 0; index < sizeof questions / sizeof *questions; index++) {
    sqlite3 *db = begin(0);
    asked = questions[index];
    printf("%s\n", asked);
    run(db, "SELECT * FROM eponymous");
    run(db, "CREATE VIRTUAL TABLE t USING both");
    use(db);
    asked = 0;
    run(db, "SELECT * FROM eponymous");
    sqlite3_close(db);
  }
  return 0;
}
