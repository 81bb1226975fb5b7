// SQLite's functions for one value (lang_corefunc). What is optional stays so.

extension ExpressionType
where UnderlyingType: ColumnType, UnderlyingType.ColumnValue.Datatype: Number {
  /// `abs`: the number without its sign.
  public var absoluteValue: Expression<UnderlyingType> { "abs".wrap(self) }
}

extension ExpressionType where UnderlyingType: ColumnType, UnderlyingType.ColumnValue == Double {
  /// `round`: the number with so many digits behind the point.
  public func round(_ precision: Int? = nil) -> Expression<UnderlyingType> {
    guard let precision else { return "round".wrap(self) }
    return "round".wrap([self, precision])
  }
}

extension ExpressionType where UnderlyingType: Value, UnderlyingType.Datatype == Int64 {
  /// `random`: a number between -2^63 and 2^63 - 1.
  public static func random() -> Expression<UnderlyingType> { "random".wrap([]) }
}

extension ExpressionType where UnderlyingType: Value, UnderlyingType.Datatype == Blob {
  /// `randomblob`: so many random bytes.
  public static func random(_ length: Int) -> Expression<UnderlyingType> {
    "randomblob".wrap(length)
  }

  /// `zeroblob`: so many bytes of 0.
  public static func allZeros(_ length: Int) -> Expression<UnderlyingType> {
    "zeroblob".wrap(length)
  }
}

extension ExpressionType where UnderlyingType: ColumnType & ExpressibleByNilLiteral {
  /// `length`: the characters of a text, the bytes of a blob.
  public var length: Expression<Int?> { "length".wrap(self) }
}

extension ExpressionType where UnderlyingType: Value {
  /// `length`: the characters of a text, the bytes of a blob.
  public var length: Expression<Int> { "length".wrap(self) }
}

extension ExpressionType
where UnderlyingType: ColumnType, UnderlyingType.ColumnValue.Datatype == String {
  /// `lower`: the text with small letters a to z.
  public var lowercaseString: Expression<UnderlyingType> { "lower".wrap(self) }

  /// `upper`: the text with capital letters A to Z.
  public var uppercaseString: Expression<UnderlyingType> { "upper".wrap(self) }

  /// `LIKE`: `%` stands for any text, `_` for a character; A to Z are as a to z.
  ///
  /// - Parameter character: Stands before a `%` or `_` that means itself.
  public func like(
    _ pattern: String, escape character: Character? = nil
  ) -> Expression<UnderlyingType.ColumnCondition> {
    like(Expression<String>(value: pattern), escape: character)
  }

  /// `LIKE` with a pattern that is computed.
  public func like(
    _ pattern: Expression<String>, escape character: Character? = nil
  ) -> Expression<UnderlyingType.ColumnCondition> {
    guard let character else { return "LIKE".infix(self, pattern) }
    return Expression(
      "(\(template) LIKE \(pattern.template) ESCAPE ?)",
      bindings + pattern.bindings + [String(character)])
  }

  /// `GLOB`: `*` stands for any text, `?` for a character, `[a-z]` for one of them.
  public func glob(_ pattern: String) -> Expression<UnderlyingType.ColumnCondition> {
    "GLOB".infix(self, pattern)
  }

  /// `MATCH`: what a full-text table finds in the column.
  public func match(_ pattern: String) -> Expression<UnderlyingType.ColumnCondition> {
    "MATCH".infix(self, pattern)
  }

  /// `REGEXP`: calls the application's function `regexp(pattern, text)`.
  public func regexp(_ pattern: String) -> Expression<UnderlyingType.ColumnCondition> {
    "REGEXP".infix(self, pattern)
  }

  /// `COLLATE`: the text compares by the collation.
  public func collate(_ collation: Collation) -> Expression<UnderlyingType> {
    "COLLATE".infix(self, collation)
  }

  /// `ltrim`: without blanks, or without those characters, at the start.
  public func ltrim(_ characters: Set<Character>? = nil) -> Expression<UnderlyingType> {
    trimmed(by: "ltrim", characters)
  }

  /// `rtrim`: without blanks, or without those characters, at the end.
  public func rtrim(_ characters: Set<Character>? = nil) -> Expression<UnderlyingType> {
    trimmed(by: "rtrim", characters)
  }

  /// `trim`: without blanks, or without those characters, at both ends.
  public func trim(_ characters: Set<Character>? = nil) -> Expression<UnderlyingType> {
    trimmed(by: "trim", characters)
  }

  private func trimmed(by name: String, _ characters: Set<Character>?) -> Expression<UnderlyingType>
  {
    guard let characters else { return name.wrap(self) }
    // Sorted, so that the same call is the same statement.
    return name.wrap([self, String(characters.sorted())])
  }

  /// `replace`: with the pattern replaced wherever it stands.
  public func replace(_ pattern: String, with replacement: String) -> Expression<UnderlyingType> {
    "replace".wrap([self, pattern, replacement])
  }

  /// `substr`: from a character on, the first being 1.
  public func substring(_ location: Int, length: Int? = nil) -> Expression<UnderlyingType> {
    guard let length else { return "substr".wrap([self, location]) }
    return "substr".wrap([self, location, length])
  }

  /// `substr`: the characters from the lower bound on, as many as the range has.
  public subscript(range: Range<Int>) -> Expression<UnderlyingType> {
    substring(range.lowerBound, length: range.upperBound &- range.lowerBound)
  }
}

