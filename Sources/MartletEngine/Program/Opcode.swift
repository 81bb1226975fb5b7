/// The virtual machine's instruction set.
///
/// r[n] is register n, c[n] cursor n. Operands are P1, P2, P3; P4 indexes the side table that the
/// specification names; P5 is flags. Where SQLite has an opcode of the same meaning, the name that
/// EXPLAIN prints is SQLite's (opcode §5). The bodies are in `VM/VM+<Family>.swift`.
enum Opcode: UInt8, CaseIterable {
  // MARK: Control flow
  /// First instruction: jump to P2, the set-up code.
  case start
  case goto
  /// r[P1] = address of this instruction; jump to P2.
  case gosub
  /// Jump behind the address in r[P1]; if P3 is 1 and r[P1] is no integer, fall through.
  case `return`
  /// r[P1] = P3 - 1, the co-routine's entry; jump to P2 unless it is 0.
  case initCoroutine
  /// Swap the program counter with r[P1]; when the co-routine has ended, it continues at P2.
  case yield
  /// The co-routine in r[P1] ends: jump to the P2 of the yield that called it.
  case endCoroutine
  /// End with result code P1 (0: done); P4, or r[P3], is the message. P2 says what an error does to
  /// changes (`ConflictPolicy`). With code 0 and IGNORE, the program that called goes on at the P2
  /// of its `program`.
  case halt
  /// If r[P3] is NULL, end with result code P1, policy P2 and message P4.
  case haltIfNull
  /// Fall through the first time, jump to P2 from the second on.
  case once
  /// Each `once` between here and P2 falls through the next time.
  case forgetOnce
  /// Jump to P2 if r[P1] is true, or if it is NULL and P3 is 1.
  case ifTrue
  /// Jump to P2 if r[P1] is false, or if it is NULL and P3 is 1.
  case ifFalse
  case isNull
  case notNull
  /// Jump to P2 if the storage class of r[P1] is among P3: 1 integer, 2 real, 4 text, 8 blob, 16
  /// NULL.
  case isType
  /// If r[P1] > 0: subtract P3 from it and jump to P2; integers only.
  case ifPositive
  /// If r[P1] is not 0: decrement when positive, then jump to P2.
  case ifNotZero
  /// Decrement r[P1]; jump to P2 if it is now 0.
  case decrementJumpZero
  /// r[P2] = r[P1] + max(0, r[P3]), or -1 if r[P1] <= 0 or on overflow: rows a sorter must keep.
  case offsetLimit
  /// Jump to P1, P2 or P3 as the last `compare` was less, equal or greater.
  case jump
  /// Make r[P1] an integer; if it cannot be one: jump to P2, or fail with MISMATCH when P2 is 0.
  case mustBeInteger
  /// Run sub-program P4, whose OLD and NEW rows are r[P1...]; go to P2 if it ends by RAISE(IGNORE).
  /// If P5 is 1, it is skipped while its trigger is running (recursive_triggers).
  case program
  /// r[P2] borrows register P1 of the OLD and NEW rows that the calling program has.
  case outerValue
  /// Count P2 more broken foreign keys; P1 is 1 for a deferred one.
  case foreignKeyCount
  /// Jump to P2 if no foreign key is broken; P1 is 1 to ask about deferred ones.
  case foreignKeyIfZero
  /// Fail if a foreign key is broken that is not deferred.
  case foreignKeyCheck
  /// What was changed so far is what `changes()` says; counting starts again.
  case resetCount
  /// Statement P1 of a trigger begins: trace handlers are told.
  case trace
  case noop
  /// EXPLAIN QUERY PLAN: node P1, parent P2, text P4. Does nothing.
  case explain
  /// A loop that is measured is at the place P2 of `ScanMark`; P1 is its number, or -1.
  case scanMark

