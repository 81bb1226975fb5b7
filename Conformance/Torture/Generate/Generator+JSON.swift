/// JSON documents, paths and the functions over them.
extension Generator {
  mutating func jsonText() -> String {
    if mayFail, random.chance(20) {
      return random.pick(["'[1,2'", "'{\"a\" 1}'", "''", "'[1,]x'", "'{a:}'"])
    }
    return random.pick([
      "'[1,2,3]'", "'{\"a\":1,\"b\":[true,null,\"x\"]}'", "'[]'", "'{}'", "'null'", "'12.5'",
      "'\"ä\\u00e9\\n\"'", "'{a:1,''b'':0x10,c:[.5,+1,],}'", "'[[1,[2]],{\"k\":{\"a\":[7,8]}}]'",
      "'{\"a\":{\"b\":\"c\"},\"a b\":2}'", "'[1e400,-0,123456789012345678901]'",
      "'{\"a\":1,\"a\":2}'", "'[\"x\",{\"y\":null}]'", "' [1 , 2 ] '", "'true'",
    ])
  }

  mutating func jsonPath() -> String {
    if mayFail, random.chance(20) { return random.pick(["'$.'", "'a'", "'$[x]'", "''"]) }
    return random.pick([
      "'$'", "'$.a'", "'$.b'", "'$[0]'", "'$[1]'", "'$[#-1]'", "'$[#]'", "'$.b[1]'", "'$.a.b'",
      "'$.\"a b\"'", "'$[1].y'", "'$.k.a[1]'", "NULL", "'$[1].k.a'", "'$.new'",
    ])
  }

  private mutating func jsonDocument(_ scope: ExpressionScope) -> String {
    switch random.below(10) {
    case 0..<5: return jsonText()
    case 5..<7: return "json_array(\(jsonValue(scope)), \(jsonValue(scope)))"
    case 7 where !isUTF16: return "jsonb(\(jsonText()))"
    case 8: return "json_object('a', \(jsonValue(scope)), 'b', \(jsonText()))"
    default:
      let value = leaf(scope)
      return mayFail ? value : "iif(json_valid(\(value)), \(value), '[4]')"
    }
  }

  /// A value that JSON can hold: blobs are errors.
  mutating func jsonValue(_ scope: ExpressionScope) -> String {
    let value = leaf(scope)
    return mayFail ? value : "iif(typeof(\(value)) = 'blob', 0, \(value))"
  }

  mutating func jsonCall(_ scope: ExpressionScope) -> String {
    let document = jsonDocument(scope)
    let path = jsonPath()
    switch random.below(18) {
    case 0: return "json(\(document))"
    case 1: return "json_array(\(jsonValue(scope)), json(\(jsonText())))"
    case 2: return "json_array_length(\(document), \(path))"
    case 3: return "json_extract(\(document), \(path))"
    case 4: return "json_extract(\(document), \(path), \(jsonPath()))"
    case 5: return "json_set(\(document), \(path), \(jsonValue(scope)))"
    case 6: return "json_insert(\(document), \(path), \(jsonValue(scope)))"
    case 7: return "json_replace(\(document), \(path), json(\(jsonText())))"
    case 8: return "json_remove(\(document), \(path))"
    case 9: return "json_patch(\(document), \(jsonText()))"
    case 10: return "json_type(\(document), \(path))"
    case 11: return "json_valid(\(leaf(scope)))"
    case 12: return "json_quote(\(jsonValue(scope)))"
    case 13: return "\(document) ->> \(path)"
    case 14: return "\(document) -> \(path)"
    case 15: return "json_error_position(\(leaf(scope)))"
    case 16: return "json_pretty(\(document))"
    default: return "json_object(\(textLiteral()), \(jsonValue(scope)))"
    }
  }

  /// A call of json_each or json_tree for FROM.
  mutating func jsonSource(_ scope: ExpressionScope) -> String {
    let document = random.chance(60) ? jsonText() : jsonDocument(scope)
    let root = random.chance(30) ? ", \(jsonPath())" : ""
    return "\(random.pick(["json_each", "json_each", "json_tree"]))(\(document)\(root))"
  }

  static let jsonColumns = ["key", "value", "type", "atom", "id", "parent", "fullkey", "path"]
}
