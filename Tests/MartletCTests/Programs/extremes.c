/* Numbers at the ends of what their types can hold, for every function that takes one. */
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sqlite3.h"

static sqlite3 *db;

static const int ints[] = {INT_MIN, INT_MIN + 1, -65536, -2, -1, 0, 1, 2, 127, 32767, 65536,
                           INT_MAX - 1, INT_MAX};
#define INTS ((int)(sizeof ints / sizeof *ints))

static const sqlite3_int64 longs[] = {INT64_MIN, INT64_MIN + 1, -4294967296LL, -2, -1, 0, 1, 2,
                                      4294967296LL, INT64_MAX - 1, INT64_MAX};
#define LONGS ((int)(sizeof longs / sizeof *longs))

static void show(const char *name, int code) { printf("%s: %d\n", name, code); }

static void run(const char *sql) {
  sqlite3_stmt *statement = 0;
  const char *rest = sql;
  printf("> %s\n", sql);
  while (*rest) {
    int code = sqlite3_prepare_v2(db, rest, -1, &statement, &rest);
    if (code) {
      printf("prepare: %d %s\n", code, sqlite3_errmsg(db));
      return;
    }
    if (!statement) break;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
      int i;
      for (i = 0; i < sqlite3_column_count(statement); i++) {
        const char *text = (const char *)sqlite3_column_text(statement, i);
        printf("%s%.60s", i ? "|" : "  ", text ? text : "NULL");
      }
      printf("\n");
    }
    if (code != SQLITE_DONE) printf("step: %d %s\n", code, sqlite3_errmsg(db));
    sqlite3_finalize(statement);
  }
}

/* Indexes and lengths of parameters and columns. */
static void statements(void) {
  sqlite3_stmt *statement = 0;
  int i, j;
  sqlite3_prepare_v2(db, "SELECT ?1, ?2, :name", -1, &statement, 0);
  for (i = 0; i < INTS; i++) {
    int n = ints[i];
    printf("%d: ", n);
    printf("%d ", sqlite3_bind_int(statement, n, n));
    printf("%d ", sqlite3_bind_int64(statement, n, INT64_MIN));
    printf("%d ", sqlite3_bind_double(statement, n, HUGE_VAL));
    printf("%d ", sqlite3_bind_null(statement, n));
    printf("%d ", sqlite3_bind_text(statement, n, "text", 4, SQLITE_STATIC));
    printf("%d ", sqlite3_bind_blob(statement, n, "blob", 4, SQLITE_STATIC));
    printf("%d ", sqlite3_bind_zeroblob(statement, n, 3));
    printf("%d ", sqlite3_bind_pointer(statement, n, &n, "type", 0));
    printf("%s ", sqlite3_bind_parameter_name(statement, n) ? "name" : "none");
    printf("%s ", sqlite3_column_name(statement, n) ? "name" : "none");
    printf("%s ", sqlite3_column_name16(statement, n) ? "name" : "none");
    printf("%s ", sqlite3_column_decltype(statement, n) ? "type" : "none");
    printf("%s\n", sqlite3_column_origin_name(statement, n) ? "origin" : "none");
  }
  sqlite3_step(statement);
  for (i = 0; i < INTS; i++) {
    int n = ints[i];
    printf("column %d: %d %d %lld %g %d %d %s %s %d\n", n, sqlite3_column_type(statement, n),
           sqlite3_column_int(statement, n), sqlite3_column_int64(statement, n),
           sqlite3_column_double(statement, n), sqlite3_column_bytes(statement, n),
           sqlite3_column_bytes16(statement, n),
           sqlite3_column_text(statement, n) ? "text" : "null",
           sqlite3_column_blob(statement, n) ? "blob" : "null",
           sqlite3_value_type(sqlite3_column_value(statement, n)));
  }
  sqlite3_reset(statement);
  for (i = 0; i < INTS; i++) {
    int n = ints[i];
    if (n < 0 || n > 4) {
      /* Lengths that are not there may not be read; negative ones are up to the zero. */
      if (n < 0) {
        printf("text of %d: %d ", n, sqlite3_bind_text(statement, 1, "abc", n, SQLITE_STATIC));
        printf("%d ", sqlite3_bind_text16(statement, 2, u"abc", n, SQLITE_STATIC));
        printf("%d ", sqlite3_bind_text(statement, 3, "abcd", -1, SQLITE_STATIC));
        sqlite3_step(statement);
        for (j = 0; j < 3; j++) printf("%d ", sqlite3_column_bytes(statement, j));
        sqlite3_reset(statement);
        printf("\n");
      }
      if (n < 1000000) printf("zeros of %d: %d ", n, sqlite3_bind_zeroblob(statement, 1, n));
    }
    printf("\n");
  }
  for (i = 0; i < LONGS; i++) {
    sqlite3_uint64 n = (sqlite3_uint64)longs[i];
    printf("%llu: %d ", n, sqlite3_bind_zeroblob64(statement, 1, n));
    /* Where the number is negative as a signed one, C reads what is not there. */
    if (longs[i] > 100) {
      printf("%d ", sqlite3_bind_blob64(statement, 1, "abc", n, SQLITE_STATIC));
      printf("%d ", sqlite3_bind_text64(statement, 1, "abc", n, SQLITE_STATIC, SQLITE_UTF8));
      printf("%d ", sqlite3_bind_text64(statement, 1, "abc", n, SQLITE_STATIC, SQLITE_UTF16));
      printf("%d ", sqlite3_bind_text64(statement, 1, "abc", n, SQLITE_TRANSIENT, SQLITE_UTF8));
    }
    printf("\n");
  }
  for (i = 0; i < INTS; i++) {
    if (ints[i] > 0 && ints[i] < 8)
      printf("status %d: %d ", ints[i], sqlite3_stmt_status(statement, ints[i], 0));
    printf("explain %d\n", sqlite3_stmt_explain(statement, ints[i]));
  }
  sqlite3_finalize(statement);
  for (i = 0; i < INTS; i++) {
    int code;
    if (ints[i] > 9) continue;
    statement = 0;
    code = sqlite3_prepare_v2(db, "SELECT 1+1", ints[i], &statement, 0);
    printf("prepare %d: %d %s\n", ints[i], code, statement ? sqlite3_sql(statement) : "none");
    sqlite3_finalize(statement);
    statement = 0;
    code = sqlite3_prepare16_v2(db, u"SELECT 1+1", ints[i] & ~1, &statement, 0);
    printf("prepare16 %d: %d %s\n", ints[i], code, statement ? sqlite3_sql(statement) : "none");
    sqlite3_finalize(statement);
    statement = 0;
    code = sqlite3_prepare_v3(db, "SELECT 1", -1, (unsigned)ints[i], &statement, 0);
    printf("flags %x: %d %s\n", (unsigned)ints[i], code, statement ? "made" : "none");
    sqlite3_finalize(statement);
  }
}

