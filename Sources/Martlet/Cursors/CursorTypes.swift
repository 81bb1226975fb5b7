// Cursors over cursors: what the operators of `Cursor` give.

/// A cursor over anything.
public final class AnyCursor<Element>: Cursor {
  private let element: () throws -> Element?

  /// A cursor over another one.
  public init<C: Cursor>(_ base: C) where C.Element == Element { element = base.next }

  /// A cursor over an iterator.
  public convenience init(iterator: some IteratorProtocol<Element>) {
    var iterator = iterator
    self.init { iterator.next() }
  }

  /// A cursor over a sequence.
  public convenience init(_ sequence: some Sequence<Element>) {
    self.init(iterator: sequence.makeIterator())
  }

  /// A cursor over the results of a function.
  public init(_ next: @escaping () throws -> Element?) { element = next }

  /// The next element; nil at the end.
  public func next() throws -> Element? { try element() }
}

@available(*, unavailable)
extension AnyCursor: Sendable {}

/// All elements of a cursor but the first ones.
public final class DropFirstCursor<Base: Cursor>: Cursor {
  private let base: Base
  private var count: Int

  init(_ base: Base, _ count: Int) {
    precondition(count >= 0, "a negative count of elements")
    self.base = base
    self.count = count
  }

  /// The next element; nil at the end.
  public func next() throws -> Base.Element? {
    while count > 0 {
      guard try base.next() != nil else {
        count = 0
        return nil
      }
      count -= 1
    }
    return try base.next()
  }
}

@available(*, unavailable)
extension DropFirstCursor: Sendable {}

/// The elements of a cursor from the first on that does not fulfil a predicate.
public final class DropWhileCursor<Base: Cursor>: Cursor {
  private let base: Base
  private var predicate: ((Base.Element) throws -> Bool)?

  init(_ base: Base, _ predicate: @escaping (Base.Element) throws -> Bool) {
    self.base = base
    self.predicate = predicate
  }

  /// The next element; nil at the end.
  public func next() throws -> Base.Element? {
    guard let predicate else { return try base.next() }
    while let element = try base.next() {
      if try !predicate(element) {
        self.predicate = nil
        return element
      }
    }
    return nil
  }
}

@available(*, unavailable)
extension DropWhileCursor: Sendable {}

/// The elements of a cursor with their numbers from 0.
public final class EnumeratedCursor<Base: Cursor>: Cursor {
  private let base: Base
  private var count = 0

  init(_ base: Base) { self.base = base }

  /// The next element; nil at the end.
  public func next() throws -> (Int, Base.Element)? {
    guard let element = try base.next() else { return nil }
    defer { count += 1 }
    return (count, element)
  }

  /// Calls a function for every element that is left, as the base goes through them.
  public func forEach(_ body: ((Int, Base.Element)) throws -> Void) throws {
    try base.forEach { element in
      let number = count
      count += 1
      try body((number, element))
    }
  }
}

@available(*, unavailable)
extension EnumeratedCursor: Sendable {}

/// The elements of a cursor that fulfil a predicate.
public final class FilterCursor<Base: Cursor>: Cursor {
  private let base: Base
  private let isIncluded: (Base.Element) throws -> Bool

  init(_ base: Base, _ isIncluded: @escaping (Base.Element) throws -> Bool) {
    self.base = base
    self.isIncluded = isIncluded
  }

  /// The next element; nil at the end.
  public func next() throws -> Base.Element? {
    while let element = try base.next() {
      if try isIncluded(element) { return element }
    }
    return nil
  }

  /// Calls a function for every element that is left, as the base goes through them.
  public func forEach(_ body: (Base.Element) throws -> Void) throws {
    try base.forEach { element in
      if try isIncluded(element) { try body(element) }
    }
  }
}

@available(*, unavailable)
extension FilterCursor: Sendable {}

/// The elements of the cursors that a cursor gives.
public final class FlattenCursor<Base: Cursor>: Cursor where Base.Element: Cursor {
  private let base: Base
  private var segment: Base.Element?

  init(_ base: Base) { self.base = base }

  /// The next element; nil at the end.
  public func next() throws -> Base.Element.Element? {
    while true {
      if let element = try segment?.next() { return element }
      guard let next = try base.next() else {
        segment = nil
        return nil
      }
      segment = next
    }
  }
}

@available(*, unavailable)
extension FlattenCursor: Sendable {}

/// What a function makes of the elements of a cursor.
public final class MapCursor<Base: Cursor, Element>: Cursor {
  private let base: Base
  private let transform: (Base.Element) throws -> Element

  init(_ base: Base, _ transform: @escaping (Base.Element) throws -> Element) {
    self.base = base
    self.transform = transform
  }

  /// The next element; nil at the end.
  public func next() throws -> Element? {
    guard let element = try base.next() else { return nil }
    return try transform(element)
  }

  /// Calls a function for every element that is left, as the base goes through them.
  public func forEach(_ body: (Element) throws -> Void) throws {
    try base.forEach { try body(transform($0)) }
  }
}

@available(*, unavailable)
extension MapCursor: Sendable {}

/// The first elements of a cursor.
public final class PrefixCursor<Base: Cursor>: Cursor {
  private let base: Base
  private var count: Int

  init(_ base: Base, _ count: Int) {
    precondition(count >= 0, "a negative count of elements")
    self.base = base
    self.count = count
  }

  /// The next element; nil at the end.
  public func next() throws -> Base.Element? {
    guard count > 0 else { return nil }
    count -= 1
    return try base.next()
  }
}

@available(*, unavailable)
extension PrefixCursor: Sendable {}

/// The elements of a cursor before the first that does not fulfil a predicate.
public final class PrefixWhileCursor<Base: Cursor>: Cursor {
  private let base: Base
  private var predicate: ((Base.Element) throws -> Bool)?

  init(_ base: Base, _ predicate: @escaping (Base.Element) throws -> Bool) {
    self.base = base
    self.predicate = predicate
  }

  /// The next element; nil at the end.
  public func next() throws -> Base.Element? {
    guard let predicate, let element = try base.next() else { return nil }
    if try predicate(element) { return element }
    self.predicate = nil
    return nil
  }
}

@available(*, unavailable)
extension PrefixWhileCursor: Sendable {}
