/* Eight threads on one connection, and on eight: every text that is read is one that was written. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sqlite3.h"

#define THREADS 8
#define ROWS 60
#define ROUNDS 40

static sqlite3 *shared;
static int wrong[THREADS], rowCount[THREADS], failed[THREADS];
static char firstError[THREADS][100];

/* A text is one letter, as often as the row and the letter say. */
static int length(int id, int letter) { return 1 + (id * 131 + letter * 977) % 3000; }

static char *text(int id, int letter) {
  int count = length(id, letter);
  char *result = malloc(count + 1);
  memset(result, letter, count);
  result[count] = 0;
  return result;
}

static int isText(int id, const char *seen, int count) {
  int i;
  if (!seen || count < 1 || seen[0] < 'a' || seen[0] > 'z' || count != length(id, seen[0])) return 0;
  for (i = 0; i < count; i++)
    if (seen[i] != seen[0]) return 0;
  return 1;
}

static void check(int thread, sqlite3 *db, int code) {
  if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE) return;
  if (!failed[thread]++)
    snprintf(firstError[thread], sizeof firstError[thread], "%d %.80s", code, sqlite3_errmsg(db));
}

/* Reads all rows. The statement is the thread's own, so that its texts stay until it is stepped,
** whatever others do on the connection. */
static void readAll(int thread, sqlite3 *db, sqlite3_stmt *statement) {
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    int id = sqlite3_column_int(statement, 0);
    const char *seen = (const char *)sqlite3_column_text(statement, 1);
    rowCount[thread]++;
    if (!isText(id, seen, sqlite3_column_bytes(statement, 1))) wrong[thread]++;
  }
  check(thread, db, code);
  sqlite3_reset(statement);
}

static void work(int thread, sqlite3 *db) {
  sqlite3_stmt *read = 0, *search = 0, *write = 0, *grow = 0;
  int i, round;
  check(thread, db, sqlite3_prepare_v2(db, "SELECT id, x FROM t", -1, &read, 0));
  check(thread, db, sqlite3_prepare_v2(db, "SELECT id, x FROM t WHERE id % 7 = ?1 ORDER BY x", -1, &search, 0));
  check(thread, db, sqlite3_prepare_v2(db, "UPDATE t SET x = ?2 WHERE id = ?1", -1, &write, 0));
  check(thread, db, sqlite3_prepare_v2(db, "REPLACE INTO t VALUES(?1, ?2)", -1, &grow, 0));
  for (round = 0; round < ROUNDS; round++) {
    readAll(thread, db, read);
    for (i = 0; i < 3; i++) {
      int id = 1 + (thread * 17 + round * 5 + i * 29) % ROWS;
      char *new = text(id, 'a' + (thread + round + i) % 26);
      sqlite3_stmt *statement = i == 1 ? grow : write;
      sqlite3_bind_int(statement, 1, id);
      sqlite3_bind_text(statement, 2, new, -1, SQLITE_TRANSIENT);
      memset(new, '?', strlen(new));
      free(new);
      check(thread, db, sqlite3_step(statement));
      sqlite3_reset(statement);
    }
    sqlite3_bind_int(search, 1, round % 7);
    readAll(thread, db, search);
    if (db == shared && round % 10 == thread)
      check(thread, db, sqlite3_exec(db, "PRAGMA cache_size = 5; SELECT count(*) FROM t", 0, 0, 0));
  }
  sqlite3_finalize(read);
  sqlite3_finalize(search);
  sqlite3_finalize(write);
  sqlite3_finalize(grow);
}

static void *onShared(void *argument) {
  work((int)(size_t)argument, shared);
  return 0;
}

static void *onOwn(void *argument) {
  sqlite3 *db;
  sqlite3_open("threads.db", &db);
  sqlite3_busy_timeout(db, 60000);
  work((int)(size_t)argument, db);
  sqlite3_close(db);
  return 0;
}

static int tell(void *data, int count, char **values, char **names) {
  (void)data, (void)count, (void)names;
  printf("%s\n", values[0]);
  return 0;
}

