import MartletEngine

extension FTS4Index {
  func mergeIncrementally(_ text: [UInt8]) throws(SQLError) {}
  func mergeIncrementally(amount: Int64, leastSegments: Int) throws(SQLError) {}

  static func readNumber(_ text: inout ArraySlice<UInt8>) -> Int {
    var number = 0
    while let digit = text.first, digit &- 0x30 < 10, number < 214_748_363 {
      number = number * 10 + Int(digit & 15)
      text.removeFirst()
    }
    return number
  }
}

extension FTS4Table {
  func isIntact() throws(SQLError) -> Bool { true }
}
