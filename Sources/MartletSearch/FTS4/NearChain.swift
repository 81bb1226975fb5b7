import MartletEngine

/// Phrases that have to be near each other, from left to right.
final class NearChain {
  /// The query holds the objects.
  private struct Member {
    let node: Unmanaged<MatchExpression>
    let doclist: Unmanaged<PhraseDoclist>
    let tokenCount: Int
    /// How many tokens may be between this phrase and the next.
    let distance: Int
  }

  private let members: [Member]

  /// - Parameter top: The uppermost NEAR.
  init(_ top: MatchExpression) {
    var members: [Member] = [], distance = 0
    func add(_ node: MatchExpression) {
      guard let phrase = node.phrase else { return }
      members.append(
        Member(
          node: .passUnretained(node), doclist: .passUnretained(phrase.doclist),
          tokenCount: phrase.tokens.count, distance: distance))
    }
    var next = top
    while next.kind == .near, let left = next.left, let right = next.right {
      add(right)
      distance = next.distance
      next = left
    }
    add(next)
    self.members = members.reversed()
  }

  /// Leaves each phrase those places of the row only that are near enough to the phrases beside
  /// it; says false if there are none.
  ///
  /// - Parameter isForGood: The others are not there either when the row is looked at again.
  func keepNear(isForGood: Bool) throws(SQLError) -> Bool {
    for index in 1..<max(1, members.count) {
      let left = members[index - 1]
      guard try NearChain.keep(members[index], left, left.distance, isForGood) else {
        return false
      }
    }
    for index in stride(from: members.count - 2, through: 0, by: -1) {
      let member = members[index]
      guard try NearChain.keep(member, members[index + 1], member.distance, isForGood) else {
        return false
      }
    }
    return true
  }

  private static func keep(
    _ member: Member, _ other: Member, _ distance: Int, _ isForGood: Bool
  ) throws(SQLError) -> Bool {
    let places = try other.doclist.lend { doclist throws(SQLError) in try doclist.places }
    return try member.doclist.lend { doclist throws(SQLError) in
      try doclist.trim(
        near: places, before: distance + member.tokenCount, behind: distance + other.tokenCount,
        forGood: isForGood)
    }
  }

  /// Takes all places of a row away.
  func forget(_ docid: Int64) {
    for member in members where member.node._withUnsafeGuaranteedRef({ $0.docid == docid }) {
      member.doclist._withUnsafeGuaranteedRef { $0.forget() }
    }
  }
}
