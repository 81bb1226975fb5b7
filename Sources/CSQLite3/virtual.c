/* sqlite3_vtab_config, which is variadic. */
#include "martlet.h"

int sqlite3_vtab_config(sqlite3 *db, int op, ...) {
  int value = 0;
  if (op == SQLITE_VTAB_CONSTRAINT_SUPPORT) {
    va_list arguments;
    va_start(arguments, op);
    value = va_arg(arguments, int);
    va_end(arguments);
  }
  return martlet_vtab_config(db, op, value);
}
