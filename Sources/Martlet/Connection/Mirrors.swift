import MartletEngine

// Failed expectations of tests and debuggers walk through all that a mirror shows: of a database that
// other threads use they get its description alone, of a row that is a copy
// its columns.

extension Database: CustomReflectable {
  /// A mirror without children.
  public var customMirror: Mirror { .opaque(self) }
}

extension DatabaseQueue: CustomReflectable {
  /// A mirror without children.
  public var customMirror: Mirror { .opaque(self) }
}

extension DatabasePool: CustomReflectable {
  /// A mirror without children.
  public var customMirror: Mirror { .opaque(self) }
}

extension DatabaseSnapshot: CustomReflectable {
  /// A mirror without children.
  public var customMirror: Mirror { .opaque(self) }
}

extension DatabaseSnapshotPool: CustomReflectable {
  /// A mirror without children.
  public var customMirror: Mirror { .opaque(self) }
}

extension Statement: CustomReflectable {
  /// A mirror without children.
  public var customMirror: Mirror { .opaque(self) }
}

extension Row: CustomReflectable {
  /// A mirror whose children are the columns; without children where the row is a cursor's.
  public var customMirror: Mirror {
    guard live == nil else { return .opaque(self) }
    return Mirror(self, children: map { (label: $0, value: $1) }, displayStyle: .struct)
  }
}
