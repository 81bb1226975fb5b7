// Auxiliary functions of the program, and what they may ask (fts5 §7.2).
import CSQLite3
import MartletEngine
import MartletSearch

/// A function that the program has registered.
final class CAuxiliaryFunction: AuxiliaryFunction {
  private let connection: ConnectionHandle
  private let body: fts5_extension_function
  let userData: UnsafeMutableRawPointer?
  private let destroy: Destructor?

  init(
    _ connection: ConnectionHandle, _ body: @escaping fts5_extension_function,
    _ userData: UnsafeMutableRawPointer?, _ destroy: Destructor?
  ) {
    self.connection = connection
    self.body = body
    self.userData = userData
    self.destroy = destroy
  }

  deinit { destroy?(userData) }

  func call(
    _ match: FTS5Cursor, _ arguments: [ValueReference], _ result: ResultPlace
  ) throws(SQLError) {
    let context = try ContextHandle.make(
      connection, nil, result: result, capacity: arguments.count)
    defer { context.destroy() }
    for (index, argument) in arguments.enumerated() {
      context.pointee.values[index].renew(argument, generation: 0)
    }
    let state = MatchContext(match, self)
    withExtendedLifetime(state) {
      body(
        MatchInterface.table, state.opaque, context.opaque,
        Int32(truncatingIfNeeded: arguments.count), context.pointee.pointers)
    }
    if context.pointee.error != SQLITE_OK, let error = context.takeError() { throw error }
  }
}

/// What `Fts5Context *` points to, for one call.
final class MatchContext {
  let match: FTS5Cursor
  unowned(unsafe) let function: CAuxiliaryFunction
  /// What the program was given pointers to.
  private var memory: [UnsafeMutableRawPointer] = []

  init(_ match: FTS5Cursor, _ function: CAuxiliaryFunction) {
    self.match = match
    self.function = function
  }

  deinit { for block in memory { free(block) } }

  var opaque: OpaquePointer { OpaquePointer(Unmanaged.passUnretained(self).toOpaque()) }

  static func of(_ context: OpaquePointer?) -> MatchContext? {
    context.map {
      Unmanaged<MatchContext>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue()
    }
  }

  /// Memory that lives as long as the call.
  func allocate(_ byteCount: Int) throws(SQLError) -> UnsafeMutableRawPointer {
    guard let block = malloc(max(byteCount, 1)) else { throw SQLError(.outOfMemory) }
    memory.append(block)
    return block
  }

  /// A copy of a text with a zero behind it.
  func copy(
    _ text: UnsafeRawBufferPointer, _ start: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
    _ count: UnsafeMutablePointer<Int32>?
  ) throws(SQLError) {
    let block = try allocate(text.count + 1)
    if let base = text.baseAddress { block.copyMemory(from: base, byteCount: text.count) }
    block.storeBytes(of: 0, toByteOffset: text.count, as: UInt8.self)
    start?.pointee = UnsafePointer(block.assumingMemoryBound(to: CChar.self))
    count?.pointee = Int32(truncatingIfNeeded: text.count)
  }

  func copy(
    _ bytes: [UInt8], _ start: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
    _ count: UnsafeMutablePointer<Int32>?
  ) throws(SQLError) {
    try bytes.withUnsafeBytes { text in
      Result { () throws(SQLError) in try copy(text, start, count) }
    }.get()
  }
}

/// What a function keeps for the scan.
private final class KeptPointer {
  let pointer: UnsafeMutableRawPointer?
  var destroy: Destructor?

  init(_ pointer: UnsafeMutableRawPointer?, _ destroy: Destructor?) {
    self.pointer = pointer
    self.destroy = destroy
  }

  deinit { destroy?(pointer) }
}

/// `Fts5ExtensionApi`: the same for all calls.
enum MatchInterface {
  nonisolated(unsafe) static let table: UnsafePointer<Fts5ExtensionApi> = {
    let place = UnsafeMutablePointer<Fts5ExtensionApi>.allocate(capacity: 1)
    var api = Fts5ExtensionApi()
    api.iVersion = 4
    setFacts(&api)
    setPhrases(&api)
    setIterators(&api)
    place.initialize(to: api)
    return UnsafePointer(place)
  }()

  /// Runs what may fail, and gives its code.
  private static func code(
    _ context: OpaquePointer?, _ body: (MatchContext) throws(SQLError) -> Void
  ) -> Int32 {
    guard let state = MatchContext.of(context) else { return SQLITE_MISUSE }
    do throws(SQLError) {
      try body(state)
      return SQLITE_OK
    } catch {
      return error.code.rawValue
    }
  }

