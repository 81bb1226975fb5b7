/// What the command line asks for.
struct Options {
  var command = ""
  var seed: UInt64 = 1
  var count = 0
  var seeds = 200
  var jobs = 2
  /// Seconds that a batch of damaged files may take.
  var limit = 60
  /// How many of the differences that are explained are shown.
  var explained = 0
  /// Seconds for making a difference of lockstep smaller.
  var shrink = 25
  /// What `share` does: for how long, how many processes, with what pages, how many kills.
  var seconds = 10
  var processes = 8
  var pageSize = 0
  var kill = 0
  /// What one of its processes is.
  var role = ""
  var engine = ""
  var worker = 0
  var caseFolder = "torture-cases"
  /// Lockstep in WAL mode, with a second connection of each engine that reads.
  var isWAL = false
  /// Mostly virtual tables that search: in lockstep; only files with them: in damage.
  var isSearch = false
  var path = ""

  static let usage = """
    usage: torture lockstep [--seed S] [--count N] [--seeds K] [--jobs J] [--cases FOLDER]
                            [--explained N] [--shrink SECONDS] [--wal] [--search]
           torture damage [--seed S] [--count N] [--jobs J] [--limit SECONDS] [--cases FOLDER]
                          [--search]
           torture json [--seed S] [--count N] [--seeds K] [--jobs J] [--cases FOLDER]
           torture mutate [--seed S] [--count N] [--seeds K] [--jobs J] SCRIPTS
           torture savepoints [--seed S] [--count N] [--seeds K] [--jobs J] [--cases FOLDER]
           torture interleave [--seed S] [--count N] [--jobs J] [--cases FOLDER]
                              [--explained N] [CASE]
           torture share [--seconds S | --kill ROUNDS] [--seed S] [--processes P]
                         [--page-size BYTES] [--cases FOLDER]
           torture deep

    lockstep  runs N random statements over K seeds, from S on, on Martlet and on C SQLite; what
              differs is shrunk into a script in FOLDER; shows N of those that are explained;
              --wal: in WAL mode, beside a second connection that reads and checkpoints;
              --search: mostly about full-text tables and R-trees
    damage    reads and writes N damaged database files with both engines; files that crash or hang
              Martlet, or on which it errs, are kept in FOLDER; --search: files with full-text
              tables and R-trees, whose shadow tables are damaged
    json      runs N random calls of JSON functions over K seeds on both engines
    mutate    compiles N broken statements made of the scripts in the folder SCRIPTS; crashes, and
              statements that only one engine takes, are printed
    savepoints runs N steps over K seeds of savepoints, rollbacks, vacuums and changes on temporary
              databases, in memory and in files, against C SQLite and a model of the rows
    interleave runs N steps of up to three connections to one file on both engines, or those of a CASE
              that it has written; shows N differences of each kind that are explained
    share     runs P processes of both engines on one file, which read, write, checkpoint and change
              the journal mode, for S seconds; or kills some of them ROUNDS times; what readers see
              has to be one snapshot, and every commit has to be there
    deep      runs the deepest statements that the limits allow on a stack of 512 KB

    MARTLET_ORACLE names the folder with C SQLite. The exit status is 1 after a difference.
    """

  /// nil, with a message in `problem`, when the arguments make no sense.
  init?(_ arguments: [String], problem: inout String) {
    var rest = arguments[...]
    guard let command = rest.popFirst() else {
      problem = "no command"
      return nil
    }
    self.command = command
    while let argument = rest.popFirst() {
      guard argument.hasPrefix("--") else {
        path = argument
        continue
      }
      if argument == "--wal" || argument == "--search" {
        isWAL = isWAL || argument == "--wal"
        isSearch = isSearch || argument == "--search"
        continue
      }
      guard let value = rest.popFirst(), set(argument, value) else {
        problem = "\(argument) makes no sense"
        return nil
      }
    }
  }

  private mutating func set(_ option: String, _ value: String) -> Bool {
    switch option {
    case "--cases": caseFolder = value
    case "--role": role = value
    case "--engine": engine = value
    default: return setNumber(option, value)
    }
    return true
  }

  private mutating func setNumber(_ option: String, _ value: String) -> Bool {
    guard let number = UInt64(value) else { return false }
    switch option {
    case "--seed": seed = number
    case "--count": count = Int(clamping: number)
    case "--seeds": seeds = Int(clamping: number)
    case "--limit": limit = max(Int(clamping: number), 1)
    case "--shrink": shrink = Int(clamping: number)
    case "--explained": explained = Int(clamping: number)
    case "--seconds": seconds = Int(clamping: number)
    case "--processes": processes = Int(clamping: number)
    case "--page-size": pageSize = Int(clamping: number)
    case "--kill": kill = Int(clamping: number)
    case "--worker": worker = Int(clamping: number)
    case "--jobs": jobs = max(Int(clamping: number), 1)
    default: return false
    }
    return true
  }
}
