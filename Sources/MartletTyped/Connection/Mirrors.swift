import MartletEngine

extension Connection: CustomReflectable {
  /// A mirror without children: other threads may use the connection while somebody looks.
  public var customMirror: Mirror { .opaque(self) }
}

extension Statement: CustomReflectable {
  /// A mirror without children.
  public var customMirror: Mirror { .opaque(self) }
}
