"""Three nodes of dqlite on this machine, on Martlet or on C's library, and what becomes of them.

    replicated.py [--library FOLDER] [--rows N] [--seconds N]
    replicated.py --shell FOLDER FOLDER

The first starts three nodes on loopback on the `libsqlite3.so.0` in FOLDER (`.build/lib`) and inserts N
rows (10,000). Meanwhile the leader is killed five times with SIGKILL and brought back; then a node is
away for so long that it has to catch up by a snapshot. At the end each node leads in turn and says what
it has: every row that was acknowledged, and `ok` for `integrity_check`. The exit status says whether all
of that was so, the last lines how fast it was. After N seconds (300) it gives up.

The second lets dqlite's shell run the statements of statements.sql on both libraries: the answers have
to be the same.

Wants `dqlite-demo` and `dqlite` (Debian: apt-get install go-dqlite); without them it says so, and does
nothing.
"""
import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

import cluster
import dqlite

KILLS = 5
# What a leader keeps of the log behind a snapshot, and after how much it makes one, in entries.
TRAILING, THRESHOLD = 8192, 1024
HERE = os.path.dirname(os.path.abspath(__file__))
INSERT = "INSERT OR IGNORE INTO entry(id, body) VALUES(?, ?)"


def body(number):
    return f"entry {number} " + "abcdefghij" * (number % 8)


class Writer:
    """Inserts rows one after the other; what is not acknowledged is tried again with who leads then."""

    def __init__(self, nodes):
        self.nodes, self.connection = nodes, None
        self.acknowledged, self.latencies, self.gaps = 0, [], []

    def insert(self, number):
        start = time.perf_counter()
        failed = False
        while True:
            self.nodes.check_time()
            try:
                if self.connection is None:
                    self.connection = self.nodes.connect("demo")
                self.connection.execute_prepared(INSERT, number, body(number))
                break
            except cluster.NOBODY_LEADS:
                failed = True
                if self.connection is not None:
                    self.connection.close()
                    self.connection = None
                time.sleep(0.02)
        self.acknowledged = number
        (self.gaps if failed else self.latencies).append(time.perf_counter() - start)


