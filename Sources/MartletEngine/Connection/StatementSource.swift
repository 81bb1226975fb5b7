/// What a statement keeps of the text that it was made of.
struct StatementSource {
  let text: SQLText
  /// First token to last token, EXPLAIN included, the semicolon not.
  let range: ByteRange
  /// Highest parameter number.
  let parameterCount: Int32
  let parameterNames: [(number: Int32, name: ByteSlice)]
  /// Literals that the program takes for parameters, which are numbered behind those of the text.
  let literalCount: Int

  init(_ parsed: ParsedStatement) {
    text = parsed.text
    range = parsed.range
    parameterCount = parsed.parameterCount
    parameterNames = parsed.parameterNames
    literalCount = 0
  }

  /// The statement up to the semicolon behind it, if there is one.
  var rangeWithSemicolon: ByteRange {
    var end = Int(range.end)
    while end < text.count, text.start[end] <= UInt8(ascii: " ") { end += 1 }
    guard end < text.count, text.start[end] == UInt8(ascii: ";") else { return range }
    return ByteRange(start: range.start, end: Int32(end + 1))
  }

  /// A statement without parameters whose literals are bound as such.
  init(text: SQLText, range: ByteRange, literalCount: Int) {
    self.text = text
    self.range = range
    parameterCount = 0
    parameterNames = []
    self.literalCount = literalCount
  }
}
