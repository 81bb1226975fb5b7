/* Changesets with bytes that no session writes: none ends the process. With an argument, each
   byte of two is damaged, and a hash of all that the functions say is printed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sqlite3.h"
#include "sqlite3session.h"

typedef struct { unsigned char *bytes; int count; } Bytes;

static unsigned hash, runs;
static int isTold;

static void mix(unsigned number) { hash = (hash ^ number) * 16777619u; }

static void mixBytes(const void *bytes, int count) {
  int i;
  mix((unsigned)count);
  for (i = 0; bytes && i < count; i++) mix(((const unsigned char *)bytes)[i]);
}

static void exec(sqlite3 *db, const char *sql) {
  char *message = 0;
  if (sqlite3_exec(db, sql, 0, 0, &message)) printf("%s: %s\n", sql, message);
  sqlite3_free(message);
}

static const char *schema =
  "CREATE TABLE t(a INTEGER PRIMARY KEY, b, c);"
  "CREATE TABLE u(x, y, z, PRIMARY KEY(y, x));"
  "INSERT INTO t VALUES(1, 'one', 1.5), (2, x'0203', NULL), (3, 3, 3), (9, 9, 9);"
  "INSERT INTO u VALUES('a', 1, 2), ('b', 2, 3), ('c', 3, 4)";

static const char *work =
  "INSERT INTO t VALUES(4, 'four', 4.5); UPDATE t SET b = 'eins' WHERE a = 1;"
  "DELETE FROM t WHERE a = 2; INSERT INTO u VALUES('d', 4, 'a longer text, for the length of it');"
  "UPDATE u SET z = NULL WHERE y = 2; DELETE FROM u WHERE y = 3; UPDATE t SET a = 5 WHERE a = 9";

static Bytes recorded(int isPatchset) {
  sqlite3 *db;
  sqlite3_session *session;
  Bytes result = {0, 0};
  void *bytes = 0;
  sqlite3_open(":memory:", &db);
  exec(db, schema);
  sqlite3session_create(db, "main", &session);
  sqlite3session_attach(session, 0);
  exec(db, work);
  if (isPatchset) sqlite3session_patchset(session, &result.count, &bytes);
  else sqlite3session_changeset(session, &result.count, &bytes);
  result.bytes = bytes;
  sqlite3session_delete(session);
  sqlite3_close(db);
  return result;
}

static void mixValue(sqlite3_value *value) {
  if (!value) {
    mix(7);
    return;
  }
  mix((unsigned)sqlite3_value_type(value));
  mixBytes(sqlite3_value_blob(value), sqlite3_value_bytes(value));
}

static int step(sqlite3_changeset_iter *changes) {
  const char *table;
  unsigned char *key;
  int columns, operation, indirect, i, code = sqlite3changeset_next(changes);
  mix((unsigned)code);
  if (code != SQLITE_ROW) return code;
  sqlite3changeset_op(changes, &table, &columns, &operation, &indirect);
  mixBytes(table, (int)strlen(table));
  mix((unsigned)operation), mix((unsigned)columns), mix((unsigned)indirect);
  sqlite3changeset_pk(changes, &key, &columns);
  mixBytes(key, columns);
  for (i = -1; i <= columns && i < 20; i++) {
    sqlite3_value *value = 0;
    if (operation != SQLITE_INSERT) mix((unsigned)sqlite3changeset_old(changes, i, &value));
    mixValue(value);
    value = 0;
    if (operation != SQLITE_DELETE) mix((unsigned)sqlite3changeset_new(changes, i, &value));
    mixValue(value);
  }
  return code;
}

/* A source that gives few bytes at a time. */
typedef struct { Bytes bytes; int place, step; } Source;

static int feed(void *argument, void *target, int *count) {
  Source *source = argument;
  int left = source->bytes.count - source->place;
  if (*count > source->step) *count = source->step;
  if (*count > left) *count = left;
  memcpy(target, source->bytes.bytes + source->place, (size_t)*count);
  source->place += *count;
  return SQLITE_OK;
}

