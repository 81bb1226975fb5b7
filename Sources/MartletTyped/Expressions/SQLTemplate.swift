import MartletEngine

/// Puts values into SQL as literals.
enum SQLTemplate {
  /// Replaces each `?` outside of quotes by the literal of its value.
  static func expand(_ template: String, _ bindings: [(any Binding)?]) -> String {
    if bindings.isEmpty { return template }
    var text = "", rest = bindings[...], quote: Unicode.Scalar?
    for scalar in template.unicodeScalars {
      if let open = quote {
        // A doubled quote closes and opens again, which comes to the same.
        if scalar == open { quote = nil }
      } else if scalar == "\"" || scalar == "'" || scalar == "`" {
        quote = scalar
      } else if scalar == "[" {
        quote = "]"
      } else if scalar == "?", let value = rest.popFirst() {
        text += literal(value)
        continue
      }
      text.unicodeScalars.append(scalar)
    }
    return text
  }

  /// A value as SQL.
  static func literal(_ value: (any Binding)?) -> String {
    guard let value else { return "NULL" }
    guard let stored = try? value.stored else { return "\(value)" }
    switch stored {
    case .null: return "NULL"
    case .integer(let number): return String(number)
    case .real(let number): return literal(number)
    case .text(let text): return literal(text)
    case .blob(let bytes): return Blob(bytes: bytes).description
    }
  }

  private static func literal(_ number: Double) -> String {
    if number.isNaN { return "NULL" }
    // SQL has no word for infinity; a number that is too large is read as it.
    if number.isInfinite { return number < 0 ? "-9e999" : "9e999" }
    return String(number)
  }

  /// SQL text ends at a zero byte, so that a text with one is written as its bytes.
  private static func literal(_ text: String) -> String {
    guard text.utf8.contains(0) else { return text.quoted(with: "'") }
    return "CAST (\(Blob(bytes: Array(text.utf8))) AS TEXT)"
  }
}

// How SQL is put together of pieces.
extension String {
  /// The expressions with the text between them.
  func join(_ expressions: [any Expressible]) -> Expression<Void> {
    joined(expressions) { $0.expression }
  }

  /// The expressions with the text between them.
  func join(_ expressions: [Expression<Void>]) -> Expression<Void> {
    joined(expressions) { $0 }
  }

  private func joined<Item>(
    _ items: [Item], _ expression: (Item) -> Expression<Void>
  ) -> Expression<Void> {
    var template = "", bindings: [(any Binding)?] = []
    for (index, item) in items.enumerated() {
      let expression = expression(item)
      if index > 0 { template += self }
      template += expression.template
      if !expression.bindings.isEmpty { bindings += expression.bindings }
    }
    return Expression(template, bindings)
  }

  /// A call of the function.
  func wrap<Datatype>(_ arguments: [any Expressible]) -> Expression<Datatype> {
    let list = ", ".join(arguments)
    return Expression("\(self)(\(list.template))", list.bindings)
  }

  /// A call of the function.
  func wrap<Datatype>(_ argument: any Expressible) -> Expression<Datatype> { wrap([argument]) }
}

extension Expression<Void> {
  /// In parentheses, unless it is in some already.
  var parenthesized: Expression<Void> {
    isInParentheses ? self : Expression("(\(template))", bindings)
  }

  private var isInParentheses: Bool {
    guard template.utf8.first == UInt8(ascii: "(") else { return false }
    var depth = 0, quote: UInt8?, left = template.utf8.count
    for byte in template.utf8 {
      left -= 1
      if let open = quote {
        if byte == open { quote = nil }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")"):
        depth -= 1
        if depth == 0 { return left == 0 }
      default: break
      }
    }
    return false
  }
}

extension String {
  /// The name inside of double quotes.
  var unquotedIdentifier: String { unquoted(by: "\"") ?? self }

  /// The text inside of quotes; nil where it is not in such.
  func unquoted(by quote: Unicode.Scalar) -> String? {
    let scalars = unicodeScalars
    guard scalars.count >= 2, scalars.first == quote, scalars.last == quote else { return nil }
    var text = String.UnicodeScalarView(), isEscaped = false
    for scalar in scalars.dropFirst().dropLast() {
      if scalar == quote, !isEscaped {
        isEscaped = true
        continue
      }
      // One that is not doubled ends the text.
      guard scalar == quote || !isEscaped else { return nil }
      isEscaped = false
      text.append(scalar)
    }
    return isEscaped ? nil : String(text)
  }
}
