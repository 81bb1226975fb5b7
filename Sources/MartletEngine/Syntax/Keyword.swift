/// Recognizes the 147 keywords (lang_keywords) without collisions.
///
/// A word, folded to lower case, is up to three times 8 bytes. Multiplying the sum of the first two
/// eights by `multiplier` and taking the upper 10 bits gives each keyword a slot of its own, so a
/// word is a keyword if it equals the one keyword in its slot.
enum Keyword {
  static let longest = 17
  private static let recordSize = 24
  private static let unused: UInt8 = 255
  private static let multiplier: UInt64 = 0xf24cfdd3d5716b4d
  private static let toLower: UInt64 = 0x2020_2020_2020_2020

  /// The keyword that stands at `start`, or `identifier`. The bytes must be letters, digits,
  /// `_`, `$` or above 127, and 8 more bytes must be readable.
  @inline(__always)
  static func kind(of start: UnsafePointer<UInt8>, _ count: Int) -> TokenKind {
    guard count >= 2 && count <= longest else { return .identifier }
    let raw = UnsafeRawPointer(start)
    var first = raw.loadUnaligned(as: UInt64.self).littleEndian | toLower
    var second: UInt64 = 0
    if count < 8 {
      first &= (1 << UInt64(truncatingIfNeeded: 8 &* count)) &- 1
    } else if count > 8 {
      second = raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self).littleEndian | toLower
      if count < 16 { second &= (1 << UInt64(truncatingIfNeeded: 8 &* (count &- 8))) &- 1 }
    }
    let slot = Int(truncatingIfNeeded: ((first &+ second) &* multiplier) >> 54)
    let index = slots[slot]
    guard index != unused else { return .identifier }
    let record = UnsafeRawPointer(texts.utf8Start) + Int(index) &* recordSize
    guard matches(record, first, second, count, raw) else { return .identifier }
    return TokenKind(rawValue: index &+ TokenKind.firstKeyword.rawValue) ?? .identifier
  }

  /// The records are padded with spaces, which is what `| toLower` makes of zero bytes; of `_` it
  /// makes another byte, hence on both sides.
  @inline(__always)
  private static func matches(
    _ record: UnsafeRawPointer, _ first: UInt64, _ second: UInt64, _ count: Int,
    _ raw: UnsafeRawPointer
  ) -> Bool {
    let expectedFirst = record.loadUnaligned(as: UInt64.self).littleEndian | toLower
    guard first | toLower == expectedFirst else { return false }
    guard count > 8 else {
      return record.load(fromByteOffset: count, as: UInt8.self) == 0x20
    }
    let expectedSecond =
      record.loadUnaligned(fromByteOffset: 8, as: UInt64.self).littleEndian | toLower
    guard second | toLower == expectedSecond else { return false }
    if count == longest { return raw.load(fromByteOffset: 16, as: UInt8.self) | 0x20 == 0x70 }
    return record.load(fromByteOffset: 16, as: UInt8.self) == 0x20
  }

  /// The keywords in the order of `TokenKind`; blank where a kind is no keyword.
  private static let texts: StaticString = """
    add                     \
    all                     \
    alter                   \
    and                     \
    as                      \
    autoincrement           \
    between                 \
    case                    \
    check                   \
    collate                 \
    commit                  \
    constraint              \
    create                  \
    default                 \
    deferrable              \
    delete                  \
    distinct                \
    drop                    \
    else                    \
    escape                  \
    except                  \
    exists                  \
    foreign                 \
    from                    \
    group                   \
    having                  \
    in                      \
    index                   \
    insert                  \
    intersect               \
    into                    \
    is                      \
    isnull                  \
    join                    \
    limit                   \
    not                     \
    nothing                 \
    notnull                 \
    null                    \
    on                      \
    or                      \
    order                   \
    primary                 \
    references              \
    returning               \
    select                  \
    set                     \
    table                   \
    then                    \
    to                      \
    transaction             \
    union                   \
    unique                  \
    update                  \
    using                   \
    values                  \
    when                    \
    where                   \
    filter                  \
    over                    \
    window                  \
                            \
    cross                   \
    full                    \
    inner                   \
    left                    \
    natural                 \
    outer                   \
    right                   \
    indexed                 \
                            \
    abort                   \
    action                  \
    after                   \
    always                  \
    analyze                 \
    asc                     \
    attach                  \
    before                  \
    begin                   \
    by                      \
    cascade                 \
    cast                    \
    column                  \
    conflict                \
    current                 \
    current_date            \
    current_time            \
    current_timestamp       \
    database                \
    deferred                \
    desc                    \
    detach                  \
    do                      \
    each                    \
    end                     \
    exclude                 \
    exclusive               \
    explain                 \
    fail                    \
    first                   \
    following               \
    for                     \
    generated               \
    glob                    \
    groups                  \
    if                      \
    ignore                  \
    immediate               \
    initially               \
    instead                 \
    key                     \
    last                    \
    like                    \
    match                   \
    materialized            \
    no                      \
    nulls                   \
    of                      \
    offset                  \
    others                  \
    partition               \
    plan                    \
    pragma                  \
    preceding               \
    query                   \
    raise                   \
    range                   \
    recursive               \
    regexp                  \
    reindex                 \
    release                 \
    rename                  \
    replace                 \
    restrict                \
    rollback                \
    row                     \
    rows                    \
    savepoint               \
    temp                    \
    temporary               \
    ties                    \
    trigger                 \
    unbounded               \
    vacuum                  \
    view                    \
    virtual                 \
    with                    \
    without                 \u{20}
    """

  /// Index into `texts` for each hash value.
  private static let slots: [UInt8] = [
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 14, 255, 36, 255, 255, 59, 255, 255, 255, 24, 100, 255, 255,
    93, 255, 255, 255, 0, 255, 255, 255, 138, 87, 255, 3, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 106, 255, 255, 255, 255, 255,
    255, 255, 255, 143, 255, 255, 255, 255, 107, 255, 255, 255, 56, 255, 146, 255,
    255, 23, 255, 255, 255, 255, 255, 255, 255, 62, 255, 255, 255, 255, 131, 255,
    255, 255, 135, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 104, 41, 255, 255, 255, 255,
    73, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 9, 255, 255, 255,
    255, 39, 255, 255, 255, 80, 15, 255, 255, 255, 255, 255, 255, 64, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 49, 255, 103, 255, 255, 63, 255, 255, 255, 5, 255, 255, 255,
    255, 255, 255, 99, 255, 255, 20, 255, 255, 255, 255, 255, 255, 37, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 101, 255, 255, 255, 132,
    255, 48, 46, 255, 255, 255, 134, 27, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 136, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 147, 255, 255, 255, 148, 255, 255, 255, 255, 255, 10, 60, 255, 255,
    255, 255, 255, 255, 255, 255, 53, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    30, 255, 255, 81, 255, 54, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 40, 128, 255, 255, 255, 255, 50, 255, 255, 255, 255, 255, 109, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 89, 255, 255, 255, 255, 255, 255, 1, 255,
    255, 255, 68, 255, 255, 74, 255, 255, 255, 255, 255, 255, 255, 255, 71, 255,
    255, 255, 255, 255, 4, 255, 255, 255, 255, 96, 255, 255, 255, 255, 112, 255,
    255, 66, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 86, 137, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 13, 255, 255, 140, 255, 255, 255, 255, 255, 255, 255,
    124, 255, 255, 255, 255, 255, 255, 255, 255, 255, 26, 255, 255, 113, 255, 255,
    255, 255, 255, 255, 44, 7, 34, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 51, 255, 255, 116, 255, 255, 255,
    125, 255, 255, 255, 28, 255, 84, 255, 255, 255, 255, 255, 35, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 126, 255, 255, 255, 123, 76, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 110, 255, 255, 255,
    127, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 57, 77, 255, 83, 255, 255, 255, 98, 115, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 21, 255, 255, 111, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 119, 117, 255, 255, 255, 120, 255, 255,
    255, 255, 255, 255, 255, 255, 121, 129, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 17, 255, 255,
    255, 141, 144, 18, 255, 255, 255, 6, 255, 255, 255, 255, 255, 255, 122, 255,
    255, 255, 255, 255, 255, 255, 42, 255, 255, 255, 255, 255, 255, 90, 255, 255,
    255, 255, 75, 255, 255, 255, 255, 47, 255, 255, 255, 255, 255, 255, 65, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 52, 255,
    19, 255, 118, 255, 255, 255, 255, 255, 255, 32, 255, 255, 255, 255, 255, 255,
    255, 255, 38, 255, 255, 255, 255, 255, 88, 255, 255, 255, 133, 255, 255, 255,
    72, 255, 255, 255, 255, 255, 255, 255, 11, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 97, 255, 255,
    255, 255, 255, 45, 22, 255, 255, 85, 255, 255, 255, 142, 255, 255, 255, 130,
    95, 255, 255, 255, 255, 255, 255, 255, 255, 255, 25, 255, 255, 255, 33, 255,
    255, 43, 255, 255, 255, 255, 255, 108, 255, 255, 255, 255, 79, 255, 255, 12,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 145, 255, 255, 255, 255, 255, 255, 255, 255, 255, 82, 67, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 69, 16, 255, 255,
    255, 58, 255, 255, 255, 78, 255, 255, 255, 255, 55, 255, 255, 255, 139, 255,
    255, 255, 92, 255, 255, 255, 255, 2, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 29, 102, 255, 255, 255, 255, 255, 255, 255, 255, 255, 31, 91,
    255, 255, 255, 255, 255, 255, 255, 255, 105, 255, 255, 255, 255, 255, 255, 255,
    94, 255, 114, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
  ]
}
