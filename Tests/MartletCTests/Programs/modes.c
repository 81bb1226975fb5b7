/* Modes and owners of journals, logs and shared memory: those of the database. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sqlite3.h"

static void show(const char *file) {
  struct stat status;
  if (stat(file, &status)) {
    printf("  %s: none\n", file);
  } else {
    printf("  %s: %o, owner %d of %d\n", file, (unsigned)status.st_mode & 0777,
        status.st_uid == getuid() ? 0 : (int)status.st_uid,
        status.st_gid == getgid() ? 0 : (int)status.st_gid);
  }
}

static void run(sqlite3 *db, const char *sql) {
  int code = sqlite3_exec(db, sql, 0, 0, 0);
  printf("%s: %d %s\n", sql, sqlite3_extended_errcode(db), code ? sqlite3_errmsg(db) : "");
}

/* A database with the mode and, where that may be, the owner. */
static sqlite3 *opened(const char *name, mode_t mode, int owner) {
  sqlite3 *db = 0;
  sqlite3_open(name, &db);
  sqlite3_exec(db, "CREATE TABLE t(a)", 0, 0, 0);
  chmod(name, mode);
  if (owner && !geteuid()) chown(name, owner, owner);
  return db;
}

static void journals(const char *name, mode_t mode, int owner) {
  char file[100];
  sqlite3 *db = opened(name, mode, owner);
  printf("%s, mode %o\n", name, (unsigned)mode);
  run(db, "BEGIN; INSERT INTO t VALUES(1)");
  snprintf(file, sizeof file, "%s-journal", name);
  show(file);
  run(db, "COMMIT; PRAGMA journal_mode = PERSIST; INSERT INTO t VALUES(2)");
  show(file);
  run(db, "PRAGMA journal_mode = WAL; INSERT INTO t VALUES(3)");
  show(file);
  snprintf(file, sizeof file, "%s-wal", name);
  show(file);
  snprintf(file, sizeof file, "%s-shm", name);
  show(file);
  sqlite3_close(db);
  show(name);
}

/* What is there before, empty or not. */
static void there(const char *name, const char *content) {
  char file[100];
  sqlite3 *db = opened(name, 0664, 0);
  FILE *journal;
  snprintf(file, sizeof file, "%s-journal", name);
  journal = fopen(file, "w");
  if (journal) {
    fputs(content, journal);
    fclose(journal);
  }
  chmod(file, 0600);
  printf("%s with a journal\n", name);
  run(db, "BEGIN; INSERT INTO t VALUES(1)");
  show(file);
  run(db, "COMMIT");
  sqlite3_close(db);
}

static void like(const char *uri, const char *name) {
  sqlite3 *db = 0;
  int code = sqlite3_open_v2(
      uri, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, 0);
  if (code == SQLITE_OK) code = sqlite3_exec(db, "CREATE TABLE IF NOT EXISTS t(a)", 0, 0, 0);
  printf("%s: %d %d\n", uri, code, sqlite3_extended_errcode(db));
  sqlite3_close(db);
  show(name);
}

static void renamed(void) {
  sqlite3 *db = opened("moved.db", 0644, 0);
  rename("moved.db", "elsewhere.db");
  run(db, "INSERT INTO t VALUES(1)");
  sqlite3_close(db);
}

int main(void) {
  umask(077);
  journals("private.db", 0600, 0);
  journals("shared.db", 0666, 0);
  journals("group.db", 0664, 4321);
  journals("odd-name.x.db", 0640, 4321);
  umask(022);
  journals("again.db", 0660, 0);
  there("empty.db", "");
  there("filled.db", "something");
  like("file:like.db?modeof=group.db", "like.db");
  like("file:like.db?modeof=shared.db", "like.db");
  like("file:unlike.db?modeof=nothing.db", "unlike.db");
  umask(077);
  like("file:like2.db?modeof=shared.db", "like2.db");
  like("file:plain.db", "plain.db");
  renamed();
  return 0;
}
