# What Python programs do with sqlite3; prints what it sees. Run on two libraries, it must print
# the same.
import math
import os
import sqlite3
import sys
import tempfile
import threading

folder = tempfile.mkdtemp()


def attempt(title, call):
    try:
        result = call()
        print(title, "->", "a cursor" if isinstance(result, sqlite3.Cursor) else result)
    except Exception as error:
        code = getattr(error, "sqlite_errorcode", None)
        name = getattr(error, "sqlite_errorname", None)
        print(title, "!!", type(error).__name__, error, code, name)


def section(title):
    print("==", title)


section("connections")
db = sqlite3.connect(os.path.join(folder, "a.db"))
print(sqlite3.sqlite_version, sqlite3.threadsafety)
print(db.in_transaction, db.total_changes, db.isolation_level)
attempt("missing folder", lambda: sqlite3.connect(os.path.join(folder, "no/such.db")))
attempt("read-only", lambda: sqlite3.connect("file:/nonexistent.db?mode=ro", uri=True))
attempt("syntax", lambda: db.execute("SELEC 1"))
attempt("two statements", lambda: db.execute("SELECT 1; SELECT 2"))
attempt("no table", lambda: db.execute("SELECT * FROM nothing"))
attempt("too few", lambda: db.execute("SELECT ?, ?", (1,)))
attempt("too many", lambda: db.execute("SELECT ?", (1, 2)))
attempt("missing name", lambda: db.execute("SELECT :a, :b", {"a": 1}).fetchall())
attempt("closed", lambda: sqlite3.connect(":memory:").close().execute("SELECT 1"))
attempt("incomplete", lambda: [sqlite3.complete_statement(s) for s in
        ("SELECT 1", "SELECT 1;", "CREATE TRIGGER a BEGIN SELECT 1;", "-- x\n;", "'a;")])

section("rows and types")
db.executescript(
    """
    CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL, price REAL, data BLOB);
    CREATE TABLE part(item REFERENCES item(id) ON DELETE CASCADE, n INTEGER CHECK(n > 0), note);
    CREATE INDEX item_name ON item(name COLLATE NOCASE);
    CREATE VIEW dear AS SELECT name, price FROM item WHERE price > 20;
    CREATE TRIGGER log AFTER INSERT ON part WHEN new.n > 90 BEGIN
      UPDATE item SET price = price + 1 WHERE id = new.item; END;
    """
)
values = [
    (None, 1), (2**63 - 1, -(2**63)), (1.5, -0.0), (math.inf, -math.inf), (math.nan, 0),
    ("text", ""), ("ünïcödé \U0001f426", "a\0b"), (b"bytes\0", b""), (True, False),
    (bytearray(b"xy"), memoryview(b"z")),
]
for pair in values:
    attempt(repr(pair[0]), lambda: db.execute(
        "SELECT ?, ?, typeof(?), typeof(?), quote(?), length(?)",
        (pair[0], pair[1], pair[0], pair[1], pair[0], pair[1])).fetchone())
attempt("too large", lambda: db.execute("SELECT ?", (2**63,)))
attempt("no type", lambda: db.execute("SELECT ?", (object(),)))
attempt("invalid text", lambda: db.execute("SELECT CAST(x'ff41' AS TEXT)").fetchall())
db.text_factory = bytes
print(db.execute("SELECT 'ä', x'00', 1").fetchall())
db.text_factory = str
cursor = db.execute("SELECT id, name AS title, price * 2, 'x' \"odd name\" FROM item")
print(cursor.description)
db.row_factory = sqlite3.Row
row = db.execute("SELECT 1 AS a, 'two' AS B, NULL").fetchone()
print(tuple(row), row.keys(), row["A"], row["b"], row[-1], len(row), row == row)
attempt("no column", lambda: row["c"])
db.row_factory = lambda cursor, row: {c[0]: v for c, v in zip(cursor.description, row)}
print(db.execute("SELECT 1 AS a, 2 AS b").fetchall())
db.row_factory = None

