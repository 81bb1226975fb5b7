"""The shell behind pipes, as programs drive it: pipes.py MARTLET

Each line that is sent is answered before the next: who writes the input waits for what it printed.
"""
import os
import select
import subprocess
import sys
import tempfile

PATIENCE = 30


class Shell:
    def __init__(self, shell):
        self.process = subprocess.Popen(
            [shell, ":memory:"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)

    def ask(self, line, expected):
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()
        given = b""
        while len(given) < len(expected):
            ready = select.select([self.process.stdout], [], [], PATIENCE)[0]
            assert ready, f"{line!r} is not answered: {given!r}"
            piece = os.read(self.process.stdout.fileno(), 65536)
            assert piece, f"ended at {line!r}: {given!r}"
            given += piece
        assert given == expected, f"{line!r}: {given!r}"

    def end(self):
        self.process.stdin.close()
        assert self.process.wait(PATIENCE) == 0


def main():
    shell = Shell(os.path.realpath(sys.argv[1]))
    shell.ask(b"SELECT 1;", b"1\n")
    shell.ask(b".print x", b"x\n")
    shell.ask(b"CREATE TABLE t(a); INSERT INTO t VALUES(2) RETURNING a;", b"2\n")
    shell.ask(b"SELECT a\nFROM t;", b"2\n")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out").encode()
        shell.ask(b".output " + path + b"\nSELECT 3;\n.shell cat " + path, b"3\n")
    shell.ask(b".output\nSELECT 4;", b"4\n")
    shell.end()
    print("pipes: passed")


main()
