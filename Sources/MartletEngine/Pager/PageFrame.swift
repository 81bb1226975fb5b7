/// Number of a page in a database file; the first page is 1, and 0 means none.
struct PageNumber: RawRepresentable, Hashable, Comparable {
  let rawValue: UInt32

  @inline(__always) init(rawValue: UInt32) { self.rawValue = rawValue }
  @inline(__always) init(_ rawValue: UInt32) { self.rawValue = rawValue }

  @inline(__always)
  static func < (left: PageNumber, right: PageNumber) -> Bool { left.rawValue < right.rawValue }
}

/// A page in the cache. Frames are allocated in slabs, never move, and are handled by pointer.
///
/// `data` has `pageSize` bytes and `slack` more, so that a varint or an 8-byte load that starts
/// inside the page never reads outside the allocation.
struct PageFrame {
  static let slack = 32

  let data: UnsafeMutablePointer<UInt8>
  var number = PageNumber(0)
  /// How many users hold the frame; only frames with 0 are recycled.
  var pinCount: Int32 = 0
  /// Changed since it came from the file or was written to it: on the cache's list of dirty pages.
  var isDirty = false
  /// The journal must be synced before this page may be written to the file.
  var needsSync = false
  /// Dirty, but its content means nothing any more, so it need not be written.
  var isWorthless = false

  /// Read with the one before it, and not asked for yet.
  var isReadAhead = false

  /// The page's B-tree header, checked when the page is first used as a B-tree page. Belongs to the
  /// B-tree room; the pager clears `tree.isChecked` whenever it replaces the page's content.
  var tree = TreePageHeader()

  /// How many misses the cache had had when the frame became the newest of its list.
  var lastMove = 0

  /// Equal to the pager's epoch when the page may be changed without further preparation.
  var writeEpoch: UInt64 = 0

  // Links of the page cache: the chain of the bucket, and the list of clean or dirty frames.
  var nextInBucket: UnsafeMutablePointer<PageFrame>? = nil
  var newer: UnsafeMutablePointer<PageFrame>? = nil
  var older: UnsafeMutablePointer<PageFrame>? = nil
}

/// What the B-tree room knows of a page once its header is checked (fileformat2 §1.6).
struct TreePageHeader {
  var isChecked = false
  var isLeaf = false
  /// Table trees have integer keys; the others are index trees.
  var isTable = false
  /// 100 on page 1, else 0.
  var headerOffset: UInt8 = 0
  var cellCount: UInt16 = 0
  /// Offset of the cell-pointer array in the page.
  var cellPointerOffset: UInt16 = 0
  /// Largest payload that is stored on the page alone, and the least part kept there otherwise.
  var maximumLocalSize: UInt16 = 0
  var minimumLocalSize: UInt16 = 0
  /// Bytes that writers may still use, kept exact by them; negative while nobody has counted.
  var freeByteCount: Int32 = -1
  /// Cells that belong to the page and do not fit it until it is balanced, and where they are kept.
  var pendingCount: UInt8 = 0
  var pendingSlot: UInt8 = 0
}

typealias PagePointer = UnsafeMutablePointer<PageFrame>
