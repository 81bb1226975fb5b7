// Two libraries in one process, whose calls are measured in turn. A program defines FUNCTIONS, which
// it calls, before it includes this; those of sessions are in SESSION_FUNCTIONS.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "sqlite3.h"

#ifdef SESSION_FUNCTIONS
#include "sqlite3session.h"
#else
#define SESSION_FUNCTIONS(each)
#endif

typedef struct Library {
  const char *path;
  sqlite3 *database;
#define member(name) __typeof__(sqlite3_##name) *name;
  FUNCTIONS(member)
#undef member
#define member(name) __typeof__(sqlite3##name) *name;
  SESSION_FUNCTIONS(member)
#undef member
} Library;

// The library that is being measured: C's callbacks have no other way to know it.
static Library *lib;

static void fail(const char *what) {
  fprintf(stderr, "%s: %s: %s\n", lib->path, what, lib->errmsg(lib->database));
  exit(1);
}

static void run(const char *sql) {
  if (lib->exec(lib->database, sql, 0, 0, 0) != SQLITE_OK) fail(sql);
}

static sqlite3_stmt *prepare(const char *sql) {
  sqlite3_stmt *statement;
  if (lib->prepare_v2(lib->database, sql, -1, &statement, 0) != SQLITE_OK) fail(sql);
  return statement;
}

typedef struct Workload {
  const char *name;
  sqlite3_int64 (*run)(const char *sql);
  const char *sql;
  int count;
} Workload;

static void load(Library *library, const char *path) {
  library->path = path;
  void *image = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!image) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
#define find(name) library->name = (__typeof__(library->name))dlsym(image, "sqlite3_" #name);
  FUNCTIONS(find)
#undef find
#define find(name) library->name = (__typeof__(library->name))dlsym(image, "sqlite3" #name);
  SESSION_FUNCTIONS(find)
#undef find
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double measure(Library *library, const Workload *workload, sqlite3_int64 *sum) {
  lib = library;
  double start = now();
  *sum = workload->run(workload->sql);
  return (now() - start) / workload->count;
}

static int isWanted(const char *name, char **names, int count) {
  for (int index = 0; index < count; index++) {
    if (strcmp(names[index], name) == 0) return 1;
  }
  return count <= 0;
}

// Runs all workloads, or those named, on both libraries, and prints their times.
static int compare(
    int argumentCount, char **arguments, void (*fill)(Library *), const Workload *workloads,
    size_t workloadCount) {
  if (argumentCount < 3) {
    fprintf(stderr, "usage: %s LIBRARY ORACLE [ROUNDS] [WORKLOAD...]\n", arguments[0]);
    return 2;
  }
  static Library libraries[2];
  int rounds = argumentCount > 3 ? atoi(arguments[3]) : 5;
  for (int side = 0; side < 2; side++) {
    load(&libraries[side], arguments[1 + side]);
    fill(&libraries[side]);
    printf("%s: %s\n", arguments[1 + side], lib->sourceid());
  }
  printf("%-14s %10s %10s %7s\n", "ns", "library", "oracle", "ratio");
  int differences = 0;
  for (size_t index = 0; index < workloadCount; index++) {
    const Workload *workload = &workloads[index];
    if (!isWanted(workload->name, arguments + 4, argumentCount - 4)) continue;
    double least[2] = {1e18, 1e18};
    sqlite3_int64 sums[2];
    for (int round = 0; round < rounds; round++) {
      for (int turn = 0; turn < 2; turn++) {
        int side = turn ^ (round & 1);
        double time = measure(&libraries[side], workload, &sums[side]);
        if (time < least[side]) least[side] = time;
      }
    }
    int differs = sums[0] != sums[1];
    differences += differs;
    printf(
        "%-14s %10.1f %10.1f %7.2f%s\n", workload->name, least[0], least[1], least[0] / least[1],
        differs ? "  other result" : "");
    fflush(stdout);
  }
  for (int side = 0; side < 2; side++) libraries[side].close_v2(libraries[side].database);
  return differences ? 1 : 0;
}
