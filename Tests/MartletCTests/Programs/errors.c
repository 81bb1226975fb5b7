/* The error of a connection: which calls note one, which clear it, which leave it as it is. Each
   call is made behind each of several earlier errors. */
#include <stdio.h>
#include <string.h>

#include "sqlite3.h"

static sqlite3 *db;
/* A statement with a parameter that is ready, one with a row, one that is done, one that failed;
   one of the old interface. */
static sqlite3_stmt *ready, *atRow, *done, *failed, *legacy;
static sqlite3_blob *blob;

static void show(const char *name, int code) {
  printf("  %s: %d | %d %d %d %s\n", name, code, sqlite3_errcode(db), sqlite3_extended_errcode(db),
         sqlite3_error_offset(db), sqlite3_errmsg(db));
}

static sqlite3_stmt *prepare(const char *sql) {
  sqlite3_stmt *statement = 0;
  sqlite3_prepare_v2(db, sql, -1, &statement, 0);
  return statement;
}

static void begin(void) {
  sqlite3_open(":memory:", &db);
  sqlite3_exec(db,
               "CREATE TABLE t(a UNIQUE, b); INSERT INTO t VALUES(1, 2), (2, 3);"
               "CREATE TABLE w(x BLOB); INSERT INTO w VALUES(x'0102030405');",
               0, 0, 0);
  ready = prepare("SELECT a + ?1 FROM t");
  atRow = prepare("SELECT a FROM t");
  sqlite3_step(atRow);
  done = prepare("SELECT a FROM t WHERE a = ?1");
  while (sqlite3_step(done) == SQLITE_ROW) {
  }
  failed = prepare("INSERT INTO t VALUES(1, 1)");
  sqlite3_prepare(db, "INSERT INTO t VALUES(2, 1)", -1, &legacy, 0);
  sqlite3_blob_open(db, "main", "w", "x", 1, 1, &blob);
}

static void end(void) {
  sqlite3_finalize(ready);
  sqlite3_finalize(atRow);
  sqlite3_finalize(done);
  sqlite3_finalize(failed);
  sqlite3_finalize(legacy);
  sqlite3_blob_close(blob);
  printf("  closed: %d\n", sqlite3_close(db));
}

/* --- The errors before the call --- */

static void nothing(void) {}
static void unknownColumn(void) { prepare("SELECT a, nosuch FROM t"); }
static void brokenText(void) { sqlite3_exec(db, "SELECT 1; SELEC 2", 0, 0, 0); }
static void constraint(void) { sqlite3_step(failed); }
static void constraintAndReset(void) {
  sqlite3_step(failed);
  sqlite3_reset(failed);
}
static void legacyConstraint(void) { sqlite3_step(legacy); }
static void range(void) { sqlite3_bind_int(ready, 9, 1); }
static void rangeBehindOffset(void) {
  unknownColumn();
  range();
}
static void busyBind(void) { sqlite3_bind_int(atRow, 1, 1); }
static void column(void) { sqlite3_column_int(atRow, 5); }
static void blobRange(void) {
  char bytes[9];
  sqlite3_blob_read(blob, bytes, 9, 0);
}
static void given(void) { sqlite3_set_errmsg(db, SQLITE_IOERR, "of the program"); }
static void inUse(void) { sqlite3_close(db); }
static void aRow(void) { sqlite3_step(atRow); }
static void anEnd(void) {
  sqlite3_stmt *statement = prepare("SELECT 1 WHERE 0");
  sqlite3_step(statement);
}

static const struct {
  const char *name;
  void (*make)(void);
} errors[] = {
  {"nothing", nothing},
  {"unknown column", unknownColumn},
  {"broken text", brokenText},
  {"constraint", constraint},
  {"constraint, reset", constraintAndReset},
  {"constraint of the old interface", legacyConstraint},
  {"range", range},
  {"range behind an offset", rangeBehindOffset},
  {"bind while it runs", busyBind},
  {"column out of range", column},
  {"blob out of range", blobRange},
  {"set by the program", given},
  {"connection in use", inUse},
  {"row", aRow},
};

/* --- The calls --- */

