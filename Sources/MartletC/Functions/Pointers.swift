// Pointers that pass through SQL as NULL (bindptr).
import CSQLite3
import MartletEngine

/// A pointer of the program, and the destructor that is called when nobody needs it any more.
final class CPointer: AddressedObject {
  let pointer: UnsafeMutableRawPointer?
  var address: UnsafeMutableRawPointer? { pointer }
  private let destroy: Destructor?

  init(_ pointer: UnsafeMutableRawPointer?, _ destroy: Destructor?) {
    self.pointer = pointer
    self.destroy = destroy
  }

  deinit { destroy?(pointer) }
}

@c @implementation
public func sqlite3_bind_pointer(
  _ statement: OpaquePointer!, _ index: Int32, _ pointer: UnsafeMutableRawPointer!,
  _ type: UnsafePointer<CChar>!, _ destroy: Destructor!
) -> Int32 {
  let object = CPointer(pointer, destroy)
  return bind(statement) { (target) throws(SQLError) in
    try target.bind(pointer: object, type: string(type) ?? "", at: Int(index))
  }
}

@c @implementation
public func sqlite3_result_pointer(
  _ context: OpaquePointer!, _ pointer: UnsafeMutableRawPointer!, _ type: UnsafePointer<CChar>!,
  _ destroy: Destructor!
) {
  let object = CPointer(pointer, destroy)
  guard let context = ContextHandle(context) else { return }
  if let invocation = context.pointee.invocation {
    invocation.pointee.setResult(pointer: object, type: string(type) ?? "")
  } else {
    let given = context.pointee.result.set(pointer: object, type: string(type) ?? "")
    let earlier = context.pointee.columnPointers.keep(given)
    withExtendedLifetime(earlier) {}
  }
}

@c @implementation
public func sqlite3_value_pointer(
  _ value: OpaquePointer!, _ type: UnsafePointer<CChar>!
) -> UnsafeMutableRawPointer! {
  guard let value = ValueHandle(value), value.pointee.source.type == .null else { return nil }
  let object = value.pointee.source.pointer(type: string(type) ?? "") as? CPointer
  return object?.pointer
}
