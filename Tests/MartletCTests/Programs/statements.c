/* Statements: preparing, binding, stepping, columns, values, scripts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sqlite3.h"

static sqlite3 *db;
static int freed;
static void count_free(void *p) { freed++; sqlite3_free(p); }

static void show_error(const char *title, int code) {
  printf("%s: %d, errcode %d, extended %d, offset %d, %s\n", title, code, sqlite3_errcode(db),
      sqlite3_extended_errcode(db), sqlite3_error_offset(db), sqlite3_errmsg(db));
}

static void print_bytes(const void *bytes, int count) {
  const unsigned char *b = bytes;
  if (!b) { printf("null/%d", count); return; }
  for (int i = 0; i < count && i < 60; i++)
    if (b[i] >= 32 && b[i] < 127) putchar(b[i]); else printf("\\%02x", b[i]);
  printf("/%d", count);
}

static void show_column(sqlite3_stmt *s, int i, int order) {
  int type = sqlite3_column_type(s, i);
  printf("  [%d] type %d", i, type);
  if (order == 0) printf(" int %d int64 %lld double %.17g", sqlite3_column_int(s, i),
      sqlite3_column_int64(s, i), sqlite3_column_double(s, i));
  printf(" text ");
  const void *text = sqlite3_column_text(s, i);
  print_bytes(text, sqlite3_column_bytes(s, i));
  if (text) printf(" zero %d", ((const char *)text)[sqlite3_column_bytes(s, i)]);
  printf(" blob ");
  const void *blob = sqlite3_column_blob(s, i);
  print_bytes(blob, sqlite3_column_bytes(s, i));
  /* C turns a blob into text in place, so that it is another one afterwards. */
  if (order == 1 && type != SQLITE_BLOB) {
    printf(" text16 ");
    const void *wide = sqlite3_column_text16(s, i);
    print_bytes(wide, sqlite3_column_bytes16(s, i));
    printf(" again ");
    text = sqlite3_column_text(s, i);
    print_bytes(text, sqlite3_column_bytes(s, i));
  }
  printf("\n");
}

static void run(const char *sql, int order) {
  sqlite3_stmt *s = 0;
  const char *tail = 0;
  int code = sqlite3_prepare_v2(db, sql, -1, &s, &tail);
  printf("> %s\n", sql);
  if (code) { show_error("prepare", code); return; }
  if (!s) { printf("nothing, tail %d\n", (int)(tail - sql)); return; }
  printf("  columns %d, data %d, read-only %d, explain %d, tail %d, parameters %d\n",
      sqlite3_column_count(s), sqlite3_data_count(s), sqlite3_stmt_readonly(s),
      sqlite3_stmt_isexplain(s), (int)(tail - sql), sqlite3_bind_parameter_count(s));
  for (int i = 0; i < sqlite3_column_count(s); i++) {
    const char *d = sqlite3_column_decltype(s, i), *o = sqlite3_column_origin_name(s, i),
               *t = sqlite3_column_table_name(s, i), *n = sqlite3_column_database_name(s, i);
    printf("  name %s, declared %s, origin %s.%s.%s\n", sqlite3_column_name(s, i), d ? d : "-",
        n ? n : "-", t ? t : "-", o ? o : "-");
  }
  while ((code = sqlite3_step(s)) == SQLITE_ROW) {
    printf("  row, data %d, busy %d\n", sqlite3_data_count(s), sqlite3_stmt_busy(s));
    for (int i = 0; i < sqlite3_column_count(s); i++) show_column(s, i, order);
  }
  if (code != SQLITE_DONE) show_error("step", code);
  printf("  done %d, data %d, busy %d\n", code, sqlite3_data_count(s), sqlite3_stmt_busy(s));
  code = sqlite3_reset(s);
  if (code) show_error("reset", code);
  code = sqlite3_finalize(s);
  if (code) show_error("finalize", code);
}

static int print_row(void *data, int count, char **values, char **names) {
  printf("  callback %s:", (char *)data);
  for (int i = 0; i < count; i++) printf(" %s=%s", names[i], values && values[i] ? values[i] : "-");
  printf("\n");
  return values && values[0] && !strcmp(values[0], "stop");
}

