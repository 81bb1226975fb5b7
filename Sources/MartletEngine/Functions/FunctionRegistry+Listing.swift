// The order in which PRAGMA function_list names functions.
//
// SQLite walks over its 23 hash buckets, so that its order is none that could be explained. Names
// that this engine lacks are skipped.

extension FunctionRegistry {
  /// The built-in functions in SQLite's order; of one name, the first defined, then the last to the
  /// second.
  static let builtInListing: [Definition] = {
    var byName: [String: [Definition]] = [:]
    let all = BuiltInFunctions.scalars.map { Definition(scalar: $0, aggregate: nil) }
      + BuiltInFunctions.aggregates.map { Definition(scalar: nil, aggregate: $0) }
    for definition in all { byName[definition.name, default: []].append(definition) }
    var listing: [Definition] = []
    for name in listedNames.description.split(separator: " ").map(String.init) {
      guard let same = byName.removeValue(forKey: name) else { continue }
      listing += same.prefix(1) + same.dropFirst().reversed()
    }
    assert(byName.isEmpty, "a built-in function has no place in PRAGMA function_list")
    return listing
  }()

  /// A function of either kind.
  struct Definition {
    let scalar: ScalarFunction?
    let aggregate: AggregateFunction?
    /// In which it takes texts.
    var encoding = TextEncoding.utf8

    /// In lower case.
    var name: String {
      let written = scalar?.name ?? aggregate?.name ?? ""
      return String(decoding: written.utf8.map(ASCII.lower), as: UTF8.self)
    }
    var flags: FunctionFlags { scalar?.flags ?? aggregate?.flags ?? [] }
    var arity: FunctionArity { scalar?.arity ?? aggregate?.arity ?? .exactly(0) }
  }

  private static let listedNames: StaticString = """
    pow median group_concat json_type jsonb_set julianday ntile nullif sqlite_compileoption_get \
    json_valid json_quote json_patch -> json_array current_timestamp power \
    sqlite_compileoption_used json_remove json_pretty jsonb_patch json_object json_insert ->> \
    jsonb_array sin sum quote printf likelihood json_replace jsonb_remove jsonb_object \
    jsonb_insert json_extract last_value rank sign sqrt sinh tan round rtrim jsonb_replace \
    jsonb_extract nth_value tanh random trim time radians trunc total substr replace percentile \
    unhex upper subtype typeof load_extension soundex json_group_array avg unistr abs \
    octet_length json_group_object jsonb_group_array json_array_length json_array_insert \
    strftime atan asin acos substring randomblob unicode jsonb_group_object jsonb_array_insert \
    timediff percent_rank row_number atanh asinh acosh cos atan2 string_agg last_insert_rowid \
    sqlite_log unlikely json_error_position cosh ceil char unixepoch exp percentile_disc \
    percentile_cont count date concat ceiling total_changes changes unistr_quote sqlite_version \
    if coalesce degrees floor glob zeroblob hex iif sqlite_source_id concat_ws format datetime \
    cume_dist ln instr json dense_rank log ifnull jsonb current_date current_time lag mod log2 \
    like max min lead log10 lower ltrim first_value pi length likely json_set
    """
}
