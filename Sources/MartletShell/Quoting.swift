// How values look in each quoting. Text is bytes throughout: invalid UTF-8 is passed on as it is.

/// SQL text as a literal; with control characters as `unistr('…\u001b…')`.
func sqlLiteral(_ text: ArraySlice<UInt8>) -> [UInt8] {
  var literal: [UInt8] = []
  text.withUnsafeBytes { literal.append(sqlText: $0) }
  return literal
}

/// `x'0aff'`.
func blobLiteral(_ blob: ArraySlice<UInt8>) -> [UInt8] {
  var literal: [UInt8] = []
  blob.withUnsafeBytes { literal.append(sqlBlob: $0) }
  return literal
}

/// Text as an SQL literal only where it would be taken for something else without quotes.
func relaxedLiteral(_ text: ArraySlice<UInt8>, nullText: String) -> [UInt8] {
  guard let first = text.first, let last = text.last else { return [] }
  let isSpaced = isSpace(first) || isSpace(last)
  let isQuoted = first == UInt8(ascii: "'")
  let isBlobLike =
    (first | 0x20) == UInt8(ascii: "x") && text.dropFirst().first == UInt8(ascii: "'")
  let isNullLike = text.elementsEqual(nullText.utf8)
  let isAmbiguous = isSpaced || isQuoted || isBlobLike || isNullLike || looksNumeric(text)
  return isAmbiguous ? sqlLiteral(text) : caretEscaped(text)
}

private func looksNumeric(_ text: ArraySlice<UInt8>) -> Bool {
  var rest = text
  func dropDigits() -> Int {
    let digits = rest.prefix { isDigit($0) }
    rest = rest.dropFirst(digits.count)
    return digits.count
  }
  if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
    rest = rest.dropFirst()
  }
  guard dropDigits() > 0 else { return false }
  if rest.first == UInt8(ascii: ".") {
    rest = rest.dropFirst()
    _ = dropDigits()
  }
  if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
    rest = rest.dropFirst()
    if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
      rest = rest.dropFirst()
    }
    guard dropDigits() > 0 else { return false }
  }
  return rest.isEmpty
}

/// A field of a CSV file (RFC 4180), quoted where a reader could need it.
func csvField(
  _ text: ArraySlice<UInt8>, separator: String, escaped: (ArraySlice<UInt8>) -> [UInt8]
) -> [UInt8] {
  let quote = UInt8(ascii: "\"")
  let separatorBytes = Array(separator.utf8)
  let isPlain = text.allSatisfy {
    $0 > 0x20 && $0 < 0x7f && $0 != quote && $0 != UInt8(ascii: "'")
  }
  if isPlain, !text.isEmpty, !contains(text, separatorBytes) { return Array(text) }
  return [quote] + escaped(text).flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
}

private func contains(_ text: ArraySlice<UInt8>, _ part: [UInt8]) -> Bool {
  guard !part.isEmpty, text.count >= part.count else { return false }
  return text.indices.contains { text[$0...].starts(with: part) }
}

/// A JSON string; the bytes of a blob each become `\u00XX`.
func jsonString(_ bytes: ArraySlice<UInt8>, isBlob: Bool) -> [UInt8] {
  var result: [UInt8] = [UInt8(ascii: "\"")]
  for byte in bytes {
    if isBlob {
      result += Array("\\u00".utf8) + hexadecimalDigits(byte)
      continue
    }
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): result += [UInt8(ascii: "\\"), byte]
    case 8: result += Array("\\b".utf8)
    case 9: result += Array("\\t".utf8)
    case 10: result += Array("\\n".utf8)
    case 12: result += Array("\\f".utf8)
    case 13: result += Array("\\r".utf8)
    case 0..<0x20: result += Array("\\u00".utf8) + hexadecimalDigits(byte)
    default: result.append(byte)
    }
  }
  return result + [UInt8(ascii: "\"")]
}

/// A C string literal; the bytes of a blob each become an octal escape.
func cString(_ bytes: ArraySlice<UInt8>, isBlob: Bool) -> [UInt8] {
  var result: [UInt8] = [UInt8(ascii: "\"")]
  for byte in bytes {
    if isBlob {
      result += Array(("\\" + octal(byte)).utf8)
      continue
    }
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): result += [UInt8(ascii: "\\"), byte]
    case 8: result += Array("\\b".utf8)
    case 9: result += Array("\\t".utf8)
    case 10: result += Array("\\n".utf8)
    case 12: result += Array("\\f".utf8)
    case 13: result += Array("\\r".utf8)
    case 0..<0x20: result += Array(("\\" + octal(byte)).utf8)
    default: result.append(byte)
    }
  }
  return result + [UInt8(ascii: "\"")]
}