class Killer:
    """Kills the leader whenever a share of the rows is there, and brings it back when others lead."""

    def __init__(self, nodes, writer, rows):
        self.nodes, self.writer = nodes, writer
        self.turns = [rows * turn // (KILLS + 1) for turn in range(1, KILLS + 1)]
        # Some rows are written while a node is away.
        self.pause = rows // 50
        self.victim, self.comes_back_at, self.count = None, 0, 0

    def look(self, number):
        """To be called after each row."""
        if self.victim is not None and number >= self.comes_back_at:
            self.victim.end()
            self.victim.start()
            self.victim = None
        elif self.victim is None and self.turns and number >= self.turns[0]:
            self.turns.pop(0)
            self.victim = self.nodes.node(self.writer.connection.address)
            self.victim.kill_soon(random.random() / 100)
            self.comes_back_at = number + self.pause
            self.count += 1


def write(nodes, rows):
    writer = Writer(nodes)
    connection = nodes.connect("demo")
    connection.execute("CREATE TABLE entry(id INTEGER PRIMARY KEY, body TEXT NOT NULL)")
    connection.close()
    killer = Killer(nodes, writer, rows)
    start = time.perf_counter()
    for number in range(1, rows + 1):
        writer.insert(number)
        killer.look(number)
    print(f"{rows} rows in {time.perf_counter() - start:.1f} s, the leader killed {killer.count} times; "
          f"another led after {', '.join(f'{gap:.1f}' for gap in writer.gaps)} s")
    report(writer.latencies)
    return killer.count == KILLS and len(writer.gaps) >= KILLS


def report(latencies):
    ordered = sorted(latencies)
    share = [ordered[int(len(ordered) * part)] * 1e3 for part in (0.5, 0.95, 0.99)]
    print(f"  {len(ordered) / sum(ordered):.0f} rows/s while somebody leads; latency in ms: "
          + ", ".join(f"{name} {value:.2f}" for name, value in zip(["p50", "p95", "p99"], share)))


def stay_away(nodes, rows):
    """A node is away while the others write more than a leader keeps; gives what the table has then."""
    nodes.until(lambda: nodes.roles() == ["voter"] * len(nodes.nodes))
    writer = Writer(nodes)
    writer.connection = nodes.connect("demo")
    leader = nodes.node(writer.connection.address)
    away = next(node for node in nodes.nodes if node is not leader)
    away.end()
    before = away.snapshot_index()
    # What the node has cannot be further than this: a leader that has a threshold more makes a snapshot.
    reached = leader.snapshot_index() + 2 * THRESHOLD
    others = [node for node in nodes.nodes if node is not away]
    last = rows
    while any((node.first_index() or 0) <= reached for node in others):
        for _ in range(THRESHOLD):
            last += 1
            writer.insert(last)
    # A node keeps messages for one that is away, and with them what it has dropped from its log since.
    for node in others:
        node.end()
        node.start()
    nodes.connect(None).close()
    away.start()
    nodes.until(lambda: away.snapshot_index() > before and nodes.lead(away) is None)
    # A node that was sent all of the log keeps as much of it behind its snapshots as others do.
    first, snapshot = away.first_index(), away.snapshot_index()
    by_snapshot = first is None or first > snapshot - TRAILING // 2
    print(f"{last - rows} more rows while a node was away; it caught up by "
          + (f"the snapshot of entry {snapshot}" if by_snapshot else "the log, without a snapshot"))
    report(writer.latencies)
    return last, by_snapshot


def compare(nodes, last):
    """Asks each node, as the leader, for all it has."""
    expected = [(number, body(number)) for number in range(1, last + 1)]
    is_good = True
    for node in nodes.nodes:
        nodes.lead(node)
        connection = nodes.connect("demo")
        integrity = connection.query("PRAGMA integrity_check")
        rows = connection.query("SELECT id, body FROM entry ORDER BY id")
        version = connection.query("SELECT sqlite_version()")[0][0]
        connection.close()
        missing = len(set(expected) - set(rows))
        is_same = connection.address == node.address and rows == expected and integrity == [("ok",)]
        print(f"{node.address}: {len(rows)} rows, {missing} missing, integrity_check {integrity[0][0]}, "
              f"SQLite {version}")
        is_good = is_good and is_same
    return is_good


def replicate(library, rows, deadline):
    with tempfile.TemporaryDirectory(prefix="replicated-") as folder:
        with cluster.Cluster(folder, library, 3, deadline) as nodes:
            nodes.start()
            was_killed = write(nodes, rows)
            last, by_snapshot = stay_away(nodes, rows)
            is_same = compare(nodes, last)
        print(f"processor time of the nodes: {sum(node.seconds for node in nodes.nodes):.1f} s")
    return was_killed and by_snapshot and is_same


def shell_answers(library, deadline):
    """What dqlite's shell prints, statement by statement."""
    with open(os.path.join(HERE, "statements.sql")) as file:
        statements = file.read()
    with tempfile.TemporaryDirectory(prefix="replicated-") as folder:
        with cluster.Cluster(folder, library, 1, deadline) as nodes:
            nodes.start()
            shell = subprocess.run(
                ["dqlite", "--servers", nodes.nodes[0].address, "demo"], input=statements,
                capture_output=True, text=True, timeout=deadline - time.monotonic(),
                env=cluster.environment(library), check=True)
    prompt = "dqlite> "
    return statements.splitlines(), (shell.stdout + shell.stderr).split(prompt)[1:]


def compare_shells(libraries, deadline):
    statements, first = shell_answers(libraries[0], deadline)
    _, second = shell_answers(libraries[1], deadline)
    different = 0
    for place in range(max(len(first), len(second))):
        answers = [each[place] if place < len(each) else "(none)" for each in (first, second)]
        if answers[0] != answers[1]:
            different += 1
            statement = statements[place] if place < len(statements) else "(the end)"
            print(f"{statement}\n  {answers[0].strip()}\n  {answers[1].strip()}")
    print(f"{len(statements)} statements, {len(first)} answers, {different} of them different")
    return different == 0 and len(first) > len(statements)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", default=os.path.join(HERE, "../../.build/lib"))
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--shell", nargs=2, metavar="FOLDER")
    options = parser.parse_args()
    if not shutil.which("dqlite-demo") or not shutil.which("dqlite"):
        print("no dqlite (Debian: apt-get install go-dqlite): skipped")
        return 0
    deadline = time.monotonic() + options.seconds
    try:
        if options.shell:
            is_good = compare_shells([os.path.abspath(each) for each in options.shell], deadline)
        else:
            is_good = replicate(os.path.abspath(options.library), options.rows, deadline)
    except (cluster.TooLate, RuntimeError, subprocess.SubprocessError) as error:
        print(error)
        is_good = False
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
