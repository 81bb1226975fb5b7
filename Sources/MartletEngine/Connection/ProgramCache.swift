/// Programs of the statements that were prepared last, found by their text.
///
/// Applications prepare the same few statements again and again. A program never changes while it
/// runs and belongs to one catalog, so a later statement of the same text can use it, until the
/// schema, the functions or the collations of the connection change.
///
/// Most texts are prepared once: a program is kept when its text comes for the second time. What is
/// not kept goes with its statement, and the next one gets memory that is still in the cache.
///
/// A table of fixed size without chains: a text takes the place of whatever hashed to the same
/// place.
///
/// An object, because reading a property of one that is a structure in another object would count a
/// reference for each of its parts.
final class ProgramCache {
  private static let slotCount = 128
  /// Longer texts are rarely prepared twice.
  static let longestText = 4_096

  final class Entry {
    let hash: UInt64
    /// Its text is what was given, up to its end: it may go on behind the statement.
    let source: StatementSource
    /// Offset behind the statement.
    let endOffset: Int
    let program: Program

    init(hash: UInt64, source: StatementSource, endOffset: Int, program: Program) {
      self.hash = hash
      self.source = source
      self.endOffset = endOffset
      self.program = program
    }
  }

  /// Those of statements that are found by less than their text.
  let templates = TemplateCache()
  /// Made for the first program: many a connection has none that is kept.
  @exclusivity(unchecked) private var slots: [Entry?] = []
  /// The hash of the text that came last for each place. It says nothing of programs, and stays
  /// when these are forgotten.
  @exclusivity(unchecked) private var lastHashes: [UInt64] = []
  /// The emitter of the statement that was compiled last, cleared.
  @exclusivity(unchecked) var spareEmitter: Emitter?

  /// What the statement that was compiled last was bound in.
  @exclusivity(unchecked) var spareEnvironment: BindEnvironment?

  /// The spare environment, if it is good for such a statement.
  func takeEnvironment(
    for catalog: Catalog, _ functions: FunctionRegistry, _ collations: [Collation]
  ) -> BindEnvironment? {
    guard let environment = spareEnvironment else { return nil }
    spareEnvironment = nil
    let fits =
      environment.catalog === catalog && environment.functions === functions
      && environment.collations.elementsEqual(collations, by: ===)
    return fits ? environment : nil
  }

  /// Keeps the environment for the next statement, unless somebody else has it, too.
  func giveBack(_ environment: inout BindEnvironment) {
    guard isKnownUniquelyReferenced(&environment) else { return }
    environment.forgetStatement()
    spareEnvironment = environment
  }

  /// The spare emitter, if it is good for such a statement. Until it is given back, whatever else is
  /// compiled makes its own.
  func takeEmitter(
    for catalog: Catalog, _ collations: [Collation], _ explain: ExplainMode, measuresScans: Bool
  ) -> Emitter? {
    guard let emitter = spareEmitter else { return nil }
    spareEmitter = nil
    let fits =
      emitter.catalog === catalog && emitter.collations.elementsEqual(collations, by: ===)
      && emitter.explain == explain && emitter.measuresScans == measuresScans
    return fits ? emitter : nil
  }

  /// The entry of a text whose program was made for `catalog`.
  func find(_ text: UnsafeBufferPointer<UInt8>, catalog: Catalog) -> Entry? {
    guard !slots.isEmpty, text.count <= ProgramCache.longestText, let start = text.baseAddress
    else { return nil }
    let hash = ProgramCache.hash(start, text.count)
    guard let entry = slots[Int(hash % UInt64(ProgramCache.slotCount))], entry.hash == hash,
      entry.source.text.count == text.count, entry.program.catalog === catalog,
      Memory.compare(entry.source.text.start, start, text.count) == 0
    else { return nil }
    return entry
  }

  /// Keeps a program that was made of the statement at the start of its text, if the text came last
  /// to its place.
  func keep(_ parsed: ParsedStatement, _ program: Program) {
    let count = parsed.text.count
    guard count > 0, count <= ProgramCache.longestText, parsed.statement.hasLastingProgram else {
      return
    }
    let hash = ProgramCache.hash(parsed.text.start, count)
    let place = Int(hash % UInt64(ProgramCache.slotCount))
    if lastHashes.isEmpty { lastHashes = Array(repeating: 0, count: ProgramCache.slotCount) }
    guard lastHashes[place] == hash else {
      lastHashes[place] = hash
      return
    }
    if slots.isEmpty { slots = Array(repeating: nil, count: ProgramCache.slotCount) }
    slots[place] = Entry(
      hash: hash, source: StatementSource(parsed), endOffset: parsed.endOffset, program: program)
  }

  /// Forgets the programs that were made for other schemas, and so keep these in memory.
  func removePrograms(exceptOf catalog: Catalog) {
    for index in slots.indices {
      if let entry = slots[index], entry.program.catalog !== catalog { slots[index] = nil }
    }
    templates.removePrograms(exceptOf: catalog)
    if let spareEmitter, spareEmitter.catalog !== catalog { self.spareEmitter = nil }
    if let spareEnvironment, spareEnvironment.catalog !== catalog { self.spareEnvironment = nil }
  }

  /// Forgets everything: programs refer to functions and collations.
  func removeAll() {
    slots = []
    templates.removeAll()
    spareEmitter = nil
    spareEnvironment = nil
  }

  /// Multiplies and folds 8 bytes at a time.
  private static func hash(_ start: UnsafePointer<UInt8>, _ count: Int) -> UInt64 {
    let raw = UnsafeRawPointer(start)
    var hash = UInt64(truncatingIfNeeded: count) ^ 0x9e37_79b9_7f4a_7c15
    var offset = 0
    while offset &+ 8 <= count {
      hash =
        (hash ^ raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        &* 0xff51_afd7_ed55_8ccd
      hash ^= hash &>> 32
      offset &+= 8
    }
    while offset < count {
      hash = (hash ^ UInt64(start[offset])) &* 0x0000_0100_0000_01b3
      offset &+= 1
    }
    return hash ^ (hash &>> 29)
  }
}

extension StatementSyntax {
  /// What its program does hangs on the text and the catalog alone: SELECT, INSERT, UPDATE or DELETE,
  /// and what drivers prepare around them each time. BEGIN IMMEDIATE knows which files can be written.
  fileprivate var hasLastingProgram: Bool {
    switch self {
    case .select, .insert, .update, .delete: true
    case .begin(let kind): kind == .deferred
    case .commit, .rollback, .savepoint, .release: true
    default: false
    }
  }
}
