extension Connection {
  /// Where a database is.
  public enum Location: Sendable, CustomStringConvertible {
    /// In memory: it ends with its connection.
    case inMemory
    /// In a temporary file, which ends with its connection.
    case temporary
    /// A file name, or a URI with `file:` (uri §3), and parameters that are added to it.
    case uri(String, parameters: [URIQueryParameter] = [])

    /// What the location is opened by.
    public var description: String {
      switch self {
      case .inMemory: return ":memory:"
      case .temporary: return ""
      case .uri(let uri, let parameters):
        if parameters.isEmpty { return uri }
        let query = parameters.map(\.description).joined(separator: "&")
        if uri.hasPrefix("file:") { return uri + (uri.contains("?") ? "&" : "?") + query }
        return "file:\(uri.percentEncoded)?\(query)"
      }
    }
  }
}

/// A parameter of a URI (uri §3.3).
public enum URIQueryParameter: Sendable, CustomStringConvertible {
  /// How caches are shared.
  public enum CacheMode: String, Sendable {
    /// With other connections of the process.
    case shared
    /// Not at all.
    case `private`
  }

  /// How a file is opened.
  public enum FileMode: String, Sendable {
    /// For reading.
    case readOnly = "ro"
    /// For reading and writing; it must exist.
    case readWrite = "rw"
    /// For reading and writing; it is made if it does not exist.
    case readWriteCreate = "rwc"
    /// The database is in memory.
    case memory
  }

  /// How the cache is shared.
  case cache(CacheMode)
  /// The file cannot change: neither locks nor journals are looked at.
  case immutable(Bool)
  /// How the file is opened.
  case mode(FileMode)
  /// Files that are made get the permissions of this one.
  case modeOf(String)
  /// Nothing is locked.
  case noLock(Bool)
  /// What storage keeps of its content when the power goes.
  case powerSafeOverwrite(Bool)
  /// The VFS that opens the file.
  case vfs(String)

  /// `noLock`, as the parameter is named in URIs.
  public static func nolock(_ isOn: Bool) -> URIQueryParameter { .noLock(isOn) }

  /// `powerSafeOverwrite`, as the parameter is named in URIs.
  public static func psow(_ isOn: Bool) -> URIQueryParameter { .powerSafeOverwrite(isOn) }

  /// `powerSafeOverwrite`.
  public static func powersafeOverwrite(_ isOn: Bool) -> URIQueryParameter {
    .powerSafeOverwrite(isOn)
  }

  /// The parameter as it stands in a URI.
  public var description: String {
    switch self {
    case .cache(let mode): "cache=\(mode.rawValue)"
    case .immutable(let isOn): "immutable=\(isOn ? 1 : 0)"
    case .mode(let mode): "mode=\(mode.rawValue)"
    case .modeOf(let file): "modeof=\(file.percentEncoded)"
    case .noLock(let isOn): "nolock=\(isOn ? 1 : 0)"
    case .powerSafeOverwrite(let isOn): "psow=\(isOn ? 1 : 0)"
    case .vfs(let name): "vfs=\(name.percentEncoded)"
    }
  }
}

extension String {
  /// Bytes that mean something in a URI are written as `%` and two digits (uri §3.1).
  fileprivate var percentEncoded: String {
    let safe = Set("/-_.~:".utf8)
    var text = ""
    for byte in utf8 {
      let scalar = Unicode.Scalar(byte)
      let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || (48...57).contains(byte))
      if isPlain || safe.contains(byte) {
        text.unicodeScalars.append(scalar)
      } else {
        text += "%" + Blob(bytes: [byte]).toHex().uppercased()
      }
    }
    return text
  }
}
