import MartletEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Functions of the shell that reach files (cli §7.3, §7.4) and archives (sqlar).
enum FileFunctions {
  /// What safe mode refuses.
  static let unsafeNames: Set<String> = ["readfile", "writefile", "edit"]

  /// In safe mode there are none but the unsafe ones, so that these can say so.
  static func register(on connection: Connection, isSafe: Bool) throws(SQLError) {
    let limit = connection.limit(.length)
    try connection.createFunction("readfile", argumentCount: 1, options: .directOnly) {
      call throws(SQLError) in
      guard let path = try call.fileName(0) else { return }
      if DiskEntry(path)?.kind == DiskEntry.folderKind { throw SQLError(.tooBig) }
      if let size = InputFile(plain: path)?.size, size > limit { throw SQLError(.tooBig) }
      if let bytes = DiskEntry.read(path, limit: limit) { try call.setResult(blob: bytes) }
    }
    try connection.createFunction("writefile", options: .directOnly) { call throws(SQLError) in
      try write(call)
    }
    try connection.createFunction("edit", options: .directOnly) { call throws(SQLError) in
      try edit(call)
    }
    if isSafe { return }
    try connection.createFunction("lsmode", argumentCount: 1) { call throws(SQLError) in
      try call.setResult(text: DiskEntry.description(ofMode: call.int64(0)))
    }
    try connection.createFunction("realpath", argumentCount: 1) { call throws(SQLError) in
      guard let path = try call.fileName(0), let real = DiskEntry.wholePath(path) else { return }
      try real.withFileNameBytes { bytes throws(SQLError) in try call.setResult(text: bytes) }
    }
    try registerCompression(on: connection)
    try connection.createModule("fsdir", DirectoryModule())
    try connection.createModule("zipfile", ZipModule())
  }

  private static func registerCompression(on connection: Connection) throws(SQLError) {
    try connection.createFunction(
      "sqlar_compress", argumentCount: 1, options: .innocuous
    ) { call throws(SQLError) in
      let bytes = try call.bytes(0)
      guard call.type(0) == .blob, bytes.count > 0 else {
        return try call.setResult(argument: 0)
      }
      let compressed = Zlib.compress(bytes)
      if compressed.count < bytes.count { return try call.setResult(blob: compressed) }
      try call.setResult(argument: 0)
    }
    let limit = connection.limit(.length)
    try connection.createFunction(
      "sqlar_uncompress", argumentCount: 2, options: .innocuous
    ) { call throws(SQLError) in
      let bytes = try call.bytes(0)
      let size = call.int64(1)
      if size <= 0 || size == bytes.count { return try call.setResult(argument: 0) }
      guard size <= limit, let content = Zlib.decompress(bytes, size: Int(size)) else {
        throw .said("error in uncompress()")
      }
      try call.setResult(blob: content)
    }
  }

  // MARK: writefile

  private static func write(_ call: borrowing FunctionInvocation) throws(SQLError) {
    guard (2...4).contains(call.count) else {
      throw .said("wrong number of arguments to function writefile()")
    }
    guard let path = try call.fileName(0) else { return }
    let mode = call.count > 2 ? UInt32(truncatingIfNeeded: call.int64(2)) : nil
    let content = Array(try call.bytes(1))
    let time = call.count > 3 ? call.int64(3) : nil
    var isWritten = DiskEntry.write(path, content, mode: mode, modificationTime: time)
    if !isWritten, errno == ENOENT, DiskEntry.makeFolders(for: path) {
      isWritten = DiskEntry.write(path, content, mode: mode, modificationTime: time)
    }
    if isWritten {
      let kind = mode.map { $0 & DiskEntry.kindMask } ?? DiskEntry.fileKind
      // Folders and links have no size.
      if kind == DiskEntry.fileKind || mode == nil { call.setResult(content.count) }
      return
    }
    guard let mode else { return }
    switch mode & DiskEntry.kindMask {
    case DiskEntry.linkKind: throw .said("failed to create symlink: \(path)")
    case DiskEntry.folderKind: throw .said("failed to create directory: \(path)")
    default: throw .said("failed to write file: \(path)")
    }
  }

  // MARK: edit

  /// Gives a value to an editor in a temporary file, and returns what is there afterwards.
  private static func edit(_ call: borrowing FunctionInvocation) throws(SQLError) {
    guard (1...2).contains(call.count) else {
      throw .said("wrong number of arguments to function edit()")
    }
    guard call.type(0) != .null else { throw .said("NULL input to edit()") }
    let named = call.count == 2 ? try call.text(1) : getenv("VISUAL").map { String(cString: $0) }
    guard let editor = named else { throw .said("no editor for edit()") }
    let isBlob = call.type(0) == .blob
    let given = environment("TMPDIR") ?? ""
    let folder = given.isEmpty ? "/tmp" : given
    var path = Array("\(folder)/martlet-XXXXXX".fileNameBytes) + [0]
    let descriptor = path.withUnsafeMutableBytes { bytes in
      mkstemp(bytes.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: CChar.self))
    }
    guard descriptor >= 0 else { throw .said("edit() failed to open temp file") }
    close(descriptor)
    let name = path.withUnsafeBytes {
      String(fileNameBytes: UnsafeRawBufferPointer(rebasing: $0.dropLast()))
    }
    defer { _ = name.withFileName { unlink($0) } }
    let content = Array(try call.bytes(0))
    guard DiskEntry.write(name, content, mode: nil, modificationTime: nil) else {
      throw .said("edit() could not write the whole file")
    }
    guard "\(editor) \"\(name)\"".withFileName({ system($0) }) == 0 else {
      throw .said("EDITOR returned non-zero")
    }
    guard let edited = DiskEntry.read(name, limit: Int(Int32.max)) else {
      throw .said("could not read back the whole file")
    }
    if isBlob { return try call.setResult(blob: edited) }
    try edited.withBytes { bytes throws(SQLError) in try call.setResult(text: bytes) }
  }
}

extension FunctionInvocation {
  /// An argument as the name of a file; nil for NULL.
  fileprivate func fileName(_ index: Int) throws(SQLError) -> String? {
    type(index) == .null ? nil : String(fileNameBytes: try bytes(index))
  }
}

extension SQLError {
  /// An error of one of the shell's functions, in its words.
  static func said(_ message: String) -> SQLError { SQLError(.error, message) }
}

extension [UInt8] {
  /// `withUnsafeBytes` for what throws `SQLError`.
  func withBytes(
    _ body: (UnsafeRawBufferPointer) throws(SQLError) -> Void
  ) throws(SQLError) {
    let outcome = withUnsafeBytes { bytes in
      Result { () throws(SQLError) in try body(bytes) }
    }
    try outcome.get()
  }
}

extension String {
  /// Lends the bytes of a file's name.
  func withFileNameBytes(
    _ body: (UnsafeRawBufferPointer) throws(SQLError) -> Void
  ) throws(SQLError) {
    try fileNameBytes.withBytes(body)
  }
}
