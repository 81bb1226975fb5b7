/* Calls functions of the library, each in a process of its own, with nothing but zeros behind the
** first argument: null, a closed connection or a finalized statement. Prints those that crash. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sqlite3.h"

typedef long long (*Function)(void *, void *, void *, void *, void *, void *, void *, void *,
    void *, void *);

static void *argument(const char *kind) {
  sqlite3 *db;
  sqlite3_stmt *statement;
  if (strcmp(kind, "null") == 0) return 0;
  sqlite3_open(":memory:", &db);
  sqlite3_prepare_v2(db, "SELECT ?1", -1, &statement, 0);
  sqlite3_finalize(statement);
  if (strcmp(kind, "statement") == 0) return statement;
  sqlite3_close(db);
  return db;
}

/* The names come in lines. */
int main(int count, char **words) {
  char name[200];
  void *first = argument(count > 1 ? words[1] : "null");
  while (fgets(name, sizeof name, stdin)) {
    int status;
    pid_t child;
    name[strcspn(name, "\n")] = 0;
    fflush(stdout);
    child = fork();
    if (child == 0) {
      Function function = (Function)dlsym(RTLD_DEFAULT, name);
      if (!function) _exit(1);
      alarm(20);
      function(first, 0, 0, 0, 0, 0, 0, 0, 0, 0);
      _exit(0);
    }
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) printf("%s: signal %d\n", name, WTERMSIG(status));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 1) printf("%s: missing\n", name);
  }
  return 0;
}
