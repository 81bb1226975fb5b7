/* Modules of the shapes that extensions have: a series, lines of a file, a closure over a table, an
** array of the program. With SQLITE_CORE they are part of a program; without, an extension. */
#ifdef SQLITE_CORE
#include <sqlite3.h>
#else
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1
#endif
#include <stdio.h>
#include <string.h>

/* ---- numbers(value, first HIDDEN, last HIDDEN): table-valued, eponymous only ---- */

typedef struct Numbers {
  sqlite3_vtab_cursor base;
  sqlite3_int64 first, last, value;
  int isDescending;
} Numbers;

static int numbersConnect(sqlite3 *db, void *data, int argc, const char *const *argv,
                          sqlite3_vtab **result, char **message) {
  int rc = sqlite3_declare_vtab(db, "CREATE TABLE x(value, first HIDDEN, last HIDDEN)");
  (void)data, (void)argc, (void)argv, (void)message;
  if (rc == SQLITE_OK) {
    sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    *result = sqlite3_malloc(sizeof(**result));
    if (*result == 0) return SQLITE_NOMEM;
    memset(*result, 0, sizeof(**result));
  }
  return rc;
}

static int freeTable(sqlite3_vtab *table) {
  sqlite3_free(table);
  return SQLITE_OK;
}

static int numbersBestIndex(sqlite3_vtab *table, sqlite3_index_info *info) {
  int i, places[2] = {-1, -1}, unusable = 0, count = 0;
  for (i = 0; i < info->nConstraint; i++) {
    int column = info->aConstraint[i].iColumn;
    if (info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ || column < 1) continue;
    if (!info->aConstraint[i].usable) {
      unusable |= 1 << column;
    } else {
      places[column - 1] = i;
      info->idxNum |= column;
    }
  }
  if (unusable & ~(info->idxNum << 1)) return SQLITE_CONSTRAINT;
  if (places[0] < 0) {
    table->zErrMsg = sqlite3_mprintf("numbers() needs an argument");
    return SQLITE_ERROR;
  }
  for (i = 0; i < 2; i++) {
    if (places[i] < 0) continue;
    info->aConstraintUsage[places[i]].argvIndex = ++count;
    info->aConstraintUsage[places[i]].omit = 1;
  }
  info->estimatedCost = count == 2 ? 2 : 1000;
  info->estimatedRows = 1000;
  if (info->nOrderBy == 1) {
    if (info->aOrderBy[0].desc) info->idxNum |= 8;
    info->orderByConsumed = 1;
  }
  return SQLITE_OK;
}

static int numbersOpen(sqlite3_vtab *table, sqlite3_vtab_cursor **result) {
  Numbers *cursor = sqlite3_malloc(sizeof(*cursor));
  (void)table;
  if (cursor == 0) return SQLITE_NOMEM;
  memset(cursor, 0, sizeof(*cursor));
  *result = &cursor->base;
  return SQLITE_OK;
}

static int freeCursor(sqlite3_vtab_cursor *cursor) {
  sqlite3_free(cursor);
  return SQLITE_OK;
}

static int numbersFilter(sqlite3_vtab_cursor *base, int number, const char *text, int argc,
                         sqlite3_value **argv) {
  Numbers *cursor = (Numbers *)base;
  int i;
  (void)text;
  cursor->first = argc > 0 ? sqlite3_value_int64(argv[0]) : 0;
  cursor->last = argc > 1 ? sqlite3_value_int64(argv[1]) : cursor->first + 9;
  for (i = 0; i < argc; i++)
    if (sqlite3_value_type(argv[i]) == SQLITE_NULL) cursor->last = cursor->first - 1;
  cursor->isDescending = (number & 8) != 0;
  cursor->value = cursor->isDescending ? cursor->last : cursor->first;
  return SQLITE_OK;
}

static int numbersNext(sqlite3_vtab_cursor *base) {
  ((Numbers *)base)->value += ((Numbers *)base)->isDescending ? -1 : 1;
  return SQLITE_OK;
}

static int numbersEof(sqlite3_vtab_cursor *base) {
  Numbers *cursor = (Numbers *)base;
  return cursor->value < cursor->first || cursor->value > cursor->last;
}

static int numbersColumn(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  Numbers *cursor = (Numbers *)base;
  sqlite3_result_int64(
      context, column == 0 ? cursor->value : column == 1 ? cursor->first : cursor->last);
  return SQLITE_OK;
}