static int number;
static sqlite3_int64 large;

static void results(sqlite3_context *context, int count, sqlite3_value **values) {
  const char *how = (const char *)sqlite3_value_text(values[0]);
  (void)count;
  if (!strcmp(how, "zero")) sqlite3_result_zeroblob(context, number);
  if (!strcmp(how, "zero64"))
    printf("%d ", sqlite3_result_zeroblob64(context, (sqlite3_uint64)large));
  if (!strcmp(how, "text")) sqlite3_result_text(context, "abc", number, SQLITE_STATIC);
  if (!strcmp(how, "text16")) sqlite3_result_text16(context, u"abc", number, SQLITE_STATIC);
  if (!strcmp(how, "text64"))
    sqlite3_result_text64(context, "abc", (sqlite3_uint64)large, SQLITE_STATIC, SQLITE_UTF8);
  if (!strcmp(how, "text6416"))
    sqlite3_result_text64(context, "abc", (sqlite3_uint64)large, SQLITE_STATIC, SQLITE_UTF16);
  if (!strcmp(how, "blob64"))
    sqlite3_result_blob64(context, "abc", (sqlite3_uint64)large, SQLITE_STATIC);
  if (!strcmp(how, "error")) sqlite3_result_error(context, "abc", number);
  if (!strcmp(how, "error16")) sqlite3_result_error16(context, u"abc", number);
  if (!strcmp(how, "code")) sqlite3_result_error_code(context, number);
  if (!strcmp(how, "int64")) sqlite3_result_int64(context, large);
  if (!strcmp(how, "subtype")) {
    sqlite3_result_int(context, 1);
    sqlite3_result_subtype(context, (unsigned)number);
  }
  if (!strcmp(how, "nan")) sqlite3_result_double(context, NAN);
  if (!strcmp(how, "auxiliary")) {
    printf("%s ", sqlite3_get_auxdata(context, number) ? "set" : "none");
    sqlite3_set_auxdata(context, number, &number, 0);
    sqlite3_result_int(context, 2);
  }
}

