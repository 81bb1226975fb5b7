import Testing

@testable import MartletEngine

@Suite struct SortKeyTests {
  private enum Sample: Sendable {
    case null, integer(Int64), real(Double), text(String), blob([UInt8])

    func load(_ register: inout Register) throws {
      switch self {
      case .null: register.setNull()
      case .integer(let value): register.setInteger(value)
      case .real(let value): register.setReal(value)
      case .text(let value): try set(&register, .text, Array(value.utf8))
      case .blob(let value): try set(&register, .blob, value)
      }
    }

    private func set(_ register: inout Register, _ tag: StorageClass, _ bytes: [UInt8]) throws {
      try bytes.withUnsafeBufferPointer {
        try register.setOwned(tag, copying: $0.baseAddress ?? Register.emptyBytes, $0.count)
      }
    }
  }

  /// In ascending order; all different under BINARY.
  private static let ascending: [Sample] = [
    .null, .real(-.infinity), .integer(.min), .integer(.min + 1), .real(-1e300 / 1e290),
    .integer(-1), .real(-0.5), .integer(0), .real(.leastNonzeroMagnitude), .integer(1), .real(1.5),
    .integer(9_007_199_254_740_992), .integer(9_007_199_254_740_993),
    .integer(9_223_372_036_854_774_783), .real(9_223_372_036_854_774_784),
    .integer(.max), .real(9_223_372_036_854_775_808), .real(.infinity),
    .text(""), .text("\0"), .text("\0\0"), .text("a"), .text("a\0"), .text("a\u{1}"), .text("ab"),
    .text("é"), .blob([]), .blob([0]), .blob([0, 0]), .blob([0, 1]), .blob([255]),
  ]

  private func key(_ samples: [Sample], descending: Bool = false, bigNulls: Bool = false) throws
    -> [UInt8]
  {
    var key = SortKey(), register = Register()
    defer {
      key.deallocate()
      register.deinitialize()
    }
    let order = ColumnOrder(
      KeyInfo.Column(collation: .binary, isDescending: descending, hasBigNulls: bigNulls))
    for sample in samples {
      try sample.load(&register)
      try key.append(&register, order, encoding: .utf8)
    }
    return Array(key.buffer)
  }

  @Test func `the prefix of a column is the beginning of its key`() throws {
    var register = Register()
    defer { register.deinitialize() }
    let texts: [Sample] = [
      .text("eight by"), .text("seven b"), .text("\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}\u{1}"),
      .text("a NUL be\0hind"), .text("a NUL\0 in front"), .text("\u{7f}éééééé"),
    ]
    var known = 0
    for sample in SortKeyTests.ascending + texts {
      try sample.load(&register)
      for descending in [false, true] {
        let order = ColumnOrder(
          KeyInfo.Column(collation: .binary, isDescending: descending, hasBigNulls: false))
        guard let prefix = SortKey.prefix(ofColumn: &register, order) else { continue }
        let bytes = try key([sample], descending: descending).prefix(8)
        #expect(prefix == bytes.reduce(0) { $0 << 8 | UInt64($1) })
        known += 1
      }
    }
    let numbers = SortKeyTests.ascending.filter { sample in
      switch sample {
      case .integer, .real: true
      default: false
      }
    }
    #expect(known == 2 * (numbers.count + 4))
  }

  @Test func `byte order of keys is the order of the values`() throws {
    let keys = try SortKeyTests.ascending.map { try key([$0]) }
    for (left, right) in zip(keys, keys.dropFirst()) {
      #expect(left.lexicographicallyPrecedes(right))
    }
  }

  @Test func `descending keys have the opposite order`() throws {
    let keys = try SortKeyTests.ascending.map { try key([$0], descending: true) }
    for (left, right) in zip(keys, keys.dropFirst()) {
      #expect(right.lexicographicallyPrecedes(left))
    }
  }

  @Test func `a later column decides only between equal earlier ones`() throws {
    let longer = try key([.text("a\0"), .null])
    let shorter = try key([.text("a"), .blob([255, 255])])
    #expect(shorter.lexicographicallyPrecedes(longer))
  }

  @Test func `equal numbers have equal keys`() throws {
    #expect(try key([.integer(1)]) == key([.real(1)]))
    #expect(try key([.integer(0)]) == key([.real(-0.0)]))
    #expect(try key([.integer(1 << 62)]) == key([.real(0x1p62)]))
  }

  @Test func `big nulls change sides`() throws {
    let null = try key([.null], bigNulls: true)
    #expect(try key([.blob([255])], bigNulls: true).lexicographicallyPrecedes(null))
    let first = try key([.null], descending: true, bigNulls: true)
    #expect(try first.lexicographicallyPrecedes(key([.blob([255])], descending: true)))
  }
}
