"""Line editing in the shell: editing.py MARTLET

Each case types keys on a pseudo-terminal and looks at a model of its screen.
"""
import fcntl
import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

from screen import Screen

PATIENCE = 30
UP, DOWN, RIGHT, LEFT = b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D"
HOME, END, DELETE = b"\x1b[H", b"\x1b[F", b"\x1b[3~"
WORD_LEFT, WORD_RIGHT = b"\x1b[1;5D", b"\x1b[1;5C"
PASTE = b"\x1b[200~%s\x1b[201~"


def control(letter):
    return bytes([ord(letter) & 0x1F])


class Terminal:
    def __init__(self, shell, *arguments, columns=60, rows=20, home=None, **variables):
        self.home = home or tempfile.mkdtemp()
        self.owns_home = home is None
        self.screen = Screen(columns, rows)
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.environ.update(TERM="xterm", HOME=self.home, **variables)
            for name in ("NO_COLOR", "SQLITE_HISTORY"):
                if name not in variables:
                    os.environ.pop(name, None)
            os.chdir(self.home)
            time.sleep(0.05)
            os.execv(shell, [shell, *arguments])
        self.size(columns, rows)
        self.wait("martlet> ")

    def size(self, columns, rows):
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, columns, rows):
        self.screen.resize(columns, rows)
        self.size(columns, rows)

    def pump(self, seconds):
        if not select.select([self.terminal], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.terminal, 65536)
        except OSError:
            return False
        self.screen.feed(data)
        return bool(data)

    def until(self, condition, what):
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, f"{what}; there is:\n{self.screen.text()}"
            self.pump(0.05)

    def wait(self, text):
        """Waits until the last rows that are not blank end so."""
        self.until(lambda: self.screen.text().endswith(text.rstrip()), f"no {text!r} at the end")

    def see(self, text):
        self.until(lambda: text in self.screen.text(), f"no {text!r}")

    def type(self, *keys):
        for key in keys:
            os.write(self.terminal, key.encode() if isinstance(key, str) else key)

    def line(self, text):
        """Waits until the row of the cursor is this one."""
        self.until(
            lambda: self.screen.lines()[self.screen.row] == text.rstrip(), f"the row is not {text!r}")

    def at(self, column):
        """Waits until the cursor is in this column."""
        self.until(lambda: self.screen.column == column, f"the cursor is not at {column}")

    def run(self, *keys):
        """Types an entry, and gives what is printed up to the next prompt."""
        self.type(*keys)
        marker = f".print done{time.monotonic_ns()}"
        self.type(b"\r" + marker.encode() + b"\r")
        self.see("\n" + marker.split()[1])
        self.wait("martlet> ")
        return self.screen.text()

    def attributes(self):
        return termios.tcgetattr(self.terminal)[3]

    def is_raw(self):
        return not self.attributes() & termios.ICANON

    def end(self):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            ended, status = os.waitpid(self.process, os.WNOHANG)
            if ended:
                break
            self.pump(0.05)
        else:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
            raise AssertionError("the shell does not end")
        while self.pump(0.05):
            pass
        return os.waitstatus_to_exitcode(status)

    def quit(self):
        self.type(control("U"), ".exit 7\r")
        code = self.end()
        assert code == 7, code
        if self.owns_home:
            shutil.rmtree(self.home)


def typed_sql_runs(shell):
    terminal = Terminal(shell)
    assert "42" in terminal.run("SELECT 6 * 7 AS n;")
    terminal.quit()


def the_cursor_moves_and_text_goes_in_between(shell):
    terminal = Terminal(shell)
    terminal.type("SELEC 7;", HOME, WORD_RIGHT, "T 6 *", END, LEFT, b"\x7f", "8", control("A"))
    terminal.line("martlet> SELECT 6 * 8;")
    terminal.at(9)
    terminal.type(control("E"), control("B"), control("F"), control("D"), LEFT, DELETE, ";")
    terminal.line("martlet> SELECT 6 * 8;")
    terminal.at(22)
    terminal.quit()


def words_are_jumped(shell):
    terminal = Terminal(shell)
    terminal.type("one two.three", WORD_LEFT, "A", b"\x1bb", b"\x1bb", "B", b"\x1bf", "C", HOME, b"\x1bf", "D")
    terminal.line("martlet> oneD BtwoC.Athree")
    terminal.quit()


