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
  let rowScans: UnsafePointer<RowScan>
  let keyInfos: UnsafePointer<Unmanaged<KeyInfo>>
  let changedTables: UnsafePointer<Unmanaged<Table>>
  /// The affinities of all lists, one after the other, and where each list begins.
  let affinities: UnsafePointer<Affinity>
  let affinityStarts: UnsafePointer<Int>
  /// Where all of them lie; nil where all are empty, as those of many programs are.
  private let memory: UnsafeMutableRawPointer?

  /// Tables that are all empty: nothing is read of them.
  private init() {
    let nothing = UnsafeRawPointer(bitPattern: Layout.alignment).unsafelyUnwrapped
    constants = nothing.assumingMemoryBound(to: Register.self)
    functionCalls = nothing.assumingMemoryBound(to: ScalarCall.self)
    aggregateCalls = nothing.assumingMemoryBound(to: AggregateCall.self)
    columnMaps = nothing.assumingMemoryBound(to: ColumnMap.self)
    rowScans = nothing.assumingMemoryBound(to: RowScan.self)
    keyInfos = nothing.assumingMemoryBound(to: Unmanaged<KeyInfo>.self)
    changedTables = nothing.assumingMemoryBound(to: Unmanaged<Table>.self)
    affinities = nothing.assumingMemoryBound(to: Affinity.self)
    affinityStarts = nothing.assumingMemoryBound(to: Int.self)
    memory = nil
  }

  init(_ tables: SideTables, encoding: TextEncoding) {
    if tables.areEmptyForRows { self.init() } else { self.init(copying: tables, encoding) }
  }

  private init(copying tables: SideTables, _ encoding: TextEncoding) {
    let affinities = tables.affinities, maps = tables.columnMaps
    let affinityCount = affinities.reduce(0) { $0 + $1.count }
    let entryCount = maps.reduce(0) { $0 + $1.count }
    var layout = Layout()
    layout.add(Register.self, tables.constants.count)
    layout.add(ScalarCall.self, tables.functionCalls.count)
    layout.add(AggregateCall.self, tables.aggregateCalls.count)
    layout.add(ColumnMap.self, maps.count)
    layout.add(RowScan.self, tables.rowScans.count)
    layout.add(Unmanaged<KeyInfo>.self, tables.keyInfos.count)
    layout.add(Unmanaged<Table>.self, tables.changedTables.count)
    layout.add(Int.self, affinities.count)
    layout.add(Int32.self, entryCount)
    layout.add(Affinity.self, affinityCount)
    memory = layout.byteCount == 0 ? nil : Memory.take(layout.byteCount)
    // Nothing is read of a table that is empty.
    var room = Room(
      next: memory ?? UnsafeMutableRawPointer(bitPattern: Layout.alignment).unsafelyUnwrapped)
    constants = room.copy(tables.constants) { $0 }
    functionCalls = room.copy(tables.functionCalls) { ScalarCall($0, encoding) }
    aggregateCalls = room.copy(tables.aggregateCalls) {
      AggregateCall($0.function, $0.collation, $0.argumentCount, encoding)
    }
    let columnMaps = room.take(ColumnMap.self, maps.count)
    rowScans = room.copy(tables.rowScans) { $0.scan }
    keyInfos = room.copy(tables.keyInfos) { .passUnretained($0) }
    changedTables = room.copy(tables.changedTables) { .passUnretained($0) }
    let starts = room.take(Int.self, affinities.count)
    var entries = room.take(Int32.self, entryCount)
    for (index, map) in maps.enumerated() {
      (columnMaps + index).initialize(to: ColumnMap(start: entries, count: Int32(map.count)))
      for entry in map {
        entries.initialize(to: entry)
        entries += 1
      }
    }
    self.columnMaps = UnsafePointer(columnMaps)
    let all = room.take(Affinity.self, affinityCount)
    var end = 0
    for (index, list) in affinities.enumerated() {
      (starts + index).initialize(to: end)
      for affinity in list {
        (all + end).initialize(to: affinity)
        end += 1
      }
    }
    affinityStarts = UnsafePointer(starts)
    self.affinities = UnsafePointer(all)
  }

  /// How much memory tables behind each other take.
  private struct Layout {
    static let alignment = 16
    var byteCount = 0

    static func byteCount<Item>(of type: Item.Type, _ count: Int) -> Int {
      (count * MemoryLayout<Item>.stride + alignment - 1) & -alignment
    }

    mutating func add<Item>(_ type: Item.Type, _ count: Int) {
      byteCount += Layout.byteCount(of: type, count)
    }
  }

  /// Memory that tables take one after the other.
  private struct Room {
    var next: UnsafeMutableRawPointer

    mutating func take<Item>(_ type: Item.Type, _ count: Int) -> UnsafeMutablePointer<Item> {
      let memory = next.assumingMemoryBound(to: Item.self)
      next += Layout.byteCount(of: type, count)
      return memory
    }

    mutating func copy<Element, Plain>(
      _ elements: [Element], _ plain: (Element) -> Plain
    ) -> UnsafePointer<Plain> {
      let memory = take(Plain.self, elements.count)
      for (index, element) in elements.enumerated() {
        (memory + index).initialize(to: plain(element))
      }
      return UnsafePointer(memory)
    }
  }

  /// The elements are plain data: the buffers of constants belong to the program.
  func deallocate() { Memory.systemFree(memory) }
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
