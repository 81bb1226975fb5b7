import Foundation

/// What the command line asks for.
struct BenchOptions {
  enum Only: String { case martlet, c }

  /// What the workloads are about.
  enum Kind: String, CaseIterable { case reading, writing, wal, threads, search }

  var kind = Kind.reading
  var filter: String?
  /// Only the workload of that name.
  var workload: String?
  var rows = 200_000
  /// Threads on one file.
  var threads = 8
  /// Search: documents and boxes.
  var documents = 100_000
  var boxes = 1_000_000
  /// Several numbers of rows: how cost and memory grow with them.
  var sizes: [Int] = []
  /// Statements on the changed table that are kept while a writing workload runs.
  var keptCount = 0
  var pairs = 7
  var json: String?
  var svg: String?
  /// A chart of all kinds.
  var overview: String?
  var dataFolder: String?
  var comparison: (before: String, after: String)?
  /// Run one engine alone, without a table: for profilers.
  var only: Only?
  var iterations = 1

  static let usage = """
    usage: bench [OPTIONS]

    Runs reading workloads on Martlet and on C SQLite ($MARTLET_ORACLE/libsqlite3.so.0, else the
    system's): same SQL, same data, prepared statements, every column read. OPTIONS:
      --writing              writing workloads instead: same changes to equal files
      --wal                  databases in WAL mode: commits, readers, checkpoints
      --threads N            N threads with connections of their own on one file
      --search               full-text indexes and R-trees
      --filter TEXT          only workloads whose name contains TEXT
      --workload NAME        only the workload of that name
      --rows N               rows of the largest table (200000)
      --rows N,M,…           cost per row and peak of memory as the tables grow
      --kept N               writing: while N prepared statements are kept (0)
      --documents N          search: documents of 200 words (100000)
      --boxes N              search: boxes in the R-tree (1000000)
      --pairs N              how often both engines run, in turns (7)
      --json FILE            write the results
      --svg FILE             write a chart of them
      --overview FILE        measure all of these kinds and write one chart
      --compare A B          compare two files that --json wrote, and do nothing else
      --data FOLDER          keep the databases there, and use them again
      --engine martlet|c     run one engine only …
      --iterations N         … N times, for a profiler

    The last line is `geomean R`: the geometric mean of Martlet's time over C's.
    """

  /// Whether a workload is to be run.
  func wants(_ name: String) -> Bool {
    workload.map { $0 == name } ?? filter.map(name.contains) ?? true
  }

  /// A folder for the databases of a run, which the caller removes.
  func makeFolder(_ purpose: String) throws -> URL {
    let parent =
      dataFolder.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
    let folder = parent.appendingPathComponent("martlet-\(purpose)-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// nil where the arguments make no sense.
  init?(_ arguments: [String]) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if let kind = Kind(rawValue: String(argument.dropFirst(2))), argument.hasPrefix("--") {
        self.kind = kind
        if kind != .threads { continue }
      }
      guard let value = rest.popFirst() else { return nil }
      switch argument {
      case "--filter": filter = value
      case "--workload": workload = value
      case "--kept":
        guard let number = Int(value), number >= 0 else { return nil }
        keptCount = number
      case "--rows" where value.contains(","):
        sizes = value.split(separator: ",").compactMap { Int($0) }.filter { $0 > 0 }
        if sizes.isEmpty { return nil }
      case "--json": json = value
      case "--svg": svg = value
      case "--overview": overview = value
      case "--data": dataFolder = value
      case "--compare":
        guard let after = rest.popFirst() else { return nil }
        comparison = (value, after)
      case "--engine":
        guard let engine = Only(rawValue: value) else { return nil }
        only = engine
      case "--rows", "--pairs", "--iterations", "--documents", "--boxes", "--threads":
        guard let number = Int(value), number > 0, number <= Int32.max else { return nil }
        set(argument, number)
      default: return nil
      }
    }
  }

  private mutating func set(_ option: String, _ number: Int) {
    switch option {
    case "--rows": rows = number
    case "--documents": documents = number
    case "--threads": threads = number
    case "--boxes": boxes = number
    case "--pairs": pairs = max(number, 7)
    default: iterations = number
    }
  }
}
