/* Names of databases in memory that connections of a process share (SQLite's memdb). */
#include "show.h"

static void pair(const char *first, const char *second) {
  sqlite3 *one, *two;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI;
  sqlite3_open_v2(first, &one, flags, 0), sqlite3_open_v2(second, &two, flags, 0);
  printf("%s %s\n", first, second);
  sqlite3_exec(one, "CREATE TABLE t(a)", 0, 0, 0);
  show(two, "SELECT name FROM sqlite_schema");
  sqlite3_close(one), sqlite3_close(two);
}

int main(void) {
  pair("file:/x?vfs=memdb", "file:/x?vfs=memdb");
  pair("file:\\x?vfs=memdb", "file:\\x?vfs=memdb");
  pair("file:/x?vfs=memdb", "file:\\x?vfs=memdb");
  pair("file:\\x?vfs=memdb", "file:%5cx?vfs=memdb");
  pair("file:///x?vfs=memdb", "file:/x?vfs=memdb");
  pair("file:/?vfs=memdb", "file:/?vfs=memdb");
  pair("file:\\?vfs=memdb", "file:\\?vfs=memdb");
  pair("file:x?vfs=memdb", "file:x?vfs=memdb");
  return 0;
}
