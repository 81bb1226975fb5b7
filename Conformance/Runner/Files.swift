import Foundation

/// `%.3f` as SQLite prints it, which sqllogictest used: at most 16 digits that mean something, then
/// zeros.
func threeDecimals(_ value: Double) -> String {
  guard abs(value) >= 1e16, value.isFinite else { return String(format: "%.3f", value) }
  let parts = String(format: "%.15e", value).split(separator: "e")
  let digits = parts[0].filter { $0 != "." }
  let exponent = Int(parts[1]) ?? 0
  return digits + String(repeating: "0", count: max(0, exponent - 15)) + ".000"
}

/// The scripts that `paths` name: files as given, folders with every `.test` file below them.
func scriptFiles(_ paths: [String]) -> [String] {
  paths.flatMap { path -> [String] in
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue
    else { return [path] }
    let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    return names.filter { $0.hasSuffix(".test") }.sorted().map { path + "/" + $0 }
  }
}

func readText(_ path: String) -> String? {
  FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
}

func readScript(_ path: String) -> ScriptText? {
  FileManager.default.contents(atPath: path).map { ScriptText([UInt8]($0)) }
}

func writeText(_ text: String, to path: String) throws {
  try Data(text.utf8).write(to: URL(fileURLWithPath: path))
}

func fileDigest(_ path: String) -> String? {
  guard let data = FileManager.default.contents(atPath: path) else { return nil }
  var digest = MD5()
  data.withUnsafeBytes { digest.update($0) }
  return digest.finish()
}

/// A private copy of a database, so that a script may write to it; removed with this object.
final class TemporaryCopy {
  let path: String

  init?(of source: String) {
    path = NSTemporaryDirectory() + "/martlet-conformance-\(UUID().uuidString).db"
    do { try FileManager.default.copyItem(atPath: source, toPath: path) } catch { return nil }
  }

  deinit {
    for suffix in ["", "-journal", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
  }
}

/// Where an `open` directive points: beside the script, or what an environment variable says.
func resolvedPath(_ path: String, besides script: String) -> String? {
  let defaults = ["MARTLET_PROJ_DB": "/usr/share/proj/proj.db"]
  if path.hasPrefix("$") {
    let name = String(path.dropFirst())
    return ProcessInfo.processInfo.environment[name] ?? defaults[name]
  }
  if path.hasPrefix("/") || path.hasPrefix(":") { return path }
  return (script as NSString).deletingLastPathComponent.appending("/" + path)
}
