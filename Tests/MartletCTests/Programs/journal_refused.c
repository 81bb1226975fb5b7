/* A change of the journal mode that is refused leaves the journal as it was: a transaction that
 * reaches the file before it ends is taken back. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

static int printRow(void *mode, int count, char **values, char **names) {
  (void)names;
  for (int i = 0; i < count; i++) printf("%s%s", i ? "|" : "", values[i] ? values[i] : "NULL");
  printf("\n");
  return 0;
}

static void run(sqlite3 *db, const char *sql) {
  char *message = 0;
  int code = sqlite3_exec(db, sql, printRow, 0, &message);
  if (code) printf("%d: %s\n", sqlite3_extended_errcode(db), message);
  sqlite3_free(message);
}

/* Switches between the two modes beside a reader or a writer. */
static void refuse(const char *from, const char *to, const char *other) {
  sqlite3 *db, *second;
  sqlite3_stmt *reader;
  char text[200];
  remove("journal_refused.db");
  remove("journal_refused.db-wal");
  remove("journal_refused.db-journal");
  sqlite3_open("journal_refused.db", &db);
  sqlite3_open("journal_refused.db", &second);
  printf("-- %s to %s beside %s\n", from, to, other);
  run(db, "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b)");
  run(db, "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT 2000)"
          "INSERT INTO t SELECT i, i, zeroblob(300) FROM c");
  snprintf(text, sizeof text, "PRAGMA journal_mode = %s", from);
  run(db, text);
  sqlite3_prepare_v2(second, other, -1, &reader, 0);
  sqlite3_step(reader);
  snprintf(text, sizeof text, "PRAGMA journal_mode = %s", to);
  run(db, text);
  sqlite3_finalize(reader);
  if (!sqlite3_get_autocommit(second)) run(second, "ROLLBACK");
  run(db, "PRAGMA journal_mode");
  run(db, "PRAGMA cache_size = 10; BEGIN; UPDATE t SET a = a + 1, b = zeroblob(350);"
          "DELETE FROM t WHERE id % 3 = 0; ROLLBACK");
  run(db, "SELECT count(*), sum(a = id) FROM t; PRAGMA integrity_check");
  sqlite3_close(db);
  run(second, "SELECT count(*), sum(a = id) FROM t; PRAGMA integrity_check");
  sqlite3_close(second);
}

int main(void) {
  const char *modes[] = {"delete", "truncate", "persist", "memory", "off"};
  const char *others[] = {"SELECT * FROM t", "BEGIN IMMEDIATE"};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 2; j++) {
      refuse(modes[i], "wal", others[j]);
      refuse("wal", modes[i], others[j]);
      refuse(modes[i], modes[(i + 1) % 4], others[j]);
    }
  return 0;
}
