/* Each limit one below, at it and above: what is still taken, and what is said then. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sqlite3.h"

static sqlite3 *db;

/* A text that grows. */
static char *sql;
static size_t used, size;

static void start(void) { used = 0; }

static void add(const char *format, ...) {
  va_list list;
  char *piece;
  size_t count;
  va_start(list, format);
  piece = sqlite3_vmprintf(format, list);
  va_end(list);
  count = strlen(piece);
  if (used + count + 1 > size) {
    size = 2 * (used + count + 1);
    sql = realloc(sql, size);
  }
  memcpy(sql + used, piece, count + 1);
  used += count;
  sqlite3_free(piece);
}

/* As often as that, with something between, `%d` being the place. */
static void repeat(int count, const char *piece, const char *between) {
  int i;
  for (i = 0; i < count; i++) {
    if (i) add("%s", between);
    add(piece, i + 1);
  }
}

static void report(const char *name, int count) {
  sqlite3_stmt *statement = 0;
  const char *rest = sql;
  int code = SQLITE_OK, where = 0;
  while (code == SQLITE_OK && *rest) {
    code = sqlite3_prepare_v2(db, rest, -1, &statement, &rest);
    if (code || !statement) break;
    where++;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {}
    if (code == SQLITE_DONE) code = SQLITE_OK;
    if (code) { where = -where; }
    sqlite3_finalize(statement);
  }
  printf("%s %d: %d %d %s\n", name, count, where, code, code ? sqlite3_errmsg(db) : "");
}

static int last(int category, int value) { return sqlite3_limit(db, category, value); }

