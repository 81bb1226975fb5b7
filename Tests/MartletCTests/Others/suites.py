"""Runs the test suites of other people's programs on two libraries.

    suites.py OURS ORACLE FOLDER [SUITE…]

OURS and ORACLE are folders with a libsqlite3.so.0. CPython's own tests of its module sqlite3 are part of
Python; the others are installed by name into FOLDER, where they stay for the next run. Each suite runs on
both libraries in the same way. A test fails here if it passes on ORACLE and not on OURS; one that fails on
both says nothing about the library. The last line has the counts. A suite that cannot be installed is
left out with a message.
"""
import fnmatch
import os
import re
import shutil
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as ElementTree

# Name: what is installed, besides pytest; the package whose source has the tests; how they are run.
SUITES = {
    "cpython": ([], None, ["-m", "unittest", "test.test_sqlite3"]),
    "sqlite-utils": (["hypothesis"], "sqlite-utils==4.2.1", ["-m", "pytest", "tests"]),
    "dataset": ([], "dataset==2.0.0", ["-m", "pytest", "test"]),
    "pony": ([], "pony==0.7.20", ["-m", "unittest", "discover", "-s", "pony/orm/tests", "-t", "."]),
    "alembic": (["tzdata", "black"], "alembic==1.20.1",
                ["-m", "pytest", "--db", "sqlite", "tests"]),
    "sqlalchemy": ([], "sqlalchemy==2.1.9", [
        "-m", "pytest", "--db", "sqlite", "--backend-only", "--ignore", "test/aaa_profiling",
        "-m", "not memory_intensive and not timing_intensive"]),
    "django": (["tblib"], "django==5.2.19", [
        "tests/runtests.py", "--parallel", "1", "backends", "schema", "queries", "transactions",
        "introspection", "migrations", "aggregation", "annotations", "expressions", "lookup",
        "bulk_create", "constraints", "delete", "db_functions", "model_fields", "fixtures", "indexes",
        "inspectdb", "get_or_create", "ordering", "many_to_many", "raw_query", "update"]),
}
# What runs where no suite is named: some minutes.
USUAL = ["cpython", "sqlite-utils", "dataset", "pony", "alembic"]
SECONDS = 1500
# What README.md says is not there.
MISSING = "(?i)not supported by Martlet"

# Put first on the path of a suite of unittest: notes how each test ended.
RECORDER = '''
import os, re, unittest
_path = os.environ.get("SUITES_RESULTS")
if _path:
    def _noting(name, outcome):
        original = getattr(unittest.TestResult, name)
        def noting(self, test, *rest, **words):
            said = str(rest[0][1]) if outcome == "failed" and rest else ""
            kind = "missing" if re.search(os.environ["SUITES_MISSING"], said) else outcome
            with open(_path, "a") as file:
                print(kind, test.id() if hasattr(test, "id") else str(test), file=file)
            return original(self, test, *rest, **words)
        setattr(unittest.TestResult, name, noting)
    for _name, _outcome in [("addSuccess", "passed"), ("addFailure", "failed"), ("addError", "failed"),
                            ("addSkip", "skipped"), ("addExpectedFailure", "passed"),
                            ("addUnexpectedSuccess", "failed")]:
        _noting(_name, _outcome)
'''


def quiet(words, **rest):
    """Runs a command; gives whether it succeeded."""
    return subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **rest).returncode == 0


def install(folder, suite):
    """The archive with a suite's source and the Python that runs it; None if they cannot be had."""
    needed, package, _ = SUITES[suite]
    if package is None:
        return None, sys.executable
    place = os.path.join(folder, suite)
    python = os.path.join(place, "venv", "bin", "python")
    if not os.path.exists(os.path.join(place, "ready")):
        os.makedirs(place, exist_ok=True)
        steps = [
            [sys.executable, "-m", "venv", os.path.join(place, "venv")],
            [python, "-m", "pip", "install", "-q", "pytest", "pytest-xdist", package, *needed],
            [python, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", package.split("=")[0],
             "-d", place, package],
        ]
        if not all(quiet(step) for step in steps):
            return None
        open(os.path.join(place, "ready"), "w").close()
    archives = [name for name in os.listdir(place) if name.endswith(".tar.gz")]
    return (os.path.join(place, archives[0]), python) if archives else None