static int take(sqlite3_stmt **statement, int (*end)(sqlite3_stmt *)) {
  int code = end(*statement);
  if (end == sqlite3_finalize) *statement = 0;
  return code;
}

static int finalizeReady(void) { return take(&ready, sqlite3_finalize); }
static int finalizeRow(void) { return take(&atRow, sqlite3_finalize); }
static int finalizeDone(void) { return take(&done, sqlite3_finalize); }
static int finalizeFailed(void) { return take(&failed, sqlite3_finalize); }
static int finalizeLegacy(void) { return take(&legacy, sqlite3_finalize); }
static int finalizeNull(void) { return sqlite3_finalize(0); }
static int resetReady(void) { return take(&ready, sqlite3_reset); }
static int resetRow(void) { return take(&atRow, sqlite3_reset); }
static int resetDone(void) { return take(&done, sqlite3_reset); }
static int resetFailed(void) { return take(&failed, sqlite3_reset); }
static int resetLegacy(void) { return take(&legacy, sqlite3_reset); }
static int resetTwice(void) { return resetFailed() * 1000 + resetFailed(); }
static int resetNull(void) { return sqlite3_reset(0); }
static int closing(void) { return sqlite3_close(db); }
static int stepReady(void) { return sqlite3_step(ready); }
static int stepRow(void) { return sqlite3_step(atRow); }
static int stepDone(void) { return sqlite3_step(done); }
static int stepFailed(void) { return sqlite3_step(failed); }
static int stepLegacy(void) { return sqlite3_step(legacy); }
static int prepareGood(void) { return sqlite3_finalize(prepare("SELECT 1")); }
static int prepareBad(void) { return sqlite3_finalize(prepare("SELECT 1 FROM nosuch")); }
static int prepareBlank(void) {
  sqlite3_stmt *statement;
  return sqlite3_prepare_v2(db, "  ", -1, &statement, 0);
}
static int prepareNull(void) {
  sqlite3_stmt *statement;
  return sqlite3_prepare_v2(db, 0, -1, &statement, 0);
}
static int exec(void) { return sqlite3_exec(db, "SELECT 1", 0, 0, 0); }
static int execNothing(void) { return sqlite3_exec(db, "", 0, 0, 0); }
static int execNull(void) { return sqlite3_exec(db, 0, 0, 0, 0); }
static int refuse(void *data, int count, char **values, char **names) { return 1; }
static int execAbort(void) { return sqlite3_exec(db, "SELECT 1; SELECT 2", refuse, 0, 0); }
static int table(void) {
  char **result, *message = 0;
  int code = sqlite3_get_table(db, "SELECT 1; SELECT 2, 3", &result, 0, 0, &message);
  printf("  [%s]\n", message ? message : "-");
  sqlite3_free(message);
  return code;
}
static int bind(void) { return sqlite3_bind_int(ready, 1, 1); }
static int bindText(void) { return sqlite3_bind_text(ready, 1, "x", -1, 0); }
static int bindNullText(void) { return sqlite3_bind_text(ready, 1, 0, -1, 0); }
static int bindRange(void) { return sqlite3_bind_text(ready, 2, "x", 1, 0); }
static int bindZero(void) { return sqlite3_bind_int(ready, 0, 1); }
static int bindRunning(void) { return sqlite3_bind_int(atRow, 1, 1); }
static int bindDone(void) { return sqlite3_bind_int(done, 1, 1); }
static int bindNoStatement(void) { return sqlite3_bind_int(0, 1, 1); }
static int bindBig(void) {
  int old = sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 100), code;
  static char text[200];
  memset(text, 'x', sizeof text);
  code = sqlite3_bind_text(ready, 1, text, sizeof text, SQLITE_STATIC);
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, old);
  return code;
}
static int bindBigZero(void) {
  int old = sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 100), code;
  code = sqlite3_bind_zeroblob64(ready, 1, 200);
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, old);
  return code;
}
static int bindPointer(void) { return sqlite3_bind_pointer(ready, 1, "x", "kind", 0); }
static int clearBindings(void) { return sqlite3_clear_bindings(ready); }
static int columnGood(void) { return sqlite3_column_int(atRow, 0); }
static int columnBad(void) { return sqlite3_column_int(atRow, 7); }
static int columnNoRow(void) { return sqlite3_column_type(ready, 0); }
static int columnName(void) { return sqlite3_column_name(ready, 9) != 0; }
static int blobRead(void) {
  char bytes[2];
  return sqlite3_blob_read(blob, bytes, 2, 0);
}
static int blobReadBad(void) {
  char bytes[2];
  return sqlite3_blob_read(blob, bytes, 2, 4);
}
static int blobWrite(void) { return sqlite3_blob_write(blob, "ab", 2, 1); }
static int blobReopen(void) { return sqlite3_blob_reopen(blob, 1); }
static int blobReopenBad(void) { return sqlite3_blob_reopen(blob, 77); }
static int blobReopenTwice(void) { return blobReopenBad() * 1000 + blobReopenBad(); }
static int blobReadExpired(void) {
  sqlite3_exec(db, "UPDATE w SET x = x'00'", 0, 0, 0);
  return blobRead();
}
static int blobBytes(void) { return sqlite3_blob_bytes(blob); }
static int blobClose(void) {
  int code = sqlite3_blob_close(blob);
  blob = 0;
  return code;
}
static int blobCloseExpired(void) {
  sqlite3_exec(db, "UPDATE w SET x = x'00'", 0, 0, 0);
  blobRead();
  unknownColumn();
  return blobClose();
}
static int blobOpen(void) {
  blobClose();
  return sqlite3_blob_open(db, "main", "w", "x", 1, 0, &blob);
}
static int blobOpenBad(void) {
  sqlite3_blob *other;
  return sqlite3_blob_open(db, "main", "w", "nosuch", 1, 0, &other);
}
static int metadata(void) { return sqlite3_table_column_metadata(db, 0, "t", "a", 0, 0, 0, 0, 0); }
static int metadataBad(void) {
  return sqlite3_table_column_metadata(db, 0, "t", "nosuch", 0, 0, 0, 0, 0);
}
static int busyTimeout(void) { return sqlite3_busy_timeout(db, 10); }
static int busyHandler(void) { return sqlite3_busy_handler(db, 0, 0); }
static int answer(void *data, int a, const char *b, const char *c, const char *d, const char *e) {
  return SQLITE_OK;
}
static int authorizer(void) { return sqlite3_set_authorizer(db, answer, 0); }
static int compare(void *data, int a, const void *b, int c, const void *d) { return 0; }
static int collation(void) {
  return sqlite3_create_collation(db, "mine", SQLITE_UTF8, 0, compare);
}
static int collationBusy(void) {
  collation();
  unknownColumn();
  return collation();
}
static int collationBad(void) { return sqlite3_create_collation(db, "mine", 77, 0, compare); }
static int collationNeeded(void) { return sqlite3_collation_needed(db, 0, 0); }
static void body(sqlite3_context *context, int count, sqlite3_value **values) {
  sqlite3_result_int(context, 1);
}
static int function(void) {
  return sqlite3_create_function(db, "mine", 1, SQLITE_UTF8, 0, body, 0, 0);
}
static int functionBusy(void) {
  function();
  unknownColumn();
  return function();
}
static int functionBad(void) {
  return sqlite3_create_function(db, "mine", 5000, SQLITE_UTF8, 0, body, 0, 0);
}
static int functionGone(void) {
  return sqlite3_create_function(db, "nosuch", 1, SQLITE_UTF8, 0, 0, 0, 0);
}
static int overload(void) { return sqlite3_overload_function(db, "mine", 1); }
static int overloadKnown(void) { return sqlite3_overload_function(db, "abs", 1); }
static int overloadBad(void) { return sqlite3_overload_function(db, "mine", -3); }
static int module(void) {
  static sqlite3_module methods;
  return sqlite3_create_module(db, "mine", &methods, 0);
}
static int dropModules(void) { return sqlite3_drop_modules(db, 0); }
static int declare(void) { return sqlite3_declare_vtab(db, "CREATE TABLE x(a)"); }
static int configure(void) { return sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS); }
static int limit(void) { return sqlite3_limit(db, SQLITE_LIMIT_LENGTH, -1) > 0; }
static int flush(void) { return sqlite3_db_cacheflush(db); }
static int release(void) { return sqlite3_db_release_memory(db); }
static int readOnly(void) { return sqlite3_db_readonly(db, "nosuch"); }
static int config(void) { return sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, 1, 0); }
static int configBad(void) { return sqlite3_db_config(db, 9999, 1, 0); }
static int control(void) { return sqlite3_file_control(db, "nosuch", 1, 0); }
static int load(void) { return sqlite3_load_extension(db, "nosuch", 0, 0); }
static int checkpoint(void) { return sqlite3_wal_checkpoint(db, 0); }
static int checkpointBad(void) { return sqlite3_wal_checkpoint(db, "nosuch"); }
static int checkpointMode(void) { return sqlite3_wal_checkpoint_v2(db, 0, 99, 0, 0); }
static int autocheckpoint(void) { return sqlite3_wal_autocheckpoint(db, 100); }
static int explainSame(void) { return sqlite3_stmt_explain(ready, 0); }
static int explainBad(void) { return sqlite3_stmt_explain(ready, 7); }
static int explainRunning(void) { return sqlite3_stmt_explain(atRow, 1); }
static int explainLegacy(void) { return sqlite3_stmt_explain(legacy, 1); }
static int explainPlan(void) { return sqlite3_stmt_explain(ready, 2); }
static int backupSame(void) { return sqlite3_backup_init(db, "main", db, "main") != 0; }
static int backupUnknown(void) {
  sqlite3 *source;
  int code;
  sqlite3_open(":memory:", &source);
  code = sqlite3_backup_init(db, "main", source, "nosuch") != 0;
  printf("  source: %d %s\n", sqlite3_errcode(source), sqlite3_errmsg(source));
  sqlite3_close(source);
  return code;
}
static int backupFrom(void) {
  sqlite3 *target;
  sqlite3_backup *backup;
  int code;
  sqlite3_open(":memory:", &target);
  backup = sqlite3_backup_init(target, "main", db, "main");
  code = sqlite3_backup_step(backup, -1);
  code = code * 1000 + sqlite3_backup_finish(backup);
  sqlite3_close(target);
  return code;
}
static int backupTo(void) {
  sqlite3 *source;
  sqlite3_backup *backup;
  int code;
  blobClose();
  sqlite3_reset(atRow);
  sqlite3_open(":memory:", &source);
  sqlite3_exec(db, "ATTACH ':memory:' AS other", 0, 0, 0);
  unknownColumn();
  backup = sqlite3_backup_init(db, "other", source, "main");
  show("begun", backup != 0);
  code = sqlite3_backup_step(backup, -1);
  show("stepped", code);
  code = sqlite3_backup_finish(backup);
  sqlite3_close(source);
  /* It would be prepared again. */
  show("finished", code);
  sqlite3_finalize(ready);
  ready = prepare("SELECT a FROM t");
  return code;
}
static int serialize(void) {
  sqlite3_int64 size;
  unsigned char *image = sqlite3_serialize(db, "main", &size, 0);
  int isThere = image != 0;
  sqlite3_free(image);
  return isThere;
}
static int serializeBad(void) {
  sqlite3_int64 size;
  return sqlite3_serialize(db, "nosuch", &size, 0) != 0;
}
static int deserializeBad(void) { return sqlite3_deserialize(db, "nosuch", 0, 0, 0, 0); }
static int interrupt(void) {
  sqlite3_interrupt(db);
  return sqlite3_step(atRow);
}
static int extended(void) { return sqlite3_extended_result_codes(db, 1); }
static int resetExtended(void) {
  sqlite3_extended_result_codes(db, 1);
  return resetFailed();
}
static int setNone(void) { return sqlite3_set_errmsg(db, SQLITE_OK, 0); }
static int setWithoutText(void) { return sqlite3_set_errmsg(db, SQLITE_FULL, 0); }
static int setRow(void) { return sqlite3_set_errmsg(db, SQLITE_ROW, "a text"); }
static int preupdate(void) {
  sqlite3_value *value;
  return sqlite3_preupdate_old(db, 0, &value);
}
static int transferred(void) { return sqlite3_transfer_bindings(ready, atRow); }
static int walHook(void) { return sqlite3_wal_hook(db, 0, 0) != 0; }
static int status(void) {
  int now, highest;
  return sqlite3_db_status(db, SQLITE_DBSTATUS_STMT_USED, &now, &highest, 0);
}
static int statusBad(void) {
  int now, highest;
  return sqlite3_db_status(db, 9999, &now, &highest, 0);
}
static int name(void) { return sqlite3_db_name(db, 77) != 0; }
static int transaction(void) { return sqlite3_txn_state(db, "nosuch"); }
static int collationThenRow(void) {
  collation();
  return sqlite3_step(ready);
}

