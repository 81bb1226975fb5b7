/// The values of parameters that a statement is compiled for.
///
/// A statement is compiled before it is bound. Where the value of a parameter decides about the
/// plan, as the pattern of a LIKE does, or what samples are asked for, it is compiled again when
/// that parameter was bound.
final class PlanParameters {
  /// From number 1 on; nil while the statement is compiled for the first time.
  private let values: UnsafeMutablePointer<Register>?
  private let count: Int
  private let encoding: TextEncoding
  /// The parameters that were asked about.
  @exclusivity(unchecked) private(set) var asked: UInt64 = 0
  /// Indexes were looked at that are on expressions, or whose WHERE has literals: they serve
  /// statements with the same literals.
  @exclusivity(unchecked) private(set) var meetsLiterals = false

  init(values: UnsafeMutablePointer<Register>?, count: Int, encoding: TextEncoding) {
    self.values = values
    self.count = count
    self.encoding = encoding
  }

  /// Nothing was asked yet: for the next statement.
  func clear() {
    asked = 0
    meetsLiterals = false
  }

  /// The bit of a parameter in `asked`; those beyond share the last one.
  static func bit(_ number: Int) -> UInt64 { 1 << UInt64(min(max(number, 1), 64) - 1) }

  /// Notes an index that may serve the statement.
  func note(_ index: Index) {
    if meetsLiterals { return }
    meetsLiterals = index.hasExpressions || index.partialWhere?.hasValueLiteral == true
  }

  /// The value of a parameter, in `encoding`, if it is known. The plan depends on it from now on.
  func value(of number: Int, in encoding: TextEncoding) throws(SQLError) -> Register? {
    asked |= PlanParameters.bit(number)
    guard let values, number >= 1, number <= count else { return nil }
    var copy = Register()
    try copy.assign(from: values[number])
    if copy.tag == .text { try copy.changeEncoding(from: self.encoding, to: encoding) }
    return copy
  }

  /// The value of a parameter, if it is a text, in UTF-8.
  func text(of number: Int, in arena: SQLText) throws(SQLError) -> ByteSlice? {
    guard var copy = try value(of: number, in: .utf8) else { return nil }
    defer { copy.deinitialize() }
    guard copy.tag == .text else { return nil }
    let bytes = copy.byteBuffer
    let memory = try arena.allocateUnescaped(bytes.count)
    for (index, byte) in bytes.enumerated() { memory[index] = byte }
    return ByteSlice(start: UnsafePointer(memory), count: bytes.count)
  }
}