def unpack(archive):
    """The source in a folder of its own, without what an earlier run has left in it."""
    source = os.path.join(os.path.dirname(archive), "source")
    shutil.rmtree(source, ignore_errors=True)
    with tarfile.open(archive) as files:
        files.extractall(source, filter="data")
    return os.path.join(source, os.listdir(source)[0])


def outcomes(suite, library, archive, python, folder):
    """How each test of a suite ended on a library."""
    place = unpack(archive) if archive else os.getcwd()
    results = os.path.join(folder, suite + ".results")
    if os.path.exists(results):
        os.remove(results)
    recorder = os.path.join(folder, "recorder")
    os.makedirs(recorder, exist_ok=True)
    with open(os.path.join(recorder, "sitecustomize.py"), "w") as file:
        file.write(RECORDER)
    words = SUITES[suite][2]
    environment = dict(os.environ, LD_LIBRARY_PATH=library, PYTHONDONTWRITEBYTECODE="1")
    if "pytest" in words:
        words = words[:2] + ["-q", "-p", "no:cacheprovider", "--junitxml", results] + words[2:]
    else:
        environment.update(
            SUITES_RESULTS=results, SUITES_MISSING=MISSING, PYTHONPATH=recorder)
    with open(os.path.join(folder, suite + ".log"), "w") as log:
        try:
            subprocess.run([python, *words], cwd=place, env=environment, stdout=log, stderr=log,
                           stdin=subprocess.DEVNULL, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            print(suite, "has not ended after", SECONDS, "seconds")
    found = {}
    if not os.path.exists(results):
        return found
    if "pytest" not in words:
        for line in open(results):
            outcome, _, name = line.rstrip("\n").partition(" ")
            if found.get(name) != "failed":
                found[name] = outcome
        return found
    for case in ElementTree.parse(results).iter("testcase"):
        name = case.get("classname", "") + "." + case.get("name", "")
        kinds = {child.tag for child in case}
        if kinds & {"failure", "error"}:
            said = "".join(case.itertext()) + "".join(child.get("message", "") for child in case)
            found[name] = "missing" if re.search(MISSING, said) else "failed"
        else:
            found[name] = "skipped" if "skipped" in kinds else "passed"
    return found


def expected_failures(suite):
    """The patterns of tests that may fail."""
    place = os.path.join(os.path.dirname(os.path.abspath(__file__)), "suites.expected")
    lines = [line.split(None, 1) for line in open(place) if line.strip() and line[0] != "#"]
    return [pattern.strip().replace("[", "[[]") for name, pattern in lines if name == suite]


def main():
    ours, oracle, folder = (os.path.abspath(path) for path in sys.argv[1:4])
    os.makedirs(folder, exist_ok=True)
    passed = failed = skipped = 0
    for suite in sys.argv[4:] or USUAL:
        installed = install(folder, suite)
        if installed is None:
            print(suite, "is left out: it could not be installed")
            continue
        expected = outcomes(suite, oracle, *installed, folder)
        seen = outcomes(suite, ours, *installed, folder)
        good = [name for name, outcome in expected.items() if outcome == "passed"]
        missing = [name for name in good if seen.get(name) == "missing"]
        bad = [name for name in good if seen.get(name) not in ("passed", "missing")]
        for pattern in expected_failures(suite):
            known = [name for name in bad if fnmatch.fnmatchcase(name, pattern)]
            missing += known
            bad = [name for name in bad if name not in known]
            if not known and good:
                print(suite, pattern, "passes, and stands in suites.expected")
                failed += 1
        for name in bad:
            print(suite, name, seen.get(name, "did not run"))
        if not good:
            print(suite, "is left out: none of its tests passes on C SQLite")
        count = len(good) - len(bad) - len(missing)
        print(f"{suite}: {count} of {len(good)}, {len(missing)} for want of a feature", flush=True)
        passed += count
        failed += len(bad)
        skipped += len(expected) - len(good) + len(missing)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(failed > 0)


main()