  private static func setFacts(_ api: inout Fts5ExtensionApi) {
    api.xUserData = { MatchContext.of($0)?.function.userData }
    api.xColumnCount = { Int32(truncatingIfNeeded: MatchContext.of($0)?.match.columnCount ?? 0) }
    api.xRowCount = { context, result in
      MatchInterface.code(context) { state throws(SQLError) in
        result?.pointee = try state.match.rowCount()
      }
    }
    api.xColumnTotalSize = { context, column, result in
      MatchInterface.code(context) { state throws(SQLError) in
        let column = column < 0 ? nil : Int(column)
        result?.pointee = 0
        result?.pointee = try state.match.totalSize(ofColumn: column)
      }
    }
    api.xRowid = { context in
      var rowid: Int64 = 0
      _ = MatchInterface.code(context) { state throws(SQLError) in rowid = try state.match.rowid() }
      return rowid
    }
    api.xColumnText = { context, column, start, count in
      MatchInterface.code(context) { state throws(SQLError) in
        start?.pointee = nil
        count?.pointee = 0
        try state.match.withText(ofColumn: Int(column)) { text, _ throws(SQLError) in
          if let text { try state.copy(text, start, count) }
        }
      }
    }
    api.xColumnLocale = { context, column, start, count in
      MatchInterface.code(context) { state throws(SQLError) in
        start?.pointee = nil
        count?.pointee = 0
        try state.match.withText(ofColumn: Int(column)) { _, locale throws(SQLError) in
          if let locale { try state.copy(locale, start, count) }
        }
      }
    }
    api.xColumnSize = { context, column, result in
      MatchInterface.code(context) { state throws(SQLError) in
        let column = column < 0 ? nil : Int(column)
        result?.pointee = 0
        result?.pointee = Int32(truncatingIfNeeded: try state.match.size(ofColumn: column))
      }
    }
    api.xTokenize = { context, text, count, taker, take in
      MatchInterface.tokenize(context, text, count, nil, 0, taker, take)
    }
    api.xTokenize_v2 = { context, text, count, locale, localeCount, taker, take in
      MatchInterface.tokenize(context, text, count, locale, localeCount, taker, take)
    }
    api.xSetAuxdata = { context, pointer, destroy in
      MatchInterface.code(context) { state throws(SQLError) in
        state.match[keptBy: state.function] = KeptPointer(pointer, destroy)
      }
    }
    api.xGetAuxdata = { context, isTaken in
      guard let state = MatchContext.of(context),
        let kept = state.match[keptBy: state.function] as? KeptPointer
      else { return nil }
      if isTaken != 0 {
        kept.destroy = nil
        state.match[keptBy: state.function] = nil
      }
      return kept.pointer
    }
  }

  private static func tokenize(
    _ context: OpaquePointer?, _ text: UnsafePointer<CChar>?, _ count: Int32,
    _ locale: UnsafePointer<CChar>?, _ localeCount: Int32, _ taker: UnsafeMutableRawPointer?,
    _ take: TokenCallback?
  ) -> Int32 {
    guard let state = MatchContext.of(context), let take else { return SQLITE_MISUSE }
    return TokenCalls.run(take, taker) { body throws in
      try state.match.tokenize(
        UnsafeRawBufferPointer(start: text, count: max(Int(count), 0)),
        locale: locale.map { UnsafeRawBufferPointer(start: $0, count: max(Int(localeCount), 0)) }
      ) { token, isColocated, start, end throws(SQLError) in
        do {
          try body(token, isColocated, start, end)
        } catch {
          throw error as? SQLError ?? SQLError(.error)
        }
      }
    }
  }

