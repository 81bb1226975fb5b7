"""Runs SQLite's own tests, which are written in Tcl, on two libraries.

    testfixture.py SOURCE OURS ORACLE FOLDER [--only REGEX] [--jobs N] [--seconds N] [--write]

SOURCE is an unpacked source tree of SQLite of the oracle's version, with its tests; OURS and ORACLE are
folders with a libsqlite3.so.0. Needed are gcc, make, objcopy, and the headers of Tcl 8.6.

The program that runs the tests, `testfixture`, is made in FOLDER of the tree's sources. It calls the
public interface of the library that LD_LIBRARY_PATH names. What its commands need of SQLite's insides
(other encodings of a text, varints, a file of a VFS) comes from a copy of SQLite whose public functions
have other names; commands that would look into a connection or a tree of the library fail.

Without --only these are the files in test/ but those that let memory or files fail, whose number of tests
hangs on how often a library asks for them, and those of FTS3 and R-trees, which take long.

A test counts that passes on ORACLE and not on OURS. `testfixture.expected` has how many there are in each
file, and --write writes it anew: they hang on EXPLAIN, counters of SQLite's debug builds, the number of
calls of malloc, shared caches, and on what docs/deviations.md and docs/limits.md name. The command fails
where a file has more. Files that do not end within --seconds say nothing.
"""
import argparse
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
EXPECTED = os.path.join(HERE, "testfixture.expected")
OPTIONS = """THREADSAFE=1 ENABLE_FTS3 ENABLE_FTS3_PARENTHESIS ENABLE_FTS4 ENABLE_FTS5 ENABLE_RTREE
ENABLE_MATH_FUNCTIONS ENABLE_PERCENTILE ENABLE_COLUMN_METADATA ENABLE_DBSTAT_VTAB ENABLE_DBPAGE_VTAB
ENABLE_STMTVTAB ENABLE_SESSION ENABLE_PREUPDATE_HOOK ENABLE_UNLOCK_NOTIFY SOUNDEX ENABLE_STAT4
ENABLE_SNAPSHOT ENABLE_UPDATE_DELETE_LIMIT TEST=1 NO_SYNC=1 SERIES_CONSTRAINT_VERIFY=1 CORE=1 PRIVATE=
CKSUMVFS_STATIC=1""".split()
# They run other files, or take hours.
LEFT_OUT = set("""all quick full veryquick extraquick permutations soak mallocAll valgrind session rbu
backup speed1 speed1p speed2 speed3 speed4 speed4p bigsort thread001""".split())
USUAL = r"^test/(?!\w*(fault|malloc|oom|err|fts|rtree))"
# Functions of SQLite's insides that give memory which the public ones free, or that need a connection.
OWN = "sqlite3MallocZero sqlite3Fts3MallocZero sqlite3DbFree sqlite3Realloc sqlite3DbstatRegister sqlite3ValueNew"
BRIDGE = r'''
#include <string.h>
#include <tcl.h>
#include "sqlite3.h"
extern int priv_sqlite3_initialize(void), sqlite3_memdebug_vfs_oom_test;
extern void *priv_sqlite3ValueNew(void *);
void *sqlite3MallocZero(sqlite3_uint64 size) {
  void *memory = sqlite3_malloc64(size);
  return memory ? memset(memory, 0, size) : 0;
}
void *sqlite3Fts3MallocZero(sqlite3_int64 size) { return sqlite3MallocZero(size); }
void sqlite3DbFree(sqlite3 *db, void *memory) { sqlite3_free(memory); }
void *sqlite3Realloc(void *memory, sqlite3_uint64 size) { return sqlite3_realloc64(memory, size); }
int sqlite3DbstatRegister(sqlite3 *db) { return SQLITE_OK; }
void *sqlite3ValueNew(void *db) { return priv_sqlite3ValueNew(0); }
static int inside(ClientData data, Tcl_Interp *interp, int count, const char **words) {
  Tcl_SetResult(interp, data ? "0" : "looks into the library", 0);
  return data ? TCL_OK : TCL_ERROR;
}
int Sqlitetest3_Init(Tcl_Interp *interp) {
  static const char *const names[] = { COMMANDS };
  unsigned index;
  for (index = 0; index < sizeof names / sizeof *names; index++) {
    int isHarmless = strstr(names[index], "ismemdb") || strstr(names[index], "set_cache_size");
    Tcl_CreateCommand(interp, names[index], inside, isHarmless ? (ClientData)1 : 0, 0);
  }
  return TCL_OK;
}
__attribute__((constructor)) static void begin(void) {
  priv_sqlite3_initialize();
  sqlite3_memdebug_vfs_oom_test = 0;
}
'''


def run(command, **words):
    subprocess.run(command, check=True, **words)


def patched(source, name):
    """The text of a file of tests, without what reads structures of the library."""
    with open(os.path.join(source, "src", name), encoding="latin-1") as file:
        text = file.read()
    if name == "test1.c":
        text = re.sub(r"sqlite3_mutex_(enter|leave)\(db->mutex\)",
                      r"sqlite3_mutex_\1(sqlite3_db_mutex(db))", text)
        text = text.replace("db->mallocFailed", "0").replace("i<db->nDb", "i<1")
        text = text.replace("db->aDb[i].pBt==0", "1")
    if name == "test2.c":
        text = text.replace(
            "rc = sqlite3_test_control(SQLITE_TESTCTRL_PENDING_BYTE, pbyte);",
            "{ extern int priv_sqlite3_test_control(int, ...);"
            " rc = sqlite3_test_control(SQLITE_TESTCTRL_PENDING_BYTE, pbyte);"
            " priv_sqlite3_test_control(SQLITE_TESTCTRL_PENDING_BYTE, pbyte); }")
    return text


