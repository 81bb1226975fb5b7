// What calls through the C interface cost, in two libraries that are measured in turn.
//
//     calls LIBRARY ORACLE [ROUNDS] [WORKLOAD…]
//
// Prints for each workload the nanoseconds of processor time per row or call of both, the least of
// all rounds, and their ratio. Both libraries have to come to the same sum.
#define FUNCTIONS(each)                                                                        \
  each(open_v2) each(close_v2) each(errmsg) each(exec) each(prepare_v2) each(finalize)          \
  each(step) each(reset) each(bind_int64) each(bind_text) each(column_int64)                    \
  each(column_text) each(column_bytes) each(create_function_v2) each(create_module_v2)          \
  each(declare_vtab) each(value_int64) each(value_text) each(value_bytes) each(result_int64)    \
  each(result_text) each(result_error_nomem) each(aggregate_context) each(user_data)            \
  each(update_hook) each(sourceid) each(blob_open) each(blob_close) each(blob_read)             \
  each(blob_write) each(blob_reopen)

#include "measure.h"

enum { rowCount = 1000000, callCount = 200000, connectionCount = 20000, pieceSize = 20000 };

// MARK: Functions

static void increment(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  lib->result_int64(context, lib->value_int64(values[0]) + 1);
}

static void firstByte(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  const unsigned char *text = lib->value_text(values[0]);
  lib->result_int64(context, text ? text[0] + lib->value_bytes(values[0]) : 0);
}

static void name(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  char text[24];
  memcpy(text, "number of a row ", 16);
  text[16] = (char)('0' + lib->value_int64(values[0]) % 10);
  lib->result_text(context, text, 17, SQLITE_TRANSIENT);
}

static void addStep(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  sqlite3_int64 *sum = lib->aggregate_context(context, sizeof *sum);
  if (!sum) return lib->result_error_nomem(context);
  *sum += lib->value_int64(values[0]);
}

static void addFinal(sqlite3_context *context) {
  sqlite3_int64 *sum = lib->aggregate_context(context, 0);
  lib->result_int64(context, sum ? *sum : 0);
}

// MARK: A virtual table of numbers

typedef struct Scan {
  sqlite3_vtab_cursor base;
  sqlite3_int64 row;
} Scan;

static int tableConnect(
    sqlite3 *database, void *data, int count, const char *const *arguments, sqlite3_vtab **table,
    char **message) {
  (void)data, (void)count, (void)arguments, (void)message;
  *table = calloc(1, sizeof **table);
  return lib->declare_vtab(database, "CREATE TABLE x(a INTEGER, b INTEGER)");
}

static int tableDisconnect(sqlite3_vtab *table) { return free(table), SQLITE_OK; }

static int tableBestIndex(sqlite3_vtab *table, sqlite3_index_info *info) {
  (void)table;
  info->estimatedCost = rowCount;
  return SQLITE_OK;
}

static int scanOpen(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor) {
  (void)table;
  *cursor = calloc(1, sizeof(Scan));
  return SQLITE_OK;
}

static int scanClose(sqlite3_vtab_cursor *cursor) { return free(cursor), SQLITE_OK; }

static int scanFilter(
    sqlite3_vtab_cursor *cursor, int number, const char *text, int count, sqlite3_value **values) {
  (void)number, (void)text, (void)count, (void)values;
  ((Scan *)cursor)->row = 0;
  return SQLITE_OK;
}

static int scanNext(sqlite3_vtab_cursor *cursor) {
  ((Scan *)cursor)->row++;
  return SQLITE_OK;
}

static int scanEof(sqlite3_vtab_cursor *cursor) { return ((Scan *)cursor)->row >= rowCount; }

static int scanColumn(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column) {
  lib->result_int64(context, ((Scan *)cursor)->row * (column + 1));
  return SQLITE_OK;
}

static int scanRowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *rowid) {
  *rowid = ((Scan *)cursor)->row;
  return SQLITE_OK;
}

static const sqlite3_module numbers = {
    .xConnect = tableConnect, .xDisconnect = tableDisconnect, .xBestIndex = tableBestIndex,
    .xOpen = scanOpen, .xClose = scanClose, .xFilter = scanFilter, .xNext = scanNext,
    .xEof = scanEof, .xColumn = scanColumn, .xRowid = scanRowid};

// MARK: Workloads

// One statement with one row.
static sqlite3_int64 query(const char *sql) {
  sqlite3_stmt *statement = prepare(sql);
  if (lib->step(statement) != SQLITE_ROW) fail(sql);
  sqlite3_int64 sum = lib->column_int64(statement, 0);
  lib->finalize(statement);
  return sum;
}

