/// Values that a parameter stands for as the argument of `carray()` (carray).
///
///     let rows = try connection.prepare("SELECT * FROM t WHERE id IN carray(?)")
///     try rows.bind(array: [.integer(3), .integer(7)], at: 1)
public final class BoundArray: @unchecked Sendable {
  /// The elements of an array in memory, as C has them. The raw values are those of
  /// `sqlite3_carray_bind`.
  public enum ElementType: Int32, Sendable {
    case int32 = 0
    case int64, double
    /// `char *`: null, or UTF-8 up to a zero.
    case text
    /// `struct iovec`: the address of bytes, and how many.
    case blob

    /// As the third argument of `carray()` names it.
    var name: String {
      switch self {
      case .int32: "int32"
      case .int64: "int64"
      case .double: "double"
      case .text: "char*"
      case .blob: "struct iovec"
      }
    }

    static let all: [ElementType] = [.int32, .int64, .double, .text, .blob]
  }

  /// What an array of bytes consists of, in C `struct iovec`.
  public struct Bytes {
    public var start: UnsafeRawPointer?
    public var count: Int

    public init(start: UnsafeRawPointer?, count: Int) {
      self.start = start
      self.count = count
    }
  }

  private enum Contents {
    case values([Value])
    case memory(UnsafeRawPointer, ElementType)
  }

  /// The type under which it is bound.
  public static let pointerType = "carray-bind"

  private let contents: Contents
  let count: Int
  private let release: (() -> Void)?

  public init(_ values: [Value]) {
    contents = .values(values)
    count = values.count
    release = nil
  }

  /// - Parameters:
  ///   - start: The first element; what it and the others refer to stays until `release` is called.
  ///   - release: Called when nobody needs the memory any more.
  public init(
    _ start: UnsafeRawPointer?, count: Int, of type: ElementType, release: (() -> Void)? = nil
  ) {
    contents = start.map { .memory($0, type) } ?? .values([])
    self.count = start == nil ? 0 : max(0, count)
    self.release = release
  }

  deinit { release?() }

  var typeName: String? {
    if case .memory(_, let type) = contents { return type.name }
    return nil
  }

  /// - Parameter index: less than `count`.
  func read(_ index: Int, into value: borrowing VirtualTableValue) throws(SQLError) {
    switch contents {
    case .values(let values): try value.set(values[index])
    case .memory(let start, let type):
      switch type {
      case .int32:
        value.set(Int64(start.loadUnaligned(fromByteOffset: index &* 4, as: Int32.self)))
      case .int64:
        value.set(start.loadUnaligned(fromByteOffset: index &* 8, as: Int64.self))
      case .double:
        value.set(start.loadUnaligned(fromByteOffset: index &* 8, as: Double.self))
      case .text:
        let texts = start.assumingMemoryBound(to: UnsafeRawPointer?.self)
        guard let text = texts[index] else { return }
        var count = 0
        while text.load(fromByteOffset: count, as: UInt8.self) != 0 { count &+= 1 }
        try value.set(text: UnsafeRawBufferPointer(start: text, count: count))
      case .blob:
        let bytes = start.assumingMemoryBound(to: Bytes.self)[index]
        guard let first = bytes.start else { return }
        try value.set(blob: UnsafeRawBufferPointer(start: first, count: max(0, bytes.count)))
      }
    }
  }
}

/// An object that stands for an address of the program: what `sqlite3_bind_pointer` passes.
public protocol AddressedObject: AnyObject {
  var address: UnsafeMutableRawPointer? { get }
}
