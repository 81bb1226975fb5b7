/* Changesets of random changes: their bytes, what is read of them, what comes of them where they are
   applied, inverted, combined and rebased. Takes the number of series, and the first seed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sqlite3.h"
#include "sqlite3session.h"

static const char *schemas[] = {
    "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL, d BLOB)",
    "CREATE TABLE t(a TEXT PRIMARY KEY, b, c UNIQUE, d)",
    "CREATE TABLE t(a, b, c, d, PRIMARY KEY(b, a))",
    "CREATE TABLE t(a, b, c, d, PRIMARY KEY(c, a)) WITHOUT ROWID",
    "CREATE TABLE t(a INTEGER PRIMARY KEY, b UNIQUE, c CHECK(c IS NULL OR c <> 7), d NOT NULL)",
    "CREATE TABLE t(a BLOB PRIMARY KEY, b, c, d) WITHOUT ROWID",
    "CREATE TABLE t(a REAL PRIMARY KEY, b REAL, c, d)",
    "CREATE TABLE t(a, b, c, d)",
    "CREATE TABLE t(a TEXT COLLATE NOCASE PRIMARY KEY, b COLLATE NOCASE, c, d)",
    "CREATE TABLE t(a INTEGER PRIMARY KEY, b, c, d);"
    "CREATE TABLE u(a PRIMARY KEY, b REFERENCES t(a) ON DELETE CASCADE ON UPDATE CASCADE, c, d)",
    "CREATE TABLE t(a INTEGER PRIMARY KEY, b, c, d); CREATE TABLE u(a PRIMARY KEY, b, c, d);"
    "CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT OR REPLACE INTO u VALUES(new.b, new.a, 0, 0); END;"
    "CREATE TRIGGER q AFTER DELETE ON t BEGIN UPDATE u SET c = old.a WHERE b = old.a; END",
    "PRAGMA encoding = 'UTF-16le'; CREATE TABLE t(a TEXT PRIMARY KEY, b TEXT, c TEXT, d)",
    "CREATE TABLE t(a INT PRIMARY KEY, b, c, d, e AS (b || 'x') STORED, f AS (c))",
    "CREATE TABLE t(a INTEGER PRIMARY KEY, b, c, d); CREATE TABLE u(a, b, c, d);"
    "CREATE TABLE \"o'd \"\"d\"(\"p q\" PRIMARY KEY, b, c, d)",
    "CREATE TABLE t(a INTEGER PRIMARY KEY, b, c, d); CREATE UNIQUE INDEX i ON t(b, c)",
    "CREATE TABLE t(a, b, c, d, PRIMARY KEY(a, b, c, d))",
    "CREATE TABLE t(a PRIMARY KEY, b, c, d); CREATE INDEX i ON t(b); CREATE TABLE u(a PRIMARY KEY, b, c, d); ANALYZE",
    "PRAGMA encoding = 'UTF-16be'; CREATE TABLE t(a TEXT, b TEXT, c, d, PRIMARY KEY(a, b)) WITHOUT ROWID",
    "CREATE TABLE t(a INTEGER PRIMARY KEY, b UNIQUE, c UNIQUE, d)",
    "CREATE TABLE t(a INTEGER PRIMARY KEY, b, c DEFAULT 5, d DEFAULT 'dd');"
    "CREATE TABLE u(a PRIMARY KEY, b REFERENCES t DEFERRABLE INITIALLY DEFERRED, c, d)",
};
static const int schemaCount = sizeof(schemas) / sizeof(schemas[0]);

/* --- Random numbers, values and statements --- */

static unsigned long long state;
static unsigned next(unsigned limit) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (unsigned)(state >> 33) % limit;
}

static const char *value(char *buffer) {
  static const char *texts[] = {"''", "'x'", "'X'", "'abc'", "'h\xc3\xa4t'", "'a longer text that needs room'",
                                "'\xf0\x9f\x90\xa6'", "'1'"};
  static const char *others[] = {"NULL", "1.5", "-0.0", "1e300", "x''", "x'00ff'", "zeroblob(200)",
                                 "4611686018427387904", "-9223372036854775808", "7"};
  switch (next(8)) {
    case 0:
    case 1: return texts[next(8)];
    case 2:
    case 3: return others[next(10)];
    default: sprintf(buffer, "%u", next(12)); return buffer;
  }
}

static void exec(sqlite3 *db, const char *sql) { sqlite3_exec(db, sql, 0, 0, 0); }

