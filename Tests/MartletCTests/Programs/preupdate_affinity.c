/* A foreign key to its own table, whose column has another affinity than the key: hooks and sessions
 * are told of the row as it is stored. */
#include <sqlite3.h>
#include <stdio.h>

static const char *text(sqlite3_value *value) {
  static char buffers[4][40];
  static int next;
  char *buffer = buffers[next++ & 3];
  if (!value) return "-";
  switch (sqlite3_value_type(value)) {
  case SQLITE_TEXT: snprintf(buffer, 40, "'%s'", sqlite3_value_text(value)); break;
  case SQLITE_NULL: snprintf(buffer, 40, "NULL"); break;
  default: snprintf(buffer, 40, "%s", sqlite3_value_text(value));
  }
  return buffer;
}

static void change(void *data, sqlite3 *db, int operation, const char *schema, const char *table,
                   sqlite3_int64 old, sqlite3_int64 new) {
  printf("%d:", operation);
  for (int i = 0; i < sqlite3_preupdate_count(db); i++) {
    sqlite3_value *before = 0, *after = 0;
    if (operation != SQLITE_INSERT) sqlite3_preupdate_old(db, i, &before);
    if (operation != SQLITE_DELETE) sqlite3_preupdate_new(db, i, &after);
    printf(" %s>%s", text(before), text(after));
  }
  printf("\n");
}

static void run(sqlite3 *db, const char *sql) {
  char *message = 0;
  printf("%s: %d", sql, sqlite3_exec(db, sql, 0, 0, &message));
  printf(" %s\n", message ? message : "");
  sqlite3_free(message);
}

int main(void) {
  const char *changes[] = {
    "BEGIN", "INSERT INTO t VALUES(30, 1, 7)", "INSERT INTO t VALUES(7, 1, NULL)",
    "UPDATE t SET a = 2 WHERE id = 30", "INSERT INTO t VALUES(41, 1, 30), (42, 1, 41)",
    "UPDATE t SET id = 43 WHERE id = 42", "DELETE FROM t WHERE id = '43'", "COMMIT"};
  for (int hooked = 0; hooked < 2; hooked++) {
    sqlite3 *db;
    sqlite3_session *session;
    int size;
    void *bytes;
    sqlite3_open(":memory:", &db);
    run(db, "PRAGMA foreign_keys = ON");
    run(db, "CREATE TABLE t(id TEXT PRIMARY KEY, a, b INT UNIQUE REFERENCES t(id)"
            " DEFERRABLE INITIALLY DEFERRED)");
    if (hooked) {
      sqlite3_preupdate_hook(db, change, 0);
    } else {
      sqlite3session_create(db, "main", &session);
      sqlite3session_attach(session, 0);
    }
    for (int i = 0; i < 8; i++) run(db, changes[i]);
    if (!hooked) {
      sqlite3session_changeset(session, &size, &bytes);
      for (int i = 0; i < size; i++) printf("%02x", ((unsigned char *)bytes)[i]);
      printf("\n");
      sqlite3_free(bytes);
      sqlite3session_delete(session);
    }
    sqlite3_close(db);
  }
  return 0;
}
