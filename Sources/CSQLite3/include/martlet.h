/* What C and Swift of this library say to each other; not installed. */
#ifndef MARTLET_H
#define MARTLET_H

#include <stdarg.h>
#ifdef __APPLE__
#include <malloc/malloc.h>
#else
#include <malloc.h>
#endif

#include "sqlite3.h"

/* The body of sqlite3_vtab_config; the value is 0 for options that have none. */
int martlet_vtab_config(sqlite3 *db, int op, int value);

/* The table of functions that extensions get. */
const void *martlet_api_routines(void);

/* Swift may touch the exported variables; when, SQLite's documents leave to the program. */
extern __attribute__((swift_attr("nonisolated(unsafe)"))) char *sqlite3_temp_directory;
extern __attribute__((swift_attr("nonisolated(unsafe)"))) char *sqlite3_data_directory;

/* Readers of the arguments of a variadic function: each takes the next one. The list is a pointer
** to what only C knows. */
int martlet_next_int(void *arguments);
long martlet_next_long(void *arguments);
long long martlet_next_int64(void *arguments);
double martlet_next_double(void *arguments);
void *martlet_next_pointer(void *arguments);

/* The bodies of the variadic functions, in Swift. */
char *martlet_mprintf(const char *format, void *arguments);
char *martlet_snprintf(int size, char *buffer, const char *format, void *arguments);
void martlet_str_appendf(sqlite3_str *text, const char *format, void *arguments);
void martlet_log(int code, const char *format, void *arguments);
int martlet_config(int op, void *arguments);
int martlet_db_config(sqlite3 *db, int op, void *arguments);
int martlet_test_control(int op, void *arguments);

#endif