  private static func setPhrases(_ api: inout Fts5ExtensionApi) {
    api.xPhraseCount = { Int32(truncatingIfNeeded: MatchContext.of($0)?.match.phraseCount ?? 0) }
    api.xPhraseSize = { context, phrase in
      let size = MatchContext.of(context)?.match.size(ofPhrase: Int(phrase)) ?? 0
      return Int32(truncatingIfNeeded: size)
    }
    api.xInstCount = { context, result in
      MatchInterface.code(context) { state throws(SQLError) in
        result?.pointee = Int32(truncatingIfNeeded: try state.match.instances().count)
      }
    }
    api.xInst = { context, index, phrase, column, offset in
      MatchInterface.code(context) { state throws(SQLError) in
        let instances = try state.match.instances()
        guard instances.indices.contains(Int(index)) else { throw SQLError(.range) }
        let instance = instances[Int(index)]
        phrase?.pointee = Int32(truncatingIfNeeded: instance.phrase)
        column?.pointee = Int32(truncatingIfNeeded: instance.column)
        offset?.pointee = Int32(truncatingIfNeeded: instance.offset)
      }
    }
    api.xQueryToken = { context, phrase, index, start, count in
      MatchInterface.code(context) { state throws(SQLError) in
        guard let token = state.match.token(ofPhrase: Int(phrase), at: Int(index)) else {
          throw SQLError(.range)
        }
        try state.copy(token, start, count)
      }
    }
    api.xInstToken = { context, index, place, start, count in
      MatchInterface.code(context) { state throws(SQLError) in
        let instances = try state.match.instances()
        guard instances.indices.contains(Int(index)), place >= 0,
          Int(place) < state.match.size(ofPhrase: instances[Int(index)].phrase)
        else { throw SQLError(.range) }
        start?.pointee = nil
        count?.pointee = 0
        if let token = try state.match.token(ofInstance: Int(index), at: Int(place)) {
          try state.copy(token, start, count)
        }
      }
    }
    api.xQueryPhrase = { context, phrase, userData, body in
      MatchInterface.code(context) { state throws(SQLError) in
        guard let body else { throw SQLError(.misuse) }
        try state.match.forEachRow(ofPhrase: Int(phrase)) { row throws(SQLError) in
          let inner = MatchContext(row, state.function)
          let result = withExtendedLifetime(inner) {
            body(MatchInterface.table, inner.opaque, userData)
          }
          if result == SQLITE_DONE { return false }
          if result != SQLITE_OK { throw SQLError(ResultCode(rawValue: result)) }
          return true
        }
      }
    }
  }

  // MARK: Iterators

  /// An iterator goes through pairs of column and offset, from `a` to `b`.
  private static func setIterators(_ api: inout Fts5ExtensionApi) {
    api.xPhraseFirst = { context, phrase, iterator, column, offset in
      MatchInterface.code(context) { state throws(SQLError) in
        guard 0..<state.match.phraseCount ~= Int(phrase) else { throw SQLError(.range) }
        // Loops end by the column, whatever the code is.
        column?.pointee = -1
        offset?.pointee = -1
        let places = try state.match.places(ofPhrase: Int(phrase))
        try MatchInterface.begin(state, iterator, places)
        MatchInterface.next(iterator, column, offset)
      }
    }
    api.xPhraseNext = { _, iterator, column, offset in
      MatchInterface.next(iterator, column, offset)
    }
    api.xPhraseFirstColumn = { context, phrase, iterator, column in
      MatchInterface.code(context) { state throws(SQLError) in
        guard 0..<state.match.phraseCount ~= Int(phrase) else { throw SQLError(.range) }
        column?.pointee = -1
        let columns = try state.match.columns(ofPhrase: Int(phrase))
        try MatchInterface.begin(state, iterator, columns.map { ($0, 0) })
        MatchInterface.next(iterator, column, nil)
      }
    }
    api.xPhraseNextColumn = { _, iterator, column in MatchInterface.next(iterator, column, nil) }
  }

  private static func begin(
    _ state: MatchContext, _ iterator: UnsafeMutablePointer<Fts5PhraseIter>?,
    _ places: [(column: Int, offset: Int)]
  ) throws(SQLError) {
    let size = places.count * 8
    let memory = try state.allocate(size)
    for (index, place) in places.enumerated() {
      memory.storeBytes(
        of: Int32(truncatingIfNeeded: place.0), toByteOffset: index * 8, as: Int32.self)
      memory.storeBytes(
        of: Int32(truncatingIfNeeded: place.1), toByteOffset: index * 8 + 4, as: Int32.self)
    }
    let start = UnsafePointer(memory.assumingMemoryBound(to: UInt8.self))
    iterator?.pointee.a = start
    iterator?.pointee.b = start + size
  }

  private static func next(
    _ iterator: UnsafeMutablePointer<Fts5PhraseIter>?, _ column: UnsafeMutablePointer<Int32>?,
    _ offset: UnsafeMutablePointer<Int32>?
  ) {
    guard let iterator, let place = iterator.pointee.a, let end = iterator.pointee.b, place < end
    else {
      column?.pointee = -1
      offset?.pointee = -1
      return
    }
    column?.pointee = UnsafeRawPointer(place).loadUnaligned(as: Int32.self)
    offset?.pointee = UnsafeRawPointer(place).loadUnaligned(fromByteOffset: 4, as: Int32.self)
    iterator.pointee.a = place + 8
  }
}
