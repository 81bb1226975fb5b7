"""The bar of what takes long: progress.py MARTLET

Errors go to a pseudo-terminal here, as the bar does; the rest goes through pipes.
"""
import os
import pty
import re
import subprocess
import sys
import tempfile
import threading

BAR = re.compile(rb"\r\[[# ]{30}\] +(\d+)%  \d+ (steps|pages)  \d+[kM]?/s  \d+:\d\d left\x1b\[K")
COUNT = re.compile(rb"\r\d+ rows  \d+[kM]?/s  \d+:\d\d\x1b\[K")
# An index whose entries take some microseconds each: one of these numbers of rows takes longer than a
# second.
ROWS = (50000, 200000, 800000, 3200000)
INDEX = "CREATE INDEX i ON t(length(hex(zeroblob(a % 3000 + 20000))));\n"


def run(shell, script, folder, terminal=True):
    """What the shell writes to its errors, and to its output."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [shell, "-noinit", "test.db"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=theirs if terminal else subprocess.PIPE)
    os.close(theirs)
    shown = bytearray()
    # A terminal that nobody reads holds up the shell.
    reader = threading.Thread(target=read_all, args=(ours, shown))
    reader.start()
    try:
        output, errors = process.communicate(script.encode(), timeout=120)
    finally:
        process.kill()
        reader.join()
        os.close(ours)
    return bytes(shown) + (errors or b""), output


def table(rows):
    return f"CREATE TABLE t(a); INSERT INTO t SELECT value FROM generate_series(1,{rows});\n"


def read_all(terminal, shown):
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            return
        if not piece:
            return
        shown += piece


def show_bar(shell, folder):
    """What is shown of the smallest table for which there is a bar, and the table's rows."""
    for rows in ROWS:
        script = "DROP TABLE IF EXISTS t;\n" + table(rows) + INDEX + "SELECT 'done';\n"
        shown, output = run(shell, script, folder)
        if BAR.search(shown):
            break
    return shown, output, rows


def test_create_index(shell, folder):
    shown, output, _ = show_bar(shell, folder)
    percents = [int(match.group(1)) for match in BAR.finditer(shown)]
    assert percents, shown
    assert percents == sorted(percents), percents
    assert shown.endswith(b"\r\x1b[K"), "the bar is taken away"
    assert output == b"done\n", output


def test_import_without_an_end(shell, folder):
    shown, output = run(
        shell, "CREATE TABLE t(a);\n.import '|seq 1 300000; sleep 1.3; seq 1 1000' t\n"
        "SELECT count(*) FROM t;\n", folder)
    assert COUNT.search(shown), shown
    assert output == b"301000\n", output


def test_nothing_where_errors_are_no_terminal(shell, folder):
    rows = show_bar(shell, folder)[2]
    shown, output = run(
        shell, "DROP TABLE t;\n" + table(rows) + INDEX, folder, terminal=False)
    assert (shown, output) == (b"", b""), (shown, output)


def test_progress_of_the_user_goes_first(shell, folder):
    rows = show_bar(shell, folder)[2]
    shown, output = run(
        shell, "DROP TABLE t;\n" + table(rows) + ".progress 100000000 --quiet\n" + INDEX, folder)
    assert not BAR.search(shown), shown


def main():
    shell = os.path.realpath(sys.argv[1])
    tests = [test for name, test in sorted(globals().items()) if name.startswith("test_")]
    failures = 0
    for test in tests:
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(shell, folder)
            except AssertionError as error:
                failures += 1
                print(f"{test.__name__}: {error}")
    print(f"{len(tests) - failures} passed, {failures} failed")
    sys.exit(failures > 0)


main()
