/* Databases in memory that two connections share: by a parameter, a flag, or the setting of the
   process (inmemorydb, c3ref/open, c3ref/enable_shared_cache). */
#include <stdio.h>

#include "sqlite3.h"

static void try(const char *name, int flags) {
  sqlite3 *one = 0, *two = 0;
  int first = sqlite3_open_v2(name, &one, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | flags, 0);
  int second = sqlite3_open_v2(name, &two, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | flags, 0);
  printf("%s %x: %d %d", name, flags, first, second);
  first = sqlite3_exec(one, "CREATE TABLE IF NOT EXISTS t(a); INSERT INTO t VALUES(1)", 0, 0, 0);
  second = sqlite3_exec(two, "SELECT * FROM t", 0, 0, 0);
  printf(", %d %d %s\n", first, second, sqlite3_errmsg(two));
  sqlite3_close(one);
  sqlite3_close(two);
}

int main(void) {
  static const int flags[] = {0, SQLITE_OPEN_SHAREDCACHE, SQLITE_OPEN_PRIVATECACHE,
      SQLITE_OPEN_SHAREDCACHE | SQLITE_OPEN_PRIVATECACHE, SQLITE_OPEN_MEMORY,
      SQLITE_OPEN_MEMORY | SQLITE_OPEN_SHAREDCACHE};
  static const char *const names[] = {":memory:", "file::memory:", "file:a?mode=memory",
      "file:b?mode=memory&cache=shared", "file:c?mode=memory&cache=private", "file:/d?vfs=memdb",
      "file:/e?mode=memory"};
  int on, uri;
  unsigned flag, name;
  for (on = 0; on < 3; on++) {
    sqlite3_enable_shared_cache(on == 1);
    for (uri = 0; uri < 2; uri++)
      for (flag = 0; flag < sizeof flags / sizeof *flags; flag++)
        for (name = uri ? 0 : 5; name < sizeof names / sizeof *names; name++)
          try(name == 5 && !uri ? ":memory:" : names[name], flags[flag] | (uri ? SQLITE_OPEN_URI : 0));
  }
  return 0;
}