  // MARK: Values
  /// r[P2...P3] = NULL (P3 at least P2).
  case null
  /// r[P2] = P1.
  case integer
  /// r[P2] = constant P4.
  case constant
  /// r[P2] = parameter P1.
  case parameter
  /// Deep copy r[P1..<P1+P3+1] to r[P2...].
  case copy
  /// r[P2] borrows r[P1].
  case shallowCopy
  /// Move P3 registers from r[P1...] to r[P2...]; the sources become NULL.
  case move
  /// r[P2] = integer of r[P1] cast with affinity P3 (`CAST`), in place when P1 = P2.
  case cast
  /// Apply affinity string P4 to r[P1..<P1+P2]. If P5 is 1, the values are for a record: integers
  /// may stand for reals.
  case affinity
  /// Make an integer in r[P1] a real.
  case realAffinity
  /// r[P1..<P1+P2] own their bytes: pages are about to change.
  case own
  /// Fail unless r[P1] is NULL or of storage class P2; P4 says what it is to be stored in (STRICT
  /// tables).
  case checkType
  /// r[P1] = the larger of the integers r[P1] and r[P2]. In a sub-program it is register P4 of the
  /// statement's own program, and P1 is 0.
  case maximum

  // MARK: Arithmetic and logic: r[P3] = r[P1] op r[P2]
  case add, subtract, multiply, divide, remainder
  case concat, bitAnd, bitOr, shiftLeft, shiftRight
  case and, or
  /// r[P2] = not r[P1].
  case not
  case bitNot
  /// r[P2] = -r[P1].
  case negate
  /// r[P2] = (r[P1] is true, or P3 if it is NULL) xor P4 (IS TRUE and its kin).
  case isTrue
  /// r[P2] = r[P1] is NULL ? 1 : 0, xor P3.
  case nullTest

  // MARK: Comparison
  // Jump to P2 if r[P1] op r[P3]; P4 is the collation (-1: BINARY), P5 a `ComparisonFlags`.
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
  // r[P2] = r[P1] op r[P3]: 1, 0 or NULL; P4 and P5 as above.
  case equalValue, notEqualValue, lessValue, lessOrEqualValue, greaterValue, greaterOrEqualValue
  /// Compare r[P1..<P1+P3] with r[P2..<P2+P3] by key info P4, for `jump`.
  case compare

  // MARK: Functions
  /// r[P3] = function call P4 with arguments from r[P2].
  case function
  /// Accumulator at r[P3] starts: aggregate call P4.
  case aggregateStart
  /// Step aggregate call P4 on accumulator r[P3] with arguments from r[P2]. For min() and max(),
  /// r[P1] (unless P1 is 0) becomes 1 if the accumulator took this row's value, else 0.
  case aggregateStep
  /// r[P3] += 1: count(*).
  case aggregateCount
  /// r[P2] = result of the accumulator r[P1], which ends; aggregate call P4.
  case aggregateFinal

  // MARK: Records and rows
  /// r[P3] = record of r[P1..<P1+P2]; P4 is an affinity string or -1. With P5 = 1, for a row that a
  /// table takes, zeros at its end may stay unwritten.
  case makeRecord
  /// A row of the result: r[P1..<P1+P2].
  case resultRow

  // MARK: Transactions
  /// Begin a transaction on database P1: read (P2 = 0), write (1) or exclusive (2). Unless P4 is
  /// -1, check that the schema has the cookie P3 and the generation P4.
  case transaction
  /// BEGIN (P1 = 0), COMMIT (1) or ROLLBACK (2).
  case autocommit
  /// Open (P1 = 0), release (1) or return to (2) the savepoint named P4.
  case savepoint
  /// r[P2] = header field P3 of database P1 (`HeaderField`).
  case headerValue
  /// Header number P2 (`MetaValue`) of database P1 becomes P3; the schema cookie
  /// grows by 1 unless P5 is 1.
  case setMeta
  /// The schema table of database P1 was changed: read the row with rowid r[P2] and those behind it
  /// that are about the same table, which are new, or if P2 is 0, what P3 says (`SchemaReading`).
  case schemaChanged
  /// The table, index or trigger (P2: `DroppedObject`) named P4 is gone from database P1.
  case objectDropped
  /// Let the connection carry out command P1 (`ConnectionCommand`) on database P2, with arguments
  /// from r[P3]; its result, if it has one, is in r[P3].
  case perform

  // MARK: Trees
  /// r[P2] = root page of a new tree in database P1: of a table (P3 = 1) or an index (2).
  case createTree
  /// Drop the tree with root page P1 in database P3. r[P2] = the page from which another root was
  /// moved to P1, or 0.
  case destroyTree
  /// Delete all entries of the tree with root page P1 in database P2; with P3 = 1 they count as
  /// changed rows.
  case clearTree