static void step(sqlite3_context *context, int count, sqlite3_value **values) {
  char *memory = sqlite3_aggregate_context(context, number);
  (void)count, (void)values;
  printf("%s ", memory ? "memory" : "none");
}

static void final(sqlite3_context *context) {
  sqlite3_result_int(context, sqlite3_aggregate_context(context, 0) != 0);
}

static void functions(void) {
  static const char *hows[] = {"zero", "text", "text16", "error", "error16", "code",
                               "subtype", "auxiliary"};
  static const char *larges[] = {"zero64", "text64", "text6416", "blob64", "int64"};
  int i, j;
  for (i = 0; i < INTS; i++) {
    char name[30];
    snprintf(name, sizeof name, "create %d", ints[i]);
    show(name, sqlite3_create_function(db, "any", ints[i], SQLITE_UTF8, 0, results, 0, 0));
    snprintf(name, sizeof name, "encoding %d", ints[i]);
    show(name, sqlite3_create_function(db, "encoded", 1, ints[i], 0, results, 0, 0));
    snprintf(name, sizeof name, "overload %d", ints[i]);
    show(name, sqlite3_overload_function(db, "overloaded", ints[i]));
    snprintf(name, sizeof name, "collation %d", ints[i]);
    if (ints[i] != 1 && ints[i] != 2 && ints[i] > INT_MIN + 1)
      show(name, sqlite3_create_collation(db, "collation", ints[i], 0, 0));
  }
  sqlite3_create_function(db, "result", 1, SQLITE_UTF8, 0, results, 0, 0);
  sqlite3_create_function(db, "collect", 1, SQLITE_UTF8, 0, 0, step, final);
  for (j = 0; j < (int)(sizeof hows / sizeof *hows); j++)
    for (i = 0; i < INTS; i++) {
      char sql[200];
      number = ints[i];
      /* Bytes that are not there may not be read. */
      if (number > 3 && (j == 1 || j == 2 || j == 3 || j == 4)) continue;
      snprintf(sql, sizeof sql, "SELECT typeof(x), length(x), x FROM (SELECT result('%s') AS x)",
               hows[j]);
      if (j == 0) snprintf(sql, sizeof sql, "SELECT length(result('zero'))");
      printf("%d ", number);
      run(sql);
    }
  for (j = 0; j < (int)(sizeof larges / sizeof *larges); j++)
    for (i = 0; i < LONGS; i++) {
      char sql[200];
      large = longs[i];
      if (j > 0 && j < 4 && large >= 0 && large < 1000) continue;
      snprintf(sql, sizeof sql, "SELECT length(result('%s'))", larges[j]);
      printf("%lld ", large);
      run(sql);
    }
  run("SELECT result('nan'), result('nan') IS NULL, abs(result('nan')), round(result('nan'))");
  for (i = 0; i < INTS; i++) {
    if (ints[i] > 65536) continue;
    number = ints[i];
    printf("%d ", number);
    run("SELECT collect(column1) FROM (VALUES (1), (2))");
  }
}

