// Texts as C's programs give and take them.
import CSQLite3
import MartletEngine

/// Calls the destructor that came with bytes, unless it says that they stay or are to be copied.
@inline(__always)
func finish(_ bytes: UnsafeRawPointer?, _ destroy: Destructor?) {
  let kind = Int(bitPattern: unsafeBitCast(destroy, to: UnsafeRawPointer?.self))
  // SQLITE_STATIC and SQLITE_TRANSIENT.
  if kind != 0 && kind != -1 { destroy?(UnsafeMutableRawPointer(mutating: bytes)) }
}

/// Bytes up to the zero, of one byte or two, that ends a text.
@inline(__always)
func length(_ text: UnsafeRawPointer, _ encoding: TextEncoding) -> Int {
  encoding == .utf8 ? strlen(text.assumingMemoryBound(to: CChar.self)) : 2 * length16(text)
}

/// Units of UTF-16 up to the zero, or up to a number of bytes.
func length16(_ text: UnsafeRawPointer, _ byteLimit: Int = .max) -> Int {
  var offset = 0
  while offset < byteLimit - 1 {
    if text.loadUnaligned(fromByteOffset: offset, as: UInt16.self) == 0 { break }
    offset += 2
  }
  return offset / 2
}

/// Units that UTF-8 text takes in UTF-16.
func units16(of text: UnsafePointer<CChar>, byteCount: Int) -> Int {
  var count = 0
  for index in 0..<byteCount {
    let byte = UInt8(bitPattern: text[index])
    if byte & 0xc0 != 0x80 { count += byte >= 0xf0 ? 2 : 1 }
  }
  return count
}

/// A text in UTF-16 up to its zero; empty for null.
func utf8(_ text: UnsafeRawPointer?) -> String {
  guard let text else { return "" }
  let units = UnsafeRawBufferPointer(start: text, count: 2 * length16(text))
  return String(
    decoding: units.bindMemory(to: UInt16.self), as: UTF16.self)
}

/// Lends bytes with a zero behind them.
func withTerminated<Result>(
  _ bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafePointer<CChar>) -> Result
) -> Result {
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytes.count + 1) { buffer in
    for index in bytes.indices { buffer[index] = CChar(bitPattern: bytes[index]) }
    buffer[bytes.count] = 0
    // Of at least one byte, so it has an address.
    return body(UnsafePointer(buffer.baseAddress.unsafelyUnwrapped))
  }
}

/// A copy of a text that the program frees by `sqlite3_free`; nil without memory.
func allocatedCString(_ text: String) -> UnsafeMutablePointer<CChar>? {
  text.withTextBytes { bytes in
    guard let memory = sqlite3_malloc64(sqlite3_uint64(bytes.count + 1)) else { return nil }
    if let start = bytes.baseAddress { memory.copyMemory(from: start, byteCount: bytes.count) }
    let copy = memory.assumingMemoryBound(to: CChar.self)
    copy[bytes.count] = 0
    return copy
  }
}

extension TextEncoding {
  /// The encoding of a text that is handed over with its byte count (`sqlite3_bind_text64`).
  init?(textCode code: Int32) {
    if code == SQLITE_UTF8_ZT {
      self = .utf8
    } else {
      self.init(code)
    }
  }
}
