/* The C interface of Martlet: what SQLite 3.53.4 publishes, implemented in Swift. */
#ifndef SQLITE3_H
#define SQLITE3_H

#include <stdarg.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Programs may define these before including the header. */
#ifndef SQLITE_EXTERN
#define SQLITE_EXTERN extern
#endif
#ifndef SQLITE_API
#define SQLITE_API
#endif
#ifndef SQLITE_CDECL
#define SQLITE_CDECL
#endif
#ifndef SQLITE_APICALL
#define SQLITE_APICALL
#endif
#ifndef SQLITE_STDCALL
#define SQLITE_STDCALL SQLITE_APICALL
#endif
#ifndef SQLITE_CALLBACK
#define SQLITE_CALLBACK
#endif
#ifndef SQLITE_SYSAPI
#define SQLITE_SYSAPI
#endif
#define SQLITE_DEPRECATED
#define SQLITE_EXPERIMENTAL

#define SQLITE_VERSION "3.53.4"
#define SQLITE_VERSION_NUMBER 3053004
/* The check-in of SQLite whose behaviour this is; sqlite3_sourceid names Martlet behind it. */
#define SQLITE_SOURCE_ID \
  "2026-07-24 19:02:57 bf7c7f30031888f4e796e429ab3978879485813aaca6f641c7b33e4e09459bcc"

SQLITE_API SQLITE_EXTERN const char sqlite3_version[];
/* Where temporary files go when the environment does not say; set before the first use. */
SQLITE_API SQLITE_EXTERN char *sqlite3_temp_directory;
SQLITE_API SQLITE_EXTERN char *sqlite3_data_directory;

/* Numbers. */
typedef long long int sqlite_int64;
typedef unsigned long long int sqlite_uint64;
typedef sqlite_int64 sqlite3_int64;
typedef sqlite_uint64 sqlite3_uint64;

/* Objects. */
typedef struct sqlite3 sqlite3;
typedef struct sqlite3_api_routines sqlite3_api_routines;
typedef struct sqlite3_backup sqlite3_backup;
typedef struct sqlite3_blob sqlite3_blob;
typedef struct sqlite3_context sqlite3_context;
typedef struct sqlite3_file sqlite3_file;
typedef struct sqlite3_index_info sqlite3_index_info;
typedef struct sqlite3_io_methods sqlite3_io_methods;
typedef struct sqlite3_mem_methods sqlite3_mem_methods;
typedef struct sqlite3_module sqlite3_module;
typedef struct sqlite3_mutex sqlite3_mutex;
typedef struct sqlite3_mutex_methods sqlite3_mutex_methods;
typedef struct sqlite3_pcache sqlite3_pcache;
typedef struct sqlite3_pcache_methods sqlite3_pcache_methods;
typedef struct sqlite3_pcache_methods2 sqlite3_pcache_methods2;
typedef struct sqlite3_pcache_page sqlite3_pcache_page;
typedef struct sqlite3_stmt sqlite3_stmt;
typedef struct sqlite3_str sqlite3_str;
typedef struct sqlite3_value sqlite3_value;
typedef struct sqlite3_vfs sqlite3_vfs;
typedef struct sqlite3_vtab sqlite3_vtab;
typedef struct sqlite3_vtab_cursor sqlite3_vtab_cursor;

typedef int (*sqlite3_callback)(void *, int, char **, char **);
typedef const char *sqlite3_filename;
typedef void (*sqlite3_syscall_ptr)(void);
typedef void (*sqlite3_destructor_type)(void *);

/* What becomes of bytes that are given away: they stay, they are copied, or a function frees them. */
#define SQLITE_STATIC ((sqlite3_destructor_type)0)
#define SQLITE_TRANSIENT ((sqlite3_destructor_type)-1)

#define SQLITE_TEXT 3
/* Result codes. The low byte of an extended code is its primary code. */
#define SQLITE_OK         0
#define SQLITE_ERROR      1
#define SQLITE_INTERNAL   2
#define SQLITE_PERM       3
#define SQLITE_ABORT      4
#define SQLITE_BUSY       5
#define SQLITE_LOCKED     6
#define SQLITE_NOMEM      7
#define SQLITE_READONLY   8
#define SQLITE_INTERRUPT  9
#define SQLITE_IOERR      10
#define SQLITE_CORRUPT    11
#define SQLITE_NOTFOUND   12
#define SQLITE_FULL       13
#define SQLITE_CANTOPEN   14
#define SQLITE_PROTOCOL   15
#define SQLITE_EMPTY      16
#define SQLITE_SCHEMA     17
#define SQLITE_TOOBIG     18
#define SQLITE_CONSTRAINT 19
#define SQLITE_MISMATCH   20
#define SQLITE_MISUSE     21
#define SQLITE_NOLFS      22
#define SQLITE_AUTH       23
#define SQLITE_FORMAT     24
#define SQLITE_RANGE      25
#define SQLITE_NOTADB     26
#define SQLITE_NOTICE     27
#define SQLITE_WARNING    28
#define SQLITE_ROW        100
#define SQLITE_DONE       101

