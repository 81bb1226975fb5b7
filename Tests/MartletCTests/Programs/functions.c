/* Functions of the program: registration, arguments, results, state, auxiliary data, pointers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sqlite3.h"

static sqlite3 *db;

static void show_value(sqlite3_stmt *statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL: printf("NULL"); break;
    case SQLITE_INTEGER: printf("%lld", sqlite3_column_int64(statement, column)); break;
    case SQLITE_FLOAT: printf("%.15g", sqlite3_column_double(statement, column)); break;
    case SQLITE_TEXT: printf("'%s'", sqlite3_column_text(statement, column)); break;
    case SQLITE_BLOB: {
      const unsigned char *bytes = sqlite3_column_blob(statement, column);
      int count = sqlite3_column_bytes(statement, column);
      printf("x'");
      for (int index = 0; index < count && index < 40; index++) printf("%02x", bytes[index]);
      printf("'(%d)", count);
    }
  }
}

static void run(const char *sql) {
  sqlite3_stmt *statement = 0;
  printf("> %s\n", sql);
  int code = sqlite3_prepare_v2(db, sql, -1, &statement, 0);
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    code = sqlite3_step(statement);
    if (code != SQLITE_ROW) break;
    for (int column = 0; column < sqlite3_column_count(statement); column++) {
      if (column > 0) printf("|");
      show_value(statement, column);
    }
    printf("\n");
  }
  if (code != SQLITE_DONE) {
    printf("error %d %d %s\n", code, sqlite3_extended_errcode(db), sqlite3_errmsg(db));
  }
  sqlite3_finalize(statement);
}

/* At the end of the connection, destructors may come in any order. */
static int closing;
static int end_count;
static const char *endings[100];

static void ended(void *data) {
  if (closing) endings[end_count++] = data;
  else printf("destroy(%s)\n", (const char *)data);
}

