/// Modules that a target above the engine brings to every connection, which share them as they share
/// the functions of a `FunctionSet`. They keep nothing of a connection: what they need of one is its
/// companion.
package struct ModuleSet: Sendable {
  fileprivate let entries: [VirtualTableModules.Entry]

  /// - Parameter modules: By their names.
  package init(_ modules: KeyValuePairs<String, any VirtualTableModule>) {
    entries = modules.map {
      VirtualTableModules.Entry(name: $0.key, module: $0.value, isBuiltIn: false)
    }
  }
}

extension Connection {
  /// Registers all modules of a set, each as `createModule` does.
  package func createModules(_ set: ModuleSet) {
    locked {
      let removed = modules.add(set.entries)
      programs.removeAll()
      withExtendedLifetime(removed) {}
    }
  }

  /// Keeps what a target above the engine knows of this connection, in place of an object of the
  /// same type, until the connection goes.
  package func keep<Companion: AnyObject>(_ companion: Companion) {
    locked {
      companions.removeAll { $0 is Companion }
      companions.append(companion)
    }
  }

  /// What `keep` was given of that type.
  package func companion<Companion: AnyObject>(_: Companion.Type) -> Companion? {
    locked {
      for case let companion as Companion in companions { return companion }
      return nil
    }
  }
}
