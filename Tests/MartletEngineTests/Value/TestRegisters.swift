@testable import MartletEngine

/// A value to put into a register, and what to expect there.
enum TestValue: Equatable, CustomStringConvertible {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  init(_ register: Register) {
    switch register.tag {
    case .null: self = .null
    case .integer: self = .integer(register.integer)
    case .real: self = .real(register.real)
    case .text: self = .text(String(decoding: register.byteBuffer, as: UTF8.self))
    case .blob: self = .blob(Array(register.byteBuffer))
    }
  }

  /// As SQLite's quote() prints it; reals are left out of that.
  var description: String {
    switch self {
    case .null: return "NULL"
    case .integer(let value): return "\(value)"
    case .real(let value): return "\(value)"
    case .text(let text): return "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))'"
    case .blob(let bytes):
      let digits = Array("0123456789ABCDEF")
      return "X'" + bytes.map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }.joined() + "'"
    }
  }
}

/// Registers that are freed with their owner.
final class TestRegisters {
  let pointer: UnsafeMutablePointer<Register>
  let count: Int

  init(count: Int) {
    self.count = count
    pointer = .allocate(capacity: count)
    pointer.initialize(repeating: Register(), count: count)
  }

  convenience init(_ values: [TestValue]) throws {
    self.init(count: max(values.count, 1))
    for (index, value) in values.enumerated() { try set(index, value) }
  }

  deinit {
    for index in 0..<count { pointer[index].deinitialize() }
    pointer.deallocate()
  }

  subscript(index: Int) -> TestValue { TestValue(pointer[index]) }

  func set(_ index: Int, _ value: TestValue) throws {
    switch value {
    case .null: pointer[index].setNull()
    case .integer(let number): pointer[index].setInteger(number)
    case .real(let number): pointer[index].setReal(number)
    case .text(let text): try setBytes(index, .text, Array(text.utf8))
    case .blob(let bytes): try setBytes(index, .blob, bytes)
    }
  }

  func setBytes(_ index: Int, _ tag: StorageClass, _ bytes: [UInt8]) throws {
    try bytes.withUnsafeBufferPointer { buffer throws(SQLError) in
      try pointer[index].setOwned(
        tag, copying: buffer.baseAddress ?? Register.emptyBytes, buffer.count)
    }
  }
}
