#if LIBFUZZER
  /// Makes the checksums of damaged journals and logs fit again, so that their pages are used.
  enum Seal {
    private static func number(_ bytes: [UInt8], _ offset: Int, isBig: Bool = true) -> UInt32 {
      var number: UInt32 = 0
      for index in 0..<4 {
        number = number << 8 | UInt32(bytes[offset + (isBig ? index : 3 - index)])
      }
      return number
    }

    private static func put(_ number: UInt32, _ offset: Int, _ bytes: inout [UInt8]) {
      for index in 0..<4 {
        bytes[offset + index] = UInt8(truncatingIfNeeded: number >> (24 - 8 * UInt32(index)))
      }
    }

    /// fileformat2 §3: each page is summed up at every 200th byte from its end on.
    static func journal(_ bytes: inout [UInt8], pageSize: Int) {
      guard bytes.count > 28 else { return }
      let nonce = number(bytes, 12), sector = Int(number(bytes, 20))
      guard (28...65_536).contains(sector) else { return }
      var record = sector
      while record + pageSize + 8 <= bytes.count {
        var sum = nonce
        var place = pageSize - 200
        while place > 0 {
          sum &+= UInt32(bytes[record + 4 + place])
          place -= 200
        }
        put(sum, record + 4 + pageSize, &bytes)
        record += pageSize + 8
      }
    }

    /// fileformat2 §4.2: header and frames are one chain of sums; salts are the header's.
    static func log(_ bytes: inout [UInt8]) {
      guard bytes.count >= 32 else { return }
      let isBig = bytes[3] & 1 == 1
      let pageSize = Int(number(bytes, 8))
      guard (512...65_536).contains(pageSize), pageSize & (pageSize - 1) == 0 else { return }
      var sums: (UInt32, UInt32) = (0, 0)
      func add(_ range: Range<Int>) {
        for offset in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
          sums.0 &+= number(bytes, offset, isBig: isBig) &+ sums.1
          sums.1 &+= number(bytes, offset + 4, isBig: isBig) &+ sums.0
        }
      }
      add(0..<24)
      put(sums.0, 24, &bytes)
      put(sums.1, 28, &bytes)
      var frame = 32
      while frame + 24 + pageSize <= bytes.count {
        for index in 0..<8 { bytes[frame + 8 + index] = bytes[16 + index] }
        add(frame..<frame + 8)
        add(frame + 24..<frame + 24 + pageSize)
        put(sums.0, frame + 16, &bytes)
        put(sums.1, frame + 20, &bytes)
        frame += 24 + pageSize
      }
    }
  }
#endif
