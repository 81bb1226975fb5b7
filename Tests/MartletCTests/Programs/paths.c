/* Paths that lead nowhere: what opening says of them (c3ref/open, rescode). */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sqlite3.h"

static void attempt(const char *label, const char *path) {
  sqlite3 *db = 0;
  int code = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, 0);
  printf("%s: %d %d %s\n", label, code, sqlite3_extended_errcode(db), sqlite3_errmsg(db));
  sqlite3_close(db);
}

int main(void) {
  static char longest[6000];
  FILE *file = fopen("file", "w");
  fclose(file);
  attempt("a file is no folder", "file/x.db");
  symlink("one", "two");
  symlink("two", "one");
  attempt("links in a circle", "one");
  symlink("none/x.db", "away");
  attempt("a link to where nothing is", "away");
  memset(longest, 'a', sizeof longest - 1);
  attempt("a long name", longest);
  longest[0] = '/';
  attempt("a long absolute name", longest);
  for (size_t place = 0; place < sizeof longest - 1; place += 2) longest[place] = '/';
  attempt("many folders", longest);
  mkdir("closed", 0700);
  fflush(stdout);
  if (fork() == 0) {
    chdir("closed");
    /* The superuser may look everywhere. */
    if (geteuid() == 0 && (setgid(65534) || setuid(65534))) printf("still the superuser\n");
    attempt("in a folder that may not be searched", "x.db");
    fflush(stdout);
    _exit(0);
  }
  wait(0);
  return 0;
}