section("executemany and transactions")
names = ["gear", "Wheel", "axle", "Bolt", "nut", "ÄSCHE", "_x", "", "z" * 2000, "gear2"]
done = db.executemany("INSERT INTO item(name, price, data) VALUES (?, ?, ?)",
                      ((n, i * 4.25, n.encode() * 2) for i, n in enumerate(names)))
print(done.rowcount, done.lastrowid, db.in_transaction, db.total_changes)
db.commit()
done = db.executemany("INSERT INTO part VALUES (:item, :n, :note)",
                      [dict(item=i % 10 + 1, n=i + 1, note=None if i % 3 else i) for i in range(100)])
print(done.rowcount, db.in_transaction)
db.rollback()
print(db.execute("SELECT count(*) FROM part").fetchone())
with db:
    db.executemany("INSERT INTO part VALUES (?, ?, ?)", [(i % 10 + 1, i + 1, i % 7) for i in range(100)])
print(db.execute("SELECT count(*), sum(n) FROM part").fetchone())
attempt("check", lambda: db.execute("INSERT INTO part VALUES (1, 0, 0)"))
attempt("not null", lambda: db.execute("INSERT INTO item(name) VALUES (NULL)"))
attempt("unique", lambda: db.execute("INSERT INTO item(id, name) VALUES (1, 'x')"))
db.execute("PRAGMA foreign_keys = ON")
attempt("foreign key", lambda: db.execute("INSERT INTO part VALUES (1000, 1, 0)"))
db.rollback()
db.execute("PRAGMA foreign_keys = ON")
print(db.execute("DELETE FROM item WHERE id = 3").rowcount,
      db.execute("SELECT count(*) FROM part").fetchone())
db.rollback()
print([tuple(r) for r in db.execute("INSERT INTO item(name) VALUES ('r'), ('s') RETURNING id, name")])
db.rollback()
db.isolation_level = None
db.execute("BEGIN IMMEDIATE")
db.execute("SAVEPOINT a")
db.execute("UPDATE item SET price = 0")
db.execute("ROLLBACK TO a")
db.execute("COMMIT")
print(db.execute("SELECT sum(price) FROM item").fetchone())
for statement in ("SELECT name, price FROM dear ORDER BY price DESC",
                  "SELECT i.name, count(*), sum(p.n), group_concat(p.n) FROM item i JOIN part p "
                  "ON p.item = i.id GROUP BY i.id ORDER BY i.name COLLATE NOCASE LIMIT 4",
                  "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<5) SELECT x, x*x FROM c",
                  "SELECT n, sum(n) OVER (ORDER BY n ROWS 2 PRECEDING) FROM part ORDER BY n LIMIT 5",
                  "SELECT json_extract('{\"a\":[1,2,{\"b\":null}]}', '$.a[2].b', '$.a[1]')"):
    attempt(statement[:40], lambda: db.execute(statement).fetchall())
attempt("plan", lambda: [row[3] for row in db.execute(
    "EXPLAIN QUERY PLAN SELECT * FROM item WHERE name = 'x' COLLATE NOCASE")])

section("functions")
db.create_function("twice", 1, lambda x: x * 2, deterministic=True)
db.create_function("args", -1, lambda *a: repr(a))
db.create_function("fails", 0, lambda: 1 / 0)
db.create_function("gives", 1, lambda x: [None, 7, 2.5, "t\u00e9xt", b"b\0b", 2**70][x])
for sql in ("SELECT twice(4), twice('ab'), twice(2.5), twice(x'01')", "SELECT args(), args(1, 'x', NULL, 2.5, x'00ff')",
            "SELECT fails()", "SELECT gives(0), gives(1), gives(2), gives(3), gives(4)", "SELECT gives(5)",
            "SELECT twice(1, 2)", "SELECT id FROM item WHERE twice(id) = 6",
            "CREATE INDEX by_twice ON item(twice(id))", "CREATE INDEX by_args ON item(args(id))"):
    attempt(sql, lambda: db.execute(sql).fetchall())
db.execute("DROP INDEX by_twice")
db.create_function("twice", 1, None)
attempt("removed", lambda: db.execute("SELECT twice(1)").fetchall())