/* Extended result codes. */
#define SQLITE_ERROR_MISSING_COLLSEQ   (SQLITE_ERROR | (1<<8))
#define SQLITE_ERROR_RETRY             (SQLITE_ERROR | (2<<8))
#define SQLITE_ERROR_SNAPSHOT          (SQLITE_ERROR | (3<<8))
#define SQLITE_ERROR_RESERVESIZE       (SQLITE_ERROR | (4<<8))
#define SQLITE_ERROR_KEY               (SQLITE_ERROR | (5<<8))
#define SQLITE_ERROR_UNABLE            (SQLITE_ERROR | (6<<8))
#define SQLITE_IOERR_READ              (SQLITE_IOERR | (1<<8))
#define SQLITE_IOERR_SHORT_READ        (SQLITE_IOERR | (2<<8))
#define SQLITE_IOERR_WRITE             (SQLITE_IOERR | (3<<8))
#define SQLITE_IOERR_FSYNC             (SQLITE_IOERR | (4<<8))
#define SQLITE_IOERR_DIR_FSYNC         (SQLITE_IOERR | (5<<8))
#define SQLITE_IOERR_TRUNCATE          (SQLITE_IOERR | (6<<8))
#define SQLITE_IOERR_FSTAT             (SQLITE_IOERR | (7<<8))
#define SQLITE_IOERR_UNLOCK            (SQLITE_IOERR | (8<<8))
#define SQLITE_IOERR_RDLOCK            (SQLITE_IOERR | (9<<8))
#define SQLITE_IOERR_DELETE            (SQLITE_IOERR | (10<<8))
#define SQLITE_IOERR_BLOCKED           (SQLITE_IOERR | (11<<8))
#define SQLITE_IOERR_NOMEM             (SQLITE_IOERR | (12<<8))
#define SQLITE_IOERR_ACCESS            (SQLITE_IOERR | (13<<8))
#define SQLITE_IOERR_CHECKRESERVEDLOCK (SQLITE_IOERR | (14<<8))
#define SQLITE_IOERR_LOCK              (SQLITE_IOERR | (15<<8))
#define SQLITE_IOERR_CLOSE             (SQLITE_IOERR | (16<<8))
#define SQLITE_IOERR_DIR_CLOSE         (SQLITE_IOERR | (17<<8))
#define SQLITE_IOERR_SHMOPEN           (SQLITE_IOERR | (18<<8))
#define SQLITE_IOERR_SHMSIZE           (SQLITE_IOERR | (19<<8))
#define SQLITE_IOERR_SHMLOCK           (SQLITE_IOERR | (20<<8))
#define SQLITE_IOERR_SHMMAP            (SQLITE_IOERR | (21<<8))
#define SQLITE_IOERR_SEEK              (SQLITE_IOERR | (22<<8))
#define SQLITE_IOERR_DELETE_NOENT      (SQLITE_IOERR | (23<<8))
#define SQLITE_IOERR_MMAP              (SQLITE_IOERR | (24<<8))
#define SQLITE_IOERR_GETTEMPPATH       (SQLITE_IOERR | (25<<8))
#define SQLITE_IOERR_CONVPATH          (SQLITE_IOERR | (26<<8))
#define SQLITE_IOERR_VNODE             (SQLITE_IOERR | (27<<8))
#define SQLITE_IOERR_AUTH              (SQLITE_IOERR | (28<<8))
#define SQLITE_IOERR_BEGIN_ATOMIC      (SQLITE_IOERR | (29<<8))
#define SQLITE_IOERR_COMMIT_ATOMIC     (SQLITE_IOERR | (30<<8))
#define SQLITE_IOERR_ROLLBACK_ATOMIC   (SQLITE_IOERR | (31<<8))
#define SQLITE_IOERR_DATA              (SQLITE_IOERR | (32<<8))
#define SQLITE_IOERR_CORRUPTFS         (SQLITE_IOERR | (33<<8))
#define SQLITE_IOERR_IN_PAGE           (SQLITE_IOERR | (34<<8))
#define SQLITE_IOERR_BADKEY            (SQLITE_IOERR | (35<<8))
#define SQLITE_IOERR_CODEC             (SQLITE_IOERR | (36<<8))
#define SQLITE_LOCKED_SHAREDCACHE      (SQLITE_LOCKED | (1<<8))
#define SQLITE_LOCKED_VTAB             (SQLITE_LOCKED | (2<<8))
#define SQLITE_BUSY_RECOVERY           (SQLITE_BUSY | (1<<8))
#define SQLITE_BUSY_SNAPSHOT           (SQLITE_BUSY | (2<<8))
#define SQLITE_BUSY_TIMEOUT            (SQLITE_BUSY | (3<<8))
#define SQLITE_CANTOPEN_NOTEMPDIR      (SQLITE_CANTOPEN | (1<<8))
#define SQLITE_CANTOPEN_ISDIR          (SQLITE_CANTOPEN | (2<<8))
#define SQLITE_CANTOPEN_FULLPATH       (SQLITE_CANTOPEN | (3<<8))
#define SQLITE_CANTOPEN_CONVPATH       (SQLITE_CANTOPEN | (4<<8))
#define SQLITE_CANTOPEN_DIRTYWAL       (SQLITE_CANTOPEN | (5<<8))
#define SQLITE_CANTOPEN_SYMLINK        (SQLITE_CANTOPEN | (6<<8))
#define SQLITE_CORRUPT_VTAB            (SQLITE_CORRUPT | (1<<8))
#define SQLITE_CORRUPT_SEQUENCE        (SQLITE_CORRUPT | (2<<8))
#define SQLITE_CORRUPT_INDEX           (SQLITE_CORRUPT | (3<<8))
#define SQLITE_READONLY_RECOVERY       (SQLITE_READONLY | (1<<8))
#define SQLITE_READONLY_CANTLOCK       (SQLITE_READONLY | (2<<8))
#define SQLITE_READONLY_ROLLBACK       (SQLITE_READONLY | (3<<8))
#define SQLITE_READONLY_DBMOVED        (SQLITE_READONLY | (4<<8))
#define SQLITE_READONLY_CANTINIT       (SQLITE_READONLY | (5<<8))
#define SQLITE_READONLY_DIRECTORY      (SQLITE_READONLY | (6<<8))
#define SQLITE_ABORT_ROLLBACK          (SQLITE_ABORT | (2<<8))
#define SQLITE_CONSTRAINT_CHECK        (SQLITE_CONSTRAINT | (1<<8))
#define SQLITE_CONSTRAINT_COMMITHOOK   (SQLITE_CONSTRAINT | (2<<8))
#define SQLITE_CONSTRAINT_FOREIGNKEY   (SQLITE_CONSTRAINT | (3<<8))
#define SQLITE_CONSTRAINT_FUNCTION     (SQLITE_CONSTRAINT | (4<<8))
#define SQLITE_CONSTRAINT_NOTNULL      (SQLITE_CONSTRAINT | (5<<8))
#define SQLITE_CONSTRAINT_PRIMARYKEY   (SQLITE_CONSTRAINT | (6<<8))
#define SQLITE_CONSTRAINT_TRIGGER      (SQLITE_CONSTRAINT | (7<<8))
#define SQLITE_CONSTRAINT_UNIQUE       (SQLITE_CONSTRAINT | (8<<8))
#define SQLITE_CONSTRAINT_VTAB         (SQLITE_CONSTRAINT | (9<<8))
#define SQLITE_CONSTRAINT_ROWID        (SQLITE_CONSTRAINT |(10<<8))
#define SQLITE_CONSTRAINT_PINNED       (SQLITE_CONSTRAINT |(11<<8))
#define SQLITE_CONSTRAINT_DATATYPE     (SQLITE_CONSTRAINT |(12<<8))
#define SQLITE_NOTICE_RECOVER_WAL      (SQLITE_NOTICE | (1<<8))
#define SQLITE_NOTICE_RECOVER_ROLLBACK (SQLITE_NOTICE | (2<<8))
#define SQLITE_NOTICE_RBU              (SQLITE_NOTICE | (3<<8))
#define SQLITE_WARNING_AUTOINDEX       (SQLITE_WARNING | (1<<8))
#define SQLITE_AUTH_USER               (SQLITE_AUTH | (1<<8))
#define SQLITE_OK_LOAD_PERMANENTLY     (SQLITE_OK | (1<<8))
#define SQLITE_OK_SYMLINK              (SQLITE_OK | (2<<8))

/* How a database is opened; the file kinds are for VFSs. */
#define SQLITE_OPEN_READONLY       0x00000001
#define SQLITE_OPEN_READWRITE      0x00000002
#define SQLITE_OPEN_CREATE         0x00000004
#define SQLITE_OPEN_DELETEONCLOSE  0x00000008
#define SQLITE_OPEN_EXCLUSIVE      0x00000010
#define SQLITE_OPEN_AUTOPROXY      0x00000020
#define SQLITE_OPEN_URI            0x00000040
#define SQLITE_OPEN_MEMORY         0x00000080
#define SQLITE_OPEN_MAIN_DB        0x00000100
#define SQLITE_OPEN_TEMP_DB        0x00000200
#define SQLITE_OPEN_TRANSIENT_DB   0x00000400
#define SQLITE_OPEN_MAIN_JOURNAL   0x00000800
#define SQLITE_OPEN_TEMP_JOURNAL   0x00001000
#define SQLITE_OPEN_SUBJOURNAL     0x00002000
#define SQLITE_OPEN_SUPER_JOURNAL  0x00004000
#define SQLITE_OPEN_NOMUTEX        0x00008000
#define SQLITE_OPEN_FULLMUTEX      0x00010000
#define SQLITE_OPEN_SHAREDCACHE    0x00020000
#define SQLITE_OPEN_PRIVATECACHE   0x00040000
#define SQLITE_OPEN_WAL            0x00080000
#define SQLITE_OPEN_NOFOLLOW       0x01000000
#define SQLITE_OPEN_EXRESCODE      0x02000000
#define SQLITE_OPEN_MASTER_JOURNAL 0x00004000

/* What a device promises (xDeviceCharacteristics). */
#define SQLITE_IOCAP_ATOMIC                0x00000001
#define SQLITE_IOCAP_ATOMIC512             0x00000002
#define SQLITE_IOCAP_ATOMIC1K              0x00000004
#define SQLITE_IOCAP_ATOMIC2K              0x00000008
#define SQLITE_IOCAP_ATOMIC4K              0x00000010
#define SQLITE_IOCAP_ATOMIC8K              0x00000020
#define SQLITE_IOCAP_ATOMIC16K             0x00000040
#define SQLITE_IOCAP_ATOMIC32K             0x00000080
#define SQLITE_IOCAP_ATOMIC64K             0x00000100
#define SQLITE_IOCAP_SAFE_APPEND           0x00000200
#define SQLITE_IOCAP_SEQUENTIAL            0x00000400
#define SQLITE_IOCAP_UNDELETABLE_WHEN_OPEN 0x00000800
#define SQLITE_IOCAP_POWERSAFE_OVERWRITE   0x00001000
#define SQLITE_IOCAP_IMMUTABLE             0x00002000
#define SQLITE_IOCAP_BATCH_ATOMIC          0x00004000
#define SQLITE_IOCAP_SUBPAGE_READ          0x00008000

/* Arguments of the methods of files and VFSs. */
#define SQLITE_LOCK_NONE              0
#define SQLITE_LOCK_SHARED            1
#define SQLITE_LOCK_RESERVED          2
#define SQLITE_LOCK_PENDING           3
#define SQLITE_LOCK_EXCLUSIVE         4
#define SQLITE_SYNC_NORMAL            0x00002
#define SQLITE_SYNC_FULL              0x00003
#define SQLITE_SYNC_DATAONLY          0x00010
#define SQLITE_ACCESS_EXISTS          0
#define SQLITE_ACCESS_READWRITE       1
#define SQLITE_ACCESS_READ            2
#define SQLITE_SHM_UNLOCK             1
#define SQLITE_SHM_LOCK               2
#define SQLITE_SHM_SHARED             4
#define SQLITE_SHM_EXCLUSIVE          8
#define SQLITE_SHM_NLOCK              8
#define SQLITE_SETLK_BLOCK_ON_CONNECT 0x01