static const char *table(int schema) {
  switch (schema) {
    case 9: case 10: case 16: case 19: return next(2) ? "t" : "u";
    case 13: return next(3) ? (next(2) ? "t" : "u") : "\"o'd \"\"d\"";
    default: return "t";
  }
}

static void change(sqlite3 *db, int schema) {
  char sql[1000], b[4][40];
  const char *name = table(schema);
  const char *key = name[0] == '"' ? "\"p q\"" : "a";
  const char *column = next(4) == 0 ? key : next(3) == 0 ? "b" : next(2) ? "c" : "d";
  const char *columns = schema == 12 ? "(a, b, c, d)" : "";
  switch (next(9)) {
    case 0: case 1: case 2:
      sprintf(sql, "INSERT INTO %s%s VALUES(%s, %s, %s, %s)", name, columns, value(b[0]), value(b[1]),
              value(b[2]), value(b[3]));
      break;
    case 3:
      sprintf(sql, "REPLACE INTO %s%s VALUES(%s, %s, %s, %s)", name, columns, value(b[0]), value(b[1]),
              value(b[2]), value(b[3]));
      break;
    case 4: sprintf(sql, "DELETE FROM %s WHERE %s = %s", name, column, value(b[0])); break;
    case 5: sprintf(sql, "UPDATE OR IGNORE %s SET %s = %s", name, column, value(b[0])); break;
    case 6:
      sprintf(sql, "UPDATE OR REPLACE %s SET b = b + 1, c = %s WHERE rowid %% 2", name, value(b[0]));
      break;
    case 7:
      sprintf(sql, "UPDATE %s SET %s = %s, d = %s WHERE %s = %s", name, column, value(b[0]), value(b[1]),
              key, value(b[2]));
      break;
    default:
      sprintf(sql, "UPDATE %s SET %s = %s WHERE %s > %s", name, column, value(b[0]), key, value(b[1]));
  }
  exec(db, sql);
  if (schema == 16 && next(10) == 0)
    exec(db, next(2) ? "DELETE FROM sqlite_stat1" : "INSERT INTO sqlite_stat1 SELECT 't', b, 'a ' || a FROM t LIMIT 2");
  if (schema == 16 && next(8) == 0) {
    static const char *some[] = {"ANALYZE", "ANALYZE t", "ANALYZE i", "DROP INDEX i", "CREATE INDEX i ON t(b)", "DROP TABLE sqlite_stat1"};
    exec(db, some[next(6)]);
  }
  if (next(40) == 0) exec(db, "DELETE FROM t");
  if (next(60) == 0) exec(db, "ALTER TABLE t ADD COLUMN z DEFAULT 'zz'");
}

/* --- What is seen --- */

