#if LIBFUZZER
  /// Changes what an input puts into shadow tables, and its SQL; and changes of changesets.
  extension Mutation {
    mutating func shadows(_ parts: Parts) -> Parts {
      var parts = parts
      switch random.below(100) {
      case 0..<4: mutateBytes(of: &parts, part: 0)
      case 4..<22: parts.parts[2] = statement(parts.parts[2])
      case 22..<32:
        let probe = random.pick(random.pick(SearchProbes.all))
        parts.parts[2] += Array(";\(probe)".utf8)
      case 32..<36: mutateBytes(of: &parts, part: 2)
      default:
        var rows = ShadowRow.rows(in: parts.parts[1])
        mutate(&rows, SearchTarget.base(parts), most - parts.bytes.count)
        parts.parts[1] = ShadowRow.bytes(of: rows)
      }
      return parts
    }

    /// `room` is how many bytes there may be more.
    private mutating func mutate(
      _ rows: inout [ShadowRow], _ base: SearchTarget.Base, _ room: Int
    ) {
      guard !rows.isEmpty, random.chance(85) else {
        let row = random.pick(base.rows)
        if row.bytes.count + 4 <= room { rows.append(row) }
        return
      }
      let index = random.below(rows.count)
      let count = rows[index].bytes.count
      switch random.below(20) {
      case 0: rows.remove(at: index)
      case 1: rows[index].row = random.below(64)
      case 2: rows[index].column = random.below(base.columns.count)
      case 3..<7: putVarint(&rows[index].bytes)
      case 7..<10:
        // Bytes of another row.
        let other = random.pick(base.rows).bytes
        guard !other.isEmpty, count > 0 else { return }
        let start = random.below(other.count), place = random.below(count)
        let piece = other[start..<min(start + random.within(1...20), other.count)]
        let end = random.chance(50) ? place : min(place + piece.count, count)
        rows[index].bytes.replaceSubrange(place..<end, with: piece)
      default:
        rows[index].bytes = LibFuzzer.mutated(rows[index].bytes, most: max(count + room, 1))
      }
    }

    /// A number where one may stand: mostly in front.
    private mutating func putVarint(_ bytes: inout [UInt8]) {
      guard !bytes.isEmpty else { return }
      let place = random.chance(50) ? random.below(min(bytes.count, 16)) : random.below(bytes.count)
      let number: [UInt8] = random.pick([
        [0], [1], [2], [0x7f], [0x81, 0], [0xff, 0x7f], [0x83, 0xff, 0x7f], [0x81, 0x80, 0x80, 0],
        [0x87, 0xff, 0xff, 0xff, 0x7f], [0x88, 0x80, 0x80, 0x80, 0], [0x8f, 0xff, 0xff, 0xff, 0x7f],
        [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], [0xff, 0xff, 0xff, 0xff, 0x07],
        [0xff, 0xff], [0x80, 0, 0, 0], [0x7f, 0x80, 0, 0],
      ])
      let end = random.chance(30) ? place : min(place + number.count, bytes.count)
      bytes.replaceSubrange(place..<end, with: number)
    }

    // MARK: Changesets

    mutating func changes(_ parts: Parts) -> Parts {
      var parts = parts
      let from = random.within(1...2), to = random.within(1...2)
      switch random.below(10) {
      case 0:
        // A piece of one, behind or in the other.
        let source = parts.parts[from]
        guard !source.isEmpty else { return onePart(parts) }
        let start = random.below(source.count)
        let piece = source[start..<min(start + random.within(1...60), source.count)]
        guard parts.bytes.count + piece.count <= most else { return onePart(parts) }
        let place = random.below(parts.parts[to].count + 1)
        parts.parts[to].insert(contentsOf: Array(piece), at: place)
        return parts
      case 1:
        // Another kind of change.
        guard !parts.parts[to].isEmpty else { break }
        let place = random.below(parts.parts[to].count)
        parts.parts[to][place] = random.pick([9, 18, 23, 0x54, 0x50, 0, 1, 2, 3, 4, 5, 6])
        return parts
      case 2:
        putVarint(&parts.parts[to])
        return parts
      default: break
      }
      return onePart(parts)
    }
  }
#endif
