/// Mutations of freelist, pointer map and journal.
extension Mutator {
  mutating func mutateFreelist() {
    let trunk = image.number(at: 32, 4)
    guard trunk > 0, trunk <= image.pageCount, random.chance(75) else {
      return put(awkward(4), at: random.pick([32, 36]), 4, "freelist")
    }
    let start = image.pageStart(trunk)
    let count = image.number(at: start + 4, 4)
    switch random.below(4) {
    case 0: put(random.pick([trunk, awkward(4)]), at: start, 4, "trunk \(trunk) next")
    case 1: put(random.pick([count + 1, awkward(4)]), at: start + 4, 4, "trunk \(trunk) count")
    default:
      let leaf = random.below(max(min(count, 100), 1))
      let value = random.pick([trunk, 1, 2, awkward(4), image.number(at: start + 8, 4)])
      put(value, at: start + 8 + 4 * leaf, 4, "trunk \(trunk) leaf \(leaf)")
    }
  }

  mutating func mutatePointerMap() {
    guard image.number(at: 52, 4) > 0, image.pageCount > 2 else { return mutateFreelist() }
    let entry = random.below(max(min(image.pageCount - 2, image.pageSize / 5), 1))
    let offset = image.pageStart(2) + 5 * entry
    if random.chance(50) {
      put(random.pick([0, 1, 2, 3, 4, 5, 6, 255]), at: offset, 1, "pointer map \(entry) kind")
    } else {
      put(awkward(4), at: offset + 1, 4, "pointer map \(entry) parent")
    }
  }

  /// fileformat2 §4 and walformat §2.
  mutating func mutateLog() {
    guard var log = image.log, log.count > 56, var index = image.index, !index.isEmpty else {
      return
    }
    let frameSize = image.pageSize + 24
    let frame = 32 + random.below(max((log.count - 32) / frameSize, 1)) * frameSize
    func set(_ value: Int, _ offset: Int) {
      for position in 0..<4 where log.indices.contains(offset + position) {
        log[offset + position] = UInt8(truncatingIfNeeded: value >> (24 - 8 * position))
      }
    }
    switch random.below(7) {
    case 0:
      let field = 4 * random.below(8)
      set(awkward(4), field)
      note("log header field \(field)")
    case 1:
      let field = 4 * random.below(6)
      set(awkward(4), frame + field)
      note("log frame at \(frame) field \(field)")
    case 2:
      set(awkward(4), frame + 24 + random.below(image.pageSize))
      note("log content behind \(frame)")
    case 3:
      log.removeLast(random.below(log.count))
      note("log cut to \(log.count)")
    case 4:
      log += [UInt8](repeating: 0, count: random.pick([1, 24, frameSize]))
      note("log longer")
    case 5:
      log.removeSubrange(frame..<min(frame + frameSize, log.count))
      note("log frame at \(frame) missing")
    default:
      for _ in 0..<random.within(1...20) {
        index[random.below(min(index.count, 200))] = UInt8(truncatingIfNeeded: random.next())
      }
      note("index")
    }
    image.log = log
    image.index = index
  }

  /// fileformat2 §3.
  mutating func mutateJournal() {
    guard var journal = image.journal, journal.count > 28 else { return }
    func set(_ value: Int, _ offset: Int, _ width: Int) {
      for position in 0..<width where journal.indices.contains(offset + position) {
        journal[offset + position] =
          UInt8(truncatingIfNeeded: value >> (8 * (width - 1 - position)))
      }
    }
    let recordSize = image.pageSize + 8
    let records = max((journal.count - 512) / recordSize, 1)
    let record = 512 + random.below(records) * recordSize
    switch random.below(8) {
    case 0:
      let field = random.pick([0, 7, 8, 12, 16, 20, 24])
      set(awkward(4), field, field == 0 || field == 7 ? 1 : 4)
      note("journal header field \(field)")
    case 1:
      set(awkward(4), record, 4)
      note("journal record's page")
    case 2:
      set(awkward(4), record + recordSize - 4, 4)
      note("journal checksum")
    case 3:
      set(random.below(256), record + 4 + random.below(image.pageSize), 1)
      note("journal content")
    case 4:
      journal.removeLast(random.below(journal.count))
      note("journal cut to \(journal.count)")
    case 5:
      journal += [UInt8](repeating: 0, count: random.pick([1, 512, recordSize]))
      note("journal longer")
    case 6:
      journal = Array(journal.prefix(512)) + journal.dropFirst(512 + recordSize)
      note("journal record missing")
    default:
      set(awkward(4), 8, 4)
      note("journal record count")
    }
    image.journal = journal
  }
}
