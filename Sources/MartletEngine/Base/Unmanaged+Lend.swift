extension Unmanaged {
  /// Calls `body` with the object, without counting a reference.
  ///
  /// Loading a reference from memory costs a retain and a release around every use, also where it
  /// is `unowned(unsafe)`; this is the one form that does not. Somebody else must hold the object.
  @inlinable @inline(__always)
  public func lend<Result>(
    _ body: (Instance) throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    do {
      return try _withUnsafeGuaranteedRef { try body($0) }
    } catch let error as SQLError {
      throw error
    } catch {
      throw SQLError(.internal)
    }
  }
}
