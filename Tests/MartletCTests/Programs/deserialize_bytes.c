/* What sqlite3_deserialize is given is the database: it is changed where it is, given back by
** SQLITE_SERIALIZE_NOCOPY, freed and moved as the flags say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sqlite3.h"

static int print(void *prefix, int count, char **values, char **names) {
  printf("%s", (const char *)prefix);
  for (int i = 0; i < count; i++) printf(" %s", values[i] ? values[i] : "NULL");
  printf("\n");
  return 0;
}

static void run(sqlite3 *db, const char *sql) {
  char *message = 0;
  int code = sqlite3_exec(db, sql, print, "  ", &message);
  printf("%.60s: %d %s\n", sql, code, message ? message : "");
  sqlite3_free(message);
}

static unsigned char *image(sqlite3_int64 *size, sqlite3_int64 capacity, int fromSQLite) {
  sqlite3 *db;
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db, "CREATE TABLE t(a); INSERT INTO t VALUES('original'), (2)", 0, 0, 0);
  unsigned char *bytes = sqlite3_serialize(db, "main", size, 0);
  sqlite3_close(db);
  if (capacity < *size) capacity = *size;
  unsigned char *copy = fromSQLite ? sqlite3_malloc64(capacity) : malloc(capacity);
  memset(copy, 0x55, capacity);
  memcpy(copy, bytes, *size);
  sqlite3_free(bytes);
  return copy;
}

static int has(const unsigned char *bytes, sqlite3_int64 size, const char *text) {
  size_t count = strlen(text);
  for (sqlite3_int64 i = 0; i + (sqlite3_int64)count <= size; i++)
    if (memcmp(bytes + i, text, count) == 0) return 1;
  return 0;
}

/* Somebody else's memory, with some room behind it. */
static void inPlace(unsigned flags, sqlite3_int64 room) {
  sqlite3 *db;
  sqlite3_int64 size, now = -5;
  sqlite3_open(":memory:", &db);
  unsigned char *bytes = image(&size, 0, 0);
  free(bytes);
  bytes = image(&size, size + room, 0);
  printf("in place, flags %u, room %lld: %d\n", flags, room,
         sqlite3_deserialize(db, "main", bytes, size, size + room, flags));
  unsigned char *given = sqlite3_serialize(db, "main", &now, SQLITE_SERIALIZE_NOCOPY);
  printf("given back: %d, size %d\n", given == bytes, now == size);
  run(db, "SELECT * FROM t");
  run(db, "UPDATE t SET a = 'exchanged' WHERE a = 'original'");
  printf("exchanged where it is: %d\n", has(bytes, size, "exchanged"));
  run(db, "BEGIN; INSERT INTO t VALUES('undone'); ROLLBACK");
  run(db, "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 30) "
          "INSERT INTO t SELECT printf('%.*c', 400, 'x') FROM c");
  run(db, "SELECT count(*) FROM t");
  run(db, "PRAGMA integrity_check");
  given = sqlite3_serialize(db, "main", &now, SQLITE_SERIALIZE_NOCOPY);
  printf("given back: %d, size grew %d\n", given == bytes, now > size);
  run(db, "DELETE FROM t");
  run(db, "VACUUM");
  given = sqlite3_serialize(db, "main", &now, SQLITE_SERIALIZE_NOCOPY);
  printf("given back: %d, size %lld\n", given == bytes, now);
  sqlite3_close(db);
  free(bytes);
}

/* Memory of SQLite's, which goes with the connection and may move. */
static void owned(unsigned flags, sqlite3_int64 room) {
  sqlite3 *db;
  sqlite3_int64 size, now, before = sqlite3_memory_used();
  unsigned char *bytes = image(&size, 0, 1);
  sqlite3_free(bytes);
  sqlite3_open(":memory:", &db);
  bytes = image(&size, size + room, 1);
  printf("owned, flags %u, room %lld: %d\n", flags, room,
         sqlite3_deserialize(db, "main", bytes, size, size + room, flags));
  run(db, "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 3000) "
          "INSERT INTO t SELECT printf('%.*c', 400, 'x') FROM c");
  run(db, "SELECT count(*) FROM t");
  run(db, "DELETE FROM t WHERE rowid > 5");
  run(db, "VACUUM");
  run(db, "SELECT length(a) FROM t");
  unsigned char *copy = sqlite3_serialize(db, "main", &now, 0);
  unsigned char *given = sqlite3_serialize(db, "main", &now, SQLITE_SERIALIZE_NOCOPY);
  printf("a copy: %d %d\n", copy != given, copy && given && memcmp(copy, given, now) == 0);
  sqlite3_free(copy);
  sqlite3_close(db);
  printf("freed: %d\n", sqlite3_memory_used() == before);
}

