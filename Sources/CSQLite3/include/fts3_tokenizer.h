/* Tokenizers of the application for FTS3 and FTS4: a pointer to a sqlite3_tokenizer_module, as a
   blob, is the second argument of the SQL function fts3_tokenizer. */
#ifndef _FTS3_TOKENIZER_H_
#define _FTS3_TOKENIZER_H_

#include "sqlite3.h"

typedef struct sqlite3_tokenizer_module sqlite3_tokenizer_module;
typedef struct sqlite3_tokenizer sqlite3_tokenizer;
typedef struct sqlite3_tokenizer_cursor sqlite3_tokenizer_cursor;

struct sqlite3_tokenizer_module {
  /* 0, or 1 where xLanguageid is there. */
  int iVersion;
  int (*xCreate)(int argc, const char *const *argv, sqlite3_tokenizer **ppTokenizer);
  int (*xDestroy)(sqlite3_tokenizer *pTokenizer);
  int (*xOpen)(sqlite3_tokenizer *pTokenizer, const char *pInput, int nBytes,
      sqlite3_tokenizer_cursor **ppCursor);
  int (*xClose)(sqlite3_tokenizer_cursor *pCursor);
  /* SQLITE_DONE behind the last token. */
  int (*xNext)(sqlite3_tokenizer_cursor *pCursor, const char **ppToken, int *pnBytes,
      int *piStartOffset, int *piEndOffset, int *piPosition);
  int (*xLanguageid)(sqlite3_tokenizer_cursor *pCursor, int iLangid);
};

/* What a tokenizer's own structures begin with; the members are set by the library. */
struct sqlite3_tokenizer {
  const sqlite3_tokenizer_module *pModule;
};

struct sqlite3_tokenizer_cursor {
  sqlite3_tokenizer *pTokenizer;
};

#endif