static int numbersRowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
  *rowid = ((Numbers *)base)->value;
  return SQLITE_OK;
}

static sqlite3_module numbersModule = {
    0, 0, numbersConnect, numbersBestIndex, freeTable, 0, numbersOpen, freeCursor,
    numbersFilter, numbersNext, numbersEof, numbersColumn, numbersRowid,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

/* ---- lines(data='a,b\nc,d', columns=N): parses its own argument ---- */

typedef struct Lines {
  sqlite3_vtab base;
  int columnCount;
  char data[1];
} Lines;

typedef struct LinesCursor {
  sqlite3_vtab_cursor base;
  const char *line;
  sqlite3_int64 number;
} LinesCursor;

static int linesConnect(sqlite3 *db, void *data, int argc, const char *const *argv,
                        sqlite3_vtab **result, char **message) {
  const char *text = 0;
  int i, rc, columns = 2, length;
  char sql[200] = "CREATE TABLE x(";
  Lines *table;
  (void)data;
  for (i = 3; i < argc; i++) {
    if (strncmp(argv[i], "data=", 5) == 0) {
      text = argv[i] + 5;
    } else if (sscanf(argv[i], "columns=%d", &columns) != 1 || columns < 1 || columns > 9) {
      *message = sqlite3_mprintf("bad parameter: '%s'", argv[i]);
      return SQLITE_ERROR;
    }
  }
  if (text == 0 || text[0] != '\'') {
    *message = sqlite3_mprintf("%s needs data='text'", argv[2]);
    return SQLITE_ERROR;
  }
  for (i = 0; i < columns; i++)
    snprintf(sql + strlen(sql), 20, "%sc%d TEXT", i ? "," : "", i);
  strcat(sql, ")");
  rc = sqlite3_declare_vtab(db, sql);
  if (rc) return rc;
  sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
  length = (int)strlen(text);
  table = sqlite3_malloc((int)sizeof(*table) + length);
  memset(table, 0, sizeof(*table));
  table->columnCount = columns;
  memcpy(table->data, text + 1, (size_t)length - 2);
  table->data[length - 2] = 0;
  *result = &table->base;
  return SQLITE_OK;
}

static int linesBestIndex(sqlite3_vtab *table, sqlite3_index_info *info) {
  (void)table;
  info->estimatedCost = 1000000;
  return SQLITE_OK;
}

static int linesOpen(sqlite3_vtab *table, sqlite3_vtab_cursor **result) {
  LinesCursor *cursor = sqlite3_malloc(sizeof(*cursor));
  (void)table;
  memset(cursor, 0, sizeof(*cursor));
  *result = &cursor->base;
  return SQLITE_OK;
}

static int linesFilter(sqlite3_vtab_cursor *base, int number, const char *text, int argc,
                       sqlite3_value **argv) {
  LinesCursor *cursor = (LinesCursor *)base;
  (void)number, (void)text, (void)argc, (void)argv;
  cursor->line = ((Lines *)base->pVtab)->data;
  cursor->number = 1;
  return SQLITE_OK;
}

static int linesNext(sqlite3_vtab_cursor *base) {
  LinesCursor *cursor = (LinesCursor *)base;
  const char *end = strchr(cursor->line, '/');
  cursor->line = end ? end + 1 : cursor->line + strlen(cursor->line);
  cursor->number++;
  return SQLITE_OK;
}

static int linesEof(sqlite3_vtab_cursor *base) { return *((LinesCursor *)base)->line == 0; }

static int linesColumn(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  const char *field = ((LinesCursor *)base)->line;
  size_t length;
  for (; column > 0; column--) {
    field += strcspn(field, ";/");
    if (*field != ';') return SQLITE_OK;
    field++;
  }
  length = strcspn(field, ";/");
  sqlite3_result_text(context, field, (int)length, SQLITE_TRANSIENT);
  return SQLITE_OK;
}

static int linesRowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
  *rowid = ((LinesCursor *)base)->number;
  return SQLITE_OK;
}