/* Operations of sqlite3_file_control. */
#define SQLITE_FCNTL_LOCKSTATE             1
#define SQLITE_FCNTL_GET_LOCKPROXYFILE     2
#define SQLITE_FCNTL_SET_LOCKPROXYFILE     3
#define SQLITE_FCNTL_LAST_ERRNO            4
#define SQLITE_FCNTL_SIZE_HINT             5
#define SQLITE_FCNTL_CHUNK_SIZE            6
#define SQLITE_FCNTL_FILE_POINTER          7
#define SQLITE_FCNTL_SYNC_OMITTED          8
#define SQLITE_FCNTL_WIN32_AV_RETRY        9
#define SQLITE_FCNTL_PERSIST_WAL           10
#define SQLITE_FCNTL_OVERWRITE             11
#define SQLITE_FCNTL_VFSNAME               12
#define SQLITE_FCNTL_POWERSAFE_OVERWRITE   13
#define SQLITE_FCNTL_PRAGMA                14
#define SQLITE_FCNTL_BUSYHANDLER           15
#define SQLITE_FCNTL_TEMPFILENAME          16
#define SQLITE_FCNTL_MMAP_SIZE             18
#define SQLITE_FCNTL_TRACE                 19
#define SQLITE_FCNTL_HAS_MOVED             20
#define SQLITE_FCNTL_SYNC                  21
#define SQLITE_FCNTL_COMMIT_PHASETWO       22
#define SQLITE_FCNTL_WIN32_SET_HANDLE      23
#define SQLITE_FCNTL_WAL_BLOCK             24
#define SQLITE_FCNTL_ZIPVFS                25
#define SQLITE_FCNTL_RBU                   26
#define SQLITE_FCNTL_VFS_POINTER           27
#define SQLITE_FCNTL_JOURNAL_POINTER       28
#define SQLITE_FCNTL_WIN32_GET_HANDLE      29
#define SQLITE_FCNTL_PDB                   30
#define SQLITE_FCNTL_BEGIN_ATOMIC_WRITE    31
#define SQLITE_FCNTL_COMMIT_ATOMIC_WRITE   32
#define SQLITE_FCNTL_ROLLBACK_ATOMIC_WRITE 33
#define SQLITE_FCNTL_LOCK_TIMEOUT          34
#define SQLITE_FCNTL_DATA_VERSION          35
#define SQLITE_FCNTL_SIZE_LIMIT            36
#define SQLITE_FCNTL_CKPT_DONE             37
#define SQLITE_FCNTL_RESERVE_BYTES         38
#define SQLITE_FCNTL_CKPT_START            39
#define SQLITE_FCNTL_EXTERNAL_READER       40
#define SQLITE_FCNTL_CKSM_FILE             41
#define SQLITE_FCNTL_RESET_CACHE           42
#define SQLITE_FCNTL_NULL_IO               43
#define SQLITE_FCNTL_BLOCK_ON_CONNECT      44
#define SQLITE_FCNTL_FILESTAT              45
#define SQLITE_GET_LOCKPROXYFILE           SQLITE_FCNTL_GET_LOCKPROXYFILE
#define SQLITE_SET_LOCKPROXYFILE           SQLITE_FCNTL_SET_LOCKPROXYFILE
#define SQLITE_LAST_ERRNO                  SQLITE_FCNTL_LAST_ERRNO

/* Options of sqlite3_config, sqlite3_db_config and sqlite3_test_control. */
#define SQLITE_CONFIG_SINGLETHREAD            1
#define SQLITE_CONFIG_MULTITHREAD             2
#define SQLITE_CONFIG_SERIALIZED              3
#define SQLITE_CONFIG_MALLOC                  4
#define SQLITE_CONFIG_GETMALLOC               5
#define SQLITE_CONFIG_SCRATCH                 6
#define SQLITE_CONFIG_PAGECACHE               7
#define SQLITE_CONFIG_HEAP                    8
#define SQLITE_CONFIG_MEMSTATUS               9
#define SQLITE_CONFIG_MUTEX                   10
#define SQLITE_CONFIG_GETMUTEX                11
#define SQLITE_CONFIG_LOOKASIDE               13
#define SQLITE_CONFIG_PCACHE                  14
#define SQLITE_CONFIG_GETPCACHE               15
#define SQLITE_CONFIG_LOG                     16
#define SQLITE_CONFIG_URI                     17
#define SQLITE_CONFIG_PCACHE2                 18
#define SQLITE_CONFIG_GETPCACHE2              19
#define SQLITE_CONFIG_COVERING_INDEX_SCAN     20
#define SQLITE_CONFIG_SQLLOG                  21
#define SQLITE_CONFIG_MMAP_SIZE               22
#define SQLITE_CONFIG_WIN32_HEAPSIZE          23
#define SQLITE_CONFIG_PCACHE_HDRSZ            24
#define SQLITE_CONFIG_PMASZ                   25
#define SQLITE_CONFIG_STMTJRNL_SPILL          26
#define SQLITE_CONFIG_SMALL_MALLOC            27
#define SQLITE_CONFIG_SORTERREF_SIZE          28
#define SQLITE_CONFIG_MEMDB_MAXSIZE           29
#define SQLITE_CONFIG_ROWID_IN_VIEW           30
#define SQLITE_DBCONFIG_MAINDBNAME            1000
#define SQLITE_DBCONFIG_LOOKASIDE             1001
#define SQLITE_DBCONFIG_ENABLE_FKEY           1002
#define SQLITE_DBCONFIG_ENABLE_TRIGGER        1003
#define SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER 1004
#define SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION 1005
#define SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE      1006
#define SQLITE_DBCONFIG_ENABLE_QPSG           1007
#define SQLITE_DBCONFIG_TRIGGER_EQP           1008
#define SQLITE_DBCONFIG_RESET_DATABASE        1009
#define SQLITE_DBCONFIG_DEFENSIVE             1010
#define SQLITE_DBCONFIG_WRITABLE_SCHEMA       1011
#define SQLITE_DBCONFIG_LEGACY_ALTER_TABLE    1012
#define SQLITE_DBCONFIG_DQS_DML               1013
#define SQLITE_DBCONFIG_DQS_DDL               1014
#define SQLITE_DBCONFIG_ENABLE_VIEW           1015
#define SQLITE_DBCONFIG_LEGACY_FILE_FORMAT    1016
#define SQLITE_DBCONFIG_TRUSTED_SCHEMA        1017
#define SQLITE_DBCONFIG_STMT_SCANSTATUS       1018
#define SQLITE_DBCONFIG_REVERSE_SCANORDER     1019
#define SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE  1020
#define SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE   1021
#define SQLITE_DBCONFIG_ENABLE_COMMENTS       1022
#define SQLITE_DBCONFIG_FP_DIGITS             1023
#define SQLITE_DBCONFIG_MAX                   1023
#define SQLITE_TESTCTRL_FIRST                 5
#define SQLITE_TESTCTRL_PRNG_SAVE             5
#define SQLITE_TESTCTRL_PRNG_RESTORE          6
#define SQLITE_TESTCTRL_PRNG_RESET            7
#define SQLITE_TESTCTRL_FK_NO_ACTION          7
#define SQLITE_TESTCTRL_BITVEC_TEST           8
#define SQLITE_TESTCTRL_FAULT_INSTALL         9
#define SQLITE_TESTCTRL_BENIGN_MALLOC_HOOKS   10
#define SQLITE_TESTCTRL_PENDING_BYTE          11
#define SQLITE_TESTCTRL_ASSERT                12
#define SQLITE_TESTCTRL_ALWAYS                13
#define SQLITE_TESTCTRL_RESERVE               14
#define SQLITE_TESTCTRL_JSON_SELFCHECK        14
#define SQLITE_TESTCTRL_OPTIMIZATIONS         15
#define SQLITE_TESTCTRL_ISKEYWORD             16
#define SQLITE_TESTCTRL_GETOPT                16
#define SQLITE_TESTCTRL_SCRATCHMALLOC         17
#define SQLITE_TESTCTRL_INTERNAL_FUNCTIONS    17
#define SQLITE_TESTCTRL_LOCALTIME_FAULT       18
#define SQLITE_TESTCTRL_EXPLAIN_STMT          19
#define SQLITE_TESTCTRL_ONCE_RESET_THRESHOLD  19
#define SQLITE_TESTCTRL_NEVER_CORRUPT         20
#define SQLITE_TESTCTRL_VDBE_COVERAGE         21
#define SQLITE_TESTCTRL_BYTEORDER             22
#define SQLITE_TESTCTRL_ISINIT                23
#define SQLITE_TESTCTRL_SORTER_MMAP           24
#define SQLITE_TESTCTRL_IMPOSTER              25
#define SQLITE_TESTCTRL_PARSER_COVERAGE       26
#define SQLITE_TESTCTRL_RESULT_INTREAL        27
#define SQLITE_TESTCTRL_PRNG_SEED             28
#define SQLITE_TESTCTRL_EXTRA_SCHEMA_CHECKS   29
#define SQLITE_TESTCTRL_SEEK_COUNT            30
#define SQLITE_TESTCTRL_TRACEFLAGS            31
#define SQLITE_TESTCTRL_TUNE                  32
#define SQLITE_TESTCTRL_LOGEST                33
#define SQLITE_TESTCTRL_USELONGDOUBLE         34
#define SQLITE_TESTCTRL_ATOF                  34
#define SQLITE_TESTCTRL_LAST                  34

