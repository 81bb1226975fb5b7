/* sqlite_dbpage: the pages of a database, read and written. */
#include "vtab_log.h"

static const char *const statements[] = {
    "PRAGMA page_size=512",
    "CREATE TABLE t(a, b)",
    "INSERT INTO t VALUES(1, 'one'), (2, zeroblob(1200)), (3, 'three')",
    "SELECT pgno, length(data), schema FROM sqlite_dbpage",
    "SELECT rowid, hex(substr(data, 1, 18)) FROM sqlite_dbpage WHERE pgno = 1",
    "SELECT pgno FROM sqlite_dbpage('main') WHERE pgno IN (0, 2, 3, 99) ORDER BY pgno DESC",
    "SELECT pgno FROM sqlite_dbpage('nothing')",
    "SELECT pgno FROM sqlite_dbpage(NULL)",
    "SELECT count(*), sum(length(data)) FROM sqlite_dbpage WHERE schema = 'main' AND pgno > 1",
    "EXPLAIN QUERY PLAN SELECT data FROM sqlite_dbpage('main') WHERE pgno = 2 ORDER BY pgno",
    "ATTACH ':memory:' AS other",
    "CREATE TABLE other.o(x)",
    "SELECT name, pgno, length(data) FROM pragma_database_list AS d JOIN "
    "sqlite_dbpage(d.name) AS p",
    "CREATE TABLE kept AS SELECT pgno, data FROM sqlite_dbpage WHERE pgno = 2",
    "UPDATE t SET b = 'another' WHERE a = 3",
    "UPDATE sqlite_dbpage SET data = (SELECT data FROM kept) WHERE pgno = 2",
    "SELECT a, typeof(b), substr(b, 1, 5) FROM t",
    "BEGIN",
    "INSERT INTO sqlite_dbpage(pgno, data) VALUES(2, (SELECT data FROM sqlite_dbpage "
    "WHERE pgno = 3))",
    "ROLLBACK",
    "SELECT a, typeof(b), substr(b, 1, 5) FROM t",
    "REPLACE INTO sqlite_dbpage(pgno, data, schema) SELECT pgno, data, 'other' FROM "
    "sqlite_dbpage('other')",
    "SELECT * FROM other.o",
    "DELETE FROM sqlite_dbpage",
    "UPDATE sqlite_dbpage SET data = zeroblob(100) WHERE pgno = 2",
    "UPDATE sqlite_dbpage SET data = NULL WHERE pgno = 2",
    "INSERT INTO sqlite_dbpage(pgno, data) VALUES(0, zeroblob(512))",
    "INSERT INTO sqlite_dbpage(pgno, data) VALUES(1, NULL)",
    "INSERT INTO sqlite_dbpage(pgno, data, schema) VALUES(1, zeroblob(512), 'nothing')",
    "CREATE VIEW v AS SELECT pgno FROM sqlite_dbpage",
    "SELECT * FROM v",
    "PRAGMA integrity_check",
    0};

int main(void) {
  sqlite3 *db;
  sqlite3_open(":memory:", &db);
  runAll(db, statements);
  printf("close %d\n", sqlite3_close(db));
  return 0;
}
