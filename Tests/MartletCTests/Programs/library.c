/* Beginning and end of the library, its options, mutexes, its log (c3ref/config). */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sqlite3.h"

/* What SQLite says of misuse names lines of its source. */
static void writeLog(void *argument, int code, const char *message) {
  if (strncmp(message, "misuse at line", 14) != 0) printf("log %s %d %s\n", (const char *)argument,
      code, message);
}

static sqlite3_mem_methods original;
static int requests;

static void *countedMalloc(int size) { requests++; return original.xMalloc(size); }

static void memoryMethods(void) {
  sqlite3_mem_methods wrapped;
  char *text;
  printf("%d", sqlite3_config(SQLITE_CONFIG_GETMALLOC, &original));
  wrapped = original;
  wrapped.xMalloc = countedMalloc;
  printf(" %d", sqlite3_config(SQLITE_CONFIG_MALLOC, &wrapped));
  text = sqlite3_mprintf("%s-%.100d", "text", 5);
  printf(" %s %d\n", text, requests > 0);
  sqlite3_free(text);
  printf("%d", sqlite3_memory_used() == 0);
  printf(" %d\n", sqlite3_shutdown());
  printf("%d", sqlite3_config(SQLITE_CONFIG_MALLOC, &original));
  printf(" %d", sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0));
  text = sqlite3_malloc(1000);
  printf(" %d\n", (int)sqlite3_memory_used());
  sqlite3_free(text);
  printf("%d", sqlite3_shutdown());
  printf(" %d\n", sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 1));
}

static void *tryMutex(void *argument) {
  int code = sqlite3_mutex_try(argument);
  if (code == SQLITE_OK) sqlite3_mutex_leave(argument);
  return (void *)(size_t)code;
}

static int fromThread(sqlite3_mutex *mutex) {
  pthread_t thread;
  void *result;
  pthread_create(&thread, 0, tryMutex, mutex);
  pthread_join(thread, &result);
  return (int)(size_t)result;
}

static void mutexes(void) {
  sqlite3_mutex_methods methods;
  sqlite3_mutex *mutex;
  int kind;
  for (kind = 0; kind < 14; kind++) {
    mutex = sqlite3_mutex_alloc(kind);
    printf("%d %d", kind, mutex != 0);
    if (kind > 1) printf(" same %d", mutex == sqlite3_mutex_alloc(kind));
    sqlite3_mutex_enter(mutex);
    printf(" other %d", fromThread(mutex));
    if (kind == SQLITE_MUTEX_RECURSIVE) {
      printf(" again %d", sqlite3_mutex_try(mutex));
      sqlite3_mutex_leave(mutex);
      printf(" other %d", fromThread(mutex));
    }
    sqlite3_mutex_leave(mutex);
    printf(" other %d\n", fromThread(mutex));
    if (kind < 2) sqlite3_mutex_free(mutex);
  }
  sqlite3_mutex_enter(0);
  sqlite3_mutex_leave(0);
  sqlite3_mutex_free(0);
  printf("%d\n", sqlite3_mutex_try(0));
  sqlite3_shutdown();
  memset(&methods, 0, sizeof methods);
  printf("%d", sqlite3_config(SQLITE_CONFIG_GETMUTEX, &methods));
  sqlite3_initialize();
  sqlite3_shutdown();
  memset(&methods, 0, sizeof methods);
  sqlite3_config(SQLITE_CONFIG_GETMUTEX, &methods);
  printf(" %d %d", methods.xMutexAlloc != 0, methods.xMutexTry != 0);
  mutex = methods.xMutexAlloc(SQLITE_MUTEX_FAST);
  printf(" %d", methods.xMutexTry(mutex));
  methods.xMutexLeave(mutex);
  methods.xMutexFree(mutex);
  printf(" %d\n", sqlite3_config(SQLITE_CONFIG_MUTEX, &methods));
}

static void pages(void) {
  sqlite3_pcache_methods2 methods;
  sqlite3_pcache *cache;
  sqlite3_pcache_page *page, *other;
  printf("%d", sqlite3_config(SQLITE_CONFIG_GETPCACHE2, &methods));
  sqlite3_initialize();
  methods.xInit(methods.pArg);
  cache = methods.xCreate(1024, 40, 1);
  methods.xCachesize(cache, 10);
  printf(" %d %d", methods.xFetch(cache, 5, 0) == 0, methods.xPagecount(cache));
  page = methods.xFetch(cache, 5, 2);
  memset(page->pBuf, 'p', 1024);
  memset(page->pExtra, 'e', 40);
  other = methods.xFetch(cache, 6, 1);
  printf(" %d %d", page != other, methods.xPagecount(cache));
  methods.xUnpin(cache, page, 0);
  page = methods.xFetch(cache, 5, 0);
  printf(" %c", ((char *)page->pBuf)[1023]);
  methods.xRekey(cache, page, 5, 9);
  printf(" %d %d", methods.xFetch(cache, 5, 0) == 0, methods.xFetch(cache, 9, 0) == page);
  methods.xUnpin(cache, page, 0);
  methods.xUnpin(cache, other, 1);
  printf(" %d", methods.xPagecount(cache));
  methods.xTruncate(cache, 7);
  printf(" %d\n", methods.xPagecount(cache));
  methods.xDestroy(cache);
}