class Longest:
    def __init__(self):
        self.best = ""

    def step(self, text):
        if text and len(text) > len(self.best):
            self.best = text

    def finalize(self):
        return self.best[:10]


class BadStep:
    def step(self, value):
        raise ValueError("bad")

    def finalize(self):
        return 1


class WindowSum:
    def __init__(self):
        self.sum = 0

    def step(self, value):
        self.sum += value

    def inverse(self, value):
        self.sum -= value

    def value(self):
        return self.sum

    def finalize(self):
        return self.sum


db.create_aggregate("longest", 1, Longest)
db.create_aggregate("badstep", 1, BadStep)
db.create_window_function("wsum", 1, WindowSum)
for sql in ("SELECT longest(name) FROM item", "SELECT longest(name) FROM item WHERE 0",
            "SELECT id % 2, longest(name) FROM item GROUP BY 1", "SELECT badstep(id) FROM item",
            "SELECT n, wsum(n) OVER (ORDER BY n ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM part LIMIT 6",
            "SELECT item, wsum(n) OVER (PARTITION BY item ORDER BY n) FROM part LIMIT 12",
            "SELECT wsum(n) FROM part", "SELECT longest(name) OVER (ORDER BY id) FROM item"):
    attempt(sql, lambda: db.execute(sql).fetchall())

section("collations")
db.create_collation("backwards", lambda a, b: (a[::-1] > b[::-1]) - (a[::-1] < b[::-1]))
for sql in ("SELECT name FROM item WHERE length(name) < 9 ORDER BY name COLLATE backwards",
            "SELECT 'ab' = 'ab' COLLATE backwards, max('az' COLLATE backwards, 'ba')",
            "CREATE TABLE sorted(t TEXT COLLATE backwards PRIMARY KEY) WITHOUT ROWID",
            "INSERT INTO sorted VALUES ('ab'), ('ba'), ('aa')", "SELECT t FROM sorted",
            "SELECT t FROM sorted WHERE t > 'aa'"):
    attempt(sql, lambda: db.execute(sql).fetchall())
db.create_collation("backwards", None)
attempt("removed", lambda: db.execute("SELECT t FROM sorted ORDER BY t").fetchall())
attempt("unknown", lambda: db.execute("SELECT name FROM item ORDER BY name COLLATE nope"))
db.execute("DROP TABLE IF EXISTS item2")

section("dump and backup")
attempt("drop", lambda: db.execute("DROP TABLE sorted"))
print("\n".join(line[:120] for line in list(db.iterdump())[:8]))
copy = sqlite3.connect(":memory:")
steps = []
db.backup(copy, pages=2, progress=lambda status, remaining, total: steps.append((status, remaining, total)))
print(steps)
print(copy.execute("SELECT count(*), sum(length(name)) FROM item").fetchone(),
      copy.execute("PRAGMA integrity_check").fetchall())
image = copy.serialize()
print(len(image) % 4096, image[:16])
third = sqlite3.connect(":memory:")
third.deserialize(image)
print(third.execute("SELECT count(*) FROM part").fetchone())
attempt("not a database", lambda: (third.deserialize(b"x" * 5000), third.execute("SELECT * FROM part"))[1])
attempt("no schema", lambda: db.serialize(name="nope"))
third.close()

section("blobs")
db.execute("INSERT INTO item(id, name, data) VALUES (99, 'blob', zeroblob(20))")
with db.blobopen("item", "data", 99) as blob:
    print(len(blob), blob.tell())
    blob.write(b"hello")
    blob.seek(-3, os.SEEK_END)
    blob.write(b"end")
    blob[6] = 65
    blob[8:10] = b"xy"
    blob.seek(0)
    print(blob.read(), blob[0], blob[1:4])
    attempt("past the end", lambda: blob.write(b"too long"))
attempt("closed", lambda: blob.read())
with db.blobopen("item", "data", 99, readonly=True) as blob:
    attempt("read-only", lambda: blob.write(b"x"))
    print(blob.read(4))
