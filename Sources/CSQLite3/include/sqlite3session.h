/* Sessions and changesets. */
#ifndef SQLITE3_SESSION_H
#define SQLITE3_SESSION_H

typedef struct sqlite3_session sqlite3_session;
typedef struct sqlite3_changeset_iter sqlite3_changeset_iter;
typedef struct sqlite3_changegroup sqlite3_changegroup;
typedef struct sqlite3_rebaser sqlite3_rebaser;

#define SQLITE_SESSION_OBJCONFIG_SIZE 1
#define SQLITE_SESSION_OBJCONFIG_ROWID 2
#define SQLITE_CHANGESETSTART_INVERT 0x0002
#define SQLITE_CHANGESETAPPLY_NOSAVEPOINT 0x0001
#define SQLITE_CHANGESETAPPLY_INVERT 0x0002
#define SQLITE_CHANGESETAPPLY_IGNORENOOP 0x0004
#define SQLITE_CHANGESETAPPLY_FKNOACTION 0x0008
#define SQLITE_CHANGESETAPPLY_NOUPDATELOOP 0x0010
#define SQLITE_CHANGESET_DATA 1
#define SQLITE_CHANGESET_NOTFOUND 2
#define SQLITE_CHANGESET_CONFLICT 3
#define SQLITE_CHANGESET_CONSTRAINT 4
#define SQLITE_CHANGESET_FOREIGN_KEY 5
#define SQLITE_CHANGESET_OMIT 0
#define SQLITE_CHANGESET_REPLACE 1
#define SQLITE_CHANGESET_ABORT 2
#define SQLITE_SESSION_CONFIG_STRMSIZE 1
#define SQLITE_CHANGEGROUP_CONFIG_PATCHSET 1



int sqlite3session_create(sqlite3 *db, const char *db2, sqlite3_session **session);
void sqlite3session_delete(sqlite3_session *session);
int sqlite3session_object_config(sqlite3_session *, int op, void *arg);
int sqlite3session_enable(sqlite3_session *session, int enable);
int sqlite3session_indirect(sqlite3_session *session, int indirect);
int sqlite3session_attach(sqlite3_session *session, const char *tab);
void sqlite3session_table_filter(sqlite3_session *session, int (*filter)(void *ctx, const char
    *tab), void *ctx);
int sqlite3session_changeset(sqlite3_session *session, int *pnChangeset, void **changeset);
sqlite3_int64 sqlite3session_changeset_size(sqlite3_session *session);
int sqlite3session_diff(sqlite3_session *session, const char *fromDb, const char *tbl, char
    **pzErrMsg);
int sqlite3session_patchset(sqlite3_session *session, int *pnPatchset, void **patchset);
int sqlite3session_isempty(sqlite3_session *session);
sqlite3_int64 sqlite3session_memory_used(sqlite3_session *session);
int sqlite3changeset_start(sqlite3_changeset_iter **pp, int changesetCount, void *changeset);
int sqlite3changeset_start_v2(sqlite3_changeset_iter **pp, int changesetCount, void *changeset, int
    flags);
int sqlite3changeset_next(sqlite3_changeset_iter *iter);
int sqlite3changeset_op(sqlite3_changeset_iter *iter, const char **pzTab, int *pnCol, int *op, int
    *pbIndirect);
int sqlite3changeset_pk(sqlite3_changeset_iter *iter, unsigned char **pabPK, int *pnCol);
int sqlite3changeset_old(sqlite3_changeset_iter *iter, int val, sqlite3_value **value);
int sqlite3changeset_new(sqlite3_changeset_iter *iter, int val, sqlite3_value **value);
int sqlite3changeset_conflict(sqlite3_changeset_iter *iter, int val, sqlite3_value **value);
int sqlite3changeset_fk_conflicts(sqlite3_changeset_iter *iter, int *pnOut);
int sqlite3changeset_finalize(sqlite3_changeset_iter *iter);
int sqlite3changeset_invert(int inCount, const void *in, int *pnOut, void **out);
int sqlite3changeset_concat(int aCount, void *a, int bCount, void *b, int *pnOut, void **out);
int sqlite3changegroup_new(sqlite3_changegroup **pp);
int sqlite3changegroup_schema(sqlite3_changegroup *, sqlite3 *, const char *db);
int sqlite3changegroup_add(sqlite3_changegroup *, int dataCount, void *data);
int sqlite3changegroup_add_change(sqlite3_changegroup *, sqlite3_changeset_iter *);
int sqlite3changegroup_output(sqlite3_changegroup *, int *pnData, void **data);
void sqlite3changegroup_delete(sqlite3_changegroup *);
int sqlite3changeset_apply(sqlite3 *db, int changesetCount, void *changeset, int (*filter)(void
    *ctx, const char *tab), int (*conflict)(void *ctx, int conflict, sqlite3_changeset_iter *p),
    void *ctx);
