/* How large databases in memory, and what is asked for at once, may become (c3ref/deserialize,
** c3ref/c_fcntl_begin_atomic_write, c3ref/hard_heap_limit64). */
#include <stdio.h>
#include <string.h>
#include "sqlite3.h"
#include "sqlite3session.h"

static void run(sqlite3 *db, const char *sql) {
  char *message = 0;
  int code = sqlite3_exec(db, sql, 0, 0, &message);
  printf("%.60s: %d %s, %s\n", sql, code, message ? message : "",
         sqlite3_get_autocommit(db) ? "auto" : "open");
  sqlite3_free(message);
}

static void count(sqlite3 *db) {
  sqlite3_stmt *stmt;
  sqlite3_prepare_v2(db, "SELECT count(*), (SELECT page_count FROM pragma_page_count), "
                         "(SELECT integrity_check FROM pragma_integrity_check) FROM t", -1, &stmt, 0);
  if (sqlite3_step(stmt) == SQLITE_ROW)
    printf("  %d rows, %d pages, %s\n", sqlite3_column_int(stmt, 0), sqlite3_column_int(stmt, 1),
           (const char *)sqlite3_column_text(stmt, 2));
  else
    printf("  %s\n", sqlite3_errmsg(db));
  sqlite3_finalize(stmt);
}

static void limit(sqlite3 *db, sqlite3_int64 wanted) {
  sqlite3_int64 limit = wanted;
  int code = sqlite3_file_control(db, "main", SQLITE_FCNTL_SIZE_LIMIT, &limit);
  printf("limit %lld: %d %lld\n", (long long)wanted, code, (long long)limit);
}

static unsigned char *image(sqlite3_int64 *size, sqlite3_int64 room) {
  sqlite3 *db;
  unsigned char *bytes, *copy;
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db, "CREATE TABLE t(a); INSERT INTO t VALUES(1)", 0, 0, 0);
  bytes = sqlite3_serialize(db, "main", size, 0);
  copy = sqlite3_malloc64(*size + room);
  memcpy(copy, bytes, *size);
  sqlite3_free(bytes);
  sqlite3_close(db);
  return copy;
}

static void deserialized(unsigned flags, sqlite3_int64 room) {
  sqlite3 *db;
  sqlite3_int64 size;
  unsigned char *bytes = image(&size, room);
  sqlite3_open(":memory:", &db);
  printf("flags %u, room for %lld more: %d\n", flags, (long long)room,
         sqlite3_deserialize(db, "main", bytes, size, size + room, flags));
  limit(db, -1);
  run(db, "INSERT INTO t VALUES(zeroblob(1000))");
  run(db, "INSERT INTO t VALUES(zeroblob(5000))");
  count(db);
  run(db, "BEGIN");
  run(db, "INSERT INTO t VALUES(zeroblob(9000))");
  run(db, "COMMIT");
  count(db);
  run(db, "INSERT INTO t VALUES(zeroblob(50000))");
  limit(db, 40000);
  limit(db, -1);
  limit(db, 100);
  run(db, "INSERT INTO t VALUES(zeroblob(60000))");
  count(db);
  limit(db, 150000);
  run(db, "BEGIN");
  run(db, "INSERT INTO t VALUES(zeroblob(50000))");
  run(db, "SAVEPOINT a");
  run(db, "INSERT INTO t VALUES(zeroblob(150000))");
  count(db);
  run(db, "RELEASE a");
  run(db, "COMMIT");
  count(db);
  run(db, "DELETE FROM t");
  run(db, "VACUUM");
  count(db);
  run(db, "INSERT INTO t VALUES(zeroblob(150000))");
  run(db, "PRAGMA cache_size=10");
  run(db, "INSERT INTO t VALUES(zeroblob(1000000))");
  count(db);
  run(db, "INSERT INTO t VALUES(zeroblob(100))");
  run(db, "BEGIN; INSERT INTO t VALUES(zeroblob(3000)); ROLLBACK");
  count(db);
  sqlite3_close(db);
}

/* The limit of the VFS "memdb" is not one of `:memory:`. */
static void in_memory(const char *name) {
  sqlite3 *db;
  sqlite3_open_v2(name, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, 0);
  printf("%s\n", name);
  limit(db, -1);
  limit(db, 50000);
  run(db, "PRAGMA cache_size=10");
  run(db, "CREATE TABLE t(a)");
  run(db, "INSERT INTO t VALUES(zeroblob(400000))");
  count(db);
  sqlite3_close(db);
}

static int nothing(void *argument, void *bytes, int *size) {
  (void)argument, (void)bytes;
  *size = 0;
  return SQLITE_OK;
}

static void at_once(void) {
  sqlite3 *db;
  sqlite3_changeset_iter *changes = 0;
  int size = 2000000000, code;
  sqlite3_open(":memory:", &db);
  sqlite3_hard_heap_limit64(150000000);
  run(db, "CREATE VIRTUAL TABLE t USING fts4(a); INSERT INTO t VALUES('one')");
  run(db, "SELECT matchinfo(t, printf('%.*c', 15000000, 'x')) FROM t WHERE t MATCH 'one'");
  run(db, "SELECT length(matchinfo(t, 'xxx')) FROM t WHERE t MATCH 'one'");
  printf("chunks %d", sqlite3session_config(SQLITE_SESSION_CONFIG_STRMSIZE, &size));
  printf(" %d\n", size);
  code = sqlite3changeset_start_strm(&changes, nothing, 0);
  printf("start %d", code);
  if (!code) {
    code = sqlite3changeset_next(changes);
    printf(", next %d, finalize %d", code, sqlite3changeset_finalize(changes));
  }
  printf("\n");
  sqlite3_close(db);
}

int main(void) {
  sqlite3_config(SQLITE_CONFIG_MEMDB_MAXSIZE, (sqlite3_int64)300000);
  for (unsigned flags = 0; flags < 3; flags += 2)
    for (int room = 0; room < 40000; room += 20000)
      deserialized(SQLITE_DESERIALIZE_FREEONCLOSE | flags, room);
  deserialized(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY, 0);
  in_memory(":memory:");
  in_memory("file:x?mode=memory");
  in_memory("file:x?mode=memory&cache=shared");
  in_memory("file:x?vfs=memdb");
  in_memory("file:/x?vfs=memdb");
  at_once();
  return 0;
}
