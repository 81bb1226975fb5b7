/* What the library tells the log of a program (c3ref/log). */
#include <stdio.h>
#include <string.h>
#include "sqlite3.h"

/* Without what names lines of SQLite's source, its plans, and places in its programs. */
static void tell(void *data, int code, const char *message) {
  const char *rest = strncmp(message, "statement aborts", 16) == 0 ? strchr(message, ':') : message;
  (void)data;
  if (strstr(message, "at line ") || strstr(message, "os_unix.c")) return;
  if (code == SQLITE_WARNING_AUTOINDEX || strncmp(message, "API call", 8) == 0) return;
  printf("log %d %s\n", code, rest);
}

static const char *statements[] = {"selec 1", "select 1; selec 2; select 3", "select x from y",
    "create table t(a unique, b check(b>0))", "insert into t values(1,1)",
    "insert into t values(1,1)", "insert into t values(2,-1)", "select abs(-9223372036854775808)",
    "select * from t where b=", "attach 'none/x.db' as z", "select raise(abort,'x')",
    "select 'abc", "select 1 # 2", "insert into t(a) values(1,2)", "begin; begin",
    "commit; commit", "select json('x')", "/* c */ select  1 from nope -- c",
    "select \"a\", \"no\"\"column\", 'b', \"b\" from t",
    "insert into t values(\"three\", 3)", "update t set a = \"four\" where a = \"three\"",
    "delete from t where a in (\"four\")",
    "select \"x\" from nope", "select \"t\".a, t.\"b\" as \"c\" from t"};

int main(void) {
  sqlite3 *db;
  sqlite3_stmt *statement;
  char text[2000];
  int index;
  sqlite3_config(SQLITE_CONFIG_LOG, tell, (void *)0);
  sqlite3_open(":memory:", &db);
  for (index = 0; index < (int)(sizeof statements / sizeof *statements); index++) {
    printf("%s\n", statements[index]);
    sqlite3_exec(db, statements[index], 0, 0, 0);
  }
  printf("unlogged\n");
  sqlite3_prepare_v3(db, "selec", -1, SQLITE_PREPARE_DONT_LOG, &statement, 0);
  sqlite3_prepare_v2(db, "selec 1, 2", 7, &statement, 0);
  memset(text, 'x', sizeof text);
  text[1999] = 0;
  sqlite3_prepare_v2(db, text, -1, &statement, 0);
  sqlite3_close(db);
  return 0;
}
