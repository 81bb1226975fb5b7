// What programs leave to the connection.

extension Connection {
  func perform(
    _ command: ConnectionCommand, onDatabase index: Int,
    _ arguments: UnsafeMutablePointer<Register>, for vm: VM
  ) throws(SQLError) {
    switch command {
    case .attach: throw .notSupported("ATTACH")
    case .detach: throw .notSupported("DETACH")
    case .vacuum: throw .notSupported("VACUUM")
    }
  }
}