static int later(const void *left, const void *right) {
  return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void close_and_show(void) {
  closing = 1;
  printf("close %d\n", sqlite3_close(db));
  qsort(endings, end_count, sizeof endings[0], later);
  for (int index = 0; index < end_count; index++) printf("destroy(%s)\n", endings[index]);
  closing = end_count = 0;
}

/* What the arguments are. */
static void describe(sqlite3_context *context, int count, sqlite3_value **values) {
  char text[1000] = "", *end = text;
  for (int index = 0; index < count; index++) {
    end += sprintf(end, "[%d %d %.6g", sqlite3_value_type(values[index]), sqlite3_value_int(values[index]),
        sqlite3_value_double(values[index]));
    int encoding = sqlite3_value_encoding(values[index]);
    if (sqlite3_value_type(values[index]) == SQLITE_TEXT) end += sprintf(end, " enc=%d", encoding);
    const unsigned char *shown = sqlite3_value_text(values[index]);
    end += sprintf(end, " '%s' %d", shown ? (const char *)shown : "(null)",
        sqlite3_value_bytes(values[index]));
    end += sprintf(end, " bind=%d sub=%u", sqlite3_value_frombind(values[index]),
        sqlite3_value_subtype(values[index]));
    end += sprintf(end, "]");
  }
  sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

static void numeric(sqlite3_context *context, int count, sqlite3_value **values) {
  sqlite3_result_int(context, sqlite3_value_numeric_type(values[0]));
}

static void whoami(sqlite3_context *context, int count, sqlite3_value **values) {
  const char *data = sqlite3_user_data(context);
  if (sqlite3_context_db_handle(context) != db) printf("another connection\n");
  /* Where extensions look that were linked with SQLite's own sqlite3_user_data. */
  const char *const *const *words = (const char *const *const *)context;
  if (words[1][1] != data) printf("other data behind the second word\n");
  sqlite3_result_text(context, data ? data : "(none)", -1, SQLITE_STATIC);
}

/* Results may be copied at once or be kept: their destructors are only counted. */
static int freed_count;

static void counted(void *data) { freed_count++; }

static void freed(void *data) { printf("freed %s\n", (const char *)data); }

/* A result of each kind. */
static void result(sqlite3_context *context, int count, sqlite3_value **values) {
  static const unsigned char little[] = {0x61, 0, 0xac, 0x20, 0, 0};
  static const unsigned char big[] = {0, 0x61, 0x20, 0xac, 0, 0};
  static const unsigned char marked[] = {0xfe, 0xff, 0, 0x62, 0x20, 0xac, 0, 0};
  switch (sqlite3_value_int(values[0])) {
    case 0: break;
    case 1: sqlite3_result_int(context, -5); break;
    case 2: sqlite3_result_int64(context, 1LL << 40); break;
    case 3: sqlite3_result_double(context, 2.5); break;
    case 4: sqlite3_result_text(context, "abcdef", 3, SQLITE_STATIC); break;
    case 5: sqlite3_result_text(context, "mine", -1, counted); break;
    case 6: sqlite3_result_text16(context, little, -1, SQLITE_TRANSIENT); break;
    case 7: sqlite3_result_text16be(context, big, -1, SQLITE_TRANSIENT); break;
    case 8: sqlite3_result_text16le(context, marked, 6, SQLITE_TRANSIENT); break;
    case 9: sqlite3_result_text64(context, "utf8zt", 6, SQLITE_STATIC, SQLITE_UTF8_ZT); break;
    case 10: sqlite3_result_text64(context, (const char *)little, 4, SQLITE_STATIC, SQLITE_UTF16LE);
      break;
    case 11: sqlite3_result_blob(context, "bl\0b", 4, SQLITE_STATIC); break;
    case 12: sqlite3_result_blob64(context, "bl\0b", 4, counted); break;
    case 13: sqlite3_result_zeroblob(context, 5); break;
    case 14: printf("zeroblob64 %d\n", sqlite3_result_zeroblob64(context, 6)); break;
    case 15: printf("zeroblob64 %d\n", sqlite3_result_zeroblob64(context, 2000)); break;
    case 16: sqlite3_result_error(context, "wrong here", -1); break;
    case 17: sqlite3_result_error(context, "wrong here", 5); break;
    case 18: sqlite3_result_error16(context, little, -1); break;
    case 19: sqlite3_result_error_code(context, SQLITE_CONSTRAINT_FUNCTION); break;
    case 20:
      sqlite3_result_error(context, "text before the code", -1);
      sqlite3_result_error_code(context, SQLITE_BUSY);
      break;
    case 21:
      sqlite3_result_error_code(context, SQLITE_BUSY);
      sqlite3_result_error(context, "text after the code", -1);
      break;
    case 22: sqlite3_result_error_toobig(context); break;
    case 23: sqlite3_result_error_nomem(context); break;
    case 24: sqlite3_result_error_code(context, SQLITE_OK); break;
    case 25: {
      char *text = malloc(2001);
      memset(text, 'x', 2000);
      text[2000] = 0;
      sqlite3_result_text(context, text, 2000, free);
      break;
    }
    case 26: sqlite3_result_text(context, 0, 5, SQLITE_STATIC); break;
    case 27: sqlite3_result_blob(context, 0, 5, SQLITE_STATIC); break;
    case 28: sqlite3_result_value(context, values[1]); break;
    case 29:
      sqlite3_result_error(context, "lost", -1);
      sqlite3_result_int(context, 42);
      break;
    case 30: sqlite3_result_text(context, "", 0, SQLITE_STATIC); break;
    case 31: sqlite3_result_blob(context, "", 0, SQLITE_STATIC); break;
    case 32:
      sqlite3_result_text(context, "with subtype", -1, SQLITE_STATIC);
      sqlite3_result_subtype(context, 77);
      break;
    case 33: sqlite3_result_double(context, 0.0 / 0.0); break;
    case 34: sqlite3_result_text(context, "first", -1, counted);
      sqlite3_result_text(context, "second", -1, counted);
      break;
    case 35: sqlite3_result_blob64(context, "long", 5000, counted); break;
  }
}

static void results(const char *encoding) {
  char sql[200];
  for (int kind = 0; kind <= 35; kind++) {
    if (kind == 28) {
      run("SELECT result(28, 'text'), result(28, x'00ff'), result(28, 4), result(28, NULL)");
      continue;
    }
    snprintf(sql, sizeof sql, "SELECT typeof(r), r FROM (SELECT result(%d) AS r)", kind);
    run(sql);
    printf("%d freed\n", freed_count);
    freed_count = 0;
  }
  run("SELECT describe(result(32))");
  run("SELECT hex(result(6)), hex(result(8)), length(result(7))");
}

/* The sum and the number of rows, with memory of the group. */
struct sum { sqlite3_int64 total; int count; };

static void sum_step(sqlite3_context *context, int count, sqlite3_value **values) {
  struct sum *sum = sqlite3_aggregate_context(context, sizeof *sum);
  if (sqlite3_value_type(values[0]) == SQLITE_TEXT) {
    sqlite3_result_error(context, "no texts please", -1);
    return;
  }
  sum->total += sqlite3_value_int64(values[0]);
  sum->count++;
  sqlite3_result_int(context, 1234);
}

static void sum_final(sqlite3_context *context) {
  struct sum *sum = sqlite3_aggregate_context(context, 0);
  char text[100];
  snprintf(text, sizeof text, "%s%lld of %d/%d", (const char *)sqlite3_user_data(context),
      sum ? sum->total : -1, sum ? sum->count : -1, sqlite3_aggregate_count(context));
  sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

static void loud_final(sqlite3_context *context) {
  struct sum *sum = sqlite3_aggregate_context(context, 0);
  printf("final %s %d\n", sum ? "with memory" : "without", sum ? sum->count : 0);
  sqlite3_result_int(context, sum ? sum->count : 0);
}

static void quiet_step(sqlite3_context *context, int count, sqlite3_value **values) {
  if (sqlite3_aggregate_context(context, 0)) printf("memory of no bytes\n");
}

static void window_inverse(sqlite3_context *context, int count, sqlite3_value **values) {
  struct sum *sum = sqlite3_aggregate_context(context, sizeof *sum);
  sum->total -= sqlite3_value_int64(values[0]);
  sum->count--;
}

static void window_value(sqlite3_context *context) {
  struct sum *sum = sqlite3_aggregate_context(context, sizeof *sum);
  sqlite3_result_int64(context, sum->total);
}

static void window_final(sqlite3_context *context) { window_value(context); }

/* Auxiliary data: which argument it was kept for, and when it goes. */
static void auxiliary(sqlite3_context *context, int count, sqlite3_value **values) {
  char text[100], *end = text;
  for (int index = -1; index < count; index++) {
    const char *known = sqlite3_get_auxdata(context, index);
    end += sprintf(end, "%d=%s ", index, known ? known : "-");
  }
  for (int index = -1; index < count; index++) {
    if (sqlite3_get_auxdata(context, index)) continue;
    char name[30];
    snprintf(name, sizeof name, "%d:%s", index,
        index < 0 ? "all" : (const char *)sqlite3_value_text(values[index]));
    sqlite3_set_auxdata(context, index, strdup(name), free);
  }
  sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

static void auxiliary_loud(sqlite3_context *context, int count, sqlite3_value **values) {
  sqlite3_set_auxdata(context, 0, "old", freed);
  sqlite3_set_auxdata(context, 0, "new", freed);
  printf("both are set\n");
  sqlite3_result_int(context, sqlite3_get_auxdata(context, 0) != 0);
}

/* Pointers. */
static void make_pointer(sqlite3_context *context, int count, sqlite3_value **values) {
  sqlite3_result_pointer(context, "a pointer", "kind", freed);
}

static void read_pointer(sqlite3_context *context, int count, sqlite3_value **values) {
  const char *known = sqlite3_value_pointer(values[0], "kind");
  const char *other = sqlite3_value_pointer(values[0], "unkind");
  char text[100];
  snprintf(text, sizeof text, "%d %s %s", sqlite3_value_type(values[0]), known ? known : "-",
      other ? other : "-");
  sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

/* A function that runs SQL, itself among it. */
static void nested(sqlite3_context *context, int count, sqlite3_value **values) {
  sqlite3_int64 depth = sqlite3_value_int64(values[0]);
  if (depth == 0) {
    sqlite3_result_text(context, "end", -1, SQLITE_STATIC);
    return;
  }
  sqlite3_stmt *statement;
  sqlite3_prepare_v2(sqlite3_context_db_handle(context), "SELECT nested(?1) || '<' || ?1", -1,
      &statement, 0);
  sqlite3_bind_int64(statement, 1, depth - 1);
  sqlite3_step(statement);
  sqlite3_result_text(context, (const char *)sqlite3_column_text(statement, 0), -1,
      SQLITE_TRANSIENT);
  sqlite3_finalize(statement);
  if (sqlite3_value_int64(values[0]) != depth) printf("the argument has changed\n");
}

static void texts16(sqlite3_context *context, int count, sqlite3_value **values) {
  const unsigned char *little = sqlite3_value_text16le(values[0]);
  int bytes = sqlite3_value_bytes16(values[0]);
  char text[100], *end = text;
  for (int index = 0; index < bytes; index++) end += sprintf(end, "%02x", little[index]);
  const unsigned char *big = sqlite3_value_text16be(values[0]);
  end += sprintf(end, " %02x%02x", big[0], big[1]);
  end += sprintf(end, " %s", sqlite3_value_text(values[0]));
  sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

static int create(const char *name, int count, int flags, void *data,
    void (*function)(sqlite3_context *, int, sqlite3_value **), void (*destroy)(void *)) {
  return sqlite3_create_function_v2(db, name, count, flags, data, function, 0, 0, destroy);
}

static void registration(void) {
  char name[300];
  printf("scalar and aggregate %d\n", sqlite3_create_function_v2(db, "f", 1, SQLITE_UTF8, "both",
      describe, sum_step, sum_final, ended));
  printf("step alone %d\n", sqlite3_create_function_v2(db, "f", 1, SQLITE_UTF8, "step", 0, sum_step,
      0, ended));
  printf("final alone %d\n", sqlite3_create_function_v2(db, "f", 1, SQLITE_UTF8, "final", 0, 0,
      sum_final, ended));
  printf("value alone %d\n", sqlite3_create_window_function(db, "f", 1, SQLITE_UTF8, "value",
      sum_step, sum_final, window_value, 0, ended));
  printf("count -2: %d\n", create("f", -2, SQLITE_UTF8, "few", describe, ended));
  printf("count 1001: %d\n", create("f", 1001, SQLITE_UTF8, "many", describe, ended));
  printf("count 1000: %d\n", create("f", 1000, SQLITE_UTF8, "allowed", describe, ended));
  memset(name, 'n', 256);
  name[256] = 0;
  printf("long name %d\n", create(name, 1, SQLITE_UTF8, "long", describe, ended));
  name[255] = 0;
  printf("longest name %d\n", create(name, 1, SQLITE_UTF8, "longest", describe, ended));
  printf("no name %d\n", create(0, 1, SQLITE_UTF8, "nameless", describe, ended));
  printf("delete what is not there %d\n", create("nothing", 1, SQLITE_UTF8, "none", 0, ended));
  printf("replace\n");
  create("twice", 0, SQLITE_UTF8, "twice 1", whoami, ended);
  run("SELECT twice()");
  create("TWICE", 0, SQLITE_UTF8, "twice 2", whoami, ended);
  run("SELECT twice()");
  printf("delete %d\n", create("twice", 0, SQLITE_UTF8, "deleted", 0, ended));
  run("SELECT twice()");
  printf("any encoding\n");
  create("any", 0, SQLITE_ANY, "any", whoami, ended);
  create("any", 0, SQLITE_UTF16BE, "any16be", whoami, ended);
  create("any", 0, SQLITE_UTF16LE, "any16le", whoami, ended);
  create("any", 0, SQLITE_UTF8, "any8", whoami, ended);
  run("SELECT any()");
  printf("by count\n");
  create("counted", -1, SQLITE_UTF8, "many", whoami, ended);
  create("counted", 1, SQLITE_UTF8, "one", whoami, ended);
  create("counted", 2, SQLITE_UTF8, "two", whoami, ended);
  run("SELECT counted(), counted(1), counted(1,2), counted(1,2,3)");
  printf("while statements run\n");
  sqlite3_stmt *statement;
  sqlite3_prepare_v2(db, "SELECT 1 UNION ALL SELECT 2", -1, &statement, 0);
  sqlite3_step(statement);
  int code = create("counted", 2, SQLITE_UTF8, "busy", whoami, ended);
  printf("%d %s\n", code, sqlite3_errmsg(db));
  printf("new %d\n", create("fresh", 0, SQLITE_UTF8, "fresh", whoami, ended));
  sqlite3_finalize(statement);
  printf("built-in\n");
  create("upper", 1, SQLITE_UTF8, "my upper", whoami, ended);
  run("SELECT upper('x'), lower('X')");
  create("upper", 1, SQLITE_UTF8, 0, 0, 0);
  run("SELECT upper('x')");
  static const unsigned char name16[] = {'w', 0, 'i', 0, 'd', 0, 'e', 0, 0, 0};
  printf("utf16 %d\n", sqlite3_create_function16(db, name16, 0, SQLITE_UTF8, "wide", whoami, 0, 0));
  run("SELECT wide()");
  printf("overload %d %d\n", sqlite3_overload_function(db, "overloaded", 2),
      sqlite3_overload_function(db, "lower", 1));
  run("SELECT overloaded(1, 2)");
  run("SELECT overloaded(1)");
}

static void flags(void) {
  create("pure", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, 0, describe, 0);
  create("impure", 1, SQLITE_UTF8, 0, describe, 0);
  create("direct", 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, 0, describe, 0);
  create("harmless", 1, SQLITE_UTF8 | SQLITE_INNOCUOUS | SQLITE_DETERMINISTIC, 0, describe, 0);
  run("CREATE TABLE flagged(a)");
  run("INSERT INTO flagged VALUES(1)");
  run("CREATE INDEX i1 ON flagged(pure(a))");
  run("DROP INDEX i1");
  run("CREATE INDEX i2 ON flagged(impure(a))");
  run("CREATE VIEW v1 AS SELECT direct(a) FROM flagged");
  run("SELECT * FROM v1");
  run("CREATE VIEW v2 AS SELECT impure(a) FROM flagged");
  run("SELECT * FROM v2");
  run("PRAGMA trusted_schema = 0");
  run("SELECT * FROM v2");
  run("CREATE VIEW v3 AS SELECT harmless(a) FROM flagged");
  run("SELECT * FROM v3");
  run("PRAGMA trusted_schema = 1");
  run("SELECT name, type, narg, flags FROM pragma_function_list "
      "WHERE name IN ('pure', 'impure', 'direct', 'harmless') ORDER BY name");
}

static void aggregates(void) {
  sqlite3_create_function_v2(db, "mysum", 1, SQLITE_UTF8, "sum ", 0, sum_step, sum_final, ended);
  sqlite3_create_function_v2(db, "loud", 1, SQLITE_UTF8, 0, 0, sum_step, loud_final, 0);
  sqlite3_create_function_v2(db, "quiet", 1, SQLITE_UTF8, 0, 0, quiet_step, loud_final, 0);
  sqlite3_create_window_function(db, "moving", 1, SQLITE_UTF8, "moving", sum_step, window_final,
      window_value, window_inverse, ended);
  run("CREATE TABLE rows(a, b)");
  run("INSERT INTO rows VALUES(1, 1), (1, 2), (2, 3), (2, 4), (2, 5), (3, 6)");
  run("SELECT mysum(b) FROM rows");
  run("SELECT a, mysum(b) FROM rows GROUP BY a");
  run("SELECT mysum(b) FROM rows WHERE 0");
  run("SELECT a, mysum(b) FILTER (WHERE b % 2) FROM rows GROUP BY a");
  run("SELECT mysum(DISTINCT a) FROM rows");
  run("SELECT mysum('text')");
  run("SELECT loud(b) FROM rows");
  run("SELECT quiet(b) FROM rows");
  run("SELECT mysum(b) FROM rows GROUP BY a HAVING max(b) > 2 ORDER BY 1 DESC");
  run("SELECT b, moving(b) OVER (ORDER BY b ROWS 2 PRECEDING) FROM rows");
  run("SELECT a, moving(b) OVER (PARTITION BY a) FROM rows");
  run("SELECT moving(b) FROM rows");
  run("SELECT mysum(b) OVER () FROM rows");
  run("SELECT b, moving(b) OVER (ORDER BY b RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM rows");
  printf("reset in the middle\n");
  sqlite3_stmt *statement;
  sqlite3_prepare_v2(db, "SELECT loud(b), describe(1) FROM rows", -1, &statement, 0);
  printf("%d\n", sqlite3_step(statement));
  sqlite3_reset(statement);
  sqlite3_finalize(statement);
  run("SELECT loud(CASE WHEN b = 4 THEN 'text' ELSE b END) FROM rows");
  run("SELECT result(16) FROM (SELECT loud(b) FROM rows)");
}

int main(void) {
  sqlite3_open(":memory:", &db);
  registration();
  create("describe", -1, SQLITE_UTF8 | SQLITE_SUBTYPE, 0, describe, 0);
  create("numeric", 1, SQLITE_UTF8, 0, numeric, 0);
  create("result", -1, SQLITE_UTF8 | SQLITE_RESULT_SUBTYPE, 0, result, 0);
  create("aux", -1, SQLITE_UTF8, 0, auxiliary, 0);
  create("auxloud", -1, SQLITE_UTF8, 0, auxiliary_loud, 0);
  create("pointer", 0, SQLITE_UTF8, 0, make_pointer, 0);
  create("pointed", 1, SQLITE_UTF8, 0, read_pointer, 0);
  create("nested", 1, SQLITE_UTF8, 0, nested, 0);
  create("texts16", 1, SQLITE_UTF16, 0, texts16, 0);

  run("SELECT describe(1, 2.5, 'text', x'6162', NULL, '12', ' 7.5 ', zeroblob(2))");
  run("SELECT describe(json('[1]')), describe('[1]')");
  run("SELECT numeric(1), numeric(1.5), numeric('1'), numeric(' 1.5 '), numeric('1x'), "
      "numeric(x'31'), numeric(NULL), numeric('1e3')");
  run("SELECT texts16('a\xe2\x82\xac'), texts16(12)");
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1000);
  results("UTF-8");
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1000000);
  flags();
  aggregates();

  run("SELECT aux(1, 'c') FROM rows");
  run("SELECT aux(1, b, 'x' || 'y') FROM rows");
  run("SELECT aux(1), aux(2) FROM rows LIMIT 2");
  run("SELECT auxloud(1) FROM rows LIMIT 2");
  run("SELECT auxloud(b) FROM rows LIMIT 2");

  run("SELECT pointed(pointer())");
  run("SELECT p IS NULL, typeof(p) FROM (SELECT pointer() AS p)");
  run("SELECT pointed(NULL), pointed(1)");
  sqlite3_stmt *statement;
  sqlite3_prepare_v2(db, "SELECT pointed(?1)", -1, &statement, 0);
  printf("bind %d\n", sqlite3_bind_pointer(statement, 1, "bound", "kind", freed));
  sqlite3_step(statement);
  printf("%s\n", sqlite3_column_text(statement, 0));
  sqlite3_reset(statement);
  printf("bind again %d\n", sqlite3_bind_pointer(statement, 1, "bound again", "kind", freed));
  printf("out of range %d\n", sqlite3_bind_pointer(statement, 9, "out of range", "kind", freed));
  sqlite3_step(statement);
  printf("%s\n", sqlite3_column_text(statement, 0));
  sqlite3_reset(statement);
  printf("other value\n");
  sqlite3_bind_int(statement, 1, 5);
  printf("finalize\n");
  sqlite3_bind_pointer(statement, 1, "to the end", "kind", freed);
  sqlite3_finalize(statement);

  sqlite3_prepare_v2(db, "SELECT describe(?1), describe(?1 + 0), describe(?2)", -1, &statement, 0);
  sqlite3_bind_text(statement, 1, "12", -1, SQLITE_STATIC);
  sqlite3_step(statement);
  printf("%s\n%s\n%s\n", sqlite3_column_text(statement, 0), sqlite3_column_text(statement, 1),
      sqlite3_column_text(statement, 2));
  sqlite3_finalize(statement);
  run("SELECT nested(5)");
  run("SELECT nested(b) FROM rows");
  close_and_show();

  sqlite3_open(":memory:", &db);
  run("PRAGMA encoding = 'UTF-16le'");
  create("any", 0, SQLITE_UTF8, "8", whoami, 0);
  create("any", 0, SQLITE_UTF16BE, "16be", whoami, 0);
  create("other", 0, SQLITE_UTF16LE, "16le", whoami, 0);
  create("other", 0, SQLITE_UTF8, "8", whoami, 0);
  create("describe", -1, SQLITE_UTF8, 0, describe, 0);
  create("result", -1, SQLITE_UTF8, 0, result, 0);
  create("texts16", 1, SQLITE_UTF16, 0, texts16, 0);
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1000);
  run("SELECT any(), other()");
  run("SELECT describe('text', 1, x'6100')");
  run("SELECT texts16('a\xe2\x82\xac'), texts16(12)");
  results("UTF-16le");
  sqlite3_close(db);
  return 0;
}
