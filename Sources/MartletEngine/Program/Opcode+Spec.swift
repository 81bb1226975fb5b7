/// How an opcode uses one of its operands P1 to P3.
enum OperandRole: String {
  case unused = ""
  /// A plain number: a count, a flag, a rowid, a root page.
  case number
  /// A register that is read.
  case input
  /// A register that is written.
  case output
  /// A register that is read and written.
  case inputOutput = "input, output"
  /// The first of several registers that are read.
  case inputs
  /// The first of several registers that are written.
  case outputs
  /// An address.
  case jump
  /// An address; 0 stands for "do not jump".
  case optionalJump = "jump or 0"
  case cursor
  /// Number of a column of a record or row, from 0.
  case column
  /// Number of a parameter, from 1.
  case parameter
  /// Number of an attached database.
  case database
  /// A register that is read, or 0.
  case optionalInput = "input or 0"
  /// A register that is written, or 0.
  case optionalOutput = "output or 0"

  var isJump: Bool { self == .jump || self == .optionalJump }
}

/// What P4 is: an index into one of the program's side tables, or a number.
enum FourthOperand: String {
  case unused = ""
  case number
  case constant
  case keyInfo = "key info"
  case collation = "collation or -1"
  case affinities
  case functionCall = "function call"
  case aggregateCall = "aggregate call"
  case groupPlan = "group plan"
  case windowPlan = "window plan"
  case virtualScan = "scan"
  case columnMap = "column map or -1"
  case rowScan = "row scan"
  case text
  case optionalText = "text or -1"
  case optionalKeyInfo = "key info or -1"
  case optionalConstant = "constant or -1"
  case optionalAffinities = "affinities or -1"
  case changedTable = "table"
  case optionalChangedTable = "table or -1"
  /// In the table of the statement's own program.
  case subprogram = "sub-program"
}

/// The row of the instruction set that EXPLAIN, operand checks and `docs/opcodes.md` are made from.
struct OpcodeSpec {
  /// What EXPLAIN prints: SQLite's name where SQLite has the opcode.
  let name: StaticString
  let p1: OperandRole
  let p2: OperandRole
  let p3: OperandRole
  let p4: FourthOperand
  /// The effect in short. `r[P1@P2]` stands for P2 registers from P1.
  let synopsis: StaticString

  init(
    _ name: StaticString, _ p1: OperandRole, _ p2: OperandRole, _ p3: OperandRole,
    _ synopsis: StaticString, p4: FourthOperand = .unused
  ) {
    self.name = name
    self.p1 = p1
    self.p2 = p2
    self.p3 = p3
    self.p4 = p4
    self.synopsis = synopsis
  }
}