/* Replaced, refused, and what is no database. */
static void several(void) {
  sqlite3 *db;
  sqlite3_stmt *statement;
  sqlite3_int64 size, now, before = sqlite3_memory_used();
  sqlite3_open(":memory:", &db);
  const unsigned own = SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE;
  for (int i = 0; i < 3; i++) {
    unsigned char *bytes = image(&size, 0, 1);
    printf("%d: %d\n", i, sqlite3_deserialize(db, "main", bytes, size, size, own));
    run(db, "INSERT INTO t VALUES(3); SELECT count(*) FROM t");
  }
  run(db, "ATTACH ':memory:' AS x");
  unsigned char *bytes = image(&size, 0, 1);
  printf("attached: %d\n", sqlite3_deserialize(db, "x", bytes, size, size, own));
  run(db, "BEGIN; INSERT INTO main.t VALUES(4); INSERT INTO x.t VALUES(4); COMMIT");
  run(db, "SELECT (SELECT count(*) FROM main.t), (SELECT count(*) FROM x.t)");
  bytes = image(&size, 0, 1);
  printf("nosuch: %d\n", sqlite3_deserialize(db, "nosuch", bytes, size, size, own));
  bytes = image(&size, 0, 1);
  printf("temp: %d\n", sqlite3_deserialize(db, "temp", bytes, size, size, own));
  sqlite3_prepare_v2(db, "SELECT * FROM main.t", -1, &statement, 0);
  sqlite3_step(statement);
  bytes = image(&size, 0, 1);
  printf("busy: %d\n", sqlite3_deserialize(db, "main", bytes, size, size, own));
  printf("goes on: %d\n", sqlite3_step(statement));
  sqlite3_finalize(statement);
  printf("nothing: %d\n", sqlite3_deserialize(db, "main", 0, 0, 0, own));
  run(db, "CREATE TABLE new(a); INSERT INTO new VALUES(1); SELECT * FROM new");
  printf("NOCOPY: %d\n", sqlite3_serialize(db, "main", &now, SQLITE_SERIALIZE_NOCOPY) != 0);
  bytes = image(&size, 0, 1);
  printf("read-only: %d\n", sqlite3_deserialize(
      db, "main", bytes, size, size, own | SQLITE_DESERIALIZE_READONLY));
  run(db, "INSERT INTO t VALUES(3)");
  run(db, "SELECT count(*) FROM t");
  bytes = sqlite3_malloc64(5000);
  memset(bytes, 'z', 5000);
  printf("no database: %d\n", sqlite3_deserialize(db, "main", bytes, 5000, 5000, own));
  run(db, "SELECT * FROM main.sqlite_schema");
  sqlite3_close(db);
  printf("freed: %d\n", sqlite3_memory_used() == before);
}

/* What does not commit leaves the bytes as they were, also where it was too much for the cache. */
static void undone(const char *sql, sqlite3_int64 room) {
  sqlite3 *db;
  sqlite3_int64 size, now;
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db,
               "CREATE TABLE t(a INTEGER PRIMARY KEY, b); WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL "
               "SELECT i + 1 FROM c WHERE i < 300) INSERT INTO t SELECT i, hex(zeroblob(50)) FROM c",
               0, 0, 0);
  unsigned char *original = sqlite3_serialize(db, "main", &size, 0);
  unsigned char *bytes = malloc(size + room);
  sqlite3_close(db);
  memcpy(bytes, original, size);
  sqlite3_open(":memory:", &db);
  sqlite3_deserialize(db, "main", bytes, size, size + room, 0);
  run(db, "PRAGMA cache_size = 2");
  run(db, sql);
  unsigned char *given = sqlite3_serialize(db, "main", &now, SQLITE_SERIALIZE_NOCOPY);
  printf("given: %d, as before: %d\n", given == bytes,
         now == size && memcmp(bytes, original, size) == 0);
  run(db, "SELECT count(*), sum(length(b)) FROM t; PRAGMA integrity_check");
  sqlite3_close(db);
  printf("as before when closed: %d\n", memcmp(bytes, original, size) == 0);
  free(bytes);
  sqlite3_free(original);
}

int main(void) {
  sqlite3_initialize();
  inPlace(0, 0);
  inPlace(0, 100000);
  owned(SQLITE_DESERIALIZE_FREEONCLOSE, 0);
  owned(SQLITE_DESERIALIZE_FREEONCLOSE, 2000000);
  owned(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE, 0);
  several();
  undone("BEGIN; UPDATE t SET b = b || 'x'; DELETE FROM t WHERE a % 3 = 0; ROLLBACK", 400000);
  undone("BEGIN; INSERT INTO t(b) SELECT hex(zeroblob(400)) FROM t; ROLLBACK", 400000);
  undone("BEGIN; UPDATE t SET b = b || 'x'; ROLLBACK; BEGIN; DELETE FROM t WHERE a % 3 = 0; ROLLBACK",
         400000);
  undone("INSERT INTO t(b) SELECT hex(zeroblob(90000)) FROM t", 400000);
  undone("UPDATE t SET b = b || hex(zeroblob(60))", 8192);
  undone("UPDATE t SET b = CASE a WHEN 290 THEN abs(-9223372036854775807 - 1) ELSE 'new' END", 0);
  return 0;
}
