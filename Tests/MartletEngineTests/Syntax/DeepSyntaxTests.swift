import Testing

@testable import MartletEngine

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Parses `sql` on a thread with the smallest stack that hosts give; debug frames are far larger.
private func messageOnSmallThread(_ sql: String) -> String {
  final class Job {
    let sql: String
    var message = "did not run"
    init(_ sql: String) { self.sql = sql }
    func run() { message = parseError(sql)?.message ?? "ok" }
  }
  #if DEBUG
    let stackSize = 64 << 20
  #else
    let stackSize = 512 << 10
  #endif
  let job = Job(sql)
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  pthread_attr_setstacksize(&attributes, stackSize)
  #if canImport(Glibc)
    var thread = pthread_t()
    pthread_create(
      &thread, &attributes,
      { argument in
        if let argument { Unmanaged<Job>.fromOpaque(argument).takeUnretainedValue().run() }
        return nil
      }, Unmanaged.passUnretained(job).toOpaque())
    pthread_join(thread, nil)
  #else
    var thread: pthread_t?
    pthread_create(
      &thread, &attributes,
      { argument in
        Unmanaged<Job>.fromOpaque(argument).takeUnretainedValue().run()
        return nil
      }, Unmanaged.passUnretained(job).toOpaque())
    if let thread { pthread_join(thread, nil) }
  #endif
  return job.message
}

struct DeepSyntaxTests {
  /// What opens a level, what stands inside, what closes a level, and SQLite's deepest.
  @Test(arguments: [
    ("SELECT ", "(", "1", ")", 2_490), ("SELECT ", "abs(", "1", ")", 830),
    ("SELECT ", "CASE WHEN 1 THEN ", "1", " END", 498), ("SELECT ", "- ", "1", "", 999),
    ("SELECT ", "CAST(", "1", " AS int)", 999), ("SELECT ", "1 IN (2, ", "1", ")", 498),
    ("SELECT ", "CASE ", "1", " WHEN 1 THEN 1 END", 999), ("SELECT ", "1 AND ", "1", "", 999),
    ("SELECT ", "* FROM (SELECT ", "1", ")", 415), ("SELECT * FROM ", "(", "t", ")", 1_245),
    ("", "WITH a AS (", "SELECT 1", ") SELECT 1", 498), ("SELECT ", "(SELECT ", "1", ")", 498),
    ("SELECT ", "f(1,", "1", ")", 498), ("SELECT ", "(1,", "1", ")", 830),
  ])
  func `what SQLite nests deepest is parsed on a small stack, and more is refused`(
    prefix: String, opening: String, inside: String, closing: String, deepest: Int
  ) {
    func nested(_ count: Int) -> String {
      prefix + String(repeating: opening, count: count) + inside
        + String(repeating: closing, count: count)
    }
    #expect(messageOnSmallThread(nested(deepest)) == "ok")
    let refusals = ["Recursion limit", "Expression tree is too large (maximum depth 1000)"]
    #expect(refusals.contains(messageOnSmallThread(nested(deepest + 10))))
    #expect(refusals.contains(messageOnSmallThread(nested(100_000))))
  }
}
