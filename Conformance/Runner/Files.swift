import Foundation

/// `%.3f`, which Swift's standard library cannot print.
func threeDecimals(_ value: Double) -> String { String(format: "%.3f", value) }

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

func writeText(_ text: String, to path: String) throws {
  try Data(text.utf8).write(to: URL(fileURLWithPath: path))
}

func fileDigest(_ path: String) -> String? {
  guard let data = FileManager.default.contents(atPath: path) else { return nil }
  var digest = MD5()
  data.withUnsafeBytes { digest.update(block: $0) }
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
