/// Statements about the tables of `SearchTarget.bases`.
enum SearchProbes {
  /// Those of each base.
  static let all = [search, classic, spatial, other]

  private static let search = [
    "SELECT rowid FROM f WHERE f MATCH 'one'; SELECT rowid, rank FROM f('w1 OR two1')",
    "SELECT rowid FROM f WHERE f MATCH 'tw*' ORDER BY rowid DESC",
    "SELECT * FROM f('a:one AND b:b1')",
    "SELECT rowid FROM f WHERE f MATCH '\"the end\"' ORDER BY rank LIMIT 5",
    "SELECT snippet(f, -1, '<', '>', '', 5), highlight(f, 0, '<', '>') FROM f('one AND w2')",
    "SELECT rowid FROM f('NEAR(one two2, 4) NOT 7') WHERE rowid > 40",
    "SELECT bm25(f, 2, 1) FROM f('two')",
    "SELECT rowid FROM f WHERE f MATCH 'one' AND rowid BETWEEN 20 AND 50; SELECT * FROM f",
    "SELECT * FROM fv; SELECT * FROM fv WHERE term > 't'",
    "SELECT rowid FROM h('w1 OR 7'); SELECT rowid FROM h('one') ORDER BY rank",
    "INSERT INTO f(f) VALUES('integrity-check'); PRAGMA integrity_check",
    "INSERT INTO f(rowid, a, b) VALUES(7, 'one new', 'w1'), (9001, 'two', 'w2')",
    "SELECT * FROM f('w1')",
    "UPDATE f SET a = 'changed ' || a WHERE rowid % 6 = 0; DELETE FROM f WHERE rowid % 4 = 0",
    "INSERT INTO f(f, rank) VALUES('merge', 50); SELECT rowid FROM f('one')",
    "INSERT INTO f(f, rank) VALUES('merge', -9), ('usermerge', 2), ('automerge', 0)",
    "INSERT INTO f(f) VALUES('optimize'); INSERT INTO h(h) VALUES('optimize'); SELECT * FROM fv",
    "INSERT INTO f(f) VALUES('rebuild'); DELETE FROM h WHERE rowid = 2; DROP TABLE f",
    "BEGIN; INSERT INTO h(rowid, a) VALUES(3, 'w5'); SAVEPOINT s; DELETE FROM h; ROLLBACK TO s",
    "INSERT INTO f(f) VALUES('flush'); ALTER TABLE f RENAME TO f2",
    "INSERT INTO f2(f2) VALUES('delete-all')",
  ]

  private static let classic = [
    "SELECT docid FROM g WHERE g MATCH 'one'; SELECT docid FROM g WHERE g MATCH 'tw*'",
    "SELECT docid, offsets(g), snippet(g) FROM g WHERE g MATCH 'w1 OR \"two1 the\"'",
    "SELECT hex(matchinfo(g, 'pcnalsxyb')) FROM g WHERE g MATCH 'one NEAR/3 w2'",
    "SELECT docid FROM g WHERE g MATCH 'one NOT w3' ORDER BY docid DESC; SELECT * FROM g",
    "SELECT * FROM gv; SELECT * FROM gv WHERE term > 't'",
    "SELECT docid FROM k WHERE k MATCH 'one w3' AND l = 1",
    "SELECT offsets(k) FROM k WHERE a MATCH 'w*'",
    "INSERT INTO g(g) VALUES('integrity-check'); PRAGMA integrity_check",
    "INSERT INTO g(docid, a, b) VALUES(7, 'one new', 'w1'), (9001, 'two', 'w2')",
    "UPDATE g SET a = 'changed ' || a WHERE docid % 6 = 0; DELETE FROM g WHERE docid % 4 = 0",
    "INSERT INTO g(g) VALUES('merge=20,2'); SELECT docid FROM g WHERE g MATCH 'one'",
    "INSERT INTO g(g) VALUES('automerge=2'), ('maxpending=1'); INSERT INTO g(a) VALUES('one two')",
    "INSERT INTO g(g) VALUES('optimize'); INSERT INTO k(k) VALUES('optimize'); SELECT * FROM gv",
    "INSERT INTO g(g) VALUES('rebuild'); DELETE FROM k WHERE docid = 2; ALTER TABLE g RENAME TO g2",
    "BEGIN; INSERT INTO k(a, l) VALUES('one w5', 1); SAVEPOINT s;DELETE FROM k; ROLLBACK TO s; END",
    "SELECT snippet(g, '<', '>', '.', 1, -9) FROM g WHERE g MATCH '\"two one\" OR b:b3'",
    "DROP TABLE g",
  ]

  private static let spatial = [
    "SELECT * FROM r; SELECT id FROM r WHERE x0 < 50 AND y1 > 20; SELECT * FROM r WHERE id = 8",
    "SELECT rtreecheck('r'), rtreecheck('q'); SELECT count(*) FROM q WHERE x1 BETWEEN 5 AND 20",
    "SELECT rtreenode(2, data), rtreedepth(data) FROM r_node; PRAGMA integrity_check",
    "INSERT INTO r VALUES(NULL, 5, 6, 5, 6, 'new'), (900, 1, 90, 1, 90, 'large'); SELECT * FROM r",
    "UPDATE r SET x1 = x1 + 1 WHERE id % 3 = 0; DELETE FROM r WHERE id % 4 = 1; SELECT * FROM r",
    "DELETE FROM q WHERE id > 3; INSERT INTO q SELECT id, x0, x1 FROM r",
    "SELECT * FROM q WHERE x0 > 9",
    "UPDATE q SET id = id + 100; INSERT OR REPLACE INTO q VALUES(101, 1, 2); DROP TABLE r",
    "SELECT r.id, q.id FROM r, q WHERE r.x0 >= q.x0 AND r.x1 <= q.x1; ALTER TABLE r RENAME TO r2",
    "BEGIN; DELETE FROM r WHERE id < 20; SAVEPOINT s;DELETE FROM r; ROLLBACK TO s; END",
  ]

  private static let other = [
    "SELECT rowid FROM f WHERE a LIKE '%wo1%'; SELECT rowid FROM f WHERE a GLOB '*e w[12]*'",
    "SELECT rowid FROM f('one') WHERE b > 3; SELECT rowid, rank FROM f('\"e w\"') ORDER BY rank",
    "SELECT * FROM fv; SELECT * FROM hv WHERE term >= 't'; SELECT * FROM h('run')",
    "SELECT highlight(h, 0, '<', '>'), bm25(h), snippet(h, 1, '', '', '.', 3) FROM h('the OR b7')",
    "INSERT INTO h(h) VALUES('integrity-check')",
    "INSERT INTO h(h, rank) VALUES('integrity-check', 1)",
    "INSERT INTO h(h, rowid, a, b) VALUES('delete', 3, 'one w3', 'b3'); SELECT * FROM h('w3')",
    "INSERT INTO f(a) VALUES('new text'); DELETE FROM f WHERE rowid < 4; SELECT * FROM f('tex')",
    "INSERT INTO h(h) VALUES('optimize'); INSERT INTO f(f) VALUES('optimize'); SELECT * FROM hv",
    "INSERT INTO f(f) VALUES('rebuild')",
    "INSERT INTO h(h) VALUES('delete-all'); SELECT * FROM h('one')",
    "UPDATE c SET a = 'other' WHERE i = 2; SELECT * FROM h('w2'); PRAGMA integrity_check",
  ]
}