def what_is_killed_is_yanked(shell):
    terminal = Terminal(shell)
    terminal.type("alpha beta gamma", control("W"), control("W"), control("Y"), HOME, control("K"))
    terminal.line("martlet> ")
    terminal.type(control("Y"), " ", control("U"), "x", control("Y"), b"\x1by")
    terminal.line("martlet> xalpha beta gamma")
    terminal.type(HOME, b"\x1bd", control("E"), b"\x1b\x7f")
    terminal.line("martlet>  beta")
    terminal.quit()


def changes_are_undone(shell):
    terminal = Terminal(shell)
    terminal.type("abc def", control("W"), control("W"))
    terminal.line("martlet> ")
    terminal.type(b"\x1f")
    terminal.line("martlet> abc")
    terminal.type(b"\x1f")
    terminal.line("martlet> abc def")
    terminal.quit()


def letters_change_their_case_and_places(shell):
    terminal = Terminal(shell)
    terminal.type("select ABC dEF", HOME, b"\x1bu", b"\x1bl", b"\x1bc", control("T"))
    terminal.line("martlet> SELECT abc Dfe")
    terminal.quit()


def a_statement_of_many_lines_is_edited_whole(shell):
    terminal = Terminal(shell)
    terminal.type("SELECT 1,\r2\r")
    terminal.line("    ...>")
    terminal.type("; -- end", UP, UP, END, " 5 *", DOWN, HOME, "3 + ")
    terminal.see("martlet> SELECT 1, 5 *\n    ...> 3 + 2\n    ...> ; -- end")
    text = terminal.run()
    assert "│ 1 │        17 │" in text, text
    terminal.quit()


def lines_join_and_break(shell):
    terminal = Terminal(shell)
    terminal.type("SELECT 1\r+ 1;", control("A"), b"\x7f")
    terminal.line("martlet> SELECT 1+ 1;")
    terminal.type(b"\x1b\r")
    terminal.line("    ...> + 1;")
    terminal.type(UP, control("E"), control("K"))
    terminal.line("martlet> SELECT 1+ 1;")
    terminal.quit()


def what_was_typed_comes_again(shell):
    terminal = Terminal(shell)
    terminal.run("SELECT 'first';")
    terminal.run("SELECT 2,\r3;")
    terminal.type("draft", UP, UP)
    terminal.see("\nmartlet> SELECT 2,\n    ...> 3;")
    terminal.type(UP, UP, UP)
    terminal.line("martlet> SELECT 'first';")
    terminal.type(b"\x1b[6~", b"\x1b[6~", b"\x1b[6~", b"\x1b[6~")
    terminal.line("martlet> draft")
    terminal.quit()


def history_is_kept_in_its_file(shell):
    home = tempfile.mkdtemp()
    first = Terminal(shell, home=home)
    first.run("SELECT 'kept',\r 7;")
    first.run(" SELECT 'not kept';")
    first.quit()
    with open(home + "/.sqlite_history") as file:
        lines = file.read().split("\n")
    assert lines[:2] == ["SELECT 'kept',", " 7;"] and "not kept" not in "".join(lines), lines
    assert os.stat(home + "/.sqlite_history").st_mode & 0o77 == 0
    second = Terminal(shell, home=home)
    second.type(control("R"), "kept")
    second.see("(reverse-i-search)`kept': SELECT 'kept',\n")
    second.type("\r")
    second.see("│ 'kept' │ 7 │\n")
    second.quit()
    named = Terminal(shell, home=home, SQLITE_HISTORY=home + "/other")
    named.run("SELECT 'elsewhere';")
    named.quit()
    with open(home + "/other") as file:
        assert "elsewhere" in file.read()
    shutil.rmtree(home)


def libedits_history_is_read(shell):
    home = tempfile.mkdtemp()
    with open(home + "/.sqlite_history", "w") as file:
        file.write("_HiStOrY_V2_\nSELECT\\0401\\040AS\\040one;\n")
    terminal = Terminal(shell, home=home)
    terminal.type(UP)
    terminal.line("martlet> SELECT 1 AS one;")
    terminal.quit()
    with open(home + "/.sqlite_history") as file:
        assert file.read().endswith("one;\n.exit\\0407\n")
    shutil.rmtree(home)


