/* The interface of FTS5 (fts5 §7). */
#include <sqlite3.h>

static fts5_api *search_api(sqlite3 *db) {
  fts5_api *result = 0;
  sqlite3_stmt *statement = 0;
  sqlite3_prepare_v2(db, "SELECT fts5(?1)", -1, &statement, 0);
  sqlite3_bind_pointer(statement, 1, &result, "fts5_api_ptr", 0);
  sqlite3_step(statement);
  sqlite3_finalize(statement);
  return result;
}