/* A statement of each kind with `count` columns or terms. */
static void columns(int limit) {
  int count, old = last(SQLITE_LIMIT_COLUMN, limit);
  for (count = limit - 1; count <= limit + 1; count++) {
    start(), add("CREATE TEMP TABLE w("), repeat(count, "c%d", ","), add(")");
    report("table", count);
    start(), add("INSERT INTO w VALUES("), repeat(count, "%d", ","), add(")");
    report("insert", count);
    start(), add("UPDATE w SET "), repeat(count, "c%d=1", ",");
    report("update", count);
    start(), add("UPDATE w SET "), repeat(count, "c1=%d", ",");
    report("update of one", count);
    start(), add("UPDATE w SET ("), repeat(count, "c%d", ","), add(")=(SELECT "),
      repeat(count, "%d", ","), add(")");
    report("update of a row", count);
    start(), add("CREATE INDEX temp.i ON w("), repeat(count, "c%d", ","), add("); DROP INDEX i");
    report("index", count);
    start(), add("CREATE INDEX temp.i ON w("), repeat(count, "c1+%d", ","), add("); DROP INDEX i");
    report("index of expressions", count);
    start(), add("ALTER TABLE w ADD COLUMN d");
    report("add", count);
    start(), add("DROP TABLE IF EXISTS w");
    report("drop", count);
    start(), add("SELECT "), repeat(count, "%d", ",");
    report("select", count);
    start(), add("SELECT *, 1 FROM (SELECT "), repeat(count, "%d", ","), add(")");
    report("star", count);
    start(), add("SELECT 1 ORDER BY "), repeat(count, "+%d", ",");
    report("order", count);
    start(), add("SELECT 1 GROUP BY "), repeat(count, "+%d", ",");
    report("group", count);
    start(), add("SELECT sum(1) OVER (PARTITION BY "), repeat(count, "+%d", ","), add(")");
    report("partition", count);
    start(), add("SELECT sum(1) OVER (ORDER BY "), repeat(count, "+%d", ","), add(")");
    report("window order", count);
    start(), add("SELECT 1 UNION SELECT 2 ORDER BY "), repeat(count, "1", ",");
    report("order of a compound", count);
    start(), add("VALUES("), repeat(count, "%d", ","), add(")");
    report("values", count);
    start(), add("VALUES("), repeat(count, "%d", ","), add("),("), repeat(count, "%d", ","), add(")");
    report("two values", count);
    start(), add("SELECT ("), repeat(count, "%d", ","), add(")=("), repeat(count, "%d", ","), add(")");
    report("row", count);
    start(), add("SELECT 1 IN ("), repeat(count, "%d", ","), add(")");
    report("in", count);
    start(), add("CREATE TEMP VIEW v AS SELECT "), repeat(count, "%d", ","), add("; DROP VIEW v");
    report("view", count);
    start(), add("CREATE TEMP VIEW v("), repeat(count, "c%d", ","), add(") AS SELECT "),
      repeat(count, "%d", ","), add("; SELECT * FROM v");
    report("view with names", count);
    start(), add("DROP VIEW IF EXISTS v");
    report("drop view", count);
    start(), add("WITH c("), repeat(count, "c%d", ","), add(") AS (SELECT "),
      repeat(count, "%d", ","), add(") SELECT * FROM c");
    report("common table", count);
    start(), add("CREATE TEMP TABLE w AS SELECT "), repeat(count, "%d", ","), add("; DROP TABLE w");
    report("table of a select", count);
    start(), add("CREATE TEMP TABLE w(a, b, c, UNIQUE("), repeat(count, "a", ","), add("))");
    report("unique", count);
    start(), add("CREATE TEMP TABLE w2("), repeat(count, "c%d", ","), add(", PRIMARY KEY("),
      repeat(count, "c%d", ","), add(")) WITHOUT ROWID; DROP TABLE w2");
    report("primary key", count);
    start(), add("DROP TABLE IF EXISTS w");
    report("drop", count);
    start(), add("CREATE TEMP TABLE w(a); INSERT INTO w VALUES(1) RETURNING "),
      repeat(count, "%d", ","), add("; DROP TABLE w");
    report("returning", count);
    start(), add("DROP TABLE IF EXISTS w");
    report("drop", count);
    start(), add("CREATE TEMP TABLE w("), repeat(count, "c%d", ","), add(", FOREIGN KEY("),
      repeat(count, "c%d", ","), add(") REFERENCES x("), repeat(count, "c%d", ","), add("))");
    report("foreign key", count);
    start(), add("DROP TABLE IF EXISTS w");
    report("drop", count);
  }
  last(SQLITE_LIMIT_COLUMN, old);
}

static void nest(int count, const char *before, const char *middle, const char *behind) {
  start(), add("SELECT ");
  repeat(count, before, "");
  add("%s", middle);
  repeat(count, behind, "");
}