def history_is_searched(shell):
    terminal = Terminal(shell)
    for number in (11, 12, 21):
        terminal.run(f"SELECT {number};")
    terminal.type(control("R"), "select 1")
    terminal.line("(reverse-i-search)`select 1': SELECT 12;")
    terminal.type(control("R"))
    terminal.line("(reverse-i-search)`select 1': SELECT 11;")
    terminal.type(control("R"))
    terminal.line("(failed reverse-i-search)`select 1': SELECT 11;")
    terminal.type(control("S"))
    terminal.line("(forward-i-search)`select 1': SELECT 12;")
    terminal.type(RIGHT, control("E"), b"\x7f", " + 1;")
    terminal.line("martlet> SELECT 12 + 1;")
    terminal.type(control("U"), "mine", control("R"), "21", control("G"))
    terminal.line("martlet> mine")
    terminal.quit()


def names_are_completed(shell):
    terminal = Terminal(shell, columns=100)
    terminal.run("CREATE TABLE customers(id INTEGER, family_name TEXT, born);")
    terminal.type("SEL\t fam\t FR\t cust\t;")
    terminal.line("martlet> SELECT family_name FROM customers;")
    terminal.type(control("U"), "select customers.b\t from customers c where c.fam\t")
    terminal.line("martlet> select customers.born from customers c where c.family_name")
    terminal.type(control("U"), "select group_con\t")
    terminal.line("martlet> select group_concat(")
    terminal.type(control("U"), "PRAGMA journal_m\t")
    terminal.line("martlet> PRAGMA journal_mode")
    terminal.type(control("U"), ".datab\t")
    terminal.line("martlet> .databases")
    terminal.type(control("U"), ".mode markd\t")
    terminal.line("martlet> .mode markdown")
    terminal.type(control("U"), "SELECT 'cust\t")
    terminal.until(lambda: terminal.screen.bells > 0, "no bell")
    terminal.line("martlet> SELECT 'cust")
    terminal.quit()


def several_candidates_are_shown(shell):
    terminal = Terminal(shell)
    terminal.run("CREATE TABLE tally(a); CREATE TABLE target(b);")
    terminal.type("SELECT * FROM ta\t")
    terminal.see("tally")
    assert "target" in terminal.screen.text()
    terminal.line("martlet> SELECT * FROM ta")
    terminal.type("r\t;")
    terminal.line("martlet> SELECT * FROM target;")
    assert "tally  " not in terminal.screen.text()
    terminal.quit()


def files_are_completed(shell):
    terminal = Terminal(shell)
    with open(terminal.home + "/numbers.csv", "w") as file:
        file.write("a\n1\n")
    os.mkdir(terminal.home + "/folder")
    terminal.type(".import num\tt")
    terminal.line("martlet> .import numbers.csv t")
    terminal.type(control("U"), ".cd fol\t")
    terminal.line("martlet> .cd folder/")
    terminal.quit()


def a_paste_is_one_change(shell):
    terminal = Terminal(shell)
    assert "?2004" in terminal.screen.modes
    terminal.type(PASTE % b"SELECT 1;\r\nSELECT\t2;\rSELECT 'a\xc3\xa9';")
    terminal.see("    ...> SELECT 'aé';")
    assert "│" not in terminal.screen.text()
    text = terminal.run()
    assert "│ aé" in text, text
    assert "?2004" in terminal.screen.modes
    terminal.quit()
    assert "?2004" not in terminal.screen.modes


def wide_characters_take_two_columns(shell):
    terminal = Terminal(shell, columns=20)
    terminal.type("日本語abc😀é", LEFT, LEFT, LEFT)
    terminal.at(17)
    terminal.type(LEFT, LEFT, LEFT, b"\x7f", END)
    terminal.line("martlet> 日語abc😀é")
    terminal.type("e\u0301", b"\x7f", b"\x7f", b"\x7f")
    terminal.line("martlet> 日語abc")
    terminal.quit()


