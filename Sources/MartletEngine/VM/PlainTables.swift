/// A program's side tables as plain memory, so that instructions read them without counting
/// references or checking bounds. The program keeps alive what is in them.
struct PlainTables {
  struct ColumnMap {
    let start: UnsafePointer<Int32>
    let count: Int32
  }

  let constants: UnsafePointer<Register>
  let functionCalls: UnsafePointer<ScalarCall>
  let aggregateCalls: UnsafePointer<AggregateCall>
  let columnMaps: UnsafePointer<ColumnMap>
  private let mapEntries: UnsafeMutablePointer<Int32>

  init(_ tables: SideTables, encoding: TextEncoding) {
    constants = PlainTables.copy(tables.constants)
    functionCalls = PlainTables.copy(tables.functionCalls.map { ScalarCall($0, encoding) })
    aggregateCalls = PlainTables.copy(
      tables.aggregateCalls.map {
        AggregateCall($0.function, $0.collation, $0.argumentCount, encoding)
      })
    mapEntries = .allocate(capacity: max(1, tables.columnMaps.reduce(0) { $0 + $1.count }))
    var end = mapEntries
    var maps: [ColumnMap] = []
    for map in tables.columnMaps {
      maps.append(ColumnMap(start: UnsafePointer(end), count: Int32(map.count)))
      for entry in map {
        end.initialize(to: entry)
        end += 1
      }
    }
    columnMaps = PlainTables.copy(maps)
  }

  private static func copy<Element>(_ elements: [Element]) -> UnsafePointer<Element> {
    let memory = UnsafeMutablePointer<Element>.allocate(capacity: max(1, elements.count))
    for (index, element) in elements.enumerated() {
      (memory + index).initialize(to: element)
    }
    return UnsafePointer(memory)
  }

  /// The elements are plain data: the buffers of constants belong to the program.
  func deallocate() {
    constants.deallocate()
    functionCalls.deallocate()
    aggregateCalls.deallocate()
    columnMaps.deallocate()
    mapEntries.deallocate()
  }
}

/// What a call of a scalar function needs besides registers.
struct ScalarCall {
  unowned(unsafe) let function: ScalarFunction
  unowned(unsafe) let collation: Collation
  let argumentCount: Int
  /// The function takes UTF-8, the database has another encoding.
  let convertsText: Bool

  init(_ call: FunctionCallInfo, _ encoding: TextEncoding) {
    function = call.function
    collation = call.collation
    argumentCount = call.argumentCount
    convertsText = encoding != .utf8 && !call.function.flags.contains(.anyEncoding)
  }
}

/// What the steps of an aggregate function need besides registers.
struct AggregateCall {
  unowned(unsafe) let function: AggregateFunction
  unowned(unsafe) let collation: Collation
  let kind: AggregateFunction.Kind
  let argumentCount: Int
  /// How many registers the accumulator takes.
  let width: Int
  let convertsText: Bool

  init(
    _ function: AggregateFunction, _ collation: Collation, _ argumentCount: Int,
    _ encoding: TextEncoding
  ) {
    self.function = function
    self.collation = collation
    self.argumentCount = argumentCount
    kind = function.kind
    width = function.accumulatorWidth
    // min() and max() compare texts as they are: BINARY is another order in UTF-16.
    let comparesOnly = kind == .minimum || kind == .maximum
    convertsText =
      encoding != .utf8 && !function.flags.contains(.anyEncoding) && !comparesOnly
  }
}
