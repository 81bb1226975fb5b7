/* Texts that grow: sqlite3_str (c3ref/str_append). */
#include <stdarg.h>
#include <stdio.h>
#include "sqlite3.h"

static void show(sqlite3_str *text) {
  const char *value = sqlite3_str_value(text);
  printf("%d %d [%s]\n", sqlite3_str_errcode(text), sqlite3_str_length(text),
      value ? value : "none");
}

static void finish(sqlite3_str *text) {
  char *result;
  int code = sqlite3_str_errcode(text);
  result = sqlite3_str_finish(text);
  printf("finished %d [%s]\n", code, result ? result : "none");
  sqlite3_free(result);
}

static void append(sqlite3_str *text, const char *format, ...) {
  va_list list;
  va_start(list, format);
  sqlite3_str_vappendf(text, format, list);
  va_end(list);
}

static char *make(const char *format, ...) {
  char *text;
  va_list list;
  va_start(list, format);
  text = sqlite3_vmprintf(format, list);
  va_end(list);
  return text;
}

static void put(int size, char *buffer, const char *format, ...) {
  va_list list;
  va_start(list, format);
  sqlite3_vsnprintf(size, buffer, format, list);
  va_end(list);
}

int main(void) {
  char buffer[20], *made;
  int kind, round;
  sqlite3_str *text = sqlite3_str_new(0);
  show(text);
  sqlite3_str_appendf(text, "%d-%s", 12, "abc");
  show(text);
  sqlite3_str_append(text, "defghi", 3);
  sqlite3_str_appendall(text, "xyz");
  sqlite3_str_appendchar(text, 5, '*');
  append(text, "%5.2f|%lld", 2.5, 1LL << 40);
  show(text);
  sqlite3_str_truncate(text, 100);
  sqlite3_str_truncate(text, -1);
  show(text);
  sqlite3_str_truncate(text, 4);
  show(text);
  sqlite3_str_truncate(text, 0);
  show(text);
  sqlite3_str_appendall(text, "again");
  sqlite3_str_reset(text);
  show(text);
  sqlite3_str_appendchar(text, 3, 'r');
  for (round = 0; round < 2000; round++) sqlite3_str_appendf(text, "%d,", round);
  printf("%d\n", sqlite3_str_length(text));
  finish(text);

  for (kind = 0; kind < 8; kind++) {
    text = sqlite3_str_new(0);
    switch (kind) {
      case 0: break;
      case 1: sqlite3_str_append(text, "", 0); break;
      case 2: sqlite3_str_appendall(text, ""); break;
      case 3: sqlite3_str_appendchar(text, 0, 'x'); break;
      case 4: sqlite3_str_appendf(text, "%s", ""); break;
      case 5: sqlite3_str_appendf(text, ""); break;
      case 6: sqlite3_str_appendall(text, "a"); sqlite3_str_truncate(text, 0); break;
      case 7: sqlite3_str_appendall(text, "a"); sqlite3_str_reset(text); break;
    }
    finish(text);
  }

  text = sqlite3_str_new(0);
  sqlite3_str_appendall(text, "before");
  sqlite3_str_appendchar(text, 1500000000, 'x');
  show(text);
  sqlite3_str_appendall(text, "after");
  show(text);
  sqlite3_str_reset(text);
  show(text);
  finish(text);

  text = sqlite3_str_new(0);
  sqlite3_str_appendall(text, "freed");
  sqlite3_str_free(text);
  sqlite3_str_free(0);
  printf("%d %d %s %s\n", sqlite3_str_errcode(0), sqlite3_str_length(0),
      sqlite3_str_value(0) ? "text" : "none", sqlite3_str_finish(0) ? "text" : "none");

  made = make("%s has %d", "it", 3);
  printf("%s\n", made);
  sqlite3_free(made);
  put(sizeof buffer, buffer, "%s has %d and much more", "it", 3);
  printf("%s\n", buffer);
  return 0;
}
