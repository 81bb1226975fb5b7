// Modules: what makes virtual tables (c3ref/create_module, c3ref/drop_modules, vtab §2).
import CSQLite3
import MartletEngine

@c @implementation
public func sqlite3_create_module(
  _ database: OpaquePointer!, _ name: UnsafePointer<CChar>!,
  _ module: UnsafePointer<sqlite3_module>!, _ clientData: UnsafeMutableRawPointer!
) -> Int32 {
  create(database, name, module, clientData, nil)
}

@c @implementation
public func sqlite3_create_module_v2(
  _ database: OpaquePointer!, _ name: UnsafePointer<CChar>!,
  _ module: UnsafePointer<sqlite3_module>!, _ clientData: UnsafeMutableRawPointer!,
  _ destroy: Destructor!
) -> Int32 {
  create(database, name, module, clientData, destroy)
}

private func create(
  _ database: OpaquePointer?, _ name: UnsafePointer<CChar>?,
  _ methods: UnsafePointer<sqlite3_module>?, _ clientData: UnsafeMutableRawPointer?,
  _ destroy: Destructor?
) -> Int32 {
  guard let handle = ConnectionHandle(database), let name = string(name) else {
    return SQLITE_MISUSE
  }
  return handle.report { connection throws(SQLError) in
    let module = methods.map {
      Module(name, $0, clientData: clientData, destroy: destroy, of: handle)
    }
    try connection.createModule(name, module)
  }
}

/// `kept` ends with a null.
@c @implementation
public func sqlite3_drop_modules(
  _ database: OpaquePointer!, _ kept: UnsafeMutablePointer<UnsafePointer<CChar>?>!
) -> Int32 {
  guard let handle = ConnectionHandle(database) else { return SQLITE_MISUSE }
  var names: [String] = []
  if var next = kept {
    while let name = next.pointee {
      names.append(String(fileName: name))
      next += 1
    }
  }
  handle.core.engine?.removeModules(except: names)
  return SQLITE_OK
}

/// A module of the program. It lives as long as its tables do.
final class Module: VirtualTableModule, @unchecked Sendable {
  let name: String
  let methods: UnsafePointer<sqlite3_module>
  let connection: ConnectionHandle
  private let clientData: UnsafeMutableRawPointer?
  private let destroy: Destructor?

  init(
    _ name: String, _ methods: UnsafePointer<sqlite3_module>,
    clientData: UnsafeMutableRawPointer?, destroy: Destructor?, of connection: ConnectionHandle
  ) {
    self.name = name
    self.methods = methods
    self.clientData = clientData
    self.destroy = destroy
    self.connection = connection
  }

  deinit { destroy?(clientData) }

  var abilities: VirtualTableAbilities {
    let methods = methods.pointee, version = methods.iVersion
    var abilities: VirtualTableAbilities = []
    if methods.xCreate == nil {
      abilities = .eponymousOnly
    } else if address(methods.xCreate) == address(methods.xConnect) {
      abilities = .eponymous
    }
    if methods.xUpdate != nil { abilities.insert(.writing) }
    if methods.xBegin != nil { abilities.insert(.transactions) }
    if version >= 2 { abilities.insert(.savepoints) }
    if methods.xRename != nil { abilities.insert(.renaming) }
    if version >= 4 && methods.xIntegrity != nil { abilities.insert(.integrity) }
    return abilities
  }

  func isShadowName(_ suffix: String) -> Bool {
    guard methods.pointee.iVersion >= 3, let isShadowName = methods.pointee.xShadowName else {
      return false
    }
    return suffix.withFileName { isShadowName($0) } != 0
  }

  func create(_ request: VirtualTableRequest) throws(SQLError) -> any VirtualTable {
    guard let create = methods.pointee.xCreate, methods.pointee.xDestroy != nil else {
      throw SQLError(.error, "no such module: \(request.moduleName)")
    }
    return try construct(request, create)
  }

  func connect(_ request: VirtualTableRequest) throws(SQLError) -> any VirtualTable {
    guard let connect = methods.pointee.xConnect else {
      throw SQLError(.error, "no such module: \(request.moduleName)")
    }
    return try construct(request, connect)
  }

  private typealias Constructor =
    @convention(c) (
      OpaquePointer?, UnsafeMutableRawPointer?, Int32, UnsafePointer<UnsafePointer<CChar>?>?,
      UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?,
      UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    ) -> Int32

  /// Calls `xCreate` or `xConnect`.
  private func construct(
    _ request: VirtualTableRequest, _ constructor: Constructor
  ) throws(SQLError) -> any VirtualTable {
    connection.core.tableRequests.append(request)
    defer { connection.core.tableRequests.removeLast() }
    let arguments = try ArgumentTexts(
      [request.moduleName, request.databaseName, request.tableName] + request.arguments)
    defer { arguments.deallocate() }
    var table: UnsafeMutablePointer<sqlite3_vtab>?
    var message: UnsafeMutablePointer<CChar>?
    let code = constructor(
      connection.opaque, clientData, Int32(truncatingIfNeeded: arguments.count),
      arguments.texts, &table, &message)
    if code != SQLITE_OK {
      let text = string(message)
      sqlite3_free(message)
      let error = ResultCode(rawValue: code)
      throw text.map { SQLError(error, $0) } ?? SQLError(error)
    }
    guard let table else { throw SQLError(.internal) }
    table.initialize(to: sqlite3_vtab(pModule: methods, nRef: 0, zErrMsg: nil))
    return ModuleTable(table, self)
  }
}

/// What a function pointer points to, to be compared.
private func address<Function>(_ function: Function?) -> UnsafeRawPointer? {
  unsafeBitCast(function, to: UnsafeRawPointer?.self)
}

/// `argv` of a constructor.
private struct ArgumentTexts {
  let count: Int
  private let memory: UnsafeMutablePointer<UnsafePointer<CChar>?>

  init(_ texts: [String]) throws(SQLError) {
    count = texts.count
    memory = .allocate(capacity: texts.count + 1)
    memory.initialize(repeating: nil, count: texts.count + 1)
    for (index, text) in texts.enumerated() {
      // A constructor takes them for texts.
      guard let copy = allocatedCString(text) else {
        deallocate()
        throw SQLError(.outOfMemory)
      }
      memory[index] = UnsafePointer(copy)
    }
  }

  var texts: UnsafePointer<UnsafePointer<CChar>?> { UnsafePointer(memory) }

  func deallocate() {
    for index in 0..<count { sqlite3_free(UnsafeMutablePointer(mutating: memory[index])) }
    memory.deallocate()
  }
}
