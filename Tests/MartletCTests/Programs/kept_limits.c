/* SQLITE_LIMIT_LENGTH: what functions make that is as long as the limit, and statements that were
   compiled before it was lowered. */
#include <string.h>
#include "show.h"

static const char *const calls[] = {
  "SELECT length(printf('%100s', 'a'))", "SELECT length(printf('%q', printf('%.50c', '''')))",
  "SELECT length(printf('%Q', printf('%.98c', 'x')))", "SELECT length(printf('%w', printf('%.50c', '\"')))",
  "SELECT length(quote(printf('%.98c', 'x')))", "SELECT length(quote(printf('%.49c', '''')))",
  "SELECT length(quote(zeroblob(49)))", "SELECT length(unistr_quote(printf('%.98c', 'x')))",
  "SELECT length(unistr(printf('%.100c', 'x')))", "SELECT length(strftime(printf('%.100c', 'x'), 0))",
  "SELECT length(replace(printf('%.50c', 'x'), 'x', 'ab'))", "SELECT length(hex(zeroblob(50)))",
  "SELECT length(printf('%.50c', 'x') || printf('%.50c', 'x'))", "SELECT length(zeroblob(100))",
  "SELECT length(concat(printf('%.50c', 'x'), printf('%.50c', 'x')))",
};

/* Results that grow by pieces of a few bytes: C rounds memory up, so not at the limit itself. */
static const char *const pieces[] = {
  "SELECT length(strftime(printf('%.90c%%Y%%Y%%d', 'x'), '2020-01-01'))", "SELECT length(strftime(printf('%.96c%%Y', 'x'), '2020-01-01'))",
};

static void kept(sqlite3 *db, const char *sql, int limit) {
  sqlite3_stmt *statement;
  int i;
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1000);
  sqlite3_prepare_v2(db, sql, -1, &statement, 0);
  for (i = 0; i < 3; i++) {
    int code;
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, i == 1 ? limit : 1000);
    code = sqlite3_bind_text(statement, 1, "0123456789012345678901234567890123456789", -1, SQLITE_STATIC);
    printf("  bind %d,", code);
    code = sqlite3_step(statement);
    printf(" %s: %d %s", sql, code, code >= SQLITE_ROW ? "" : sqlite3_errmsg(db));
    printf(" %d\n", code == SQLITE_ROW ? sqlite3_column_bytes(statement, 0) : -1);
    sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
}

int main(void) {
  sqlite3 *db;
  size_t i;
  int limit;
  sqlite3_open(":memory:", &db);
  for (limit = 98; limit <= 104; limit++) {
    printf("limit %d\n", limit);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, limit);
    for (i = 0; i < sizeof calls / sizeof *calls; i++) show(db, calls[i]);
    for (i = 0; limit > 100 && i < sizeof pieces / sizeof *pieces; i++) show(db, pieces[i]);
  }
  puts("kept");
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1000);
  show(db, "CREATE TABLE t(a)");
  show(db, "CREATE TABLE u(a)");
  show(db, "CREATE TRIGGER r AFTER INSERT ON t WHEN new.a || new.a BEGIN INSERT INTO u VALUES(new.a || new.a); END");
  kept(db, "SELECT 'A' || ?", 40);
  kept(db, "SELECT length('A' || ?)", 41);
  kept(db, "SELECT ?", 39);
  kept(db, "SELECT length(? || '-' || ?1)", 80);
  kept(db, "INSERT INTO t SELECT ?", 70);
  kept(db, "SELECT replace(?, '0', '00')", 43);
  kept(db, "SELECT printf('%60s', ?)", 59);
  show(db, "SELECT count(*), max(length(a)) FROM u");
  sqlite3_close(db);
  return 0;
}
