// sqlite3_db_config (c3ref/c_dbconfig_defensive).
import CSQLite3
import MartletEngine

/// Reals have another number of digits on some connection, or had: only then statements look.
nonisolated(unsafe) var realDigitsAreSet = false

@c @implementation
public func martlet_db_config(
  _ database: OpaquePointer!, _ op: Int32, _ arguments: UnsafeMutableRawPointer!
) -> Int32 {
  guard let handle = ConnectionHandle(database), let engine = handle.core.engine else {
    return SQLITE_MISUSE
  }
  switch op {
  case SQLITE_DBCONFIG_MAINDBNAME:
    guard let name = string(martlet_next_pointer(arguments)?.assumingMemoryBound(to: CChar.self))
    else { return SQLITE_MISUSE }
    engine.renameMain(name)
    return SQLITE_OK
  // The engine has no memory of that kind.
  case SQLITE_DBCONFIG_LOOKASIDE: return SQLITE_OK
  case SQLITE_DBCONFIG_FP_DIGITS:
    engine.realDigitCount = Int(martlet_next_int(arguments))
    realDigitsAreSet = realDigitsAreSet || engine.realDigitCount != 17
    martlet_next_pointer(arguments)?.storeBytes(
      of: Int32(engine.realDigitCount), as: Int32.self)
    return SQLITE_OK
  default: break
  }
  guard op >= SQLITE_DBCONFIG_ENABLE_FKEY && op <= SQLITE_DBCONFIG_MAX else { return SQLITE_ERROR }
  let wanted = martlet_next_int(arguments)
  let result = martlet_next_pointer(arguments)
  let isOn = handle.set(op, wanted, engine)
  result?.storeBytes(of: isOn ? 1 : 0, as: Int32.self)
  return SQLITE_OK
}

extension ConnectionHandle {
  /// Switches something on or off, or leaves it where `wanted` is negative. Whether it is on then.
  fileprivate func set(_ op: Int32, _ wanted: Int32, _ engine: Connection) -> Bool {
    engine.enter()
    defer { engine.leave() }
    if let item = ConnectionSwitch(rawValue: op) {
      let isOn = engine.isOn(item)
      guard wanted >= 0 && isOn != (wanted > 0) else { return isOn }
      return engine.set(item, on: wanted > 0)
    }
    switch op {
    case SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION:
      // The SQL function is switched by sqlite3_enable_load_extension only.
      if wanted >= 0 { core.loadsExtensions = wanted > 0 }
      if wanted == 0 { engine.extensionLoader = nil }
      return core.loadsExtensions
    case SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER:
      if wanted >= 0 { core.takesTokenizers = wanted > 0 }
      return core.takesTokenizers
    // What these are about the engine does not do, so they are only remembered.
    default:
      let bit: UInt32 = 1 << UInt32(op - SQLITE_DBCONFIG_MAINDBNAME)
      if wanted > 0 { core.idleSwitches |= bit } else if wanted == 0 { core.idleSwitches &= ~bit }
      return core.idleSwitches & bit != 0
    }
  }
}
