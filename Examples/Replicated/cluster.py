"""Three nodes of dqlite on this machine, each a process of `dqlite-demo` with a folder of its own."""
import ctypes
import os
import re
import signal
import socket
import subprocess
import threading
import time

import dqlite

HOST = "127.0.0.1"
NOBODY_LEADS = (dqlite.Failure, OSError)


class TooLate(Exception):
    """The time of the run is over."""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind((HOST, 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def end_with_parent():
    """Whatever becomes of this process, no node outlives it (PR_SET_PDEATHSIG)."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def environment(library):
    """Programs run on the library in that folder; no text of a crash takes longer than the crash."""
    return dict(os.environ, LD_LIBRARY_PATH=library, SWIFT_BACKTRACE="enable=no")


class Node:
    def __init__(self, folder, library, address, api, join):
        self.folder, self.library, self.address, self.api = folder, library, address, api
        self.join, self.process, self.seconds = join, None, 0.0
        self.is_condemned, self.killing = False, None
        os.makedirs(folder, exist_ok=True)

    def start(self):
        self.is_condemned = False
        words = ["dqlite-demo", "--db", self.address, "--api", self.api, "--dir", self.folder]
        if self.join:
            words += ["--join", self.join]
        with open(self.folder + ".log", "ab") as log:
            self.process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=environment(self.library), preexec_fn=end_with_parent)

    def kill_soon(self, seconds):
        """Kills the node, most likely while it is at work for somebody; `end` is still to be called."""
        self.is_condemned = True
        self.killing = threading.Timer(seconds, os.kill, [self.process.pid, signal.SIGKILL])
        self.killing.start()

    def end(self):
        """Kills the node, if that was not done, and notes what processor time it has used."""
        if self.process is None:
            return
        if self.killing is not None:
            self.killing.cancel()
            self.killing.join()
            self.killing = None
        # Popen's own ways would take the exit status, and what was used with it.
        os.kill(self.process.pid, signal.SIGKILL)
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.process = None
        self.seconds += usage.ru_utime + usage.ru_stime

    def has_ended(self):
        """Whether the process is no more, and nobody has killed it."""
        if self.process is None or self.is_condemned:
            return False
        how = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self.process.pid, how) is not None

    def raft_files(self):
        """The names of what the node keeps of the cluster's log: pieces of it and snapshots."""
        return sorted(os.listdir(os.path.join(self.folder, self.address)))

    def first_index(self):
        """From where on the node has the log in closed pieces; None where it has none."""
        starts = [int(name[:16]) for name in self.raft_files() if re.fullmatch(r"\d{16}-\d{16}", name)]
        return min(starts, default=None)

    def snapshot_index(self):
        """The last entry of the log that is in the node's newest snapshot."""
        found = (re.fullmatch(r"snapshot-\d+-(\d+)-\d+", name) for name in self.raft_files())
        return max((int(each[1]) for each in found if each), default=0)


class Cluster:
    """Nodes that begin together. To be used with `with`: at the end none of them runs."""

    def __init__(self, folder, library, count, deadline):
        ports = free_ports(2 * count)
        addresses = [f"{HOST}:{port}" for port in ports[:count]]
        self.nodes = [
            Node(os.path.join(folder, f"node{place + 1}"), library, address,
                 f"{HOST}:{ports[count + place]}", addresses[0] if place else None)
            for place, address in enumerate(addresses)]
        self.deadline = deadline

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for node in self.nodes:
            node.end()

    def check_time(self):
        for node in self.nodes:
            if node.has_ended():
                raise RuntimeError(f"{node.folder} has ended: see {node.folder}.log")
        if time.monotonic() > self.deadline:
            raise TooLate("the time of the run is over")

    def until(self, body, pause=0.05):
        """Tries until `body` gives something; nodes that do not answer or do not lead are no failure."""
        while True:
            self.check_time()
            try:
                if result := body():
                    return result
            except NOBODY_LEADS:
                pass
            time.sleep(pause)

    def start(self):
        """All nodes run, and all of them vote: dqlite lets them where there are three."""
        for place, node in enumerate(self.nodes):
            node.start()
            self.until(lambda: len(self.roles()) == place + 1)
        self.until(lambda: self.roles() == ["voter"] * len(self.nodes))

    def roles(self):
        connection = self.connect(None)
        try:
            return [role for _, _, role in connection.cluster()]
        finally:
            connection.close()

    def node(self, address):
        return next(node for node in self.nodes if node.address == address)

    def connect(self, name):
        """A connection to the leader, with a database open if `name` says one."""
        def attempt():
            for node in self.nodes:
                if node.process is None:
                    continue
                try:
                    connection = dqlite.Connection(node.address)
                    leader = connection.leader()
                    if leader != node.address:
                        connection.close()
                        if not leader:
                            continue
                        connection = dqlite.Connection(leader)
                    if name:
                        connection.open(name)
                    return connection
                except NOBODY_LEADS:
                    pass
        return self.until(attempt)

    def lead(self, node):
        """Makes a node the leader: it has all that was committed then."""
        def attempt():
            connection = self.connect(None)
            try:
                if connection.address == node.address:
                    return True
                number = next(
                    number for number, address, _ in connection.cluster() if address == node.address)
                connection.transfer(number)
            finally:
                connection.close()
        self.until(attempt, pause=0.2)