static void depth(int limit) {
  static const struct { const char *name, *before, *middle, *behind; } kinds[] = {
    {"parentheses", "(", "1", ")"}, {"minus", "- ", "1", ""}, {"not", "NOT ", "1", ""},
    {"tilde", "~", "1", ""}, {"plus", "", "1", "+1"}, {"left", "1+(", "1", ")"},
    {"and", "", "1", " AND 1"}, {"or", "", "x", " OR x"}, {"concat", "", "1", "||1"},
    {"call", "abs(", "1", ")"}, {"second", "max(1,", "1", ")"}, {"cast", "CAST(", "1", " AS INT)"},
    {"case", "CASE 1 WHEN 2 THEN ", "1", " END"}, {"else", "CASE WHEN 1 THEN 1 ELSE ", "1", " END"},
    {"in", "", "1", " IN (1, 2)"}, {"between", "1 BETWEEN ", "1", " AND 2"},
    {"like", "", "1", " LIKE 1"}, 
    {"subquery", "(SELECT ", "1", ")"}, {"exists", "EXISTS (SELECT ", "1", ")"},
    {"in select", "1 IN (SELECT ", "1", ")"}, {"from", "1 FROM (SELECT ", "1", ")"},
    {"where", "1 WHERE (SELECT ", "1", ")"}, {"limit", "1 LIMIT (SELECT ", "1", ")"},
    {"order", "1 ORDER BY (SELECT ", "1", ")"}, {"arrow", "", "1", "->1"}, 
    
    {"glob", "", "x", " GLOB x"}, 
    {"raise", "coalesce(1, 2, ", "1", ", 3)"}, {"iif", "iif(1, ", "1", ", 2)"},
  };
  int count, old = last(SQLITE_LIMIT_EXPR_DEPTH, limit);
  size_t i;
  start(), add("CREATE TEMP TABLE deep(x)");
  report("table", 0);
  for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
    for (count = limit - 4; count <= limit + 1; count++) {
      nest(count, kinds[i].before, kinds[i].middle, kinds[i].behind);
      if (strchr(kinds[i].middle, 'x')) add(" FROM deep");
      report(kinds[i].name, count);
    }
  for (count = limit - 3; count <= limit + 1; count++) {
    start(), add("SELECT 1 WHERE "), repeat(count, "1", " AND ");
    report("where and", count);
    start(), add("SELECT 1 FROM deep ORDER BY "), repeat(count, "x", "+");
    report("order", count);
    start(), add("SELECT 1 FROM deep GROUP BY x HAVING "), repeat(count, "1", "+");
    report("having", count);
    start(), add("SELECT 1 LIMIT "), repeat(count, "1", "+");
    report("limit", count);
    start(), add("INSERT INTO deep VALUES("), repeat(count, "1", "+"), add(")");
    report("insert", count);
    start(), add("UPDATE deep SET x = "), repeat(count, "1", "+");
    report("update", count);
    start(), add("DELETE FROM deep WHERE "), repeat(count, "1", "+");
    report("delete", count);
    start(), add("CREATE TEMP TABLE d2(x DEFAULT("), repeat(count, "1", "+"), add(")); DROP TABLE d2");
    report("default", count);
    start(), add("CREATE TEMP TABLE d2(x CHECK("), repeat(count, "1", "+"), add(")); DROP TABLE d2");
    report("check", count);
    start(), add("CREATE INDEX temp.di ON deep("), repeat(count, "x", "+"), add("); DROP INDEX di");
    report("index", count);
    start(), add("CREATE TEMP TABLE d2(x, y AS("), repeat(count, "x", "+"), add(")); DROP TABLE d2");
    report("generated", count);
    start(), add("CREATE TEMP VIEW dv AS SELECT "), repeat(count, "1", "+"),
      add(" AS x; SELECT x+1 FROM dv");
    report("view", count);
    start(), add("DROP VIEW IF EXISTS dv");
    report("drop", count);
    start(), add("SELECT x + 1 FROM (SELECT "), repeat(count - 1, "x", "+"), add(" AS x FROM deep)");
    report("flattened", count);
    start(), add("SELECT count(*) FROM deep AS a JOIN deep AS b ON "), repeat(count, "a.x", "+");
    report("on", count);
    start(), add("SELECT 1 WHERE 1 IN (2, "), repeat(count, "1", "+"), add(")");
    report("in", count);
    start(), add("SELECT sum("), repeat(count, "x", "+"), add(") FROM deep");
    report("aggregate", count);
    start(), add("SELECT "), repeat(count, "sum(x)", "+"), add(" FROM deep");
    report("aggregates", count);
    start(), add("SELECT "), repeat(count, "sum(x) OVER ()", "+"), add(" FROM deep");
    report("windows", count);
  }
  start(), add("DROP TABLE deep");
  report("drop", 0);
  last(SQLITE_LIMIT_EXPR_DEPTH, old);
}

