/* The variadic functions: each hands its arguments to Swift, which reads them one by one. */
#include "martlet.h"

/* A va_list in a structure, because where it is an array it cannot be passed by its address. */
struct martlet_arguments {
  va_list list;
};

int martlet_next_int(void *arguments) {
  return va_arg(((struct martlet_arguments *)arguments)->list, int);
}

long martlet_next_long(void *arguments) {
  return va_arg(((struct martlet_arguments *)arguments)->list, long);
}

long long martlet_next_int64(void *arguments) {
  return va_arg(((struct martlet_arguments *)arguments)->list, long long);
}

double martlet_next_double(void *arguments) {
  return va_arg(((struct martlet_arguments *)arguments)->list, double);
}

void *martlet_next_pointer(void *arguments) {
  return va_arg(((struct martlet_arguments *)arguments)->list, void *);
}

char *sqlite3_vmprintf(const char *format, va_list list) {
  struct martlet_arguments arguments;
  char *text;
  if (!format) return 0;
  va_copy(arguments.list, list);
  text = martlet_mprintf(format, &arguments);
  va_end(arguments.list);
  return text;
}

char *sqlite3_mprintf(const char *format, ...) {
  struct martlet_arguments arguments;
  char *text;
  va_start(arguments.list, format);
  text = martlet_mprintf(format, &arguments);
  va_end(arguments.list);
  return text;
}

char *sqlite3_vsnprintf(int size, char *buffer, const char *format, va_list list) {
  struct martlet_arguments arguments;
  if (!format) return martlet_snprintf(size, buffer, 0, 0);
  va_copy(arguments.list, list);
  buffer = martlet_snprintf(size, buffer, format, &arguments);
  va_end(arguments.list);
  return buffer;
}

char *sqlite3_snprintf(int size, char *buffer, const char *format, ...) {
  struct martlet_arguments arguments;
  va_start(arguments.list, format);
  buffer = martlet_snprintf(size, buffer, format, &arguments);
  va_end(arguments.list);
  return buffer;
}

void sqlite3_str_vappendf(sqlite3_str *text, const char *format, va_list list) {
  struct martlet_arguments arguments;
  if (!format) return;
  va_copy(arguments.list, list);
  martlet_str_appendf(text, format, &arguments);
  va_end(arguments.list);
}

void sqlite3_str_appendf(sqlite3_str *text, const char *format, ...) {
  struct martlet_arguments arguments;
  va_start(arguments.list, format);
  martlet_str_appendf(text, format, &arguments);
  va_end(arguments.list);
}

void sqlite3_log(int code, const char *format, ...) {
  struct martlet_arguments arguments;
  va_start(arguments.list, format);
  martlet_log(code, format, &arguments);
  va_end(arguments.list);
}

int sqlite3_config(int op, ...) {
  struct martlet_arguments arguments;
  int result;
  va_start(arguments.list, op);
  result = martlet_config(op, &arguments);
  va_end(arguments.list);
  return result;
}

int sqlite3_db_config(sqlite3 *db, int op, ...) {
  struct martlet_arguments arguments;
  int result;
  va_start(arguments.list, op);
  result = martlet_db_config(db, op, &arguments);
  va_end(arguments.list);
  return result;
}

int sqlite3_test_control(int op, ...) {
  struct martlet_arguments arguments;
  int result;
  va_start(arguments.list, op);
  result = martlet_test_control(op, &arguments);
  va_end(arguments.list);
  return result;
}