def a_long_line_goes_over_rows(shell):
    terminal = Terminal(shell, columns=20)
    terminal.type("SELECT 1234567890 + 1234567890;")
    terminal.see("martlet> SELECT 1234\n567890 + 1234567890;")
    terminal.at(0)
    terminal.type(HOME, "/**/")
    terminal.see("martlet> /**/SELECT\n1234567890 + 1234567\n890;")
    terminal.type(END, control("W"), control("W"), control("W"))
    terminal.line("martlet> /**/SELECT")
    terminal.until(lambda: "1234567" not in terminal.screen.text(), "rows are left")
    terminal.quit()


def more_rows_than_the_screen_has_are_scrolled(shell):
    terminal = Terminal(shell, columns=40, rows=6)
    terminal.type(PASTE % b"\n".join(b"line%d" % number for number in range(30)))
    terminal.see("...> line29")
    terminal.type(b"\x1b<")
    terminal.see("martlet> line0")
    assert "line29" not in terminal.screen.text()
    terminal.type(control("C"))
    terminal.see("^C")
    terminal.quit()


def a_new_size_is_used(shell):
    terminal = Terminal(shell, columns=60)
    terminal.type("SELECT 1234567890 + 1234567890;")
    terminal.line("martlet> SELECT 1234567890 + 1234567890;")
    terminal.resize(30, 20)
    terminal.see("martlet> SELECT 1234567890 + 1\n234567890;")
    terminal.resize(50, 20)
    terminal.line("martlet> SELECT 1234567890 + 1234567890;")
    terminal.quit()


def parts_of_sql_have_colours(shell):
    terminal = Terminal(shell)
    terminal.type("select 'it''s', abc /* why */ from x'00' -- so")
    terminal.see("-- so")
    style = terminal.screen.style_of
    assert style("select") == style("from") != "", style("select")
    assert style("'it''s'") not in ("", style("select"))
    assert style("abc") == ""
    assert style("why") == style("so") not in ("", style("select"), style("'it"))
    terminal.quit()
    plain = Terminal(shell, NO_COLOR="1")
    plain.type("select 'it'")
    plain.see("'it'")
    assert plain.screen.style_of("select") == plain.screen.style_of("'it'") == ""
    plain.quit()


def ctrl_c_drops_the_entry(shell):
    terminal = Terminal(shell)
    terminal.type("SELECT 1,\r2", control("C"))
    terminal.wait("martlet> ")
    terminal.see("    ...> 2^C\nmartlet>")
    assert "42" in terminal.run("SELECT 6 * 7;")
    terminal.quit()


def ctrl_c_ends_a_query_and_keeps_the_transaction(shell):
    terminal = Terminal(shell)
    terminal.run("CREATE TABLE t(a); BEGIN; INSERT INTO t VALUES (42);")
    terminal.type("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT sum(x) FROM c;\r")
    terminal.until(lambda: not terminal.is_raw(), "the terminal stays raw")
    time.sleep(0.3)
    terminal.type(control("C"))
    terminal.see("interrupted")
    assert "42" in terminal.run("SELECT a FROM t;")
    assert "no transaction" not in terminal.run("COMMIT;")
    terminal.quit()


def ctrl_d_ends(shell):
    terminal = Terminal(shell)
    terminal.type("x", control("A"), control("D"))
    terminal.line("martlet> ")
    terminal.type(control("D"))
    assert terminal.end() == 0
    assert not terminal.is_raw()


def the_terminal_is_as_before_at_the_end(shell):
    for end in (".quit\r", signal.SIGTERM, signal.SIGSEGV, signal.SIGABRT):
        terminal = Terminal(shell)
        terminal.until(terminal.is_raw, "not raw")
        if isinstance(end, str):
            terminal.type(end)
            expected = 0
        else:
            os.kill(terminal.process, end)
            expected = -end
        code = terminal.end()
        assert code == expected, (end, code)
        assert not terminal.is_raw() and terminal.attributes() & termios.ECHO, end