/* What an authorizer is asked about, and what it answers besides SQLITE_OK. */
#define SQLITE_DENY                1
#define SQLITE_IGNORE              2
#define SQLITE_CREATE_INDEX        1
#define SQLITE_CREATE_TABLE        2
#define SQLITE_CREATE_TEMP_INDEX   3
#define SQLITE_CREATE_TEMP_TABLE   4
#define SQLITE_CREATE_TEMP_TRIGGER 5
#define SQLITE_CREATE_TEMP_VIEW    6
#define SQLITE_CREATE_TRIGGER      7
#define SQLITE_CREATE_VIEW         8
#define SQLITE_DELETE              9
#define SQLITE_DROP_INDEX          10
#define SQLITE_DROP_TABLE          11
#define SQLITE_DROP_TEMP_INDEX     12
#define SQLITE_DROP_TEMP_TABLE     13
#define SQLITE_DROP_TEMP_TRIGGER   14
#define SQLITE_DROP_TEMP_VIEW      15
#define SQLITE_DROP_TRIGGER        16
#define SQLITE_DROP_VIEW           17
#define SQLITE_INSERT              18
#define SQLITE_PRAGMA              19
#define SQLITE_READ                20
#define SQLITE_SELECT              21
#define SQLITE_TRANSACTION         22
#define SQLITE_UPDATE              23
#define SQLITE_ATTACH              24
#define SQLITE_DETACH              25
#define SQLITE_ALTER_TABLE         26
#define SQLITE_REINDEX             27
#define SQLITE_ANALYZE             28
#define SQLITE_CREATE_VTABLE       29
#define SQLITE_DROP_VTABLE         30
#define SQLITE_FUNCTION            31
#define SQLITE_SAVEPOINT           32
#define SQLITE_COPY                0
#define SQLITE_RECURSIVE           33

/* Events of sqlite3_trace_v2. */
#define SQLITE_TRACE_STMT    0x01
#define SQLITE_TRACE_PROFILE 0x02
#define SQLITE_TRACE_ROW     0x04
#define SQLITE_TRACE_CLOSE   0x08

/* Categories of sqlite3_limit. */
#define SQLITE_LIMIT_LENGTH              0
#define SQLITE_LIMIT_SQL_LENGTH          1
#define SQLITE_LIMIT_COLUMN              2
#define SQLITE_LIMIT_EXPR_DEPTH          3
#define SQLITE_LIMIT_COMPOUND_SELECT     4
#define SQLITE_LIMIT_VDBE_OP             5
#define SQLITE_LIMIT_FUNCTION_ARG        6
#define SQLITE_LIMIT_ATTACHED            7
#define SQLITE_LIMIT_LIKE_PATTERN_LENGTH 8
#define SQLITE_LIMIT_VARIABLE_NUMBER     9
#define SQLITE_LIMIT_TRIGGER_DEPTH       10
#define SQLITE_LIMIT_WORKER_THREADS      11
#define SQLITE_LIMIT_PARSER_DEPTH        12

/* Flags of sqlite3_prepare_v3. */
#define SQLITE_PREPARE_PERSISTENT 0x01
#define SQLITE_PREPARE_NORMALIZE  0x02
#define SQLITE_PREPARE_NO_VTAB    0x04
#define SQLITE_PREPARE_DONT_LOG   0x10
#define SQLITE_PREPARE_FROM_DDL   0x20

/* Storage classes and text encodings. */
#define SQLITE_INTEGER       1
#define SQLITE_FLOAT         2
#define SQLITE_BLOB          4
#define SQLITE_NULL          5
#define SQLITE_UTF8          1
#define SQLITE_UTF16LE       2
#define SQLITE_UTF16BE       3
#define SQLITE_UTF16         4
#define SQLITE_ANY           5
#define SQLITE_UTF16_ALIGNED 8
#define SQLITE_UTF8_ZT       16

/* What is known of a function, added to its encoding. */
#define SQLITE_DETERMINISTIC  0x000000800
#define SQLITE_DIRECTONLY     0x000080000
#define SQLITE_SUBTYPE        0x000100000
#define SQLITE_INNOCUOUS      0x000200000
#define SQLITE_RESULT_SUBTYPE 0x001000000
#define SQLITE_SELFORDER1     0x002000000

/* Answers of sqlite3_txn_state. */
#define SQLITE_TXN_NONE  0
#define SQLITE_TXN_READ  1
#define SQLITE_TXN_WRITE 2

/* Virtual tables: plans, options, conflicts. */
#define SQLITE_INDEX_SCAN_UNIQUE          0x00000001
#define SQLITE_INDEX_SCAN_HEX             0x00000002
#define SQLITE_INDEX_CONSTRAINT_EQ        2
#define SQLITE_INDEX_CONSTRAINT_GT        4
#define SQLITE_INDEX_CONSTRAINT_LE        8
#define SQLITE_INDEX_CONSTRAINT_LT        16
#define SQLITE_INDEX_CONSTRAINT_GE        32
#define SQLITE_INDEX_CONSTRAINT_MATCH     64
#define SQLITE_INDEX_CONSTRAINT_LIKE      65
#define SQLITE_INDEX_CONSTRAINT_GLOB      66
#define SQLITE_INDEX_CONSTRAINT_REGEXP    67
#define SQLITE_INDEX_CONSTRAINT_NE        68
#define SQLITE_INDEX_CONSTRAINT_ISNOT     69
#define SQLITE_INDEX_CONSTRAINT_ISNOTNULL 70
#define SQLITE_INDEX_CONSTRAINT_ISNULL    71
#define SQLITE_INDEX_CONSTRAINT_IS        72
#define SQLITE_INDEX_CONSTRAINT_LIMIT     73
#define SQLITE_INDEX_CONSTRAINT_OFFSET    74
#define SQLITE_INDEX_CONSTRAINT_FUNCTION  150
#define SQLITE_VTAB_CONSTRAINT_SUPPORT    1
#define SQLITE_VTAB_INNOCUOUS             2
#define SQLITE_VTAB_DIRECTONLY            3
#define SQLITE_VTAB_USES_ALL_SCHEMAS      4
#define SQLITE_ROLLBACK                   1
#define SQLITE_FAIL                       3
#define SQLITE_REPLACE                    5

/* Mutexes. */
#define SQLITE_MUTEX_FAST          0
#define SQLITE_MUTEX_RECURSIVE     1
#define SQLITE_MUTEX_STATIC_MAIN   2
#define SQLITE_MUTEX_STATIC_MEM    3
#define SQLITE_MUTEX_STATIC_MEM2   4
#define SQLITE_MUTEX_STATIC_OPEN   4
#define SQLITE_MUTEX_STATIC_PRNG   5
#define SQLITE_MUTEX_STATIC_LRU    6
#define SQLITE_MUTEX_STATIC_LRU2   7
#define SQLITE_MUTEX_STATIC_PMEM   7
#define SQLITE_MUTEX_STATIC_APP1   8
#define SQLITE_MUTEX_STATIC_APP2   9
#define SQLITE_MUTEX_STATIC_APP3   10
#define SQLITE_MUTEX_STATIC_VFS1   11
#define SQLITE_MUTEX_STATIC_VFS2   12
#define SQLITE_MUTEX_STATIC_VFS3   13
#define SQLITE_MUTEX_STATIC_MASTER 2

/* Counters. */
#define SQLITE_STATUS_MEMORY_USED           0
#define SQLITE_STATUS_PAGECACHE_USED        1
#define SQLITE_STATUS_PAGECACHE_OVERFLOW    2
#define SQLITE_STATUS_SCRATCH_USED          3
#define SQLITE_STATUS_SCRATCH_OVERFLOW      4
#define SQLITE_STATUS_MALLOC_SIZE           5
#define SQLITE_STATUS_PARSER_STACK          6
#define SQLITE_STATUS_PAGECACHE_SIZE        7
#define SQLITE_STATUS_SCRATCH_SIZE          8
#define SQLITE_STATUS_MALLOC_COUNT          9
#define SQLITE_DBSTATUS_LOOKASIDE_USED      0
#define SQLITE_DBSTATUS_CACHE_USED          1
#define SQLITE_DBSTATUS_SCHEMA_USED         2
#define SQLITE_DBSTATUS_STMT_USED           3
#define SQLITE_DBSTATUS_LOOKASIDE_HIT       4
#define SQLITE_DBSTATUS_LOOKASIDE_MISS_SIZE 5
#define SQLITE_DBSTATUS_LOOKASIDE_MISS_FULL 6
#define SQLITE_DBSTATUS_CACHE_HIT           7
#define SQLITE_DBSTATUS_CACHE_MISS          8
#define SQLITE_DBSTATUS_CACHE_WRITE         9
#define SQLITE_DBSTATUS_DEFERRED_FKS        10
#define SQLITE_DBSTATUS_CACHE_USED_SHARED   11
#define SQLITE_DBSTATUS_CACHE_SPILL         12
#define SQLITE_DBSTATUS_TEMPBUF_SPILL       13
#define SQLITE_DBSTATUS_MAX                 13
#define SQLITE_STMTSTATUS_FULLSCAN_STEP     1
#define SQLITE_STMTSTATUS_SORT              2
#define SQLITE_STMTSTATUS_AUTOINDEX         3
#define SQLITE_STMTSTATUS_VM_STEP           4
#define SQLITE_STMTSTATUS_REPREPARE         5
#define SQLITE_STMTSTATUS_RUN               6
#define SQLITE_STMTSTATUS_FILTER_MISS       7
#define SQLITE_STMTSTATUS_FILTER_HIT        8
#define SQLITE_STMTSTATUS_MEMUSED           99
#define SQLITE_SCANSTAT_NLOOP               0
#define SQLITE_SCANSTAT_NVISIT              1
#define SQLITE_SCANSTAT_EST                 2
#define SQLITE_SCANSTAT_NAME                3
#define SQLITE_SCANSTAT_EXPLAIN             4
#define SQLITE_SCANSTAT_SELECTID            5
#define SQLITE_SCANSTAT_PARENTID            6
#define SQLITE_SCANSTAT_NCYCLE              7
#define SQLITE_SCANSTAT_COMPLEX             0x0001

