#!/usr/bin/env python3
"""Writes the Unicode tables of MartletSearch, by asking C SQLite about every code point.

    LD_LIBRARY_PATH=$MARTLET_ORACLE unicode_tables.py Sources/MartletSearch/Tokenizers

Python's own SQLite has to be the one that is asked, and to have FTS5. Takes some minutes.
"""
import sqlite3
import sys

SCALARS = [c for c in range(1, 0x110000) if not 0xD800 <= c < 0xE000]
CATEGORIES = ("Cc Cf Cn Cs Co Ll Lm Lo Lt Lu Mc Me Mn Nd Nl No Pc Pd Pe Pf Pi Po Ps Sc Sk Sm So "
              "Zl Zp Zs").split()
database = sqlite3.connect(":memory:")


def tokens(options, scalars, wrap=""):
    """The tokens of texts that are a scalar each, by scalar."""
    database.execute(f"CREATE VIRTUAL TABLE t USING fts5(x, content='', tokenize=\"{options}\")")
    database.execute("BEGIN")
    database.executemany("INSERT INTO t(rowid, x) VALUES(?, ?)",
                         ((c, wrap + chr(c) + wrap) for c in scalars))
    database.execute("COMMIT")
    database.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, instance)")
    found = {}
    for term, scalar in database.execute("SELECT CAST(term AS BLOB), doc FROM v"):
        found.setdefault(scalar, []).append(term.decode())
    database.execute("DROP TABLE v")
    database.execute("DROP TABLE t")
    return found


def words(text):
    """Lines of a Swift literal; a backslash joins them."""
    lines, line = [], ""
    for word in text:
        if len(line) + len(word) > 92:
            lines.append(line)
            line = ""
        line += word
    return "\n".join("    " + line + "\\" for line in lines + [line])


def category_table():
    one = set(tokens("unicode61 categories 'Cc'", SCALARS))
    other = set(tokens("unicode61 categories 'Cf'", SCALARS))
    # What C knows no category of is a token always.
    unknown = one & other
    known = [c for c in SCALARS if c not in unknown]
    category = {}
    for index, name in enumerate(CATEGORIES):
        options = f"unicode61 remove_diacritics 0 categories '{name}'"
        for scalar in tokens(options, known):
            category[scalar] = index + 1
    runs, start = [], 0
    for scalar in range(1, 0x100001):
        if scalar == 0x100000 or category.get(scalar, 0) != category.get(start, 0):
            letter = chr(ord("A") + category.get(start, 0))
            letter = letter if letter <= "Z" else chr(ord(letter) + 6)
            runs.append(letter + (str(scalar - start) if scalar - start > 1 else ""))
            start = scalar
    names = ", ".join(f'"{name}"' for name in CATEGORIES)
    return known, f'''\
// Made by Tests/MartletSearchTests/Tools/unicode_tables.py.

extension UnicodeCategories {{
  /// Runs of code points of one category, from 0 on: a letter, and how many there are if not one.
  /// `A` is no category, the letters from `B` on stand for `names`.
  static let runs: StaticString = """
{words(runs)}

    """
}}
'''


def groups(values):
    """(start, count, step, value) of scalars that follow each other with equal values."""
    result = []
    for scalar, value in sorted(values.items()):
        if result:
            start, count, step, last = result[-1]
            end = start + (count - 1) * step
            if last == value and scalar - end in (1, 2) and (count == 1 or scalar - end == step):
                result[-1] = (start, count + 1, scalar - end, value)
                continue
        result.append((scalar, 1, 1, value))
    return result


def folding_table(known):
    options = "unicode61 categories 'C* L* M* N* P* S* Z*' remove_diacritics "
    folded = []
    for removal in "012":
        found = tokens(options + removal, known, wrap="x")
        folded.append({c: ord(found[c][0][1:-1] or "\0") for c in known})
    plain, simple, every = folded
    changes = {c: plain[c] - c for c in known if plain[c] != c}
    removals = {plain[c]: every[c] for c in known if simple[c] != plain[c]}
    hard = {plain[c]: every[c] for c in known
            if every[c] != plain[c] and simple[c] == plain[c]}
    usual = tokens("unicode61", known, wrap="x")
    alone = tokens("unicode61", known)
    marks = [c for c in known if len(usual.get(c, [])) == 1 and c not in alone and every[c] == 0]

    def literal(values):
        return words(" ".join(map(str, group)) + " " for group in groups(values))
    return f'''\
// Made by Tests/MartletSearchTests/Tools/unicode_tables.py.

extension CaseFolding {{
  /// Upper case: the first code point, how many, how far from one to the next, and what is added.
  static let changes: StaticString = """
{literal(changes)}

    """

  /// Letters with a diacritic: the first, how many, how far from one to the next, and the letter.
  static let removals: StaticString = """
{literal(removals)}

    """

  /// The same for letters with several diacritics.
  static let severalRemovals: StaticString = """
{literal(hard)}

    """
}}

extension CombiningMarks {{
  /// Bit n stands for the code point n behind the first.
  static let first: UInt32 = {min(marks):#x}
  static let bits: UInt64 = {sum(1 << (c - min(marks)) for c in marks):#x}
}}
'''


known, text = category_table()
open(sys.argv[1] + "/UnicodeCategories+Table.swift", "w").write(text)
open(sys.argv[1] + "/CaseFolding+Table.swift", "w").write(folding_table(known))
