// File names are bytes to the system, and need not be UTF-8, as the texts of SQL and of schemas are to
// SQLite (old files have names in Latin-1); Swift's Strings must be. So a byte that is not part of UTF-8 stands in a String as one of the last
// 128 scalars of the private use planes, U+10FF80 to U+10FFFF, in the order of the bytes 0x80 to
// 0xFF; and where a name has one of these scalars itself, its four bytes stand so, too. Every name
// has a String of its own, and comes back from it as it was.

extension String {
  private static let firstEscape: UInt32 = 0x10_ff80

  /// The file name that has these bytes. What is not UTF-8 stands as private scalars.
  public init(fileNameBytes bytes: UnsafeRawBufferPointer) {
    // Most names: nothing else has to be looked at.
    if bytes.allSatisfy({ $0 < 0x80 }) {
      self = String(decoding: bytes, as: UTF8.self)
    } else if !bytes.contains(String.firstByteOfEscapes),
      let text = String(validating: bytes, as: UTF8.self)
    {
      self = text
    } else {
      self = String.escaping(bytes)
    }
  }

  /// The file name that a zero byte ends.
  public init(fileName: UnsafePointer<CChar>) {
    let count = fileName.withMemoryRebound(to: UInt8.self, capacity: 1) { Memory.cStringCount($0) }
    self.init(fileNameBytes: UnsafeRawBufferPointer(start: fileName, count: count))
  }

  /// The bytes of a file name.
  public var fileNameBytes: [UInt8] {
    guard mayHaveEscapes else { return Array(utf8) }
    var bytes: [UInt8] = []
    for scalar in unicodeScalars {
      if scalar.value >= String.firstEscape {
        bytes.append(UInt8(truncatingIfNeeded: scalar.value))
      } else {
        bytes += Array(scalar.utf8)
      }
    }
    return bytes
  }

  /// Lends a file name as the system takes it.
  public func withFileName<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    guard mayHaveEscapes else { return withCString(body) }
    let name = fileNameBytes.map { CChar(bitPattern: $0) } + [0]
    return name.withUnsafeBufferPointer { body($0.baseAddress.unsafelyUnwrapped) }
  }

  /// A file name for a person to read: bytes that are not UTF-8 are replaced.
  public var legibleFileName: String { String(decoding: fileNameBytes, as: UTF8.self) }

  /// A piece of SQL, or a name in it, that has these bytes; `textBytes` gives them back.
  init(text bytes: UnsafeBufferPointer<UInt8>) {
    self.init(fileNameBytes: UnsafeRawBufferPointer(bytes))
  }

  /// The bytes of a name or message of the engine.
  public var textBytes: [UInt8] { fileNameBytes }

  /// Lends the bytes of a name or message of the engine.
  public func withTextBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    if mayHaveEscapes { return textBytes.withUnsafeBufferPointer(body) }
    var text = self
    return text.withUTF8(body)
  }

  private var mayHaveEscapes: Bool {
    utf8.withContiguousStorageIfAvailable {
      Memory.first(String.firstByteOfEscapes, in: $0) != nil
    } ?? true
  }

  /// Of every scalar from U+100000 on.
  private static var firstByteOfEscapes: UInt8 { 0xf4 }

  private static func escaping(_ bytes: UnsafeRawBufferPointer) -> String {
    var scalars = String.UnicodeScalarView()
    var index = 0
    while index < bytes.count {
      let length = scalarLength(bytes[index])
      let end = Swift.min(index + length, bytes.count)
      let part = UnsafeRawBufferPointer(rebasing: bytes[index..<end])
      let text = length == 0 ? nil : String(validating: part, as: UTF8.self)
      if let scalar = text?.unicodeScalars.first, scalar.value < firstEscape {
        scalars.append(scalar)
        index = end
      } else {
        let value = firstEscape + UInt32(bytes[index] & 0x7f)
        if let scalar = Unicode.Scalar(value) { scalars.append(scalar) }
        index += 1
      }
    }
    return String(scalars)
  }

  /// How many bytes a scalar has that begins with this one; 0 where none does.
  private static func scalarLength(_ first: UInt8) -> Int {
    switch first {
    case ..<0x80: 1
    case 0xc2..<0xe0: 2
    case 0xe0..<0xf0: 3
    case 0xf0..<0xf5: 4
    default: 0
    }
  }
}