static void script(const char *sql) {
  char *message = 0;
  int code = sqlite3_exec(db, sql, print_row, "x", &message);
  printf("exec %.60s -> %d %s; %s\n", sql, code, message ? message : "-", sqlite3_errmsg(db));
  sqlite3_free(message);
}

static void binding(void) {
  sqlite3_stmt *s;
  int code = sqlite3_prepare_v2(db, "SELECT ?1, :name, ?, @at, $dollar, ?9, :name", -1, &s, 0);
  printf("bind: prepare %d, %d parameters\n", code, sqlite3_bind_parameter_count(s));
  for (int i = 0; i <= 12; i++) {
    const char *name = sqlite3_bind_parameter_name(s, i);
    printf("  %d %s -> %d\n", i, name ? name : "-", sqlite3_bind_parameter_index(s, name ? name : ""));
  }
  printf("  %d %d\n", sqlite3_bind_parameter_index(s, "name"), sqlite3_bind_parameter_index(s, ":name"));
  show_error("  bind 0", sqlite3_bind_int(s, 0, 1));
  show_error("  bind 10", sqlite3_bind_int(s, 10, 1));
  show_error("  bind -1", sqlite3_bind_text(s, -1, "x", -1, SQLITE_STATIC));
  sqlite3_bind_int(s, 1, -5);
  sqlite3_bind_int64(s, 2, 0x7fffffffffffffffll);
  sqlite3_bind_double(s, 3, 0.1);
  sqlite3_bind_text(s, 4, "text with \xc3\xa4", -1, SQLITE_TRANSIENT);
  sqlite3_bind_blob(s, 5, "bl\0b", 4, SQLITE_STATIC);
  sqlite3_bind_zeroblob(s, 9, 5);
  char *expanded = sqlite3_expanded_sql(s);
  printf("  sql %s\n  expanded %s\n", sqlite3_sql(s), expanded);
  sqlite3_free(expanded);
  while (sqlite3_step(s) == SQLITE_ROW) for (int i = 0; i < 7; i++) show_column(s, i, 0);
  sqlite3_reset(s);
  char *mine = sqlite3_mprintf("given away");
  code = sqlite3_bind_text(s, 4, mine, 5, count_free);
  printf("  given %d\n", code);
  code = sqlite3_bind_text(s, 99, sqlite3_mprintf("out of range"), -1, count_free);
  printf("  out of range %d, freed at least 1: %d\n", code, freed >= 1);
  unsigned short wide[] = {'w', 0xe4, 0xd83d, 0xdc26, 'x', 0};
  sqlite3_bind_text16(s, 1, wide, -1, SQLITE_STATIC);
  sqlite3_bind_text16(s, 2, wide, 5, SQLITE_STATIC);
  sqlite3_bind_text64(s, 3, "abc\0def", 7, SQLITE_STATIC, SQLITE_UTF8);
  sqlite3_bind_text64(s, 9, (const char *)wide, 4, SQLITE_TRANSIENT, SQLITE_UTF16LE);
  /* The byte order mark says the order, whatever the call says, and is not part of the text. */
  sqlite3_bind_text16(s, 4, "\xff\xfe" "a\0b\0", 6, SQLITE_STATIC);
  sqlite3_bind_text64(s, 6, "\xfe\xff\0a\0b", 7, SQLITE_STATIC, SQLITE_UTF16LE);
  sqlite3_bind_text64(s, 7, "\xff\xfe", 2, SQLITE_STATIC, SQLITE_UTF16BE);
  sqlite3_bind_blob64(s, 5, 0, 10, SQLITE_STATIC);
  while (sqlite3_step(s) == SQLITE_ROW) {
    show_error("  while it runs", sqlite3_bind_int(s, 1, 1));
    for (int i = 0; i < 7; i++) show_column(s, i, 1);
    printf("  outside: %d %d %s\n", sqlite3_column_type(s, 7), sqlite3_column_int(s, -1),
        sqlite3_errmsg(db));
  }
  sqlite3_reset(s);
  sqlite3_clear_bindings(s);
  expanded = sqlite3_expanded_sql(s);
  printf("  cleared %s\n", expanded);
  sqlite3_free(expanded);
  sqlite3_finalize(s);
  printf("  freed %d\n", freed);
  sqlite3_prepare_v2(db, "  /* before */ SELECT 'a?', ?, \"?\" FROM (SELECT 1 AS \"?\") -- end ?\n ; next", -1, &s, 0);
  sqlite3_bind_text(s, 1, "it's", -1, SQLITE_STATIC);
  expanded = sqlite3_expanded_sql(s);
  printf("  sql [%s]\n  expanded [%s]\n", sqlite3_sql(s), expanded);
  sqlite3_free(expanded);
  double reals[] = {1, 1.5, 0.1, 1e300, -1e-300, 1.0 / 3, 100, 123456789012345680.0};
  for (int i = 0; i < 8; i++) {
    sqlite3_bind_double(s, 1, reals[i]);
    expanded = sqlite3_expanded_sql(s);
    printf("  %s\n", expanded);
    sqlite3_free(expanded);
  }
  sqlite3_finalize(s);
}

