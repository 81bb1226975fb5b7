import MartletEngine

/// Inner nodes that scans have read, for those to come.
///
/// They are those of one version of the database, which is asked for when a scan begins. While a
/// transaction writes, nothing is kept: its changes have no version yet.
struct KeptNodes {
  /// For a tree of a million rows these are all inner nodes.
  private static let mostNodes = 1_024
  private static let mostBytes = 2 << 20

  /// By number, without regard to what was there.
  private var places: [Node?] = []
  private let placeCount: Int
  /// nil where nothing may be kept.
  private var version: UInt32?

  init(nodeSize: Int) {
    placeCount = min(KeptNodes.mostNodes, KeptNodes.mostBytes / max(nodeSize, 1))
  }

  /// Forgets what is not the content of now.
  mutating func validate(_ connection: Connection, _ database: String) {
    var current: UInt32?
    if placeCount > 0, connection.transactionState(of: database) != .write {
      do throws(SQLError) {
        current = try connection.dataVersion(ofDatabase: database)
      } catch {
        // Then nothing is kept; the scan finds out what is wrong.
      }
    }
    guard current == nil || current != version else { return }
    forgetAll()
    version = current
  }

  mutating func forgetAll() {
    version = nil
    if !places.isEmpty { places.removeAll() }
  }

  @inline(__always)
  private func place(_ number: Int64) -> Int {
    Int(UInt64(bitPattern: number) % UInt64(placeCount))
  }

  @inline(__always)
  func find(_ number: Int64) -> Node? {
    guard !places.isEmpty, let node = places[place(number)], node.number == number else {
      return nil
    }
    return node
  }

  mutating func keep(_ node: Node) {
    guard version != nil else { return }
    if places.isEmpty {
      // Without memory nothing is kept.
      do throws(SQLError) { try places.makeRoom(for: placeCount) } catch { return }
      for _ in 0..<placeCount { places.append(nil) }
    }
    places[place(node.number)] = node
  }
}