static int print(void *data, int count, char **values, char **names) {
  for (int index = 0; index < count; index++) printf("%s\n", values[index]);
  return 0;
}

/* What SQL makes of random bytes, too, can be repeated. */
static void seeded(void) {
  sqlite3 *db;
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db, "CREATE TABLE t(a); INSERT INTO t(rowid) VALUES(9223372036854775807)", 0, 0, 0);
  sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, 7, (void *)0);
  sqlite3_exec(db, "SELECT random(), random(), hex(randomblob(21)), random()", print, 0, 0);
  sqlite3_exec(db, "INSERT INTO t VALUES(1), (2); SELECT rowid FROM t", print, 0, 0);
  sqlite3_close(db);
}

int main(void) {
  char memory[4096], bytes[80], again[80];
  sqlite3_vfs *vfs;
  int number = -1, op;
  printf("%d %d %d\n", sqlite3_config(SQLITE_CONFIG_SERIALIZED),
      sqlite3_config(SQLITE_CONFIG_MULTITHREAD),
      sqlite3_config(SQLITE_CONFIG_SERIALIZED));
  printf("%d %d\n", sqlite3_config(SQLITE_CONFIG_LOG, writeLog, "one"),
      sqlite3_config(SQLITE_CONFIG_URI, 1));
  sqlite3_log(SQLITE_NOTICE, "message %d %s", 5, "five");
  sqlite3_log(7, "%s", "");
  memset(memory, 'l', sizeof memory);
  memory[1000] = 0;
  sqlite3_log(1, "<%s>", memory);
  sqlite3_log(1, "<%q>", memory);
  printf("%d %d %d", sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 500, 30),
      sqlite3_config(SQLITE_CONFIG_MMAP_SIZE, (sqlite3_int64)0, (sqlite3_int64)1 << 20),
      sqlite3_config(SQLITE_CONFIG_PAGECACHE, (void *)0, 0, 0));
  printf(" %d %d %d", sqlite3_config(SQLITE_CONFIG_COVERING_INDEX_SCAN, 1),
      sqlite3_config(SQLITE_CONFIG_PMASZ, 250), sqlite3_config(SQLITE_CONFIG_STMTJRNL_SPILL,
          65536));
  printf(" %d %d %d\n", sqlite3_config(SQLITE_CONFIG_SMALL_MALLOC, 0),
      sqlite3_config(SQLITE_CONFIG_MEMDB_MAXSIZE, (sqlite3_int64)1 << 30),
      sqlite3_config(SQLITE_CONFIG_ROWID_IN_VIEW, &number));
  printf("%d %d %d %d %d %d\n", number, sqlite3_config(SQLITE_CONFIG_PCACHE, memory),
      sqlite3_config(SQLITE_CONFIG_GETPCACHE, memory), sqlite3_config(SQLITE_CONFIG_SCRATCH, memory,
          0, 0),
      sqlite3_config(SQLITE_CONFIG_WIN32_HEAPSIZE, 0), sqlite3_config(SQLITE_CONFIG_SORTERREF_SIZE,
          0));
  printf("%d %d\n", sqlite3_config(0), sqlite3_config(99));
  printf("%d", sqlite3_initialize());
  printf(" %d\n", sqlite3_initialize());
  for (op = 0; op < 40; op++)
    if (op != SQLITE_CONFIG_LOG && op != SQLITE_CONFIG_PCACHE_HDRSZ) printf("%d ",
        sqlite3_config(op, memory, 0, 0));
  number = 0;
  printf("%d %d", sqlite3_config(SQLITE_CONFIG_PCACHE_HDRSZ, &number), number > 0);
  printf(" %d\n", sqlite3_config(SQLITE_CONFIG_LOG, writeLog, "two"));
  sqlite3_log(21, "two");
  printf("%d\n", sqlite3_config(SQLITE_CONFIG_LOG, (void *)0, (void *)0));
  sqlite3_log(21, "nobody");
  printf("%d", sqlite3_shutdown());
  printf(" %d\n", sqlite3_shutdown());
  memoryMethods();
  mutexes();
  pages();

  vfs = sqlite3_vfs_find(0);
  printf("%d\n", vfs != 0);
  memset(bytes, 0, sizeof bytes);
  memset(again, 0, sizeof again);
  sqlite3_randomness(sizeof bytes, bytes);
  sqlite3_randomness(sizeof again, again);
  printf("%d\n", memcmp(bytes, again, sizeof bytes) != 0);
  sqlite3_randomness(0, 0);
  for (op = 1; op < 4; op++) {
    sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, 42 * op, (void *)0);
    for (number = 1; number < 70; number += 13) {
      int index;
      sqlite3_randomness(number, bytes);
      for (index = 0; index < number; index++) printf("%02x", bytes[index] & 0xff);
      printf("\n");
    }
  }
  sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SAVE);
  sqlite3_randomness(8, bytes);
  sqlite3_test_control(SQLITE_TESTCTRL_PRNG_RESTORE);
  sqlite3_randomness(8, again);
  printf("%d\n", memcmp(bytes, again, 8));
  seeded();
  sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, 0, (void *)0);
  return 0;
}