static void values(void) {
  sqlite3_stmt *s, *other;
  sqlite3_prepare_v2(db, "SELECT 1, 2.5, 'text', x'01ff', NULL, ' 12abc', '7', zeroblob(3)", -1, &s, 0);
  sqlite3_prepare_v2(db, "SELECT ?1, typeof(?1), quote(?1)", -1, &other, 0);
  sqlite3_step(s);
  for (int i = 0; i < 9; i++) {
    sqlite3_value *v = sqlite3_column_value(s, i), *copy = sqlite3_value_dup(v);
    printf("value %d: type %d int %d double %g bytes %d ", i, sqlite3_value_type(copy),
        sqlite3_value_int(copy), sqlite3_value_double(copy), sqlite3_value_bytes(copy));
    sqlite3_bind_value(other, 1, copy);
    sqlite3_step(other);
    printf("bound %s %s ", sqlite3_column_text(other, 1), sqlite3_column_text(other, 2));
    sqlite3_reset(other);
    const unsigned char *text = sqlite3_value_text(copy);
    print_bytes(text, sqlite3_value_bytes(copy));
    printf(" frombind %d subtype %u nochange %d\n", sqlite3_value_frombind(copy),
        sqlite3_value_subtype(copy), sqlite3_value_nochange(copy));
    sqlite3_value_free(copy);
  }
  sqlite3_finalize(s);
  sqlite3_finalize(other);
}

static void many(void) {
  sqlite3_stmt *a, *b, *s;
  int count = 0;
  sqlite3_prepare_v2(db, "SELECT 1", -1, &a, 0);
  sqlite3_prepare_v2(db, "SELECT 2", -1, &b, 0);
  for (s = sqlite3_next_stmt(db, 0); s; s = sqlite3_next_stmt(db, s)) printf("next %d: %s\n", count++, sqlite3_sql(s));
  show_error("close", sqlite3_close(db));
  printf("same %d\n", sqlite3_db_handle(a) == db);
  sqlite3_finalize(a);
  sqlite3_finalize(b);
  /* Limits of the text, and its end. */
  const char *sql = "SELECT 1; SELECT 2";
  const char *tail;
  for (int limit = 0; limit <= 19; limit++) {
    s = 0;
    int code = sqlite3_prepare_v2(db, sql, limit, &s, &tail);
    printf("limit %d: %d %s tail %d\n", limit, code, s ? sqlite3_sql(s) : "-", code ? -1 : (int)(tail - sql));
    sqlite3_finalize(s);
  }
  unsigned short wide[] = {'S', 'E', 'L', 'E', 'C', 'T', ' ', '\'', 0xe4, 0xd83d, 0xdc26, '\'', ';', ' ', 'x', 0};
  const void *tail16;
  int code = sqlite3_prepare16_v2(db, wide, -1, &s, &tail16);
  printf("wide %d %s tail %d\n", code, sqlite3_sql(s), (int)((const char *)tail16 - (const char *)wide));
  sqlite3_step(s);
  show_column(s, 0, 1);
  print_bytes(sqlite3_column_name16(s, 0), 10);
  printf("\n");
  sqlite3_finalize(s);
  /* The old interface tells less at a step. */
  sqlite3_prepare(db, "INSERT INTO t(a) VALUES (1)", -1, &s, 0);
  code = sqlite3_step(s);
  show_error("old step", code);
  code = sqlite3_reset(s);
  show_error("old reset", code);
  sqlite3_finalize(s);
  sqlite3_extended_result_codes(db, 1);
  sqlite3_prepare_v2(db, "INSERT INTO t(a) VALUES (1)", -1, &s, 0);
  show_error("extended", sqlite3_step(s));
  show_error("finalize", sqlite3_finalize(s));
  sqlite3_extended_result_codes(db, 0);
  sqlite3_prepare_v2(db, "SELECT a FROM t WHERE a < 3", -1, &s, 0);
  for (int mode = 0; mode <= 3; mode++) {
    code = sqlite3_stmt_explain(s, mode);
    printf("explain %d: %d is %d columns %d\n", mode, code, sqlite3_stmt_isexplain(s), sqlite3_column_count(s));
  }
  sqlite3_stmt_explain(s, 0);
  sqlite3_step(s);
  printf("explain while it runs %d\n", sqlite3_stmt_explain(s, 1));
  script("DROP TABLE t");
  sqlite3_finalize(s);
}

