// What a function asks of the call it is in (c3ref/user_data, c3ref/context_db_handle,
// c3ref/aggregate_context, c3ref/get_auxdata).
import CSQLite3
import MartletEngine

@c @implementation
public func sqlite3_user_data(_ context: OpaquePointer!) -> UnsafeMutableRawPointer! {
  ContextHandle(context)?.pointee.userData
}

@c @implementation
public func sqlite3_context_db_handle(_ context: OpaquePointer!) -> OpaquePointer! {
  ContextHandle(context)?.pointee.connection.opaque
}

@c @implementation
public func sqlite3_aggregate_context(
  _ context: OpaquePointer!, _ byteCount: Int32
) -> UnsafeMutableRawPointer! {
  guard let context = ContextHandle(context), let invocation = context.pointee.invocation
  else { return nil }
  do throws(SQLError) {
    return try RawInvocation.groupMemory(of: invocation, byteCount: Int(byteCount))
  } catch {
    // Functions leave the row out then: that must not pass for a result (SQLite's sqlite3OomFault).
    context.pointee.isOutOfMemory = true
    return nil
  }
}

@c @implementation
public func sqlite3_aggregate_count(_ context: OpaquePointer!) -> Int32 {
  ContextHandle(context)?.pointee.invocation?.pointee.stepCount ?? 0
}

@c @implementation
public func sqlite3_get_auxdata(
  _ context: OpaquePointer!, _ index: Int32
) -> UnsafeMutableRawPointer! {
  ContextHandle(context)?.pointee.invocation?.pointee.auxiliaryPointer(Int(index))
}

@c @implementation
public func sqlite3_set_auxdata(
  _ context: OpaquePointer!, _ index: Int32, _ data: UnsafeMutableRawPointer!,
  _ destroy: Destructor!
) {
  guard let invocation = ContextHandle(context)?.pointee.invocation else {
    destroy?(data)
    return
  }
  invocation.pointee.setAuxiliaryPointer(data, at: Int(index), destroy)
}
