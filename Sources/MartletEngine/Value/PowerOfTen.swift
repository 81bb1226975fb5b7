/// Powers of ten as 96-bit binary fractions, for conversions between decimal and binary.
///
/// 10^p is about `high.low * 2^(floorLog2(p) - 63)`. A power is the product of a multiple-of-27
/// power, of which 96 bits are stored, and a power below 27, which fits 64 bits. From 10^0 to 10^26
/// it is exact and `low` is 0.
enum PowerOfTen {
  static let smallestExponent = -348
  static let largestExponent = 347

  /// floor(log2(10^exponent))
  @inline(__always)
  static func floorLog2(_ exponent: Int) -> Int { (exponent &* 108_853) >> 15 }

  /// floor(log10(2^exponent))
  @inline(__always)
  static func floorLog10(ofPowerOfTwo exponent: Int) -> Int { (exponent &* 78_913) >> 18 }

  /// The 96 leading bits of 10^exponent; `exponent` must be within the two limits.
  @inline(__always)
  static func leadingBits(_ exponent: Int) -> (high: UInt64, low: UInt32) {
    assert(exponent >= smallestExponent && exponent <= largestExponent)
    let shifted = exponent &+ 351
    let scaleIndex = shifted / 27, baseIndex = shifted % 27
    let base = bases[baseIndex]
    if scaleIndex == 13 { return (base, 0) }
    let high = scales[scaleIndex], low = scaleTails[scaleIndex]
    if baseIndex == 0 { return (high, low) }
    let upper = high.multipliedFullWidth(by: base)
    // A 32-bit by 64-bit product, of which the bits above 2^32 count.
    let tail = (UInt64(low) << 32).multipliedFullWidth(by: base).high
    let (middle, carry) = upper.low.addingReportingOverflow(tail)
    let top = upper.high &+ (carry ? 1 : 0)
    if top >> 63 != 0 { return (top, UInt32(truncatingIfNeeded: middle >> 32)) }
    return (top << 1 | middle >> 63, UInt32(truncatingIfNeeded: middle >> 31) | 1)
  }

  /// 10^(27k) for k from -13 to 12.
  private static let scales: [UInt64] = [
    0x8049a4ac0c5811ae,  // 10^-351
    0xcf42894a5dce35ea,  // 10^-324
    0xa76c582338ed2621,  // 10^-297
    0x873e4f75e2224e68,  // 10^-270
    0xda7f5bf590966848,  // 10^-243
    0xb080392cc4349dec,  // 10^-216
    0x8e938662882af53e,  // 10^-189
    0xe65829b3046b0afa,  // 10^-162
    0xba121a4650e4ddeb,  // 10^-135
    0x964e858c91ba2655,  // 10^-108
    0xf2d56790ab41c2a2,  // 10^-81
    0xc428d05aa4751e4c,  // 10^-54
    0x9e74d1b791e07e48,  // 10^-27
    0x8000000000000000,  // 10^0
    0xcecb8f27f4200f3a,  // 10^27
    0xa70c3c40a64e6c51,  // 10^54
    0x86f0ac99b4e8dafd,  // 10^81
    0xda01ee641a708de9,  // 10^108
    0xb01ae745b101e9e4,  // 10^135
    0x8e41ade9fbebc27d,  // 10^162
    0xe5d3ef282a242e81,  // 10^189
    0xb9a74a0637ce2ee1,  // 10^216
    0x95f83d0a1fb69cd9,  // 10^243
    0xf24a01a73cf2dccf,  // 10^270
    0xc3b8358109e84f07,  // 10^297
    0x9e19db92b4e31ba9,  // 10^324
  ]

  /// The next 32 bits of `scales`, rounded.
  private static let scaleTails: [UInt32] = [
    0x205b896d, 0x52064cad, 0xaf2af2b8, 0x5a7744a7, 0xaf39a475, 0xbd8d794e, 0x547eb47b,
    0x0cb4a5a3, 0x92f34d62, 0x3a6a07f9, 0xfae27299, 0xaa97e14c, 0x775ea265, 0x00000000,
    0x00000000, 0x999090b6, 0x69a028bb, 0xe80e6f48, 0x5ec05dd0, 0x14588f14, 0x8f1668c9,
    0x6d953e2c, 0x4abdaf10, 0xbc633b39, 0x0a862f81, 0x6c07a2c2,
  ]

  /// 10^n for n from 0 to 26, shifted so that the top bit is set; exact.
  private static let bases: [UInt64] = [
    0x8000000000000000,  // 10^0
    0xa000000000000000,  // 10^1
    0xc800000000000000,  // 10^2
    0xfa00000000000000,  // 10^3
    0x9c40000000000000,  // 10^4
    0xc350000000000000,  // 10^5
    0xf424000000000000,  // 10^6
    0x9896800000000000,  // 10^7
    0xbebc200000000000,  // 10^8
    0xee6b280000000000,  // 10^9
    0x9502f90000000000,  // 10^10
    0xba43b74000000000,  // 10^11
    0xe8d4a51000000000,  // 10^12
    0x9184e72a00000000,  // 10^13
    0xb5e620f480000000,  // 10^14
    0xe35fa931a0000000,  // 10^15
    0x8e1bc9bf04000000,  // 10^16
    0xb1a2bc2ec5000000,  // 10^17
    0xde0b6b3a76400000,  // 10^18
    0x8ac7230489e80000,  // 10^19
    0xad78ebc5ac620000,  // 10^20
    0xd8d726b7177a8000,  // 10^21
    0x878678326eac9000,  // 10^22
    0xa968163f0a57b400,  // 10^23
    0xd3c21bcecceda100,  // 10^24
    0x84595161401484a0,  // 10^25
    0xa56fa5b99019a5c8,  // 10^26
  ]
}
