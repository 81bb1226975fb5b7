/* Queries of R-trees by functions of the application. */
#ifndef SQLITE3_RTREE_H
#define SQLITE3_RTREE_H

typedef struct sqlite3_rtree_geometry sqlite3_rtree_geometry;
typedef struct sqlite3_rtree_query_info sqlite3_rtree_query_info;
typedef double sqlite3_rtree_dbl;

#define NOT_WITHIN 0
#define PARTLY_WITHIN 1
#define FULLY_WITHIN 2

struct sqlite3_rtree_geometry {
  void *pContext;
  int nParam;
  sqlite3_rtree_dbl *aParam;
  void *pUser;
  void (*xDelUser)(void *);
};

struct sqlite3_rtree_query_info {
  void *pContext;
  int nParam;
  sqlite3_rtree_dbl *aParam;
  void *pUser;
  void (*xDelUser)(void *);
  sqlite3_rtree_dbl *aCoord;
  unsigned int *anQueue;
  int nCoord;
  int iLevel;
  int mxLevel;
  sqlite3_int64 iRowid;
  sqlite3_rtree_dbl rParentScore;
  int eParentWithin;
  int eWithin;
  sqlite3_rtree_dbl rScore;
  sqlite3_value **apSqlParam;
};

int sqlite3_rtree_geometry_callback(sqlite3 *db, const char *geom, int
    (*geom2)(sqlite3_rtree_geometry *, int, sqlite3_rtree_dbl *, int *), void *context);
int sqlite3_rtree_query_callback(sqlite3 *db, const char *queryFunc, int
    (*queryFunc2)(sqlite3_rtree_query_info *), void *context, void (*destructor)(void *));

#endif