attempt("no row", lambda: db.blobopen("item", "data", 12345))
attempt("no column", lambda: db.blobopen("item", "none", 99))
attempt("a number", lambda: db.blobopen("item", "price", 1))

section("authorizer")
log = []


def authorize(action, first, second, database, source):
    log.append((action, first, second, database, source))
    if action == sqlite3.SQLITE_READ and second == "price":
        return sqlite3.SQLITE_IGNORE
    if action == sqlite3.SQLITE_DROP_TABLE:
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


db.set_authorizer(authorize)
for sql in ("SELECT name, price FROM item WHERE id = 1", "SELECT * FROM dear", "DROP TABLE part",
            "INSERT INTO part VALUES (1, 95, 'w')", "UPDATE item SET name = upper(name) WHERE id = 2",
            "DELETE FROM part WHERE n = 95", "CREATE TABLE new_table(a, b)", "PRAGMA user_version",
            "SELECT count(*) FROM item i, part p WHERE p.item = i.id",
            "WITH RECURSIVE c(x) AS (SELECT 1 UNION SELECT x + 1 FROM c WHERE x < 3) SELECT * FROM c"):
    log.clear()
    attempt(sql, lambda: db.execute(sql).fetchall())
    for entry in log:
        print("  ", entry)
db.set_authorizer(lambda *arguments: "nonsense")
attempt("bad answer", lambda: db.execute("SELECT name FROM item"))
db.set_authorizer(None)
attempt("gone", lambda: db.execute("SELECT price FROM item WHERE id = 2").fetchall())

section("trace and progress")
traced = []
db.set_trace_callback(traced.append)
db.execute("SELECT ?, :b", ("it's", 2.5)).fetchall()
db.execute("INSERT INTO part VALUES (?, ?, ?)", (1, 96, b"\x01\xff"))
db.executescript("BEGIN; UPDATE part SET n = n WHERE n = 96; COMMIT;")
db.set_trace_callback(None)
for text in traced:
    print("  ", text)
calls = 0


def progress():
    global calls
    calls += 1
    return calls > 50


db.set_progress_handler(progress, 100)
attempt("stopped", lambda: db.execute(
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT sum(x) FROM c").fetchall())
print(calls)
db.set_progress_handler(None, 0)
attempt("interrupt", lambda: db.interrupt())

section("limits")
attempt("limits", lambda: [db.getlimit(i) for i in range(12)])
attempt("set", lambda: (db.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, 30), db.getlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH)))
attempt("too long", lambda: db.execute("SELECT 1 -- " + "x" * 40))
attempt("back", lambda: db.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, 1000000))
attempt("no limit", lambda: db.setlimit(99, 1))

section("threads")
shared = sqlite3.connect(os.path.join(folder, "t.db"), check_same_thread=False, timeout=20)
shared.execute("CREATE TABLE t(thread, n)")
shared.commit()
lock = threading.Lock()


def own_connection(number):
    mine = sqlite3.connect(os.path.join(folder, "t.db"), timeout=20)
    for n in range(25):
        with mine:
            mine.execute("INSERT INTO t VALUES (?, ?)", (number, n))
    mine.close()


def shared_connection(number):
    for n in range(50):
        with lock:
            shared.execute("INSERT INTO t VALUES (?, ?)", (number, n))
            shared.commit()
        shared.execute("SELECT count(*) FROM t").fetchall()


threads = [threading.Thread(target=own_connection, args=(i,)) for i in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
threads = [threading.Thread(target=shared_connection, args=(i + 10,)) for i in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(shared.execute("SELECT thread, count(*), sum(n) FROM t GROUP BY thread").fetchall())
other = sqlite3.connect(":memory:")
blocked = sqlite3.connect(os.path.join(folder, "t.db"), timeout=0)
shared.execute("BEGIN EXCLUSIVE")
attempt("locked", lambda: blocked.execute("INSERT INTO t VALUES (0, 0)"))
shared.rollback()
blocked.close()
shared.close()
for connection in (db, copy, other):
    connection.close()
attempt("after close", lambda: db.execute("SELECT 1"))
