// What programs leave to the connection.

extension Connection {
  func perform(
    _ command: ConnectionCommand, onDatabase index: Int,
    _ arguments: UnsafeMutablePointer<Register>, for vm: VM
  ) throws(SQLError) {
    switch command {
    case .attach:
      try attach(
        file: String(fileNameBytes: try bytes(arguments, vm)), name: text(arguments + 1, vm))
    case .detach: try detach(text(arguments, vm))
    case .vacuum: try vacuum(index, arguments, for: vm)
    case .journalMode:
      let mode = try setJournalMode(ofDatabase: index, arguments.pointee.integer)
      arguments.pointee.deinitialize()
      arguments.pointee = try .makeText(mode.rawValue, encoding: vm.encoding)
    case .checkDefinitions: try checkDefinitions(ofDatabase: index, arguments.pointee.integer)
    case .checkpoint: try checkpoint(ofDatabase: index, arguments)
    case .maximumPageCount:
      let bound = UInt32(truncatingIfNeeded: arguments.pointee.integer)
      arguments.pointee.setInteger(try setMaximumPageCount(ofDatabase: index, bound))
    case .autoVacuum:
      guard
        let mode = AutoVacuum(
          rawValue: UInt8(truncatingIfNeeded: arguments.pointee.integer))
      else { return }
      _ = try tree(ofDatabase: index).setAutoVacuum(mode)
    case .incrementalVacuum:
      let isShorter = try tree(ofDatabase: index).incrementalVacuumStep()
      arguments.pointee.setBool(isShorter)
    case .analyze: try analyze(text(arguments, vm), limit: (arguments + 1).pointee.integer)
    case .checkTrees: try checkTrees(ofDatabase: index, arguments, encoding: vm.encoding)
    }
  }

  /// An argument as text. NULL is empty, and a zero byte ends it, as in C.
  private func text(
    _ argument: UnsafeMutablePointer<Register>, _ vm: VM
  ) throws(SQLError) -> String {
    String(text: try bytes(argument, vm).bindMemory(to: UInt8.self))
  }

  /// The argument as a C string in UTF-8.
  private func bytes(
    _ argument: UnsafeMutablePointer<Register>, _ vm: VM
  ) throws(SQLError) -> UnsafeRawBufferPointer {
    guard argument.pointee.tag != .null else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    try Cast.apply(.text, to: &argument.pointee, encoding: vm.encoding)
    try argument.pointee.changeEncoding(from: vm.encoding, to: .utf8)
    let bytes = argument.pointee.byteBuffer
    let end = Memory.firstZero(in: bytes) ?? bytes.count
    return UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[..<end]))
  }
}
