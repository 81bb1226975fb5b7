import MartletEngine

extension FTS4Table {
  func isIntact() throws(SQLError) -> Bool { true }
}
