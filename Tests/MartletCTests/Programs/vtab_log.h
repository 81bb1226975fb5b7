/* A virtual table in memory that writes down each call of its methods, with all arguments. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>

#define MAX_COLUMNS 8
#define MAX_ROWS 64
#define MAX_SAVED 8

typedef struct Row {
  sqlite3_int64 rowid;
  sqlite3_value *values[MAX_COLUMNS];
} Row;

typedef struct State {
  int count;
  Row rows[MAX_ROWS];
} State;

/* What a table keeps, also while it is not connected. */
typedef struct Store {
  char name[40];
  State state;
  State saved[MAX_SAVED];
  State begun;
} Store;

static Store stores[16];

typedef struct Table {
  sqlite3_vtab base;
  sqlite3 *db;
  char name[40];
  int columnCount;
  Store *store;
} Table;

typedef struct Cursor {
  sqlite3_vtab_cursor base;
  int position;
} Cursor;

/* How the tables behave; lines that begin with a dot change it. */
static struct {
  int takesLists;  /* IN comes as a whole */
  int omits;       /* no tests of what was taken */
  int takesLimit;
  int ordered;
  int unique;
  int constraintSupport;
  int quiet;       /* no lines for rows */
  int columns;     /* lines for columns */
  int hidesLife;   /* no lines for when tables are connected again, and disconnected */
  int refuses;     /* xBestIndex refuses plans with unusable constraints */
  int readsUnchanged;
  int staticText;
  char failMethod[20];
  int failCode;
  char failText[40];
} mode;

static void show(sqlite3_value *value) {
  if (value == 0) {
    printf("(none)");
    return;
  }
  switch (sqlite3_value_type(value)) {
    case SQLITE_NULL: printf(sqlite3_value_nochange(value) ? "nochange" : "NULL"); break;
    case SQLITE_INTEGER: printf("%lld", sqlite3_value_int64(value)); break;
    case SQLITE_FLOAT: printf("%g", sqlite3_value_double(value)); break;
    case SQLITE_TEXT: printf("'%s'", sqlite3_value_text(value)); break;
    case SQLITE_BLOB: {
      const unsigned char *bytes = sqlite3_value_blob(value);
      int i, count = sqlite3_value_bytes(value);
      printf("x'");
      for (i = 0; i < count; i++) printf("%02x", bytes[i]);
      printf("'");
    }
  }
  if (sqlite3_value_frombind(value)) printf("?");
}

/* The method is to fail now. */
static int fails(sqlite3_vtab *table, const char *method) {
  int code;
  if (strcmp(mode.failMethod, method) != 0) return SQLITE_OK;
  code = mode.failCode;
  mode.failMethod[0] = 0;
  if (table && mode.failText[0]) {
    sqlite3_free(table->zErrMsg);
    table->zErrMsg = sqlite3_mprintf("%s", mode.failText);
  }
  return code;
}

static void clearState(State *state) {
  int i, j;
  for (i = 0; i < state->count; i++)
    for (j = 0; j < MAX_COLUMNS; j++) sqlite3_value_free(state->rows[i].values[j]);
  memset(state, 0, sizeof(*state));
}

static void copyState(State *target, const State *source) {
  int i, j;
  clearState(target);
  target->count = source->count;
  for (i = 0; i < source->count; i++) {
    target->rows[i].rowid = source->rows[i].rowid;
    for (j = 0; j < MAX_COLUMNS; j++)
      if (source->rows[i].values[j])
        target->rows[i].values[j] = sqlite3_value_dup(source->rows[i].values[j]);
  }
}

static Store *storeOf(const char *name) {
  Store *store;
  for (store = stores; store < stores + 15; store++) {
    if (store->name[0] == 0) snprintf(store->name, sizeof(store->name), "%s", name);
    if (strcmp(store->name, name) == 0) break;
  }
  return store;
}

static void clearStore(Store *store) {
  int i;
  clearState(&store->state);
  clearState(&store->begun);
  for (i = 0; i < MAX_SAVED; i++) clearState(&store->saved[i]);
}

