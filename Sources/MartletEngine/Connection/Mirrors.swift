// What a debugger, `dump` and a test's failed expectation show of a connection and of what belongs to
// it: nothing. They would walk through all that its properties reach, while other threads change it,
// and follow references whose objects only the engine knows to be there.

extension Mirror {
  /// A mirror of something that does not show its insides.
  package static func opaque(_ subject: Any) -> Mirror {
    Mirror(subject, children: EmptyCollection<Child>())
  }
}

extension Connection: CustomReflectable {
  /// A mirror without children.
  public var customMirror: Mirror { .opaque(self) }
}

extension Statement: CustomReflectable {
  /// A mirror without children.
  public var customMirror: Mirror { .opaque(self) }
}

extension ResultRow: CustomReflectable {
  /// A mirror without children.
  public var customMirror: Mirror { .opaque(self) }
}

extension Blob: CustomReflectable {
  /// A mirror without children.
  public var customMirror: Mirror { .opaque(self) }
}

extension Backup: CustomReflectable {
  /// A mirror without children.
  public var customMirror: Mirror { .opaque(self) }
}