  // MARK: B-tree cursors
  /// Open c[P1] on root page P2 of database P3; P4 is the key info of an index, -1 for a table.
  case openRead
  /// The same, to write. If P5 is 1, the root page is r[P2].
  case openWrite
  case close
  /// Who changes the tree of c[P1] by another cursor, while c[P1] is on an entry, gets an error.
  case cursorLock
  case cursorUnlock
  /// c[P1] is a row of NULLs until it moves.
  case nullRow
  /// Move to the first entry, or jump to P2 if there is none.
  case rewind
  case last
  /// Move to the next entry and jump to P2; fall through at the end.
  case next
  case previous
  /// r[P3] = column P2 of c[P1]; P4 is the constant of a missing column or -1; P5 `ColumnFlags`.
  case column
  /// `column`, which reads the P5 columns of the instructions from here on at once where nothing is
  /// unusual: columns behind each other go to registers behind each other.
  case columns
  /// Do what the instructions from here up to P2 do, all in one, and go to P2; while one of their
  /// tests jumps to P3, the loop's `next` or `previous`, do that, too. A row that is unusual goes to
  /// the instructions, the first of which stands where P4, the row scan, says.
  case scanRow
  /// r[P2] = rowid of c[P1].
  case rowid
  /// r[P2] = rowid at the end of the index entry of c[P1].
  case indexRowid
  /// Position table cursor c[P3] at the rowid of index cursor c[P1] when a column is first read.
  /// P4: column map (table column to index column + 1, or 0), or -1.
  case deferredSeek
  /// Do now what a `deferredSeek` on c[P1] left to do.
  case finishSeek
  /// Seek table cursor c[P1] to rowid r[P3] (made an integer first); jump to P2 if absent or no
  /// integer.
  case seekRowid
  // Position c[P1] at the entry nearest to the key r[P3..<P3+P4]; jump to P2 if there is none. A
  // table cursor takes one number, which may be real. P5: `SeekFlags`.
  case seekLess, seekLessOrEqual, seekGreaterOrEqual, seekGreater
  // Jump to P2 if the entry of index cursor c[P1] op r[P3..<P3+P4] (a prefix comparison, rowid
  // left out).
  case indexLess, indexLessOrEqual, indexGreaterOrEqual, indexGreater
  /// Jump to P2 if an entry of index cursor c[P1] begins with r[P3..<P3+P4].
  case found
  case notFound
  /// r[P2] = number of entries of c[P1].
  case count
  /// Jump to P2 if the key r[P3..<P3+P4] has a NULL or no entry of index cursor c[P1] begins with
  /// it.
  case noConflict
  /// Raise or lower what is known of c[P1], the number of leading columns of the key searched last
  /// that some entry has, to be at least P2 and at most P3.
  case seekHit
  /// Jump to P2 if no entry of index cursor c[P1] begins with r[P3..<P3+P4]; does not look where it
  /// is known that one does (`seekHit`).
  case ifNoHope
  /// r[P2] = record of the entry of c[P1], as a blob.
  case rowData

  // MARK: Changing trees
  /// r[P2] = a rowid that table cursor c[P1] does not have: one more than the largest, or, when
  /// that is taken, a random one. P3, unless 0: register with the largest rowid that ever was,
  /// which is kept up (AUTOINCREMENT); in a sub-program, P4 is that register of the statement's own
  /// program.
  case newRowid
  /// The row of cursor c[P1] is about to be inserted (P5 = 0), updated (1) or deleted (2): tell the
  /// preupdate hook. r[P2...] is the row as it will be, r[P3] its rowid; P4 is the table.
  case announceChange
  /// Put record r[P2] with rowid r[P3] into table cursor c[P1], in place of a row with that rowid.
  /// P5: `ChangeFlags`.
  case insert
  /// Delete the entry of c[P1]. P5: `ChangeFlags`.
  case delete
  /// Put record r[P2] with the key r[P3..<P3+P4] into index cursor c[P1]. P5: `ChangeFlags`.
  case indexInsert
  /// Put record r[P2], which sorts behind all others, into index cursor c[P1]. P5: `ChangeFlags`.
  case indexAppend
  /// Delete the entry of index cursor c[P1] that begins with the key r[P2..<P2+P3]. Where there is
  /// none, the one that is equal in all columns whose bits in P4 are not set, as these do not depend
  /// on what expressions give; if that is missing, too, the index is corrupt.
  case indexDelete