static int construct(sqlite3 *db, const char *method, int argc, const char *const *argv,
                     sqlite3_vtab **result, char **message) {
  char sql[400] = "CREATE TABLE x(";
  Table *table;
  int i, rc;
  if (!mode.hidesLife || strcmp(method, "xConnect") != 0) {
    printf("%s(", method);
    for (i = 0; i < argc; i++) printf("%s%s", i ? ", " : "", argv[i]);
    printf(")\n");
  }
  rc = fails(0, method);
  if (rc) {
    if (mode.failText[0]) *message = sqlite3_mprintf("%s", mode.failText);
    return rc;
  }
  if (argc == 3) strcat(sql, "a, b");
  for (i = 3; i < argc; i++) {
    if (strncmp(argv[i], "WITHOUT", 7) == 0) continue;
    if (i > 3) strcat(sql, ", ");
    strcat(sql, argv[i]);
  }
  strcat(sql, argc > 3 && strncmp(argv[argc - 1], "WITHOUT", 7) == 0 ? ") WITHOUT ROWID" : ")");
  rc = sqlite3_declare_vtab(db, sql);
  if (rc) {
    *message = sqlite3_mprintf("declare: %s", sqlite3_errmsg(db));
    return rc;
  }
  if (mode.constraintSupport) sqlite3_vtab_config(db, SQLITE_VTAB_CONSTRAINT_SUPPORT, 1);
  table = sqlite3_malloc(sizeof(*table));
  memset(table, 0, sizeof(*table));
  table->db = db;
  snprintf(table->name, sizeof(table->name), "%s", argv[2]);
  table->store = storeOf(table->name);
  table->columnCount = argc == 3 ? 2 : argc - 3;
  *result = &table->base;
  return SQLITE_OK;
}

static int logCreate(sqlite3 *db, void *data, int argc, const char *const *argv,
                     sqlite3_vtab **result, char **message) {
  (void)data;
  return construct(db, "xCreate", argc, argv, result, message);
}

static int logConnect(sqlite3 *db, void *data, int argc, const char *const *argv,
                      sqlite3_vtab **result, char **message) {
  (void)data;
  return construct(db, "xConnect", argc, argv, result, message);
}

static int logBestIndex(sqlite3_vtab *vtab, sqlite3_index_info *info) {
  Table *table = (Table *)vtab;
  int i, rc, position = 0, refused = 0;
  double cost = 1000;
  char plan[300] = "";
  printf("xBestIndex(%s", table->name);
  for (i = 0; i < info->nConstraint; i++) {
    sqlite3_value *value = 0;
    int found = sqlite3_vtab_rhs_value(info, i, &value);
    int isLimit = info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_LIMIT
                  || info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_OFFSET;
    printf(" [");
    if (!isLimit) printf("%d ", info->aConstraint[i].iColumn);
    printf("op%d %s %s%s", info->aConstraint[i].op,
           info->aConstraint[i].usable ? "usable" : "unusable",
           isLimit ? "" : sqlite3_vtab_collation(info, i),
           sqlite3_vtab_in(info, i, -1) ? " in" : "");
    if (found == SQLITE_OK) {
      printf(" ");
      show(value);
    } else if (found != SQLITE_NOTFOUND) {
      printf(" rhs=%d", found);
    }
    printf("]");
  }
  for (i = 0; i < info->nOrderBy; i++)
    printf(" order %d%s", info->aOrderBy[i].iColumn, info->aOrderBy[i].desc ? " desc" : "");
  printf(" distinct%d used%llx cost%g rows%lld)\n", sqlite3_vtab_distinct(info), info->colUsed,
         info->estimatedCost, info->estimatedRows);
  rc = fails(vtab, "xBestIndex");
  if (rc) return rc;
  for (i = 0; i < info->nConstraint; i++) {
    int op = info->aConstraint[i].op;
    int isLimit = op == SQLITE_INDEX_CONSTRAINT_LIMIT || op == SQLITE_INDEX_CONSTRAINT_OFFSET;
    if (!info->aConstraint[i].usable) {
      refused = 1;
      continue;
    }
    if (isLimit && !mode.takesLimit) continue;
    info->aConstraintUsage[i].argvIndex = ++position;
    info->aConstraintUsage[i].omit = (unsigned char)mode.omits;
    if (mode.takesLists && sqlite3_vtab_in(info, i, 1)) strcat(plan, "in ");
    if (op == SQLITE_INDEX_CONSTRAINT_EQ) cost /= 10;
    snprintf(plan + strlen(plan), 20, "%d:%d ", isLimit ? 0 : info->aConstraint[i].iColumn, op);
  }
  if (refused && mode.refuses) return SQLITE_CONSTRAINT;
  info->idxNum = position;
  if (mode.staticText) {
    info->idxStr = "a static text";
  } else {
    info->idxStr = sqlite3_mprintf("%s", plan);
    info->needToFreeIdxStr = 1;
  }
  info->orderByConsumed = mode.ordered;
  info->estimatedCost = cost;
  info->estimatedRows = (sqlite3_int64)cost / 2;
  if (mode.unique) info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE | SQLITE_INDEX_SCAN_HEX;
  return SQLITE_OK;
}

