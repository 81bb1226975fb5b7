/* For loadable extensions: the functions of the library by way of a table, so that an extension
** need not be linked with it (c3ref/load_extension, loadext). */
#ifndef SQLITE3EXT_H
#define SQLITE3EXT_H

#include "sqlite3.h"

/* The order is SQLite's, and part of its binary interface: new functions go to the end. */
struct sqlite3_api_routines {
  void *(*aggregate_context)(sqlite3_context *, int bytesCount);
  int (*aggregate_count)(sqlite3_context *);
  int (*bind_blob)(sqlite3_stmt *, int, const void *, int n, void (*)(void *));
  int (*bind_double)(sqlite3_stmt *, int, double);
  int (*bind_int)(sqlite3_stmt *, int, int);
  int (*bind_int64)(sqlite3_stmt *, int, sqlite3_int64);
  int (*bind_null)(sqlite3_stmt *, int);
  int (*bind_parameter_count)(sqlite3_stmt *);
  int (*bind_parameter_index)(sqlite3_stmt *, const char *name);
  const char *(*bind_parameter_name)(sqlite3_stmt *, int);
  int (*bind_text)(sqlite3_stmt *, int, const char *, int, void (*)(void *));
  int (*bind_text16)(sqlite3_stmt *, int, const void *, int, void (*)(void *));
  int (*bind_value)(sqlite3_stmt *, int, const sqlite3_value *);
  int (*busy_handler)(sqlite3 *, int (*)(void *, int), void *);
  int (*busy_timeout)(sqlite3 *, int ms);
  int (*changes)(sqlite3 *);
  int (*close)(sqlite3 *);
  int (*collation_needed)(sqlite3 *, void *, void (*)(void *, sqlite3 *, int textRep, const char
      *));
  int (*collation_needed16)(sqlite3 *, void *, void (*)(void *, sqlite3 *, int textRep, const void
      *));
  const void *(*column_blob)(sqlite3_stmt *, int col);
  int (*column_bytes)(sqlite3_stmt *, int col);
  int (*column_bytes16)(sqlite3_stmt *, int col);
  int (*column_count)(sqlite3_stmt *stmt);
  const char *(*column_database_name)(sqlite3_stmt *, int);
  const void *(*column_database_name16)(sqlite3_stmt *, int);
  const char *(*column_decltype)(sqlite3_stmt *, int);
  const void *(*column_decltype16)(sqlite3_stmt *, int);
  double (*column_double)(sqlite3_stmt *, int col);
  int (*column_int)(sqlite3_stmt *, int col);
  sqlite3_int64 (*column_int64)(sqlite3_stmt *, int col);
  const char *(*column_name)(sqlite3_stmt *, int count);
  const void *(*column_name16)(sqlite3_stmt *, int count);
  const char *(*column_origin_name)(sqlite3_stmt *, int);
  const void *(*column_origin_name16)(sqlite3_stmt *, int);
  const char *(*column_table_name)(sqlite3_stmt *, int);
  const void *(*column_table_name16)(sqlite3_stmt *, int);
  const unsigned char *(*column_text)(sqlite3_stmt *, int col);
  const void *(*column_text16)(sqlite3_stmt *, int col);
  int (*column_type)(sqlite3_stmt *, int col);
  sqlite3_value *(*column_value)(sqlite3_stmt *, int col);
  void *(*commit_hook)(sqlite3 *, int (*)(void *), void *);
  int (*complete)(const char *sql);
  int (*complete16)(const void *sql);
  int (*create_collation)(sqlite3 *, const char *name, int textRep, void *arg, int (*compare)(void
      *, int, const void *, int, const void *));
  int (*create_collation16)(sqlite3 *, const void *name, int textRep, void *arg, int (*compare)(void
      *, int, const void *, int, const void *));
  int (*create_function)(sqlite3 *db, const char *functionName, int argCount, int textRep, void
      *app, void (*func)(sqlite3_context *, int, sqlite3_value **), void (*step)(sqlite3_context *,
      int, sqlite3_value **), void (*final)(sqlite3_context *));
  int (*create_function16)(sqlite3 *db, const void *functionName, int argCount, int textRep, void
      *app, void (*func)(sqlite3_context *, int, sqlite3_value **), void (*step)(sqlite3_context *,
      int, sqlite3_value **), void (*final)(sqlite3_context *));
  int (*create_module)(sqlite3 *db, const char *name, const sqlite3_module *p, void *clientData);
  int (*data_count)(sqlite3_stmt *stmt);
  sqlite3 *(*db_handle)(sqlite3_stmt *);
  int (*declare_vtab)(sqlite3 *, const char *sql);
  int (*enable_shared_cache)(int);
  int (*errcode)(sqlite3 *db);
  const char *(*errmsg)(sqlite3 *);
  const void *(*errmsg16)(sqlite3 *);
  int (*exec)(sqlite3 *, const char *sql, int (*callback)(void *, int, char **, char **), void *,
      char **errmsg);
  int (*expired)(sqlite3_stmt *);
  int (*finalize)(sqlite3_stmt *stmt);
  void (*free)(void *);
  void (*free_table)(char **result);
  int (*get_autocommit)(sqlite3 *);
  void *(*get_auxdata)(sqlite3_context *, int count);
  int (*get_table)(sqlite3 *db, const char *sql, char ***pazResult, int *pnRow, int *pnColumn, char
      **pzErrmsg);
  int (*global_recover)(void);
  void (*interruptx)(sqlite3 *);
  sqlite3_int64 (*last_insert_rowid)(sqlite3 *);
  const char *(*libversion)(void);
  int (*libversion_number)(void);
  void *(*malloc)(int);
  char *(*mprintf)(const char *, ...);
  int (*open)(const char *filename, sqlite3 **db);
  int (*open16)(const void *filename, sqlite3 **db);
  int (*prepare)(sqlite3 *db, const char *sql, int byteCount, sqlite3_stmt **stmt, const char
      **pzTail);
  int (*prepare16)(sqlite3 *db, const void *sql, int byteCount, sqlite3_stmt **stmt, const void
      **pzTail);
  void *(*profile)(sqlite3 *, void (*profile)(void *, const char *, sqlite3_uint64), void *);
  void (*progress_handler)(sqlite3 *, int, int (*)(void *), void *);
  void *(*realloc)(void *, int);
  int (*reset)(sqlite3_stmt *stmt);
  void (*result_blob)(sqlite3_context *, const void *, int, void (*)(void *));
  void (*result_double)(sqlite3_context *, double);
  void (*result_error)(sqlite3_context *, const char *, int);
  void (*result_error16)(sqlite3_context *, const void *, int);
  void (*result_int)(sqlite3_context *, int);
  void (*result_int64)(sqlite3_context *, sqlite3_int64);
  void (*result_null)(sqlite3_context *);
  void (*result_text)(sqlite3_context *, const char *, int, void (*)(void *));
  void (*result_text16)(sqlite3_context *, const void *, int, void (*)(void *));
  void (*result_text16be)(sqlite3_context *, const void *, int, void (*)(void *));
  void (*result_text16le)(sqlite3_context *, const void *, int, void (*)(void *));
  void (*result_value)(sqlite3_context *, sqlite3_value *);
  void *(*rollback_hook)(sqlite3 *, void (*)(void *), void *);
  int (*set_authorizer)(sqlite3 *, int (*auth)(void *, int, const char *, const char *, const char
      *, const char *), void *userData);
  void (*set_auxdata)(sqlite3_context *, int count, void *, void (*)(void *));
  char *(*xsnprintf)(int, char *, const char *, ...);
  int (*step)(sqlite3_stmt *);
  int (*table_column_metadata)(sqlite3 *db, const char *dbName, const char *tableName, const char
      *columnName, char const **pzDataType, char const **pzCollSeq, int *notNull, int *primaryKey,
      int *autoinc);
  void (*thread_cleanup)(void);
  int (*total_changes)(sqlite3 *);
  void *(*trace)(sqlite3 *, void (*trace)(void *, const char *), void *);
  int (*transfer_bindings)(sqlite3_stmt *, sqlite3_stmt *);
  void *(*update_hook)(sqlite3 *, void (*)(void *, int, char const *, char const *, sqlite3_int64),
      void *);
  void *(*user_data)(sqlite3_context *);
  const void *(*value_blob)(sqlite3_value *);
  int (*value_bytes)(sqlite3_value *);
  int (*value_bytes16)(sqlite3_value *);
  double (*value_double)(sqlite3_value *);
  int (*value_int)(sqlite3_value *);
  sqlite3_int64 (*value_int64)(sqlite3_value *);
  int (*value_numeric_type)(sqlite3_value *);
  const unsigned char *(*value_text)(sqlite3_value *);
  const void *(*value_text16)(sqlite3_value *);
  const void *(*value_text16be)(sqlite3_value *);
  const void *(*value_text16le)(sqlite3_value *);
  int (*value_type)(sqlite3_value *);
  char *(*vmprintf)(const char *, va_list);
  int (*overload_function)(sqlite3 *, const char *funcName, int argCount);
  int (*prepare_v2)(sqlite3 *db, const char *sql, int byteCount, sqlite3_stmt **stmt, const char
      **pzTail);
  int (*prepare16_v2)(sqlite3 *db, const void *sql, int byteCount, sqlite3_stmt **stmt, const void
      **pzTail);
  int (*clear_bindings)(sqlite3_stmt *);
  int (*create_module_v2)(sqlite3 *db, const char *name, const sqlite3_module *p, void *clientData,
      void (*destroy)(void *));
  int (*bind_zeroblob)(sqlite3_stmt *, int, int n);
  int (*blob_bytes)(sqlite3_blob *);
  int (*blob_close)(sqlite3_blob *);
  int (*blob_open)(sqlite3 *, const char *db, const char *table, const char *column, sqlite3_int64
      row, int flags, sqlite3_blob **blob);
  int (*blob_read)(sqlite3_blob *, void *Z, int count, int offset);
  int (*blob_write)(sqlite3_blob *, const void *z, int n, int offset);
  int (*create_collation_v2)(sqlite3 *, const char *name, int textRep, void *arg, int
      (*compare)(void *, int, const void *, int, const void *), void (*destroy)(void *));
  int (*file_control)(sqlite3 *, const char *dbName, int op, void *);
  sqlite3_int64 (*memory_highwater)(int resetFlag);
  sqlite3_int64 (*memory_used)(void);
  sqlite3_mutex *(*mutex_alloc)(int);
  void (*mutex_enter)(sqlite3_mutex *);
  void (*mutex_free)(sqlite3_mutex *);
  void (*mutex_leave)(sqlite3_mutex *);
  int (*mutex_try)(sqlite3_mutex *);
  int (*open_v2)(const char *filename, sqlite3 **db, int flags, const char *vfs);
  int (*release_memory)(int);
  void (*result_error_nomem)(sqlite3_context *);
  void (*result_error_toobig)(sqlite3_context *);
  int (*sleep)(int);
  void (*soft_heap_limit)(int count);
  sqlite3_vfs *(*vfs_find)(const char *vfsName);
  int (*vfs_register)(sqlite3_vfs *, int makeDflt);
  int (*vfs_unregister)(sqlite3_vfs *);
  int (*xthreadsafe)(void);
  void (*result_zeroblob)(sqlite3_context *, int n);
  void (*result_error_code)(sqlite3_context *, int);
  int (*test_control)(int op, ...);
  void (*randomness)(int count, void *object);
  sqlite3 *(*context_db_handle)(sqlite3_context *);
  int (*extended_result_codes)(sqlite3 *, int onoff);
  int (*limit)(sqlite3 *, int id, int newVal);
  sqlite3_stmt *(*next_stmt)(sqlite3 *db, sqlite3_stmt *stmt);
  const char *(*sql)(sqlite3_stmt *stmt);
  int (*status)(int op, int *current, int *highwater, int resetFlag);
  int (*backup_finish)(sqlite3_backup *p);
  sqlite3_backup *(*backup_init)(sqlite3 *dest, const char *destName, sqlite3 *source, const char
      *sourceName);
  int (*backup_pagecount)(sqlite3_backup *p);
  int (*backup_remaining)(sqlite3_backup *p);
  int (*backup_step)(sqlite3_backup *p, int pageCount);
  const char *(*compileoption_get)(int count);
  int (*compileoption_used)(const char *optName);
  int (*create_function_v2)(sqlite3 *db, const char *functionName, int argCount, int textRep, void
      *app, void (*func)(sqlite3_context *, int, sqlite3_value **), void (*step)(sqlite3_context *,
      int, sqlite3_value **), void (*final)(sqlite3_context *), void (*destroy)(void *));
  int (*db_config)(sqlite3 *, int op, ...);
  sqlite3_mutex *(*db_mutex)(sqlite3 *);
  int (*db_status)(sqlite3 *, int op, int *cur, int *hiwtr, int resetFlg);
  int (*extended_errcode)(sqlite3 *db);
  void (*log)(int errCode, const char *format, ...);
  sqlite3_int64 (*soft_heap_limit64)(sqlite3_int64 count);
  const char *(*sourceid)(void);
  int (*stmt_status)(sqlite3_stmt *, int op, int resetFlg);
  int (*strnicmp)(const char *, const char *, int);
  int (*unlock_notify)(sqlite3 *blocked, void (*notify)(void **arg, int argCount), void *notifyArg);
  int (*wal_autocheckpoint)(sqlite3 *db, int count);
  int (*wal_checkpoint)(sqlite3 *db, const char *db2);
  void *(*wal_hook)(sqlite3 *, int (*)(void *, sqlite3 *, const char *, int), void *);
  int (*blob_reopen)(sqlite3_blob *, sqlite3_int64);
  int (*vtab_config)(sqlite3 *, int op, ...);
  int (*vtab_on_conflict)(sqlite3 *);
  int (*close_v2)(sqlite3 *);
  sqlite3_filename (*db_filename)(sqlite3 *db, const char *dbName);
  int (*db_readonly)(sqlite3 *db, const char *dbName);
  int (*db_release_memory)(sqlite3 *);
  const char *(*errstr)(int);
  int (*stmt_busy)(sqlite3_stmt *);
  int (*stmt_readonly)(sqlite3_stmt *stmt);
  int (*stricmp)(const char *, const char *);
  int (*uri_boolean)(sqlite3_filename z, const char *param, int default_);
  sqlite3_int64 (*uri_int64)(sqlite3_filename, const char *, sqlite3_int64);
  const char *(*uri_parameter)(sqlite3_filename z, const char *param);
  char *(*xvsnprintf)(int, char *, const char *, va_list);
  int (*wal_checkpoint_v2)(sqlite3 *db, const char *db2, int mode, int *pnLog, int *pnCkpt);
  int (*auto_extension)(void (*entryPoint)(void));
  int (*bind_blob64)(sqlite3_stmt *, int, const void *, sqlite3_uint64, void (*)(void *));
  int (*bind_text64)(sqlite3_stmt *, int, const char *, sqlite3_uint64, void (*)(void *), unsigned
      char encoding);
  int (*cancel_auto_extension)(void (*entryPoint)(void));
  int (*load_extension)(sqlite3 *db, const char *file, const char *proc, char **pzErrMsg);
  void *(*malloc64)(sqlite3_uint64);
  sqlite3_uint64 (*msize)(void *);
  void *(*realloc64)(void *, sqlite3_uint64);
  void (*reset_auto_extension)(void);
  void (*result_blob64)(sqlite3_context *, const void *, sqlite3_uint64, void (*)(void *));
  void (*result_text64)(sqlite3_context *, const char *z, sqlite3_uint64 n, void (*)(void *),
      unsigned char encoding);
  int (*strglob)(const char *glob, const char *str);
  sqlite3_value *(*value_dup)(const sqlite3_value *);
  void (*value_free)(sqlite3_value *);
  int (*result_zeroblob64)(sqlite3_context *, sqlite3_uint64 n);
  int (*bind_zeroblob64)(sqlite3_stmt *, int, sqlite3_uint64);
  unsigned int (*value_subtype)(sqlite3_value *);
  void (*result_subtype)(sqlite3_context *, unsigned int);
  int (*status64)(int op, sqlite3_int64 *current, sqlite3_int64 *highwater, int resetFlag);
  int (*strlike)(const char *glob, const char *str, unsigned int cEsc);
  int (*db_cacheflush)(sqlite3 *);
  int (*system_errno)(sqlite3 *);
  int (*trace_v2)(sqlite3 *, unsigned uMask, int (*callback)(unsigned, void *, void *, void *), void
      *ctx);
  char *(*expanded_sql)(sqlite3_stmt *stmt);
  void (*set_last_insert_rowid)(sqlite3 *, sqlite3_int64);
  int (*prepare_v3)(sqlite3 *db, const char *sql, int byteCount, unsigned int prepFlags,
      sqlite3_stmt **stmt, const char **pzTail);
  int (*prepare16_v3)(sqlite3 *db, const void *sql, int byteCount, unsigned int prepFlags,
      sqlite3_stmt **stmt, const void **pzTail);
  int (*bind_pointer)(sqlite3_stmt *, int, void *, const char *, void (*)(void *));
  void (*result_pointer)(sqlite3_context *, void *, const char *, void (*)(void *));
  void *(*value_pointer)(sqlite3_value *, const char *);
  int (*vtab_nochange)(sqlite3_context *);
  int (*value_nochange)(sqlite3_value *);
  const char *(*vtab_collation)(sqlite3_index_info *, int);
  int (*keyword_count)(void);
  int (*keyword_name)(int, const char **, int *);
  int (*keyword_check)(const char *, int);
  sqlite3_str *(*str_new)(sqlite3 *);
  char *(*str_finish)(sqlite3_str *);
  void (*str_appendf)(sqlite3_str *, const char *format, ...);
  void (*str_vappendf)(sqlite3_str *, const char *format, va_list);
  void (*str_append)(sqlite3_str *, const char *in, int count);
  void (*str_appendall)(sqlite3_str *, const char *in);
  void (*str_appendchar)(sqlite3_str *, int count, char C);
  void (*str_reset)(sqlite3_str *);
  int (*str_errcode)(sqlite3_str *);
  int (*str_length)(sqlite3_str *);
  char *(*str_value)(sqlite3_str *);
  int (*create_window_function)(sqlite3 *db, const char *functionName, int argCount, int textRep,
      void *app, void (*step)(sqlite3_context *, int, sqlite3_value **), void
      (*final)(sqlite3_context *), void (*value)(sqlite3_context *), void (*inverse)(sqlite3_context
      *, int, sqlite3_value **), void (*destroy)(void *));
  const char *(*normalized_sql)(sqlite3_stmt *stmt);
  int (*stmt_isexplain)(sqlite3_stmt *stmt);
  int (*value_frombind)(sqlite3_value *);
  int (*drop_modules)(sqlite3 *db, const char **keep);
  sqlite3_int64 (*hard_heap_limit64)(sqlite3_int64 count);
  const char *(*uri_key)(sqlite3_filename z, int count);
  const char *(*filename_database)(sqlite3_filename);
  const char *(*filename_journal)(sqlite3_filename);
  const char *(*filename_wal)(sqlite3_filename);
  sqlite3_filename (*create_filename)(const char *database, const char *journal, const char *wal,
      int paramCount, const char **param);
  void (*free_filename)(sqlite3_filename);
  sqlite3_file *(*database_file_object)(const char *);
  int (*txn_state)(sqlite3 *, const char *schema);
  sqlite3_int64 (*changes64)(sqlite3 *);
  sqlite3_int64 (*total_changes64)(sqlite3 *);
  int (*autovacuum_pages)(sqlite3 *db, unsigned int (*)(void *, const char *, unsigned int, unsigned
      int, unsigned int), void *, void (*)(void *));
  int (*error_offset)(sqlite3 *db);
  int (*vtab_rhs_value)(sqlite3_index_info *, int, sqlite3_value **val);
  int (*vtab_distinct)(sqlite3_index_info *);
  int (*vtab_in)(sqlite3_index_info *, int cons, int handle);
  int (*vtab_in_first)(sqlite3_value *val, sqlite3_value **out);
  int (*vtab_in_next)(sqlite3_value *val, sqlite3_value **out);
  int (*deserialize)(sqlite3 *db, const char *schema, unsigned char *data, sqlite3_int64 szDb,
      sqlite3_int64 szBuf, unsigned mFlags);
  unsigned char *(*serialize)(sqlite3 *db, const char *schema, sqlite3_int64 *piSize, unsigned int
      mFlags);
  const char *(*db_name)(sqlite3 *db, int count);
  int (*value_encoding)(sqlite3_value *);
  int (*is_interrupted)(sqlite3 *);
  int (*stmt_explain)(sqlite3_stmt *stmt, int mode);
  void *(*get_clientdata)(sqlite3 *, const char *);
  int (*set_clientdata)(sqlite3 *, const char *, void *, void (*)(void *));
  int (*setlk_timeout)(sqlite3 *, int ms, int flags);
  int (*set_errmsg)(sqlite3 *db, int errcode, const char *errMsg);
  int (*db_status64)(sqlite3 *, int, sqlite3_int64 *, sqlite3_int64 *, int);
  void (*str_truncate)(sqlite3_str *, int count);
  void (*str_free)(sqlite3_str *);
  int (*carray_bind)(sqlite3_stmt *stmt, int i, void *aData, int dataCount, int mFlags, void
      (*del)(void *));
  int (*carray_bind_v2)(sqlite3_stmt *stmt, int i, void *aData, int dataCount, int mFlags, void
      (*del)(void *), void *del2);
};

