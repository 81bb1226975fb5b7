/// One SQL value, copied out of the engine: what hooks show and functions may give.
public enum Value: Sendable, Equatable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  /// The storage class of the value.
  public var storageClass: StorageClass {
    switch self {
    case .null: .null
    case .integer: .integer
    case .real: .real
    case .text: .text
    case .blob: .blob
    }
  }
}

extension Value {
  /// Copies a register whose text is in `encoding`.
  init(copying register: borrowing Register, encoding: TextEncoding) throws(SQLError) {
    switch register.tag {
    case .null: self = .null
    case .integer: self = .integer(register.integer)
    case .real: self = .real(register.real)
    case .text:
      guard encoding != .utf8 else {
        self = .text(String(decoding: register.byteBuffer, as: UTF8.self))
        return
      }
      let text = try TranscodedText(register.byteBuffer, from: encoding, to: .utf8)
      defer { text.deallocate() }
      self = .text(String(decoding: text.bytes, as: UTF8.self))
    case .blob:
      var bytes = Array(register.byteBuffer)
      bytes.append(contentsOf: repeatElement(0, count: Int(register.zeroCount)))
      self = .blob(bytes)
    }
  }
}
