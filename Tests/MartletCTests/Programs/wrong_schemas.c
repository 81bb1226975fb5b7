/* Schemas that are wrong, and those that reach into other databases: what is refused, and that
   nothing of a table is lost that the schema does not know (PRAGMA writable_schema). */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "show.h"

static char path[600], other[600];

static sqlite3 *connect(const char *name) {
  sqlite3 *db = 0;
  sqlite3_open(name, &db);
  return db;
}

/* A file in which the definition of a table or index is wrong. */
static sqlite3 *damaged(const char *damage, int vacuum) {
  char sql[100];
  sqlite3 *db;
  unlink(path);
  db = connect(path);
  snprintf(sql, sizeof sql, "PRAGMA auto_vacuum=%d", vacuum);
  sqlite3_exec(db, sql, 0, 0, 0);
  sqlite3_exec(db,
               "CREATE TABLE gone(a); CREATE TABLE keep(y); INSERT INTO keep VALUES(7);"
               "CREATE TABLE t(x); INSERT INTO t VALUES(1),(2); CREATE INDEX i ON t(x);"
               "DROP TABLE gone; PRAGMA writable_schema=ON",
               0, 0, 0);
  sqlite3_exec(db, damage, 0, 0, 0);
  sqlite3_close(db);
  db = connect(path);
  sqlite3_exec(db, "PRAGMA writable_schema=ON", 0, 0, 0);
  return db;
}

/* What is there once the schema is mended. */
static void mend(sqlite3 *db) {
  show(db, "SELECT name || ':' || sql FROM sqlite_schema");
  sqlite3_exec(db,
               "UPDATE sqlite_schema SET sql='CREATE TABLE t(x)' WHERE name='t' AND type='table';"
               "UPDATE sqlite_schema SET sql='CREATE INDEX i ON t(x)' WHERE name='i' AND type='index'",
               0, 0, 0);
  sqlite3_close(db);
  db = connect(path);
  show(db, "SELECT x FROM t");
  show(db, "SELECT x FROM t INDEXED BY i WHERE x>0");
  show(db, "SELECT y FROM keep");
  show(db, "PRAGMA integrity_check");
  sqlite3_close(db);
}

static void changes(void) {
  const char *damages[] = {
      "UPDATE sqlite_schema SET sql='CREATE TABLE [t' WHERE name='t'",
      "UPDATE sqlite_schema SET sql='CREATE TABLE t(x, CHECK(' WHERE name='t'",
      "UPDATE sqlite_schema SET sql='CREATE INDEX i ON t(nosuch)' WHERE name='i'"};
  const char *statements[] = {
      "VACUUM", "CREATE TABLE t(z)", "CREATE TABLE IF NOT EXISTS t(z)", "CREATE VIEW t AS SELECT 1",
      "CREATE INDEX i ON keep(y)", "CREATE TABLE other(z)",
      "CREATE TRIGGER i AFTER INSERT ON keep BEGIN SELECT 1; END"};
  int vacuum;
  size_t damage, statement;
  for (vacuum = 0; vacuum < 2; vacuum++)
    for (damage = 0; damage < sizeof damages / sizeof *damages; damage++)
      for (statement = 0; statement < sizeof statements / sizeof *statements; statement++) {
        sqlite3 *db = damaged(damages[damage], vacuum);
        printf("%d %s\n", vacuum, damages[damage]);
        show(db, statements[statement]);
        mend(db);
      }
}

/* The same file as main and beside another one: what it says of `main` is its own, or refused. */
static void references(void) {
  const char *definitions[] = {
      "CREATE VIEW v AS SELECT * FROM main.link",
      "CREATE VIEW v AS SELECT * FROM t WHERE a IN (SELECT b FROM main.link)",
      "CREATE VIEW v AS WITH c AS (SELECT b FROM main.link) SELECT * FROM c",
      "CREATE VIEW v AS SELECT sum(a) OVER (ORDER BY (SELECT b FROM main.link)) FROM t",
      "CREATE VIEW v AS SELECT main.t.a FROM t",
      "CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO log SELECT b FROM main.link; END",
      "CREATE TRIGGER r AFTER INSERT ON t BEGIN UPDATE log SET x=b FROM main.link; END",
      "CREATE TRIGGER r AFTER INSERT ON t BEGIN UPDATE log SET x=(SELECT b FROM main.link); END",
      "CREATE TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM log WHERE x IN main.link; END",
      "CREATE TRIGGER r AFTER INSERT ON t WHEN EXISTS(SELECT 1 FROM main.link) BEGIN SELECT 1; END",
      "CREATE TRIGGER r AFTER INSERT ON main.t BEGIN INSERT INTO log VALUES(9); END"};
  size_t index;
  for (index = 0; index < sizeof definitions / sizeof *definitions; index++) {
    char attach[700];
    sqlite3 *db;
    unlink(path);
    unlink(other);
    db = connect(path);
    sqlite3_exec(db,
                 "CREATE TABLE t(a); INSERT INTO t VALUES(1); CREATE TABLE log(x);"
                 "INSERT INTO log VALUES(0); CREATE TABLE link(b); INSERT INTO link VALUES(1)",
                 0, 0, 0);
    show(db, definitions[index]);
    show(db, "INSERT INTO t VALUES(2)");
    show(db, "SELECT x FROM log");
    sqlite3_close(db);
    db = connect(other);
    sqlite3_exec(db, "CREATE TABLE link(b); INSERT INTO link VALUES(70)", 0, 0, 0);
    snprintf(attach, sizeof attach, "ATTACH '%s' AS beside", path);
    printf("  attached: %d\n", sqlite3_exec(db, attach, 0, 0, 0));
    printf("  %s\n", sqlite3_errmsg(db));
    show(db, "INSERT INTO beside.t VALUES(5)");
    show(db, "SELECT * FROM beside.v");
    show(db, "SELECT x FROM beside.log");
    sqlite3_close(db);
    db = connect(path);
    show(db, "SELECT x FROM log");
    sqlite3_close(db);
  }
}

int main(int argc, char **argv) {
  const char *folder = argc > 1 ? argv[1] : ".";
  snprintf(path, sizeof path, "%s/wrong.db", folder);
  snprintf(other, sizeof other, "%s/other.db", folder);
  changes();
  references();
  return 0;
}