extension Opcode {
  /// The opcode's row. Longer than a screen because it is a table: one line for each opcode, and no
  /// `default`, so that a new opcode does not compile until it has a row.
  var spec: OpcodeSpec {
    switch self {
    case .start: .init("Init", .unused, .jump, .unused, "start at P2")
    case .goto: .init("Goto", .unused, .jump, .unused, "")
    case .gosub: .init("Gosub", .output, .jump, .unused, "r[P1]=address, goto P2")
    case .return: .init("Return", .input, .unused, .number, "goto r[P1]+1")
    case .initCoroutine: .init("InitCoroutine", .output, .optionalJump, .jump, "r[P1]=P3-1")
    case .yield: .init("Yield", .inputOutput, .optionalJump, .unused, "swap address and r[P1]")
    case .endCoroutine: .init("EndCoroutine", .inputOutput, .unused, .unused, "end of r[P1]")
    case .halt: .init("Halt", .number, .number, .optionalInput, "", p4: .optionalText)
    case .haltIfNull:
      .init("HaltIfNull", .number, .number, .input, "if r[P3]=null halt", p4: .optionalText)
    case .once: .init("Once", .unused, .jump, .unused, "from the second time on goto P2")
    case .forgetOnce:
      .init("ForgetOnce", .unused, .jump, .unused, "each Once from here to P2 runs again")
    case .ifTrue: .init("If", .input, .jump, .number, "if r[P1] goto P2")
    case .ifFalse: .init("IfNot", .input, .jump, .number, "if !r[P1] goto P2")
    case .isNull: .init("IsNull", .input, .jump, .unused, "if r[P1]==NULL goto P2")
    case .notNull: .init("NotNull", .input, .jump, .unused, "if r[P1]!=NULL goto P2")
    case .isType: .init("IsType", .input, .jump, .number, "if typeof(r[P1]) in P3 goto P2")
    case .ifPositive:
      .init("IfPos", .inputOutput, .jump, .number, "if r[P1]>0 then r[P1]-=P3, goto P2")
    case .ifNotZero:
      .init("IfNotZero", .inputOutput, .jump, .unused, "if r[P1]!=0 then r[P1]--, goto P2")
    case .decrementJumpZero:
      .init("DecrJumpZero", .inputOutput, .jump, .unused, "if (--r[P1])==0 goto P2")
    case .offsetLimit:
      .init(
        "OffsetLimit", .input, .output, .optionalInput,
        "r[P2]=r[P1]>0 ? r[P1]+max(0,r[P3]) : -1")
    case .jump: .init("Jump", .jump, .jump, .jump, "less: P1, equal: P2, greater: P3")
    case .mustBeInteger: .init("MustBeInt", .inputOutput, .optionalJump, .unused, "")
    case .program:
      .init("Program", .inputs, .jump, .unused, "rows=r[P1...]", p4: .subprogram)
    case .outerValue: .init("Param", .number, .output, .unused, "r[P2]=caller's r[P1]")
    case .foreignKeyCount: .init("FkCounter", .number, .number, .unused, "fkctr[P1]+=P2")
    case .foreignKeyIfZero: .init("FkIfZero", .number, .jump, .unused, "if fkctr[P1]==0 goto P2")
    case .foreignKeyCheck: .init("FkCheck", .unused, .unused, .unused, "")
    case .resetCount: .init("ResetCount", .unused, .unused, .unused, "")
    case .trace: .init("Trace", .number, .unused, .unused, "")
    case .noop: .init("Noop", .unused, .unused, .unused, "")
    case .scanMark: .init("ScanMark", .number, .number, .unused, "")
    case .explain: .init("Explain", .number, .number, .number, "", p4: .text)

    case .null: .init("Null", .unused, .output, .number, "r[P2..P3]=NULL")
    case .integer: .init("Integer", .number, .output, .unused, "r[P2]=P1")
    case .constant: .init("Constant", .unused, .output, .unused, "r[P2]=P4", p4: .constant)
    case .parameter: .init("Variable", .parameter, .output, .unused, "r[P2]=parameter(P1)")
    case .copy: .init("Copy", .input, .output, .number, "r[P2@P3+1]=r[P1@P3+1]")
    case .shallowCopy: .init("SCopy", .input, .output, .unused, "r[P2]=r[P1]")
    case .move: .init("Move", .inputs, .outputs, .number, "r[P2@P3]=r[P1@P3]")
    case .cast: .init("Cast", .input, .output, .number, "r[P2]=cast(r[P1])")
    case .affinity:
      .init("Affinity", .inputs, .number, .unused, "affinity(r[P1@P2])", p4: .affinities)
    case .realAffinity: .init("RealAffinity", .inputOutput, .unused, .unused, "r[P1]=real(r[P1])")
    case .own: .init("Own", .inputs, .number, .unused, "own(r[P1@P2])")
    case .checkType: .init("TypeCheck", .input, .number, .unused, "typecheck(r[P1])", p4: .text)
    case .maximum:
      .init(
        "MemMax", .optionalOutput, .input, .unused, "r[P1]=max(r[P1],r[P2])", p4: .number)

    case .add: .init("Add", .input, .input, .output, "r[P3]=r[P1]+r[P2]")
    case .subtract: .init("Subtract", .input, .input, .output, "r[P3]=r[P1]-r[P2]")
    case .multiply: .init("Multiply", .input, .input, .output, "r[P3]=r[P1]*r[P2]")
    case .divide: .init("Divide", .input, .input, .output, "r[P3]=r[P1]/r[P2]")
    case .remainder: .init("Remainder", .input, .input, .output, "r[P3]=r[P1]%r[P2]")
    case .concat: .init("Concat", .input, .input, .output, "r[P3]=r[P1]+r[P2]")
    case .bitAnd: .init("BitAnd", .input, .input, .output, "r[P3]=r[P1]&r[P2]")
    case .bitOr: .init("BitOr", .input, .input, .output, "r[P3]=r[P1]|r[P2]")
    case .shiftLeft: .init("ShiftLeft", .input, .input, .output, "r[P3]=r[P1]<<r[P2]")
    case .shiftRight: .init("ShiftRight", .input, .input, .output, "r[P3]=r[P1]>>r[P2]")
    case .and: .init("And", .input, .input, .output, "r[P3]=(r[P1] && r[P2])")
    case .or: .init("Or", .input, .input, .output, "r[P3]=(r[P1] || r[P2])")
    case .not: .init("Not", .input, .output, .unused, "r[P2]= !r[P1]")
    case .bitNot: .init("BitNot", .input, .output, .unused, "r[P2]= ~r[P1]")
    case .negate: .init("Negative", .input, .output, .unused, "r[P2]= -r[P1]")
    case .isTrue:
      .init("IsTrue", .input, .output, .number, "r[P2]=(r[P1] ?? P3) xor P4", p4: .number)
    case .nullTest: .init("NullTest", .input, .output, .number, "r[P2]=(r[P1]==NULL) xor P3")

    case .equal: .init("Eq", .input, .jump, .input, "if r[P1]==r[P3] goto P2", p4: .collation)
    case .notEqual: .init("Ne", .input, .jump, .input, "if r[P1]!=r[P3] goto P2", p4: .collation)
    case .less: .init("Lt", .input, .jump, .input, "if r[P1]<r[P3] goto P2", p4: .collation)
    case .lessOrEqual:
      .init("Le", .input, .jump, .input, "if r[P1]<=r[P3] goto P2", p4: .collation)
    case .greater: .init("Gt", .input, .jump, .input, "if r[P1]>r[P3] goto P2", p4: .collation)
    case .greaterOrEqual:
      .init("Ge", .input, .jump, .input, "if r[P1]>=r[P3] goto P2", p4: .collation)
    case .equalValue:
      .init("EqValue", .input, .output, .input, "r[P2]=r[P1]==r[P3]", p4: .collation)
    case .notEqualValue:
      .init("NeValue", .input, .output, .input, "r[P2]=r[P1]!=r[P3]", p4: .collation)
    case .lessValue: .init("LtValue", .input, .output, .input, "r[P2]=r[P1]<r[P3]", p4: .collation)
    case .lessOrEqualValue:
      .init("LeValue", .input, .output, .input, "r[P2]=r[P1]<=r[P3]", p4: .collation)
    case .greaterValue:
      .init("GtValue", .input, .output, .input, "r[P2]=r[P1]>r[P3]", p4: .collation)
    case .greaterOrEqualValue:
      .init("GeValue", .input, .output, .input, "r[P2]=r[P1]>=r[P3]", p4: .collation)
    case .compare:
      .init("Compare", .inputs, .inputs, .number, "r[P1@P3] <-> r[P2@P3]", p4: .keyInfo)

    case .function:
      .init("Function", .unused, .optionalInput, .output, "r[P3]=func(r[P2...])", p4: .functionCall)
    case .aggregateStart:
      .init("AggStart", .unused, .unused, .outputs, "accum=r[P3]", p4: .aggregateCall)
    case .aggregateStep:
      .init(
        "AggStep", .optionalOutput, .inputs, .outputs, "accum=r[P3] step(r[P2...])",
        p4: .aggregateCall)
    case .aggregateCount: .init("AggCount", .unused, .unused, .inputOutput, "r[P3]+=1")
    case .aggregateFinal:
      .init("AggFinal", .inputs, .output, .unused, "r[P2]=final(r[P1])", p4: .aggregateCall)
    case .makeRecord:
      .init(
        "MakeRecord", .inputs, .number, .output, "r[P3]=mkrec(r[P1@P2])", p4: .optionalAffinities)
    case .resultRow: .init("ResultRow", .inputs, .number, .unused, "output=r[P1@P2]")
    case .transaction:
      .init("Transaction", .database, .number, .number, "schema cookie P3", p4: .number)
    case .autocommit: .init("AutoCommit", .number, .unused, .unused, "")
    case .savepoint: .init("Savepoint", .number, .unused, .unused, "", p4: .text)
    case .headerValue: .init("ReadCookie", .database, .output, .number, "r[P2]=header field P3")
    case .setMeta: .init("SetCookie", .database, .number, .number, "header number P2=P3")
    case .schemaChanged: .init("ParseSchema", .database, .optionalInput, .number, "")
    case .objectDropped: .init("Dropped", .database, .number, .unused, "", p4: .text)
    case .perform: .init("Perform", .number, .database, .optionalOutput, "")

    case .createTree: .init("CreateBtree", .database, .output, .number, "r[P2]=root db=P1")
    case .destroyTree: .init("Destroy", .number, .output, .database, "root=P1 db=P3")
    case .clearTree: .init("Clear", .number, .database, .number, "root=P1 db=P2")

    case .openRead:
      .init("OpenRead", .cursor, .number, .database, "root=P2 db=P3", p4: .optionalKeyInfo)
    case .openWrite:
      .init("OpenWrite", .cursor, .number, .database, "root=P2 db=P3", p4: .optionalKeyInfo)
    case .close: .init("Close", .cursor, .unused, .unused, "")
    case .cursorLock: .init("CursorLock", .cursor, .unused, .unused, "")
    case .cursorUnlock: .init("CursorUnlock", .cursor, .unused, .unused, "")
    case .nullRow: .init("NullRow", .cursor, .unused, .unused, "")
    case .rewind: .init("Rewind", .cursor, .jump, .unused, "if empty goto P2")
    case .last: .init("Last", .cursor, .jump, .unused, "if empty goto P2")
    case .next: .init("Next", .cursor, .jump, .unused, "if another goto P2")
    case .previous: .init("Prev", .cursor, .jump, .unused, "if another goto P2")
    case .column:
      .init("Column", .cursor, .column, .output, "r[P3]=c[P1].column(P2)", p4: .optionalConstant)
    case .scanRow:
      .init("ScanRow", .cursor, .jump, .jump, "does all before P2, next: P3", p4: .rowScan)
    case .columns:
      .init(
        "Columns", .cursor, .column, .output, "r[P3]=c[P1].column(P2), P5 of them",
        p4: .optionalConstant)
    case .rowid: .init("Rowid", .cursor, .output, .unused, "r[P2]=c[P1].rowid")
    case .indexRowid: .init("IdxRowid", .cursor, .output, .unused, "r[P2]=c[P1].rowid")
    case .deferredSeek:
      .init(
        "DeferredSeek", .cursor, .unused, .cursor, "move c[P3] to c[P1].rowid if needed",
        p4: .columnMap)
    case .finishSeek: .init("FinishSeek", .cursor, .unused, .unused, "")
    case .seekRowid: .init("SeekRowid", .cursor, .jump, .input, "rowid=r[P3], if none goto P2")
    case .seekLess: .init("SeekLT", .cursor, .jump, .inputs, "key=r[P3@P4]", p4: .number)
    case .seekLessOrEqual: .init("SeekLE", .cursor, .jump, .inputs, "key=r[P3@P4]", p4: .number)
    case .seekGreaterOrEqual: .init("SeekGE", .cursor, .jump, .inputs, "key=r[P3@P4]", p4: .number)
    case .seekGreater: .init("SeekGT", .cursor, .jump, .inputs, "key=r[P3@P4]", p4: .number)
    case .indexLess: .init("IdxLT", .cursor, .jump, .inputs, "key=r[P3@P4]", p4: .number)
    case .indexLessOrEqual: .init("IdxLE", .cursor, .jump, .inputs, "key=r[P3@P4]", p4: .number)
    case .indexGreaterOrEqual: .init("IdxGE", .cursor, .jump, .inputs, "key=r[P3@P4]", p4: .number)
    case .indexGreater: .init("IdxGT", .cursor, .jump, .inputs, "key=r[P3@P4]", p4: .number)
    case .found: .init("Found", .cursor, .jump, .inputs, "key=r[P3@P4]", p4: .number)
    case .notFound: .init("NotFound", .cursor, .jump, .inputs, "key=r[P3@P4]", p4: .number)
    case .count: .init("Count", .cursor, .output, .unused, "r[P2]=count(c[P1])")
    case .noConflict: .init("NoConflict", .cursor, .jump, .inputs, "key=r[P3@P4]", p4: .number)
    case .seekHit: .init("SeekHit", .cursor, .number, .number, "set P2<=seekHit<=P3")
    case .ifNoHope: .init("IfNoHope", .cursor, .jump, .inputs, "key=r[P3@P4]", p4: .number)
    case .rowData: .init("RowData", .cursor, .output, .unused, "r[P2]=record of c[P1]")

    case .newRowid:
      .init("NewRowid", .cursor, .output, .optionalOutput, "r[P2]=rowid", p4: .number)
    case .announceChange:
      .init(
        "Preupdate", .cursor, .optionalInput, .optionalInput, "row=c[P1] new=r[P2...]",
        p4: .changedTable)
    case .insert:
      .init(
        "Insert", .cursor, .input, .input, "rowid=r[P3] record=r[P2]",
        p4: .optionalChangedTable)
    case .delete:
      .init("Delete", .cursor, .unused, .unused, "", p4: .optionalChangedTable)
    case .indexInsert:
      .init("IdxInsert", .cursor, .input, .inputs, "record=r[P2] key=r[P3@P4]", p4: .number)
    case .indexAppend: .init("IdxAppend", .cursor, .input, .unused, "record=r[P2]")
    case .indexDelete:
      .init("IdxDelete", .cursor, .inputs, .number, "key=r[P2@P3]", p4: .number)

    case .sorterOpen:
      .init("SorterOpen", .cursor, .number, .optionalInput, "P2 data columns", p4: .keyInfo)
    case .sorterRejects:
      .init("SorterRejects", .cursor, .jump, .inputs, "if keys r[P3...] lose goto P2")
    case .sorterInsert:
      .init("SorterInsert", .cursor, .inputs, .inputs, "keys=r[P2...] data=r[P3...]")
    case .sorterSort: .init("SorterSort", .cursor, .jump, .unused, "if empty goto P2")
    case .sorterNext: .init("SorterNext", .cursor, .jump, .unused, "if another goto P2")
    case .sorterDuplicate:
      .init("SorterDuplicate", .cursor, .jump, .unused, "if the keys are the last row's goto P2")
    case .sorterReset: .init("ResetSorter", .cursor, .unused, .unused, "")

    case .rowsOpen: .init("RowsOpen", .cursor, .number, .unused, "P2 columns")
    case .rowsShare: .init("RowsShare", .cursor, .cursor, .unused, "c[P1] reads c[P2]'s rows")
    case .rowsInsert: .init("RowsInsert", .cursor, .inputs, .number, "row=r[P2@P3]")
    case .rowsRewind: .init("RowsRewind", .cursor, .jump, .unused, "if empty goto P2")
    case .rowsNext: .init("RowsNext", .cursor, .jump, .unused, "if another goto P2")
    case .rowsTake: .init("RowsTake", .cursor, .outputs, .jump, "r[P2...]=oldest, if none goto P3")

    case .queueOpen:
      .init("QueueOpen", .cursor, .number, .unused, "P2 columns", p4: .keyInfo)
    case .queueInsert:
      .init("QueueInsert", .cursor, .inputs, .inputs, "keys=r[P2...] row=r[P3...]")
    case .queueTake:
      .init("QueueTake", .cursor, .outputs, .jump, "r[P2...]=first, if none goto P3")

    case .virtualOpen: .init("VOpen", .cursor, .unused, .unused, "", p4: .virtualScan)
    case .virtualFilter:
      .init(
        "VFilter", .cursor, .jump, .optionalInput, "c[P1]=P4(r[P3...]), if empty goto P2",
        p4: .virtualScan)
    case .virtualNext: .init("VNext", .cursor, .jump, .unused, "if another goto P2")
    case .virtualColumn: .init("VColumn", .cursor, .number, .output, "r[P3]=column P2")
    case .virtualList: .init("VInitIn", .cursor, .output, .unused, "r[P2]=all values of c[P1]")
    case .virtualBegin:
      .init("VBegin", .unused, .unused, .unused, "", p4: .optionalChangedTable)
    case .virtualUpdate:
      .init("VUpdate", .number, .number, .inputs, "data=r[P3@P2]", p4: .changedTable)
    case .virtualCreate: .init("VCreate", .number, .unused, .unused, "", p4: .text)
    case .virtualDestroy: .init("VDestroy", .unused, .unused, .unused, "", p4: .changedTable)
    case .virtualRename: .init("VRename", .input, .unused, .unused, "", p4: .changedTable)
    case .virtualCheck: .init("VCheck", .output, .number, .unused, "", p4: .changedTable)
    case .getSubtype: .init("GetSubtype", .input, .output, .unused, "r[P2]=subtype(r[P1])")
    case .setSubtype: .init("SetSubtype", .input, .inputOutput, .unused, "subtype(r[P2])=r[P1]")
    case .clearSubtype: .init("ClrSubtype", .inputOutput, .unused, .unused, "")

    case .setOpen: .init("SetOpen", .cursor, .unused, .unused, "", p4: .keyInfo)
    case .setInsert:
      .init("SetInsert", .cursor, .optionalJump, .inputs, "key=r[P3...], if known goto P2")
    case .setFound: .init("SetFound", .cursor, .jump, .inputs, "if r[P3...] in c[P1] goto P2")
    case .setNotFound:
      .init("SetNotFound", .cursor, .jump, .inputs, "if r[P3...] not in c[P1] goto P2")
    case .setMark: .init("SetMark", .cursor, .unused, .inputs, "key=r[P3...]")
    case .setRewind: .init("SetRewind", .cursor, .jump, .number, "if empty goto P2")
    case .setNext: .init("SetNext", .cursor, .jump, .number, "if another goto P2")
    case .setHasNoNull: .init("SetHasNoNull", .cursor, .jump, .unused, "if no NULL goto P2")
    case .setIsEmpty: .init("SetIsEmpty", .cursor, .jump, .unused, "if empty goto P2")

    case .joinOpen: .init("JoinOpen", .cursor, .number, .unused, "P2 data columns", p4: .keyInfo)
    case .joinInsert: .init("JoinInsert", .cursor, .inputs, .inputs, "keys=r[P2...] data=r[P3...]")
    case .joinSeek: .init("JoinSeek", .cursor, .jump, .inputs, "keys=r[P3...], if none goto P2")
    case .joinNext: .init("JoinNext", .cursor, .jump, .unused, "if another goto P2")

    case .filterOpen: .init("FilterOpen", .cursor, .number, .unused, "about P2 keys", p4: .keyInfo)
    case .filterAdd: .init("FilterAdd", .cursor, .inputs, .unused, "key=r[P2...]")
    case .filterTest:
      .init("Filter", .cursor, .jump, .inputs, "if r[P3...] not in c[P1] goto P2")

    case .groupOpen: .init("GroupOpen", .cursor, .unused, .unused, "", p4: .groupPlan)
    case .groupInsert: .init("GroupInsert", .cursor, .inputs, .unused, "row=r[P2...]")
    case .groupSort: .init("GroupSort", .cursor, .jump, .outputs, "r[P3...]=group, if none goto P2")
    case .groupNext: .init("GroupNext", .cursor, .jump, .outputs, "r[P3...]=group, goto P2")

    case .windowOpen: .init("WindowOpen", .cursor, .unused, .unused, "", p4: .windowPlan)
    case .windowInsert:
      .init("WindowInsert", .cursor, .jump, .inputs, "row=r[P3...], if not first goto P2")
    case .windowPeer: .init("WindowPeer", .cursor, .jump, .unused, "if newest is peer goto P2")
    case .windowOffset:
      .init("WindowOffset", .inputOutput, .number, .number, "fail unless r[P1] is an offset")
    case .windowEnd: .init("WindowEnd", .cursor, .unused, .optionalInput, "step end of frame")
    case .windowStart:
      .init("WindowStart", .cursor, .jump, .optionalInput, "step start, if no more goto P2")
    case .windowNeedsRows:
      .init("WindowNeedsRows", .cursor, .jump, .input, "if frame is incomplete goto P2")
    case .windowValues: .init("WindowValues", .cursor, .unused, .unused, "results of peers")
    case .windowRow: .init("WindowRow", .cursor, .outputs, .unused, "r[P2...]=row, results")
    case .windowNext:
      .init("WindowNext", .cursor, .jump, .optionalJump, "if no more goto P2, if peer goto P3")
    case .windowIfEmpty: .init("WindowIfEmpty", .cursor, .jump, .unused, "if empty goto P2")
    case .windowStep: .init("WindowStep", .cursor, .outputs, .inputs, "r[P2...]=results")
    case .windowReset: .init("WindowReset", .cursor, .unused, .unused, "")

    case .samplerOpen:
      .init("SamplerOpen", .cursor, .number, .inputs, "P2 columns, r[P3] entries", p4: .number)
    case .samplerAdd:
      .init("SamplerAdd", .cursor, .inputOutput, .input, "changed=r[P2] key=r[P3]")
    case .samplerSummary: .init("SamplerSummary", .cursor, .output, .unused, "r[P2]=stat of c[P1]")
    case .samplerNext:
      .init(
        "SamplerNext", .cursor, .jump, .outputs, "r[P3...]=sample, if none goto P2", p4: .number)
    case .ifSizeBetween:
      .init(
        "IfSizeBetween", .cursor, .jump, .number, "if P3<=size(c[P1])<=P4 goto P2", p4: .number)

    case .rowColumn:
      .init("RowColumn", .cursor, .column, .output, "r[P3]=c[P1].column(P2)")
    }
  }
}
