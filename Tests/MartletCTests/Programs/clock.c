/* 'now' is what the connection's VFS says: that of the program, or the built-in one with a method
   that the program has replaced. */
#include <stdio.h>
#include <string.h>

#include "sqlite3.h"

static int calls;
static sqlite3_int64 now = 212000000000000;

static int whole(sqlite3_vfs *vfs, sqlite3_int64 *result) {
  calls++;
  *result = now;
  return SQLITE_OK;
}
static int broken(sqlite3_vfs *vfs, sqlite3_int64 *result) {
  calls++;
  *result = 5;
  return SQLITE_ERROR;
}
static int real(sqlite3_vfs *vfs, double *result) {
  calls++;
  *result = now / 86400000.0;
  return SQLITE_OK;
}

static int row(void *unused, int count, char **values, char **names) {
  int i;
  for (i = 0; i < count; i++) printf("%s%s", i ? "|" : "  ", values[i] ? values[i] : "NULL");
  printf("\n");
  return 0;
}

static void ask(sqlite3 *db, const char *name, int isFixed) {
  static const char *texts[] = {
    "SELECT CURRENT_TIMESTAMP, CURRENT_DATE, CURRENT_TIME",
    "SELECT datetime('now'), julianday('now'), unixepoch(), unixepoch('subsec')",
    "SELECT strftime('%J %s %f'), date('now', '+1 day'), timediff('now', '2000-01-01')",
    "INSERT INTO clock DEFAULT VALUES RETURNING *",
    "WITH n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 3)"
    " SELECT i, datetime('now') = datetime('now') FROM n",
  };
  size_t i;
  printf("%s\n", name);
  sqlite3_exec(db, "CREATE TEMP TABLE IF NOT EXISTS clock(a, t DEFAULT CURRENT_TIMESTAMP)",
               0, 0, 0);
  for (i = 0; i < sizeof texts / sizeof *texts; i++) {
    calls = 0;
    sqlite3_exec(db, texts[i], isFixed ? row : 0, 0, 0);
    printf("  %d\n", calls);
  }
}

static void open(const char *name, const char *file, const char *vfs, int isFixed) {
  sqlite3 *db;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI;
  int code = sqlite3_open_v2(file, &db, flags, vfs);
  if (code) printf("open: %d\n", code);
  ask(db, name, isFixed);
  sqlite3_close(db);
}

int main(void) {
  sqlite3 *early, *memory;
  sqlite3_vfs *found, copy, old;
  /* Connections from before the program looks for VFSs. */
  sqlite3_open("early.db", &early);
  sqlite3_open(":memory:", &memory);
  ask(early, "early", 0);
  found = sqlite3_vfs_find(0);
  old = *found;
  found->xCurrentTimeInt64 = whole;
  ask(early, "early, replaced", 1);
  ask(memory, "early in memory, replaced", 1);
  open("file, replaced", "file.db", 0, 1);
  open("memory, replaced", ":memory:", 0, 1);
  open("temporary, replaced", "", 0, 1);
  open("named, replaced", "file.db", "unix", 1);
  open("another, not replaced", "file.db", "unix-none", 0);
  open("memdb", "/name", "memdb", 0);
  found->xCurrentTimeInt64 = broken;
  ask(early, "early, broken", 0);
  found->iVersion = 1;
  found->xCurrentTime = real;
  ask(early, "early, version 1", 1);
  *found = old;
  ask(early, "early, as it was", 0);

  copy = old;
  copy.zName = "mine";
  copy.xCurrentTimeInt64 = whole;
  sqlite3_vfs_register(&copy, 0);
  open("mine", "file.db", "mine", 1);
  open("mine by name", "file:file.db?vfs=mine", 0, 1);
  open("mine in memory", ":memory:", "mine", 1);
  open("not mine", "file.db", 0, 0);
  copy.iVersion = 1;
  copy.xCurrentTime = real;
  open("mine, version 1", "file.db", "mine", 1);
  /* What is attached does not count. */
  sqlite3_exec(early, "ATTACH 'file:file.db?vfs=mine' AS a", 0, 0, 0);
  ask(early, "attached", 0);
  sqlite3_close(early);
  sqlite3_close(memory);
  sqlite3_vfs_unregister(&copy);
  return 0;
}