static void runAll(const char *name, void *(*body)(void *)) {
  pthread_t threads[THREADS];
  size_t i;
  for (i = 0; i < THREADS; i++) {
    wrong[i] = rowCount[i] = failed[i] = 0;
    pthread_create(&threads[i], 0, body, (void *)i);
  }
  for (i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
  for (i = 0; i < THREADS; i++)
    printf("%s, thread %d: %s, %d wrong, %d failed %s\n", name, (int)i,
           rowCount[i] >= ROUNDS * ROWS ? "all rows" : "rows are missing", wrong[i], failed[i],
           failed[i] ? firstError[i] : "");
  sqlite3_exec(shared, "PRAGMA integrity_check; SELECT count(*) FROM t", tell, 0, 0);
}

/* One statement for all of them: each row is had by one. */
static sqlite3_stmt *common;
static void *onCommon(void *argument) {
  int thread = (int)(size_t)argument, code;
  do {
    sqlite3_mutex_enter(sqlite3_db_mutex(shared));
    code = sqlite3_stmt_busy(common) || !rowCount[thread] ? sqlite3_step(common) : SQLITE_DONE;
    if (code == SQLITE_ROW) {
      rowCount[thread]++;
      if (!isText(sqlite3_column_int(common, 0), (const char *)sqlite3_column_text(common, 1),
                  sqlite3_column_bytes(common, 1))) wrong[thread]++;
    }
    sqlite3_mutex_leave(sqlite3_db_mutex(shared));
    /* Without the mutex whatever is read is some row's, or nothing. */
    sqlite3_column_int64(common, 0), sqlite3_column_type(common, 1), sqlite3_column_double(common, 1);
  } while (code == SQLITE_ROW && rowCount[thread] < 500);
  return 0;
}

/* What else is asked of the connection meanwhile, also when something has failed. */
static void *onRest(void *argument) {
  int thread = (int)(size_t)argument, round;
  for (round = 0; round < 8 * ROUNDS; round++) {
    int count = 0, columns = 0;
    char **table = 0, letters[4] = "";
    sqlite3_blob *blob = 0;
    switch ((thread + round) % 8) {
    case 0: sqlite3_exec(shared, "SELECT nonsense FROM t", 0, 0, 0); break;
    case 1: sqlite3_extended_result_codes(shared, round / 8 & 1); break;
    case 2:
      if (sqlite3_error_offset(shared) > 7 || sqlite3_errcode(shared) > SQLITE_DONE) wrong[thread]++;
      break;
    case 3: sqlite3_system_errno(shared); break;
    case 4:
      check(thread, shared, sqlite3_get_table(shared, "SELECT id FROM t", &table, &count, &columns, 0));
      if (count != ROWS || columns != 1) wrong[thread]++;
      sqlite3_free_table(table);
      break;
    case 5:
      sqlite3_wal_hook(shared, 0, &shared);
      sqlite3_wal_autocheckpoint(shared, 1000);
      break;
    case 6: check(thread, shared, sqlite3_autovacuum_pages(shared, 0, malloc(8), free)); break;
    default:
      check(thread, shared, sqlite3_blob_open(shared, "main", "t", "x", 1, 0, &blob));
      if (blob) {
        sqlite3_blob_reopen(blob, 1 + round % ROWS);
        sqlite3_blob_read(blob, letters, 1, 0);
        sqlite3_blob_close(blob);
        if (letters[0] < 'a' || letters[0] > 'z') wrong[thread]++;
      }
    }
  }
  return 0;
}

int main(void) {
  int id;
  pthread_t threads[THREADS];
  size_t i;
  printf("%d\n", sqlite3_threadsafe());
  sqlite3_open("threads.db", &shared);
  sqlite3_busy_timeout(shared, 60000);
  sqlite3_exec(shared, "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; CREATE TABLE t(id INTEGER PRIMARY KEY, x)",
               tell, 0, 0);
  for (id = 1; id <= ROWS; id++) {
    char *new = text(id, 'a');
    char *sql = sqlite3_mprintf("INSERT INTO t VALUES(%d, %Q)", id, new);
    sqlite3_exec(shared, sql, 0, 0, 0);
    sqlite3_free(sql);
    free(new);
  }
  runAll("one connection", onShared);
  runAll("eight connections", onOwn);
  sqlite3_prepare_v2(shared, "SELECT a.id, a.x FROM t AS a, t AS b", -1, &common, 0);
  for (i = 0; i < THREADS; i++) {
    rowCount[i] = wrong[i] = 0;
    pthread_create(&threads[i], 0, onCommon, (void *)i);
  }
  for (i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
  for (i = 0; i < THREADS; i++) printf("one statement, thread %d: %d wrong\n", (int)i, wrong[i]);
  sqlite3_finalize(common);
  for (i = 0; i < THREADS; i++) {
    wrong[i] = failed[i] = 0;
    pthread_create(&threads[i], 0, onRest, (void *)i);
  }
  for (i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
  for (i = 0; i < THREADS; i++)
    printf("the rest, thread %d: %d wrong, %d failed %s\n", (int)i, wrong[i], failed[i],
           failed[i] ? firstError[i] : "");
  printf("%d\n", sqlite3_close(shared));
  return 0;
}
