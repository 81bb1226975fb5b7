/* What pragmas and transactions say while another connection holds a lock: many need none. */
#include <stdio.h>
#include <string.h>

#include "sqlite3.h"

static sqlite3 *db, *other;

static int row(void *unused, int count, char **values, char **names) {
  int i;
  for (i = 0; i < count; i++) printf("%s%s", i ? "|" : "  ", values[i] ? values[i] : "NULL");
  printf("\n");
  return 0;
}

static void run(const char *sql) {
  int code = sqlite3_exec(db, sql, row, 0, 0);
  printf("%s: %d %s\n", sql, code, code ? sqlite3_errmsg(db) : "");
}

static const char *pragmas[] = {
  "analysis_limit", "analysis_limit = 5", "application_id", "application_id = 3", "auto_vacuum",
  "auto_vacuum = 1", "auto_vacuum = 0", "automatic_index", "automatic_index = 0", "busy_timeout",
  "cache_size", "cache_size = 50", "cache_spill", "cache_spill = 0", "case_sensitive_like = 1",
  "cell_size_check", "cell_size_check = 1", "checkpoint_fullfsync", "collation_list",
  "data_version", "default_cache_size", "default_cache_size = 40",
  "defer_foreign_keys", "defer_foreign_keys = 1", "empty_result_callbacks", "encoding",
  "encoding = 'UTF-16'", "foreign_key_check", "foreign_key_check(t)", 
  "foreign_keys", "foreign_keys = 1", "freelist_count", "fullfsync", "fullfsync = 1",
  "ignore_check_constraints", "incremental_vacuum", "incremental_vacuum(1)", "index_info(i)",
  "index_list(t)", "index_xinfo(i)", "integrity_check", "integrity_check(t)", "journal_mode",
  "journal_mode = delete", "journal_mode = truncate", "journal_mode = memory",
  "journal_mode = off", "journal_mode = persist", "journal_mode = nosuch",
  "main.journal_mode = delete", "journal_size_limit", "journal_size_limit = 4",
  "legacy_alter_table", "locking_mode", "locking_mode = normal", "max_page_count",
  "max_page_count = 5000", "mmap_size = 0", "optimize", "page_count", "page_size",
  "page_size = 512", "query_only", "query_only = 0", "quick_check", "read_uncommitted",
  "recursive_triggers", "reverse_unordered_selects", "schema_version", "schema_version = 9",
  "secure_delete", "secure_delete = 0", "shrink_memory", "synchronous",
  "synchronous = 1", "table_info(t)", "table_info(nosuch)", "table_list", "table_list(t)",
  "table_xinfo(t)", "temp_store", "temp_store = 2", "threads", "trusted_schema", "user_version",
  "user_version = 7", "wal_autocheckpoint", "wal_checkpoint", "writable_schema", "nosuch",
  "locking_mode = exclusive",
};

/* `reads` says whether the connection knows the schema before the other takes its lock. */
static void ask(const char *lock, int reads, const char *inside) {
  size_t i;
  printf("-- %s, %d, %s\n", lock, reads, inside);
  for (i = 0; i < sizeof pragmas / sizeof *pragmas; i++) {
    char sql[100];
    sqlite3_open("locks.db", &db);
    if (reads) sqlite3_exec(db, "SELECT * FROM t", 0, 0, 0);
    sqlite3_exec(db, inside, 0, 0, 0);
    sqlite3_exec(other, lock, 0, 0, 0);
    snprintf(sql, sizeof sql, "PRAGMA %s", pragmas[i]);
    run(sql);
    sqlite3_exec(other, "ROLLBACK", 0, 0, 0);
    sqlite3_close(db);
  }
}

static void transactions(void) {
  static const char *locks[] = {
    "SELECT 1", "BEGIN IMMEDIATE", "BEGIN EXCLUSIVE", "BEGIN; SELECT * FROM t",
  };
  static const char *first[] = {
    "BEGIN", "SAVEPOINT s", "BEGIN; SELECT * FROM t", "SELECT 1", "BEGIN IMMEDIATE",
  };
  static const char *second[] = {
    "BEGIN", "BEGIN IMMEDIATE", "BEGIN EXCLUSIVE", "SAVEPOINT s", "COMMIT", "ROLLBACK", "END",
    "RELEASE s", "ROLLBACK TO s", "VACUUM", "ATTACH 'locks.db' AS again", "DETACH main",
    "SELECT * FROM t", "INSERT INTO t VALUES(1)", "CREATE TABLE u(a)", "CREATE TABLE t(a)",
    "DROP TABLE nosuch", "SELECT * FROM nosuch", "PRAGMA journal_mode = memory",
    "PRAGMA synchronous = 2", "PRAGMA user_version = 4", "PRAGMA locking_mode = exclusive",
  };
  size_t i, j, k;
  for (i = 0; i < sizeof locks / sizeof *locks; i++)
    for (j = 0; j < sizeof first / sizeof *first; j++)
      for (k = 0; k < sizeof second / sizeof *second; k++) {
        /* Nothing has changed: Martlet does not need the lock for that. */
        if (i == 3 && j == 4 && (k == 4 || k == 6)) continue;
        printf("-- %s, %s\n", locks[i], first[j]);
        sqlite3_open("locks.db", &db);
        sqlite3_exec(db, first[j], 0, 0, 0);
        sqlite3_exec(other, locks[i], 0, 0, 0);
        run(second[k]);
        printf("  %d %d\n", sqlite3_get_autocommit(db), sqlite3_txn_state(db, 0));
        sqlite3_exec(other, "ROLLBACK", 0, 0, 0);
        sqlite3_close(db);
        sqlite3_exec(other, "DELETE FROM t; DROP TABLE IF EXISTS u; PRAGMA user_version = 0",
                     0, 0, 0);
      }
}

int main(void) {
  sqlite3_open("locks.db", &other);
  sqlite3_exec(other, "CREATE TABLE t(a); CREATE INDEX i ON t(a)", 0, 0, 0);
  ask("BEGIN EXCLUSIVE", 0, "");
  ask("BEGIN EXCLUSIVE", 1, "");
  ask("BEGIN IMMEDIATE", 1, "");
  ask("SELECT 1", 1, "BEGIN");
  ask("SELECT 1", 1, "BEGIN; SELECT * FROM t");
  transactions();
  return sqlite3_close(other);
}
