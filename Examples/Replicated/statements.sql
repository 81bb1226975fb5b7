CREATE TABLE author(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, born INTEGER, CHECK (born IS NULL OR born > 1000))
CREATE TABLE book(id INTEGER PRIMARY KEY AUTOINCREMENT, author INTEGER REFERENCES author(id) ON DELETE CASCADE, title TEXT COLLATE NOCASE, pages INT DEFAULT 100, price REAL, cover BLOB)
CREATE TABLE tag(book INTEGER REFERENCES book(id) ON DELETE CASCADE, word TEXT, PRIMARY KEY(book, word)) WITHOUT ROWID
CREATE TABLE reading(book INTEGER, day TEXT, minutes INTEGER)
CREATE TABLE note(id INTEGER PRIMARY KEY, content TEXT, made TIMESTAMP, done BOOLEAN, size DATETIME)
CREATE INDEX book_by_author ON book(author, title)
CREATE INDEX book_by_length ON book(length(title))
CREATE INDEX long_book ON book(pages) WHERE pages > 300
CREATE VIEW shelf AS SELECT book.id AS id, name, title, pages FROM book JOIN author ON author.id = book.author
CREATE TABLE log(line INTEGER PRIMARY KEY, what TEXT)
CREATE TRIGGER book_made AFTER INSERT ON book BEGIN INSERT INTO log(what) VALUES('made ' || new.title); END
CREATE TRIGGER book_gone AFTER DELETE ON book BEGIN INSERT INTO log(what) VALUES('gone ' || old.title); END
CREATE TRIGGER pages_changed AFTER UPDATE OF pages ON book WHEN new.pages <> old.pages BEGIN INSERT INTO log(what) VALUES(old.pages || ' to ' || new.pages); END
CREATE TABLE strict_one(a INTEGER, b TEXT, c ANY) STRICT
CREATE TABLE made(a INTEGER, b INTEGER GENERATED ALWAYS AS (a * 2) STORED, c TEXT AS (a || '!'))
INSERT INTO author(name, born) VALUES('Ursula', 1929)
INSERT INTO author(name, born) VALUES('Stanisław', 1921), ('Octavia', 1947), ('Italo', 1923)
INSERT INTO author(name) VALUES('Anonymous')
INSERT INTO author(name, born) VALUES('Ursula', 1930)
INSERT INTO author(name, born) VALUES('Nobody', 17)
INSERT INTO author(name) VALUES(NULL)
INSERT OR IGNORE INTO author(name, born) VALUES('Ursula', 1931)
INSERT INTO author(id, name) VALUES(1, 'Again')
INSERT INTO book(author, title, pages, price) VALUES(1, 'The Dispossessed', 341, 9.5)
INSERT INTO book(author, title, pages, price) VALUES(1, 'The Left Hand of Darkness', 286, 8.25)
INSERT INTO book(author, title, pages, price) VALUES(2, 'Solaris', 204, 7.0), (2, 'The Cyberiad', 295, 11.125)
INSERT INTO book(author, title, pages, cover) VALUES(3, 'Kindred', 264, x'00ff10'), (3, 'Dawn', 256, x'')
INSERT INTO book(author, title) VALUES(4, 'Invisible Cities')
INSERT INTO book(author, title) VALUES(99, 'No author of that number')
INSERT INTO tag VALUES(1, 'utopia'), (1, 'moon'), (2, 'ice'), (3, 'ocean'), (4, 'robots'), (5, 'time')
INSERT INTO tag VALUES(1, 'moon')
INSERT INTO reading VALUES(1, '2024-01-01', 30), (1, '2024-01-02', 45), (3, '2024-01-02', 20), (3, '2024-01-05', 60), (4, '2024-02-01', 15)
INSERT INTO note(content, made, done) VALUES('first', '2024-05-06 07:08:09', 1), ('second', NULL, 0)
INSERT INTO strict_one VALUES(1, 'x', 2.5), (2, 'y', 'z')
INSERT INTO strict_one VALUES('no number', 'x', NULL)
INSERT INTO made(a) VALUES(1), (2), (3)
INSERT INTO made(b) VALUES(1)
SELECT * FROM author
SELECT * FROM author ORDER BY born DESC
SELECT name, born FROM author WHERE born IS NOT NULL ORDER BY name
SELECT id, author, title, pages, price FROM book
SELECT title, hex(cover), typeof(cover), length(cover) FROM book WHERE author = 3
SELECT * FROM shelf ORDER BY id
SELECT * FROM shelf WHERE name = 'Ursula' ORDER BY title
SELECT * FROM tag
SELECT * FROM tag WHERE book = 1 ORDER BY word
SELECT * FROM log
SELECT * FROM strict_one
SELECT * FROM made
SELECT id, content, done FROM note
SELECT count(*), sum(pages), avg(pages), min(pages), max(pages), total(price) FROM book
SELECT author, count(*) FROM book GROUP BY author ORDER BY author
SELECT author, group_concat(title, ', ') FROM (SELECT author, title FROM book ORDER BY title) GROUP BY author
SELECT name, count(book.id) AS n FROM author LEFT JOIN book ON book.author = author.id GROUP BY author.id HAVING n > 0 ORDER BY n DESC, name
SELECT title FROM book WHERE title LIKE 'the%' ORDER BY title
SELECT title FROM book WHERE title GLOB 'The*' ORDER BY title
SELECT title FROM book WHERE title = 'SOLARIS'
SELECT title FROM book WHERE length(title) = 7
SELECT title FROM book WHERE pages > 300
SELECT title FROM book WHERE pages BETWEEN 200 AND 280 ORDER BY pages
SELECT title FROM book WHERE id IN (SELECT book FROM tag WHERE word > 'n') ORDER BY id
SELECT title FROM book WHERE NOT EXISTS (SELECT 1 FROM tag WHERE tag.book = book.id) ORDER BY id
SELECT title, (SELECT sum(minutes) FROM reading WHERE reading.book = book.id) AS minutes FROM book ORDER BY id
SELECT day, minutes, sum(minutes) OVER (ORDER BY day, book) FROM reading ORDER BY day, book
SELECT book, day, row_number() OVER (PARTITION BY book ORDER BY day) FROM reading ORDER BY book, day
SELECT book, minutes, rank() OVER (ORDER BY minutes DESC), lag(minutes, 1, 0) OVER (ORDER BY minutes) FROM reading ORDER BY minutes
SELECT DISTINCT book FROM reading ORDER BY book
SELECT book FROM reading UNION SELECT book FROM tag ORDER BY 1
SELECT book FROM reading INTERSECT SELECT book FROM tag ORDER BY 1
SELECT book FROM tag EXCEPT SELECT book FROM reading ORDER BY 1
SELECT 1 UNION ALL SELECT 'two' UNION ALL SELECT 3.5 UNION ALL SELECT NULL
SELECT title FROM book ORDER BY id LIMIT 2 OFFSET 1
SELECT title FROM book ORDER BY price IS NULL, price DESC
SELECT * FROM author CROSS JOIN (SELECT 1 AS x UNION SELECT 2) WHERE author.id < 3
SELECT a.name, b.name FROM author a JOIN author b ON a.id < b.id AND b.id < 4
SELECT * FROM author NATURAL JOIN (SELECT 2 AS id)
SELECT 1, -1, 0, 9223372036854775807, -9223372036854775808
SELECT 1.5, -0.0, 1e300, 1e-300, 0.1 + 0.2
SELECT 'text', '', 'it''s', 'ümläut', '日本語'
SELECT NULL, x'414243', typeof(x'414243')
SELECT 7 / 2, 7 % 2, 7.0 / 2, 1 / 0, -7 / 2
SELECT 9223372036854775807 + 1, 1 << 62, ~5, 6 & 3, 6 | 1
SELECT 'a' || 1 || NULL, 'a' || 1.0, 1 || 2
SELECT 1 < 2, 'a' < 'B', 'a' < 'B' COLLATE NOCASE, NULL = NULL, NULL IS NULL
SELECT CASE WHEN 1 > 2 THEN 'x' ELSE 'y' END, iif(1, 'a', 'b'), coalesce(NULL, 2), nullif(1, 1)
SELECT abs(-3), round(2.5), round(-2.567, 2), sign(-4), max(1, 2, 3), min('a', 'b')
SELECT upper('abc'), lower('ABC'), length('日本'), substr('abcdef', 2, 3), instr('hello', 'l'), replace('aXbX', 'X', '-')
SELECT trim('  a '), ltrim('xxa', 'x'), rtrim('axx', 'x'), quote('it''s'), quote(NULL), quote(x'01')
SELECT hex('abc'), unhex('616263'), char(65, 66), unicode('A'), zeroblob(3)
SELECT printf('%05d|%-5s|%.2f|%x|%q', 42, 'ab', 3.14159, 255, 'it''s')
SELECT typeof(1), typeof(1.0), typeof('1'), typeof(NULL), typeof(CAST('1' AS INTEGER))
SELECT CAST('12abc' AS INTEGER), CAST('1.5e2' AS REAL), CAST(3.9 AS INTEGER), CAST(5 AS TEXT), CAST('x' AS NUMERIC)
SELECT date('2024-02-28', '+2 days'), time('12:00', '+90 minutes'), datetime('2024-01-31', '+1 month')
SELECT julianday('2000-01-01'), strftime('%Y-%W-%j', '2024-03-01'), unixepoch('1970-01-02')
SELECT json('{"a": [1, 2, {"b": null}]}'), json_extract('{"a": [1, 2]}', '$.a[1]'), json_array(1, 'x', NULL)
SELECT key, value FROM json_each('{"a": 1, "b": [2]}')
SELECT json_object('a', 1, 'b', json('[2]')), '{"a": 5}' ->> 'a', json_type('[1]'), json_valid('{')
SELECT json_group_array(name) FROM (SELECT name FROM author ORDER BY id)
SELECT group_concat(name, '/') FROM (SELECT name FROM author ORDER BY name)
SELECT sum(x), count(*) FROM (SELECT 1 AS x UNION ALL SELECT 2 UNION ALL SELECT NULL)
SELECT likely(1), unlikely(0), soundex('Robert'), total_changes() >= 0
SELECT * FROM (VALUES(1, 'a'), (2, 'b'))
SELECT x FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 5) SELECT x FROM n)
SELECT missing FROM author
SELECT * FROM no_such_table
SELECT no_such_function(1)
SELECT abs(1, 2)
SELECT * FROM author WHERE
SELECT 'unfinished
SELECT count(* FROM author
SELECT author.id FROM author, book WHERE id = 1
SELECT abs(-9223372036854775808)
SELECT sum(9223372036854775807) FROM author
SELECT json('{bad')
SELEC 1
UPDATE book SET pages = pages + 1 WHERE author = 1
UPDATE book SET price = price * 2 WHERE price IS NOT NULL
UPDATE book SET title = 'Solaris (1961)' WHERE title = 'solaris'
UPDATE author SET born = 5 WHERE id = 1
UPDATE author SET name = 'Italo' WHERE id = 1
UPDATE author SET id = 50 WHERE id = 5
UPDATE author SET id = 2 WHERE id = 1
UPDATE made SET a = a + 10
UPDATE made SET b = 1
UPDATE no_such_table SET a = 1
UPDATE book SET pages = (SELECT count(*) FROM tag WHERE tag.book = book.id) WHERE author = 4
UPDATE book SET pages = t.n FROM (SELECT book, sum(minutes) AS n FROM reading GROUP BY book) t WHERE t.book = book.id
SELECT id, title, pages, price FROM book ORDER BY id
SELECT * FROM made ORDER BY a
SELECT * FROM author ORDER BY id
SELECT * FROM log ORDER BY line
INSERT INTO author(id, name) VALUES(7, 'Seven') ON CONFLICT(id) DO NOTHING
INSERT INTO author(id, name) VALUES(7, 'Sept') ON CONFLICT(id) DO UPDATE SET name = excluded.name || '!'
INSERT INTO author(name, born) VALUES('Octavia', 1950) ON CONFLICT(name) DO UPDATE SET born = born + 1
REPLACE INTO author(id, name, born) VALUES(7, 'Huit', 1888)
INSERT OR REPLACE INTO author(name) VALUES('Anonymous')
SELECT * FROM author ORDER BY id
INSERT INTO reading SELECT book + 1, day, minutes * 2 FROM reading WHERE book = 1
INSERT INTO reading DEFAULT VALUES
SELECT * FROM reading ORDER BY rowid
DELETE FROM reading WHERE book IS NULL
DELETE FROM tag WHERE word = 'moon'
DELETE FROM author WHERE name = 'Italo'
SELECT * FROM book ORDER BY id
SELECT count(*) FROM log
DELETE FROM no_such_table
DELETE FROM book WHERE author = 2
SELECT * FROM tag ORDER BY book, word
SELECT what FROM log ORDER BY line DESC LIMIT 3
ALTER TABLE note ADD COLUMN colour TEXT DEFAULT 'red'
ALTER TABLE note RENAME COLUMN content TO words
ALTER TABLE note DROP COLUMN size
ALTER TABLE note RENAME TO remark
ALTER TABLE note ADD COLUMN x
SELECT id, words, done, colour FROM remark
SELECT type, name, tbl_name FROM sqlite_schema ORDER BY name
SELECT sql FROM sqlite_schema WHERE name = 'remark'
SELECT name FROM pragma_table_info('book')
SELECT name, "unique", origin FROM pragma_index_list('author')
SELECT * FROM pragma_foreign_key_list('tag')
SELECT * FROM pragma_integrity_check
SELECT * FROM pragma_foreign_keys
SELECT * FROM pragma_journal_mode
SELECT seq FROM sqlite_sequence WHERE name = 'book'
CREATE TABLE author(x)
CREATE TABLE IF NOT EXISTS author(x)
CREATE TABLE bad(x, x)
CREATE INDEX book_by_author ON book(title)
CREATE UNIQUE INDEX once ON reading(book)
CREATE TABLE copy AS SELECT id, title FROM book
SELECT * FROM copy
DROP TABLE copy
DROP TABLE copy
DROP TABLE IF EXISTS copy
DROP VIEW shelf
DROP TRIGGER pages_changed
DROP INDEX long_book
SELECT name FROM sqlite_schema WHERE type = 'index' ORDER BY name
PRAGMA user_version = 7
SELECT * FROM pragma_user_version
PRAGMA cache_size = 50
CREATE TEMP TABLE passing(a)
BEGIN
SAVEPOINT s
COMMIT
VACUUM
SELECT * FROM pragma_page_size
SELECT * FROM pragma_page_count
SELECT name, builtin FROM pragma_function_list WHERE name = 'abs' LIMIT 1
CREATE TABLE big(id INTEGER PRIMARY KEY, content TEXT)
INSERT INTO big(content) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) SELECT 'row ' || i || substr('xxxxxxxxxxxxxxxxxxxx', 1, i % 20) FROM n
SELECT count(*), min(content), max(content), sum(length(content)) FROM big
SELECT id, content FROM big WHERE id % 100 = 7
DELETE FROM big WHERE id % 3 = 0
UPDATE big SET content = upper(content) WHERE id > 400
SELECT count(*), sum(id), max(content) FROM big
ANALYZE
SELECT tbl, idx, stat FROM sqlite_stat1 ORDER BY tbl, idx
REINDEX
DELETE FROM big
SELECT count(*) FROM big
DROP TABLE big
SELECT last_insert_rowid() > 0, changes() >= 0
SELECT sqlite_version()
SELECT * FROM pragma_integrity_check