/* Modes of a checkpoint. */
#define SQLITE_CHECKPOINT_NOOP     -1
#define SQLITE_CHECKPOINT_PASSIVE  0
#define SQLITE_CHECKPOINT_FULL     1
#define SQLITE_CHECKPOINT_RESTART  2
#define SQLITE_CHECKPOINT_TRUNCATE 3

/* Flags of serialization. */
#define SQLITE_SERIALIZE_NOCOPY        0x001
#define SQLITE_DESERIALIZE_FREEONCLOSE 1
#define SQLITE_DESERIALIZE_RESIZEABLE  2
#define SQLITE_DESERIALIZE_READONLY    4

/* Types of the elements of carray(). */
#define SQLITE_CARRAY_INT32  0
#define SQLITE_CARRAY_INT64  1
#define SQLITE_CARRAY_DOUBLE 2
#define SQLITE_CARRAY_TEXT   3
#define SQLITE_CARRAY_BLOB   4

/* Others. */
#define SQLITE3_TEXT                     3
#define SQLITE_WIN32_DATA_DIRECTORY_TYPE 1
#define SQLITE_WIN32_TEMP_DIRECTORY_TYPE 2
#define CARRAY_INT32                     0
#define CARRAY_INT64                     1
#define CARRAY_DOUBLE                    2
#define CARRAY_TEXT                      3
#define CARRAY_BLOB                      4

/* Structures that both sides fill in. */
struct sqlite3_file {
  const struct sqlite3_io_methods *pMethods;
};

struct sqlite3_io_methods {
  int iVersion;
  int (*xClose)(sqlite3_file *);
  int (*xRead)(sqlite3_file *, void *, int iAmt, sqlite3_int64 iOfst);
  int (*xWrite)(sqlite3_file *, const void *, int iAmt, sqlite3_int64 iOfst);
  int (*xTruncate)(sqlite3_file *, sqlite3_int64 size);
  int (*xSync)(sqlite3_file *, int flags);
  int (*xFileSize)(sqlite3_file *, sqlite3_int64 *pSize);
  int (*xLock)(sqlite3_file *, int);
  int (*xUnlock)(sqlite3_file *, int);
  int (*xCheckReservedLock)(sqlite3_file *, int *pResOut);
  int (*xFileControl)(sqlite3_file *, int op, void *pArg);
  int (*xSectorSize)(sqlite3_file *);
  int (*xDeviceCharacteristics)(sqlite3_file *);
  int (*xShmMap)(sqlite3_file *, int iPg, int pgsz, int, void volatile **);
  int (*xShmLock)(sqlite3_file *, int offset, int n, int flags);
  void (*xShmBarrier)(sqlite3_file *);
  int (*xShmUnmap)(sqlite3_file *, int deleteFlag);
  int (*xFetch)(sqlite3_file *, sqlite3_int64 iOfst, int iAmt, void **pp);
  int (*xUnfetch)(sqlite3_file *, sqlite3_int64 iOfst, void *p);
};

struct sqlite3_vfs {
  int iVersion;
  int szOsFile;
  int mxPathname;
  sqlite3_vfs *pNext;
  const char *zName;
  void *pAppData;
  int (*xOpen)(sqlite3_vfs *, sqlite3_filename zName, sqlite3_file *, int flags, int *pOutFlags);
  int (*xDelete)(sqlite3_vfs *, const char *zName, int syncDir);
  int (*xAccess)(sqlite3_vfs *, const char *zName, int flags, int *pResOut);
  int (*xFullPathname)(sqlite3_vfs *, const char *zName, int nOut, char *zOut);
  void *(*xDlOpen)(sqlite3_vfs *, const char *zFilename);
  void (*xDlError)(sqlite3_vfs *, int nByte, char *zErrMsg);
  void (*(*xDlSym)(sqlite3_vfs *, void *, const char *zSymbol))(void);
  void (*xDlClose)(sqlite3_vfs *, void *);
  int (*xRandomness)(sqlite3_vfs *, int nByte, char *zOut);
  int (*xSleep)(sqlite3_vfs *, int microseconds);
  int (*xCurrentTime)(sqlite3_vfs *, double *);
  int (*xGetLastError)(sqlite3_vfs *, int, char *);
  int (*xCurrentTimeInt64)(sqlite3_vfs *, sqlite3_int64 *);
  int (*xSetSystemCall)(sqlite3_vfs *, const char *zName, sqlite3_syscall_ptr);
  sqlite3_syscall_ptr (*xGetSystemCall)(sqlite3_vfs *, const char *zName);
  const char *(*xNextSystemCall)(sqlite3_vfs *, const char *zName);
};

struct sqlite3_mem_methods {
  void *(*xMalloc)(int);
  void (*xFree)(void *);
  void *(*xRealloc)(void *, int);
  int (*xSize)(void *);
  int (*xRoundup)(int);
  int (*xInit)(void *);
  void (*xShutdown)(void *);
  void *pAppData;
};

struct sqlite3_module {
  int iVersion;
  int (*xCreate)(sqlite3 *, void *pAux, int argc, const char *const *argv, sqlite3_vtab **ppVTab,
      char **);
  int (*xConnect)(sqlite3 *, void *pAux, int argc, const char *const *argv, sqlite3_vtab **ppVTab,
      char **);
  int (*xBestIndex)(sqlite3_vtab *pVTab, sqlite3_index_info *);
  int (*xDisconnect)(sqlite3_vtab *pVTab);
  int (*xDestroy)(sqlite3_vtab *pVTab);
  int (*xOpen)(sqlite3_vtab *pVTab, sqlite3_vtab_cursor **ppCursor);
  int (*xClose)(sqlite3_vtab_cursor *);
  int (*xFilter)(sqlite3_vtab_cursor *, int idxNum, const char *idxStr, int argc, sqlite3_value
      **argv);
  int (*xNext)(sqlite3_vtab_cursor *);
  int (*xEof)(sqlite3_vtab_cursor *);
  int (*xColumn)(sqlite3_vtab_cursor *, sqlite3_context *, int);
  int (*xRowid)(sqlite3_vtab_cursor *, sqlite3_int64 *pRowid);
  int (*xUpdate)(sqlite3_vtab *, int, sqlite3_value **, sqlite3_int64 *);
  int (*xBegin)(sqlite3_vtab *pVTab);
  int (*xSync)(sqlite3_vtab *pVTab);
  int (*xCommit)(sqlite3_vtab *pVTab);
  int (*xRollback)(sqlite3_vtab *pVTab);
  int (*xFindFunction)(sqlite3_vtab *pVtab, int nArg, const char *zName, void
      (**pxFunc)(sqlite3_context *, int, sqlite3_value **), void **ppArg);
  int (*xRename)(sqlite3_vtab *pVtab, const char *zNew);
  int (*xSavepoint)(sqlite3_vtab *pVTab, int);
  int (*xRelease)(sqlite3_vtab *pVTab, int);
  int (*xRollbackTo)(sqlite3_vtab *pVTab, int);
  int (*xShadowName)(const char *);
  int (*xIntegrity)(sqlite3_vtab *pVTab, const char *zSchema, const char *zTabName, int mFlags, char
      **pzErr);
};

struct sqlite3_index_info {
  int nConstraint;
  struct sqlite3_index_constraint {
    int iColumn;
    unsigned char op;
    unsigned char usable;
    int iTermOffset;
  } *aConstraint;
  int nOrderBy;
  struct sqlite3_index_orderby {
    int iColumn;
    unsigned char desc;
  } *aOrderBy;
  struct sqlite3_index_constraint_usage {
    int argvIndex;
    unsigned char omit;
  } *aConstraintUsage;
  int idxNum;
  char *idxStr;
  int needToFreeIdxStr;
  int orderByConsumed;
  double estimatedCost;
  sqlite3_int64 estimatedRows;
  int idxFlags;
  sqlite3_uint64 colUsed;
};

struct sqlite3_vtab {
  const sqlite3_module *pModule;
  int nRef;
  char *zErrMsg;
};

struct sqlite3_vtab_cursor {
  sqlite3_vtab *pVtab;
};

struct sqlite3_mutex_methods {
  int (*xMutexInit)(void);
  int (*xMutexEnd)(void);
  sqlite3_mutex *(*xMutexAlloc)(int);
  void (*xMutexFree)(sqlite3_mutex *);
  void (*xMutexEnter)(sqlite3_mutex *);
  int (*xMutexTry)(sqlite3_mutex *);
  void (*xMutexLeave)(sqlite3_mutex *);
  int (*xMutexHeld)(sqlite3_mutex *);
  int (*xMutexNotheld)(sqlite3_mutex *);
};

