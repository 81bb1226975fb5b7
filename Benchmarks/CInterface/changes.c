// What recording 100,000 changes costs, and working with them (c3ref/session), in two libraries that
// are measured in turn.
//
//     changes LIBRARY ORACLE [ROUNDS] [WORKLOAD…]
//
// Prints for each workload the nanoseconds of processor time per change of both, the least of all
// rounds, and their ratio. Both libraries have to make the same bytes.
#define FUNCTIONS(each)                                                                        \
  each(open_v2) each(close_v2) each(errmsg) each(exec) each(prepare_v2) each(finalize)          \
  each(step) each(reset) each(bind_int64) each(bind_text) each(column_int64) each(free)         \
  each(sourceid) each(value_bytes)
#define SESSION_FUNCTIONS(each)                                                                \
  each(session_create) each(session_attach) each(session_delete) each(session_changeset)        \
  each(changeset_apply) each(changeset_invert) each(changeset_concat) each(changeset_start)     \
  each(changeset_next) each(changeset_op) each(changeset_new) each(changeset_finalize)
#include "measure.h"

enum { rowCount = 100000, changeCount = 100000 };

typedef struct Bytes {
  int count;
  void *start;
} Bytes;

static sqlite3_int64 sum(Bytes bytes) {
  const unsigned char *start = bytes.start;
  sqlite3_int64 sum = bytes.count;
  for (int index = 0; index < bytes.count; index++) {
    sum = (sqlite3_int64)((sqlite3_uint64)sum * 31 + start[index]);
  }
  return sum;
}

// What this side's library has recorded of the same changes.
static Bytes recorded[2], second[2];
static Library *sides[2];

static int side(void) { return lib == sides[1]; }

// Inserts, updates and deletes, a change of one row each.
static void change(int from) {
  sqlite3_stmt *insert = prepare("INSERT INTO t VALUES(?1, ?1 * 7, 'a text that is new', 2.5)");
  sqlite3_stmt *update = prepare("UPDATE t SET b = b + 1, c = 'another text' WHERE a = ?1");
  sqlite3_stmt *delete = prepare("DELETE FROM t WHERE a = ?1");
  for (int index = from; index < from + changeCount; index++) {
    sqlite3_stmt *statement = index % 5 < 2 ? insert : index % 5 < 4 ? update : delete;
    sqlite3_int64 row = (sqlite3_int64)index * 7919 % rowCount + 1;
    if (statement == insert) row = rowCount + 1 + index;
    lib->bind_int64(statement, 1, row);
    if (lib->step(statement) != SQLITE_DONE) fail("change");
    lib->reset(statement);
  }
  lib->finalize(insert), lib->finalize(update), lib->finalize(delete);
}

static Bytes record(int from, int isCommitted) {
  sqlite3_session *session;
  Bytes bytes;
  run("BEGIN");
  if (lib->session_create(lib->database, "main", &session) != SQLITE_OK) fail("create");
  if (lib->session_attach(session, 0) != SQLITE_OK) fail("attach");
  change(from);
  if (lib->session_changeset(session, &bytes.count, &bytes.start) != SQLITE_OK) fail("changeset");
  lib->session_delete(session);
  run(isCommitted ? "COMMIT" : "ROLLBACK");
  return bytes;
}

static sqlite3_int64 unrecorded(const char *unused) {
  (void)unused;
  run("BEGIN");
  change(0);
  run("ROLLBACK");
  return changeCount;
}

static sqlite3_int64 recording(const char *unused) {
  (void)unused;
  Bytes bytes = record(0, 0);
  sqlite3_int64 result = sum(bytes);
  lib->free(bytes.start);
  return result;
}

static int refuse(void *data, int conflict, sqlite3_changeset_iter *iterator) {
  (void)data, (void)conflict, (void)iterator;
  return SQLITE_CHANGESET_ABORT;
}

static sqlite3_int64 apply(const char *unused) {
  (void)unused;
  Bytes bytes = recorded[side()];
  run("BEGIN");
  if (lib->changeset_apply(lib->database, bytes.count, bytes.start, 0, refuse, 0) != SQLITE_OK) {
    fail("apply");
  }
  run("ROLLBACK");
  return bytes.count;
}

static Bytes inverse(Bytes bytes) {
  Bytes inverse;
  if (lib->changeset_invert(bytes.count, bytes.start, &inverse.count, &inverse.start)) {
    fail("invert");
  }
  return inverse;
}

static sqlite3_int64 invert(const char *unused) {
  (void)unused;
  Bytes bytes = inverse(recorded[side()]);
  sqlite3_int64 result = sum(bytes);
  lib->free(bytes.start);
  return result;
}

static sqlite3_int64 concatenate(const char *unused) {
  (void)unused;
  Bytes a = recorded[side()], b = second[side()], both;
  if (lib->changeset_concat(a.count, a.start, b.count, b.start, &both.count, &both.start)) {
    fail("concat");
  }
  sqlite3_int64 result = sum(both);
  lib->free(both.start);
  return result;
}

static sqlite3_int64 iterate(const char *unused) {
  (void)unused;
  Bytes bytes = recorded[side()];
  sqlite3_changeset_iter *iterator;
  sqlite3_int64 sum = 0;
  if (lib->changeset_start(&iterator, bytes.count, bytes.start) != SQLITE_OK) fail("start");
  while (lib->changeset_next(iterator) == SQLITE_ROW) {
    const char *table;
    int columnCount, operation, isIndirect;
    sqlite3_value *value = 0;
    lib->changeset_op(iterator, &table, &columnCount, &operation, &isIndirect);
    sum += operation;
    if (operation == SQLITE_INSERT) {
      lib->changeset_new(iterator, 2, &value);
      sum += lib->value_bytes(value);
    }
  }
  lib->changeset_finalize(iterator);
  return sum;
}

static const Workload workloads[] = {
    {"changes", unrecorded, "", changeCount},  {"record", recording, "", changeCount},
    {"iterate", iterate, "", changeCount},     {"apply", apply, "", changeCount},
    {"invert", invert, "", changeCount},       {"concat", concatenate, "", 2 * changeCount},
};

static void fill(Library *library) {
  lib = library;
  sides[sides[0] != 0] = library;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  if (lib->open_v2(":memory:", &lib->database, flags, 0) != SQLITE_OK) fail("open");
  run("CREATE TABLE t(a INTEGER PRIMARY KEY, b INTEGER, c TEXT, d REAL);"
      "INSERT INTO t WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM c WHERE x<100000)"
      "SELECT x, x % 100, 'the text of row ' || x, x / 4.0 FROM c");
  // The second follows the first; then the table is as it was.
  run("CREATE TABLE kept AS SELECT * FROM t");
  recorded[side()] = record(0, 1);
  second[side()] = record(changeCount, 0);
  run("DELETE FROM t; INSERT INTO t SELECT * FROM kept; DROP TABLE kept");
}

int main(int argumentCount, char **arguments) {
  return compare(
      argumentCount, arguments, fill, workloads, sizeof workloads / sizeof *workloads);
}
