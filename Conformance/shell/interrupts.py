"""Ctrl-C in the shell, on a terminal and off it: interrupts.py MARTLET

What a statement, the prompt and a script do with SIGINT can be seen on a terminal only, so each case
drives the shell through a pseudo-terminal, or through pipes where it reads no terminal.
"""
import os
import pty
import select
import signal
import subprocess
import sys
import time

LONG = b"WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT sum(x) FROM c;"
FILL = b"INSERT INTO t WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT x FROM c;"
PROMPT = b"martlet> "
CONTINUED = b"...> "
PATIENCE = 30
# A statement has to be under way before it can be interrupted.
START = 0.5


class Terminal:
    """The shell on a terminal; `expect` reads to a text and gives what came before it."""

    def __init__(self, shell):
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.environ.update(TERM="dumb", HOME="/nonexistent")
            os.execv(shell, [shell])
        self.unread = b""
        self.expect(PROMPT)

    def expect(self, text):
        deadline = time.monotonic() + PATIENCE
        while text not in self.unread:
            left = deadline - time.monotonic()
            assert left > 0, f"no {text!r} in {self.unread!r}"
            if select.select([self.terminal], [], [], left)[0]:
                self.unread += os.read(self.terminal, 65536)
        before, self.unread = self.unread.split(text, 1)
        return before

    def send(self, text, until=PROMPT):
        """Types a line, and gives what is shown up to the next prompt."""
        os.write(self.terminal, text + b"\n")
        return self.expect(until)

    def type(self, text):
        os.write(self.terminal, text)

    def interrupt(self, until=PROMPT):
        self.type(b"\x03")
        return self.expect(until)

    def start(self, sql):
        os.write(self.terminal, sql + b"\n")
        time.sleep(START)

    def end(self):
        """The status that the shell ends with."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            ended, status = os.waitpid(self.process, os.WNOHANG)
            if ended:
                return os.waitstatus_to_exitcode(status)
            if select.select([self.terminal], [], [], 0.05)[0]:
                try:
                    os.read(self.terminal, 65536)
                except OSError:
                    pass
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        raise AssertionError("the shell does not end")


def quits(terminal):
    terminal.type(b".exit 7\n")
    code = terminal.end()
    assert code == 7, code


def a_statement_ends_and_the_shell_goes_on(shell):
    terminal = Terminal(shell)
    for _ in range(4):
        terminal.start(LONG)
        assert b"interrupted" in terminal.interrupt()
    assert b"42" in terminal.send(b"SELECT 6 * 7;")
    quits(terminal)


def what_follows_the_statement_on_its_line_is_dropped(shell):
    terminal = Terminal(shell)
    terminal.start(LONG + b" SELECT 6 * 7;")
    assert b"42" not in terminal.interrupt()
    quits(terminal)


def the_prompt_only_clears_the_line(shell):
    terminal = Terminal(shell)
    for _ in range(4):
        terminal.type(b"SELECT 6 *")
        terminal.expect(b"6 *")
        terminal.interrupt()
    assert b"42" in terminal.send(b"SELECT 6 * 7;")
    quits(terminal)


def a_half_entered_statement_is_dropped(shell):
    terminal = Terminal(shell)
    terminal.send(b"SELECT 1,", until=CONTINUED)
    terminal.interrupt()
    assert b"42" in terminal.send(b"SELECT 6 * 7;")
    quits(terminal)


def a_transaction_survives_a_query(shell):
    terminal = Terminal(shell)
    terminal.send(b"CREATE TABLE t(a); BEGIN; INSERT INTO t VALUES (42);")
    terminal.start(LONG)
    assert b"interrupted" in terminal.interrupt()
    terminal.interrupt()
    assert b"42" in terminal.send(b"SELECT a FROM t;")
    assert b"no transaction" not in terminal.send(b"COMMIT;")
    quits(terminal)


def a_change_takes_its_transaction_back(shell):
    terminal = Terminal(shell)
    terminal.send(b"CREATE TABLE t(a); BEGIN; INSERT INTO t VALUES (42);")
    terminal.start(FILL)
    assert b"interrupted" in terminal.interrupt()
    assert b"no transaction" in terminal.send(b"COMMIT;")
    assert b"rows: 0" in terminal.send(b"SELECT 'rows: ' || count(*) FROM t;")
    quits(terminal)


def a_file_that_is_read_ends_too(shell):
    terminal = Terminal(shell)
    script = "|printf '%s\\nSELECT 6 * 7;\\n' '" + LONG.decode() + "'"
    terminal.start(b'.read "' + script.encode() + b'"')
    assert b"42" not in terminal.interrupt()
    assert b"42" in terminal.send(b"SELECT 6 * 7;")
    quits(terminal)


def a_long_table_stops_being_drawn(shell):
    terminal = Terminal(shell)
    rows = LONG.replace(b"sum(x)", b"x").replace(b") SELECT", b" LIMIT 200000) SELECT")
    terminal.type(rows + b"\n")
    terminal.expect(b" 9 ")
    shown = terminal.interrupt()
    assert b"interrupted" in shown and b"200000" not in shown.split(b"\n", 1)[1], shown[-300:]
    quits(terminal)


def an_import_takes_its_rows_back(shell):
    terminal = Terminal(shell)
    terminal.send(b"CREATE TABLE t(a);")
    terminal.start(b'.import "|yes 1" t')
    assert b"interrupted" in terminal.interrupt()
    assert b"rows: 0" in terminal.send(b"SELECT 'rows: ' || count(*) FROM t;")
    quits(terminal)


def run(shell, arguments, text):
    """Runs the shell without a terminal and interrupts it; gives output, errors and status."""
    process = subprocess.Popen(
        [shell, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    process.stdin.write(text)
    process.stdin.flush()
    time.sleep(START)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=PATIENCE)
    return output, errors, process.returncode


def a_script_ends(shell):
    found = run(shell, [], b"SELECT 1;\n" + LONG + b"\nSELECT 2;\n")
    expected = (b"1\n", b"Error near line 2: interrupted\nProgram interrupted.\n", 1)
    assert found == expected, found


def a_command_line_ends(shell):
    found = run(shell, [":memory:", LONG.decode(), "SELECT 2"], b"")
    errors = b"Error in 2nd command line argument: interrupted\nProgram interrupted.\n"
    assert found == (b"", errors, 1), found


def a_shell_that_waits_for_its_input_ends(shell):
    found = run(shell, [], b"SELECT 1;\n")
    assert found == (b"1\n", b"Program interrupted.\n", 1), found


CASES = [
    a_statement_ends_and_the_shell_goes_on,
    what_follows_the_statement_on_its_line_is_dropped,
    the_prompt_only_clears_the_line,
    a_half_entered_statement_is_dropped,
    a_transaction_survives_a_query,
    a_change_takes_its_transaction_back,
    a_file_that_is_read_ends_too,
    a_long_table_stops_being_drawn,
    an_import_takes_its_rows_back,
    a_script_ends,
    a_command_line_ends,
    a_shell_that_waits_for_its_input_ends,
]


def main():
    shell = os.path.realpath(sys.argv[1])
    failed = 0
    for case in CASES:
        try:
            case(shell)
        except (AssertionError, OSError, subprocess.TimeoutExpired) as problem:
            failed += 1
            print(f"{case.__name__}: {problem!r}")
    print(f"{len(CASES) - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
