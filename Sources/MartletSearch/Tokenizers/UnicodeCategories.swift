import MartletEngine

/// Unicode's general categories, as full-text search knows them (fts5 §4.3.1): those of the
/// characters that Unicode's data lists one by one. The others, as most Chinese characters, have
/// none, and are tokens whatever categories are asked for.
enum UnicodeCategories {
  /// Bit n of a mask of categories stands for the name before n.
  private static let names = [
    "Cc", "Cf", "Cn", "Cs", "Co", "Ll", "Lm", "Lo", "Lt", "Lu", "Mc", "Me", "Mn", "Nd", "Nl", "No",
    "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "Sc", "Sk", "Sm", "So", "Zl", "Zp", "Zs",
  ]

  /// A mask of category names, with a space or tab between them; `*` stands for all second letters.
  /// `LC` is a name, as in SQLite, but stands for none.
  ///
  /// - Throws: `error` for what is none.
  static func mask(_ text: String) throws -> UInt32 {
    // No category at all.
    var mask: UInt32 = 1
    for word in text.utf8.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 }) {
      // Letters behind the second mean nothing.
      let name = String(decoding: word.prefix(2), as: UTF8.self)
      if name == "LC" { continue }
      let isAll = name.utf8.count == 2 && name.utf8.last == 0x2a
      let known = names.indices.filter { index in
        isAll ? names[index].first == name.first : names[index] == name
      }
      if known.isEmpty { throw SQLError.tokenizerConstructor }
      for index in known { mask |= 1 << UInt32(index + 1) }
    }
    return mask
  }

  /// Whether a code point's category is one of the mask.
  @inline(__always)
  static func contains(_ scalar: UInt32, _ mask: UInt32) -> Bool {
    mask >> UInt32(category(of: scalar)) & 1 != 0
  }

  private static func category(of scalar: UInt32) -> UInt8 {
    scalar < limit ? table[scalar] : 0
  }

  private static let limit: UInt32 = 1 << 20

  private static let table: ScalarTable<UInt8> = {
    var table = ScalarTable<UInt8>(limit: limit)
    var scalar: UInt32 = 0, category: UInt8 = 0, count: UInt32 = 0
    func finish() {
      for _ in 0..<max(count, 1) where scalar < limit {
        table[scalar] = category
        scalar += 1
      }
      count = 0
    }
    var isFirst = true
    for byte in UnsafeBufferPointer(start: runs.utf8Start, count: runs.utf8CodeUnitCount)
    where byte > 0x20 {
      if byte < 0x40 {
        count = count &* 10 &+ UInt32(byte & 15)
      } else {
        if !isFirst { finish() }
        isFirst = false
        // There are six other characters between Z and a.
        category = byte < 0x60 ? byte - 0x41 : byte - 0x47
      }
    }
    finish()
    return table
  }()
}

/// A value for each code point below a limit: pages of 256, of which those that were never set are
/// the same.
struct ScalarTable<Element: FixedWidthInteger & Sendable>: Sendable {
  private var pages: [UInt16]
  private var elements: [Element]

  init(limit: UInt32) {
    pages = Array(repeating: 0, count: Int(limit >> 8))
    elements = Array(repeating: 0, count: 256)
  }

  subscript(scalar: UInt32) -> Element {
    get { elements[Int(pages[Int(scalar >> 8)]) << 8 | Int(scalar & 255)] }
    set {
      let page = Int(scalar >> 8)
      if pages[page] == 0 {
        if newValue == 0 { return }
        pages[page] = UInt16(elements.count >> 8)
        elements += Array(repeating: 0, count: 256)
      }
      elements[Int(pages[page]) << 8 | Int(scalar & 255)] = newValue
    }
  }
}
