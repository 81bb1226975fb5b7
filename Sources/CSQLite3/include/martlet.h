/* What C and Swift of this library say to each other; not installed. */
#ifndef MARTLET_H
#define MARTLET_H

#include <stdarg.h>

#include "sqlite3.h"

/* The table of functions that extensions get. */
const void *martlet_api_routines(void);

#endif
