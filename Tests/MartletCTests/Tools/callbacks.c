/* Every kind of callback does, in the middle of its call, what SQLite's documents forbid or leave open:
** it closes or changes the connection, ends the statement that runs, runs others, takes itself away.
** Each pair is a process of its own; those that crash or wait for ever are printed. What is left has to
** answer, and the file has to be whole. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sqlite3.h"

static sqlite3 *db;
static sqlite3_stmt *running, *other;
static int action, depth, calls;

static int run(const char *sql) { return sqlite3_exec(db, sql, 0, 0, 0); }
static void installEverything(void);
static void takeEverythingAway(void);

/* Names of what a callback does. */
static const char *const actions[] = {
  "close", "close twice", "close for later", "finalize", "reset", "step", "interrupt", "read",
  "write the table", "write another table", "drop the table", "make a table", "roll back", "commit",
  "savepoint", "vacuum", "take away", "replace", "limits", "attach", "pragma", "analyze", "checkpoint",
  "release memory", "error", "bind", "prepare again", "backup", "deserialize", "blob", "reset database",
};
#define ACTIONS ((int)(sizeof actions / sizeof *actions))

/* Does it, and not again inside of what it does. */
static void act(void) {
  sqlite3_stmt *statement = 0;
  calls++;
  if (depth || calls > 30) return;
  depth = 1;
  switch (action) {
    case 0: sqlite3_close(db); break;
    case 1: sqlite3_close(db), sqlite3_close(db); break;
    case 2: sqlite3_close_v2(db); break;
    case 3: sqlite3_finalize(other), other = 0; break;
    case 4: sqlite3_reset(running); break;
    case 5: sqlite3_step(running); break;
    case 6: sqlite3_interrupt(db); break;
    case 7: run("SELECT * FROM t ORDER BY b; SELECT count(*) FROM u"); break;
    case 8: run("UPDATE t SET b = b || 'x'; DELETE FROM t WHERE a = 3; INSERT INTO t(b) VALUES('n')"); break;
    case 9: run("INSERT INTO u VALUES(1); DELETE FROM u WHERE rowid % 2"); break;
    case 10: run("DROP TABLE t"); break;
    case 11: run("CREATE TABLE IF NOT EXISTS made(x); DROP TABLE made; CREATE INDEX ib ON t(b)"); break;
    case 12: run("ROLLBACK"); break;
    case 13: run("COMMIT"); break;
    case 14: run("SAVEPOINT s; DELETE FROM t; ROLLBACK TO s; RELEASE s"); break;
    case 15: run("VACUUM"); break;
    case 16: takeEverythingAway(); break;
    case 17: takeEverythingAway(), installEverything(); break;
    case 18:
      sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 30), sqlite3_limit(db, SQLITE_LIMIT_COLUMN, 1);
      sqlite3_limit(db, SQLITE_LIMIT_VARIABLE_NUMBER, 0);
      break;
    case 19: run("ATTACH ':memory:' AS more; DETACH more; ATTACH ':memory:' AS m2"); break;
    case 20: run("PRAGMA cache_size = 1; PRAGMA journal_mode = MEMORY; PRAGMA page_size = 512"); break;
    case 21: run("ANALYZE; REINDEX"); break;
    case 22: sqlite3_wal_checkpoint_v2(db, 0, SQLITE_CHECKPOINT_TRUNCATE, 0, 0); break;
    case 23: sqlite3_db_release_memory(db), sqlite3_db_cacheflush(db); break;
    case 24: sqlite3_set_errmsg(db, SQLITE_IOERR, "made up"); break;
    case 25: sqlite3_bind_text(running, 1, "bound", -1, SQLITE_TRANSIENT), sqlite3_clear_bindings(running); break;
    case 26:
      sqlite3_prepare_v2(db, "SELECT * FROM t", -1, &statement, 0);
      sqlite3_step(statement), sqlite3_finalize(statement);
      break;
    case 27: {
      sqlite3 *copy;
      sqlite3_backup *backup;
      sqlite3_open(":memory:", &copy);
      backup = sqlite3_backup_init(copy, "main", db, "main");
      sqlite3_backup_step(backup, 1), sqlite3_backup_step(backup, -1), sqlite3_backup_finish(backup);
      backup = sqlite3_backup_init(db, "main", copy, "main");
      sqlite3_backup_step(backup, -1), sqlite3_backup_finish(backup);
      sqlite3_close(copy);
      break;
    }
    case 28: sqlite3_deserialize(db, "main", 0, 0, 0, 0); break;
    case 29: {
      sqlite3_blob *blob = 0;
      if (!sqlite3_blob_open(db, "main", "t", "b", 1, 1, &blob)) sqlite3_blob_write(blob, "z", 1, 0);
      sqlite3_blob_close(blob);
      break;
    }
    case 30:
      sqlite3_db_config(db, SQLITE_DBCONFIG_RESET_DATABASE, 1, 0);
      run("VACUUM");
      sqlite3_db_config(db, SQLITE_DBCONFIG_RESET_DATABASE, 0, 0);
      break;
  }
  depth = 0;
}