static unsigned long long hashed(unsigned long long hash, const void *bytes, int count) {
  for (int i = 0; i < count; i++) hash = (hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211ULL;
  return hash;
}

static unsigned hash(const void *bytes, int count) {
  return (unsigned)hashed(14695981039346656037ULL, bytes, count);
}

static unsigned long long addValue(unsigned long long hash, sqlite3_value *value) {
  int type = value ? sqlite3_value_type(value) : 0;
  hash = hashed(hash, &type, sizeof type);
  if (!value) return hash;
  const void *bytes = type == SQLITE_BLOB ? sqlite3_value_blob(value) : (const void *)sqlite3_value_text(value);
  return hashed(hash, bytes, sqlite3_value_bytes(value));
}

static unsigned content(sqlite3 *db) {
  unsigned long long hash = 7;
  const char *names[] = {"t", "u", "\"o'd \"\"d\"", "sqlite_stat1"};
  for (int i = 0; i < 4; i++) {
    char sql[200];
    sprintf(sql, "SELECT quote(a), quote(b), quote(c), quote(d), * FROM %s ORDER BY 1, 2, 3, 4", names[i]);
    if (i == 2) sprintf(sql, "SELECT quote(\"p q\"), quote(b), quote(c), quote(d) FROM %s ORDER BY 1, 2, 3, 4", names[i]);
    if (i == 3) sprintf(sql, "SELECT tbl, idx, stat FROM sqlite_stat1 ORDER BY 1, 2, 3");
    sqlite3_stmt *rows = 0;
    if (sqlite3_prepare_v2(db, sql, -1, &rows, 0)) continue;
    while (sqlite3_step(rows) == SQLITE_ROW)
      for (int c = 0; c < sqlite3_column_count(rows); c++) hash = addValue(hash, sqlite3_column_value(rows, c));
    sqlite3_finalize(rows);
  }
  return (unsigned)hash;
}

static unsigned long long addChange(unsigned long long hash, sqlite3_changeset_iter *change, int kind) {
  const char *name = 0;
  int count = 0, operation = 0, indirect = 0, keyCount = 0;
  unsigned char *key = 0;
  hash = hashed(hash, &kind, sizeof kind);
  if (kind == SQLITE_CHANGESET_FOREIGN_KEY) {
    int violated = 0;
    sqlite3changeset_fk_conflicts(change, &violated);
    int code = sqlite3changeset_op(change, &name, &count, &operation, &indirect);
    hash = hashed(hash, &code, sizeof code);
    hash = hashed(hash, &count, sizeof count);
    if (name || operation || indirect) hash++;
    return hashed(hash, &violated, sizeof violated);
  }
  sqlite3changeset_op(change, &name, &count, &operation, &indirect);
  sqlite3changeset_pk(change, &key, &keyCount);
  hash = hashed(hash, name, (int)strlen(name));
  hash = hashed(hash, &operation, sizeof operation);
  hash = hashed(hash, &indirect, sizeof indirect);
  hash = hashed(hash, key, keyCount);
  for (int i = -1; i <= count; i++) {
    sqlite3_value *value = 0;
    int code = sqlite3changeset_old(change, i, &value);
    hash = addValue(hashed(hash, &code, sizeof code), code ? 0 : value);
    code = sqlite3changeset_new(change, i, &value);
    hash = addValue(hashed(hash, &code, sizeof code), code ? 0 : value);
    if (kind == SQLITE_CHANGESET_DATA || kind == SQLITE_CHANGESET_CONFLICT) {
      code = sqlite3changeset_conflict(change, i, &value);
      hash = addValue(hashed(hash, &code, sizeof code), code ? 0 : value);
    }
  }
  return hash;
}

static void showChanges(const char *name, void *bytes, int count, int flags) {
  sqlite3_changeset_iter *change = 0;
  unsigned long long hash = 1;
  int changes = 0, code;
  sqlite3changeset_start_v2(&change, count, bytes, flags);
  while ((code = sqlite3changeset_next(change)) == SQLITE_ROW) {
    hash = addChange(hash, change, 0);
    changes++;
  }
  printf(" %s %d %d %d %x", name, changes, code, sqlite3changeset_finalize(change), (unsigned)hash);
}

/* --- Applying --- */

typedef struct Policy {
  int kind;
  unsigned long long hash;
  int conflicts;
} Policy;

static int onConflict(void *context, int kind, sqlite3_changeset_iter *change) {
  Policy *policy = context;
  policy->conflicts++;
  policy->hash = addChange(policy->hash, change, kind);
  int mayReplace = kind == SQLITE_CHANGESET_DATA || kind == SQLITE_CHANGESET_CONFLICT;
  switch (policy->kind) {
    case 0: return SQLITE_CHANGESET_OMIT;
    case 1: return mayReplace ? SQLITE_CHANGESET_REPLACE : SQLITE_CHANGESET_OMIT;
    case 2: return SQLITE_CHANGESET_ABORT;
    case 3: return SQLITE_CHANGESET_REPLACE;
    case 4: return 77;
    default: return mayReplace && policy->conflicts % 2 ? SQLITE_CHANGESET_REPLACE : SQLITE_CHANGESET_OMIT;
  }
}

static int onTable(void *context, const char *table) {
  (void)context;
  return table[0] != 'u';
}

static int onChange(void *context, sqlite3_changeset_iter *change) {
  (void)context;
  const char *name;
  int count, operation;
  sqlite3changeset_op(change, &name, &count, &operation, 0);
  return operation != SQLITE_DELETE;
}

typedef struct Stream {
  const unsigned char *bytes;
  int count, position, failAt;
  unsigned char *out;
} Stream;

static int input(void *context, void *data, int *count) {
  Stream *stream = context;
  if (stream->failAt && stream->position >= stream->failAt) return SQLITE_IOERR;
  int left = stream->count - stream->position, size = *count < left ? *count : left;
  memcpy(data, stream->bytes + stream->position, size);
  stream->position += size;
  *count = size;
  return SQLITE_OK;
}

static int output(void *context, const void *data, int count) {
  Stream *stream = context;
  if (stream->failAt && stream->position >= stream->failAt) return SQLITE_FULL;
  stream->out = realloc(stream->out, stream->position + count);
  memcpy(stream->out + stream->position, data, count);
  stream->position += count;
  return SQLITE_OK;
}

static sqlite3 *copyOf(sqlite3 *db) {
  sqlite3_int64 size;
  sqlite3 *copy;
  sqlite3_open(":memory:", &copy);
  unsigned char *image = sqlite3_serialize(db, "main", &size, 0);
  sqlite3_deserialize(copy, "main", image, size, size,
                      SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
  exec(copy, "PRAGMA foreign_keys = ON");
  return copy;
}

/* Applies to a copy of the base, changed or not, and says how it went. */
static void apply(sqlite3 *base, void *bytes, int count, int schema, int kind, int changes, int how,
                  int flags, void **rebase, int *rebaseCount) {
  sqlite3 *db = copyOf(base);
  unsigned long long saved = state;
  state = state * 31 + kind;
  for (int i = 0; i < changes; i++) change(db, schema);
  state = saved;
  Policy policy = {kind, 3, 0};
  Stream stream = {bytes, count, 0, 0, 0};
  void *memory = 0;
  int code, size = 0;
  switch (how) {
    case 0: code = sqlite3changeset_apply(db, count, bytes, 0, onConflict, &policy); break;
    case 1: code = sqlite3changeset_apply(db, count, bytes, onTable, onConflict, &policy); break;
    case 2: code = sqlite3changeset_apply_v3(db, count, bytes, onChange, onConflict, &policy, &memory, &size, flags); break;
    case 3: code = sqlite3changeset_apply_strm(db, input, &stream, 0, onConflict, &policy); break;
    default: code = sqlite3changeset_apply_v2(db, count, bytes, 0, onConflict, &policy, &memory, &size, flags);
  }
  int noted = sqlite3_errcode(db);
  char message[200];
  snprintf(message, sizeof message, "%s", sqlite3_errmsg(db));
  printf(" | %d.%d.%d: %d %d %x %x %d %x", kind, how, flags, code, policy.conflicts, (unsigned)policy.hash,
         content(db), size, hash(memory, size));
  if (code) printf(" %d %s", noted, message);
  if (!sqlite3_get_autocommit(db)) printf(" open");
  if (rebase) {
    *rebase = memory;
    *rebaseCount = size;
  } else {
    sqlite3_free(memory);
  }
  sqlite3_close(db);
}

/* --- A series --- */

static sqlite3_session *begin(sqlite3 *db, int schema, unsigned *options) {
  sqlite3_session *session = 0;
  sqlite3session_create(db, "main", &session);
  int on = 1;
  if (*options & 1) sqlite3session_object_config(session, SQLITE_SESSION_OBJCONFIG_SIZE, &on);
  on = 1;
  if (schema == 7 || schema == 13) sqlite3session_object_config(session, SQLITE_SESSION_OBJCONFIG_ROWID, &on);
  if (*options & 2) {
    sqlite3session_attach(session, "u");
    sqlite3session_attach(session, "t");
    sqlite3session_attach(session, "sqlite_stat1");
  } else if (*options & 4) {
    sqlite3session_table_filter(session, onTable, 0);
  } else {
    sqlite3session_attach(session, 0);
  }
  return session;
}

static void work(sqlite3 *db, sqlite3_session *session, int schema) {
  int steps = 1 + next(25);
  for (int i = 0; i < steps; i++) {
    if (next(15) == 0) sqlite3session_enable(session, next(2));
    if (next(15) == 0) sqlite3session_indirect(session, next(2));
    change(db, schema);
  }
}

static void series(unsigned seed) {
  state = seed * 0x9E3779B97F4A7C15ULL + 1;
  int schema = seed % schemaCount;
  sqlite3 *db, *base, *middle;
  sqlite3_open(":memory:", &db);
  exec(db, schemas[schema]);
  exec(db, "PRAGMA foreign_keys = ON");
  for (int i = next(20); i > 0; i--) change(db, schema);
  base = copyOf(db);
  unsigned options = next(8);
  sqlite3_session *session = begin(db, schema, &options);
  work(db, session, schema);
  void *first = 0, *patch = 0;
  int firstCount = 0, patchCount = 0;
  int empty = sqlite3session_isempty(session);
  int code = sqlite3session_changeset(session, &firstCount, &first);
  printf("%u: %d %d %x empty %d size %lld", seed, code, firstCount, hash(first, firstCount), empty,
         options & 1 && schema != 7 && schema != 13 ? sqlite3session_changeset_size(session) : 0);
  code = sqlite3session_patchset(session, &patchCount, &patch);
  printf(" patch %d %d %x", code, patchCount, hash(patch, patchCount));
  Stream stream = {0, 0, 0, 0, 0};
  code = sqlite3session_changeset_strm(session, output, &stream);
  printf(" stream %d %d", code, stream.position == firstCount && !memcmp(stream.out, first, firstCount));
  free(stream.out);
  sqlite3session_delete(session);
  showChanges("read", first, firstCount, 0);
  showChanges("patch", patch, patchCount, 0);
  showChanges("inverted", first, firstCount, SQLITE_CHANGESETSTART_INVERT);
  middle = copyOf(db);

  void *second = 0, *inverse = 0, *both = 0, *rebase = 0, *rebased = 0;
  int secondCount = 0, inverseCount = 0, bothCount = 0, rebaseCount = 0, rebasedCount = 0;
  session = begin(db, schema, &options);
  work(db, session, schema);
  code = sqlite3session_changeset(session, &secondCount, &second);
  printf("\n  second %d %d %x", code, secondCount, hash(second, secondCount));
  void *secondPatch = 0;
  int secondPatchCount = 0;
  sqlite3session_patchset(session, &secondPatchCount, &secondPatch);
  sqlite3session_delete(session);
  code = sqlite3changeset_invert(firstCount, first, &inverseCount, &inverse);
  printf(" inverse %d %d %x", code, inverseCount, hash(inverse, inverseCount));
  code = sqlite3changeset_concat(firstCount, first, secondCount, second, &bothCount, &both);
  printf(" both %d %d %x", code, bothCount, hash(both, bothCount));
  void *patches = 0;
  int patchesCount = 0;
  code = sqlite3changeset_concat(patchCount, patch, secondPatchCount, secondPatch, &patchesCount, &patches);
  printf(" patches %d %d %x", code, patchesCount, hash(patches, patchesCount));
  void *mixed = 0;
  int mixedCount = 0;
  code = sqlite3changeset_concat(firstCount, first, secondPatchCount, secondPatch, &mixedCount, &mixed);
  printf(" mixed %d %d\n ", code, mixedCount);
  sqlite3_free(mixed);

  apply(base, first, firstCount, schema, 0, 0, 0, 0, 0, 0);
  apply(base, both, bothCount, schema, 0, 0, 3, 0, 0, 0);
  apply(base, patch, patchCount, schema, 0, 0, 0, 0, 0, 0);
  apply(middle, inverse, inverseCount, schema, 0, 0, 1, 0, 0, 0);
  apply(middle, first, firstCount, schema, 1, 0, 4, SQLITE_CHANGESETAPPLY_INVERT, 0, 0);
  for (int kind = 0; kind < 6; kind++) {
    apply(base, first, firstCount, schema, kind, 6, next(5), 0, 0, 0);
    apply(base, patch, patchCount, schema, kind, 6, next(5), 0, 0, 0);
  }
  apply(base, first, firstCount, schema, 5, 8, 4, SQLITE_CHANGESETAPPLY_FKNOACTION, 0, 0);
  apply(base, first, firstCount, schema, 0, 8, 4, SQLITE_CHANGESETAPPLY_NOUPDATELOOP, 0, 0);
  apply(base, first, firstCount, schema, 5, 8, 4, SQLITE_CHANGESETAPPLY_NOSAVEPOINT, 0, 0);

  /* The second as local changes, the first as remote ones. */
  apply(base, first, firstCount, schema, 5, 10, 4, 0, &rebase, &rebaseCount);
  sqlite3_rebaser *rebaser = 0;
  sqlite3rebaser_create(&rebaser);
  code = rebaseCount ? sqlite3rebaser_configure(rebaser, rebaseCount, rebase) : 0;
  printf("\n  rebase %d", code);
  code = sqlite3rebaser_rebase(rebaser, secondCount, second, &rebasedCount, &rebased);
  printf(" %d %d %x", code, rebasedCount, hash(rebased, rebasedCount));
  sqlite3_free(rebased);
  code = sqlite3rebaser_rebase(rebaser, firstCount, first, &rebasedCount, &rebased);
  printf(" %d %d %x\n", code, rebasedCount, hash(rebased, rebasedCount));
  sqlite3rebaser_delete(rebaser);

  void *all[] = {first, patch, second, secondPatch, inverse, both, patches, rebase, rebased};
  for (int i = 0; i < 9; i++) sqlite3_free(all[i]);
  sqlite3_close(db);
  sqlite3_close(base);
  sqlite3_close(middle);
}

int main(int count, char **arguments) {
  setvbuf(stdout, 0, _IOLBF, 0);
  int seriesCount = count > 1 ? atoi(arguments[1]) : 200, first = count > 2 ? atoi(arguments[2]) : 0;
  for (int i = 0; i < seriesCount; i++) series(first + i);
  return 0;
}
