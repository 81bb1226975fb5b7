/* The table of functions that extensions are given: each is where SQLite has it. */
#define _GNU_SOURCE
#define SQLITE_CORE 1
#include <dlfcn.h>
#include <stdio.h>
#include "sqlite3ext.h"

/* Of two names that a library has both, the address must be one. */
#define CHECK(member, name) { \
    void *known = dlsym(RTLD_DEFAULT, #name); \
    if (known && api->member && (void *)api->member != known) printf("%s is another\n", #name); \
  }
#define SAME(member) CHECK(member, sqlite3_##member)

static int entry(sqlite3 *db, char **message, const sqlite3_api_routines *api) {
  char buffer[40], *text;
  CHECK(interruptx, sqlite3_interrupt)
  CHECK(xsnprintf, sqlite3_snprintf)
  CHECK(xthreadsafe, sqlite3_threadsafe)
  CHECK(xvsnprintf, sqlite3_vsnprintf)
  SAME(aggregate_context) SAME(aggregate_count) SAME(bind_blob) SAME(bind_double) SAME(bind_int)
  SAME(bind_int64) SAME(bind_null) SAME(bind_parameter_count) SAME(bind_parameter_index)
  SAME(bind_parameter_name) SAME(bind_text) SAME(bind_text16) SAME(bind_value) SAME(busy_handler)
  SAME(busy_timeout) SAME(changes) SAME(close) SAME(collation_needed) SAME(collation_needed16)
  SAME(column_blob) SAME(column_bytes) SAME(column_bytes16) SAME(column_count)
  SAME(column_database_name) SAME(column_database_name16) SAME(column_decltype)
  SAME(column_decltype16) SAME(column_double) SAME(column_int) SAME(column_int64)
  SAME(column_name) SAME(column_name16) SAME(column_origin_name) SAME(column_origin_name16)
  SAME(column_table_name) SAME(column_table_name16) SAME(column_text) SAME(column_text16)
  SAME(column_type) SAME(column_value) SAME(commit_hook) SAME(complete) SAME(complete16)
  SAME(create_collation) SAME(create_collation16) SAME(create_function) SAME(create_function16)
  SAME(create_module) SAME(data_count) SAME(db_handle) SAME(declare_vtab)
  SAME(enable_shared_cache) SAME(errcode) SAME(errmsg) SAME(errmsg16) SAME(exec) SAME(expired)
  SAME(finalize) SAME(free) SAME(free_table) SAME(get_autocommit) SAME(get_auxdata)
  SAME(get_table) SAME(global_recover) SAME(last_insert_rowid) SAME(libversion)
  SAME(libversion_number) SAME(malloc) SAME(mprintf) SAME(open) SAME(open16) SAME(prepare)
  SAME(prepare16) SAME(profile) SAME(progress_handler) SAME(realloc) SAME(reset) SAME(result_blob)
  SAME(result_double) SAME(result_error) SAME(result_error16) SAME(result_int) SAME(result_int64)
  SAME(result_null) SAME(result_text) SAME(result_text16) SAME(result_text16be)
  SAME(result_text16le) SAME(result_value) SAME(rollback_hook) SAME(set_authorizer)
  SAME(set_auxdata) SAME(step) SAME(table_column_metadata) SAME(thread_cleanup)
  SAME(total_changes) SAME(trace) SAME(transfer_bindings) SAME(update_hook) SAME(user_data)
  SAME(value_blob) SAME(value_bytes) SAME(value_bytes16) SAME(value_double) SAME(value_int)
  SAME(value_int64) SAME(value_numeric_type) SAME(value_text) SAME(value_text16)
  SAME(value_text16be) SAME(value_text16le) SAME(value_type) SAME(vmprintf)
  SAME(overload_function) SAME(prepare_v2) SAME(prepare16_v2) SAME(clear_bindings)
  SAME(create_module_v2) SAME(bind_zeroblob) SAME(blob_bytes) SAME(blob_close) SAME(blob_open)
  SAME(blob_read) SAME(blob_write) SAME(create_collation_v2) SAME(file_control)
  SAME(memory_highwater) SAME(memory_used) SAME(mutex_alloc) SAME(mutex_enter) SAME(mutex_free)
  SAME(mutex_leave) SAME(mutex_try) SAME(open_v2) SAME(release_memory) SAME(result_error_nomem)
  SAME(result_error_toobig) SAME(sleep) SAME(soft_heap_limit) SAME(vfs_find) SAME(vfs_register)
  SAME(vfs_unregister) SAME(result_zeroblob) SAME(result_error_code) SAME(test_control)
  SAME(randomness) SAME(context_db_handle) SAME(extended_result_codes) SAME(limit) SAME(next_stmt)
  SAME(sql) SAME(status) SAME(backup_finish) SAME(backup_init) SAME(backup_pagecount)
  SAME(backup_remaining) SAME(backup_step) SAME(compileoption_get) SAME(compileoption_used)
  SAME(create_function_v2) SAME(db_config) SAME(db_mutex) SAME(db_status) SAME(extended_errcode)
  SAME(log) SAME(soft_heap_limit64) SAME(sourceid) SAME(stmt_status) SAME(strnicmp)
  SAME(unlock_notify) SAME(wal_autocheckpoint) SAME(wal_checkpoint) SAME(wal_hook)
  SAME(blob_reopen) SAME(vtab_config) SAME(vtab_on_conflict) SAME(close_v2) SAME(db_filename)
  SAME(db_readonly) SAME(db_release_memory) SAME(errstr) SAME(stmt_busy) SAME(stmt_readonly)
  SAME(stricmp) SAME(uri_boolean) SAME(uri_int64) SAME(uri_parameter) SAME(wal_checkpoint_v2)
  SAME(auto_extension) SAME(bind_blob64) SAME(bind_text64) SAME(cancel_auto_extension)
  SAME(load_extension) SAME(malloc64) SAME(msize) SAME(realloc64) SAME(reset_auto_extension)
  SAME(result_blob64) SAME(result_text64) SAME(strglob) SAME(value_dup) SAME(value_free)
  SAME(result_zeroblob64) SAME(bind_zeroblob64) SAME(value_subtype) SAME(result_subtype)
  SAME(status64) SAME(strlike) SAME(db_cacheflush) SAME(system_errno) SAME(trace_v2)
  SAME(expanded_sql) SAME(set_last_insert_rowid) SAME(prepare_v3) SAME(prepare16_v3)
  SAME(bind_pointer) SAME(result_pointer) SAME(value_pointer) SAME(vtab_nochange)
  SAME(value_nochange) SAME(vtab_collation) SAME(keyword_count) SAME(keyword_name)
  SAME(keyword_check) SAME(str_new) SAME(str_finish) SAME(str_appendf) SAME(str_vappendf)
  SAME(str_append) SAME(str_appendall) SAME(str_appendchar) SAME(str_reset) SAME(str_errcode)
  SAME(str_length) SAME(str_value) SAME(create_window_function) SAME(normalized_sql)
  SAME(stmt_isexplain) SAME(value_frombind) SAME(drop_modules) SAME(hard_heap_limit64)
  SAME(uri_key) SAME(filename_database) SAME(filename_journal) SAME(filename_wal)
  SAME(create_filename) SAME(free_filename) SAME(database_file_object) SAME(txn_state)
  SAME(changes64) SAME(total_changes64) SAME(autovacuum_pages) SAME(error_offset)
  SAME(vtab_rhs_value) SAME(vtab_distinct) SAME(vtab_in) SAME(vtab_in_first) SAME(vtab_in_next)
  SAME(deserialize) SAME(serialize) SAME(db_name) SAME(value_encoding) SAME(is_interrupted)
  SAME(stmt_explain) SAME(get_clientdata) SAME(set_clientdata) SAME(setlk_timeout)
  SAME(set_errmsg) SAME(db_status64) SAME(str_truncate) SAME(str_free)
  printf("%s\n", api->xsnprintf(sizeof buffer, buffer, "%s has %d", "it", api->xthreadsafe()));
  text = api->mprintf("%Q", "it's");
  printf("%s %d\n", text, api->exec(db, "CREATE TABLE made(a)", 0, 0, 0));
  api->free(text);
  *message = api->mprintf("refused");
  return SQLITE_ERROR;
}

int main(void) {
  sqlite3 *db;
  int code;
  printf("%d\n", sqlite3_auto_extension((void (*)(void))entry));
  code = sqlite3_open(":memory:", &db);
  printf("%d %s\n", code, sqlite3_errmsg(db));
  sqlite3_close(db);
  printf("%d", sqlite3_cancel_auto_extension((void (*)(void))entry));
  printf(" %d\n", sqlite3_cancel_auto_extension((void (*)(void))entry));
  return 0;
}