static void compounds(int limit) {
  int count, old = last(SQLITE_LIMIT_COMPOUND_SELECT, limit);
  for (count = limit - 1; count <= limit + 1; count++) {
    start(), repeat(count, "SELECT %d", " UNION ALL ");
    report("union all", count);
    start(), repeat(count, "SELECT %d", " EXCEPT ");
    report("except", count);
    start(), repeat(count - 1, "VALUES(%d)", " UNION "), add(" UNION SELECT 0");
    report("values", count);
    start(), add("VALUES "), repeat(count, "(%d)", ",");
    report("rows", count);
    start(), add("SELECT * FROM (VALUES "), repeat(count, "(%d)", ","), add(")");
    report("rows in from", count);
    start(), add("CREATE TEMP TABLE w(a); INSERT INTO w VALUES "), repeat(count, "(%d)", ","),
      add("; DROP TABLE w");
    report("rows of insert", count);
    start(), add("SELECT * FROM ("), repeat(count, "SELECT %d", " UNION ALL "), add(")");
    report("subquery", count);
    start(), add("SELECT 1 IN ("), repeat(count, "SELECT %d", " INTERSECT "), add(")");
    report("in", count);
    start(), add("WITH RECURSIVE r(x) AS ("), repeat(count - 1, "SELECT %d", " UNION ALL "),
      add(" UNION ALL SELECT x+1 FROM r WHERE x < 2) SELECT count(*) FROM r");
    report("recursive", count);
    start(), add("CREATE TEMP VIEW v AS "), repeat(count, "SELECT %d", " UNION ALL "),
      add("; SELECT * FROM v; DROP VIEW v");
    report("view", count);
    start(), add("DROP VIEW IF EXISTS v");
    report("drop", count);
  }
  last(SQLITE_LIMIT_COMPOUND_SELECT, old);
}

static void arguments(int limit) {
  int count, old = last(SQLITE_LIMIT_FUNCTION_ARG, limit);
  for (count = limit - 1; count <= limit + 1; count++) {
    static const char *names[] = {"max", "char", "coalesce", "printf", "json_array", "abs",
                                  "nosuch", "group_concat", "concat_ws"};
    size_t i;
    for (i = 0; i < sizeof names / sizeof *names; i++) {
      start(), add("SELECT %s(", names[i]), repeat(count, "%d", ","), add(")");
      report(names[i], count);
    }
    start(), add("SELECT * FROM json_each("), repeat(count, "'1'", ","), add(")");
    report("table", count);
  }
  last(SQLITE_LIMIT_FUNCTION_ARG, old);
}

static void attached(int limit) {
  int count, old = last(SQLITE_LIMIT_ATTACHED, limit);
  for (count = 1; count <= limit + 1; count++) {
    start(), add("ATTACH ':memory:' AS a%d", count);
    report("attach", count);
  }
  for (count = 1; count <= limit; count++) {
    start(), add("DETACH a%d", count);
    report("detach", count);
  }
  last(SQLITE_LIMIT_ATTACHED, old);
}

static void patterns(int limit) {
  int count, old = last(SQLITE_LIMIT_LIKE_PATTERN_LENGTH, limit);
  for (count = limit - 1; count <= limit + 1; count++) {
    start(), add("SELECT 'x' LIKE '"), repeat(count, "a", ""), add("'");
    report("like", count);
    start(), add("SELECT 'x' GLOB '"), repeat(count, "a", ""), add("'");
    report("glob", count);
    start(), add("SELECT like('"), repeat(count, "a", ""), add("', 'x', 'e')");
    report("function", count);
    start(), add("CREATE TEMP TABLE p(x TEXT COLLATE nocase PRIMARY KEY); SELECT * FROM p WHERE x LIKE '"),
      repeat(count - 1, "a", ""), add("%%'; INSERT INTO p VALUES('a'); SELECT * FROM p WHERE x LIKE '"),
      repeat(count - 1, "a", ""), add("%%'; SELECT * FROM p WHERE x LIKE 'a%%"),
      repeat(count - 2, "a", ""), add("'; DROP TABLE p");
    report("index", count);
    start(), add("DROP TABLE IF EXISTS p");
    report("drop", count);
  }
  last(SQLITE_LIMIT_LIKE_PATTERN_LENGTH, old);
}