  // MARK: Sorter
  /// c[P1] is a sorter for key info P4 over its key columns, with P2 data columns. P3: 0, or the
  /// register that holds how many rows are wanted (negative: all). With P5 = 1, keys that have a
  /// NULL are never equal.
  case sorterOpen
  /// Jump to P2 if c[P1] would not keep a row with keys from r[P3], because enough better rows are
  /// there: its data need not be read.
  case sorterRejects
  /// Add a row to c[P1]: keys from r[P2], data from r[P3].
  case sorterInsert
  /// Sort c[P1] and move to the first row, or jump to P2 if it is empty.
  case sorterSort
  case sorterNext
  /// Jump to P2 if the row of c[P1] has the keys of the row before it. The sorter must have been
  /// opened with P5 = 1.
  case sorterDuplicate
  /// c[P1] is empty again, and rows may be added to it.
  case sorterReset

  // MARK: Row store (an ephemeral table in insertion order)
  /// c[P1] is an empty row store for rows of P2 columns.
  case rowsOpen
  /// c[P1] reads the rows of row store c[P2], with a position of its own.
  case rowsShare
  /// Append r[P2..<P2+P3] to c[P1].
  case rowsInsert
  case rowsRewind
  case rowsNext
  /// Remove the oldest row of c[P1] into r[P2...], or jump to P3 if there is none (recursive
  /// queries). The registers borrow from the row until the next one is taken.
  case rowsTake

  // MARK: Ordered queue (recursive queries with ORDER BY)
  /// c[P1] is an empty queue for key info P4, with rows of P2 columns.
  case queueOpen
  /// Add a row to c[P1]: keys from r[P2], the row from r[P3].
  case queueInsert
  /// Remove the first row of c[P1] into r[P2...], or jump to P3 if there is none. The registers
  /// borrow from the row until the next one is taken.
  case queueTake

  // MARK: Virtual tables
  /// c[P1] is a cursor for scan P4, which it stays while it is open.
  case virtualOpen
  /// Start scan P4 with c[P1], with arguments from r[P3]. Jump to P2 if it has no row.
  case virtualFilter
  /// Jump to P2 if virtual table cursor c[P1] has another row.
  case virtualNext
  /// r[P3] = column P2 of virtual table cursor c[P1], its rowid if P2 is -1. P5 has `isUnchanged` of
  /// `ColumnFlags` where the statement leaves the column as it is: the table then need not read it.
  case virtualColumn
  /// r[P2] stands for the values of set c[P1], as an argument of a scan.
  case virtualList
  /// Virtual table P4 is going to be changed in the transaction; without P4, one that is created or
  /// dropped.
  case virtualBegin
  /// Change virtual table P4 by the P2 values from r[P3], with conflict policy P5. P1 is 1 for
  /// INSERT, whose rowid is last_insert_rowid().
  case virtualUpdate
  /// Call the module of the new virtual table P4 in database P1.
  case virtualCreate
  /// Call virtual table P4, which is being dropped.
  case virtualDestroy
  /// Call virtual table P4, whose name is going to be r[P1].
  case virtualRename
  /// r[P1] = what virtual table P4 says is wrong with it, quickly if P2 is 1.
  case virtualCheck

  /// r[P2] = the subtype of r[P1], or NULL.
  case getSubtype
  /// r[P1] is the subtype of r[P2], or NULL.
  case setSubtype
  /// The value of r[P1] has no subtype any more.
  case clearSubtype

  // MARK: Hash set (a set of keys; walked in sorted order)
  /// c[P1] is an empty set for key info P4. P5 is its `SetUse`.
  case setOpen
  /// Insert key r[P3...] into c[P1]; jump to P2 (unless 0) if it was there already.
  case setInsert
  /// Jump to P2 if key r[P3...] is in c[P1].
  case setFound
  case setNotFound
  /// Mark key r[P3...] of c[P1], if it is there: an EXCEPT walks the others, an INTERSECT these.
  case setMark
  /// Sort c[P1], move to its first (P3 = 1: last) key; jump to P2 if empty.
  case setRewind
  /// Move to the next (P3 = 1: previous) key and jump to P2; fall through at the end.
  case setNext
  /// Jump to P2 if no key of c[P1] contains a NULL.
  case setHasNoNull
  /// Jump to P2 if c[P1] is empty.
  case setIsEmpty

