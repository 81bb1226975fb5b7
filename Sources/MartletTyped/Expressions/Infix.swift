// What operators are made of. Nothing here is generic: the operators themselves are inlined into
// programs, and find their types there.

/// A parameter with its value.
@usableFromInline
func bound(_ value: (any Binding)?) -> Expression<Void> { Expression("?", [value]) }

/// An operator between two operands, in parentheses.
@usableFromInline
func combine(
  _ left: Expression<Void>, _ name: String, _ right: Expression<Void>
) -> Expression<Void> {
  // AND and OR bind less than what is loose.
  let isLogical = name == "AND" || name == "OR"
  var text = "("
  text.reserveCapacity(left.template.utf8.count + name.utf8.count + right.template.utf8.count + 8)
  text.append(operand: left, inParentheses: left.isLoose && !isLogical)
  text += " "
  text += name
  text += " "
  text.append(operand: right, inParentheses: right.isLoose && !isLogical)
  text += ")"
  if left.bindings.isEmpty { return Expression(text, right.bindings) }
  return Expression(text, right.bindings.isEmpty ? left.bindings : left.bindings + right.bindings)
}

/// Compares with a value; with NULL by another operator.
@usableFromInline
func compare(
  _ left: Expression<Void>, _ name: String, _ nameForNull: String, _ right: (any Binding)?
) -> Expression<Void> {
  guard let right else { return combine(left, nameForNull, Expression(literal: "NULL")) }
  return combine(left, name, bound(right))
}

/// Compares with a value; with NULL by another operator, which has it on the right.
@usableFromInline
func compare(
  _ left: (any Binding)?, _ name: String, _ nameForNull: String, _ right: Expression<Void>
) -> Expression<Void> {
  guard let left else { return combine(right, nameForNull, Expression(literal: "NULL")) }
  return combine(bound(left), name, right)
}

extension String {
  fileprivate mutating func append(operand: Expression<Void>, inParentheses: Bool) {
    if inParentheses { self += "(" }
    self += operand.template
    if inParentheses { self += ")" }
  }

  /// The operator between two operands, in parentheses.
  func infix<Datatype>(_ left: any Expressible, _ right: any Expressible) -> Expression<Datatype> {
    Expression(part: combine(left.expression, self, right.expression))
  }
}
