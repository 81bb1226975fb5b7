import MartletEngine

/// An archive of PKZIP: entries, and at the end of the file a directory of them.
///
///     local entry | "PK\3\4" | version 2 | flags 2 | method 2 | time 2 | date 2 | crc 4
///                 | packed size 4 | size 4 | name length 2 | extra length 2
///                 | name | extra | data |
///     central     | "PK\1\2" | made by 2 | version 2 | … as above to extra length
///                 | comment length 2 | disk 2 | internal 2 | external 4 | offset 4
///                 | name | extra | comment |
///     end         | "PK\5\6" | disk 2 | disk 2 | entries 2 | entries 2 | size 4 | offset 4
///                 | comment length 2 | comment |
///
/// All numbers are little-endian. The high half of `external` is the mode where Unix has
/// made the archive. An extra field 0x5455 has the time of the last change in seconds since 1970.
struct ZipFile {
  struct Entry {
    var name: String
    var mode: UInt32
    var modificationTime: Int64
    /// 0 stored, 8 DEFLATE; others are not understood.
    var method: Int
    var size: Int
    var checksum: UInt32
    /// As it stands in the file.
    var packed: [UInt8]
  }

  var entries: [Entry] = []

  static let endSignatureBytes: [UInt8] = [0x50, 0x4b, 5, 6]
  static let endSize = 22
  static let stored = 0, deflated = 8
  private static let localSignature = 0x0403_4b50
  private static let centralSignature = 0x0201_4b50
  private static let endSignature = 0x0605_4b50
  private static let localSize = 30, centralSize = 46
  private static let timeField = 0x5455
  private static let unix = 3

  // MARK: Reading

  init() {}

  init(_ bytes: [UInt8]) throws(SQLError) {
    let outcome = bytes.withUnsafeBytes { bytes in
      Result { () throws(SQLError) in try Self.read(Fields(bytes)) }
    }
    entries = try outcome.get()
  }

  private static func endPosition(_ fields: Fields) -> Int? {
    let longestComment = 0xffff
    let last = fields.count - endSize
    guard last >= 0 else { return nil }
    return (max(0, last - longestComment)...last).last { fields.number($0, 4) == endSignature }
  }

  private static func read(_ fields: Fields) throws(SQLError) -> [Entry] {
    guard let end = endPosition(fields) else {
      throw .said("cannot find end of central directory record")
    }
    var position = fields.number(end + 16, 4)
    var entries: [Entry] = []
    for _ in 0..<fields.number(end + 10, 2) {
      guard fields.has(position, centralSize), fields.number(position, 4) == centralSignature
      else { throw .said("failed to read CDS at offset \(position)") }
      let nameLength = fields.number(position + 28, 2)
      let extraLength = fields.number(position + 30, 2)
      let commentLength = fields.number(position + 32, 2)
      let size = centralSize + nameLength + extraLength + commentLength
      guard fields.has(position, size) else {
        throw .said("failed to read CDS at offset \(position)")
      }
      entries.append(try entry(fields, position, nameLength, extraLength))
      position += size
    }
    return entries
  }

  private static func entry(
    _ fields: Fields, _ position: Int, _ nameLength: Int, _ extraLength: Int
  ) throws(SQLError) -> Entry {
    let name = String(fileNameBytes: fields.bytes(position + centralSize, nameLength))
    let packedSize = fields.number(position + 20, 4)
    let local = fields.number(position + 42, 4)
    guard fields.has(local, localSize), fields.number(local, 4) == localSignature else {
      throw .said("failed to read LFH at offset \(local)")
    }
    let data = local + localSize + fields.number(local + 26, 2) + fields.number(local + 28, 2)
    guard fields.has(data, packedSize) else {
      throw .said("failed to read LFH at offset \(local)")
    }
    let isUnix = fields.number(position + 5, 1) == unix
    let mode = UInt32(fields.number(position + 40, 2))
    return Entry(
      name: name, mode: isUnix ? mode : 0,
      modificationTime: time(
        fields, dos: position + 12, extra: position + centralSize + nameLength, extraLength),
      method: fields.number(position + 10, 2), size: fields.number(position + 24, 4),
      checksum: UInt32(fields.number(position + 16, 4)),
      packed: Array(fields.bytes(data, packedSize)))
  }

  /// The time in the extra field, or that of MS-DOS.
  private static func time(_ fields: Fields, dos: Int, extra: Int, _ length: Int) -> Int64 {
    var position = extra
    while position + 4 <= extra + length {
      let size = fields.number(position + 2, 2)
      if fields.number(position, 2) == timeField, size >= 5, position + 4 + size <= extra + length,
        fields.number(position + 4, 1) & 1 == 1
      {
        return Int64(Int32(truncatingIfNeeded: fields.number(position + 5, 4)))
      }
      position += 4 + size
    }
    let time = fields.number(dos, 2), date = fields.number(dos + 2, 2)
    return DOSTime(time: time, date: date).seconds
  }

