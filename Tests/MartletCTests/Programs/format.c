/* Formats: every substitution (printf), and random ones of all flags, widths and values. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sqlite3.h"

static uint64_t state = 20260724;

static uint64_t next(void) {
  uint64_t bits = (state += 0x9e3779b97f4a7c15u);
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
  return bits ^ bits >> 31;
}

static int below(int limit) { return (int)(next() % (unsigned)limit); }

/* Tells how long a text is too, because it may hold zero bytes. */
static void show(char *text) {
  if (!text) {
    printf("none\n");
    return;
  }
  printf("[%s]\n", text);
  sqlite3_free(text);
}

static void fixed(void) {
  int count = -1, index;
  const char *text = "it's \"quoted\"\t\\ \x01";
  show(sqlite3_mprintf("%d %i %u %x %X %o", -5, -5, -5, -5, -5, -5));
  show(sqlite3_mprintf("%ld %lu %lx %lld %llu %llx", -5L, -5L, -5L, -5LL, -5LL, -5LL));
  show(sqlite3_mprintf("%#x %#X %#o %#x %p", 255, 255, 255, 0, (void *)(uintptr_t)0x1234));
  show(sqlite3_mprintf("%,d %,lld %,u %,.12d %,12d", 1234567, -12345678901LL, 4000000000u, 77,
      1234));
  show(sqlite3_mprintf("%f %e %g %G %E %!f %!g %,f", 1.5, 1.5, 1.5, 1e100, 1e-10, 1.5, 2.0, 1e9));
  show(sqlite3_mprintf("%s %10s %-10s| %.3s %!.3s", "abc", "abc", "abc", "abcdef",
      "\xc3\xa9\xc3\xa8z\xc3\xa9"));
  show(sqlite3_mprintf("%q|%Q|%w", text, text, text));
  show(sqlite3_mprintf("%#q|%#Q|%#w|%#Q", text, text, text, "plain"));
  show(sqlite3_mprintf("%q|%Q|%w|%s|%z|%.2Q", (char *)0, (char *)0, (char *)0, (char *)0, (char *)0,
      (char *)0));
  show(sqlite3_mprintf("%.3q|%!.3Q|%10Q|%-10q|", "it's", "\xc3\xa9'\xc3\xa8zz", "ab", "ab"));
  show(sqlite3_mprintf("%c%c %.3c %5c|%-5c| %5.3c", 'a', 0x20ac, 'x', 'y', 'z', 0x1f600));
  show(sqlite3_mprintf("%z and %z", sqlite3_mprintf("given"), sqlite3_mprintf("%d", 7)));
  show(sqlite3_mprintf("%*d|%-*d|%*d|%.*f|%.*s", 6, 42, 6, 42, -6, 42, 2, 3.14159, 2, "abc"));
  show(sqlite3_mprintf("%r %r %r %r %5r", 1, 12, 23, 101, 3));
  show(sqlite3_mprintf("100%% %5%|%-5%|"));
  show(sqlite3_mprintf("abc%nd%n", &count, &index));
  printf("%d %d\n", count, index);
  show(sqlite3_mprintf("ends %"));
  show(sqlite3_mprintf("unknown %y not seen"));
  show(sqlite3_mprintf("internal %T not seen"));
  show(sqlite3_mprintf("%+d % d %+d %05d %-05d %+05d", 5, 5, -5, -5, 5, 5));
  show(sqlite3_mprintf("%05.1f %+f % g %#g %#.0f %.0f %#f", -2.5, 1.0, 1.0, 1.0, 1.0, 2.5, -0.0));
  show(sqlite3_mprintf("%f %010f %g %!g", 1e400 * 10, 1e400 * 10, -1e400 * 10, 1e400 * 10));
  show(sqlite3_mprintf("%.40d %.60f", 7, 1.0 / 3));
  show(sqlite3_mprintf("%l5d %5ld %.3lld %lf", 1, 2L, 3LL, 1.5));
  show(sqlite3_mprintf(""));
  show(sqlite3_mprintf("%s", ""));
  show(sqlite3_mprintf("%.2000000000d", 5));
}