struct sqlite3_pcache_page {
  void *pBuf;
  void *pExtra;
};

struct sqlite3_pcache_methods2 {
  int iVersion;
  void *pArg;
  int (*xInit)(void *);
  void (*xShutdown)(void *);
  sqlite3_pcache *(*xCreate)(int szPage, int szExtra, int bPurgeable);
  void (*xCachesize)(sqlite3_pcache *, int nCachesize);
  int (*xPagecount)(sqlite3_pcache *);
  sqlite3_pcache_page *(*xFetch)(sqlite3_pcache *, unsigned key, int createFlag);
  void (*xUnpin)(sqlite3_pcache *, sqlite3_pcache_page *, int discard);
  void (*xRekey)(sqlite3_pcache *, sqlite3_pcache_page *, unsigned oldKey, unsigned newKey);
  void (*xTruncate)(sqlite3_pcache *, unsigned iLimit);
  void (*xDestroy)(sqlite3_pcache *);
  void (*xShrink)(sqlite3_pcache *);
};

struct sqlite3_pcache_methods {
  void *pArg;
  int (*xInit)(void *);
  void (*xShutdown)(void *);
  sqlite3_pcache *(*xCreate)(int szPage, int bPurgeable);
  void (*xCachesize)(sqlite3_pcache *, int nCachesize);
  int (*xPagecount)(sqlite3_pcache *);
  void *(*xFetch)(sqlite3_pcache *, unsigned key, int createFlag);
  void (*xUnpin)(sqlite3_pcache *, void *, int discard);
  void (*xRekey)(sqlite3_pcache *, void *, unsigned oldKey, unsigned newKey);
  void (*xTruncate)(sqlite3_pcache *, unsigned iLimit);
  void (*xDestroy)(sqlite3_pcache *);
};

typedef struct sqlite3_snapshot {
  unsigned char hidden[48];
} sqlite3_snapshot;

/* Version and build. */
const char *sqlite3_libversion(void);
const char *sqlite3_sourceid(void);
int sqlite3_libversion_number(void);
int sqlite3_compileoption_used(const char *optName);
const char *sqlite3_compileoption_get(int count);
int sqlite3_threadsafe(void);

/* The library as a whole. */
int sqlite3_initialize(void);
int sqlite3_shutdown(void);
int sqlite3_os_init(void);
int sqlite3_os_end(void);
int sqlite3_config(int, ...);
void sqlite3_randomness(int count, void *object);
int sqlite3_sleep(int);
int sqlite3_test_control(int op, ...);
void sqlite3_log(int errCode, const char *format, ...);
int sqlite3_system_errno(sqlite3 *);

/* Connections. */
int sqlite3_close(sqlite3 *);
int sqlite3_close_v2(sqlite3 *);
int sqlite3_db_config(sqlite3 *, int op, ...);
int sqlite3_extended_result_codes(sqlite3 *, int onoff);
sqlite3_int64 sqlite3_last_insert_rowid(sqlite3 *);
void sqlite3_set_last_insert_rowid(sqlite3 *, sqlite3_int64);
int sqlite3_changes(sqlite3 *);
sqlite3_int64 sqlite3_changes64(sqlite3 *);
int sqlite3_total_changes(sqlite3 *);
sqlite3_int64 sqlite3_total_changes64(sqlite3 *);
void sqlite3_interrupt(sqlite3 *);
int sqlite3_is_interrupted(sqlite3 *);
int sqlite3_busy_handler(sqlite3 *, int (*)(void *, int), void *);
int sqlite3_busy_timeout(sqlite3 *, int ms);
int sqlite3_setlk_timeout(sqlite3 *, int ms, int flags);
int sqlite3_open(const char *filename, sqlite3 **db);
int sqlite3_open16(const void *filename, sqlite3 **db);
int sqlite3_open_v2(const char *filename, sqlite3 **db, int flags, const char *vfs);
int sqlite3_limit(sqlite3 *, int id, int newVal);
void *sqlite3_get_clientdata(sqlite3 *, const char *);
int sqlite3_set_clientdata(sqlite3 *, const char *, void *, void (*)(void *));
int sqlite3_get_autocommit(sqlite3 *);
sqlite3 *sqlite3_db_handle(sqlite3_stmt *);
const char *sqlite3_db_name(sqlite3 *db, int count);
sqlite3_filename sqlite3_db_filename(sqlite3 *db, const char *dbName);
int sqlite3_db_readonly(sqlite3 *db, const char *dbName);
int sqlite3_txn_state(sqlite3 *, const char *schema);
sqlite3_stmt *sqlite3_next_stmt(sqlite3 *db, sqlite3_stmt *stmt);
int sqlite3_autovacuum_pages(sqlite3 *db, unsigned int (*)(void *, const char *, unsigned int,
    unsigned int, unsigned int), void *, void (*)(void *));
int sqlite3_enable_shared_cache(int);
int sqlite3_db_release_memory(sqlite3 *);
int sqlite3_table_column_metadata(sqlite3 *db, const char *dbName, const char *tableName, const char
    *columnName, char const **pzDataType, char const **pzCollSeq, int *notNull, int *primaryKey, int
    *autoinc);
int sqlite3_overload_function(sqlite3 *, const char *funcName, int argCount);
sqlite3_mutex *sqlite3_db_mutex(sqlite3 *);
int sqlite3_db_cacheflush(sqlite3 *);

/* Errors. */
int sqlite3_errcode(sqlite3 *db);
int sqlite3_extended_errcode(sqlite3 *db);
const char *sqlite3_errmsg(sqlite3 *);
const void *sqlite3_errmsg16(sqlite3 *);
const char *sqlite3_errstr(int);
int sqlite3_error_offset(sqlite3 *db);
int sqlite3_set_errmsg(sqlite3 *db, int errcode, const char *errMsg);

/* One-step queries. */
int sqlite3_exec(sqlite3 *, const char *sql, int (*callback)(void *, int, char **, char **), void *,
    char **errmsg);
int sqlite3_complete(const char *sql);
int sqlite3_complete16(const void *sql);
int sqlite3_get_table(sqlite3 *db, const char *sql, char ***pazResult, int *pnRow, int *pnColumn,
    char **pzErrmsg);
void sqlite3_free_table(char **result);

/* Statements. */
int sqlite3_prepare(sqlite3 *db, const char *sql, int byteCount, sqlite3_stmt **stmt, const char
    **pzTail);
int sqlite3_prepare_v2(sqlite3 *db, const char *sql, int byteCount, sqlite3_stmt **stmt, const char
    **pzTail);
int sqlite3_prepare_v3(sqlite3 *db, const char *sql, int byteCount, unsigned int prepFlags,
    sqlite3_stmt **stmt, const char **pzTail);
int sqlite3_prepare16(sqlite3 *db, const void *sql, int byteCount, sqlite3_stmt **stmt, const void
    **pzTail);
int sqlite3_prepare16_v2(sqlite3 *db, const void *sql, int byteCount, sqlite3_stmt **stmt, const
    void **pzTail);
int sqlite3_prepare16_v3(sqlite3 *db, const void *sql, int byteCount, unsigned int prepFlags,
    sqlite3_stmt **stmt, const void **pzTail);
const char *sqlite3_sql(sqlite3_stmt *stmt);
char *sqlite3_expanded_sql(sqlite3_stmt *stmt);
const char *sqlite3_normalized_sql(sqlite3_stmt *stmt);
int sqlite3_stmt_readonly(sqlite3_stmt *stmt);
int sqlite3_stmt_isexplain(sqlite3_stmt *stmt);
int sqlite3_stmt_explain(sqlite3_stmt *stmt, int mode);
int sqlite3_stmt_busy(sqlite3_stmt *);
int sqlite3_clear_bindings(sqlite3_stmt *);
int sqlite3_step(sqlite3_stmt *);
int sqlite3_data_count(sqlite3_stmt *stmt);
int sqlite3_finalize(sqlite3_stmt *stmt);
int sqlite3_reset(sqlite3_stmt *stmt);
void sqlite3_reset_auto_extension(void);

/* Parameters. */
int sqlite3_bind_blob(sqlite3_stmt *, int, const void *, int n, void (*)(void *));
int sqlite3_bind_blob64(sqlite3_stmt *, int, const void *, sqlite3_uint64, void (*)(void *));
int sqlite3_bind_double(sqlite3_stmt *, int, double);
int sqlite3_bind_int(sqlite3_stmt *, int, int);
int sqlite3_bind_int64(sqlite3_stmt *, int, sqlite3_int64);
int sqlite3_bind_null(sqlite3_stmt *, int);
int sqlite3_bind_text(sqlite3_stmt *, int, const char *, int, void (*)(void *));
int sqlite3_bind_text16(sqlite3_stmt *, int, const void *, int, void (*)(void *));
int sqlite3_bind_text64(sqlite3_stmt *, int, const char *, sqlite3_uint64, void (*)(void *),
    unsigned char encoding);
