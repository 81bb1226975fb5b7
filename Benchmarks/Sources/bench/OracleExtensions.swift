#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

// The functions of C's interface that make functions and collations, and what the workloads have of
// them: `bench_score(x, text)` and the collation `bench_bytes`.

private typealias Context = OpaquePointer
private typealias Values = UnsafeMutablePointer<OpaquePointer?>
private typealias FunctionBody = @convention(c) (Context?, Int32, Values?) -> Void
private typealias CollationFunction =
  @convention(c) (
    UnsafeMutableRawPointer?, Int32, UnsafeRawPointer?, Int32, UnsafeRawPointer?
  ) -> Int32

private struct ExtensionFunctions {
  typealias CreateFunction =
    @convention(c) (
      OpaquePointer, UnsafePointer<CChar>, Int32, Int32, UnsafeMutableRawPointer?,
      FunctionBody?, FunctionBody?, UnsafeRawPointer?
    ) -> Int32
  typealias CreateCollation =
    @convention(c) (
      OpaquePointer, UnsafePointer<CChar>, Int32, UnsafeMutableRawPointer?, CollationFunction?
    ) -> Int32

  let createFunction: CreateFunction
  let createCollation: CreateCollation
  let valueInt64: @convention(c) (OpaquePointer?) -> Int64
  let valueBytes: @convention(c) (OpaquePointer?) -> Int32
  let resultInt64: @convention(c) (Context?, Int64) -> Void

  init?(_ path: String) {
    guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL),
      let function = dlsym(library, "sqlite3_create_function"),
      let collation = dlsym(library, "sqlite3_create_collation"),
      let int64 = dlsym(library, "sqlite3_value_int64"),
      let bytes = dlsym(library, "sqlite3_value_bytes"),
      let result = dlsym(library, "sqlite3_result_int64")
    else { return nil }
    createFunction = unsafeBitCast(function, to: CreateFunction.self)
    createCollation = unsafeBitCast(collation, to: CreateCollation.self)
    valueInt64 = unsafeBitCast(
      int64, to: (@convention(c) (OpaquePointer?) -> Int64).self)
    valueBytes = unsafeBitCast(
      bytes, to: (@convention(c) (OpaquePointer?) -> Int32).self)
    resultInt64 = unsafeBitCast(
      result, to: (@convention(c) (Context?, Int64) -> Void).self)
  }

  /// Set before the first function is called.
  nonisolated(unsafe) static var shared: ExtensionFunctions?
}

extension OracleConnection {
  func defineExtensions() throws(BenchError) {
    if ExtensionFunctions.shared == nil {
      ExtensionFunctions.shared = ExtensionFunctions(library.path)
    }
    guard let functions = ExtensionFunctions.shared else {
      throw BenchError(engine: "C SQLite", message: "functions are missing")
    }
    let utf8AndDeterministic: Int32 = 1 | 0x800
    let body: FunctionBody = { context, _, values in
      guard let functions = ExtensionFunctions.shared, let values else { return }
      let number = functions.valueInt64(values[0])
      functions.resultInt64(context, number &* 3 &+ Int64(functions.valueBytes(values[1])))
    }
    let compare: CollationFunction = { _, leftCount, left, rightCount, right in
      guard let left, let right else { return leftCount - rightCount }
      let order = memcmp(left, right, Int(min(leftCount, rightCount)))
      return order != 0 ? order : leftCount - rightCount
    }
    guard
      functions.createFunction(handle, "bench_score", 2, utf8AndDeterministic, nil, body, nil, nil)
        == OracleCode.ok,
      functions.createCollation(handle, "bench_bytes", 1, nil, compare) == OracleCode.ok
    else { throw lastError }
  }
}
