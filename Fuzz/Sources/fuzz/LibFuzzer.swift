#if LIBFUZZER
  import MartletEngine

  @_silgen_name("LLVMFuzzerRunDriver")
  private func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ run: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
  ) -> Int32

  @_silgen_name("LLVMFuzzerMutate")
  private func mutateBytes(_ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int, _ most: Int) -> Int

  enum LibFuzzer {
    nonisolated(unsafe) fileprivate static var target = Target.sql

    /// All arguments but the first `skipped`, the target's name, are libFuzzer's.
    static func run(_ target: Target, skipping skipped: Int) -> Int32 {
      LibFuzzer.target = target
      let all = CommandLine.unsafeArgv
      all[skipped] = all[0]
      var rest: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = all + skipped
      var count = CommandLine.argc - Int32(skipped)
      return runDriver(&count, &rest) { bytes, count in
        LibFuzzer.target.run(UnsafeBufferPointer(start: bytes, count: count))
        return 0
      }
    }

    /// libFuzzer's own mutations.
    static func mutated(_ bytes: [UInt8], most: Int) -> [UInt8] {
      guard most > 0 else { return [] }
      var buffer = Array(bytes.prefix(most))
      let count = buffer.count
      buffer += repeatElement(0, count: most - count)
      let newCount = buffer.withUnsafeMutableBufferPointer {
        mutateBytes($0.baseAddress, count, most)
      }
      return Array(buffer.prefix(newCount))
    }
  }

  @_cdecl("LLVMFuzzerCustomMutator")
  public func customMutator(
    _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ most: Int, _ seed: UInt32
  ) -> Int {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    var mutation = Mutation(LibFuzzer.target, most: most, seed: UInt64(seed))
    let output = mutation.mutated(input).prefix(most)
    for (index, byte) in output.enumerated() { bytes[index] = byte }
    return output.count
  }
#endif
