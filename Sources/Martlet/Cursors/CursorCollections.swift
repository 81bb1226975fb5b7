// Collections made of what a cursor has left.

extension RangeReplaceableCollection {
  /// The elements of a cursor.
  @inlinable
  public init(_ cursor: some Cursor<Element>) throws {
    self.init()
    try append(contentsOf: cursor)
  }

  /// The elements of a cursor, with memory for so many from the start.
  @inlinable
  public init(_ cursor: some Cursor<Element>, minimumCapacity: Int) throws {
    self.init()
    reserveCapacity(minimumCapacity)
    try append(contentsOf: cursor)
  }

  /// Adds the elements of a cursor.
  @inlinable
  public mutating func append(contentsOf newElements: some Cursor<Element>) throws {
    try newElements.forEach { append($0) }
  }
}

extension Dictionary {
  /// The elements of a cursor, grouped by a key.
  public init<C: Cursor>(
    grouping cursor: C, by keyForValue: (C.Element) throws -> Key
  ) throws where Value == [C.Element] {
    self.init()
    try cursor.forEach { self[try keyForValue($0), default: []].append($0) }
  }

  /// The elements of a cursor, grouped by a key, with memory for so many keys from the start.
  public init<C: Cursor>(
    minimumCapacity: Int, grouping cursor: C, by keyForValue: (C.Element) throws -> Key
  ) throws where Value == [C.Element] {
    self.init(minimumCapacity: minimumCapacity)
    try cursor.forEach { self[try keyForValue($0), default: []].append($0) }
  }

  /// The pairs of a cursor, whose keys must differ.
  public init(uniqueKeysWithValues keysAndValues: some Cursor<(Key, Value)>) throws {
    try self.init(minimumCapacity: 0, uniqueKeysWithValues: keysAndValues)
  }

  /// The pairs of a cursor, whose keys must differ, with memory for so many from the start.
  public init(
    minimumCapacity: Int, uniqueKeysWithValues keysAndValues: some Cursor<(Key, Value)>
  ) throws {
    self.init(minimumCapacity: minimumCapacity)
    try keysAndValues.forEach { key, value in
      let old = updateValue(value, forKey: key)
      precondition(old == nil, "duplicate key: \(key)")
    }
  }
}

extension Set {
  /// The elements of a cursor.
  @inlinable
  public init(_ cursor: some Cursor<Element>) throws {
    self.init()
    try formUnion(cursor)
  }

  /// The elements of a cursor, with memory for so many from the start.
  @inlinable
  public init(_ cursor: some Cursor<Element>, minimumCapacity: Int) throws {
    self.init(minimumCapacity: minimumCapacity)
    try formUnion(cursor)
  }

  /// The set with the elements of a cursor.
  public func union(_ cursor: some Cursor<Element>) throws -> Set<Element> {
    var result = self
    try result.formUnion(cursor)
    return result
  }

  /// Adds the elements of a cursor.
  @inlinable
  public mutating func formUnion(_ cursor: some Cursor<Element>) throws {
    while let element = try cursor.next() { insert(element) }
  }

  /// Those elements of the set that the cursor has.
  public func intersection(_ cursor: some Cursor<Element>) throws -> Set<Element> {
    var result = Set<Element>()
    while let element = try cursor.next() {
      if contains(element) { result.insert(element) }
    }
    return result
  }

  /// Keeps only elements that the cursor has.
  public mutating func formIntersection(_ cursor: some Cursor<Element>) throws {
    self = try intersection(cursor)
  }
}

extension Sequence {
  /// The elements of the cursors that a function makes of the elements.
  public func flatMap<SegmentOfResult: Cursor>(
    _ transform: @escaping (Iterator.Element) throws -> SegmentOfResult
  ) -> FlattenCursor<MapCursor<AnyCursor<Iterator.Element>, SegmentOfResult>> {
    AnyCursor(self).flatMap(transform)
  }
}