static void iterate(Bytes bytes) {
  sqlite3_changeset_iter *changes = 0;
  Source source = {bytes, 0, 3};
  int flags;
  for (flags = 0; flags < 2; flags++) {
    mix((unsigned)sqlite3changeset_start_v2(&changes, bytes.count, bytes.bytes, flags ? 2 : 0));
    while (step(changes) == SQLITE_ROW) {}
    mix((unsigned)sqlite3changeset_finalize(changes));
  }
  mix((unsigned)sqlite3changeset_start_strm(&changes, feed, &source));
  while (step(changes) == SQLITE_ROW) {}
  mix((unsigned)sqlite3changeset_finalize(changes));
}

static void give(int code, int count, void *bytes) {
  mix((unsigned)code);
  if (code == SQLITE_OK) mixBytes(bytes, count);
  sqlite3_free(bytes);
}

static void combine(Bytes bytes, Bytes good) {
  sqlite3_changegroup *group;
  sqlite3_rebaser *rebaser;
  int count = 0, code;
  void *result = 0;
  code = sqlite3changeset_invert(bytes.count, bytes.bytes, &count, &result);
  give(code, count, result), result = 0;
  code = sqlite3changeset_concat(bytes.count, bytes.bytes, good.count, good.bytes, &count, &result);
  give(code, count, result), result = 0;
  sqlite3changegroup_new(&group);
  mix((unsigned)sqlite3changegroup_add(group, good.count, good.bytes));
  mix((unsigned)sqlite3changegroup_add(group, bytes.count, bytes.bytes));
  mix((unsigned)sqlite3changegroup_add(group, bytes.count, bytes.bytes));
  code = sqlite3changegroup_output(group, &count, &result);
  give(code, count, result), result = 0;
  sqlite3changegroup_delete(group);
  sqlite3rebaser_create(&rebaser);
  mix((unsigned)sqlite3rebaser_configure(rebaser, bytes.count, bytes.bytes));
  code = sqlite3rebaser_rebase(rebaser, good.count, good.bytes, &count, &result);
  give(code, count, result), result = 0;
  sqlite3rebaser_delete(rebaser);
  sqlite3rebaser_create(&rebaser);
  mix((unsigned)sqlite3rebaser_configure(rebaser, good.count, good.bytes));
  code = sqlite3rebaser_rebase(rebaser, bytes.count, bytes.bytes, &count, &result);
  give(code, count, result), result = 0;
  sqlite3rebaser_delete(rebaser);
}

static int decision;

static int conflict(void *argument, int kind, sqlite3_changeset_iter *changes) {
  int i;
  (void)argument;
  mix((unsigned)kind);
  for (i = -1; i < 5; i++) {
    sqlite3_value *value = 0;
    if (kind == SQLITE_CHANGESET_DATA || kind == SQLITE_CHANGESET_CONFLICT)
      mix((unsigned)sqlite3changeset_conflict(changes, i, &value));
    mixValue(value);
  }
  if (decision == SQLITE_CHANGESET_REPLACE &&
      (kind == SQLITE_CHANGESET_DATA || kind == SQLITE_CHANGESET_CONFLICT))
    return decision;
  return SQLITE_CHANGESET_OMIT;
}

static void apply(Bytes bytes, sqlite3 *db) {
  static const int flags[] = {0, SQLITE_CHANGESETAPPLY_INVERT};
  int i;
  for (i = 0; i < 2; i++) {
    void *rebase = 0;
    int count = 0;
    sqlite3_stmt *statement;
    exec(db, "BEGIN");
    decision = i & 1 ? SQLITE_CHANGESET_REPLACE : SQLITE_CHANGESET_OMIT;
    mix((unsigned)sqlite3changeset_apply_v2(db, bytes.count, bytes.bytes, 0, conflict, 0, &rebase,
                                            &count, flags[i]));
    mixBytes(rebase, rebase ? count : 0);
    sqlite3_free(rebase);
    sqlite3_prepare_v2(db, "SELECT * FROM t UNION ALL SELECT * FROM u", -1, &statement, 0);
    while (sqlite3_step(statement) == SQLITE_ROW) {
      int j;
      for (j = 0; j < 3; j++) mixValue(sqlite3_column_value(statement, j));
    }
    sqlite3_finalize(statement);
    exec(db, "ROLLBACK");
  }
}

