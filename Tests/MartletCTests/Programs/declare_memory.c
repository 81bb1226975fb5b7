/* Memory that is short while a virtual table is declared. */
#include <string.h>
#include "failing_memory.h"
#include "show.h"

static int left = -1;
static int fails(void) { return left >= 0 && left-- == 0; }

static int connect(sqlite3 *db, void *data, int count, const char *const *words, sqlite3_vtab **table, char **message) {
  int code, *from = data;
  left = *from;
  code = sqlite3_declare_vtab(db, "CREATE TABLE x(a, b INTEGER HIDDEN)");
  left = -1;
  if (code) return code;
  *table = sqlite3_malloc(sizeof **table);
  memset(*table, 0, sizeof **table);
  return SQLITE_OK;
}

static int refuse(sqlite3 *db, void *code, int count, const char *const *words, sqlite3_vtab **table, char **message) {
  return *(int *)code;
}

static int disconnect(sqlite3_vtab *table) {
  sqlite3_free(table);
  return SQLITE_OK;
}

int main(void) {
  sqlite3_module module = {0};
  int codes[] = {SQLITE_NOMEM, SQLITE_ERROR, SQLITE_IOERR, SQLITE_CONSTRAINT_VTAB}, first = 0, i;
  install_failing_memory(fails);
  module.xConnect = module.xCreate = connect, module.xDisconnect = module.xDestroy = disconnect;
  /* The first allocation; how many there are is not the same. */
  sqlite3 *db;
  sqlite3_open(":memory:", &db);
  sqlite3_create_module(db, "m", &module, &first);
  show(db, "CREATE VIRTUAL TABLE t USING m");
  show(db, "SELECT * FROM m");
  show(db, "SELECT name FROM sqlite_schema");
  module.xConnect = module.xCreate = refuse;
  for (i = 0; i < 4; i++) {
    printf("%d\n", codes[i]);
    sqlite3_create_module(db, "m", &module, &codes[i]);
    show(db, "CREATE VIRTUAL TABLE t USING m");
    show(db, "SELECT * FROM m");
  }
  sqlite3_close(db);
  return 0;
}