/* The callbacks. */
static const char *const kinds[] = {
  "function", "step", "final", "inverse", "value", "collation", "authorizer", "busy", "progress",
  "commit", "rollback", "update", "preupdate", "wal", "trace", "exec", "collation needed", "vacuum pages",
  "destructor", "auxiliary", "table",
};
#define KINDS ((int)(sizeof kinds / sizeof *kinds))
static int kind;

static void function(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  if (kind == 0) act();
  if (kind == 19) sqlite3_set_auxdata(context, 0, &kind, (void (*)(void *))act);
  sqlite3_result_value(context, values[0]);
}
static void step(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count, (void)values;
  if (kind == 1) act();
  sqlite3_aggregate_context(context, 16);
}
static void final(sqlite3_context *context) {
  if (kind == 2) act();
  sqlite3_result_int(context, sqlite3_aggregate_context(context, 0) != 0);
}
static void inverse(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)context, (void)count, (void)values;
  if (kind == 3) act();
}
static void value(sqlite3_context *context) {
  if (kind == 4) act();
  sqlite3_result_int(context, 1);
}
static int collate(void *data, int m, const void *a, int n, const void *b) {
  int order = memcmp(a, b, m < n ? m : n);
  (void)data;
  if (kind == 5) act();
  return order ? order : m - n;
}
static int authorize(void *data, int code, const char *a, const char *b, const char *c, const char *d) {
  (void)data, (void)code, (void)a, (void)b, (void)c, (void)d;
  if (kind == 6) act();
  return SQLITE_OK;
}
static int busy(void *data, int count) {
  (void)data;
  if (kind == 7) act();
  return count < 3;
}
static int progress(void *data) { (void)data; if (kind == 8) act(); return 0; }
static int commit(void *data) { (void)data; if (kind == 9) act(); return 0; }
static void rollBack(void *data) { (void)data; if (kind == 10) act(); }
static void update(void *data, int code, const char *a, const char *b, sqlite3_int64 rowid) {
  (void)data, (void)code, (void)a, (void)b, (void)rowid;
  if (kind == 11) act();
}
static void preupdate(void *data, sqlite3 *handle, int code, const char *a, const char *b,
                      sqlite3_int64 old, sqlite3_int64 new) {
  sqlite3_value *seen;
  (void)data, (void)code, (void)a, (void)b, (void)old, (void)new;
  if (kind == 12) act();
  sqlite3_preupdate_old(handle, 0, &seen), sqlite3_preupdate_new(handle, 1, &seen);
}
static int wal(void *data, sqlite3 *handle, const char *name, int pages) {
  (void)data, (void)handle, (void)name, (void)pages;
  if (kind == 13) act();
  return SQLITE_OK;
}
static int trace(unsigned event, void *data, void *p, void *x) {
  (void)event, (void)data, (void)p, (void)x;
  if (kind == 14) act();
  return 0;
}
static int row(void *data, int count, char **values, char **names) {
  (void)data, (void)count, (void)values, (void)names;
  if (kind == 15) act();
  return 0;
}
static void needed(void *data, sqlite3 *handle, int encoding, const char *name) {
  (void)data, (void)encoding;
  if (kind == 16) act();
  sqlite3_create_collation(handle, name, SQLITE_UTF8, 0, collate);
}
static unsigned pages(void *data, const char *name, unsigned all, unsigned free, unsigned size) {
  (void)data, (void)name, (void)all, (void)size;
  if (kind == 17) act();
  return free;
}
static void destroy(void *data) { (void)data; if (kind == 18) act(); }