/* The entry point of an extension. */
typedef int (*sqlite3_loadext_entry)(sqlite3 *db, char **errorMessage,
    const sqlite3_api_routines *routines);

/* In an extension, the names of the functions stand for the members of its table. */
#if !defined(SQLITE_CORE) && !defined(SQLITE_OMIT_LOAD_EXTENSION)
#define sqlite3_aggregate_context sqlite3_api->aggregate_context
#define sqlite3_aggregate_count sqlite3_api->aggregate_count
#define sqlite3_bind_blob sqlite3_api->bind_blob
#define sqlite3_bind_double sqlite3_api->bind_double
#define sqlite3_bind_int sqlite3_api->bind_int
#define sqlite3_bind_int64 sqlite3_api->bind_int64
#define sqlite3_bind_null sqlite3_api->bind_null
#define sqlite3_bind_parameter_count sqlite3_api->bind_parameter_count
#define sqlite3_bind_parameter_index sqlite3_api->bind_parameter_index
#define sqlite3_bind_parameter_name sqlite3_api->bind_parameter_name
#define sqlite3_bind_text sqlite3_api->bind_text
#define sqlite3_bind_text16 sqlite3_api->bind_text16
#define sqlite3_bind_value sqlite3_api->bind_value
#define sqlite3_busy_handler sqlite3_api->busy_handler
#define sqlite3_busy_timeout sqlite3_api->busy_timeout
#define sqlite3_changes sqlite3_api->changes
#define sqlite3_close sqlite3_api->close
#define sqlite3_collation_needed sqlite3_api->collation_needed
#define sqlite3_collation_needed16 sqlite3_api->collation_needed16
#define sqlite3_column_blob sqlite3_api->column_blob
#define sqlite3_column_bytes sqlite3_api->column_bytes
#define sqlite3_column_bytes16 sqlite3_api->column_bytes16
#define sqlite3_column_count sqlite3_api->column_count
#define sqlite3_column_database_name sqlite3_api->column_database_name
#define sqlite3_column_database_name16 sqlite3_api->column_database_name16
#define sqlite3_column_decltype sqlite3_api->column_decltype
#define sqlite3_column_decltype16 sqlite3_api->column_decltype16
#define sqlite3_column_double sqlite3_api->column_double
#define sqlite3_column_int sqlite3_api->column_int
#define sqlite3_column_int64 sqlite3_api->column_int64
#define sqlite3_column_name sqlite3_api->column_name
#define sqlite3_column_name16 sqlite3_api->column_name16
#define sqlite3_column_origin_name sqlite3_api->column_origin_name
#define sqlite3_column_origin_name16 sqlite3_api->column_origin_name16
#define sqlite3_column_table_name sqlite3_api->column_table_name
#define sqlite3_column_table_name16 sqlite3_api->column_table_name16
#define sqlite3_column_text sqlite3_api->column_text
#define sqlite3_column_text16 sqlite3_api->column_text16
#define sqlite3_column_type sqlite3_api->column_type
#define sqlite3_column_value sqlite3_api->column_value
#define sqlite3_commit_hook sqlite3_api->commit_hook
#define sqlite3_complete sqlite3_api->complete
#define sqlite3_complete16 sqlite3_api->complete16
#define sqlite3_create_collation sqlite3_api->create_collation
#define sqlite3_create_collation16 sqlite3_api->create_collation16
#define sqlite3_create_function sqlite3_api->create_function
#define sqlite3_create_function16 sqlite3_api->create_function16
#define sqlite3_create_module sqlite3_api->create_module
#define sqlite3_data_count sqlite3_api->data_count
#define sqlite3_db_handle sqlite3_api->db_handle
#define sqlite3_declare_vtab sqlite3_api->declare_vtab
#define sqlite3_enable_shared_cache sqlite3_api->enable_shared_cache
#define sqlite3_errcode sqlite3_api->errcode
#define sqlite3_errmsg sqlite3_api->errmsg
#define sqlite3_errmsg16 sqlite3_api->errmsg16
#define sqlite3_exec sqlite3_api->exec
#define sqlite3_expired sqlite3_api->expired
#define sqlite3_finalize sqlite3_api->finalize
#define sqlite3_free sqlite3_api->free
#define sqlite3_free_table sqlite3_api->free_table
#define sqlite3_get_autocommit sqlite3_api->get_autocommit
#define sqlite3_get_auxdata sqlite3_api->get_auxdata
#define sqlite3_get_table sqlite3_api->get_table
#define sqlite3_global_recover sqlite3_api->global_recover
#define sqlite3_interrupt sqlite3_api->interruptx
#define sqlite3_last_insert_rowid sqlite3_api->last_insert_rowid
#define sqlite3_libversion sqlite3_api->libversion
#define sqlite3_libversion_number sqlite3_api->libversion_number
#define sqlite3_malloc sqlite3_api->malloc
#define sqlite3_mprintf sqlite3_api->mprintf
#define sqlite3_open sqlite3_api->open
#define sqlite3_open16 sqlite3_api->open16
#define sqlite3_prepare sqlite3_api->prepare
#define sqlite3_prepare16 sqlite3_api->prepare16
#define sqlite3_profile sqlite3_api->profile
#define sqlite3_progress_handler sqlite3_api->progress_handler
#define sqlite3_realloc sqlite3_api->realloc
#define sqlite3_reset sqlite3_api->reset
#define sqlite3_result_blob sqlite3_api->result_blob
#define sqlite3_result_double sqlite3_api->result_double
#define sqlite3_result_error sqlite3_api->result_error
#define sqlite3_result_error16 sqlite3_api->result_error16
#define sqlite3_result_int sqlite3_api->result_int
#define sqlite3_result_int64 sqlite3_api->result_int64
#define sqlite3_result_null sqlite3_api->result_null
#define sqlite3_result_text sqlite3_api->result_text
#define sqlite3_result_text16 sqlite3_api->result_text16
#define sqlite3_result_text16be sqlite3_api->result_text16be
#define sqlite3_result_text16le sqlite3_api->result_text16le
#define sqlite3_result_value sqlite3_api->result_value
#define sqlite3_rollback_hook sqlite3_api->rollback_hook
#define sqlite3_set_authorizer sqlite3_api->set_authorizer
#define sqlite3_set_auxdata sqlite3_api->set_auxdata
#define sqlite3_snprintf sqlite3_api->xsnprintf
#define sqlite3_step sqlite3_api->step
#define sqlite3_table_column_metadata sqlite3_api->table_column_metadata
#define sqlite3_thread_cleanup sqlite3_api->thread_cleanup
#define sqlite3_total_changes sqlite3_api->total_changes
#define sqlite3_trace sqlite3_api->trace
#define sqlite3_transfer_bindings sqlite3_api->transfer_bindings
#define sqlite3_update_hook sqlite3_api->update_hook
#define sqlite3_user_data sqlite3_api->user_data
#define sqlite3_value_blob sqlite3_api->value_blob
#define sqlite3_value_bytes sqlite3_api->value_bytes
#define sqlite3_value_bytes16 sqlite3_api->value_bytes16
#define sqlite3_value_double sqlite3_api->value_double
#define sqlite3_value_int sqlite3_api->value_int
#define sqlite3_value_int64 sqlite3_api->value_int64
#define sqlite3_value_numeric_type sqlite3_api->value_numeric_type
#define sqlite3_value_text sqlite3_api->value_text
#define sqlite3_value_text16 sqlite3_api->value_text16
#define sqlite3_value_text16be sqlite3_api->value_text16be
#define sqlite3_value_text16le sqlite3_api->value_text16le
#define sqlite3_value_type sqlite3_api->value_type
#define sqlite3_vmprintf sqlite3_api->vmprintf
#define sqlite3_overload_function sqlite3_api->overload_function
#define sqlite3_prepare_v2 sqlite3_api->prepare_v2
#define sqlite3_prepare16_v2 sqlite3_api->prepare16_v2
#define sqlite3_clear_bindings sqlite3_api->clear_bindings
#define sqlite3_create_module_v2 sqlite3_api->create_module_v2
#define sqlite3_bind_zeroblob sqlite3_api->bind_zeroblob
#define sqlite3_blob_bytes sqlite3_api->blob_bytes
#define sqlite3_blob_close sqlite3_api->blob_close
#define sqlite3_blob_open sqlite3_api->blob_open
#define sqlite3_blob_read sqlite3_api->blob_read
#define sqlite3_blob_write sqlite3_api->blob_write
#define sqlite3_create_collation_v2 sqlite3_api->create_collation_v2
#define sqlite3_file_control sqlite3_api->file_control
#define sqlite3_memory_highwater sqlite3_api->memory_highwater
#define sqlite3_memory_used sqlite3_api->memory_used
#define sqlite3_mutex_alloc sqlite3_api->mutex_alloc
#define sqlite3_mutex_enter sqlite3_api->mutex_enter
#define sqlite3_mutex_free sqlite3_api->mutex_free
#define sqlite3_mutex_leave sqlite3_api->mutex_leave
#define sqlite3_mutex_try sqlite3_api->mutex_try
#define sqlite3_open_v2 sqlite3_api->open_v2
#define sqlite3_release_memory sqlite3_api->release_memory
#define sqlite3_result_error_nomem sqlite3_api->result_error_nomem
#define sqlite3_result_error_toobig sqlite3_api->result_error_toobig
#define sqlite3_sleep sqlite3_api->sleep
#define sqlite3_soft_heap_limit sqlite3_api->soft_heap_limit
#define sqlite3_vfs_find sqlite3_api->vfs_find
#define sqlite3_vfs_register sqlite3_api->vfs_register
#define sqlite3_vfs_unregister sqlite3_api->vfs_unregister
#define sqlite3_threadsafe sqlite3_api->xthreadsafe
#define sqlite3_result_zeroblob sqlite3_api->result_zeroblob
#define sqlite3_result_error_code sqlite3_api->result_error_code
#define sqlite3_test_control sqlite3_api->test_control
#define sqlite3_randomness sqlite3_api->randomness
#define sqlite3_context_db_handle sqlite3_api->context_db_handle
#define sqlite3_extended_result_codes sqlite3_api->extended_result_codes
#define sqlite3_limit sqlite3_api->limit
#define sqlite3_next_stmt sqlite3_api->next_stmt
#define sqlite3_sql sqlite3_api->sql
#define sqlite3_status sqlite3_api->status
#define sqlite3_backup_finish sqlite3_api->backup_finish
#define sqlite3_backup_init sqlite3_api->backup_init
#define sqlite3_backup_pagecount sqlite3_api->backup_pagecount
#define sqlite3_backup_remaining sqlite3_api->backup_remaining
#define sqlite3_backup_step sqlite3_api->backup_step
#define sqlite3_compileoption_get sqlite3_api->compileoption_get
#define sqlite3_compileoption_used sqlite3_api->compileoption_used
#define sqlite3_create_function_v2 sqlite3_api->create_function_v2
#define sqlite3_db_config sqlite3_api->db_config
#define sqlite3_db_mutex sqlite3_api->db_mutex
#define sqlite3_db_status sqlite3_api->db_status
#define sqlite3_extended_errcode sqlite3_api->extended_errcode
#define sqlite3_log sqlite3_api->log
#define sqlite3_soft_heap_limit64 sqlite3_api->soft_heap_limit64
#define sqlite3_sourceid sqlite3_api->sourceid
#define sqlite3_stmt_status sqlite3_api->stmt_status
#define sqlite3_strnicmp sqlite3_api->strnicmp
#define sqlite3_unlock_notify sqlite3_api->unlock_notify
#define sqlite3_wal_autocheckpoint sqlite3_api->wal_autocheckpoint
#define sqlite3_wal_checkpoint sqlite3_api->wal_checkpoint
#define sqlite3_wal_hook sqlite3_api->wal_hook
#define sqlite3_blob_reopen sqlite3_api->blob_reopen
#define sqlite3_vtab_config sqlite3_api->vtab_config
#define sqlite3_vtab_on_conflict sqlite3_api->vtab_on_conflict
#define sqlite3_close_v2 sqlite3_api->close_v2
#define sqlite3_db_filename sqlite3_api->db_filename
#define sqlite3_db_readonly sqlite3_api->db_readonly
#define sqlite3_db_release_memory sqlite3_api->db_release_memory
#define sqlite3_errstr sqlite3_api->errstr
#define sqlite3_stmt_busy sqlite3_api->stmt_busy
#define sqlite3_stmt_readonly sqlite3_api->stmt_readonly
#define sqlite3_stricmp sqlite3_api->stricmp
#define sqlite3_uri_boolean sqlite3_api->uri_boolean
#define sqlite3_uri_int64 sqlite3_api->uri_int64
#define sqlite3_uri_parameter sqlite3_api->uri_parameter
#define sqlite3_vsnprintf sqlite3_api->xvsnprintf
#define sqlite3_wal_checkpoint_v2 sqlite3_api->wal_checkpoint_v2
#define sqlite3_auto_extension sqlite3_api->auto_extension
#define sqlite3_bind_blob64 sqlite3_api->bind_blob64
#define sqlite3_bind_text64 sqlite3_api->bind_text64
#define sqlite3_cancel_auto_extension sqlite3_api->cancel_auto_extension
#define sqlite3_load_extension sqlite3_api->load_extension
#define sqlite3_malloc64 sqlite3_api->malloc64
#define sqlite3_msize sqlite3_api->msize
#define sqlite3_realloc64 sqlite3_api->realloc64
#define sqlite3_reset_auto_extension sqlite3_api->reset_auto_extension
#define sqlite3_result_blob64 sqlite3_api->result_blob64
#define sqlite3_result_text64 sqlite3_api->result_text64
#define sqlite3_strglob sqlite3_api->strglob
#define sqlite3_value_dup sqlite3_api->value_dup
#define sqlite3_value_free sqlite3_api->value_free
#define sqlite3_result_zeroblob64 sqlite3_api->result_zeroblob64
#define sqlite3_bind_zeroblob64 sqlite3_api->bind_zeroblob64
#define sqlite3_value_subtype sqlite3_api->value_subtype
#define sqlite3_result_subtype sqlite3_api->result_subtype
#define sqlite3_status64 sqlite3_api->status64
#define sqlite3_strlike sqlite3_api->strlike
#define sqlite3_db_cacheflush sqlite3_api->db_cacheflush
#define sqlite3_system_errno sqlite3_api->system_errno
#define sqlite3_trace_v2 sqlite3_api->trace_v2
#define sqlite3_expanded_sql sqlite3_api->expanded_sql
#define sqlite3_set_last_insert_rowid sqlite3_api->set_last_insert_rowid
#define sqlite3_prepare_v3 sqlite3_api->prepare_v3
#define sqlite3_prepare16_v3 sqlite3_api->prepare16_v3
#define sqlite3_bind_pointer sqlite3_api->bind_pointer
#define sqlite3_result_pointer sqlite3_api->result_pointer
#define sqlite3_value_pointer sqlite3_api->value_pointer
#define sqlite3_vtab_nochange sqlite3_api->vtab_nochange
#define sqlite3_value_nochange sqlite3_api->value_nochange
#define sqlite3_vtab_collation sqlite3_api->vtab_collation
#define sqlite3_keyword_count sqlite3_api->keyword_count
#define sqlite3_keyword_name sqlite3_api->keyword_name
#define sqlite3_keyword_check sqlite3_api->keyword_check
#define sqlite3_str_new sqlite3_api->str_new
#define sqlite3_str_finish sqlite3_api->str_finish
#define sqlite3_str_appendf sqlite3_api->str_appendf
#define sqlite3_str_vappendf sqlite3_api->str_vappendf
#define sqlite3_str_append sqlite3_api->str_append
#define sqlite3_str_appendall sqlite3_api->str_appendall
#define sqlite3_str_appendchar sqlite3_api->str_appendchar
#define sqlite3_str_reset sqlite3_api->str_reset
#define sqlite3_str_errcode sqlite3_api->str_errcode
#define sqlite3_str_length sqlite3_api->str_length
#define sqlite3_str_value sqlite3_api->str_value
#define sqlite3_create_window_function sqlite3_api->create_window_function
#define sqlite3_normalized_sql sqlite3_api->normalized_sql
#define sqlite3_stmt_isexplain sqlite3_api->stmt_isexplain
#define sqlite3_value_frombind sqlite3_api->value_frombind
#define sqlite3_drop_modules sqlite3_api->drop_modules
#define sqlite3_hard_heap_limit64 sqlite3_api->hard_heap_limit64
#define sqlite3_uri_key sqlite3_api->uri_key
#define sqlite3_filename_database sqlite3_api->filename_database
#define sqlite3_filename_journal sqlite3_api->filename_journal
#define sqlite3_filename_wal sqlite3_api->filename_wal
#define sqlite3_create_filename sqlite3_api->create_filename
#define sqlite3_free_filename sqlite3_api->free_filename
#define sqlite3_database_file_object sqlite3_api->database_file_object
#define sqlite3_txn_state sqlite3_api->txn_state
#define sqlite3_changes64 sqlite3_api->changes64
#define sqlite3_total_changes64 sqlite3_api->total_changes64
#define sqlite3_autovacuum_pages sqlite3_api->autovacuum_pages
#define sqlite3_error_offset sqlite3_api->error_offset
#define sqlite3_vtab_rhs_value sqlite3_api->vtab_rhs_value
#define sqlite3_vtab_distinct sqlite3_api->vtab_distinct
#define sqlite3_vtab_in sqlite3_api->vtab_in
#define sqlite3_vtab_in_first sqlite3_api->vtab_in_first
#define sqlite3_vtab_in_next sqlite3_api->vtab_in_next
#define sqlite3_deserialize sqlite3_api->deserialize
#define sqlite3_serialize sqlite3_api->serialize
#define sqlite3_db_name sqlite3_api->db_name
#define sqlite3_value_encoding sqlite3_api->value_encoding
#define sqlite3_is_interrupted sqlite3_api->is_interrupted
#define sqlite3_stmt_explain sqlite3_api->stmt_explain
#define sqlite3_get_clientdata sqlite3_api->get_clientdata
#define sqlite3_set_clientdata sqlite3_api->set_clientdata
#define sqlite3_setlk_timeout sqlite3_api->setlk_timeout
#define sqlite3_set_errmsg sqlite3_api->set_errmsg
#define sqlite3_db_status64 sqlite3_api->db_status64
#define sqlite3_str_truncate sqlite3_api->str_truncate
#define sqlite3_str_free sqlite3_api->str_free
#define sqlite3_carray_bind sqlite3_api->carray_bind
#define sqlite3_carray_bind_v2 sqlite3_api->carray_bind_v2

#define SQLITE_EXTENSION_INIT1 const sqlite3_api_routines *sqlite3_api = 0;
#define SQLITE_EXTENSION_INIT2(routines) sqlite3_api = routines;
#define SQLITE_EXTENSION_INIT3 extern const sqlite3_api_routines *sqlite3_api;
#else
#define SQLITE_EXTENSION_INIT1
#define SQLITE_EXTENSION_INIT2(routines) (void)routines;
#define SQLITE_EXTENSION_INIT3
#endif

#endif
