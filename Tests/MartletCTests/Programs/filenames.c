/* File names are bytes, which need not be UTF-8. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sqlite3.h"

static void show(const char *label, const char *text) {
  printf("%s", label);
  const char *name = text ? strrchr(text, '/') : 0;
  for (name = name ? name + 1 : text; name && *name; name++) {
    if (*name >= ' ' && *name <= '~') printf("%c", *name);
    else printf("\\x%02x", (unsigned char)*name);
  }
  printf("\n");
}

static int row(void *label, int count, char **values, char **names) {
  (void)names;
  for (int i = 0; i < count; i++) show(label, values[i]);
  return 0;
}

static void run(sqlite3 *db, const char *sql) {
  int code = sqlite3_exec(db, sql, row, "  ", 0);
  if (code != SQLITE_OK) printf("  %d %s\n", code, sqlite3_errmsg(db));
}

static int compare(const void *left, const void *right) {
  return strcmp(*(char *const *)left, *(char *const *)right);
}

/* The files of the folder, in the order of their bytes. */
static void list(void) {
  char *names[64];
  int count = 0;
  DIR *folder = opendir(".");
  struct dirent *entry;
  while ((entry = readdir(folder)) && count < 64)
    if (entry->d_name[0] != '.') names[count++] = strdup(entry->d_name);
  closedir(folder);
  qsort(names, count, sizeof *names, compare);
  for (int i = 0; i < count; i++) {
    show("  file ", names[i]);
    free(names[i]);
  }
}

int main(void) {
  static const char *const names[] = {
    "caf\xe9.db", "caf\xe8.db", "caf\xc3\xa9.db", "cafe\xcc\x81.db", "\xff\xfe\x80.db",
    "\xf4\x8f\xbe\x80.db", "\xf4\x8f\xbf\xbf.db", "\xed\xa0\x80.db", "\xe2\x82.db",
    "file:uri%E9.db?mode=rwc", "file:uri\xe8.db?key=\xe9",
  };
  char folder[] = "names.XXXXXX";
  if (!mkdtemp(folder) || chdir(folder) != 0) return 1;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    sqlite3 *db = 0;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI;
    int code = sqlite3_open_v2(names[i], &db, flags, 0);
    show("open ", names[i]);
    printf("  %d\n", code);
    run(db, "CREATE TABLE t(a)");
    char *insert = sqlite3_mprintf("INSERT INTO t VALUES(%d)", (int)i);
    run(db, insert);
    sqlite3_free(insert);
    run(db, "SELECT group_concat(a) FROM t");
    run(db, "SELECT file FROM pragma_database_list");
    const char *path = sqlite3_db_filename(db, "main");
    show("  name ", path);
    show("  journal ", sqlite3_filename_journal(path));
    const char *value = sqlite3_uri_parameter(path, "key");
    show("  key ", value ? value : "none");
    run(db, "BEGIN; INSERT INTO t VALUES('in the journal')");
    list();
    run(db, "ROLLBACK");
    sqlite3_close(db);
  }
  sqlite3 *db = 0;
  sqlite3_open(":memory:", &db);
  sqlite3_stmt *attach = 0;
  sqlite3_prepare_v2(db, "ATTACH ? AS x", -1, &attach, 0);
  for (int i = 0; i < 9; i++) {
    sqlite3_bind_text(attach, 1, names[i], -1, SQLITE_STATIC);
    int code = sqlite3_step(attach);
    printf("attach %d\n", code);
    sqlite3_reset(attach);
    run(db, "SELECT a FROM x.t; SELECT file FROM pragma_database_list WHERE name='x'");
    show("  name ", sqlite3_db_filename(db, "x"));
    run(db, "DETACH x");
  }
  sqlite3_finalize(attach);
  run(db, "CREATE TABLE copied(a); VACUUM INTO CAST(x'636f7079e92e6462' AS TEXT)");
  run(db, "PRAGMA encoding; ATTACH CAST(x'636f7079e92e6462' AS TEXT) AS x");
  run(db, "SELECT name FROM x.sqlite_schema");
  sqlite3_close(db);
  /* Several files together: their names stand in a super-journal. */
  sqlite3_open("caf\xe9.db", &db);
  run(db, "ATTACH CAST(x'636166e82e6462' AS TEXT) AS x");
  run(db, "BEGIN; INSERT INTO main.t VALUES('both'); INSERT INTO x.t VALUES('both'); COMMIT");
  run(db, "SELECT group_concat(a) FROM main.t; SELECT group_concat(a) FROM x.t");
  sqlite3_close(db);
  list();
  return 0;
}