  // MARK: Hash join table
  /// c[P1] is an empty join table for key info P4 (its key columns), with P2 data columns. Matches
  /// come sorted by the data columns, or, if P5 is 1, as they were inserted.
  case joinOpen
  /// Add keys r[P2...] and data r[P3...] to c[P1]. Keys with a NULL are left out unless P5 is 1.
  case joinInsert
  /// Move c[P1] to the first row that matches keys r[P3...]; jump to P2 if there is none.
  case joinSeek
  /// Move to the next match and jump to P2; fall through after the last.
  case joinNext

  // MARK: Key filter
  /// c[P1] is an empty filter for about P2 keys of key info P4.
  case filterOpen
  /// Add key r[P2...] to c[P1].
  case filterAdd
  /// Jump to P2 if key r[P3...] was certainly not added to c[P1].
  case filterTest

  // MARK: Hash aggregation
  /// c[P1] aggregates by group plan P4.
  case groupOpen
  /// Add an input row, laid out as the plan says from r[P2], to its group in c[P1].
  case groupInsert
  /// Sort the groups and put the first into r[P3...] as the plan says; jump to P2 if there is none.
  case groupSort
  /// Put the next group into r[P3...] and jump to P2; fall through after the last.
  case groupNext

  // MARK: Windows
  /// c[P1] computes the functions of window plan P4, over rows in the window's order.
  case windowOpen
  /// Add the row r[P3...]; jump to P2 unless it is the partition's first.
  case windowInsert
  /// Jump to P2 if the newest row is a peer of the one before it.
  case windowPeer
  /// Fail unless r[P1] can be the offset of a frame's start (P2 = 0) or end (1): an integer, or
  /// with P3 = 1 a number, not below 0.
  case windowOffset
  /// Take the next row or peers into the frame; in a RANGE frame up to the offset r[P3], if P3 is
  /// not
  /// 0. P5 is 1 once the partition is complete.
  case windowEnd
  /// Take the first row or peers out of the frame, up to the offset r[P3]; jump to P2 if there are
  /// no more.
  case windowStart
  /// Jump to P2 if the RANGE frame of the current row, whose end has the offset r[P3], may have
  /// rows that did not come yet.
  case windowNeedsRows
  /// Compute the results that the current row shares with its peers.
  case windowValues
  /// r[P2...] = the current row and the results of the functions.
  case windowRow
  /// Go to the next row: jump to P2 if there is none, to P3 (unless it is 0) if it is a peer.
  case windowNext
  case windowIfEmpty
  /// Step all functions with the row r[P3...], which is not kept; r[P2...] = their results.
  case windowStep
  /// The partition has ended.
  case windowReset

  // MARK: Statistics
  /// c[P1] gathers statistics of an index with r[P3] entries of P2 columns, of which P4 are its
  /// key. Of each index r[P3+1] entries are looked at before a choice is made; 0: all.
  case samplerOpen
  /// Add the next entry, whose key is r[P3] and which differs from the entry before in column
  /// r[P2], to c[P1]. r[P2] becomes NULL: go on; 0: go on behind equal entries; or 1: enough was
  /// seen.
  case samplerAdd
  /// r[P2] = what c[P1] gathered, as sqlite_stat1 has it.
  case samplerSummary
  /// r[P3], r[P3+1], r[P3+2] = neq, nlt, ndlt of the next sample of c[P1]; from r[P3+3] on the P4
  /// columns of its key, or its rowid if P4 is 0. Jump to P2 if there is none.
  case samplerNext
  /// Jump to P2 if the LogEst of the number of entries of c[P1] is about P3 to P4; no entries are
  /// less than any. Moves the cursor.
  case ifSizeBetween

  /// r[P3] = column P2 of the current row of sorter, row store, set or join table c[P1].
  case rowColumn
}
