/* Modules of the shapes that extensions have, in queries of all kinds. */
#define SQLITE_CORE 1
#include "vtab_modules.h"

static int showRow(void *data, int count, char **values, char **names) {
  int i;
  (void)data, (void)names;
  for (i = 0; i < count; i++) printf("%s%s", i ? "|" : "", values[i] ? values[i] : "NULL");
  printf("\n");
  return 0;
}

static void run(sqlite3 *db, const char *sql) {
  char *message = 0;
  int rc;
  printf("> %s\n", sql);
  rc = sqlite3_exec(db, sql, showRow, 0, &message);
  if (rc) printf("error %d: %s\n", rc, message);
  sqlite3_free(message);
}

static const char *const statements[] = {
    "SELECT value FROM numbers(3, 6)",
    "SELECT * FROM numbers(5) ORDER BY value DESC LIMIT 3",
    "SELECT sum(value), count(*), max(value) FROM numbers(1, 100)",
    "SELECT value FROM numbers WHERE first = 2 AND last = 4",
    "SELECT value FROM numbers",
    "SELECT value FROM numbers(1, NULL)",
    "SELECT a.value, b.value FROM numbers(1, 3) a, numbers(a.value, 3) b",
    "SELECT a.value, b.value FROM numbers(1, 3) a LEFT JOIN numbers(2, 5) b USING(value)",
    "SELECT value FROM numbers(1, 20) WHERE value % 7 = 0 OR value IN (2, 3)",
    "SELECT rowid, first, last FROM numbers(7, 8)",
    "SELECT value FROM numbers(1, 2, 3)",
    "INSERT INTO numbers VALUES(1)",
    "CREATE VIRTUAL TABLE n USING numbers",
    "CREATE TABLE pairs AS SELECT value AS a, value * value AS b FROM numbers(1, 5)",
    "SELECT * FROM pairs, numbers(1, 3) WHERE a = value",
    "CREATE VIEW few AS SELECT value FROM numbers(1, 3)",
    "SELECT * FROM few",
    "SELECT (SELECT group_concat(value) FROM numbers(1, p.a)) FROM pairs p",
    "SELECT value, row_number() OVER (ORDER BY value DESC) FROM numbers(1, 3)",
    "SELECT json_group_array(value) FROM numbers(1, 3)",

    "CREATE VIRTUAL TABLE l USING lines(data='a;1/b;2/c', columns=2)",
    "SELECT rowid, * FROM l",
    "SELECT x.c0, y.c0 FROM l x, l y WHERE x.c1 < y.c1",
    "SELECT c0 FROM l WHERE c1 = 2",
    "CREATE VIRTUAL TABLE l2 USING lines(columns=1)",
    "CREATE VIRTUAL TABLE l2 USING lines(data='x', rows=1)",
    "CREATE VIRTUAL TABLE temp.l3 USING lines ( data='q;w;e' , columns=3 )",
    "SELECT * FROM l3",
    "SELECT sql FROM temp.sqlite_schema",
    "CREATE VIEW lv AS SELECT * FROM l",
    "SELECT * FROM lv",
    "SELECT * FROM lines",
    "DELETE FROM l",
    "UPDATE l SET c0 = 1",

    "CREATE TABLE tree(id INTEGER PRIMARY KEY, parent)",
    "INSERT INTO tree VALUES(1, NULL), (2, 1), (3, 1), (4, 2), (5, 4), (6, 9)",
    "CREATE VIRTUAL TABLE c USING closure(tree)",
    "SELECT id, depth FROM c WHERE root = 1",
    "SELECT id, depth FROM c WHERE root = 2 AND depth > 0",
    "SELECT * FROM c",
    "SELECT t.id, c.id FROM tree t JOIN c ON c.root = t.id WHERE c.depth = 1 ORDER BY 1, 2",
    "SELECT tablename FROM c WHERE root IN (5, 6)",
    "CREATE VIRTUAL TABLE c2 USING closure(nothing)",
    "SELECT * FROM c2 WHERE root = 1",
    "CREATE VIRTUAL TABLE c3 USING closure",
    "BEGIN",
    "DELETE FROM tree WHERE id IN (SELECT id FROM c WHERE root = 4)",
    "SELECT count(*) FROM tree",
    "ROLLBACK",
    "DROP TABLE c",
    "SELECT count(*) FROM tree",

    "SELECT value FROM array(array_of(4, 5, 6))",
    "SELECT value FROM array(array_of())",
    "SELECT value FROM array(12)",
    "SELECT typeof(array_of(1)), quote(array_of(1))",
    "SELECT value FROM array(array_of(2, 4)) WHERE value IN (SELECT a FROM pairs)",
    "SELECT a, value FROM pairs, array(array_of(a, a + 1)) WHERE a > 3",
    "SELECT x.value, y.value FROM array(array_of(1, 2)) x, array(x.pointer) y",
    0};

int main(void) {
  sqlite3 *db;
  sqlite3_stmt *statement;
  const char *const *sql;
  IntArray array = {3, {7, 8, 9}};
  sqlite3_open(":memory:", &db);
  printf("register %d\n", registerModules(db, 0, 0));
  for (sql = statements; *sql; sql++) run(db, *sql);

  printf("== a pointer as a parameter\n");
  sqlite3_prepare_v2(db, "SELECT value FROM array(?1) ORDER BY value DESC", -1, &statement, 0);
  while (sqlite3_step(statement) == SQLITE_ROW) printf("%d\n", sqlite3_column_int(statement, 0));
  sqlite3_reset(statement);
  sqlite3_bind_pointer(statement, 1, &array, "intarray", 0);
  while (sqlite3_step(statement) == SQLITE_ROW) printf("%d\n", sqlite3_column_int(statement, 0));
  sqlite3_reset(statement);
  sqlite3_bind_pointer(statement, 1, &array, "other", 0);
  while (sqlite3_step(statement) == SQLITE_ROW) printf("%d\n", sqlite3_column_int(statement, 0));
  sqlite3_finalize(statement);
  printf("close %d\n", sqlite3_close(db));
  return 0;
}