static int logDisconnect(sqlite3_vtab *vtab) {
  if (!mode.hidesLife) printf("xDisconnect(%s nRef%d)\n", ((Table *)vtab)->name, vtab->nRef);
  sqlite3_free(vtab);
  return SQLITE_OK;
}

static int logDestroy(sqlite3_vtab *vtab) {
  int rc;
  printf("xDestroy(%s nRef%d)\n", ((Table *)vtab)->name, vtab->nRef);
  rc = fails(vtab, "xDestroy");
  if (rc) return rc;
  clearStore(((Table *)vtab)->store);
  sqlite3_free(vtab);
  return SQLITE_OK;
}

static int logOpen(sqlite3_vtab *vtab, sqlite3_vtab_cursor **result) {
  Cursor *cursor;
  int rc;
  printf("xOpen(%s nRef%d)\n", ((Table *)vtab)->name, vtab->nRef);
  rc = fails(vtab, "xOpen");
  if (rc) return rc;
  cursor = sqlite3_malloc(sizeof(*cursor));
  memset(cursor, 0, sizeof(*cursor));
  *result = &cursor->base;
  return SQLITE_OK;
}

static int logClose(sqlite3_vtab_cursor *base) {
  printf("xClose(%s nRef%d)\n", ((Table *)base->pVtab)->name, base->pVtab->nRef);
  sqlite3_free(base);
  return SQLITE_OK;
}

static int logFilter(sqlite3_vtab_cursor *base, int number, const char *text, int argc,
                     sqlite3_value **argv) {
  Cursor *cursor = (Cursor *)base;
  int i;
  printf("xFilter(%s %d '%s'", ((Table *)base->pVtab)->name, number, text ? text : "(null)");
  for (i = 0; i < argc; i++) {
    sqlite3_value *value = 0;
    int rc = sqlite3_vtab_in_first(argv[i], &value);
    printf(" ");
    show(argv[i]);
    if (rc == SQLITE_ERROR) continue;
    printf("{");
    for (; rc == SQLITE_OK; rc = sqlite3_vtab_in_next(argv[i], &value)) {
      show(value);
      printf(" ");
    }
    printf("%s}", rc == SQLITE_DONE ? "done" : "?");
  }
  printf(")\n");
  cursor->position = 0;
  return fails(base->pVtab, "xFilter");
}

static int logNext(sqlite3_vtab_cursor *base) {
  if (!mode.quiet) printf("xNext(%s)\n", ((Table *)base->pVtab)->name);
  ((Cursor *)base)->position++;
  return fails(base->pVtab, "xNext");
}

static int logEof(sqlite3_vtab_cursor *base) {
  int isAtEnd = ((Cursor *)base)->position >= ((Table *)base->pVtab)->store->state.count;
  if (!mode.quiet) printf("xEof(%s)=%d\n", ((Table *)base->pVtab)->name, isAtEnd);
  return isAtEnd;
}

static int logColumn(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  Table *table = (Table *)base->pVtab;
  Row *row = &table->store->state.rows[((Cursor *)base)->position];
  int rc;
  if (mode.columns || sqlite3_vtab_nochange(context))
    printf("xColumn(%s %d%s)\n", table->name, column,
           sqlite3_vtab_nochange(context) ? " nochange" : "");
  rc = fails(base->pVtab, "xColumn");
  if (rc) return rc;
  if (fails(0, "xColumn error")) sqlite3_result_error(context, "the column's error", -1);
  rc = fails(0, "xColumn code");
  if (rc) sqlite3_result_error_code(context, rc);
  if (sqlite3_vtab_nochange(context) && !mode.readsUnchanged) return SQLITE_OK;
  if (column < table->columnCount && row->values[column])
    sqlite3_result_value(context, row->values[column]);
  return SQLITE_OK;
}

static int logRowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
  Table *table = (Table *)base->pVtab;
  if (!mode.quiet) printf("xRowid(%s)\n", table->name);
  *rowid = table->store->state.rows[((Cursor *)base)->position].rowid;
  return fails(base->pVtab, "xRowid");
}

static int find(Table *table, sqlite3_int64 rowid) {
  int i;
  for (i = 0; i < table->store->state.count; i++)
    if (table->store->state.rows[i].rowid == rowid) return i;
  return -1;
}

static void removeRow(Table *table, int place) {
  int i;
  for (i = 0; i < MAX_COLUMNS; i++) sqlite3_value_free(table->store->state.rows[place].values[i]);
  table->store->state.count--;
  memmove(table->store->state.rows + place, table->store->state.rows + place + 1,
          (size_t)(table->store->state.count - place) * sizeof(Row));
  memset(table->store->state.rows + table->store->state.count, 0, sizeof(Row));
}