/* A table of three rows, each of whose methods acts. */
static int connectTable(sqlite3 *handle, void *data, int count, const char *const *words,
                        sqlite3_vtab **table, char **message) {
  (void)data, (void)count, (void)words, (void)message;
  *table = calloc(1, sizeof **table);
  if (kind == 20) act();
  return sqlite3_declare_vtab(handle, "CREATE TABLE x(a, b)");
}
static int disconnect(sqlite3_vtab *table) { if (kind == 20) act(); free(table); return SQLITE_OK; }
static int best(sqlite3_vtab *t, sqlite3_index_info *i) { (void)t, (void)i; if (kind == 20) act(); return SQLITE_OK; }
typedef struct { sqlite3_vtab_cursor base; int place; } Cursor;
static int openCursor(sqlite3_vtab *t, sqlite3_vtab_cursor **c) {
  (void)t;
  *c = calloc(1, sizeof(Cursor));
  if (kind == 20) act();
  return SQLITE_OK;
}
static int closeCursor(sqlite3_vtab_cursor *c) { if (kind == 20) act(); free(c); return SQLITE_OK; }
static int filter(sqlite3_vtab_cursor *c, int n, const char *s, int m, sqlite3_value **v) {
  (void)n, (void)s, (void)m, (void)v;
  ((Cursor *)c)->place = 0;
  if (kind == 20) act();
  return SQLITE_OK;
}
static int next(sqlite3_vtab_cursor *c) { ((Cursor *)c)->place++; if (kind == 20) act(); return SQLITE_OK; }
static int atEnd(sqlite3_vtab_cursor *c) { return ((Cursor *)c)->place > 2; }
static int column(sqlite3_vtab_cursor *c, sqlite3_context *x, int n) {
  (void)n;
  if (kind == 20) act();
  sqlite3_result_int(x, ((Cursor *)c)->place);
  return SQLITE_OK;
}
static int rowid(sqlite3_vtab_cursor *c, sqlite3_int64 *r) { *r = ((Cursor *)c)->place; return SQLITE_OK; }
static int change(sqlite3_vtab *t, int n, sqlite3_value **v, sqlite3_int64 *r) {
  (void)t, (void)n, (void)v;
  if (kind == 20) act();
  *r = 1;
  return SQLITE_OK;
}
static int transaction(sqlite3_vtab *t) { (void)t; if (kind == 20) act(); return SQLITE_OK; }
static const sqlite3_module module = {
  .iVersion = 1, .xCreate = connectTable, .xConnect = connectTable, .xBestIndex = best,
  .xDisconnect = disconnect, .xDestroy = disconnect, .xOpen = openCursor, .xClose = closeCursor,
  .xFilter = filter, .xNext = next, .xEof = atEnd, .xColumn = column, .xRowid = rowid, .xUpdate = change,
  .xBegin = transaction, .xSync = transaction, .xCommit = transaction, .xRollback = transaction,
};

static void installEverything(void) {
  sqlite3_create_function_v2(db, "f", 1, SQLITE_UTF8, &kind, function, 0, 0, destroy);
  sqlite3_create_window_function(db, "agg", 1, SQLITE_UTF8, &kind, step, final, value, inverse, destroy);
  sqlite3_create_collation_v2(db, "c", SQLITE_UTF8, &kind, collate, destroy);
  sqlite3_create_module_v2(db, "v", &module, &kind, destroy);
  sqlite3_set_authorizer(db, kind == 6 ? authorize : 0, 0);
  sqlite3_busy_handler(db, busy, 0);
  sqlite3_progress_handler(db, kind == 8 ? 1 : 0, progress, 0);
  sqlite3_commit_hook(db, commit, 0);
  sqlite3_rollback_hook(db, rollBack, 0);
  sqlite3_update_hook(db, update, 0);
  sqlite3_preupdate_hook(db, preupdate, 0);
  sqlite3_wal_hook(db, wal, 0);
  sqlite3_trace_v2(db, kind == 14 ? 15 : 0, trace, 0);
  sqlite3_collation_needed(db, 0, needed);
  sqlite3_autovacuum_pages(db, pages, &kind, destroy);
}

static void takeEverythingAway(void) {
  sqlite3_create_function(db, "f", 1, SQLITE_UTF8, 0, 0, 0, 0);
  sqlite3_create_window_function(db, "agg", 1, SQLITE_UTF8, 0, 0, 0, 0, 0, 0);
  sqlite3_create_collation(db, "c", SQLITE_UTF8, 0, 0);
  sqlite3_create_module(db, "v", 0, 0);
  sqlite3_set_authorizer(db, 0, 0);
  sqlite3_busy_handler(db, 0, 0);
  sqlite3_progress_handler(db, 0, 0, 0);
  sqlite3_commit_hook(db, 0, 0), sqlite3_rollback_hook(db, 0, 0), sqlite3_update_hook(db, 0, 0);
  sqlite3_preupdate_hook(db, 0, 0), sqlite3_wal_hook(db, 0, 0), sqlite3_trace_v2(db, 0, 0, 0);
  sqlite3_collation_needed(db, 0, 0), sqlite3_autovacuum_pages(db, 0, 0, 0);
}