static void variables(int limit) {
  int count, old = last(SQLITE_LIMIT_VARIABLE_NUMBER, limit);
  for (count = limit - 1; count <= limit + 1; count++) {
    start(), add("SELECT ?%d", count);
    report("number", count);
    start(), add("SELECT ?%d, ?", count);
    report("one more", count);
    start(), add("SELECT 1 IN ("), repeat(count, "?", ","), add(")");
    report("question marks", count);
    /* A name is looked for among all before it. */
    if (limit > 1000) continue;
    start(), add("SELECT 1 IN ("), repeat(count, ":n%d", ","), add(")");
    report("names", count);
    start(), add("SELECT 1 IN ("), repeat(count, "?%d", ","), add(", :name)");
    report("numbers and a name", count);
  }
  start(), add("SELECT ?0");
  report("nothing", 0);
  start(), add("SELECT ?4294967297");
  report("32 bits", 0);
  start(), add("SELECT ?18446744073709551617");
  report("64 bits", 0);
  start(), add("SELECT ?99999999999999999999999999999");
  report("more", 0);
  last(SQLITE_LIMIT_VARIABLE_NUMBER, old);
}

static void triggers(int limit) {
  int count, old = last(SQLITE_LIMIT_TRIGGER_DEPTH, limit);
  start(), add("PRAGMA recursive_triggers = 1; CREATE TABLE r(x); CREATE TRIGGER rt AFTER INSERT ON r "
               "WHEN new.x > 1 BEGIN INSERT INTO r VALUES(new.x - 1); END");
  report("trigger", limit);
  for (count = limit - 1; count <= limit + 2; count++) {
    start(), add("INSERT INTO r VALUES(%d)", count);
    report("recursion", count);
    start(), add("SELECT 1 / (count(*) = %d) FROM r", count), report("rows", count);
    start(), add("DELETE FROM r"), report("delete", count);
  }
  start(), add("DROP TABLE r; CREATE TABLE f(x PRIMARY KEY, y REFERENCES f ON DELETE CASCADE); "
               "PRAGMA foreign_keys = 1");
  report("table", limit);
  for (count = limit - 1; count <= limit + 2; count++) {
    start(), add("INSERT INTO f WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE "
                 "i < %d) SELECT i, nullif(i - 1, 0) FROM c", count);
    report("chain", count);
    start(), add("DELETE FROM f WHERE x = 1");
    report("cascade", count);
    start(), add("PRAGMA foreign_keys = 0; DELETE FROM f; PRAGMA foreign_keys = 1");
    report("delete", count);
  }
  start(), add("DROP TABLE f; PRAGMA foreign_keys = 0");
  report("drop", limit);
  last(SQLITE_LIMIT_TRIGGER_DEPTH, old);
}

static void sources(void) {
  int count;
  for (count = 63; count <= 65; count++) {
    start(), add("SELECT 1 FROM "), repeat(count, "(SELECT 1 LIMIT 1) AS s%d", ",");
    report("join", count);
    start(), add("CREATE TEMP TABLE j(a); INSERT INTO j VALUES(1); SELECT count(*) FROM "),
      repeat(count, "j AS j%d", ", "), add("; DROP TABLE j");
    report("tables", count);
    start(), add("DROP TABLE IF EXISTS j");
    report("drop", count);
  }
  for (count = 199; count <= 201; count++) {
    start(), add("SELECT 1 FROM "), repeat(count, "(SELECT 1) AS s%d", ",");
    report("many", count);
  }
}