static int logUpdate(sqlite3_vtab *vtab, int argc, sqlite3_value **argv, sqlite3_int64 *rowid) {
  Table *table = (Table *)vtab;
  int i, place, rc, policy = sqlite3_vtab_on_conflict(table->db);
  sqlite3_int64 number;
  printf("xUpdate(%s", table->name);
  for (i = 0; i < argc; i++) {
    printf(" ");
    show(argv[i]);
  }
  printf(" conflict%d)\n", policy);
  rc = fails(vtab, "xUpdate");
  if (rc) return rc;
  if (argc == 1) {
    place = find(table, sqlite3_value_int64(argv[0]));
    if (place >= 0) removeRow(table, place);
    return SQLITE_OK;
  }
  number = sqlite3_value_int64(argv[1]);
  if (sqlite3_value_type(argv[1]) == SQLITE_NULL) {
    number = 1;
    for (i = 0; i < table->store->state.count; i++)
      if (table->store->state.rows[i].rowid >= number) number = table->store->state.rows[i].rowid + 1;
  }
  place = find(table, number);
  if (place >= 0 && (sqlite3_value_type(argv[0]) == SQLITE_NULL
                     || sqlite3_value_int64(argv[0]) != number)) {
    if (policy == SQLITE_REPLACE) {
      removeRow(table, place);
    } else {
      vtab->zErrMsg = sqlite3_mprintf("rowid %lld is taken", number);
      return SQLITE_CONSTRAINT;
    }
  }
  if (sqlite3_value_type(argv[0]) != SQLITE_NULL) {
    place = find(table, sqlite3_value_int64(argv[0]));
  } else {
    place = table->store->state.count++;
  }
  if (place < 0 || place >= MAX_ROWS) return SQLITE_FULL;
  table->store->state.rows[place].rowid = number;
  for (i = 0; i + 2 < argc && i < MAX_COLUMNS; i++) {
    if (sqlite3_value_nochange(argv[i + 2])) continue;
    sqlite3_value_free(table->store->state.rows[place].values[i]);
    table->store->state.rows[place].values[i] = sqlite3_value_dup(argv[i + 2]);
  }
  *rowid = number;
  return SQLITE_OK;
}

static int logBegin(sqlite3_vtab *vtab) {
  Store *store = ((Table *)vtab)->store;
  int i;
  printf("xBegin(%s)\n", ((Table *)vtab)->name);
  copyState(&store->begun, &store->state);
  for (i = 0; i < MAX_SAVED; i++) copyState(&store->saved[i], &store->state);
  return fails(vtab, "xBegin");
}

static int logSync(sqlite3_vtab *vtab) {
  printf("xSync(%s)\n", ((Table *)vtab)->name);
  return fails(vtab, "xSync");
}

static int logCommit(sqlite3_vtab *vtab) {
  printf("xCommit(%s)\n", ((Table *)vtab)->name);
  return fails(vtab, "xCommit");
}

static int logRollback(sqlite3_vtab *vtab) {
  printf("xRollback(%s)\n", ((Table *)vtab)->name);
  copyState(&((Table *)vtab)->store->state, &((Table *)vtab)->store->begun);
  return fails(vtab, "xRollback");
}

static int logSavepoint(sqlite3_vtab *vtab, int number) {
  printf("xSavepoint(%s %d)\n", ((Table *)vtab)->name, number);
  if (number >= 0 && number < MAX_SAVED) copyState(&((Table *)vtab)->store->saved[number], &((Table *)vtab)->store->state);
  return fails(vtab, "xSavepoint");
}

static int logRelease(sqlite3_vtab *vtab, int number) {
  printf("xRelease(%s %d)\n", ((Table *)vtab)->name, number);
  return fails(vtab, "xRelease");
}

static int logRollbackTo(sqlite3_vtab *vtab, int number) {
  printf("xRollbackTo(%s %d)\n", ((Table *)vtab)->name, number);
  if (number >= 0 && number < MAX_SAVED) copyState(&((Table *)vtab)->store->state, &((Table *)vtab)->store->saved[number]);
  return fails(vtab, "xRollbackTo");
}

static void ownFunction(sqlite3_context *context, int argc, sqlite3_value **argv) {
  int i;
  printf("%s(", (const char *)sqlite3_user_data(context));
  for (i = 0; i < argc; i++) {
    printf("%s", i ? ", " : "");
    show(argv[i]);
  }
  printf(")\n");
  sqlite3_result_int(context, argc > 0 && sqlite3_value_type(argv[0]) != SQLITE_NULL);
}

