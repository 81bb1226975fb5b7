// The list of VFSs (c3ref/vfs_find).
import CSQLite3
import MartletEngine
import Synchronization

/// The engine's registry, as a list of structures that programs may walk along `pNext`.
enum VFSList {
  /// The list as it was linked last. Held while it is changed.
  private static let linked = Mutex<[UInt]>([])

  /// The engine opens files through structures from now on, so that what programs replace in them
  /// takes effect.
  private static func prepare() { _ = isPrepared }

  /// The library begins, perhaps not for the first time: the built-in VFSs are in the list, and the
  /// system's is the default one.
  static func registerBuiltIn() {
    if let first = NativeVFS.structures.first { register(first, asDefault: true) }
    for structure in NativeVFS.structures.dropFirst().reversed() {
      register(structure, asDefault: false)
    }
  }

  private static let isPrepared = {
    let structures = NativeVFS.structures
    var adapted: [any VFS] = []
    for structure in structures { adapted.append(AdaptedVFS(structure)) }
    VFSRegistry.replaceEach { vfs in
      vfs is AdaptedVFS ? nil : adapted.first { $0.name == vfs.name }
    }
    linked.withLock { link(&$0) }
    VFSRegistry.temporaryDirectory = { sqlite3_temp_directory.map { String(fileName: $0) } }
    return true
  }()

  private static var all: [AdaptedVFS] { VFSRegistry.all.compactMap { $0 as? AdaptedVFS } }

  /// Touches no structure but a new one whose place has not changed: an extension that was unloaded
  /// may have left one in the list.
  private static func link(
    _ linked: inout [UInt], new: UnsafeMutablePointer<sqlite3_vfs>? = nil
  ) {
    let structures = all.map(\.structure)
    for (index, structure) in structures.enumerated() {
      let next = index + 1 < structures.count ? structures[index + 1] : nil
      if structure != new, let place = linked.firstIndex(of: UInt(bitPattern: structure)) {
        let following = place + 1 < linked.count ? linked[place + 1] : 0
        if following == UInt(bitPattern: next) { continue }
      }
      structure.pointee.pNext = next
    }
    linked = structures.map { UInt(bitPattern: $0) }
  }

  /// The default VFS.
  static var standard: AdaptedVFS? {
    prepare()
    return all.first
  }

  static func find(_ name: UnsafePointer<CChar>?) -> UnsafeMutablePointer<sqlite3_vfs>? {
    prepare()
    guard let name else { return all.first?.structure }
    return all.first { vfs in
      vfs.structure.pointee.zName.map { strcmp($0, name) == 0 } ?? false
    }?.structure
  }

  static func register(_ structure: UnsafeMutablePointer<sqlite3_vfs>, asDefault: Bool) {
    prepare()
    linked.withLock { linked in
      let known = all.first { $0.structure == structure }
      VFSRegistry.register(known ?? AdaptedVFS(structure), asDefault: asDefault)
      link(&linked, new: structure)
    }
  }

  static func unregister(_ structure: UnsafeMutablePointer<sqlite3_vfs>) {
    prepare()
    linked.withLock { linked in
      if let known = all.first(where: { $0.structure == structure }) {
        VFSRegistry.unregister(known)
      }
      link(&linked)
    }
  }
}

@c @implementation
public func sqlite3_vfs_find(
  _ name: UnsafePointer<CChar>!
) -> UnsafeMutablePointer<sqlite3_vfs>! {
  guard sqlite3_initialize() == SQLITE_OK else { return nil }
  return VFSList.find(name)
}

@c @implementation
public func sqlite3_vfs_register(
  _ vfs: UnsafeMutablePointer<sqlite3_vfs>!, _ isDefault: Int32
) -> Int32 {
  guard let vfs else { return SQLITE_MISUSE }
  let code = sqlite3_initialize()
  guard code == SQLITE_OK else { return code }
  VFSList.register(vfs, asDefault: isDefault != 0)
  return SQLITE_OK
}

@c @implementation
public func sqlite3_vfs_unregister(_ vfs: UnsafeMutablePointer<sqlite3_vfs>!) -> Int32 {
  guard let vfs else { return SQLITE_MISUSE }
  let code = sqlite3_initialize()
  guard code == SQLITE_OK else { return code }
  VFSList.unregister(vfs)
  return SQLITE_OK
}