  /// What an entry holds.
  static func content(of entry: Entry, limit: Int) throws(SQLError) -> [UInt8]? {
    switch entry.method {
    case stored: return entry.packed
    case deflated:
      guard entry.size <= limit else { throw SQLError(.tooBig) }
      let content = entry.packed.withUnsafeBytes { bytes in
        try? Inflate.decompress(bytes, limit: entry.size)
      }
      guard let content, content.count == entry.size else { throw .said("inflate() failed (-3)") }
      return content
    default: return nil
    }
  }

  // MARK: Writing

  /// Takes an entry in, in the place of one of the same name.
  mutating func put(_ name: String, mode: UInt32, modificationTime: Int64, _ content: [UInt8]) {
    let isFolder = mode & DiskEntry.kindMask == DiskEntry.folderKind
    let name = isFolder && !name.hasSuffix("/") ? name + "/" : name
    let content = isFolder ? [] : content
    let packed = content.withUnsafeBytes { Deflate.compress($0) }
    let isPacked = packed.count < content.count
    let entry = Entry(
      name: name, mode: mode, modificationTime: modificationTime,
      method: isPacked ? Self.deflated : Self.stored, size: content.count,
      checksum: content.withUnsafeBytes { Zlib.crc32($0) }, packed: isPacked ? packed : content)
    entries.removeAll { $0.name == name }
    entries.append(entry)
  }

  /// The file; nil if it would be longer, or have more entries, than the format can say.
  var image: [UInt8]? {
    var image: [UInt8] = [], directory: [UInt8] = []
    for entry in entries {
      let name = entry.name.fileNameBytes
      guard image.count + entry.packed.count < Int(UInt32.max), entry.size < Int(UInt32.max),
        name.count <= 0xffff
      else { return nil }
      let dos = DOSTime(seconds: entry.modificationTime)
      let time =
        little(Self.timeField, 2) + little(5, 2) + [1]
        + little(Int(truncatingIfNeeded: entry.modificationTime), 4)
      let common =
        little(20, 2) + little(0x0800, 2) + little(entry.method, 2) + little(dos.time, 2)
        + little(dos.date, 2) + little(Int(entry.checksum), 4) + little(entry.packed.count, 4)
        + little(entry.size, 4) + little(name.count, 2) + little(time.count, 2)
      directory += little(Self.centralSignature, 4) + little(20 | Self.unix << 8, 2) + common
      directory += little(0, 6) + little(Int(entry.mode) << 16, 4) + little(image.count, 4)
      directory += name + time
      image += little(Self.localSignature, 4) + common + name + time + entry.packed
    }
    guard entries.count <= 0xffff, image.count + directory.count < Int(UInt32.max) else {
      return nil
    }
    let start = image.count
    image += directory
    image += little(Self.endSignature, 4) + little(0, 4) + little(entries.count, 2)
    image += little(entries.count, 2) + little(directory.count, 4) + little(start, 4) + little(0, 2)
    return image
  }
}

/// The lowest bytes of a number, the lowest first.
private func little(_ value: Int, _ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

/// Numbers in bytes; what lies behind the end is 0.
private struct Fields {
  private let all: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { all = bytes }

  var count: Int { all.count }

  func has(_ position: Int, _ size: Int) -> Bool {
    position >= 0 && position <= count && size <= count - position
  }

  func number(_ position: Int, _ size: Int) -> Int {
    guard has(position, size) else { return 0 }
    return (0..<size).reduce(0) { $0 | Int(all[position + $1]) << (8 * $1) }
  }

  /// Called where they are known to be there.
  func bytes(_ position: Int, _ size: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: all[position..<position + size])
  }
}

/// A time as MS-DOS has it, taken for UTC: pieces of two seconds since 1980.
private struct DOSTime {
  let time: Int
  let date: Int

  init(time: Int, date: Int) { (self.time, self.date) = (time, date) }

  init(seconds: Int64) {
    let secondsPerDay: Int64 = 86400
    let start = Self.daysBefore(year: 1980, month: 1) * secondsPerDay
    let clamped = max(seconds, start)
    let days = clamped / secondsPerDay, rest = Int(clamped % secondsPerDay)
    var year: Int64 = 1980
    while year < 2107, Self.daysBefore(year: year + 1, month: 1) <= days { year += 1 }
    let month = (1...12).last { Self.daysBefore(year: year, month: $0) <= days } ?? 1
    let day = min(days - Self.daysBefore(year: year, month: month) + 1, 31)
    time = rest / 3600 << 11 | rest / 60 % 60 << 5 | rest % 60 / 2
    date = Int(year - 1980) << 9 | Int(month) << 5 | Int(day)
  }

  var seconds: Int64 {
    let days =
      Self.daysBefore(year: Int64(1980 + date >> 9), month: Int64(max(date >> 5 & 15, 1)))
      + Int64(date & 31) - 1
    return days * 86400 + Int64((time >> 11) * 3600 + (time >> 5 & 63) * 60 + (time & 31) * 2)
  }

  /// Days from 1970 to the first of a month.
  private static func daysBefore(year: Int64, month: Int64) -> Int64 {
    // Years that begin in March end with the day that leap years add.
    let shifted = month > 2 ? year : year - 1
    let monthDays = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5
    return 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + monthDays - 719_468
  }
}