static sqlite3_module linesModule = {
    0, linesConnect, linesConnect, linesBestIndex, freeTable, freeTable, linesOpen, freeCursor,
    linesFilter, linesNext, linesEof, linesColumn, linesRowid,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

/* ---- closure(id, depth, tablename HIDDEN, root HIDDEN): runs SQL of its own ---- */

typedef struct Closure {
  sqlite3_vtab base;
  sqlite3 *db;
  char *table;
} Closure;

typedef struct ClosureCursor {
  sqlite3_vtab_cursor base;
  sqlite3_stmt *statement;
  int isAtEnd;
} ClosureCursor;

static int closureConnect(sqlite3 *db, void *data, int argc, const char *const *argv,
                          sqlite3_vtab **result, char **message) {
  Closure *table;
  int rc;
  (void)data;
  if (argc != 4) {
    *message = sqlite3_mprintf("closure takes the name of a table, not %d arguments", argc - 3);
    return SQLITE_MISUSE;
  }
  rc = sqlite3_declare_vtab(
      db, "CREATE TABLE x(id, depth, tablename TEXT HIDDEN, root HIDDEN)");
  if (rc) return rc;
  table = sqlite3_malloc(sizeof(*table));
  memset(table, 0, sizeof(*table));
  table->db = db;
  table->table = sqlite3_mprintf("%s", argv[3]);
  *result = &table->base;
  return SQLITE_OK;
}

static int closureDisconnect(sqlite3_vtab *base) {
  sqlite3_free(((Closure *)base)->table);
  sqlite3_free(base);
  return SQLITE_OK;
}

static int closureBestIndex(sqlite3_vtab *table, sqlite3_index_info *info) {
  int i;
  (void)table;
  for (i = 0; i < info->nConstraint; i++) {
    if (info->aConstraint[i].iColumn != 3 || !info->aConstraint[i].usable) continue;
    if (info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    info->aConstraintUsage[i].argvIndex = 1;
    info->aConstraintUsage[i].omit = 1;
    info->idxNum = 1;
    info->estimatedCost = 10;
    info->idxStr = "by root";
    return SQLITE_OK;
  }
  info->estimatedCost = 1e10;
  return SQLITE_OK;
}

static int closureOpen(sqlite3_vtab *table, sqlite3_vtab_cursor **result) {
  ClosureCursor *cursor = sqlite3_malloc(sizeof(*cursor));
  (void)table;
  memset(cursor, 0, sizeof(*cursor));
  *result = &cursor->base;
  return SQLITE_OK;
}

static int closureClose(sqlite3_vtab_cursor *base) {
  sqlite3_finalize(((ClosureCursor *)base)->statement);
  sqlite3_free(base);
  return SQLITE_OK;
}

static int closureNext(sqlite3_vtab_cursor *base) {
  ClosureCursor *cursor = (ClosureCursor *)base;
  int rc = sqlite3_step(cursor->statement);
  cursor->isAtEnd = rc != SQLITE_ROW;
  return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int closureFilter(sqlite3_vtab_cursor *base, int number, const char *text, int argc,
                         sqlite3_value **argv) {
  ClosureCursor *cursor = (ClosureCursor *)base;
  Closure *table = (Closure *)base->pVtab;
  char *sql;
  int rc;
  (void)text;
  cursor->isAtEnd = 1;
  if (number == 0 || argc == 0) return SQLITE_OK;
  if (cursor->statement == 0) {
    sql = sqlite3_mprintf(
        "WITH RECURSIVE c(id, depth) AS (SELECT ?1, 0 UNION SELECT t.id, depth + 1 FROM \"%w\" t, "
        "c WHERE t.parent = c.id) SELECT id, depth FROM c",
        table->table);
    rc = sqlite3_prepare_v2(table->db, sql, -1, &cursor->statement, 0);
    sqlite3_free(sql);
    if (rc) {
      table->base.zErrMsg = sqlite3_mprintf("closure: %s", sqlite3_errmsg(table->db));
      return rc;
    }
  }
  sqlite3_reset(cursor->statement);
  sqlite3_bind_value(cursor->statement, 1, argv[0]);
  return closureNext(base);
}

static int closureEof(sqlite3_vtab_cursor *base) { return ((ClosureCursor *)base)->isAtEnd; }

static int closureColumn(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  ClosureCursor *cursor = (ClosureCursor *)base;
  if (column < 2) {
    sqlite3_result_value(context, sqlite3_column_value(cursor->statement, column));
  } else if (column == 2) {
    sqlite3_result_text(context, ((Closure *)base->pVtab)->table, -1, SQLITE_STATIC);
  }
  return SQLITE_OK;
}

static int closureRowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
  *rowid = sqlite3_column_int64(((ClosureCursor *)base)->statement, 0);
  return SQLITE_OK;
}

static sqlite3_module closureModule = {
    0, closureConnect, closureConnect, closureBestIndex, closureDisconnect, closureDisconnect,
    closureOpen, closureClose, closureFilter, closureNext, closureEof, closureColumn,
    closureRowid, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

/* ---- array(value, pointer HIDDEN): what a parameter or a function points to ---- */

typedef struct IntArray {
  int count;
  int values[8];
} IntArray;

typedef struct ArrayCursor {
  sqlite3_vtab_cursor base;
  IntArray *array;
  int place;
} ArrayCursor;

static int arrayConnect(sqlite3 *db, void *data, int argc, const char *const *argv,
                        sqlite3_vtab **result, char **message) {
  int rc = sqlite3_declare_vtab(db, "CREATE TABLE x(value, pointer HIDDEN)");
  (void)data, (void)argc, (void)argv, (void)message;
  *result = sqlite3_malloc(sizeof(**result));
  memset(*result, 0, sizeof(**result));
  return rc;
}

static int arrayBestIndex(sqlite3_vtab *table, sqlite3_index_info *info) {
  int i;
  (void)table;
  for (i = 0; i < info->nConstraint; i++) {
    if (info->aConstraint[i].iColumn != 1
        || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    if (!info->aConstraint[i].usable) return SQLITE_CONSTRAINT;
    info->aConstraintUsage[i].argvIndex = 1;
    info->aConstraintUsage[i].omit = 1;
    info->estimatedCost = 1;
    info->estimatedRows = 8;
  }
  return SQLITE_OK;
}

static int arrayOpen(sqlite3_vtab *table, sqlite3_vtab_cursor **result) {
  ArrayCursor *cursor = sqlite3_malloc(sizeof(*cursor));
  (void)table;
  memset(cursor, 0, sizeof(*cursor));
  *result = &cursor->base;
  return SQLITE_OK;
}

static int arrayFilter(sqlite3_vtab_cursor *base, int number, const char *text, int argc,
                       sqlite3_value **argv) {
  ArrayCursor *cursor = (ArrayCursor *)base;
  (void)number, (void)text;
  cursor->array = argc > 0 ? sqlite3_value_pointer(argv[0], "intarray") : 0;
  cursor->place = 0;
  return SQLITE_OK;
}

static int arrayNext(sqlite3_vtab_cursor *base) {
  ((ArrayCursor *)base)->place++;
  return SQLITE_OK;
}

static int arrayEof(sqlite3_vtab_cursor *base) {
  ArrayCursor *cursor = (ArrayCursor *)base;
  return cursor->array == 0 || cursor->place >= cursor->array->count;
}

static int arrayColumn(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  ArrayCursor *cursor = (ArrayCursor *)base;
  if (column == 0) sqlite3_result_int(context, cursor->array->values[cursor->place]);
  if (column == 1) sqlite3_result_pointer(context, cursor->array, "intarray", 0);
  return SQLITE_OK;
}

static int arrayRowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid) {
  *rowid = ((ArrayCursor *)base)->place;
  return SQLITE_OK;
}

static sqlite3_module arrayModule = {
    0, 0, arrayConnect, arrayBestIndex, freeTable, 0, arrayOpen, freeCursor, arrayFilter,
    arrayNext, arrayEof, arrayColumn, arrayRowid, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

/* array_of(1, 2, 3): a pointer for array(). */
static void arrayOf(sqlite3_context *context, int argc, sqlite3_value **argv) {
  IntArray *array = sqlite3_malloc(sizeof(*array));
  int i;
  array->count = argc < 8 ? argc : 8;
  for (i = 0; i < array->count; i++) array->values[i] = sqlite3_value_int(argv[i]);
  sqlite3_result_pointer(context, array, "intarray", sqlite3_free);
}

#ifndef SQLITE_CORE
int sqlite3_extension_init(sqlite3 *db, char **message, const sqlite3_api_routines *api)
#else
static int registerModules(sqlite3 *db, char **message, const void *api)
#endif
{
  int rc = SQLITE_OK;
#ifndef SQLITE_CORE
  SQLITE_EXTENSION_INIT2(api);
#else
  (void)api;
#endif
  (void)message;
  rc |= sqlite3_create_module(db, "numbers", &numbersModule, 0);
  rc |= sqlite3_create_module(db, "lines", &linesModule, 0);
  rc |= sqlite3_create_module(db, "closure", &closureModule, 0);
  rc |= sqlite3_create_module(db, "array", &arrayModule, 0);
  rc |= sqlite3_create_function(db, "array_of", -1, SQLITE_UTF8, 0, arrayOf, 0, 0);
  return rc;
}
