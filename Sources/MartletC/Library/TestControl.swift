// sqlite3_test_control (c3ref/test_control): what tests of SQLite ask for. Options about insides
// that the engine does not have answer 0, as those do that C SQLite has for its debug builds only.
import CSQLite3
import MartletEngine

@c @implementation
public func martlet_test_control(_ op: Int32, _ arguments: UnsafeMutableRawPointer!) -> Int32 {
  switch op {
  case SQLITE_TESTCTRL_PRNG_SAVE: Randomness.save()
  case SQLITE_TESTCTRL_PRNG_RESTORE: Randomness.restore()
  case SQLITE_TESTCTRL_PRNG_SEED:
    let seed = martlet_next_int(arguments)
    Randomness.reset(seed: UInt32(bitPattern: seed))
  case SQLITE_TESTCTRL_FAULT_INSTALL:
    // The new function is called once, to see whether it is there.
    typealias Callback = @convention(c) (Int32) -> Int32
    return unsafeBitCast(martlet_next_pointer(arguments), to: Callback?.self)?(0) ?? SQLITE_OK
  case SQLITE_TESTCTRL_PENDING_BYTE:
    let before = LockByte.pending
    let place = UInt32(bitPattern: martlet_next_int(arguments))
    if place != 0 { LockByte.pending = place }
    return Int32(bitPattern: before)
  // Assertions are off, as `ALWAYS` and `NEVER` are without effect.
  case SQLITE_TESTCTRL_ALWAYS: return martlet_next_int(arguments)
  case SQLITE_TESTCTRL_BYTEORDER:
    return UInt16(1).littleEndian == 1 ? 1234_1_0 : 4321_0_1
  case SQLITE_TESTCTRL_ISINIT: return Library.isInitialized ? SQLITE_OK : SQLITE_ERROR
  case SQLITE_TESTCTRL_OPTIMIZATIONS, SQLITE_TESTCTRL_GETOPT: optimizations(op, arguments)
  case SQLITE_TESTCTRL_IMPOSTER: imposter(arguments)
  case SQLITE_TESTCTRL_JSON_SELFCHECK, SQLITE_TESTCTRL_SEEK_COUNT:
    return noCount(op, arguments)
  default: break
  }
  return SQLITE_OK
}

/// Which optimizations of SQLite's planner shall be off: that is remembered, and has no effect.
private func optimizations(_ op: Int32, _ arguments: UnsafeMutableRawPointer?) {
  let handle = ConnectionHandle(martlet_next_pointer(arguments).map { OpaquePointer($0) })
  guard let core = handle?.core else { return }
  if op == SQLITE_TESTCTRL_GETOPT {
    martlet_next_pointer(arguments)?.storeBytes(of: core.unwantedOptimizations, as: UInt32.self)
  } else {
    core.unwantedOptimizations = UInt32(bitPattern: martlet_next_int(arguments))
  }
}

/// The CREATE TABLE that follows is not to be stored, but to say how to read an existing tree. There are
/// no such tables here: it is refused, as the table that it would make is nobody's wish.
private func imposter(_ arguments: UnsafeMutableRawPointer?) {
  let handle = ConnectionHandle(martlet_next_pointer(arguments).map { OpaquePointer($0) })
  _ = martlet_next_pointer(arguments)
  handle?.core.engine?.refusesImposters = martlet_next_int(arguments) != 0
}

/// Options that tell a number in debug builds.
private func noCount(_ op: Int32, _ arguments: UnsafeMutableRawPointer?) -> Int32 {
  guard op == SQLITE_TESTCTRL_SEEK_COUNT else { return SQLITE_OK }
  _ = martlet_next_pointer(arguments)
  martlet_next_pointer(arguments)?.storeBytes(of: 0, as: UInt64.self)
  return SQLITE_OK
}
