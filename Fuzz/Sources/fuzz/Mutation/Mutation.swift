#if LIBFUZZER
  /// Changes an input with knowledge of what it is: pages, journals, logs and statements besides
  /// bytes.
  struct Mutation {
    private let target: Target
    let most: Int
    var random: RandomSource

    private static let scripts: [[[UInt8]]] = {
      // The scripts of the repository that this file is in.
      let root = #filePath.split(separator: "/").dropLast(5).joined(separator: "/")
      let found = StatementScripts(folder: "/\(root)/Conformance/sql").scripts
      return found.isEmpty ? [[Array("SELECT * FROM t".utf8)]] : found
    }()

    init(_ target: Target, most: Int, seed: UInt64) {
      self.target = target
      self.most = most
      random = RandomSource(seed: seed)
    }

    mutating func mutated(_ input: [UInt8]) -> [UInt8] {
      switch target {
      case .sql: return random.chance(60) ? statement(input) : LibFuzzer.mutated(input, most: most)
      case .image, .journal, .log:
        // A byte of a length makes the parts others.
        if random.chance(2) { return LibFuzzer.mutated(input, most: most) }
        return file(Parts(input, count: target.partCount)).bytes
      case .json:
        let parts = Parts(input, count: target.partCount)
        return (random.chance(15) ? nested(parts) : onePart(parts)).bytes
      case .search: return shadows(Parts(input, count: target.partCount)).bytes
      case .changes: return changes(Parts(input, count: target.partCount)).bytes
      case .threads: return onePart(Parts(input, count: target.partCount)).bytes
      case .function, .calls: return LibFuzzer.mutated(input, most: most)
      }
    }

    mutating func statement(_ sql: [UInt8]) -> [UInt8] {
      var mutator = StatementMutator(random: random, scripts: Mutation.scripts)
      let result = mutator.mutated(sql)
      random = mutator.random
      return result
    }

    mutating func onePart(_ parts: Parts) -> Parts {
      var parts = parts
      mutateBytes(of: &parts, part: random.below(parts.parts.count))
      return parts
    }

    func mutateBytes(of parts: inout Parts, part: Int) {
      let others = parts.bytes.count - parts.parts[part].count
      parts.parts[part] = LibFuzzer.mutated(parts.parts[part], most: max(most - others, 1))
    }

    /// An array or object around the document, or a piece of it taken twice.
    private mutating func nested(_ parts: Parts) -> Parts {
      var parts = parts
      let document = parts.parts[0].dropFirst()
      guard !document.isEmpty else { return onePart(parts) }
      let flags = parts.parts[0].prefix(1)
      let pairs = [("[", "]"), ("{\"a\":", "}"), ("[1,", "]"), ("{a:", ",}"), ("[", ",[]]")]
      switch random.below(3) {
      case 0:
        let (open, close) = random.pick(pairs)
        let depth = random.chance(5) ? random.within(20...1_200) : random.within(1...3)
        parts.parts[0] = flags + Array(String(repeating: open, count: depth).utf8) + document
          + Array(String(repeating: close, count: depth).utf8)
      case 1:
        // A header of JSONB that has the document for its content.
        let kind = UInt8(random.below(16)), count = document.count
        let header: [UInt8] = count < 12 && random.chance(70)
          ? [UInt8(count) << 4 | kind]
          : [0xd0 | kind, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
        parts.parts[0] = [1] + header + document
      default:
        let start = document.startIndex + random.below(document.count)
        let end = min(start + random.within(1...20), document.endIndex)
        let place = parts.parts[0].startIndex + 1 + random.below(document.count)
        parts.parts[0].insert(contentsOf: Array(document[start..<end]), at: place)
      }
      return parts
    }

    // MARK: Files

    private mutating func file(_ parts: Parts) -> Parts {
      var parts = parts
      let sql = parts.parts.count - 1
      switch random.below(100) {
      case 0..<6: mutateBytes(of: &parts, part: 0)
      case 6..<30:
        parts.parts[sql] = random.chance(60)
          ? statement(parts.parts[sql]) : parts.parts[sql]
        if random.chance(30) { mutateBytes(of: &parts, part: sql) }
      case 30..<38: mutateBytes(of: &parts, part: 1 + random.below(sql))
      case 38..<50: moveCells(&parts.parts[1])
      default: damage(&parts)
      }
      return parts
    }

    private mutating func damage(_ parts: inout Parts) {
      let isJournal = target == .journal, isLog = target == .log
      guard parts.parts[1].count >= 512 else { return mutateBytes(of: &parts, part: 1) }
      let image = DatabaseImage(
        bytes: parts.parts[1], journal: isJournal ? parts.parts[2] : nil,
        log: isLog ? parts.parts[2] : nil, index: isLog ? parts.parts[3] : nil)
      guard image.pageSize >= 512, image.pageSize & (image.pageSize - 1) == 0 else {
        return mutateBytes(of: &parts, part: 1)
      }
      var mutator = Mutator(image, seed: random.next())
      mutator.mutate()
      parts.parts[1] = mutator.image.bytes
      if isJournal { parts.parts[2] = mutator.image.journal ?? [] }
      if isLog {
        parts.parts[2] = mutator.image.log ?? []
        parts.parts[3] = mutator.image.index ?? []
      }
      // A page whose checksum does not fit is not looked at.
      if isJournal, random.chance(70) { Seal.journal(&parts.parts[2], pageSize: image.pageSize) }
      if isLog, random.chance(70) { Seal.log(&parts.parts[2]) }
    }

    /// Copies cells, or a pointer array, from one page to another.
    private mutating func moveCells(_ bytes: inout [UInt8]) {
      guard bytes.count >= 1_024 else { return }
      var image = DatabaseImage(bytes: bytes, journal: nil)
      guard image.pageSize >= 512, image.pageCount > 1 else { return }
      let pages = image.treePages
      guard !pages.isEmpty else { return }
      let from = random.pick(pages), to = random.pick(pages)
      func copy(_ count: Int, _ source: Int, _ target: Int) {
        let copied = (0..<count).map { image.number(at: source + $0, 1) }
        for (index, byte) in copied.enumerated() { image.put(byte, at: target + index, 1) }
      }
      switch random.below(4) {
      case 0 where from.cellCount > 0 && to.cellCount > 0:
        let source = from.cellOffset(random.below(from.cellCount), image)
        let target = to.cellOffset(random.below(to.cellCount), image)
        copy(random.within(1...40), source, target)
      case 1: copy(8 + 2 * min(from.cellCount, 20), from.header, to.header)
      case 2: copy(image.pageSize, from.start, to.start)
      default:
        // A tree that is another tree's, or its own child.
        let child = image.number(at: from.header + 8, 4)
        image.put(random.pick([from.number, to.number, child]), at: to.header + 8, 4)
      }
      bytes = image.bytes
    }
  }
#endif
