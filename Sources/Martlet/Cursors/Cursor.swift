/// A source of elements that are made one by one, and whose making may fail.
///
/// A cursor is gone through once. After its last element, `next()` gives nil.
///
/// ```swift
/// let names = try String.fetchCursor(db, sql: "SELECT name FROM player")
/// while let name = try names.next() { print(name) }
/// ```
public protocol Cursor<Element>: AnyObject {
  /// What the cursor gives.
  associatedtype Element

  /// The next element; nil at the end.
  func next() throws -> Element?

  /// Calls a function for every element that is left.
  func forEach(_ body: (Element) throws -> Void) throws
}

extension Cursor {
  /// There are no more elements. Asking takes one out of the cursor.
  public var isEmpty: Bool {
    get throws { try next() == nil }
  }

  /// Calls a function for every element that is left.
  @inlinable
  public func forEach(_ body: (Element) throws -> Void) throws {
    while let element = try next() { try body(element) }
  }

  /// Whether an element fulfils the predicate.
  public func contains(where predicate: (Element) throws -> Bool) throws -> Bool {
    try first(where: predicate) != nil
  }

  /// The elements with their numbers from 0.
  public func enumerated() -> EnumeratedCursor<Self> { EnumeratedCursor(self) }

  /// The elements that fulfil a predicate.
  public func filter(_ isIncluded: @escaping (Element) throws -> Bool) -> FilterCursor<Self> {
    FilterCursor(self, isIncluded)
  }

  /// The first element that fulfils a predicate.
  public func first(where predicate: (Element) throws -> Bool) throws -> Element? {
    while let element = try next() {
      if try predicate(element) { return element }
    }
    return nil
  }

  /// The first element.
  public func first() throws -> Element? { try next() }

  /// What a function makes of the elements, without those of which it makes nil.
  public func compactMap<ElementOfResult>(
    _ transform: @escaping (Element) throws -> ElementOfResult?
  ) -> MapCursor<FilterCursor<MapCursor<Self, ElementOfResult?>>, ElementOfResult> {
    map(transform).filter { $0 != nil }.map { $0! }
  }

  /// The elements from the first on that does not fulfil the predicate.
  public func drop(
    while predicate: @escaping (Element) throws -> Bool
  ) -> DropWhileCursor<Self> {
    DropWhileCursor(self, predicate)
  }

  /// All elements but the first ones.
  public func dropFirst(_ count: Int) -> DropFirstCursor<Self> { DropFirstCursor(self, count) }

  /// All elements but the first.
  public func dropFirst() -> DropFirstCursor<Self> { dropFirst(1) }

  /// All elements but the last ones.
  public func dropLast(_ count: Int) throws -> [Element] { try Array(self).dropLast(count) }

  /// All elements but the last.
  public func dropLast() throws -> [Element] { try dropLast(1) }

  /// The elements of the sequences that a function makes of the elements.
  public func flatMap<SegmentOfResult: Sequence>(
    _ transform: @escaping (Element) throws -> SegmentOfResult
  ) -> FlattenCursor<MapCursor<Self, AnyCursor<SegmentOfResult.Element>>> {
    flatMap { try AnyCursor(transform($0)) }
  }

  /// The elements of the cursors that a function makes of the elements.
  public func flatMap<SegmentOfResult: Cursor>(
    _ transform: @escaping (Element) throws -> SegmentOfResult
  ) -> FlattenCursor<MapCursor<Self, SegmentOfResult>> {
    FlattenCursor(map(transform))
  }

  /// What a function makes of the elements.
  public func map<T>(_ transform: @escaping (Element) throws -> T) -> MapCursor<Self, T> {
    MapCursor(self, transform)
  }

  /// The greatest element by an order.
  public func max(
    by areInIncreasingOrder: (Element, Element) throws -> Bool
  ) throws -> Element? {
    guard var result = try next() else { return nil }
    while let element = try next() {
      if try areInIncreasingOrder(result, element) { result = element }
    }
    return result
  }

  /// The least element by an order.
  public func min(
    by areInIncreasingOrder: (Element, Element) throws -> Bool
  ) throws -> Element? {
    guard var result = try next() else { return nil }
    while let element = try next() {
      if try areInIncreasingOrder(element, result) { result = element }
    }
    return result
  }

  /// The first elements.
  public func prefix(_ maxLength: Int) -> PrefixCursor<Self> { PrefixCursor(self, maxLength) }

  /// The elements before the first that does not fulfil the predicate.
  public func prefix(
    while predicate: @escaping (Element) throws -> Bool
  ) -> PrefixWhileCursor<Self> {
    PrefixWhileCursor(self, predicate)
  }

  /// Combines the elements into one value.
  public func reduce<Result>(
    _ initialResult: Result, _ nextPartialResult: (Result, Element) throws -> Result
  ) throws -> Result {
    var result = initialResult
    while let element = try next() { result = try nextPartialResult(result, element) }
    return result
  }

  /// Takes the elements into one value.
  public func reduce<Result>(
    into initialResult: Result, _ updateAccumulatingResult: (inout Result, Element) throws -> Void
  ) throws -> Result {
    var result = initialResult
    while let element = try next() { try updateAccumulatingResult(&result, element) }
    return result
  }

  /// The last elements.
  public func suffix(_ maxLength: Int) throws -> [Element] { try Array(self).suffix(maxLength) }
}

extension Cursor where Element: Equatable {
  /// Whether an element is among those that are left.
  public func contains(_ element: Element) throws -> Bool { try contains { $0 == element } }
}

extension Cursor where Element: Comparable {
  /// The greatest element.
  public func max() throws -> Element? { try max(by: <) }

  /// The least element.
  public func min() throws -> Element? { try min(by: <) }
}

extension Cursor where Element: Cursor {
  /// The elements of the cursors, one after the other.
  public func joined() -> FlattenCursor<Self> { FlattenCursor(self) }
}

extension Cursor where Element: Sequence {
  /// The elements of the sequences, one after the other.
  public func joined() -> FlattenCursor<MapCursor<Self, AnyCursor<Element.Element>>> {
    flatMap { $0 }
  }
}

extension Cursor where Element: StringProtocol {
  /// The texts in one, with a separator between them.
  public func joined(separator: String = "") throws -> String {
    var result = ""
    var isFirst = true
    while let element = try next() {
      if !isFirst { result += separator }
      result += element
      isFirst = false
    }
    return result
  }
}
