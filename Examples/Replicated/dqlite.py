"""A client of dqlite's protocol: what the example needs of it.

A connection begins with the version of the protocol, eight bytes. Then requests and answers follow in
turn; all numbers are little-endian, and what stands here is filled up to whole words of eight bytes:

    message | words in the body u32 | kind u8 | schema u8 | 0 u16 | body |
    text    | UTF-8 | 0 |
    values  | how many u8 | kind of each u8 | | value | value | …
    rows    | columns u64 | name | … | kind of each, four bits | | value | … | next row | … | end |
"""
import socket
import struct

VERSION = 1
LEADER, CLIENT, OPEN, PREPARE, EXECUTE, QUERY_TEXT = 0, 1, 3, 4, 5, 9
EXECUTE_TEXT, DUMP, CLUSTER, TRANSFER = 8, 15, 16, 17
FAILURE = 0
INTEGER, FLOAT, TEXT, BLOB, NULL, UNIX_TIME, ISO_TIME, BOOLEAN = 1, 2, 3, 4, 5, 9, 10, 11
ROWS_END, ROWS_GO_ON = 0xFF, 0xEE
ROLES = ["voter", "standby", "spare"]


class Failure(Exception):
    """The node answers that it did not do what it was asked for."""

    def __init__(self, code, message):
        super().__init__(f"{message} ({code})")
        self.code = code


def padded(content):
    return content + bytes(-len(content) % 8)


def text(string):
    return padded(string.encode() + b"\0")


def number(value):
    return struct.pack("<Q", value)


def values(items):
    if not items:
        return b""
    kinds, bodies = bytearray([len(items)]), b""
    for item in items:
        if item is None:
            kinds.append(NULL)
            bodies += number(0)
        elif isinstance(item, int):
            kinds.append(INTEGER)
            bodies += struct.pack("<q", item)
        elif isinstance(item, float):
            kinds.append(FLOAT)
            bodies += struct.pack("<d", item)
        else:
            kinds.append(TEXT)
            bodies += text(item)
    return padded(bytes(kinds)) + bodies


class Reader:
    """Takes the body of an answer apart."""

    def __init__(self, body):
        self.body, self.place = body, 0

    def take(self, form):
        (value,) = struct.unpack_from(form, self.body, self.place)
        self.place += struct.calcsize(form)
        return value

    def number(self):
        return self.take("<Q")

    def align(self):
        self.place += -self.place % 8

    def text(self):
        end = self.body.index(0, self.place)
        string = self.body[self.place:end].decode()
        self.place = end + 1
        self.align()
        return string

    def bytes(self, count):
        content = self.body[self.place:self.place + count]
        self.place += count
        self.align()
        return content

    def value(self, kind):
        if kind in (TEXT, ISO_TIME):
            return self.text()
        if kind == BLOB:
            return self.bytes(self.number())
        if kind == FLOAT:
            return self.take("<d")
        value = self.take("<q")
        return None if kind == NULL else value

    def row(self, count):
        kinds = [self.body[self.place + i // 2] >> (4 * (i % 2)) & 15 for i in range(count)]
        self.place += (count + 1) // 2
        self.align()
        return tuple(self.value(kind) for kind in kinds)


class Connection:
    """A connection to one node. What fails is a Failure, or an OSError when the node is gone."""

    def __init__(self, address, seconds=5):
        host, port = address.rsplit(":", 1)
        self.address, self.database, self.statements = address, None, {}
        self.socket = socket.create_connection((host, int(port)), timeout=seconds)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(number(VERSION))
        self.call(CLIENT, number(1))

    def close(self):
        self.socket.close()

    def receive(self, count):
        content = b""
        while len(content) < count:
            part = self.socket.recv(count - len(content))
            if not part:
                raise ConnectionResetError("the node has closed the connection")
            content += part
        return content

    def answer(self):
        words, kind = struct.unpack("<IBxxx", self.receive(8))
        reader = Reader(self.receive(8 * words))
        if kind == FAILURE:
            raise Failure(reader.number(), reader.text())
        return reader

    def call(self, kind, body, schema=0):
        self.socket.sendall(struct.pack("<IBBH", len(body) // 8, kind, schema, 0) + body)
        return self.answer()

    def leader(self):
        """The address of the leader that the node knows, or an empty text."""
        reader = self.call(LEADER, number(0))
        reader.number()
        return reader.text()

    def cluster(self):
        """Number, address and role of each node."""
        reader = self.call(CLUSTER, number(1))
        return [
            (reader.number(), reader.text(), ROLES[reader.number()])
            for _ in range(reader.number())]

    def transfer(self, node):
        """Makes another node the leader."""
        self.call(TRANSFER, number(node))

    def open(self, name):
        self.database = self.call(OPEN, text(name) + number(0) + text("")).take("<I")

    def execute(self, sql, *items):
        """Runs a text once."""
        self.call(EXECUTE_TEXT, number(self.database) + text(sql) + values(items))

    def execute_prepared(self, sql, *items):
        """Runs a statement that is prepared the first time."""
        if sql not in self.statements:
            reader = self.call(PREPARE, number(self.database) + text(sql))
            reader.take("<I")
            self.statements[sql] = reader.take("<I")
        handle = struct.pack("<II", self.database, self.statements[sql])
        self.call(EXECUTE, handle + values(items))

    def query(self, sql, *items):
        """All rows of a query."""
        reader = self.call(QUERY_TEXT, number(self.database) + text(sql) + values(items))
        rows = []
        while True:
            count = reader.number()
            for _ in range(count):
                reader.text()
            while reader.body[reader.place] not in (ROWS_END, ROWS_GO_ON):
                rows.append(reader.row(count))
            if reader.body[reader.place] == ROWS_END:
                return rows
            reader = self.answer()

    def dump(self, name):
        """The files of a database as the node has them, by their names."""
        reader = self.call(DUMP, text(name))
        return {reader.text(): reader.bytes(reader.number()) for _ in range(reader.number())}
