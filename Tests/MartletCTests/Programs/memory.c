/* Memory: allocation, its sizes and limits (c3ref/free, c3ref/hard_heap_limit64). */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "sqlite3.h"

static const char *given(void *memory) { return memory ? "given" : "none"; }

int main(void) {
  sqlite3_int64 before, now, current, highest;
  int small, top, op;
  char *memory;
  printf("%d\n", sqlite3_initialize());
  before = sqlite3_memory_used();

  memory = sqlite3_malloc(100);
  printf("%s size %d used %d aligned %d\n", given(memory), sqlite3_msize(memory) >= 100,
      sqlite3_memory_used() - before >= 100, (uintptr_t)memory % 8 == 0);
  memset(memory, 'a', 100);
  memory = sqlite3_realloc(memory, 50000);
  printf("%c%c %d\n", memory[0], memory[99], sqlite3_msize(memory) >= 50000);
  memory = sqlite3_realloc64(memory, 10);
  printf("%c%c %d\n", memory[0], memory[9], sqlite3_msize(memory) >= 10);
  sqlite3_free(memory);
  now = sqlite3_memory_used();
  printf("all given back %d, most was more %d\n", now == before,
      sqlite3_memory_highwater(1) >= before + 50000);
  printf("reset %d\n", sqlite3_memory_highwater(0) == now);

  printf("%s %s %s %s %s\n", given(sqlite3_malloc(0)), given(sqlite3_malloc(-1)),
      given(sqlite3_malloc64(0)), given(sqlite3_malloc64(~(sqlite3_uint64)0)),
      given(sqlite3_malloc64((sqlite3_uint64)1 << 31)));
  memory = sqlite3_realloc(0, 20);
  printf("%s %s", given(memory), given(sqlite3_realloc64(memory, (sqlite3_uint64)1 << 40)));
  printf(" %s\n", given(sqlite3_realloc(memory, 0)));
  printf("%s %s\n", given(sqlite3_realloc(0, 0)), given(sqlite3_realloc(sqlite3_malloc(8), -4)));
  sqlite3_free(0);
  printf("%d %d\n", (int)sqlite3_msize(0), sqlite3_memory_used() == before);

  printf("soft %lld", sqlite3_soft_heap_limit64(-1));
  printf(" %lld", sqlite3_soft_heap_limit64(1000000));
  printf(" %lld", sqlite3_soft_heap_limit64(-1));
  sqlite3_soft_heap_limit(5000);
  printf(" %lld\n", sqlite3_soft_heap_limit64(-5));
  printf("hard %lld", sqlite3_hard_heap_limit64(3000000));
  printf(" %lld %lld", sqlite3_hard_heap_limit64(-1), sqlite3_soft_heap_limit64(-1));
  sqlite3_hard_heap_limit64(2000);
  printf(" %lld", sqlite3_soft_heap_limit64(4000));
  printf(" %lld", sqlite3_soft_heap_limit64(0));
  printf(" %lld\n", sqlite3_soft_heap_limit64(-1));
  sqlite3_hard_heap_limit64(100000);
  memory = sqlite3_malloc(50000);
  printf("%s %s %s\n", given(memory), given(sqlite3_malloc(60000)), given(sqlite3_realloc(memory,
      200000)));
  printf("%s\n", sqlite3_mprintf("%.90000d", 1) ? "text" : "no text");
  sqlite3_free(memory);
  printf("%lld", sqlite3_hard_heap_limit64(0));
  printf(" %lld\n", sqlite3_soft_heap_limit64(0));
  memory = sqlite3_malloc(200000);
  printf("%s %d\n", given(memory), sqlite3_release_memory(1000));

  for (op = -1; op <= 10; op++) {
    small = top = -7;
    current = highest = -7;
    printf("status %d: %d %d", op, sqlite3_status(op, &small, &top, 0),
        sqlite3_status64(op, &current, &highest, 0));
    printf(" %d %d\n", current == small && highest == top, op == 0 ? current >= 200000 : 0);
  }
  sqlite3_status(SQLITE_STATUS_MALLOC_SIZE, &small, &top, 1);
  printf("largest %d %d\n", small, top >= 200000);
  sqlite3_status(SQLITE_STATUS_MALLOC_SIZE, &small, &top, 1);
  printf("largest %d %d\n", small, top);
  sqlite3_status(SQLITE_STATUS_MALLOC_COUNT, &small, &top, 0);
  current = small;
  sqlite3_free(memory);
  sqlite3_status(SQLITE_STATUS_MALLOC_COUNT, &small, &top, 0);
  printf("one fewer %d\n", current - small == 1);
  return 0;
}