static sqlite3_int64 rows(const char *sql) {
  sqlite3_stmt *statement = prepare(sql);
  sqlite3_int64 sum = 0;
  while (lib->step(statement) == SQLITE_ROW) {
    sum += lib->column_int64(statement, 0) + lib->column_text(statement, 1)[0] +
           lib->column_bytes(statement, 1);
  }
  lib->finalize(statement);
  return sum;
}

// A prepared statement, run with one number after the other.
static sqlite3_int64 calls(const char *sql) {
  sqlite3_stmt *statement = prepare(sql);
  sqlite3_int64 sum = 0;
  for (sqlite3_int64 index = 0; index < callCount; index++) {
    lib->bind_int64(statement, 1, 1 + index * 7919 % rowCount);
    if (lib->step(statement) == SQLITE_ROW) sum += lib->column_int64(statement, 0);
    if (lib->reset(statement) != SQLITE_OK) fail(sql);
  }
  lib->finalize(statement);
  return sum;
}

static sqlite3_int64 changes(const char *sql) {
  run("BEGIN");
  sqlite3_int64 sum = calls(sql);
  run("ROLLBACK");
  return sum;
}

static sqlite3_int64 wholeChange(const char *sql) {
  run("BEGIN");
  run(sql);
  run("ROLLBACK");
  return 0;
}

static sqlite3_int64 noticed;

static void notice(
    void *data, int operation, const char *database, const char *table, sqlite3_int64 rowid) {
  (void)data, (void)operation;
  noticed += database[0] + table[0] + rowid;
}

static sqlite3_int64 noticedChange(const char *sql) {
  noticed = 0;
  lib->update_hook(lib->database, notice, 0);
  wholeChange(sql);
  lib->update_hook(lib->database, 0, 0);
  return noticed;
}

static sqlite3_int64 scripts(const char *sql) {
  for (int index = 0; index < callCount; index++) run(sql);
  return 0;
}

// Values written into the text: each statement has a text of its own. `sql` is a format.
static sqlite3_int64 texts(const char *sql) {
  char text[200];
  run("BEGIN");
  for (sqlite3_int64 index = 0; index < callCount; index++) {
    snprintf(text, sizeof text, sql, 2 + index * 7919 % (rowCount - 2));
    run(text);
  }
  run("ROLLBACK");
  return 0;
}

// Compiled only, from texts that differ in what no program can share.
static sqlite3_int64 compilations(const char *sql) {
  char text[400];
  for (sqlite3_int64 index = 0; index < callCount; index++) {
    snprintf(text, sizeof text, sql, index);
    lib->finalize(prepare(text));
  }
  return 0;
}

// Opens and closes blobs, read-only or not.
static sqlite3_int64 blobs(const char *writes) {
  for (int index = 0; index < callCount; index++) {
    sqlite3_blob *blob;
    int isOpen = !lib->blob_open(
        lib->database, "main", "pieces", "bytes", 1 + index % 3, *writes == 'w', &blob);
    if (!isOpen) fail("blob_open");
    lib->blob_close(blob);
  }
  return 0;
}

// Reads, writes or moves a blob that is open: 64 bytes at a time of a value on several pages.
static sqlite3_int64 pieces(const char *what) {
  sqlite3_blob *blob;
  char bytes[64] = "a piece";
  sqlite3_int64 sum = 0;
  run("BEGIN");
  if (lib->blob_open(lib->database, "main", "pieces", "bytes", 1, 1, &blob)) fail("blob_open");
  for (int index = 0; index < callCount; index++) {
    int offset = index * 7919 % (pieceSize - 64);
    if (*what == 'r') sum += lib->blob_read(blob, bytes, 64, offset) + bytes[7];
    if (*what == 'w') sum += lib->blob_write(blob, bytes, 64, offset);
    if (*what == 'm') sum += lib->blob_reopen(blob, 1 + index % 3);
  }
  lib->blob_close(blob);
  run("ROLLBACK");
  return sum;
}

// Statements that are prepared once, separated by semicolons, and run in turn.
static sqlite3_int64 turns(const char *sql) {
  sqlite3_stmt *statements[4];
  sqlite3_int64 sum = 0;
  int count = 0;
  while (*sql && count < 4) {
    if (lib->prepare_v2(lib->database, sql, -1, &statements[count++], &sql) != SQLITE_OK) fail(sql);
  }
  for (int index = 0; index < callCount / 10; index++) {
    for (int turn = 0; turn < count; turn++) {
      sqlite3_stmt *statement = statements[turn];
      while (lib->step(statement) == SQLITE_ROW) sum += lib->column_int64(statement, 0);
      if (lib->reset(statement) != SQLITE_OK) fail("turn");
    }
  }
  for (int turn = 0; turn < count; turn++) lib->finalize(statements[turn]);
  return sum;
}