int sqlite3changeset_apply_v2(sqlite3 *db, int changesetCount, void *changeset, int (*filter)(void
    *ctx, const char *tab), int (*conflict)(void *ctx, int conflict, sqlite3_changeset_iter *p),
    void *ctx, void **rebase, int *pnRebase, int flags);
int sqlite3changeset_apply_v3(sqlite3 *db, int changesetCount, void *changeset, int (*filter)(void
    *ctx, sqlite3_changeset_iter *p), int (*conflict)(void *ctx, int conflict,
    sqlite3_changeset_iter *p), void *ctx, void **rebase, int *pnRebase, int flags);
int sqlite3rebaser_create(sqlite3_rebaser **new_);
int sqlite3rebaser_configure(sqlite3_rebaser *, int rebaseCount, const void *rebase);
int sqlite3rebaser_rebase(sqlite3_rebaser *, int inCount, const void *in, int *pnOut, void **out);
void sqlite3rebaser_delete(sqlite3_rebaser *p);
int sqlite3changeset_apply_strm(sqlite3 *db, int (*input)(void *in, void *data, int *pnData), void
    *in, int (*filter)(void *ctx, const char *tab), int (*conflict)(void *ctx, int conflict,
    sqlite3_changeset_iter *p), void *ctx);
int sqlite3changeset_apply_v2_strm(sqlite3 *db, int (*input)(void *in, void *data, int *pnData),
    void *in, int (*filter)(void *ctx, const char *tab), int (*conflict)(void *ctx, int conflict,
    sqlite3_changeset_iter *p), void *ctx, void **rebase, int *pnRebase, int flags);
int sqlite3changeset_apply_v3_strm(sqlite3 *db, int (*input)(void *in, void *data, int *pnData),
    void *in, int (*filter)(void *ctx, sqlite3_changeset_iter *p), int (*conflict)(void *ctx, int
    conflict, sqlite3_changeset_iter *p), void *ctx, void **rebase, int *pnRebase, int flags);
int sqlite3changeset_concat_strm(int (*inputA)(void *in, void *data, int *pnData), void *inA, int
    (*inputB)(void *in, void *data, int *pnData), void *inB, int (*output)(void *out, const void
    *data, int dataCount), void *out);
int sqlite3changeset_invert_strm(int (*input)(void *in, void *data, int *pnData), void *in, int
    (*output)(void *out, const void *data, int dataCount), void *out);
int sqlite3changeset_start_strm(sqlite3_changeset_iter **pp, int (*input)(void *in, void *data, int
    *pnData), void *in);
int sqlite3changeset_start_v2_strm(sqlite3_changeset_iter **pp, int (*input)(void *in, void *data,
    int *pnData), void *in, int flags);
int sqlite3session_changeset_strm(sqlite3_session *session, int (*output)(void *out, const void
    *data, int dataCount), void *out);
int sqlite3session_patchset_strm(sqlite3_session *session, int (*output)(void *out, const void
    *data, int dataCount), void *out);
int sqlite3changegroup_add_strm(sqlite3_changegroup *, int (*input)(void *in, void *data, int
    *pnData), void *in);
int sqlite3changegroup_output_strm(sqlite3_changegroup *, int (*output)(void *out, const void *data,
    int dataCount), void *out);
int sqlite3rebaser_rebase_strm(sqlite3_rebaser *rebaser, int (*input)(void *in, void *data, int
    *pnData), void *in, int (*output)(void *out, const void *data, int dataCount), void *out);
int sqlite3session_config(int op, void *arg);
int sqlite3changegroup_config(sqlite3_changegroup *, int, void *arg);
int sqlite3changegroup_change_begin(sqlite3_changegroup *, int op, const char *tab, int indirect,
    char **pzErr);
int sqlite3changegroup_change_int64(sqlite3_changegroup *, int new_, int col, sqlite3_int64 val);
int sqlite3changegroup_change_null(sqlite3_changegroup *, int, int);
int sqlite3changegroup_change_double(sqlite3_changegroup *, int, int, double);
int sqlite3changegroup_change_text(sqlite3_changegroup *, int, int, const char *val, int valCount);
int sqlite3changegroup_change_blob(sqlite3_changegroup *, int, int, const void *val, int valCount);
int sqlite3changegroup_change_finish(sqlite3_changegroup *, int discard, char **pzErr);

#endif