/* Values of `count` bytes. */
static void lengths(int limit) {
  static const char *formats[] = {
    "SELECT zeroblob(%d)", "SELECT randomblob(%d)", "SELECT length(zeroblob(%d))",
    "SELECT hex(zeroblob(%d / 2))", "SELECT quote(zeroblob(%d / 2))",
    "SELECT printf('%%%%.%dc', 'x')", "SELECT printf('%%%%%ds', 'x')", "SELECT printf('%%%%0%dd', 1)",
    "SELECT printf('%%%%.%df', 1.5)", "SELECT replace(hex(zeroblob(%d / 4)), '0', '01')",
    "SELECT hex(zeroblob(%d / 2 - 5)) || '0123456789'", "SELECT x'' || zeroblob(%d)",
    "SELECT group_concat(hex(zeroblob(%d / 4)), '') FROM (VALUES (1), (2))",
    "SELECT json_array(hex(zeroblob(%d / 2 - 2)))", "SELECT json_quote(hex(zeroblob(%d / 2 - 1)))",
    "SELECT json_group_array(hex(zeroblob(%d / 4 - 2))) FROM (VALUES (1), (2))",
    "SELECT CAST(zeroblob(%d) AS TEXT)", "SELECT substr(zeroblob(%d), 1)", "SELECT upper(zeroblob(%d))",
    "SELECT trim(zeroblob(%d))", "SELECT concat(hex(zeroblob(%d / 2 - 1)), 'xy')",
    "SELECT unhex(hex(zeroblob(%d / 2)))", "SELECT strftime(hex(zeroblob(%d / 2)))",
    "SELECT length(hex(zeroblob(%d / 2)) || '')", "SELECT max(zeroblob(%d), 1)",
    "INSERT INTO l VALUES(zeroblob(%d - 10))", "INSERT INTO l VALUES(zeroblob(%d))",
    "SELECT a || zeroblob(%d) FROM (SELECT '' AS a)", "SELECT string_agg(zeroblob(%d), ',')",
    "SELECT unistr(hex(zeroblob(%d / 2)))", "SELECT iif(1, zeroblob(%d), 2)",
  };
  int count, old = last(SQLITE_LIMIT_LENGTH, limit);
  size_t i;
  start(), add("CREATE TEMP TABLE l(x)");
  report("table", limit);
  for (i = 0; i < sizeof formats / sizeof *formats; i++)
    for (count = limit - 2; count <= limit + 2; count++) {
      start(), add(formats[i], count);
      report(formats[i], count);
    }
  for (count = limit - 2; count <= limit + 1; count++) {
    sqlite3_stmt *statement = 0;
    char *bytes = calloc(count + 4, 1);
    memset(bytes, 'x', count);
    start(), add("SELECT '%s'", bytes);
    report("literal", count);
    start(), add("SELECT x'"), repeat(count, "00", ""), add("'");
    report("blob literal", count);
    start(), add("SELECT \"%s\"", bytes);
    report("name", count);
    sqlite3_prepare_v2(db, "SELECT ?", -1, &statement, 0);
    printf("bind %d: %d", count, sqlite3_bind_text(statement, 1, bytes, count, SQLITE_STATIC));
    printf(" %d", sqlite3_bind_text(statement, 1, bytes, -1, SQLITE_TRANSIENT));
    printf(" %d", sqlite3_bind_blob(statement, 1, bytes, count, SQLITE_STATIC));
    printf(" %d\n", sqlite3_bind_zeroblob64(statement, 1, count));
    sqlite3_finalize(statement);
    free(bytes);
  }
  start(), add("DROP TABLE l");
  report("drop", limit);
  last(SQLITE_LIMIT_LENGTH, old);
}