// Opens and closes connections.
static sqlite3_int64 connections(const char *path) {
  sqlite3 *database;
  for (int call = 0; call < connectionCount; call++) {
    if (lib->open_v2(path, &database, SQLITE_OPEN_READWRITE, 0) != SQLITE_OK) fail("open");
    lib->close_v2(database);
  }
  return connectionCount;
}

static const Workload workloads[] = {
    {"sum", query, "SELECT sum(a) FROM t", rowCount},
    {"integer", query, "SELECT sum(increment(a)) FROM t", rowCount},
    {"text", query, "SELECT sum(first(b)) FROM t", rowCount},
    {"text-result", query, "SELECT sum(length(name(a))) FROM t", rowCount},
    {"aggregate", query, "SELECT total_of(a) FROM t", rowCount},
    {"groups", query, "SELECT sum(s) FROM (SELECT total_of(a) s FROM t GROUP BY a % 1000)",
     rowCount},
    {"virtual", query, "SELECT sum(a + b) FROM numbers", rowCount},
    {"rows", rows, "SELECT a, b FROM t", rowCount},
    {"point-select", calls, "SELECT a FROM t WHERE rowid = ?1", callCount},
    {"insert", changes, "INSERT INTO log VALUES(?1, 'a short text')", callCount},
    {"update", changes, "UPDATE t SET a = a + 1 WHERE rowid = ?1", callCount},
    {"hook", noticedChange, "UPDATE t SET a = a + 1 WHERE rowid <= 200000", 200000},
    {"no-hook", wholeChange, "UPDATE t SET a = a + 1 WHERE rowid <= 200000", 200000},
    {"open", connections, ":memory:", connectionCount},
    {"exec", scripts, "SELECT 1", callCount},
    {"text-select", texts, "SELECT b FROM t WHERE rowid = %lld", callCount},
    {"text-insert", texts, "INSERT INTO log VALUES(%lld, 'a short text')", callCount},
    {"text-update", texts, "UPDATE t SET a = 7 WHERE rowid = %lld", callCount},
    {"same-update", scripts, "UPDATE t SET a = a WHERE rowid = 77", callCount},
    {"blob-open", blobs, "r", callCount},
    {"blob-open-write", blobs, "w", callCount},
    {"blob-read", pieces, "r", callCount},
    {"blob-write", pieces, "w", callCount},
    {"blob-move", pieces, "m", callCount},
    {"begin-commit", turns, "BEGIN; COMMIT", callCount / 10},
    {"begin-rollback", turns, "BEGIN IMMEDIATE; ROLLBACK", callCount / 10},
    {"savepoint", turns, "SAVEPOINT a; ROLLBACK TO a; RELEASE a", callCount / 10},
    {"pragma-number", turns, "PRAGMA user_version", callCount / 10},
    {"pragma-flag", turns, "PRAGMA foreign_keys", callCount / 10},
    {"pragma-table", turns, "PRAGMA table_info(t)", callCount / 10},
    {"pragma-join", turns, "SELECT p.cid FROM sqlite_schema m, pragma_table_info(m.name) p",
     callCount / 10},
    {"random", query, "SELECT count(random()) FROM t", rowCount},
    {"random-blob", query, "SELECT count(randomblob(64)) FROM t", rowCount},
    {"compile-point", compilations, "SELECT a AS a%lld FROM t WHERE rowid = ?1", callCount},
    {"compile-join", compilations,
     "SELECT x.a AS a%lld FROM t x JOIN t y ON y.rowid = x.a JOIN log z ON z.rowid = y.a "
     "WHERE x.rowid = ?1 AND z.rowid > 5 ORDER BY y.b", callCount},
};

static void fill(Library *library) {
  lib = library;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  if (lib->open_v2(":memory:", &lib->database, flags, 0) != SQLITE_OK) fail("open");
  sqlite3 *database = lib->database;
  int utf8 = SQLITE_UTF8;
  lib->create_function_v2(database, "increment", 1, utf8, 0, increment, 0, 0, 0);
  lib->create_function_v2(database, "first", 1, utf8, 0, firstByte, 0, 0, 0);
  lib->create_function_v2(database, "name", 1, utf8, 0, name, 0, 0, 0);
  lib->create_function_v2(database, "total_of", 1, utf8, 0, 0, addStep, addFinal, 0);
  lib->create_module_v2(database, "numbers", &numbers, 0, 0);
  run("CREATE TABLE t(a INTEGER, b TEXT); CREATE TABLE log(a INTEGER, b TEXT);"
      "INSERT INTO t WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM c WHERE x<1000000)"
      "SELECT x, 'the text of row ' || x FROM c");
  run("CREATE TABLE pieces(bytes BLOB);"
      "INSERT INTO pieces VALUES(zeroblob(20000)), (zeroblob(3000)), (zeroblob(100))");
}

int main(int argumentCount, char **arguments) {
  return compare(
      argumentCount, arguments, fill, workloads, sizeof workloads / sizeof *workloads);
}
