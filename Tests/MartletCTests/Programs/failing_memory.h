/* An allocator that fails when `allocation_fails` says so; for before the library is initialized. */
#include "sqlite3.h"

static sqlite3_mem_methods failing_memory_system;
static int (*allocation_fails)(void);

static void *failing_malloc(int size) {
  return allocation_fails() ? 0 : failing_memory_system.xMalloc(size);
}

static void *failing_realloc(void *memory, int size) {
  return allocation_fails() ? 0 : failing_memory_system.xRealloc(memory, size);
}

static void install_failing_memory(int (*fails)(void)) {
  sqlite3_mem_methods methods;
  allocation_fails = fails;
  sqlite3_config(SQLITE_CONFIG_GETMALLOC, &failing_memory_system);
  methods = failing_memory_system;
  methods.xMalloc = failing_malloc;
  methods.xRealloc = failing_realloc;
  sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
  /* Small pieces of memory are allocations, too. */
  sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
}
