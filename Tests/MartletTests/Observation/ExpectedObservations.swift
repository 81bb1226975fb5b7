// What GRDB 7.10 tells an observer of the scripts, and the regions that requests have.

extension Observing {
  static let expectedLogs = #"""
    ## a statement alone is a transaction
    > -- INSERT INTO note VALUES (1, 'x')
    > insert main.note 1
    > will commit
    > did commit
    ## an update tells of each row
    > -- UPDATE child SET n = n + 1
    > update main.child 1
    > update main.child 2
    > update main.child 3
    > will commit
    > did commit
    ## a rowid that changes is told as it is after the change
    > -- UPDATE note SET id = 9 WHERE id = 1
    > will commit
    > did commit
    ## a statement that finds no row commits all the same
    > -- DELETE FROM note WHERE id = 99
    > will commit
    > did commit
    ## reading tells nothing
    > -- SELECT * FROM parent
    ## a transaction is committed once
    > -- BEGIN
    > -- INSERT INTO note VALUES (1, 'x')
    > insert main.note 1
    > -- UPDATE note SET text = 'y'
    > update main.note 1
    > -- COMMIT
    > will commit
    > did commit
    ## a transaction is taken back
    > -- BEGIN
    > -- INSERT INTO note VALUES (1, 'x')
    > insert main.note 1
    > -- ROLLBACK
    > did rollback
    ## an empty deferred transaction is committed
    > -- BEGIN DEFERRED
    > -- COMMIT
    > will commit
    > did commit
    ## an empty immediate transaction is committed
    > -- BEGIN IMMEDIATE
    > -- COMMIT
    > will commit
    > did commit
    ## an empty transaction that is taken back
    > -- BEGIN DEFERRED
    > -- ROLLBACK
    > did rollback
    ## an empty immediate transaction that is taken back
    > -- BEGIN IMMEDIATE
    > -- ROLLBACK
    > did rollback
    ## a transaction that reads
    > -- BEGIN
    > -- SELECT * FROM parent
    > -- COMMIT
    > will commit
    > did commit
    ## a statement that fails tells of no rollback
    > -- INSERT INTO parent VALUES (3, 'a')
    > error 2067
    > -- INSERT INTO note VALUES (2, 'y')
    > insert main.note 2
    > will commit
    > did commit
    ## a statement that fails in a transaction
    > -- BEGIN
    > -- INSERT INTO parent VALUES (3, 'c'), (4, 'a')
    > insert main.parent 3
    > error 2067
    > -- COMMIT
    > will commit
    > did commit
    ## a conflict that takes the transaction back
    > -- BEGIN
    > -- INSERT INTO parent VALUES (3, 'c')
    > insert main.parent 3
    > -- INSERT OR ROLLBACK INTO parent VALUES (4, 'a')
    > error 2067
    > -- INSERT INTO note VALUES (3, 'z')
    > insert main.note 3
    > will commit
    > did commit
    ## a deferred key refuses the commit
    > -- PRAGMA defer_foreign_keys = ON
    > -- BEGIN
    > -- PRAGMA defer_foreign_keys = ON
    > -- INSERT INTO child VALUES (9, 99, 0)
    > insert main.child 9
    > -- COMMIT
    > error 787
    > -- ROLLBACK
    > did rollback
    ## changes in a savepoint are told when it is released
    > -- BEGIN
    > -- SAVEPOINT a
    > -- INSERT INTO note VALUES (1, 'x')
    > -- RELEASE a
    > insert main.note 1
    > -- INSERT INTO note VALUES (2, 'y')
    > insert main.note 2
    > -- COMMIT
    > will commit
    > did commit
    ## changes in a savepoint that is taken back are not told
    > -- BEGIN
    > -- INSERT INTO note VALUES (1, 'x')
    > insert main.note 1
    > -- SAVEPOINT a
    > -- INSERT INTO note VALUES (2, 'y')
    > -- ROLLBACK TO a
    > -- INSERT INTO note VALUES (3, 'z')
    > -- RELEASE a
    > insert main.note 3
    > -- COMMIT
    > will commit
    > did commit
    ## savepoints inside savepoints
    > -- BEGIN
    > -- SAVEPOINT a
    > -- INSERT INTO note VALUES (1, 'x')
    > -- SAVEPOINT b
    > -- INSERT INTO note VALUES (2, 'y')
    > -- RELEASE b
    > -- SAVEPOINT B
    > -- INSERT INTO note VALUES (3, 'z')
    > -- ROLLBACK TO b
    > -- RELEASE a
    > insert main.note 1
    > insert main.note 2
    > -- COMMIT
    > will commit
    > did commit
    ## releasing the outer savepoint releases the inner
    > -- SAVEPOINT a
    > -- SAVEPOINT b
    > -- INSERT INTO note VALUES (1, 'x')
    > -- RELEASE a
    > insert main.note 1
    > will commit
    > did commit
    ## a savepoint alone is a transaction
    > -- SAVEPOINT a
    > -- INSERT INTO note VALUES (1, 'x')
    > -- RELEASE a
    > insert main.note 1
    > will commit
    > did commit
    ## an empty savepoint is a transaction
    > -- SAVEPOINT a
    > -- RELEASE a
    > will commit
    > did commit
    ## a transaction that ends with an open savepoint
    > -- BEGIN
    > -- SAVEPOINT a
    > -- INSERT INTO note VALUES (1, 'x')
    > -- COMMIT
    > insert main.note 1
    > will commit
    > did commit
    ## a transaction with an open savepoint that is taken back
    > -- BEGIN
    > -- SAVEPOINT a
    > -- INSERT INTO note VALUES (1, 'x')
    > -- ROLLBACK
    > did rollback
    > -- INSERT INTO note VALUES (2, 'y')
    > insert main.note 2
    > will commit
    > did commit
    ## triggers
    > -- INSERT INTO noted VALUES (1, 5)
    > insert main.noted 1
    > insert main.note 1
    > update main.noted 1
    > will commit
    > did commit
    ## actions of foreign keys
    > -- DELETE FROM parent WHERE id = 1
    > delete main.parent 1
    > delete main.child 1
    > delete main.child 2
    > will commit
    > did commit
    ## deletions without condition are told row by row
    > -- DELETE FROM child
    > delete main.child 1
    > delete main.child 2
    > delete main.child 3
    > will commit
    > did commit
    ## REPLACE tells of the new row only
    > -- INSERT OR REPLACE INTO parent VALUES (5, 'b')
    > delete main.child 3
    > insert main.parent 5
    > will commit
    > did commit
    ## an upsert tells of the update
    > -- INSERT INTO parent VALUES (1, 'a') ON CONFLICT DO UPDATE SET name = 'n'
    > update main.parent 1
    > will commit
    > did commit
    ## tables without rowids tell nothing of rows
    > -- INSERT INTO keyed VALUES ('k', 1)
    > will commit
    > did commit
    > -- UPDATE keyed SET v = 2
    > will commit
    > did commit
    > -- DELETE FROM keyed
    > will commit
    > did commit
    ## rows of another table
    > -- INSERT INTO note SELECT id, name FROM parent
    > insert main.note 1
    > insert main.note 2
    > will commit
    > did commit
    ## all rows of a table of one form
    > -- CREATE TABLE copy (id INTEGER PRIMARY KEY, text TEXT)
    > will commit
    > did commit
    > -- INSERT INTO note VALUES (1, 'x'), (2, 'y')
    > insert main.note 1
    > insert main.note 2
    > will commit
    > did commit
    > -- INSERT INTO copy SELECT * FROM note
    > insert main.copy 1
    > insert main.copy 2
    > will commit
    > did commit
    ## the schema
    > -- CREATE TABLE t (a)
    > will commit
    > did commit
    > -- ALTER TABLE t ADD COLUMN b
    > will commit
    > did commit
    > -- CREATE INDEX i ON t (a)
    > will commit
    > did commit
    > -- DROP TABLE t
    > will commit
    > did commit
    ## a table made of a query
    > -- CREATE TABLE t AS SELECT * FROM parent
    > will commit
    > did commit
    ## temporary tables
    > -- CREATE TEMP TABLE t (a)
    > will commit
    > did commit
    > -- INSERT INTO t VALUES (1)
    > insert temp.t 1
    > will commit
    > did commit
    ## RETURNING
    > -- INSERT INTO note VALUES (1, 'x'), (2, 'y') RETURNING id
    > insert main.note 1
    > insert main.note 2
    > will commit
    > did commit
    ## a comment before a statement
    > -- /* c */ BEGIN
    > -- -- c\nINSERT INTO note VALUES (1, 'x')
    > insert main.note 1
    > -- /* c */ COMMIT
    > will commit
    > did commit
    """#

  static let expectedRegions = #"""
    ## columns
    > parent(name)
    ## all columns
    > child(id,n,parentId)
    ## columns of conditions
    > child(n,parentId)
    ## columns in any case
    > parent(name)
    ## counting reads no column
    > parent(*)
    ## joins
    > child(parentId),parent(id,name)
    ## subqueries
    > child(n),parent(*)
    ## views
    > parent(id,name),view(name)
    ## common tables
    > child(n)
    ## the rowid
    > note(*)
    ## no table
    > empty
    ## changes read too
    > child(n,parentId)
    ## all rows
    > parent(id,name)
    ## a row
    > parent(id,name)[1]
    ## a row by its column
    > parent(id,name)[1]
    ## a row from the left
    > parent(id,name)[1]
    ## a row by rowid
    > parent(id,name)[1]
    ## rows
    > parent(id,name)[1,2,3]
    ## rows by id
    > parent(id,name)[1,2]
    ## a row and a condition
    > parent(id,name)[1]
    ## rows that both conditions say
    > parent(id,name)[2]
    ## one of two rows
    > parent(id,name)[1,2]
    ## a row or a condition
    > parent(id,name)
    ## not a row
    > parent(id,name)
    ## no row
    > empty
    ## a row of no id
    > empty
    ## a unique key
    > parent(id,name)
    ## a table without rowids
    > keyed(k,v)
    ## a row of an alias
    > parent(id,name)[1]
    ## a selection
    > parent(id,name)[1]
    ## a joined request
    > child(id,n,parentId),parent(id,name)
    ## a joined row
    > child(id,n,parentId)[1],parent(id,name)
    ## a row that is joined
    > child(id,n,parentId),parent(*)
    ## rows of many
    > child(id,n,parentId),parent(id,name)
    ## rows of many of a row
    > child(id,n,parentId),parent(id,name)[1]
    ## rows of many of no row
    > empty
    ## rows of many with a condition
    > child(id,n,parentId)[3],parent(id,name)
    ## aggregates
    > child(id,parentId),parent(id,name)
    ## a table
    > parent(*)
    ## the full database
    > full database
    ## nothing
    > empty
    ## two requests
    > child(id,n,parentId)[1],parent(name)
    ## two parts of a table
    > parent(id,name)[1,2]
    ## rows and all rows
    > parent(id,name)
    ## a request and all
    > full database
    """#
}