/* What makes all the callbacks be called. */
static void useEverything(void) {
  static const char *const statements[] = {
    "SELECT f(a), b FROM t WHERE f(b) > ?1 ORDER BY b COLLATE c, f(a)",
    "SELECT agg(b), f(max(a)) FROM t GROUP BY a % 3",
    "SELECT agg(a) OVER (ORDER BY a ROWS 2 PRECEDING) FROM t",
    "SELECT DISTINCT b COLLATE c, f('constant') FROM t ORDER BY 1",
    "INSERT INTO t(b) SELECT f(b) || 'new' FROM t",
    "UPDATE t SET b = f(b) || 'x' WHERE a % 2",
    "DELETE FROM t WHERE f(a) % 5 = 0",
    "SELECT v.a, t.b FROM v JOIN t ON v.a = f(t.a)",
    "INSERT INTO vt VALUES(1, 2)", "UPDATE vt SET a = 3", "SELECT b COLLATE needed FROM t ORDER BY 1",
    "REPLACE INTO t SELECT a, f(b) FROM t LIMIT 5", "DELETE FROM u", "VACUUM",
  };
  size_t i;
  for (i = 0; i < sizeof statements / sizeof *statements; i++) {
    int count = 0;
    running = 0;
    if (!sqlite3_prepare_v2(db, statements[i], -1, &running, 0) && running) {
      sqlite3_bind_text(running, 1, "", 0, SQLITE_STATIC);
      while (count++ < 200 && sqlite3_step(running) == SQLITE_ROW) {
        sqlite3_column_text(running, 0), sqlite3_column_blob(running, 1);
      }
    }
    sqlite3_finalize(running);
    running = 0;
  }
  sqlite3_exec(db, "SELECT a, b FROM t LIMIT 4", row, 0, 0);
  sqlite3_exec(db, "BEGIN; INSERT INTO t(b) VALUES('rolled'); ROLLBACK", 0, 0, 0);
  sqlite3_exec(db, "BEGIN; UPDATE t SET b = f(b); DELETE FROM vt; COMMIT", 0, 0, 0);
}

static void one(void) {
  sqlite3 *blocker = 0, *again;
  char text[100] = "";
  sqlite3_stmt *statement = 0;
  remove("callbacks.db"), remove("callbacks.db-wal"), remove("callbacks.db-shm"), remove("callbacks.db-journal");
  sqlite3_open("callbacks.db", &db);
  depth = 1;
  if (kind == 13) run("PRAGMA journal_mode = WAL");
  run("PRAGMA auto_vacuum = FULL");
  installEverything();
  run("CREATE TABLE t(a INTEGER PRIMARY KEY, b); CREATE TABLE u(x); CREATE VIRTUAL TABLE vt USING v;"
      "INSERT INTO t(b) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 20)"
      "SELECT printf('%.*c', i * 37 % 500, 'a') FROM n; INSERT INTO u SELECT b FROM t");
  sqlite3_prepare_v2(db, "SELECT * FROM t", -1, &other, 0);
  sqlite3_step(other);
  depth = 0;
  useEverything();
  if (kind == 7) {
    /* Nobody can have the file alone while it reads. */
    sqlite3_finalize(other), other = 0;
    sqlite3_open("callbacks.db", &blocker);
    sqlite3_exec(blocker, "BEGIN EXCLUSIVE", 0, 0, 0);
    useEverything();
    sqlite3_close(blocker);
  }
  if (kind == 18) takeEverythingAway();
  sqlite3_finalize(other);
  other = 0;
  sqlite3_close_v2(db);
  /* Whatever it was, it has left a database. */
  sqlite3_open("callbacks.db", &again);
  if (sqlite3_prepare_v2(again, "PRAGMA integrity_check", -1, &statement, 0) == SQLITE_OK)
    if (sqlite3_step(statement) == SQLITE_ROW)
      snprintf(text, sizeof text, "%s", (const char *)sqlite3_column_text(statement, 0));
  if (strcmp(text, "ok")) printf("%s, %s: %s\n", kinds[kind], actions[action], text);
  sqlite3_finalize(statement);
  sqlite3_close(again);
  if (!calls) printf("%s: never called\n", kinds[kind]);
  fflush(stdout);
}

int main(int count, char **words) {
  int firstKind = count > 2 ? atoi(words[1]) : 0, lastKind = count > 2 ? firstKind : KINDS - 1;
  int firstAction = count > 2 ? atoi(words[2]) : 0, lastAction = count > 2 ? firstAction : ACTIONS - 1;
  for (kind = firstKind; kind <= lastKind; kind++)
    for (action = firstAction; action <= lastAction; action++) {
      int status;
      pid_t child = fork();
      if (child == 0) {
        alarm(20);
        one();
        _exit(0);
      }
      waitpid(child, &status, 0);
      if (WIFSIGNALED(status))
        printf("%s, %s: signal %d (%d %d)\n", kinds[kind], actions[action], WTERMSIG(status), kind, action);
      fflush(stdout);
    }
  return 0;
}
