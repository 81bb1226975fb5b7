/* Calls of the system that a program puts its own functions in place of (xSetSystemCall). */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sqlite3.h"

static sqlite3_vfs *vfs;
static int opened, failing, unlinked, accessed, truncated;

static int open_counted(const char *name, int flags, int mode) {
  opened++;
  if (failing && strstr(name, "one.db")) {
    errno = failing;
    return -1;
  }
  return open(name, flags, mode);
}

static int unlink_counted(const char *name) {
  unlinked++;
  if (failing) {
    errno = failing;
    return -1;
  }
  return unlink(name);
}

static int access_counted(const char *name, int mode) {
  accessed++;
  return access(name, mode);
}

static int ftruncate_failing(int file, off_t size) {
  truncated++;
  errno = EIO;
  return -1;
}

static char *getcwd_failing(char *buffer, size_t size) {
  errno = ENOENT;
  return 0;
}

static int fcntl_busy(int file, int command, ...) {
  va_list arguments;
  void *argument;
  va_start(arguments, command);
  argument = va_arg(arguments, void *);
  va_end(arguments);
  if (command != F_SETLK) return fcntl(file, command, argument);
  errno = EAGAIN;
  return -1;
}

static int set(const char *name, sqlite3_syscall_ptr function) {
  return vfs->xSetSystemCall(vfs, name, function);
}

static void run(const char *file, const char *sql) {
  sqlite3 *db = 0;
  int code = sqlite3_open(file, &db);
  if (code == SQLITE_OK) code = sqlite3_exec(db, sql, 0, 0, 0);
  printf("%s %s: %d %d %s\n", file, sql, code, sqlite3_extended_errcode(db), sqlite3_errmsg(db));
  sqlite3_close(db);
}

int main(void) {
  static const char *const known[] = {"open", "close", "access", "getcwd", "stat", "fstat", "ftruncate",
      "fcntl", "fchmod", "unlink", "mkdir", "rmdir", "fchown", "geteuid", "mmap", "munmap", "readlink",
      "lstat", "nothing", ""};
  const char *name = 0;
  int n, seen[20] = {0}, ordered = 1, last = -1;
  vfs = sqlite3_vfs_find("unix");
  while ((name = vfs->xNextSystemCall(vfs, name)) != 0) {
    for (n = 0; n < 20; n++) {
      if (strcmp(known[n], name)) continue;
      seen[n] = 1;
      if (n < last) ordered = 0;
      last = n;
    }
  }
  for (n = 0; n < 20; n++) {
    printf("%s %d %d %d\n", known[n], seen[n], vfs->xGetSystemCall(vfs, known[n]) != 0,
        set(known[n], 0));
  }
  printf("in order %d, behind an unknown one %d\n", ordered,
      vfs->xNextSystemCall(vfs, "no such call") != 0);

  run("one.db", "CREATE TABLE t(a); INSERT INTO t VALUES (1)");
  printf("set %d", set("open", (sqlite3_syscall_ptr)open_counted));
  printf(" %d\n", vfs->xGetSystemCall(vfs, "open") == (sqlite3_syscall_ptr)open_counted);
  run("one.db", "SELECT * FROM t");
  printf("opened %d\n", opened > 0);
  failing = EACCES;
  run("one.db", "SELECT * FROM t");
  failing = ENOENT;
  run("one.db", "SELECT * FROM t");
  run("two.db", "CREATE TABLE t(a)");
  failing = 0;
  printf("set %d\n", set("open", 0));
  opened = 0;
  run("one.db", "SELECT * FROM t");
  printf("opened %d\n", opened);

  set("unlink", (sqlite3_syscall_ptr)unlink_counted);
  set("access", (sqlite3_syscall_ptr)access_counted);
  run("one.db", "INSERT INTO t VALUES (2)");
  printf("unlinked %d, accessed %d\n", unlinked, accessed >= 0);
  failing = EACCES;
  run("one.db", "INSERT INTO t VALUES (3)");
  failing = 0;
  run("one.db", "INSERT INTO t VALUES (4)");
  set("unlink", 0);

  set("ftruncate", (sqlite3_syscall_ptr)ftruncate_failing);
  run("one.db", "PRAGMA journal_mode = TRUNCATE; INSERT INTO t VALUES (5)");
  printf("truncated %d\n", truncated > 0);
  set("ftruncate", 0);
  set("fcntl", (sqlite3_syscall_ptr)fcntl_busy);
  run("one.db", "INSERT INTO t VALUES (6)");
  printf("all back %d\n", set(0, 0));
  set("getcwd", (sqlite3_syscall_ptr)getcwd_failing);
  run("one.db", "SELECT * FROM t");
  printf("all back %d, %d\n", set(0, 0),
      vfs->xGetSystemCall(vfs, "access") == (sqlite3_syscall_ptr)access_counted);
  run("one.db", "INSERT INTO t VALUES (7)");
  run("one.db", "PRAGMA integrity_check");
  return 0;
}