func htmlText(_ text: ArraySlice<UInt8>) -> [UInt8] {
  text.flatMap { byte -> [UInt8] in
    switch byte {
    case UInt8(ascii: "<"): Array("&lt;".utf8)
    case UInt8(ascii: ">"): Array("&gt;".utf8)
    case UInt8(ascii: "&"): Array("&amp;".utf8)
    case UInt8(ascii: "\""): Array("&quot;".utf8)
    case UInt8(ascii: "'"): Array("&#39;".utf8)
    default: [byte]
    }
  }
}

/// Control characters as `^X`, so that content cannot steer the terminal (climode §4).
///
/// Tab, line feed and carriage return before line feed stay.
func caretEscaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
  guard text.contains(where: { $0 < 0x20 }) else { return Array(text) }
  var result: [UInt8] = []
  for index in text.indices {
    let byte = text[index]
    let endsLine = byte == 13 && text[(index + 1)...].first == 10
    if byte >= 0x20 || byte == 9 || byte == 10 || endsLine {
      result.append(byte)
    } else {
      result += [UInt8(ascii: "^"), byte + 0x40]
    }
  }
  return result
}

/// The same as pictures of the control characters, `␛` for U+001B.
func symbolEscaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
  guard text.contains(where: { $0 < 0x20 }) else { return Array(text) }
  var result: [UInt8] = []
  for index in text.indices {
    let byte = text[index]
    let endsLine = byte == 13 && text[(index + 1)...].first == 10
    if byte >= 0x20 || byte == 9 || byte == 10 || endsLine {
      result.append(byte)
    } else {
      result += [0xe2, 0x90, 0x80 + byte]
    }
  }
  return result
}

/// A name as it stands in an INSERT statement: in double quotes where SQL needs them.
func identifier(_ name: String) -> String {
  let isWord = name.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
  let startsWell = name.utf8.first.map { !isDigit($0) } ?? false
  if isWord, startsWell, !sqlKeywords.contains(name.uppercased()) { return name }
  return quotedName(name)
}

func hexadecimalDigits(_ byte: UInt8) -> [UInt8] {
  let digits = Array("0123456789abcdef".utf8)
  return [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
}

func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (9...13).contains(byte) }

func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

func isLetter(_ byte: UInt8) -> Bool {
  (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
}

/// The keywords of SQL (lang_keywords).
private let sqlKeywords: Set<String> = Set(
  """
  ABORT ACTION ADD AFTER ALL ALTER ALWAYS ANALYZE AND AS ASC ATTACH AUTOINCREMENT BEFORE BEGIN \
  BETWEEN BY CASCADE CASE CAST CHECK COLLATE COLUMN COMMIT CONFLICT CONSTRAINT CREATE CROSS \
  CURRENT CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP DATABASE DEFAULT DEFERRABLE DEFERRED DELETE \
  DESC DETACH DISTINCT DO DROP EACH ELSE END ESCAPE EXCEPT EXCLUDE EXCLUSIVE EXISTS EXPLAIN FAIL \
  FILTER FIRST FOLLOWING FOR FOREIGN FROM FULL GENERATED GLOB GROUP GROUPS HAVING IF IGNORE \
  IMMEDIATE IN INDEX INDEXED INITIALLY INNER INSERT INSTEAD INTERSECT INTO IS ISNULL JOIN KEY LAST \
  LEFT LIKE LIMIT MATCH MATERIALIZED NATURAL NO NOT NOTHING NOTNULL NULL NULLS OF OFFSET ON OR \
  ORDER OTHERS OUTER OVER PARTITION PLAN PRAGMA PRECEDING PRIMARY QUERY RAISE RANGE RECURSIVE \
  REFERENCES REGEXP REINDEX RELEASE RENAME REPLACE RESTRICT RETURNING RIGHT ROLLBACK ROW ROWS \
  SAVEPOINT SELECT SET TABLE TEMP TEMPORARY THEN TIES TO TRANSACTION TRIGGER UNBOUNDED UNION \
  UNIQUE UPDATE USING VACUUM VALUES VIEW VIRTUAL WHEN WHERE WINDOW WITH WITHIN WITHOUT
  """.split(separator: " ").map(String.init))