#define CALL(name) {#name, name}
static const struct {
  const char *name;
  int (*call)(void);
} calls[] = {
  CALL(finalizeReady), CALL(finalizeRow), CALL(finalizeDone), CALL(finalizeFailed),
  CALL(finalizeLegacy), CALL(finalizeNull), CALL(resetReady), CALL(resetRow), CALL(resetDone),
  CALL(resetFailed), CALL(resetLegacy), CALL(resetTwice), CALL(resetNull), CALL(closing),
  CALL(stepReady), CALL(stepRow), CALL(stepDone), CALL(stepFailed), CALL(stepLegacy),
  CALL(prepareGood), CALL(prepareBad), CALL(prepareBlank), CALL(prepareNull), CALL(exec),
  CALL(execNothing), CALL(execNull), CALL(execAbort), CALL(table), CALL(bind), CALL(bindText),
  CALL(bindNullText), CALL(bindRange), CALL(bindZero), CALL(bindRunning), CALL(bindDone),
  CALL(bindNoStatement), CALL(bindBig), CALL(bindBigZero), CALL(bindPointer),
  CALL(clearBindings), CALL(columnGood), CALL(columnBad), CALL(columnNoRow), CALL(columnName),
  CALL(blobRead), CALL(blobReadBad), CALL(blobWrite), CALL(blobReopen), CALL(blobReopenBad),
  CALL(blobReopenTwice), CALL(blobReadExpired), CALL(blobBytes), CALL(blobClose),
  CALL(blobCloseExpired), CALL(blobOpen), CALL(blobOpenBad), CALL(metadata), CALL(metadataBad),
  CALL(busyTimeout), CALL(busyHandler), CALL(authorizer), CALL(collation), CALL(collationBusy),
  CALL(collationBad), CALL(collationNeeded), CALL(function), CALL(functionBusy),
  CALL(functionBad), CALL(functionGone), CALL(overload), CALL(overloadKnown), CALL(overloadBad),
  CALL(module), CALL(dropModules), CALL(declare), CALL(configure), CALL(limit), CALL(flush),
  CALL(release), CALL(readOnly), CALL(config), CALL(configBad), CALL(control), CALL(load),
  CALL(checkpoint), CALL(checkpointBad), CALL(checkpointMode), CALL(autocheckpoint),
  CALL(explainSame), CALL(explainBad), CALL(explainRunning), CALL(explainLegacy),
  CALL(explainPlan), CALL(backupSame), CALL(backupUnknown), CALL(backupFrom), CALL(backupTo),
  CALL(serialize), CALL(serializeBad), CALL(deserializeBad), CALL(interrupt), CALL(extended),
  CALL(resetExtended), CALL(setNone), CALL(setWithoutText), CALL(setRow), CALL(preupdate),
  CALL(transferred), CALL(walHook), CALL(status), CALL(statusBad), CALL(name),
  CALL(transaction), CALL(collationThenRow),
};

int main(void) {
  size_t error, call;
  for (call = 0; call < sizeof calls / sizeof *calls; call++) {
    for (error = 0; error < sizeof errors / sizeof *errors; error++) {
      printf("%s behind %s\n", calls[call].name, errors[error].name);
      begin();
      errors[error].make();
      show("before", 0);
      show("called", calls[call].call());
      /* What an error's message leaves behind shows once there is an error without one. */
      sqlite3_step(ready);
      show("step", 0);
      sqlite3_reset(ready);
      show("reset", 0);
      end();
    }
  }
  return 0;
}
