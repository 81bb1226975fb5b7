/* Libraries are loaded through the connection's VFS, which has its own here. */
#include <stdio.h>
#include <string.h>

#include "sqlite3ext.h"
SQLITE_EXTENSION_INIT1

#undef sqlite3_vfs_find
#undef sqlite3_vfs_register
#undef sqlite3_open_v2
#undef sqlite3_close
#undef sqlite3_enable_load_extension
#undef sqlite3_load_extension
#undef sqlite3_free
#undef sqlite3_mprintf
#undef sqlite3_exec
#undef sqlite3_errmsg
#undef sqlite3_db_config

static sqlite3_vfs vfs;
static int library;

static sqlite3_module module;

/* It lies in the library, which must still be there. */
static void end(void *data) {
  printf("  end of %s\n", (const char *)data);
}

static int connect(sqlite3 *db, void *data, int argc, const char *const *argv,
                   sqlite3_vtab **table, char **message) {
  return SQLITE_ERROR;
}

static int plan(sqlite3_vtab *table, sqlite3_index_info *info) {
  return SQLITE_OK;
}

static int compare(void *data, int left, const void *first, int right, const void *second) {
  return 0;
}

static void call(sqlite3_context *context, int argc, sqlite3_value **argv) {
}

static int fine(sqlite3 *db, char **message, const sqlite3_api_routines *api) {
  SQLITE_EXTENSION_INIT2(api)
  printf("  entry %d\n", sqlite3_api->libversion_number() > 3050000);
  module.xConnect = connect;
  module.xBestIndex = plan;
  sqlite3_create_module_v2(db, "own", &module, "module", end);
  sqlite3_create_function_v2(db, "own", 0, SQLITE_UTF8, "function", call, 0, 0, end);
  sqlite3_create_collation_v2(db, "own", SQLITE_UTF8, "collation", compare, end);
  return SQLITE_OK;
}

static int failing(sqlite3 *db, char **message, const sqlite3_api_routines *api) {
  *message = sqlite3_mprintf("no %d", 5);
  return SQLITE_ERROR;
}

static int staying(sqlite3 *db, char **message, const sqlite3_api_routines *api) {
  return SQLITE_OK_LOAD_PERMANENTLY;
}

static void *openLibrary(sqlite3_vfs *vfs, const char *name) {
  printf("  open %s\n", name);
  return strstr(name, "missing") ? 0 : &library;
}

static void tellError(sqlite3_vfs *vfs, int size, char *message) {
  printf("  error asked\n");
}

static void (*symbol(sqlite3_vfs *vfs, void *library, const char *name))(void) {
  printf("  symbol %s\n", name);
  if (strcmp(name, "failing") == 0) return (void (*)(void))failing;
  if (strcmp(name, "staying") == 0) return (void (*)(void))staying;
  if (strcmp(name, "fine") == 0 || strstr(name, "ab3c")) return (void (*)(void))fine;
  return 0;
}

static void closeLibrary(sqlite3_vfs *vfs, void *handle) {
  printf("  close %d\n", handle == &library);
}

static void load(sqlite3 *db, const char *file, const char *entry) {
  char *message = 0;
  printf("%s %s\n", file, entry ? entry : "-");
  int code = sqlite3_load_extension(db, file, entry, &message);
  printf("  %d %s; %s\n", code, message ? message : "-", sqlite3_errmsg(db));
  sqlite3_free(message);
}

int main(void) {
  static const char *const names[] = {
    "libab3c.so", "dir/Ab_3x.y.so", "x9", "3.so", "libLIB2z.so", "lib.so", "é.so", "", "missing",
  };
  sqlite3 *db;
  char *message = 0;
  vfs = *sqlite3_vfs_find(0);
  vfs.zName = "own";
  vfs.xDlOpen = openLibrary;
  vfs.xDlError = tellError;
  vfs.xDlSym = symbol;
  vfs.xDlClose = closeLibrary;
  sqlite3_vfs_register(&vfs, 0);
  printf("%d\n", sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE, "own"));
  load(db, "libab3c.so", 0);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1, (int *)0);
  for (size_t index = 0; index < sizeof names / sizeof names[0]; index++) load(db, names[index], 0);
  load(db, "some", "fine");
  load(db, "some", "failing");
  load(db, "some", "staying");
  load(db, "some", "nothing");
  printf("%d\n", sqlite3_exec(db, "SELECT load_extension('some', 'fine')", 0, 0, &message));
  printf("%s\n", message);
  sqlite3_enable_load_extension(db, 1);
  printf("%d\n", sqlite3_exec(db, "SELECT load_extension('some', 'fine')", 0, 0, 0));
  printf("closing\n");
  sqlite3_close(db);
  return 0;
}