static void try(Bytes bytes, Bytes good, sqlite3 *db, const char *name, int place, int value) {
  hash = 2166136261u;
  iterate(bytes);
  combine(bytes, good);
  apply(bytes, db);
  runs++;
  if (isTold) printf("%s %d %d: %08x\n", name, place, value, hash);
}

/* Each byte becomes others, is left out, or is the last. */
static void damage(const char *name, Bytes good, Bytes other, sqlite3 *db) {
  static const int values[] = {0, 'P', 0xff};
  unsigned char *memory = malloc((size_t)good.count + 16);
  int place, i;
  for (place = 0; place < good.count; place += 3) {
    Bytes bytes = {memory, good.count};
    for (i = 0; i < 3; i++) {
      if (good.bytes[place] == values[i]) continue;
      memcpy(memory, good.bytes, (size_t)good.count);
      memory[place] = (unsigned char)values[i];
      try(bytes, other, db, name, place, values[i]);
    }
    bytes.count = place;
    memcpy(memory, good.bytes, (size_t)place);
    try(bytes, other, db, name, place, -1);
    bytes.count = good.count - 1;
    memcpy(memory + place, good.bytes + place + 1, (size_t)(good.count - place - 1));
    try(bytes, other, db, name, place, -2);
    /* A number of nine bytes in the place of one. */
    bytes.count = good.count + 8;
    memset(memory + place, 0xff, 9);
    memcpy(memory + place + 9, good.bytes + place + 1, (size_t)(good.count - place - 1));
    try(bytes, other, db, name, place, -3);
    memset(memory + place, 0x80, 8);
    memory[place + 8] = good.bytes[place];
    try(bytes, other, db, name, place, -4);
  }
  free(memory);
}

/* Deletions of a patchset have nothing but the key. */
static void shortRecords(sqlite3 *db) {
  static unsigned char twice[] = {'P', 3, 0, 0, 1, 't', 0, 9, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1,
                                  9, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 9, 0, 3, 1, 'x', 9, 0, 3, 1, 'x'};
  static unsigned char mixed[] = {'P', 2, 0, 1, 't', 0, 9, 0, 5, 9, 0, 5, 18, 0, 5, 5,
                                  'T', 2, 0, 1, 't', 0, 9, 0, 5, 5, 18, 0, 0, 0, 23, 0, 0, 0, 0, 0};
  static unsigned char wide[] = {'T', 1, 1, 't', 0, 9, 0, 5, 'T', 5, 1, 0, 0, 0, 0, 't', 0, 9, 0, 5,
                                 5, 5, 5, 5, 18, 0, 5, 5, 5, 5, 5, 23, 0, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5};
  static unsigned char none[] = {'T', 0, 't', 0, 18, 0, 9, 0, 23, 0, 'P', 0, 't', 0, 18, 0, 9, 0, 23, 0};
  Bytes all[] = {{twice, sizeof twice}, {mixed, sizeof mixed}, {wide, sizeof wide}, {none, sizeof none}};
  int i, j;
  for (i = 0; i < 4; i++)
    for (j = 0; j < 4; j++) try(all[i], all[j], db, "records", i, j);
}

int main(int count, char **words) {
  Bytes changeset = recorded(0), patchset = recorded(1);
  sqlite3 *db;
  isTold = count > 1 && *words;
  sqlite3_open(":memory:", &db);
  exec(db, schema);
  shortRecords(db);
  if (isTold) damage("changeset", changeset, changeset, db), damage("patchset", patchset, patchset, db);
  printf("%u\n", runs);
  sqlite3_free(changeset.bytes), sqlite3_free(patchset.bytes);
  return sqlite3_close(db);
}