static void buffers(void) {
  char buffer[200], text[200];
  int size, length;
  printf("%d\n", sqlite3_snprintf(0, buffer, "x") == buffer);
  for (size = 1; size < 12; size++) {
    memset(buffer, '#', sizeof buffer);
    printf("%s", sqlite3_snprintf(size, buffer, "%s-%d%5d", "abc", 12, 7));
    printf(" %c\n", buffer[size]);
  }
  for (length = 60; length < 80; length++) {
    memset(text, 'q', sizeof text);
    text[length] = 0;
    for (size = 5; size < 100; size += 3) {
      sqlite3_snprintf(size, buffer, "<%q|%d>", text, 5);
      printf("%d:", (int)strlen(buffer));
      sqlite3_snprintf(size, buffer, "<%Q>", text);
      printf("%d:", (int)strlen(buffer));
      sqlite3_snprintf(size, buffer, "<%.*d>", length - 30, 5);
      printf("%d:", (int)strlen(buffer));
      sqlite3_snprintf(size, buffer, "<%,.*d>", length - 30, 5);
      printf("%d:", (int)strlen(buffer));
      sqlite3_snprintf(size, buffer, "<%*d><%.*f>", length, 5, length, 2.5);
      printf("%d ", (int)strlen(buffer));
    }
    printf("\n");
  }
}

static void makeFlags(char *format) {
  static const char *flags = "-+ #!0,";
  char *end = format;
  int count = below(4);
  *end++ = '%';
  while (count-- > 0) *end++ = flags[below(7)];
  if (below(2)) end += sprintf(end, "%d", below(40));
  if (below(2)) end += sprintf(end, ".%d", below(below(8) ? 12 : 60));
  *end = 0;
}

static double number(void) {
  static const double some[] = {0, -0.0, 1, -1, 0.5, 2.5, 0.1, 1e15, 1e16, 123456789.125, 1e300,
      1e-300, 9.995, 99.5, 999999.5, 0.0001, 0.00001, 1e400 * 10, -1e400 * 10, 5e-324};
  uint64_t bits;
  double value;
  switch (below(4)) {
    case 0: return some[below(sizeof some / sizeof *some)];
    case 1: return (double)(int64_t)next() / 1e10;
    case 2: return below(100000) / 1000.0;
    default:
      bits = next();
      memcpy(&value, &bits, sizeof value);
      return value != value ? 1.25 : value;
  }
}

static void randomOnes(void) {
  static const char *texts[] = {"", "a", "it''s", "\xc3\xa9t\xc3\xa9 '\"'", "tab\tline\nback\\",
      "\xe2\x82\xac\xf0\x9f\x98\x80", "\xff\x80",
          "a longer text that is there to be cut off or to be padded"};
  static const char *integerTypes[] = {"d", "i", "u", "x", "X", "o", "r"};
  static const char *realTypes[] = {"f", "e", "E", "g", "G"};
  static const char *textTypes[] = {"s", "q", "Q", "w"};
  char format[100];
  int round;
  for (round = 0; round < 20000; round++) {
    int64_t value = (int64_t)(next() >> below(64));
    makeFlags(format);
    printf("%s", format);
    switch (below(6)) {
      case 0:
        strcat(format, integerTypes[below(7)]);
        show(sqlite3_mprintf(format, (int)value));
        break;
      case 1:
        strcat(format, "ll");
        strcat(format, integerTypes[below(7)]);
        show(sqlite3_mprintf(format, value));
        break;
      case 2:
      case 3:
        strcat(format, realTypes[below(5)]);
        show(sqlite3_mprintf(format, number()));
        break;
      case 4:
        strcat(format, textTypes[below(4)]);
        show(sqlite3_mprintf(format, texts[below(8)]));
        break;
      default:
        strcat(format, "c");
        show(sqlite3_mprintf(format, 1 + below(below(2) ? 126 : 0x10fffe)));
    }
  }
}

int main(void) {
  fixed();
  buffers();
  randomOnes();
  return 0;
}
