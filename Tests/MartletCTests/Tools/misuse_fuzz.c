/* Calls functions at random with null, finalized and closed handles, out-of-range numbers and null
   texts. It must come to its end. Only a library that promises more than C's documents can run it:
   arguments: seed, count. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sqlite3.h"

#define COUNT(a) (sizeof(a) / sizeof(a[0]))

static unsigned long long state = 1;
static unsigned random_below(unsigned n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (unsigned)((state >> 11) % n);
}

static sqlite3 *databases[4];
static sqlite3_stmt *statements[8];
static sqlite3_blob *blobs[3];
static sqlite3_backup *backups[3];

static sqlite3 *db(void) { return databases[random_below(COUNT(databases))]; }
static sqlite3_stmt *stmt(void) { return statements[random_below(COUNT(statements))]; }
static sqlite3_blob *blob(void) { return blobs[random_below(COUNT(blobs))]; }
static sqlite3_backup *backup(void) { return backups[random_below(COUNT(backups))]; }
static int number(void) {
  static const int numbers[] = {0, 1, 2, 3, 4, 5, 10, 100, -1, -2, 1000000, -2147483647 - 1, 2147483647};
  return numbers[random_below(COUNT(numbers))];
}
static const char *text(void) {
  static const char *texts[] = {
      0, "", "main", "temp", "t", "a", "b", "SELECT 1", "SELECT * FROM t WHERE a=?1 AND b=:x",
      "INSERT INTO t VALUES(?, ?)", "nonsense", "DELETE FROM t WHERE a > 50",
      "PRAGMA user_version", "BEGIN", "COMMIT", "SELECT a, b, a + 1.5, x'0102', NULL FROM t",
      "CREATE TABLE IF NOT EXISTS u(x)", ";;", "-- comment"};
  return texts[random_below(COUNT(texts))];
}
static int no_row(void *p, int n, char **values, char **names) {
  (void)p; (void)values; (void)names;
  return n > 3;
}
static sqlite3_stmt *null_statement;

static void open_database(int place) {
  sqlite3_open_v2(":memory:", &databases[place], SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, 0);
  sqlite3_exec(databases[place], "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);"
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<60)"
      "INSERT INTO t SELECT x, 'text ' || x FROM c", 0, 0, 0);
}

static void call(void) {
  char *message = 0;
  const char *tail = 0;
  sqlite3_int64 big = 0;
  int a = 0, b = 0;
  switch (random_below(96)) {
    case 0: sqlite3_errcode(db()); sqlite3_extended_errcode(db()); break;
    case 1: sqlite3_errmsg(db()); sqlite3_errmsg16(db()); break;
    case 2: sqlite3_error_offset(db()); sqlite3_system_errno(db()); break;
    case 3: sqlite3_changes(db()); sqlite3_total_changes64(db()); break;
    case 4: sqlite3_last_insert_rowid(db()); sqlite3_set_last_insert_rowid(db(), number()); break;
    case 5: sqlite3_get_autocommit(db()); sqlite3_txn_state(db(), text()); break;
    case 6: sqlite3_interrupt(db()); sqlite3_is_interrupted(db()); break;
    case 7: sqlite3_busy_timeout(db(), random_below(2)); break;
    case 8: sqlite3_limit(db(), number(), number() < 0 ? -1 : 100000); break;
    case 9: sqlite3_db_readonly(db(), text()); sqlite3_db_name(db(), number()); break;
    case 10: sqlite3_db_filename(db(), text()); sqlite3_db_mutex(db()); break;
    case 11: sqlite3_db_cacheflush(db()); sqlite3_db_release_memory(db()); break;
    case 12: sqlite3_table_column_metadata(db(), text(), text(), text(), 0, 0, &a, 0, 0); break;
    case 13: sqlite3_get_clientdata(db(), text()); sqlite3_set_clientdata(db(), text(), &a, 0); break;
    case 14: sqlite3_exec(db(), text(), no_row, 0, random_below(2) ? &message : 0); break;
    case 15: {
      char **table = 0;
      sqlite3_get_table(db(), text(), &table, &a, &b, &message);
      sqlite3_free_table(table);
      break;
    }
    case 16: sqlite3_complete(text() ? text() : ""); break;
    case 17: case 18: case 19: case 20: {
      unsigned place = 1 + random_below(COUNT(statements) - 1);
      /* What was there stays as a dead handle unless it is taken again. */
      sqlite3_stmt *old = statements[place], *made = 0;
      sqlite3_prepare_v3(db(), text(), number() < 0 ? -1 : 200, random_below(8), &made,
          random_below(2) ? &tail : 0);
      if (made) {
        sqlite3_finalize(old);
        statements[place] = made;
      }
      break;
    }
    case 21: sqlite3_prepare_v2(db(), text(), -1, 0, 0); break;
    case 22: sqlite3_finalize(stmt()); break;
    case 23: case 24: case 25: case 26: case 27: sqlite3_step(stmt()); break;
    case 28: case 29: sqlite3_reset(stmt()); break;
    case 30: sqlite3_data_count(stmt()); sqlite3_column_count(stmt()); break;
    case 31: sqlite3_column_type(stmt(), number()); break;
    case 32: sqlite3_column_int(stmt(), number()); sqlite3_column_int64(stmt(), number()); break;
    case 33: sqlite3_column_double(stmt(), number()); break;
    case 34: case 35: {
      sqlite3_stmt *s = stmt();
      const unsigned char *t = sqlite3_column_text(s, number());
      if (t) a = (int)strlen((const char *)t);
      break;
    }
    case 36: sqlite3_column_text16(stmt(), number()); sqlite3_column_bytes16(stmt(), number()); break;
    case 37: sqlite3_column_blob(stmt(), number()); sqlite3_column_bytes(stmt(), number()); break;
    case 38: {
      sqlite3_value *v = sqlite3_column_value(stmt(), number());
      sqlite3_value_type(v); sqlite3_value_text(v); sqlite3_value_bytes(v);
      sqlite3_value_free(sqlite3_value_dup(v));
      sqlite3_bind_value(stmt(), number(), v);
      break;
    }
    case 39: sqlite3_column_name(stmt(), number()); sqlite3_column_name16(stmt(), number()); break;
    case 40: sqlite3_column_decltype(stmt(), number()); sqlite3_column_origin_name(stmt(), number()); break;
    case 41: sqlite3_column_table_name16(stmt(), number()); sqlite3_column_database_name(stmt(), number()); break;
    case 42: sqlite3_bind_null(stmt(), number()); break;
    case 43: sqlite3_bind_int(stmt(), number(), number()); sqlite3_bind_int64(stmt(), number(), number()); break;
    case 44: sqlite3_bind_double(stmt(), number(), number()); break;
    case 45: sqlite3_bind_text(stmt(), number(), text(), -1, SQLITE_TRANSIENT); break;
    case 46: sqlite3_bind_text(stmt(), number(), random_below(2) ? 0 : sqlite3_mprintf("x"), -1, sqlite3_free); break;
    case 47: sqlite3_bind_blob(stmt(), number(), "abcd", random_below(5), SQLITE_STATIC); break;
    case 48: sqlite3_bind_blob(stmt(), number(), 0, number(), SQLITE_STATIC); break;
    case 49: sqlite3_bind_zeroblob(stmt(), number(), random_below(100)); break;
    case 50: sqlite3_bind_zeroblob64(stmt(), number(), (sqlite3_uint64)number()); break;
    case 51: sqlite3_bind_text64(stmt(), number(), "abcdef", 4, SQLITE_STATIC, (unsigned char)number()); break;
    case 52: sqlite3_bind_parameter_count(stmt()); sqlite3_bind_parameter_name(stmt(), number()); break;
    case 53: sqlite3_bind_parameter_index(stmt(), text()); sqlite3_clear_bindings(stmt()); break;
    case 54: sqlite3_sql(stmt()); sqlite3_free(sqlite3_expanded_sql(stmt())); break;
    case 55: sqlite3_stmt_readonly(stmt()); sqlite3_stmt_isexplain(stmt()); sqlite3_stmt_busy(stmt()); break;
    case 56: sqlite3_stmt_explain(stmt(), number()); break;
    case 57: sqlite3_stmt_status(stmt(), number(), random_below(2)); break;
    case 58: sqlite3_next_stmt(db(), 0); break;
    case 59: sqlite3_next_stmt(db(), null_statement); sqlite3_db_handle(stmt()); break;
    case 60: {
      sqlite3_blob *made = 0;
      if (sqlite3_blob_open(db(), text(), text(), "b", number(), random_below(2), &made) == SQLITE_OK) {
        sqlite3_blob_close(blobs[1]);
        blobs[1] = made;
      }
      break;
    }
    case 61: sqlite3_blob_bytes(blob()); sqlite3_blob_reopen(blob(), number()); break;
    case 62: { char buffer[8]; sqlite3_blob_read(blob(), buffer, number() & 7, number()); break; }
    case 63: sqlite3_blob_write(blob(), "abcdefgh", number() & 7, number()); break;
    case 64: sqlite3_blob_close(blob()); break;
    case 65: {
      sqlite3_backup *made = sqlite3_backup_init(db(), text(), db(), text());
      if (made) {
        sqlite3_backup_finish(backups[1]);
        backups[1] = made;
      }
      break;
    }
    case 66: sqlite3_backup_step(backup(), number() & 3); break;
    case 67: sqlite3_backup_remaining(backup()); sqlite3_backup_pagecount(backup()); break;
    case 68: sqlite3_backup_finish(backup()); break;
    case 69: sqlite3_free(sqlite3_serialize(db(), text(), &big, random_below(2))); break;
    case 70: sqlite3_deserialize(db(), text(), 0, number(), number(), 0); break;
    case 71: sqlite3_create_function_v2(db(), text(), number(), number(), 0, 0, 0, 0, 0); break;
    case 72: sqlite3_create_collation_v2(db(), text(), number(), 0, 0, 0); break;
    case 73: sqlite3_collation_needed(db(), 0, 0); sqlite3_set_authorizer(db(), 0, 0); break;
    case 74: sqlite3_update_hook(db(), 0, 0); sqlite3_commit_hook(db(), 0, 0); sqlite3_rollback_hook(db(), 0, 0); break;
    case 75: sqlite3_trace_v2(db(), 0, 0, 0); sqlite3_progress_handler(db(), number(), 0, 0); break;
    case 76: sqlite3_db_config(db(), SQLITE_DBCONFIG_ENABLE_FKEY, random_below(2), &a); break;
    case 77: sqlite3_db_status(db(), number(), &a, &b, random_below(2)); break;
    case 78: sqlite3_status64(number(), &big, &big, 0); break;
    case 79: sqlite3_file_control(db(), text(), SQLITE_FCNTL_DATA_VERSION, &a); break;
    case 80: sqlite3_create_module_v2(db(), text(), 0, 0, 0); sqlite3_drop_modules(db(), 0); break;
    case 81: sqlite3_declare_vtab(db(), text()); sqlite3_vtab_on_conflict(db()); break;
    case 82: sqlite3_load_extension(db(), text(), text(), &message); break;
    case 83: sqlite3_extended_result_codes(db(), random_below(2)); break;
    case 84: sqlite3_wal_checkpoint_v2(db(), text(), number() & 3, &a, &b); break;
    case 85: sqlite3_value_type(0); sqlite3_value_text(0); sqlite3_value_free(0); sqlite3_value_dup(0); break;
    case 86: sqlite3_result_null(0); sqlite3_user_data(0); sqlite3_context_db_handle(0); break;
    case 87: sqlite3_free(0); sqlite3_free_table(0); sqlite3_mutex_enter(0); sqlite3_mutex_leave(0); sqlite3_mutex_free(0); break;
    case 88: sqlite3_stricmp(text(), text()); sqlite3_strglob(text() ? text() : "", text()); break;
    case 89: sqlite3_vfs_find(text()); sqlite3_uri_parameter(0, text()); break;
    case 90: sqlite3_keyword_check(text() ? text() : "", 3); sqlite3_errstr(number()); break;
    case 91: sqlite3_finalize(0); sqlite3_reset(0); sqlite3_close(0); sqlite3_close_v2(0); break;
    case 92: sqlite3_set_errmsg(db(), number(), text()); break;
    case 93: sqlite3_overload_function(db(), text(), number()); break;
    case 94: sqlite3_str_free(0); sqlite3_free(sqlite3_str_finish(0)); sqlite3_str_length(0); break;
    default: {
      int place = 1 + (int)random_below(COUNT(databases) - 1);
      if (random_below(20)) break;
      for (size_t i = 1; i < COUNT(statements); i++)
        if (sqlite3_db_handle(statements[i]) == databases[place]) sqlite3_finalize(statements[i]);
      sqlite3_blob_close(blobs[1]);
      sqlite3_backup_finish(backups[1]);
      sqlite3_close(databases[place]);
      if (random_below(3)) open_database(place);
      break;
    }
  }
  sqlite3_free(message);
}

int main(int count, char **arguments) {
  int calls = count > 2 ? atoi(arguments[2]) : 100000;
  if (count > 1) state = (unsigned long long)atoll(arguments[1]) * 2654435761u + 1;
  open_database(1);
  open_database(2);
  /* Handles that are dead from the start. */
  sqlite3_prepare_v2(databases[1], "SELECT 1", -1, &statements[7], 0);
  sqlite3_finalize(statements[7]);
  sqlite3_open(":memory:", &databases[3]);
  sqlite3_close(databases[3]);
  for (int i = 0; i < calls; i++) call();
  puts("done");
  return 0;
}
