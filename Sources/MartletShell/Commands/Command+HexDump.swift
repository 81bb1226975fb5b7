import MartletEngine

extension Command {
  /// `.dbtotxt`: the pages as hexadecimal text; lines of zeros are left out.
  func dumpPages(in session: Session) -> Result {
    guard let connection = session.open() else { return .failed }
    let file = session.path.split(separator: "/").last.map(String.init) ?? ""
    let name = file.isEmpty || file == ":memory:" ? "unk.db" : file
    return attempt(in: session) { () throws(SQLError) in
      let sizes = try connection.prepare(
        "SELECT page_size, page_count FROM pragma_page_size, pragma_page_count")
      guard try sizes.step() else { return }
      let pageSize = Int(sizes.columnInt64(0))
      let total = pageSize * Int(sizes.columnInt64(1))
      session.output.write("| size \(total) pagesize \(pageSize) filename \(name)\n")
      let pages = try connection.prepare("SELECT pgno, data FROM sqlite_dbpage ORDER BY pgno")
      while try pages.step() {
        if Interruption.isPending { throw SQLError(.interrupt) }
        let bytes = Array(pages.columnBytes(1))
        var isNamed = false
        for start in stride(from: 0, to: bytes.count, by: 16) {
          let row = bytes[start..<min(start + 16, bytes.count)]
          if row.allSatisfy({ $0 == 0 }) { continue }
          if !isNamed {
            let number = Int(pages.columnInt64(0))
            session.output.write("| page \(number) offset \((number - 1) * pageSize)\n")
            isNamed = true
          }
          session.output.write("|  " + rightAligned(String(start), width: 5) + ":")
          session.output.write(row.flatMap { [0x20] + hexadecimalDigits($0) })
          session.output.write("   ")
          session.output.write(row.map { Self.isShown($0) ? $0 : UInt8(ascii: ".") })
          session.output.write("\n")
        }
      }
      session.output.write("| end \(name)\n")
    }
  }

  /// Not what means something to the scripts that such dumps are pasted into.
  private static func isShown(_ byte: UInt8) -> Bool {
    (0x20...0x7e).contains(byte) && !"{}\"\\".utf8.contains(byte)
  }
}
