/* R-trees: geometries and queries of the program (rtree §6). */
#include <sqlite3.h>
#include <sqlite3rtree.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sqlite3 *db;

static void run(const char *sql) {
  sqlite3_stmt *statement = 0;
  printf("%s\n", sql);
  int code = sqlite3_prepare_v2(db, sql, -1, &statement, 0);
  while (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
    for (int i = 0; i < sqlite3_column_count(statement); i++)
      printf("%s%s", i ? "|" : "  ", (const char *)sqlite3_column_text(statement, i));
    printf("\n");
    code = SQLITE_OK;
  }
  if (code != SQLITE_DONE && code != SQLITE_OK)
    printf("  %d %d %s\n", code, sqlite3_extended_errcode(db), sqlite3_errmsg(db));
  sqlite3_finalize(statement);
}

struct circle { double x, y, radius; int calls; };

static void end_circle(void *user) {
  printf("  circle ends after %d calls\n", ((struct circle *)user)->calls);
  free(user);
}

static double gap(double low, double high, double at) {
  return at < low ? low - at : at > high ? at - high : 0;
}

static int circle(sqlite3_rtree_geometry *geometry, int count, sqlite3_rtree_dbl *box, int *result) {
  if (!geometry->pUser) {
    printf("  circle begins: context %s, %d parameters, %d coordinates\n",
      (const char *)geometry->pContext, geometry->nParam, count);
    if (geometry->nParam != 3) return SQLITE_ERROR;
    struct circle *new = calloc(1, sizeof *new);
    new->x = geometry->aParam[0];
    new->y = geometry->aParam[1];
    new->radius = geometry->aParam[2];
    geometry->pUser = new;
    geometry->xDelUser = end_circle;
  }
  struct circle *circle = geometry->pUser;
  circle->calls++;
  double dx = gap(box[0], box[1], circle->x), dy = gap(box[2], box[3], circle->y);
  *result = dx * dx + dy * dy <= circle->radius * circle->radius;
  return SQLITE_OK;
}

static int show(sqlite3_rtree_query_info *info) {
  const char *order = info->nParam ? (const char *)sqlite3_value_text(info->apSqlParam[0]) : "";
  if (info->nParam > 1)
    printf("  %d/%d n%d [%.2f %.2f %.2f %.2f] row %lld parent %g %d now %g %d waiting %u %u\n",
      info->iLevel, info->mxLevel, info->nCoord, info->aCoord[0], info->aCoord[1], info->aCoord[2],
      info->aCoord[3], info->iLevel ? -1 : info->iRowid, info->rParentScore, info->eParentWithin,
      info->rScore, info->eWithin, info->anQueue[0], info->anQueue[1]);
  info->eWithin = PARTLY_WITHIN;
  if (!strcmp(order, "depth")) info->rScore = info->iLevel;
  else if (!strcmp(order, "breadth")) info->rScore = info->mxLevel - info->iLevel;
  else if (!strcmp(order, "right")) info->rScore = 1000 - info->aCoord[1];
  else if (!strcmp(order, "odd")) info->rScore = 1, info->eWithin = info->iLevel || info->iRowid % 2;
  else if (!strcmp(order, "fail")) return info->iLevel ? SQLITE_OK : SQLITE_NOMEM;
  else if (!strcmp(order, "none")) info->eWithin = NOT_WITHIN;
  else if (!strcmp(order, "negative")) info->rScore = -5, info->eWithin = -1;
  else if (!strcmp(order, "full")) info->eWithin = FULLY_WITHIN, info->rScore = info->iRowid % 7;
  return SQLITE_OK;
}

static void end_context(void *context) { printf("  %s is destroyed\n", (const char *)context); }

int main(void) {
  sqlite3_open(":memory:", &db);
  printf("%d %d\n", sqlite3_compileoption_used("ENABLE_RTREE"), sqlite3_libversion_number());
  printf("%d\n", sqlite3_rtree_geometry_callback(db, "circle", circle, "A"));
  printf("%d\n", sqlite3_rtree_query_callback(db, "show", show, "first", end_context));
  run("CREATE VIRTUAL TABLE r USING rtree(id,x0,x1,y0,y1,+name)");
  run("WITH n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n LIMIT 150) "
      "INSERT INTO r SELECT i,i%15,i%15+.5,i/15,i/15+.5,'n'||i FROM n");
  run("SELECT id,name FROM r WHERE id MATCH circle(5.2,5.1,1.5)");
  run("SELECT id FROM r WHERE r MATCH circle(5.2,5.1,1.5)");
  run("SELECT id FROM r WHERE name MATCH circle(5,5,.6) AND x0>4");
  run("SELECT id FROM r WHERE id MATCH circle(5,5,2) AND id MATCH circle(6,6,2)");
  run("SELECT id FROM r WHERE id MATCH circle(1,2)");
  run("SELECT id FROM r WHERE id MATCH circle(1,2,3) OR id=5");
  run("SELECT a.id,b.id FROM r a, r b WHERE a.id<3 AND b.id MATCH circle(a.x0,a.y0,.1)");
  run("SELECT circle(1,2,3), typeof(circle(1,2,3)), quote(show())");
  run("SELECT id FROM r WHERE id MATCH show('depth')");
  run("SELECT id FROM r WHERE id MATCH show('breadth')");
  run("SELECT id FROM r WHERE id MATCH show('right') LIMIT 20");
  run("SELECT id FROM r WHERE id MATCH show('right', 1) LIMIT 3");
  run("SELECT id FROM r WHERE id MATCH show('full', 1) AND x0<2");
  run("SELECT id FROM r WHERE id MATCH show('odd')");
  run("SELECT id FROM r WHERE id MATCH show('none')");
  run("SELECT id FROM r WHERE id MATCH show('negative')");
  run("SELECT id FROM r WHERE id MATCH show('full')");
  run("SELECT id FROM r WHERE id MATCH show('right') AND id MATCH show('full') AND x1<3");
  run("SELECT id FROM r WHERE id MATCH show('right') AND id MATCH circle(3,3,1)");
  run("SELECT id FROM r WHERE id MATCH circle(3,3,1) AND id MATCH show('right')");
  run("SELECT id FROM r WHERE id MATCH show('fail')");
  run("SELECT id FROM r WHERE id MATCH 1");
  run("SELECT id FROM r WHERE id MATCH NULL");
  printf("%d\n", sqlite3_rtree_query_callback(db, "show", show, "second", end_context));
  run("SELECT count(*) FROM r WHERE id MATCH show('depth')");
  printf("%d\n", sqlite3_create_function(db, "show", -1, SQLITE_UTF8, 0, 0, 0, 0));
  sqlite3_stmt *scan;
  sqlite3_prepare_v2(db, "SELECT id FROM r WHERE id MATCH circle(5,5,3)", -1, &scan, 0);
  printf("%d\n", sqlite3_step(scan));
  run("DELETE FROM r");
  run("DROP TABLE r");
  printf("%d\n", sqlite3_rtree_query_callback(db, "circle", show, "third", end_context));
  sqlite3_reset(scan);
  run("DELETE FROM r WHERE id>5");
  sqlite3_finalize(scan);
  run("SELECT rtreecheck('r')");
  run("SELECT sql FROM sqlite_stmt WHERE 0");
  printf("%d\n", sqlite3_close(db));
  return 0;
}
