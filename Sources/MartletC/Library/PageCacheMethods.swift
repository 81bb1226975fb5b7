// The page cache that SQLITE_CONFIG_GETPCACHE2 gives to programs which put their own around it
// (c3ref/pcache_methods2). The engine's connections have another, which programs cannot replace.
import CSQLite3
import MartletEngine

/// A cache of pages that are found by a number; those that nobody uses may be recycled.
private final class ProgramPageCache {
  /// A page as the program sees it, and behind that what is known of it.
  struct Page {
    var visible: sqlite3_pcache_page
    var key: UInt32
    var isPinned: Bool
    /// When it was unpinned, in counts of all that were.
    var age: UInt64
  }

  typealias PagePointer = UnsafeMutablePointer<Page>

  private let pageSize: Int
  private let extraSize: Int
  private let isPurgeable: Bool
  private var limit = 100
  private var pages: [UInt32: PagePointer] = [:]
  private var clock: UInt64 = 0

  init(pageSize: Int, extraSize: Int, isPurgeable: Bool) {
    self.pageSize = pageSize
    self.extraSize = extraSize
    self.isPurgeable = isPurgeable
  }

  deinit { for page in pages.values { free(page) } }

  var count: Int { pages.count }

  func setLimit(_ newLimit: Int) {
    limit = max(newLimit, 0)
    shrink(to: limit)
  }

  /// Without `creates`, only a page that is there; it is made at any cost if `insists`.
  func fetch(_ key: UInt32, creates: Bool, insists: Bool) -> PagePointer? {
    if let page = pages[key] {
      page.pointee.isPinned = true
      return page
    }
    guard creates else { return nil }
    if isPurgeable && pages.count >= limit {
      shrink(to: limit - 1)
      if pages.count >= limit && !insists { return nil }
    }
    guard let page = make(key) else { return nil }
    pages[key] = page
    return page
  }

  func unpin(_ page: PagePointer, discards: Bool) {
    if discards { return remove(page) }
    clock += 1
    page.pointee.isPinned = false
    page.pointee.age = clock
    if isPurgeable && pages.count > limit { remove(page) }
  }

  func rekey(_ page: PagePointer, to key: UInt32) {
    if let other = pages[key], other != page { remove(other) }
    pages[page.pointee.key] = nil
    page.pointee.key = key
    pages[key] = page
  }

  func truncate(from key: UInt32) {
    for page in pages.values where page.pointee.key >= key { remove(page) }
  }

  /// Frees unpinned pages, the oldest first.
  func shrink(to target: Int) {
    guard isPurgeable && pages.count > target else { return }
    let free = pages.values.filter { !$0.pointee.isPinned }
      .sorted { $0.pointee.age < $1.pointee.age }
    for page in free.prefix(pages.count - max(target, 0)) { remove(page) }
  }

  private func make(_ key: UInt32) -> PagePointer? {
    guard let page = CMemory.allocate(for: Page.self) else { return nil }
    guard let buffer = CMemory.allocate(max(pageSize + extraSize, 1)) else {
      CMemory.free(page)
      return nil
    }
    let extra = buffer + pageSize
    extra.initializeMemory(as: UInt8.self, repeating: 0, count: extraSize)
    page.initialize(
      to: Page(
        visible: sqlite3_pcache_page(pBuf: buffer, pExtra: extra), key: key, isPinned: true, age: 0)
    )
    return page
  }

  private func remove(_ page: PagePointer) {
    pages[page.pointee.key] = nil
    free(page)
  }

  private func free(_ page: PagePointer) {
    CMemory.free(page.pointee.visible.pBuf)
    CMemory.free(page)
  }
}

enum PageCacheMethods {
  private static func cache(_ handle: OpaquePointer?) -> ProgramPageCache? {
    handle.map { Unmanaged.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
  }

  private static func page(
    _ page: UnsafeMutablePointer<sqlite3_pcache_page>?
  ) -> ProgramPageCache.PagePointer? {
    page.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: ProgramPageCache.Page.self) }
  }

  private static func create(_ pageSize: Int32, _ extraSize: Int32, _ purges: Int32)
    -> OpaquePointer?
  {
    guard pageSize >= 0 && extraSize >= 0 else { return nil }
    let cache = ProgramPageCache(
      pageSize: Int(pageSize), extraSize: Int(extraSize), isPurgeable: purges != 0)
    return OpaquePointer(Unmanaged.passRetained(cache).toOpaque())
  }

  private static func destroy(_ handle: OpaquePointer?) {
    guard let handle else { return }
    Unmanaged<ProgramPageCache>.fromOpaque(UnsafeRawPointer(handle)).release()
  }

  static var methods: sqlite3_pcache_methods2 {
    sqlite3_pcache_methods2(
      iVersion: 1, pArg: nil, xInit: { _ in SQLITE_OK }, xShutdown: { _ in },
      xCreate: { PageCacheMethods.create($0, $1, $2) },
      xCachesize: { PageCacheMethods.cache($0)?.setLimit(Int($1)) },
      xPagecount: { Int32(truncatingIfNeeded: PageCacheMethods.cache($0)?.count ?? 0) },
      xFetch: { handle, key, flag in
        let page = PageCacheMethods.cache(handle)?.fetch(
          key, creates: flag != 0, insists: flag == 2)
        return page.map {
          UnsafeMutableRawPointer($0).assumingMemoryBound(to: sqlite3_pcache_page.self)
        }
      },
      xUnpin: { handle, page, discards in
        guard let page = PageCacheMethods.page(page) else { return }
        PageCacheMethods.cache(handle)?.unpin(page, discards: discards != 0)
      },
      xRekey: { handle, page, _, key in
        guard let page = PageCacheMethods.page(page) else { return }
        PageCacheMethods.cache(handle)?.rekey(page, to: key)
      },
      xTruncate: { PageCacheMethods.cache($0)?.truncate(from: $1) },
      xDestroy: { PageCacheMethods.destroy($0) },
      xShrink: { PageCacheMethods.cache($0)?.shrink(to: 0) })
  }
}
