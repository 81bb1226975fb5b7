/* Changes of which a group is told that there is no such kind (sqlite3changegroup_change_begin). */
#include "show.h"
#include "sqlite3session.h"

int main(void) {
  static const int kinds[] = {435, 0, -1, SQLITE_DELETE, SQLITE_INSERT, SQLITE_UPDATE, 24};
  sqlite3 *db;
  sqlite3_changegroup *group;
  size_t i;
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db, "CREATE TABLE t(i INTEGER PRIMARY KEY, a, b)", 0, 0, 0);
  sqlite3changegroup_new(&group);
  sqlite3changegroup_schema(group, db, "main");
  for (i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    char *message = 0;
    int code = sqlite3changegroup_change_begin(group, kinds[i], "t", 0, &message);
    printf("  %d: %d %s\n", kinds[i], code, message ? message : "");
    sqlite3_free(message);
    if (!code) printf("  %d\n", sqlite3changegroup_change_finish(group, 1, 0));
  }
  sqlite3changegroup_delete(group);
  sqlite3_close(db);
  return 0;
}
