#if os(Linux) || os(Android)
  @testable import MartletEngine
  import Testing

  @Suite("Large memory") struct LargeMemoryTests {
    @Test("Sizes are powers of two, and whole huge pages from there on")
    func sizes() {
      let kilobytes = [
        (128, 128), (129, 256), (1_024, 1_024), (1_025, 2_048), (2_048, 2_048), (2_049, 4_096),
        (5_120, 6_144),
      ]
      for (asked, given) in kilobytes { #expect(LargeMemory.size(of: asked << 10) == given << 10) }
      #expect(LargeMemory.size(of: 1) == 128 << 10)
      #expect(LargeMemory.size(of: (128 << 10) + 1) == 256 << 10)
      #expect(LargeMemory.size(of: .max) > 1 << 62)
    }

    @Test("More than there is cannot be had")
    func tooLarge() {
      #expect(LargeMemory.allocate(.max) == nil)
      #expect(LargeMemory.allocate(1 << 60) == nil)
    }

    /// Other tests sort at the same time, and whoever meets another does without what is kept: only
    /// what each piece holds can be told.
    @Test("Pieces of all sizes are apart, hold what was written, and are zero where that is asked")
    func pieces() throws {
      var random = SystemRandomNumberGenerator()
      var pieces: [(memory: UnsafeMutableRawPointer, byteCount: Int, mark: UInt8)] = []
      for round in 0..<2_000 {
        if pieces.count < 12, Bool.random(using: &random) {
          let byteCount = (1 << Int.random(in: 17...22, using: &random)) + Int.random(in: 0..<3)
          let isZeroed = Bool.random(using: &random)
          let memory = try #require(LargeMemory.allocate(byteCount, isZeroed: isZeroed))
          let bytes = UnsafeRawBufferPointer(start: memory, count: byteCount)
          if isZeroed {
            #expect(stride(from: 0, to: byteCount, by: 509).allSatisfy { bytes[$0] == 0 })
            #expect(bytes[byteCount - 1] == 0)
          }
          let mark = UInt8(truncatingIfNeeded: round) | 1
          memory.initializeMemory(as: UInt8.self, repeating: mark, count: byteCount)
          pieces.append((memory, byteCount, mark))
        } else if let index = pieces.indices.randomElement(using: &random) {
          let (memory, byteCount, mark) = pieces.remove(at: index)
          let bytes = UnsafeRawBufferPointer(start: memory, count: byteCount)
          #expect(stride(from: 0, to: byteCount, by: 509).allSatisfy { bytes[$0] == mark })
          #expect(bytes[byteCount - 1] == mark)
          LargeMemory.free(memory, byteCount)
        }
        if round % 300 == 299 { LargeMemory.removeKept() }
      }
      for piece in pieces { LargeMemory.free(piece.memory, piece.byteCount) }
    }
  }
#endif
