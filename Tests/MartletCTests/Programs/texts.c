/* Comparing, matching, keywords, complete statements, texts of codes. */
#include <stdio.h>
#include <string.h>
#include "sqlite3.h"

static const char *words[] = {"", "a", "A", "ab", "Abc", "abd", "\xc3\xa9", "\xc3\x89", "z_[",
    "z_{"};

static void comparisons(void) {
  int left, right, count;
  for (left = 0; left < 10; left++)
    for (right = 0; right < 10; right++) {
      printf("%d", sqlite3_stricmp(words[left], words[right]));
      for (count = -1; count < 4; count++) printf(" %d", sqlite3_strnicmp(words[left], words[right],
          count));
      printf("\n");
    }
  printf("%d %d %d\n", sqlite3_stricmp(0, "a"), sqlite3_stricmp("a", 0), sqlite3_stricmp(0, 0));
  printf("%d %d %d\n", sqlite3_strnicmp(0, "a", 1), sqlite3_strnicmp("a", 0, 1), sqlite3_strnicmp(0,
      0, 1));
}

static void patterns(void) {
  static const char *globs[] = {"*", "a*", "?b*", "[a-c]*", "[^a]*", "*\xc3\xa9", "", "a[]]b",
      "x*y*z"};
  static const char *likes[] = {"%", "a%", "_B%", "%\xc3\xa9", "", "A!%b", "x%y%z", "%!_%"};
  static const char *texts[] = {"", "a", "ab", "ABC", "caf\xc3\xa9", "a]b", "x1y2z", "a%b",
      "under_score"};
  int pattern, text;
  for (pattern = 0; pattern < 9; pattern++)
    for (text = 0; text < 9; text++) printf("%d", sqlite3_strglob(globs[pattern],
        texts[text]) != 0);
  printf("\n");
  for (pattern = 0; pattern < 8; pattern++)
    for (text = 0; text < 9; text++)
      printf("%d%d%d%d", sqlite3_strlike(likes[pattern], texts[text], 0) != 0,
          sqlite3_strlike(likes[pattern], texts[text], '!') != 0,
          sqlite3_strlike(likes[pattern], texts[text], '%') != 0,
          sqlite3_strlike(likes[pattern], texts[text], '_') != 0);
  printf("\n%d %d %d %d\n", sqlite3_strglob(0, "a") != 0, sqlite3_strglob("a", 0) != 0,
      sqlite3_strglob(0, 0) != 0, sqlite3_strlike(0, 0, 0) != 0);
}

static void keywords(void) {
  static const char *others[] = {"selec", "selects", "abc", "x", "with_", "TeMpOrArY", "rowid",
      "true",
      "current_timestamp", "current_timestampx", "stored", "a b", "1"};
  const char *name;
  int index, count;
  for (index = 0; index < sqlite3_keyword_count(); index++) {
    printf("%d ", sqlite3_keyword_name(index, &name, &count));
    printf("%.*s %d\n", count, name, sqlite3_keyword_check(name, count) != 0);
  }
  printf("%d %d\n", sqlite3_keyword_name(-1, &name, &count), sqlite3_keyword_name(147, &name,
      &count));
  for (index = 0; index < 13; index++)
    printf("%d", sqlite3_keyword_check(others[index], (int)strlen(others[index])) != 0);
  printf("%d\n", sqlite3_keyword_check("selectx", 6) != 0);
}

static void completeness(void) {
  static const char *texts[] = {"", ";", " ", "select 1", "select 1;", "select 1; -- end",
      "select 1; /* end */",
      "select 1; /* open", "select ';", "select ';';",
          "create trigger a after insert on b begin select 1;",
      "create trigger a after insert on b begin select 1; end;",
      "create temp trigger a begin select 1; end", "explain create trigger x begin; end;",
      "explain query plan select 1;", "create table a(b);", "select [;", "select `a;`;", "--;\n;",
          "x", "end;",
      "create trigger t begin select case when 1 then 2 end; end;", "select \"a\"\"b;\";"};
  int index, unit;
  for (index = 0; index < 23; index++) {
    unsigned short wide[200];
    for (unit = 0; texts[index][unit]; unit++) wide[unit] = (unsigned char)texts[index][unit];
    wide[unit] = 0;
    printf("%d%d ", sqlite3_complete(texts[index]), sqlite3_complete16(wide));
  }
  printf("\n");
}

static void codes(void) {
  int code;
  for (code = -2; code < 110; code++) printf("%d %s\n", code, sqlite3_errstr(code));
  for (code = 256; code < 9000; code += 7) printf("%d %s\n", code, sqlite3_errstr(code));
  printf("%s %s\n", sqlite3_errstr(SQLITE_ABORT_ROLLBACK), sqlite3_errstr(SQLITE_IOERR_READ));
}

int main(void) {
  comparisons();
  patterns();
  keywords();
  completeness();
  codes();
  printf("%d %d %d\n", sqlite3_compileoption_used("THREADSAFE"),
      sqlite3_compileoption_used("SQLITE_THREADSAFE=1"),
      sqlite3_compileoption_used("NO_SUCH"));
  printf("%d %d %d %d %d\n", sqlite3_compileoption_used("ENABLE_FTS3"),
      sqlite3_compileoption_used("ENABLE_FTS5"), sqlite3_compileoption_used("ENABLE_RTREE"),
      sqlite3_compileoption_used("ENABLE_SESSION"), sqlite3_compileoption_used("ENABLE_SNAPSHOT"));
  printf("%d %d\n", sqlite3_compileoption_get(0) != 0, sqlite3_compileoption_get(-1) == 0);
  printf("%d %d\n", sqlite3_sleep(2), sqlite3_sleep(-1));
  return 0;
}
