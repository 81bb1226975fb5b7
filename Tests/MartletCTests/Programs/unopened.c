/* Connections that could not be opened: what they say, that they have a lock of their own, and that
** there is none without memory. */
#include <pthread.h>
#include <stdio.h>

#include "sqlite3.h"

static void *say(void *db) {
  int i;
  for (i = 0; i < 20000; i++) {
    sqlite3_extended_result_codes(db, i & 1);
    sqlite3_set_errmsg(db, SQLITE_ERROR, "a text that is longer than what fits into a string's own words");
    if (!sqlite3_errmsg(db)[0]) return db;
  }
  return 0;
}

static void look(const char *what, int code, sqlite3 *db) {
  sqlite3_stmt *statement = 0;
  printf("%s: %d, %s, %d %d %s\n", what, code, db ? "a handle" : "none", sqlite3_errcode(db),
         sqlite3_extended_errcode(db), sqlite3_errmsg(db));
  if (!db) return;
  printf("  mutex: %d\n", sqlite3_db_mutex(db) != 0);
  printf("  prepare: %d\n", sqlite3_prepare_v2(db, "SELECT 1", -1, &statement, 0));
  printf("  exec: %d\n", sqlite3_exec(db, "SELECT 1", 0, 0, 0));
  printf("  set_errmsg: %d\n", sqlite3_set_errmsg(db, SQLITE_NOTFOUND, "text"));
  printf("  errmsg: %d %s\n", sqlite3_errcode(db), sqlite3_errmsg(db));
  printf("  offset: %d\n", sqlite3_error_offset(db));
  printf("  close: %d\n", sqlite3_close(db));
}

int main(void) {
  sqlite3 *db = 0;
  pthread_t threads[4];
  int i, code;
  const char *path = "/no/such/folder/file";
  sqlite3_initialize();
  code = sqlite3_open(path, &db);
  look("no folder", code, db);
  code = sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE, "no such vfs");
  look("no vfs", code, db);
  code = sqlite3_open_v2("file:x?mode=nonsense", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI, 0);
  look("no mode", code, db);
  sqlite3_hard_heap_limit64(1);
  code = sqlite3_open(":memory:", &db);
  look("no memory", code, db);
  code = sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_EXRESCODE, 0);
  look("no memory", code, db);
  code = sqlite3_open16(u":memory:", &db);
  look("no memory", code, db);
  sqlite3_hard_heap_limit64(0);

  sqlite3_open(path, &db);
  for (i = 0; i < 4; i++) pthread_create(&threads[i], 0, say, db);
  for (i = 0; i < 4; i++) pthread_join(threads[i], 0);
  printf("threads: %d\n", sqlite3_close(db));
  return 0;
}
