/* The data that the library exports, which Swift cannot define. */
#include "sqlite3.h"

const char sqlite3_version[] = SQLITE_VERSION;
char *sqlite3_temp_directory = 0;
char *sqlite3_data_directory = 0;