static void pages(void) {
  static const int sizes[] = {1, 256, 511, 512, 513, 1024, 32768, 65535, 65536, 65537, 131072};
  size_t i;
  int count;
  for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    sqlite3_stmt *statement;
    sqlite3 *main = db;
    sqlite3_open(":memory:", &db);
    start(), add("PRAGMA page_size = %d; CREATE TABLE t(a)", sizes[i]);
    report("page size", sizes[i]);
    sqlite3_prepare_v2(db, "PRAGMA page_size", -1, &statement, 0);
    sqlite3_step(statement);
    printf("is %d\n", sqlite3_column_int(statement, 0));
    sqlite3_finalize(statement);
    sqlite3_close(db);
    db = main;
  }
  for (count = 4; count <= 6; count++) {
    sqlite3 *main = db;
    sqlite3_open(":memory:", &db);
    start(), add("PRAGMA page_size = 512; PRAGMA max_page_count = %d; CREATE TABLE t(a)", count);
    report("pages", count);
    start(), add("INSERT INTO t VALUES(zeroblob(2000))");
    report("insert", count);
    start(), add("CREATE TABLE u(a)");
    report("create", count);
    start(), add("INSERT INTO t VALUES(zeroblob(500))");
    report("insert", count);
    start(), add("BEGIN; INSERT INTO t VALUES(1); INSERT INTO t VALUES(zeroblob(4000))");
    report("insert", count);
    start(), add("PRAGMA max_page_count = 1; PRAGMA integrity_check; COMMIT");
    report("fewer", count);
    sqlite3_close(db);
    db = main;
  }
}

/* How often something fits into itself, for the sake of the parser's stack. */
static void parser(int limit) {
  static const struct { const char *name, *before, *middle, *behind; } kinds[] = {
    {"parentheses", "(", "1", ")"}, {"calls", "abs(", "1", ")"}, {"subqueries", "(SELECT ", "1", ")"},
  };
  int old = last(SQLITE_LIMIT_PARSER_DEPTH, limit);
  size_t i;
  for (i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    int fits = 0, fails = 1000;
    while (fails - fits > 1) {
      int count = (fits + fails) / 2;
      sqlite3_stmt *statement = 0;
      nest(count, kinds[i].before, kinds[i].middle, kinds[i].behind);
      if (sqlite3_prepare_v2(db, sql, -1, &statement, 0)) fails = count;
      else fits = count;
      sqlite3_finalize(statement);
    }
    nest(fails, kinds[i].before, kinds[i].middle, kinds[i].behind);
    printf("%d: ", fits);
    report(kinds[i].name, limit);
  }
  last(SQLITE_LIMIT_PARSER_DEPTH, old);
}

/* Each window has a SELECT of its own, and they nest. */
static void windows(int limit) {
  static const char *calls[] = {"sum(x) OVER (ORDER BY x+%d)", "sum(x+1) OVER (ORDER BY x+%d)",
                                "1+sum(x) OVER (ORDER BY x+%d)", "row_number() OVER (ORDER BY x+%d)",
                                "max(x) OVER (PARTITION BY x+1+%d)"};
  int count, old = last(SQLITE_LIMIT_EXPR_DEPTH, limit);
  size_t i;
  start(), add("CREATE TEMP TABLE w(x)");
  report("table", limit);
  for (i = 0; i < sizeof calls / sizeof *calls; i++)
    for (count = limit / 4 - 1; count <= limit / 2 + 1; count++) {
      start(), add("SELECT "), repeat(count, calls[i], ","), add(" FROM w");
      report(calls[i], count);
    }
  start(), add("DROP TABLE w");
  report("drop", limit);
  last(SQLITE_LIMIT_EXPR_DEPTH, old);
}

static void names(void) {
  int count;
  for (count = 254; count <= 256; count++) {
    char name[300];
    memset(name, 'f', count);
    name[count] = 0;
    printf("function name %d: %d\n", count,
           sqlite3_create_function(db, name, 1, SQLITE_UTF8, 0, 0, 0, 0));
  }
}

int main(void) {
  sqlite3_open(":memory:", &db);
  columns(10), columns(2000);
  depth(20), depth(6);
  compounds(5), compounds(500);
  arguments(5), arguments(1000);
  attached(0), attached(2), attached(10);
  patterns(10), patterns(50000);
  variables(10), variables(32766);
  triggers(5), triggers(100);
  sources();
  lengths(1000);
  pages();
  parser(10), parser(100), parser(150);
  windows(24);
  names();
  printf("close %d\n", sqlite3_close(db));
  free(sql);
  return 0;
}