static void texts(void) {
  int i;
  for (i = 0; i < INTS; i++) {
    char buffer[20] = "untouched";
    sqlite3_str *text = sqlite3_str_new(0);
    int n = ints[i];
    printf("%d: ", n);
    if (n < 20) sqlite3_snprintf(n, buffer, "%s", "abcdefghijklmnopqrstuvwxyz");
    printf("%.19s ", buffer);
    if (n >= 0) sqlite3_str_append(text, "abc", n > 3 ? 3 : n);
    if (n >= 0 && n < 100000) sqlite3_str_appendchar(text, n, 'x');
    printf("%d ", sqlite3_str_length(text));
    sqlite3_str_truncate(text, n);
    printf("%d %d ", sqlite3_str_length(text), sqlite3_str_errcode(text));
    sqlite3_free(sqlite3_str_finish(text));
    printf("%d ", sqlite3_strnicmp("abc", "ABD", n));
    printf("%s ", sqlite3_errstr(n));
    printf("%d ", sqlite3_keyword_name(n, (const char *[1]){0}, (int[1]){0}));
    printf("%d ", n < 0 || n > 6 ? 0 : sqlite3_keyword_check("SELECT", n));
    printf("%s ", sqlite3_compileoption_get(n) ? "option" : "none");
    printf("%d\n", sqlite3_strlike("a%", "abc", (unsigned)n));
  }
  for (i = 0; i < INTS; i++) {
    char *text;
    if (ints[i] > 100000 || ints[i] < -100000) continue;
    text = sqlite3_mprintf("%*d|%.*d|%*s|%.*s|%*.*f|%c|%lld|%llu|%x", ints[i], 1, ints[i], 2,
                           ints[i], "x", ints[i], "abc", ints[i], ints[i] < 0 ? ints[i] : 2, 1.5,
                           'c', INT64_MIN, UINT64_MAX, ints[i]);
    printf("%d: %d %.40s\n", ints[i], text ? (int)strlen(text) : -1, text ? text : "none");
    sqlite3_free(text);
  }
}

static void connections(void) {
  sqlite3 *other;
  sqlite3_blob *blob = 0;
  sqlite3_backup *backup;
  int i, j;
  for (i = 0; i < INTS; i++) {
    int n = ints[i], current = -1, highest = -1, code;
    printf("%d: ", n);
    printf("%d ", sqlite3_busy_timeout(db, n));
    printf("%d ", sqlite3_extended_result_codes(db, n));
    sqlite3_extended_result_codes(db, 0);
    printf("%s ", sqlite3_db_name(db, n) ? sqlite3_db_name(db, n) : "none");
    printf("%d ", sqlite3_wal_autocheckpoint(db, n));
    sqlite3_progress_handler(db, n, 0, 0);
    code = sqlite3_status(n, &current, &highest, 0);
    printf("%d ", code);
    code = sqlite3_db_status(db, n, &current, &highest, 0);
    printf("%d ", code);
    code = sqlite3_wal_checkpoint_v2(db, 0, n, &current, &highest);
    printf("%d %d %d ", code, current, highest);
    printf("%d ", sqlite3_set_errmsg(db, n > 0 && n < 128 ? n : 0, "message"));
    printf("%s\n", sqlite3_errmsg(db));
  }
  sqlite3_busy_timeout(db, 0);
  for (i = -1; i < 14; i++) {
    int old = sqlite3_limit(db, i, -1);
    printf("limit %d: %d:", i, old);
    for (j = 0; j < INTS; j++) {
      sqlite3_limit(db, i, ints[j]);
      printf(" %d", sqlite3_limit(db, i, -1));
    }
    sqlite3_limit(db, i, old);
    printf("\n");
  }
  run("CREATE TABLE bytes(x); INSERT INTO bytes VALUES(x'00010203040506070809')");
  for (i = 0; i < LONGS; i++)
    printf("blob %lld: %d\n", longs[i],
           sqlite3_blob_open(db, "main", "bytes", "x", longs[i], 1, &blob));
  sqlite3_blob_open(db, "main", "bytes", "x", 1, 1, &blob);
  for (i = 0; i < INTS; i++)
    for (j = 0; j < INTS; j++) {
      char buffer[16] = {0};
      /* More than the buffer holds is asked for only where nothing is copied. */
      printf("%d %d: %d ", ints[i], ints[j], sqlite3_blob_read(blob, buffer, ints[i], ints[j]));
      printf("%d\n", sqlite3_blob_write(blob, buffer, ints[i], ints[j]));
    }
  for (i = 0; i < LONGS; i++) printf("reopen %d\n", sqlite3_blob_reopen(blob, longs[i]));
  sqlite3_blob_close(blob);
  sqlite3_open(":memory:", &other);
  for (i = 0; i < INTS; i++) {
    backup = sqlite3_backup_init(other, "main", db, "main");
    j = sqlite3_backup_step(backup, ints[i]);
    printf("backup %d: %d %d %d ", ints[i], j, sqlite3_backup_remaining(backup),
           sqlite3_backup_pagecount(backup));
    printf("%d\n", sqlite3_backup_finish(backup));
  }
  for (i = 0; i < LONGS; i++) {
    sqlite3_int64 limit;
    sqlite3_set_last_insert_rowid(db, longs[i]);
    printf("%lld ", sqlite3_last_insert_rowid(db));
    limit = sqlite3_soft_heap_limit64(longs[i]);
    printf("%lld ", limit);
    sqlite3_soft_heap_limit64(0);
    limit = longs[i] > 0 && longs[i] < 100000000 ? 0 : sqlite3_hard_heap_limit64(longs[i]);
    printf("%lld ", limit);
    sqlite3_hard_heap_limit64(0);
    printf("%s\n", sqlite3_malloc64((sqlite3_uint64)longs[i] > 10000
                                        ? (sqlite3_uint64)longs[i] : 0) ? "memory" : "none");
  }
  for (i = 0; i < INTS; i++) {
    int n = ints[i];
    sqlite3_int64 number;
    if (n < 1000) printf("malloc %d: %s ", n, sqlite3_malloc(n) ? "memory" : "none");
    if (n < 10) printf("randomness %d ", (sqlite3_randomness(n, (char[16]){0}), n));
    if (n < 10) printf("sleep %d ", sqlite3_sleep(n) >= 0);
    number = n;
    printf("%d ", sqlite3_file_control(other, "main", SQLITE_FCNTL_MMAP_SIZE, &number));
    printf("%d ", sqlite3_file_control(other, "main", SQLITE_FCNTL_CHUNK_SIZE, &(int){n}));
    printf("%d ", sqlite3_file_control(other, "main", SQLITE_FCNTL_PERSIST_WAL, &(int){n}));
    printf("%d ", sqlite3_file_control(other, "main", SQLITE_FCNTL_RESERVE_BYTES, &(int){n}));
    printf("%d\n", sqlite3_file_control(other, "main", n, &(sqlite3_int64[8]){0}));
  }
  sqlite3_close(other);
}

