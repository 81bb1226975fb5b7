/* Tokenizers and auxiliary functions of the application for FTS5. */
#ifndef _FTS5_H
#define _FTS5_H

typedef struct Fts5ExtensionApi Fts5ExtensionApi;
typedef struct Fts5Context Fts5Context;
typedef struct Fts5PhraseIter Fts5PhraseIter;
typedef struct Fts5Tokenizer Fts5Tokenizer;
typedef struct fts5_tokenizer fts5_tokenizer;
typedef struct fts5_tokenizer_v2 fts5_tokenizer_v2;
typedef struct fts5_api fts5_api;

typedef void (*fts5_extension_function)(const Fts5ExtensionApi *, Fts5Context *,
    sqlite3_context *, int, sqlite3_value **);

struct Fts5PhraseIter {
  const unsigned char *a;
  const unsigned char *b;
};

struct Fts5ExtensionApi {
  int iVersion;
  void *(*xUserData)(Fts5Context *);
  int (*xColumnCount)(Fts5Context *);
  int (*xRowCount)(Fts5Context *, sqlite3_int64 *);
  int (*xColumnTotalSize)(Fts5Context *, int, sqlite3_int64 *);
  int (*xTokenize)(Fts5Context *, const char *, int, void *,
      int (*)(void *, int, const char *, int, int, int));
  int (*xPhraseCount)(Fts5Context *);
  int (*xPhraseSize)(Fts5Context *, int);
  int (*xInstCount)(Fts5Context *, int *);
  int (*xInst)(Fts5Context *, int, int *, int *, int *);
  sqlite3_int64 (*xRowid)(Fts5Context *);
  int (*xColumnText)(Fts5Context *, int, const char **, int *);
  int (*xColumnSize)(Fts5Context *, int, int *);
  int (*xQueryPhrase)(Fts5Context *, int, void *,
      int (*)(const Fts5ExtensionApi *, Fts5Context *, void *));
  int (*xSetAuxdata)(Fts5Context *, void *, void (*)(void *));
  void *(*xGetAuxdata)(Fts5Context *, int);
  int (*xPhraseFirst)(Fts5Context *, int, Fts5PhraseIter *, int *, int *);
  void (*xPhraseNext)(Fts5Context *, Fts5PhraseIter *, int *, int *);
  int (*xPhraseFirstColumn)(Fts5Context *, int, Fts5PhraseIter *, int *);
  void (*xPhraseNextColumn)(Fts5Context *, Fts5PhraseIter *, int *);
  int (*xQueryToken)(Fts5Context *, int, int, const char **, int *);
  int (*xInstToken)(Fts5Context *, int, int, const char **, int *);
  int (*xColumnLocale)(Fts5Context *, int, const char **, int *);
  int (*xTokenize_v2)(Fts5Context *, const char *, int, const char *, int, void *,
      int (*)(void *, int, const char *, int, int, int));
};

struct fts5_tokenizer_v2 {
  int iVersion;
  int (*xCreate)(void *, const char **, int, Fts5Tokenizer **);
  void (*xDelete)(Fts5Tokenizer *);
  int (*xTokenize)(Fts5Tokenizer *, void *, int, const char *, int, const char *, int,
      int (*)(void *, int, const char *, int, int, int));
};

struct fts5_tokenizer {
  int (*xCreate)(void *, const char **, int, Fts5Tokenizer **);
  void (*xDelete)(Fts5Tokenizer *);
  int (*xTokenize)(Fts5Tokenizer *, void *, int, const char *, int,
      int (*)(void *, int, const char *, int, int, int));
};

#define FTS5_TOKENIZE_QUERY 0x0001
#define FTS5_TOKENIZE_PREFIX 0x0002
#define FTS5_TOKENIZE_DOCUMENT 0x0004
#define FTS5_TOKENIZE_AUX 0x0008
#define FTS5_TOKEN_COLOCATED 0x0001

struct fts5_api {
  int iVersion;
  int (*xCreateTokenizer)(fts5_api *, const char *, void *, fts5_tokenizer *, void (*)(void *));
  int (*xFindTokenizer)(fts5_api *, const char *, void **, fts5_tokenizer *);
  int (*xCreateFunction)(fts5_api *, const char *, void *, fts5_extension_function,
      void (*)(void *));
  int (*xCreateTokenizer_v2)(fts5_api *, const char *, void *, fts5_tokenizer_v2 *,
      void (*)(void *));
  int (*xFindTokenizer_v2)(fts5_api *, const char *, void **, fts5_tokenizer_v2 **);
};

#endif