def build(source, oracle, folder):
    """Makes testfixture, unless it is there."""
    program = os.path.join(folder, "testfixture")
    if os.path.exists(program):
        return program
    made = os.path.join(folder, "build")
    os.makedirs(made, exist_ok=True)
    quiet = {"stdout": subprocess.DEVNULL, "cwd": made}
    run([os.path.join(source, "configure")], **quiet)
    run(["make", "sqlite3.c", "fts5.c", "tclsqlite-ex.c"], **quiet)
    include = ["-I."] + ["-I" + os.path.join(source, part) for part in
                         "src ext/rtree ext/fts3 ext/fts5 ext/session ext/recover ext/misc".split()]
    include += ["-Itsrc", "-I/usr/include/tcl8.6", "-DTCLSH_INIT_PROC=sqlite3TestInit"]
    flags = ["-O1", "-w", "-fPIC", "-c"] + ["-DSQLITE_" + option for option in OPTIONS] + include
    run(["gcc", *flags, "-DSQLITE_ENABLE_CARRAY", "sqlite3.c", "-o", "inside.o"], cwd=made)
    with open(os.path.join(source, "main.mk")) as file:
        makefile = file.read()
    listed = makefile[makefile.index("\nTESTSRC ="):makefile.index("\nTESTSRC2 =")]
    objects = []
    for path in re.findall(r"\$\(TOP\)/(\S+\.c)", listed) + ["tclsqlite-ex.c"]:
        name = os.path.basename(path)
        original = os.path.join(made if path == name else source, path)
        if name == "test3.c":
            with open(original) as file:
                commands = re.findall(r'"(btree_\w+)"', file.read())
            original = os.path.join(made, "bridge.c")
            with open(original, "w") as file:
                names = ", ".join('"%s"' % command for command in commands)
                file.write(BRIDGE.replace("COMMANDS", names))
        elif name in ("test1.c", "test2.c"):
            text, original = patched(source, name), os.path.join(made, name)
            with open(original, "w", encoding="latin-1") as file:
                file.write(text)
        objects.append(name[:-2] + ".fixture.o")
        run(["gcc", *flags, original, "-o", objects[-1]], cwd=made)
    library = os.path.join(oracle, "libsqlite3.so.0")
    symbols = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True)
    public = re.findall(r" (sqlite3\w+)$", symbols.stdout, re.M) + OWN.split()
    with open(os.path.join(made, "names"), "w") as file:
        file.writelines("%s priv_%s\n" % (name, name) for name in public
                        if name != "sqlite3_data_directory")
    run(["objcopy", "--redefine-syms=names", "inside.o", "private.o"], cwd=made)
    run(["gcc", "-rdynamic", "-o", program, *objects, "private.o", library, "-ltcl8.6", "-lz", "-lm",
         "-lpthread", "-ldl"], cwd=made)
    return program


def passed(program, library, path, folder, seconds):
    """The tests of a file that pass, and how it ended."""
    shutil.rmtree(folder, True)
    os.makedirs(folder)
    environment = dict(os.environ, LD_LIBRARY_PATH=library, SWIFT_BACKTRACE="enable=no")
    child = subprocess.Popen([program, path], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        output, status = child.communicate(timeout=seconds)[0], child.returncode
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        output, status = child.communicate()[0], "time"
    for place, names, _ in os.walk(folder):
        for name in names:
            os.chmod(os.path.join(place, name), 0o755)
    shutil.rmtree(folder, True)
    return set(re.findall(r"^(\S+)\.\.\. Ok", output.decode("latin-1"), re.M)), status


def main():
    parser = argparse.ArgumentParser()
    for name in ("source", "ours", "oracle", "folder"):
        parser.add_argument(name, type=os.path.abspath)
    parser.add_argument("--only", default=USUAL)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    program = build(options.source, options.oracle, options.folder)
    paths = sorted(glob.glob(os.path.join(options.source, "test", "*.test"))
                   + glob.glob(os.path.join(options.source, "ext", "*", "test", "*.test"))
                   + glob.glob(os.path.join(options.source, "ext", "*", "*.test")))
    expected = {}
    if os.path.exists(EXPECTED):
        with open(EXPECTED) as file:
            expected = {name: int(count) for name, count in map(str.split, file)}

    def compare(path):
        name = os.path.relpath(path, options.source)[:-len(".test")]
        if os.path.basename(name) in LEFT_OUT or not re.search(options.only, name):
            return None
        place = os.path.join(options.folder, "run", name.replace("/", "-"))
        right, end = passed(program, options.oracle, path, place, options.seconds)
        ours, our_end = passed(program, options.ours, path, place, 2 * options.seconds)
        if "time" in (end, our_end):
            return None
        return name, len(right), right - ours, end, our_end

    began, found, total, worse = time.time(), {}, 0, 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for result in filter(None, pool.map(compare, paths)):
            name, count, missing, end, our_end = result
            total += count
            if missing:
                found[name] = len(missing)
            if len(missing) > expected.get(name, 0):
                worse += 1
                print("%s: %d of %d not here (%s, %s), expected %d: %s" % (
                    name, len(missing), count, end, our_end, expected.get(name, 0),
                    " ".join(sorted(missing)[:6])), flush=True)
    if options.write:
        kept = {name: count for name, count in expected.items() if not re.search(options.only, name)}
        with open(EXPECTED, "w") as file:
            file.writelines("%s %d\n" % item for item in sorted({**kept, **found}.items()))
    print("%d tests pass on C, %d of them not here, in %d files; %d files worse than expected; %d s" % (
        total, sum(found.values()), len(found), worse, time.time() - began))
    return 1 if worse and not options.write else 0


if __name__ == "__main__":
    sys.exit(main())
