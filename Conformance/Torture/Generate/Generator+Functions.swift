/// Calls of scalar functions; each parameter is drawn from what the function is about.
extension Generator {
  private enum Parameter {
    case any, text, number, small, pattern, format, blob, date, modifier, unit
  }

  private static let scalars: [(name: String, parameters: [Parameter])] = [
    ("abs", [.number]), ("char", [.small]), ("char", [.number, .small]),
    ("coalesce", [.any, .any]),
    ("coalesce", [.any, .any, .any]), ("concat", [.any, .any]), ("concat_ws", [.text, .any, .any]),
    ("glob", [.pattern, .text]), ("hex", [.any]), ("ifnull", [.any, .any]),
    ("iif", [.any, .any, .any]), ("iif", [.any, .any]), ("if", [.any, .any, .any, .any]),
    ("instr", [.text, .text]), ("length", [.any]), ("like", [.pattern, .text]),
    ("likely", [.any]), ("unlikely", [.any]), ("lower", [.text]), ("upper", [.text]),
    ("ltrim", [.text]), ("rtrim", [.text]), ("trim", [.text]), ("trim", [.text, .text]),
    ("ltrim", [.text, .text]), ("rtrim", [.text, .text]), ("max", [.any, .any]),
    ("min", [.any, .any]), ("max", [.any, .any, .any]), ("nullif", [.any, .any]),
    ("octet_length", [.any]), ("quote", [.any]), ("replace", [.text, .text, .text]),
    ("round", [.number]), ("round", [.number, .small]), ("sign", [.any]), ("soundex", [.text]),
    ("substr", [.text, .small]), ("substr", [.text, .small, .small]),
    ("substring", [.blob, .small, .small]), ("typeof", [.any]), ("unhex", [.text]),
    ("unhex", [.text, .text]), ("unicode", [.text]), ("unistr", [.text]), ("unistr_quote", [.any]),
    ("zeroblob", [.small]), ("printf", [.format]), ("format", [.format, .any]),
    ("printf", [.format, .any, .any]), ("format", [.format, .number, .number, .any]),
    ("acos", [.unit]), ("asin", [.unit]), ("atan", [.number]), ("atan2", [.number, .number]),
    ("ceil", [.number]), ("ceiling", [.any]), ("cos", [.unit]), ("cosh", [.unit]),
    ("degrees", [.number]), ("exp", [.small]), ("floor", [.number]), ("ln", [.number]),
    ("log", [.number]), ("log", [.small, .number]), ("log10", [.number]), ("log2", [.number]),
    ("mod", [.number, .number]), ("pi", []), ("pow", [.number, .small]), ("power", [.small, .any]),
    ("radians", [.number]), ("sin", [.unit]), ("sinh", [.unit]), ("sqrt", [.number]),
    ("tan", [.unit]), ("tanh", [.unit]), ("trunc", [.number]), ("acosh", [.number]),
    ("asinh", [.number]), ("atanh", [.unit]),
    ("date", [.date]), ("time", [.date]), ("datetime", [.date]), ("julianday", [.date]),
    ("unixepoch", [.date]), ("date", [.date, .modifier]), ("datetime", [.date, .modifier]),
    ("datetime", [.date, .modifier, .modifier]), ("time", [.date, .modifier]),
    ("julianday", [.date, .modifier]), ("unixepoch", [.date, .modifier]),
    ("timediff", [.date, .date]), ("strftime", [.format, .date]),
    ("strftime", [.format, .date, .modifier]),
  ]

  mutating func scalarCall(_ scope: ExpressionScope, depth: Int) -> String {
    if random.chance(12) { return jsonCall(scope) }
    var function = random.pick(Self.scalars)
    if isUTF16, ["zeroblob", "unhex"].contains(function.name) { function = Self.scalars[0] }
    // Seldom with the wrong number of arguments.
    var parameters = function.parameters
    if random.chance(1) { parameters.append(.any) }
    // A date that is left out is the moment of the call.
    if random.chance(1), !parameters.isEmpty, parameters.last != .date {
      parameters.removeLast()
    }
    var arguments: [String] = []
    for parameter in parameters {
      arguments.append(argument(parameter, of: function.name, scope, depth: depth - 1))
    }
    return "\(function.name)(\(arguments.joined(separator: ", ")))"
  }

  private mutating func argument(
    _ parameter: Parameter, of function: String, _ scope: ExpressionScope, depth: Int
  ) -> String {
    // zeroblob and powers of columns could ask for memory by the gigabyte.
    if random.chance(35), parameter != .small, parameter != .format, parameter != .modifier {
      return expression(scope, depth: depth)
    }
    switch parameter {
    case .any: return literal()
    case .text: return random.chance(80) ? textLiteral() : literal()
    case .number:
      return random.pick([integerLiteral(), realLiteral(), numericText(), String(random.below(20))])
    case .small:
      return random.pick(["0", "1", "2", "3", "-1", "-2", "5", "10", "1.5", "NULL", "'2'", "100"])
    case .pattern:
      return random.pick([
        "'a%'", "'%b%'", "'_b_'", "'[a-c]*'", "'*b?'", "'[^a]*'", "'A%'", "'%'", "''",
      ])
    case .format:
      return function == "strftime" ? timeFormat() : printfFormat()
    case .blob: return random.chance(50) && !isUTF16 ? "x'00010203ff'" : literal()
    case .date:
      return random.chance(75)
        ? dateText() : random.pick(["0", "2451545.25", "1700000000", "-1", "1e10", literal()])
    case .modifier: return dateModifier()
    case .unit: return random.pick(["0", "0.5", "-0.25", "1", "'0.75'", "-1", "2"])
    }
  }

  private mutating func timeFormat() -> String {
    let codes = [
      "%d", "%e", "%f", "%F", "%G", "%g", "%H", "%I", "%j", "%J", "%k", "%l", "%m", "%M", "%p",
      "%P",
      "%R", "%s", "%S", "%T", "%U", "%u", "%V", "%w", "%W", "%Y", "%%", "-", " ä", "%q",
    ]
    return "'" + (0..<random.within(1...4)).map { _ in random.pick(codes) }.joined() + "'"
  }

  private mutating func printfFormat() -> String {
    let flags = ["", "", "", "-", "+", " ", "0", "#", ",", "!", "-+", "0+", "#!", ",!"]
    let widths = ["", "", "", "5", "12", "1", "030"]
    let precisions = ["", "", "", ".0", ".2", ".10", ".20", "."]
    let kinds = [
      "d", "i", "u", "f", "e", "E", "g", "G", "x", "X", "o", "c", "s", "q", "Q", "w", "z",
    ]
    var text = "'"
    for _ in 0..<random.within(1...2) {
      text += random.pick(["", "a", "ä="]) + "%" + random.pick(flags) + random.pick(widths)
      text += random.pick(precisions) + random.pick(["", "", "l", "ll"]) + random.pick(kinds)
    }
    return text + random.pick(["", "%%", "%", " z"]) + "'"
  }
}