extension String {
  /// `LIKE`: whether the text is like a pattern that is computed.
  public func like(
    _ pattern: Expression<String>, escape character: Character? = nil
  ) -> Expression<Bool> {
    Expression<String>(value: self).like(pattern, escape: character)
  }
}

// MARK: - Membership

extension Collection where Element: Value {
  /// `IN`: whether the expression is one of the values.
  public func contains<A: ColumnType>(_ expression: Expression<A>) -> Expression<A.ColumnCondition>
  where A.ColumnValue == Element {
    let list = ", ".join(map { $0 })
    return "IN".infix(expression, Expression<Void>("(\(list.template))", list.bindings))
  }
}

extension QueryType {
  /// `IN`: whether the expression is one of what the query gives, which must have one column.
  public func contains<A: ColumnType>(_ expression: Expression<A>) -> Expression<A.ColumnCondition>
  {
    let query = self.expression
    return "IN".infix(expression, Expression<Void>("(\(query.template))", query.bindings))
  }
}

// MARK: - NULL and casts

/// `ifnull`: the left one, or the value where it is NULL.
public func ?? <V: Value>(optional: Expression<V?>, defaultValue: V) -> Expression<V> {
  "ifnull".wrap([optional, defaultValue])
}

/// `ifnull`: the left one, or the right one where it is NULL.
public func ?? <V: Value>(optional: Expression<V?>, defaultValue: Expression<V>) -> Expression<V> {
  "ifnull".wrap([optional, defaultValue])
}

/// `ifnull`: the left one, or the right one where it is NULL.
public func ?? <V: Value>(
  optional: Expression<V?>, defaultValue: Expression<V?>
) -> Expression<V?> {
  "ifnull".wrap([optional, defaultValue])
}

extension ExpressionType where UnderlyingType: Value {
  /// `CAST`: the value as another type.
  public func cast<Other: Value>() -> Expression<Other> {
    Expression("CAST (\(template) AS \(Other.declaredDatatype))", bindings)
  }
}

extension ExpressionType where UnderlyingType: ColumnType & ExpressibleByNilLiteral {
  /// `CAST`: the value as another type.
  public func cast<Other: Value>() -> Expression<Other?> {
    Expression("CAST (\(template) AS \(Other.declaredDatatype))", bindings)
  }
}