int sqlite3_bind_value(sqlite3_stmt *, int, const sqlite3_value *);
int sqlite3_bind_pointer(sqlite3_stmt *, int, void *, const char *, void (*)(void *));
int sqlite3_bind_zeroblob(sqlite3_stmt *, int, int n);
int sqlite3_bind_zeroblob64(sqlite3_stmt *, int, sqlite3_uint64);
int sqlite3_bind_parameter_count(sqlite3_stmt *);
const char *sqlite3_bind_parameter_name(sqlite3_stmt *, int);
int sqlite3_bind_parameter_index(sqlite3_stmt *, const char *name);
int sqlite3_carray_bind_v2(sqlite3_stmt *stmt, int i, void *aData, int dataCount, int mFlags, void
    (*del)(void *), void *del2);
int sqlite3_carray_bind(sqlite3_stmt *stmt, int i, void *aData, int dataCount, int mFlags, void
    (*del)(void *));

/* Columns of a result. */
int sqlite3_column_count(sqlite3_stmt *stmt);
const char *sqlite3_column_name(sqlite3_stmt *, int count);
const void *sqlite3_column_name16(sqlite3_stmt *, int count);
const char *sqlite3_column_database_name(sqlite3_stmt *, int);
const void *sqlite3_column_database_name16(sqlite3_stmt *, int);
const char *sqlite3_column_table_name(sqlite3_stmt *, int);
const void *sqlite3_column_table_name16(sqlite3_stmt *, int);
const char *sqlite3_column_origin_name(sqlite3_stmt *, int);
const void *sqlite3_column_origin_name16(sqlite3_stmt *, int);
const char *sqlite3_column_decltype(sqlite3_stmt *, int);
const void *sqlite3_column_decltype16(sqlite3_stmt *, int);
const void *sqlite3_column_blob(sqlite3_stmt *, int col);
double sqlite3_column_double(sqlite3_stmt *, int col);
int sqlite3_column_int(sqlite3_stmt *, int col);
sqlite3_int64 sqlite3_column_int64(sqlite3_stmt *, int col);
const unsigned char *sqlite3_column_text(sqlite3_stmt *, int col);
const void *sqlite3_column_text16(sqlite3_stmt *, int col);
sqlite3_value *sqlite3_column_value(sqlite3_stmt *, int col);
int sqlite3_column_bytes(sqlite3_stmt *, int col);
int sqlite3_column_bytes16(sqlite3_stmt *, int col);
int sqlite3_column_type(sqlite3_stmt *, int col);

/* Values. */
const void *sqlite3_value_blob(sqlite3_value *);
double sqlite3_value_double(sqlite3_value *);
int sqlite3_value_int(sqlite3_value *);
sqlite3_int64 sqlite3_value_int64(sqlite3_value *);
void *sqlite3_value_pointer(sqlite3_value *, const char *);
const unsigned char *sqlite3_value_text(sqlite3_value *);
const void *sqlite3_value_text16(sqlite3_value *);
const void *sqlite3_value_text16le(sqlite3_value *);
const void *sqlite3_value_text16be(sqlite3_value *);
int sqlite3_value_bytes(sqlite3_value *);
int sqlite3_value_bytes16(sqlite3_value *);
int sqlite3_value_type(sqlite3_value *);
int sqlite3_value_numeric_type(sqlite3_value *);
int sqlite3_value_nochange(sqlite3_value *);
int sqlite3_value_frombind(sqlite3_value *);
int sqlite3_value_encoding(sqlite3_value *);
unsigned int sqlite3_value_subtype(sqlite3_value *);
sqlite3_value *sqlite3_value_dup(const sqlite3_value *);
void sqlite3_value_free(sqlite3_value *);

/* Functions and collations. */
int sqlite3_create_function(sqlite3 *db, const char *functionName, int argCount, int textRep, void
    *app, void (*func)(sqlite3_context *, int, sqlite3_value **), void (*step)(sqlite3_context *,
    int, sqlite3_value **), void (*final)(sqlite3_context *));
int sqlite3_create_function16(sqlite3 *db, const void *functionName, int argCount, int textRep, void
    *app, void (*func)(sqlite3_context *, int, sqlite3_value **), void (*step)(sqlite3_context *,
    int, sqlite3_value **), void (*final)(sqlite3_context *));
int sqlite3_create_function_v2(sqlite3 *db, const char *functionName, int argCount, int textRep,
    void *app, void (*func)(sqlite3_context *, int, sqlite3_value **), void (*step)(sqlite3_context
    *, int, sqlite3_value **), void (*final)(sqlite3_context *), void (*destroy)(void *));
int sqlite3_create_window_function(sqlite3 *db, const char *functionName, int argCount, int textRep,
    void *app, void (*step)(sqlite3_context *, int, sqlite3_value **), void (*final)(sqlite3_context
    *), void (*value)(sqlite3_context *), void (*inverse)(sqlite3_context *, int, sqlite3_value **),
    void (*destroy)(void *));
int sqlite3_aggregate_count(sqlite3_context *);
void *sqlite3_aggregate_context(sqlite3_context *, int bytesCount);
void *sqlite3_user_data(sqlite3_context *);
sqlite3 *sqlite3_context_db_handle(sqlite3_context *);
void *sqlite3_get_auxdata(sqlite3_context *, int count);
void sqlite3_set_auxdata(sqlite3_context *, int count, void *, void (*)(void *));
void sqlite3_result_blob(sqlite3_context *, const void *, int, void (*)(void *));
void sqlite3_result_blob64(sqlite3_context *, const void *, sqlite3_uint64, void (*)(void *));
void sqlite3_result_double(sqlite3_context *, double);
void sqlite3_result_error(sqlite3_context *, const char *, int);
void sqlite3_result_error16(sqlite3_context *, const void *, int);
void sqlite3_result_error_toobig(sqlite3_context *);
void sqlite3_result_error_nomem(sqlite3_context *);
void sqlite3_result_error_code(sqlite3_context *, int);
void sqlite3_result_int(sqlite3_context *, int);
void sqlite3_result_int64(sqlite3_context *, sqlite3_int64);
void sqlite3_result_null(sqlite3_context *);
void sqlite3_result_text(sqlite3_context *, const char *, int, void (*)(void *));
void sqlite3_result_text64(sqlite3_context *, const char *z, sqlite3_uint64 n, void (*)(void *),
    unsigned char encoding);
void sqlite3_result_text16(sqlite3_context *, const void *, int, void (*)(void *));
void sqlite3_result_text16le(sqlite3_context *, const void *, int, void (*)(void *));
void sqlite3_result_text16be(sqlite3_context *, const void *, int, void (*)(void *));
void sqlite3_result_value(sqlite3_context *, sqlite3_value *);
void sqlite3_result_pointer(sqlite3_context *, void *, const char *, void (*)(void *));
void sqlite3_result_zeroblob(sqlite3_context *, int n);
int sqlite3_result_zeroblob64(sqlite3_context *, sqlite3_uint64 n);
void sqlite3_result_subtype(sqlite3_context *, unsigned int);
int sqlite3_create_collation(sqlite3 *, const char *name, int textRep, void *arg, int
    (*compare)(void *, int, const void *, int, const void *));
int sqlite3_create_collation_v2(sqlite3 *, const char *name, int textRep, void *arg, int
    (*compare)(void *, int, const void *, int, const void *), void (*destroy)(void *));
int sqlite3_create_collation16(sqlite3 *, const void *name, int textRep, void *arg, int
    (*compare)(void *, int, const void *, int, const void *));
int sqlite3_collation_needed(sqlite3 *, void *, void (*)(void *, sqlite3 *, int textRep, const char
    *));
int sqlite3_collation_needed16(sqlite3 *, void *, void (*)(void *, sqlite3 *, int textRep, const
    void *));

/* Hooks. */
int sqlite3_set_authorizer(sqlite3 *, int (*auth)(void *, int, const char *, const char *, const
    char *, const char *), void *userData);
void *sqlite3_trace(sqlite3 *, void (*trace)(void *, const char *), void *);
void *sqlite3_profile(sqlite3 *, void (*profile)(void *, const char *, sqlite3_uint64), void *);
int sqlite3_trace_v2(sqlite3 *, unsigned uMask, int (*callback)(unsigned, void *, void *, void *),
    void *ctx);
void sqlite3_progress_handler(sqlite3 *, int, int (*)(void *), void *);
void *sqlite3_commit_hook(sqlite3 *, int (*)(void *), void *);
void *sqlite3_rollback_hook(sqlite3 *, void (*)(void *), void *);
void *sqlite3_update_hook(sqlite3 *, void (*)(void *, int, char const *, char const *,
    sqlite3_int64), void *);
int sqlite3_unlock_notify(sqlite3 *blocked, void (*notify)(void **arg, int argCount), void
    *notifyArg);
void *sqlite3_wal_hook(sqlite3 *, int (*)(void *, sqlite3 *, const char *, int), void *);
void *sqlite3_preupdate_hook(sqlite3 *db, void (*preUpdate)(void *ctx, sqlite3 *db, int op, char
    const *db2, char const *name, sqlite3_int64 key1, sqlite3_int64 key2), void *);