static int logFindFunction(sqlite3_vtab *vtab, int argc, const char *name,
                           void (**function)(sqlite3_context *, int, sqlite3_value **),
                           void **data) {
  printf("xFindFunction(%s %d %s)\n", ((Table *)vtab)->name, argc, name);
  if (sqlite3_stricmp(name, "near") == 0) {
    *function = ownFunction;
    *data = "near of the table";
    return SQLITE_INDEX_CONSTRAINT_FUNCTION + 3;
  }
  if (sqlite3_stricmp(name, "match") == 0) {
    *function = ownFunction;
    *data = "match of the table";
    return 1;
  }
  return 0;
}

static int logRename(sqlite3_vtab *vtab, const char *name) {
  int rc = fails(vtab, "xRename");
  printf("xRename(%s %s)\n", ((Table *)vtab)->name, name);
  if (rc) return rc;
  snprintf(((Table *)vtab)->store->name, sizeof(stores[0].name), "%s", name);
  return SQLITE_OK;
}

static int logShadowName(const char *suffix) {
  return strcmp(suffix, "shadow") == 0;
}

static int logIntegrity(sqlite3_vtab *vtab, const char *schema, const char *name, int flags,
                        char **message) {
  printf("xIntegrity(%s %s %s %d)\n", ((Table *)vtab)->name, schema, name, flags);
  if (fails(0, "xIntegrity finding")) *message = sqlite3_mprintf("all wrong in %s", name);
  return fails(vtab, "xIntegrity");
}

static const sqlite3_module logModule = {
    4,          logCreate,   logConnect, logBestIndex, logDisconnect, logDestroy,
    logOpen,    logClose,    logFilter,  logNext,      logEof,        logColumn,
    logRowid,   logUpdate,   logBegin,   logSync,      logCommit,     logRollback,
    logFindFunction, logRename, logSavepoint, logRelease, logRollbackTo, logShadowName,
    logIntegrity};

static void setMode(const char *line) {
  char name[20] = "", text[40] = "";
  int value = 0;
  if (strncmp(line, ".fail ", 6) == 0) {
    char method[20] = "";
    sscanf(line + 6, "%19[^,], %d, %39[^\n]", method, &value, text);
    strcpy(mode.failMethod, method);
    mode.failCode = value;
    strcpy(mode.failText, text);
    return;
  }
  sscanf(line, ".%19s %d", name, &value);
  if (strcmp(name, "in") == 0) mode.takesLists = value;
  if (strcmp(name, "omit") == 0) mode.omits = value;
  if (strcmp(name, "limit") == 0) mode.takesLimit = value;
  if (strcmp(name, "ordered") == 0) mode.ordered = value;
  if (strcmp(name, "unique") == 0) mode.unique = value;
  if (strcmp(name, "support") == 0) mode.constraintSupport = value;
  if (strcmp(name, "quiet") == 0) mode.quiet = value;
  if (strcmp(name, "hide") == 0) mode.hidesLife = value;
  if (strcmp(name, "columns") == 0) mode.columns = value;
  if (strcmp(name, "refuse") == 0) mode.refuses = value;
  if (strcmp(name, "unchanged") == 0) mode.readsUnchanged = value;
  if (strcmp(name, "static") == 0) mode.staticText = value;
}

/* Runs one statement, and writes its rows and how it ended. */
static void run(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = 0;
  int rc, i;
  printf("> %s\n", sql);
  if (sql[0] == '.') {
    setMode(sql);
    return;
  }
  rc = sqlite3_prepare_v2(db, sql, -1, &statement, 0);
  if (rc) printf("prepare: %d %s\n", rc, sqlite3_errmsg(db));
  if (statement == 0) return;
  for (i = 1; i <= sqlite3_bind_parameter_count(statement); i++)
    sqlite3_bind_int(statement, i, i);
  while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
    printf("row");
    /* Of EXPLAIN QUERY PLAN the text only. */
    for (i = sqlite3_stmt_isexplain(statement) ? 3 : 0; i < sqlite3_column_count(statement); i++) {
      printf(" ");
      show(sqlite3_column_value(statement, i));
    }
    printf("\n");
  }
  if (rc != SQLITE_DONE)
    printf("step: %d (%d) %s\n", rc, sqlite3_extended_errcode(db), sqlite3_errmsg(db));
  rc = sqlite3_finalize(statement);
  if (rc) printf("finalize: %d\n", rc);
}

static void runAll(sqlite3 *db, const char *const *lines) {
  for (; *lines; lines++) run(db, *lines);
}
