/// A program's side tables as plain memory, so that instructions read them without counting
/// references or checking bounds. The side tables keep alive what is in them.
struct PlainTables {
  struct ColumnMap {
    let start: UnsafePointer<Int32>
    let count: Int32
  }

  let constants: UnsafePointer<Register>
  let functionCalls: UnsafePointer<ScalarCall>
  let aggregateCalls: UnsafePointer<AggregateCall>
  let columnMaps: UnsafePointer<ColumnMap>
  let keyInfos: UnsafePointer<Unmanaged<KeyInfo>>
  let changedTables: UnsafePointer<Unmanaged<Table>>
  /// The affinities of all lists, one after the other, and where each list begins.
  let affinities: UnsafePointer<Affinity>
  let affinityStarts: UnsafePointer<Int>
  private let mapEntries: UnsafeMutablePointer<Int32>?

  init(_ tables: SideTables, encoding: TextEncoding) {
    constants = PlainTables.copy(tables.constants) { $0 }
    keyInfos = PlainTables.copy(tables.keyInfos) { .passUnretained($0) }
    changedTables = PlainTables.copy(tables.changedTables) { .passUnretained($0) }
    affinities = PlainTables.copy(tables.affinities.flatMap { $0 }) { $0 }
    var start = 0
    affinityStarts = PlainTables.copy(tables.affinities) {
      start += $0.count
      return start - $0.count
    }
    functionCalls = PlainTables.copy(tables.functionCalls) { ScalarCall($0, encoding) }
    aggregateCalls = PlainTables.copy(tables.aggregateCalls) {
      AggregateCall($0.function, $0.collation, $0.argumentCount, encoding)
    }
    guard !tables.columnMaps.isEmpty else {
      mapEntries = nil
      columnMaps = PlainTables.copy([ColumnMap]()) { $0 }
      return
    }
    let entries = UnsafeMutablePointer<Int32>.allocate(
      capacity: tables.columnMaps.reduce(0) { $0 + $1.count })
    mapEntries = entries
    var end = entries
    var maps: [ColumnMap] = []
    for map in tables.columnMaps {
      maps.append(ColumnMap(start: UnsafePointer(end), count: Int32(map.count)))
      for entry in map {
        end.initialize(to: entry)
        end += 1
      }
    }
    columnMaps = PlainTables.copy(maps) { $0 }
  }

  /// Most tables of most programs are empty, and take no memory.
  private static func copy<Element, Plain>(
    _ elements: [Element], _ plain: (Element) -> Plain
  ) -> UnsafePointer<Plain> {
    guard !elements.isEmpty else { return nowhere() }
    let memory = UnsafeMutablePointer<Plain>.allocate(capacity: elements.count)
    for (index, element) in elements.enumerated() {
      (memory + index).initialize(to: plain(element))
    }
    return UnsafePointer(memory)
  }

  /// Stands for the memory of an empty table.
  private static func nowhere<Plain>() -> UnsafePointer<Plain> {
    UnsafePointer(bitPattern: 0x10).unsafelyUnwrapped
  }

  private static func deallocate<Plain>(_ table: UnsafePointer<Plain>) {
    if table != nowhere() { table.deallocate() }
  }

  /// The elements are plain data: the buffers of constants belong to the program.
  func deallocate() {
    PlainTables.deallocate(constants)
    PlainTables.deallocate(functionCalls)
    PlainTables.deallocate(aggregateCalls)
    PlainTables.deallocate(columnMaps)
    PlainTables.deallocate(keyInfos)
    PlainTables.deallocate(changedTables)
    PlainTables.deallocate(affinities)
    PlainTables.deallocate(affinityStarts)
    mapEntries?.deallocate()
  }
}

/// What a call of a scalar function needs besides registers.
struct ScalarCall {
  unowned(unsafe) let function: ScalarFunction
  unowned(unsafe) let collation: Collation
  let argumentCount: Int
  /// The function takes UTF-8, the database has another encoding.
  let convertsText: Bool
  /// The result is an argument as it was, or NULL.
  let givesArgument: Bool
  /// The application's: see `FunctionFlags.application`.
  let isApplication: Bool
  /// For functions that take values as they are (`RawInvocation`).
  let raw: Unmanaged<RawFunction>?
  let constantArguments: UInt32
  let storedPlace: StoredPlace

  init(_ call: FunctionCallInfo, _ encoding: TextEncoding) {
    function = call.function
    collation = call.collation
    argumentCount = call.argumentCount
    convertsText = encoding != .utf8 && !call.function.flags.contains(.anyEncoding)
    givesArgument = call.function.flags.contains(.givesArgument)
    isApplication = call.function.flags.contains(.application)
    raw = call.function.raw.map { .passUnretained($0) }
    constantArguments = call.constantArguments
    storedPlace = call.storedPlace
  }
}

/// What the steps of an aggregate function need besides registers.
struct AggregateCall {
  unowned(unsafe) let function: AggregateFunction
  let reference: Unmanaged<AggregateFunction>
  unowned(unsafe) let collation: Collation
  let kind: AggregateFunction.Kind
  let argumentCount: Int
  /// How many registers the accumulator takes.
  let width: Int
  let convertsText: Bool
  let isApplication: Bool
  /// For functions that take values as they are (`RawInvocation`).
  let raw: Unmanaged<RawAggregate>?

  init(
    _ function: AggregateFunction, _ collation: Collation, _ argumentCount: Int,
    _ encoding: TextEncoding
  ) {
    self.function = function
    reference = .passUnretained(function)
    self.collation = collation
    self.argumentCount = argumentCount
    kind = function.kind
    isApplication = function.flags.contains(.application)
    raw = function.raw.map { .passUnretained($0) }
    width = function.accumulatorWidth
    // min() and max() compare texts as they are: BINARY is another order in UTF-16.
    let comparesOnly = kind == .minimum || kind == .maximum
    convertsText =
      encoding != .utf8 && !function.flags.contains(.anyEncoding) && !comparesOnly
  }
}