/* Pragmas take numbers of every size. */
static void pragmas(void) {
  static const char *names[] = {
    "analysis_limit", "application_id", "busy_timeout", "cache_size", "default_cache_size", "incremental_vacuum", "journal_size_limit",
    "max_page_count", "mmap_size", "page_size", "schema_version", "soft_heap_limit",
    "temp_store", "threads", "user_version", "wal_autocheckpoint", "auto_vacuum",
    "secure_delete", "optimize", "foreign_keys",
    "automatic_index", "cell_size_check",
  };
  static const char *values[] = {
    "-9223372036854775809", "-9223372036854775808", "-9223372036854775807", "-4294967297",
    "-4294967296", "-2147483649", "-2147483648", "-2147483647", "-1", "0", "1", "2147483646",
    "2147483647", "2147483648", "4294967294", "4294967295", "4294967296",
    "9223372036854775807", "9223372036854775808", "1e308", "-1e308", "0x7fffffff", "0x80000000",
    "0xffffffff", "0x7fffffffffffffff", "0xffffffffffffffff", "1.5", "''", "' 1'",
    "99999999999999999999999999999999999999",
  };
  size_t i, j;
  for (i = 0; i < sizeof names / sizeof *names; i++)
    for (j = 0; j < sizeof values / sizeof *values; j++) {
      char sql[200];
      sqlite3_open(":memory:", &db);
      sqlite3_exec(db, "CREATE TABLE t(a PRIMARY KEY, b); INSERT INTO t VALUES(1, 2), (3, 4)", 0, 0,
                   0);
      snprintf(sql, sizeof sql, "PRAGMA %s = %s", names[i], values[j]);
      run(sql);
      snprintf(sql, sizeof sql, "PRAGMA %s", names[i]);
      if (strcmp(names[i], "incremental_vacuum") && strcmp(names[i], "optimize")) run(sql);
      sqlite3_hard_heap_limit64(0);
      sqlite3_soft_heap_limit64(0);
      sqlite3_exec(db, "INSERT INTO t SELECT a + 10, b FROM t; ANALYZE; SELECT * FROM t ORDER BY b",
                   0, 0, 0);
      run("SELECT count(*) FROM t; PRAGMA integrity_check");
      sqlite3_close(db);
    }
}

int main(void) {
  sqlite3_open(":memory:", &db);
  statements();
  functions();
  texts();
  connections();
  sqlite3_close(db);
  pragmas();
  return 0;
}