int sqlite3_preupdate_old(sqlite3 *, int, sqlite3_value **);
int sqlite3_preupdate_count(sqlite3 *);
int sqlite3_preupdate_depth(sqlite3 *);
int sqlite3_preupdate_new(sqlite3 *, int, sqlite3_value **);
int sqlite3_preupdate_blobwrite(sqlite3 *);

/* Virtual tables. */
int sqlite3_create_module(sqlite3 *db, const char *name, const sqlite3_module *p, void *clientData);
int sqlite3_create_module_v2(sqlite3 *db, const char *name, const sqlite3_module *p, void
    *clientData, void (*destroy)(void *));
int sqlite3_drop_modules(sqlite3 *db, const char **keep);
int sqlite3_declare_vtab(sqlite3 *, const char *sql);
int sqlite3_vtab_config(sqlite3 *, int op, ...);
int sqlite3_vtab_on_conflict(sqlite3 *);
int sqlite3_vtab_nochange(sqlite3_context *);
const char *sqlite3_vtab_collation(sqlite3_index_info *, int);
int sqlite3_vtab_distinct(sqlite3_index_info *);
int sqlite3_vtab_in(sqlite3_index_info *, int cons, int handle);
int sqlite3_vtab_in_first(sqlite3_value *val, sqlite3_value **out);
int sqlite3_vtab_in_next(sqlite3_value *val, sqlite3_value **out);
int sqlite3_vtab_rhs_value(sqlite3_index_info *, int, sqlite3_value **val);

/* Blobs, backups, images. */
int sqlite3_blob_open(sqlite3 *, const char *db, const char *table, const char *column,
    sqlite3_int64 row, int flags, sqlite3_blob **blob);
int sqlite3_blob_reopen(sqlite3_blob *, sqlite3_int64);
int sqlite3_blob_close(sqlite3_blob *);
int sqlite3_blob_bytes(sqlite3_blob *);
int sqlite3_blob_read(sqlite3_blob *, void *Z, int count, int offset);
int sqlite3_blob_write(sqlite3_blob *, const void *z, int n, int offset);
sqlite3_backup *sqlite3_backup_init(sqlite3 *dest, const char *destName, sqlite3 *source, const char
    *sourceName);
int sqlite3_backup_step(sqlite3_backup *p, int pageCount);
int sqlite3_backup_finish(sqlite3_backup *p);
int sqlite3_backup_remaining(sqlite3_backup *p);
int sqlite3_backup_pagecount(sqlite3_backup *p);
int sqlite3_snapshot_get(sqlite3 *db, const char *schema, sqlite3_snapshot **snapshot);
int sqlite3_snapshot_open(sqlite3 *db, const char *schema, sqlite3_snapshot *snapshot);
void sqlite3_snapshot_free(sqlite3_snapshot *);
int sqlite3_snapshot_cmp(sqlite3_snapshot *p1, sqlite3_snapshot *p2);
int sqlite3_snapshot_recover(sqlite3 *db, const char *db2);
unsigned char *sqlite3_serialize(sqlite3 *db, const char *schema, sqlite3_int64 *piSize, unsigned
    int mFlags);
int sqlite3_deserialize(sqlite3 *db, const char *schema, unsigned char *data, sqlite3_int64 szDb,
    sqlite3_int64 szBuf, unsigned mFlags);

/* Write-ahead log. */
int sqlite3_wal_autocheckpoint(sqlite3 *db, int count);
int sqlite3_wal_checkpoint(sqlite3 *db, const char *db2);
int sqlite3_wal_checkpoint_v2(sqlite3 *db, const char *db2, int mode, int *pnLog, int *pnCkpt);

/* Files and VFSs. */
const char *sqlite3_uri_parameter(sqlite3_filename z, const char *param);
int sqlite3_uri_boolean(sqlite3_filename z, const char *param, int default_);
sqlite3_int64 sqlite3_uri_int64(sqlite3_filename, const char *, sqlite3_int64);
const char *sqlite3_uri_key(sqlite3_filename z, int count);
const char *sqlite3_filename_database(sqlite3_filename);
const char *sqlite3_filename_journal(sqlite3_filename);
const char *sqlite3_filename_wal(sqlite3_filename);
sqlite3_file *sqlite3_database_file_object(const char *);
sqlite3_filename sqlite3_create_filename(const char *database, const char *journal, const char *wal,
    int paramCount, const char **param);
void sqlite3_free_filename(sqlite3_filename);
sqlite3_vfs *sqlite3_vfs_find(const char *vfsName);
int sqlite3_vfs_register(sqlite3_vfs *, int makeDflt);
int sqlite3_vfs_unregister(sqlite3_vfs *);
int sqlite3_file_control(sqlite3 *, const char *dbName, int op, void *);

/* Memory. */
void *sqlite3_malloc(int);
void *sqlite3_malloc64(sqlite3_uint64);
void *sqlite3_realloc(void *, int);
void *sqlite3_realloc64(void *, sqlite3_uint64);
void sqlite3_free(void *);
sqlite3_uint64 sqlite3_msize(void *);
sqlite3_int64 sqlite3_memory_used(void);
sqlite3_int64 sqlite3_memory_highwater(int resetFlag);
int sqlite3_memory_alarm(void (*)(void *, sqlite3_int64, int), void *, sqlite3_int64);
int sqlite3_release_memory(int);
sqlite3_int64 sqlite3_soft_heap_limit64(sqlite3_int64 count);
sqlite3_int64 sqlite3_hard_heap_limit64(sqlite3_int64 count);
void sqlite3_soft_heap_limit(int count);

/* Mutexes. */
sqlite3_mutex *sqlite3_mutex_alloc(int);
void sqlite3_mutex_free(sqlite3_mutex *);
void sqlite3_mutex_enter(sqlite3_mutex *);
int sqlite3_mutex_try(sqlite3_mutex *);
void sqlite3_mutex_leave(sqlite3_mutex *);
int sqlite3_mutex_held(sqlite3_mutex *);
int sqlite3_mutex_notheld(sqlite3_mutex *);

/* Text. */
char *sqlite3_mprintf(const char *, ...);
char *sqlite3_vmprintf(const char *, va_list);
char *sqlite3_snprintf(int, char *, const char *, ...);
char *sqlite3_vsnprintf(int, char *, const char *, va_list);
int sqlite3_keyword_count(void);
int sqlite3_keyword_name(int, const char **, int *);
int sqlite3_keyword_check(const char *, int);
sqlite3_str *sqlite3_str_new(sqlite3 *);
char *sqlite3_str_finish(sqlite3_str *);
void sqlite3_str_free(sqlite3_str *);
void sqlite3_str_appendf(sqlite3_str *, const char *format, ...);
void sqlite3_str_vappendf(sqlite3_str *, const char *format, va_list);
void sqlite3_str_append(sqlite3_str *, const char *in, int count);
void sqlite3_str_appendall(sqlite3_str *, const char *in);
void sqlite3_str_appendchar(sqlite3_str *, int count, char C);
void sqlite3_str_reset(sqlite3_str *);
void sqlite3_str_truncate(sqlite3_str *, int count);
int sqlite3_str_errcode(sqlite3_str *);
int sqlite3_str_length(sqlite3_str *);
char *sqlite3_str_value(sqlite3_str *);
int sqlite3_stricmp(const char *, const char *);
int sqlite3_strnicmp(const char *, const char *, int);
int sqlite3_strglob(const char *glob, const char *str);
int sqlite3_strlike(const char *glob, const char *str, unsigned int cEsc);

/* Counters. */
int sqlite3_status(int op, int *current, int *highwater, int resetFlag);
int sqlite3_status64(int op, sqlite3_int64 *current, sqlite3_int64 *highwater, int resetFlag);
int sqlite3_db_status(sqlite3 *, int op, int *cur, int *hiwtr, int resetFlg);
int sqlite3_db_status64(sqlite3 *, int, sqlite3_int64 *, sqlite3_int64 *, int);
int sqlite3_stmt_status(sqlite3_stmt *, int op, int resetFlg);
int sqlite3_stmt_scanstatus(sqlite3_stmt *stmt, int idx, int scanStatusOp, void *out);
int sqlite3_stmt_scanstatus_v2(sqlite3_stmt *stmt, int idx, int scanStatusOp, int flags, void *out);
void sqlite3_stmt_scanstatus_reset(sqlite3_stmt *);

/* Extensions. */
int sqlite3_load_extension(sqlite3 *db, const char *file, const char *proc, char **pzErrMsg);
int sqlite3_enable_load_extension(sqlite3 *db, int onoff);
int sqlite3_auto_extension(void (*entryPoint)(void));
int sqlite3_cancel_auto_extension(void (*entryPoint)(void));

/* Obsolete. */
int sqlite3_expired(sqlite3_stmt *);
int sqlite3_transfer_bindings(sqlite3_stmt *, sqlite3_stmt *);
int sqlite3_global_recover(void);
void sqlite3_thread_cleanup(void);

#include "fts5.h"
#include "sqlite3rtree.h"
#include "sqlite3session.h"

#ifdef __cplusplus
}
#endif
#endif
