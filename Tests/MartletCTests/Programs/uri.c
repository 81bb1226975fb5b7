/* Names of files: URI parameters, and the names of a database's other files (c3ref/uri_boolean,
   c3ref/create_filename, c3ref/filename_database). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sqlite3.h"

static const char *shown(const char *text) { return text ? text : "(null)"; }

static const char *last(const char *path) {
  const char *slash = path ? strrchr(path, '/') : 0;
  return slash ? slash + 1 : shown(path);
}

static void show_name(sqlite3_filename name) {
  int i;
  printf("  database %s journal %s wal %s\n", last(sqlite3_filename_database(name)),
         last(sqlite3_filename_journal(name)), last(sqlite3_filename_wal(name)));
  for (i = -1; i < 20; i++) {
    const char *key = sqlite3_uri_key(name, i);
    if (key) printf("  %d %s=%s\n", i, key, shown(sqlite3_uri_parameter(name, key)));
  }
}

static void created_names(void) {
  static const char *pairs[] = {"a", "1", "empty", "", "a", "2", "hex", "0x1F", "big",
    "9223372036854775807", "bigger", "9223372036854775808", "neg", "-9223372036854775808",
    "blank", "  12 ", "word", "12x", "none", "", "plus", "+5", "longhex", "0xffffffffffffffff",
    "toolong", "0x10000000000000000", "hexword", "0xg", "on", "On", "yes", "YES", "true", "tRue",
    "off", "OFF", "no", "No", "false", "FALSE", "zero", "0", "one", "1", "n256", "256", "n2x",
    "2x", "full", "full", "minus", "-1", "huge", "99999999999"};
  int count = sizeof pairs / sizeof pairs[0] / 2, i;
  sqlite3_filename name = sqlite3_create_filename("main.db", "other-j", "other-w", count, pairs);
  sqlite3_filename plain = sqlite3_create_filename("p", "", "", 0, 0);
  sqlite3_filename wal;
  printf("name %s\n", name);
  show_name(name);
  for (i = 0; i < count; i++) {
    const char *key = pairs[2 * i];
    printf("  %s: %s %d %d %lld\n", key, shown(sqlite3_uri_parameter(name, key)),
           sqlite3_uri_boolean(name, key, 0), sqlite3_uri_boolean(name, key, 7),
           (long long)sqlite3_uri_int64(name, key, 77));
  }
  printf("  absent: %s %d %d %lld\n", shown(sqlite3_uri_parameter(name, "absent")),
         sqlite3_uri_boolean(name, "absent", 0), sqlite3_uri_boolean(name, "absent", 7),
         (long long)sqlite3_uri_int64(name, "absent", 77));
  wal = sqlite3_filename_wal(name);
  printf("from the log: %s %s\n", sqlite3_filename_journal(wal), sqlite3_uri_parameter(wal, "a"));
  printf("plain: %s|%s|%s|%s\n", sqlite3_filename_database(plain), sqlite3_filename_journal(plain),
         sqlite3_filename_wal(plain), shown(sqlite3_uri_key(plain, 0)));
  sqlite3_free_filename(name);
  sqlite3_free_filename(plain);
  sqlite3_free_filename(0);
}

static void null_names(void) {
  printf("null: %s %d %d %lld %s\n", shown(sqlite3_uri_parameter(0, "a")),
         sqlite3_uri_boolean(0, "a", 0), sqlite3_uri_boolean(0, "a", 3),
         (long long)sqlite3_uri_int64(0, "a", 5), shown(sqlite3_uri_key(0, 0)));
  printf("null: %s %s %s\n", shown(sqlite3_filename_database(0)),
         shown(sqlite3_filename_journal(0)), shown(sqlite3_filename_wal(0)));
}

static void open_database(const char *path, int flags) {
  sqlite3 *db = 0;
  int rc = sqlite3_open_v2(path, &db, flags, 0);
  printf("open %s: %d %s\n", path, rc, rc ? sqlite3_errmsg(db) : "");
  if (rc == SQLITE_OK) {
    sqlite3_filename name = sqlite3_db_filename(db, "main");
    rc = sqlite3_exec(db, "CREATE TABLE IF NOT EXISTS t(a)", 0, 0, 0);
    printf("  rc %d, file %s, same %d\n", rc, last(name), name == sqlite3_db_filename(db, 0));
    if (name && *name) show_name(name);
    printf("  read-only %d\n", sqlite3_db_readonly(db, "main"));
    printf("  temp %s none %s\n", shown(sqlite3_db_filename(db, "temp")),
           shown(sqlite3_db_filename(db, "none")));
  }
  sqlite3_close(db);
}

int main(void) {
  int usual = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, uri = usual | SQLITE_OPEN_URI;
  created_names();
  null_names();
  open_database("uri1.db", usual);
  open_database("file:uri1.db", uri);
  open_database("file:uri1.db?x=1&y&z=%26%3D&x=2", uri);
  open_database("file:uri%31.db?mode=ro&cache=private#fragment", uri);
  open_database("file:uri1.db?mode=rx", uri);
  open_database("file:uri1.db?vfs=nothing", uri);
  open_database("file:uri1.db?vfs=unix-none&psow=0", uri);
  open_database("file:uri2.db?mode=rw", uri);
  open_database("file://elsewhere/uri1.db", uri);
  open_database("file:uri1.db?immutable=1", uri);
  open_database(":memory:", usual);
  open_database("", usual);
  open_database("file:mem?mode=memory&k=v", uri);
  open_database("file:/shared?vfs=memdb&k=v", uri);
  int old = SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI;
  open_database("file:/one?vfs=memdb", old);
  open_database("file:/one?vfs=memdb&mode=rw", old);
  open_database("file:/two?vfs=memdb&mode=ro", old);
  open_database("file:three?vfs=memdb", old);
  return 0;
}
