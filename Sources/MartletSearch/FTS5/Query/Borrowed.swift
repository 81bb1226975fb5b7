import MartletEngine

/// Objects that somebody else holds, where nobody counts references to get them.
struct Borrowed<Object: AnyObject> {
  private let references: UnsafeMutablePointer<Unmanaged<Object>>
  let count: Int

  init(_ objects: [Object]) {
    count = objects.count
    references = .allocate(capacity: max(count, 1))
    for (index, object) in objects.enumerated() {
      (references + index).initialize(to: Unmanaged.passUnretained(object))
    }
  }

  func deallocate() { references.deallocate() }

  mutating func replace(with objects: [Object]) {
    deallocate()
    self = Borrowed(objects)
  }

  @inline(__always)
  func lend<Result>(
    _ index: Int, _ body: (Object) throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    try references[index].lend(body)
  }

  @inline(__always)
  func with<Result>(_ index: Int, _ body: (Object) -> Result) -> Result {
    references[index]._withUnsafeGuaranteedRef(body)
  }
}