static void tables(void) {
  char **result = 0, *message = 0;
  int rows = -1, columns = -1;
  int code = sqlite3_get_table(db, "SELECT a, b FROM t WHERE a < 4; SELECT a, c FROM t WHERE a = 4", &result, &rows, &columns, &message);
  printf("table %d: %d rows, %d columns, %s\n", code, rows, columns, message ? message : "-");
  if (!code) for (int i = 0; i < (rows + 1) * columns; i++) printf("  %s\n", result[i] ? result[i] : "-");
  sqlite3_free_table(result);
  const char *wrong[] = {"SELECT a FROM t; SELECT a, b FROM t", "SELECT nothing", "SELECT a FROM t WHERE 0", ""};
  for (int i = 0; i < 4; i++) {
    message = 0;
    rows = columns = -1;
    code = sqlite3_get_table(db, wrong[i], &result, &rows, &columns, &message);
    printf("table %s %d: %d rows, %d columns, %s\n", wrong[i], code, rows, columns, message ? message : "-");
    sqlite3_free(message);
    if (!code) sqlite3_free_table(result);
  }
}

int main(void) {
  if (sqlite3_open(":memory:", &db)) return 1;
  script("CREATE TABLE t(a INTEGER PRIMARY KEY, b VARCHAR(10), c); INSERT INTO t VALUES (1, 'one', 1.5), "
         "(2, NULL, x'00ff'), (3, 'drei \xc3\xa4', -7), (4, '', zeroblob(4)); SELECT * FROM t");
  run("SELECT a, b, c, a + 1 AS sum, t.b || 'x', main.t.c FROM t", 0);
  run("SELECT c, b FROM t", 1);
  run("SELECT 9223372036854775807, -1e300, 'a' || char(0) || 'b', '1e3x', 0.1, 1e15, 1e16, -0.0, 3.0", 0);
  run("SELECT count(*) FROM t AS x", 0);
  run("", 0);
  run("  -- only a comment", 0);
  run(";", 0);
  run("INSERT INTO t VALUES (1, 2, 3)", 0);
  run("SELEC 1", 0);
  run("SELECT * FROM missing", 0);
  run("SELECT abs(-9223372036854775808)", 0);
  run("UPDATE t SET b = 'x' WHERE a = 99 RETURNING a", 0);
  run("BEGIN IMMEDIATE", 0);
  run("COMMIT", 0);
  run("PRAGMA user_version", 0);
  script("SELECT 'go'; SELECT 'stop'; SELECT 'never'");
  script("SELECT 1; SELECT nothing; SELECT 2");
  script("PRAGMA empty_result_callbacks = 1; SELECT a FROM t WHERE 0");
  script("PRAGMA empty_result_callbacks = 0");
  script("  ;; ; ");
  binding();
  values();
  tables();
  many();
  printf("closed %d\n", sqlite3_close(db));
  return 0;
}