def a_stop_gives_the_terminal_back(shell):
    """Under a shell that can stop jobs and continue them."""
    home = tempfile.mkdtemp()
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(TERM="xterm", HOME=home, PS1="$ ")
        os.execvp("bash", ["bash", "--norc", "--noediting", "-i"])
    seen = b""

    def expect(text):
        nonlocal seen
        deadline = time.monotonic() + PATIENCE
        while text not in seen:
            assert time.monotonic() < deadline, (text, seen)
            if select.select([terminal], [], [], 0.1)[0]:
                seen += os.read(terminal, 65536)
        seen = seen.split(text, 1)[1]

    os.write(terminal, shell.encode() + b"\n")
    expect(b"martlet> ")
    os.write(terminal, b"SELECT 6 *\x1a")
    expect(b"Stopped")
    expect(b"$ ")
    assert termios.tcgetattr(terminal)[3] & termios.ICANON
    os.write(terminal, b"fg\n")
    expect(b"martlet> ")
    os.write(terminal, b" 7;\r")
    expect(b"42")
    os.write(terminal, b".quit\r")
    expect(b"$ ")
    os.write(terminal, b"exit\n")
    os.waitpid(process, 0)
    shutil.rmtree(home)


def a_terminal_that_goes_away_ends_the_shell(shell):
    for sql in (
        "", "SELECT 1",
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT sum(x) FROM c;\r",
    ):
        terminal = Terminal(shell, "kept.db")
        terminal.run("CREATE TABLE t(a); BEGIN; INSERT INTO t VALUES (42);")
        terminal.type(sql)
        time.sleep(0.3)
        os.close(terminal.terminal)
        deadline = time.monotonic() + PATIENCE
        ended = 0
        while not ended and time.monotonic() < deadline:
            ended, status = os.waitpid(terminal.process, os.WNOHANG)
            time.sleep(0.05)
        assert ended, "the shell does not end"
        assert os.waitstatus_to_exitcode(status) in (0, 1), status
        assert os.listdir(terminal.home) and not os.path.exists(terminal.home + "/kept.db-journal")
        shutil.rmtree(terminal.home)


def the_start_file_is_read(shell):
    home = tempfile.mkdtemp()
    with open(home + "/.sqliterc", "w") as file:
        file.write(".headers on\nSELECT 6 * 7 AS answer;\n")
    environment = dict(os.environ, HOME=home)
    found = subprocess.run(
        [shell], input=b"SELECT 1 AS a;\n", capture_output=True, timeout=PATIENCE, env=environment)
    assert found.stdout == b"answer\n42\na\n1\n", found
    found = subprocess.run(
        [shell, "-noinit"], input=b"SELECT 1 AS a;\n", capture_output=True, timeout=PATIENCE,
        env=environment)
    assert found.stdout == b"1\n", found
    shutil.rmtree(home)


def input_that_is_no_terminal_is_not_edited(shell):
    found = subprocess.run(
        [shell], input=b"SELECT 1;\tSELECT 2;\n", capture_output=True, timeout=PATIENCE)
    assert found.stdout == b"1\n2\n", found


CASES = [
    typed_sql_runs,
    the_cursor_moves_and_text_goes_in_between,
    words_are_jumped,
    what_is_killed_is_yanked,
    changes_are_undone,
    letters_change_their_case_and_places,
    a_statement_of_many_lines_is_edited_whole,
    lines_join_and_break,
    what_was_typed_comes_again,
    history_is_kept_in_its_file,
    libedits_history_is_read,
    history_is_searched,
    names_are_completed,
    several_candidates_are_shown,
    files_are_completed,
    a_paste_is_one_change,
    wide_characters_take_two_columns,
    a_long_line_goes_over_rows,
    more_rows_than_the_screen_has_are_scrolled,
    a_new_size_is_used,
    parts_of_sql_have_colours,
    ctrl_c_drops_the_entry,
    ctrl_c_ends_a_query_and_keeps_the_transaction,
    ctrl_d_ends,
    the_terminal_is_as_before_at_the_end,
    a_stop_gives_the_terminal_back,
    a_terminal_that_goes_away_ends_the_shell,
    the_start_file_is_read,
    input_that_is_no_terminal_is_not_edited,
]


def main():
    shell = os.path.realpath(sys.argv[1])
    wanted = sys.argv[2:]
    cases = [case for case in CASES if not wanted or case.__name__ in wanted]
    failed = 0
    for case in cases:
        try:
            case(shell)
        except (AssertionError, OSError, subprocess.TimeoutExpired) as problem:
            failed += 1
            print(f"{case.__name__}: {type(problem).__name__}: {problem}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
