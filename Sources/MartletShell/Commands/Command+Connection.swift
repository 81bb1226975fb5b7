import MartletEngine

/// One of the databases that `.connection` keeps open side by side.
struct ConnectionSlot {
  var connection: Connection?
  var path: String
  var isReadOnly = false
}

extension Command {
  private static let slotCount = 5

  func switchConnection(in session: Session) -> Result {
    let words = arguments
    func number(_ text: String) -> Int? {
      guard text.utf8.count == 1, let digit = Int(text), digit < Self.slotCount else { return nil }
      return digit
    }
    if words.isEmpty {
      for slot in 0..<Self.slotCount {
        if slot == session.activeSlot {
          session.output.write("ACTIVE \(slot): \(session.slotPath)\n")
        } else if let other = session.slots[slot], other.connection != nil {
          let path = other.path.isEmpty ? "(memory)" : other.path
          session.output.write("       \(slot): \(path)\n")
        }
      }
      return .done
    }
    if words.count == 1, words[0].utf8.count == 1, words[0].utf8.allSatisfy(isDigit) {
      if let slot = number(words[0]) { session.activate(slot) }
      return .done
    }
    if words.count == 2, words[0] == "close", words[1].utf8.count == 1,
      words[1].utf8.allSatisfy(isDigit)
    {
      guard let slot = number(words[1]) else { return .done }
      if slot == session.activeSlot {
        session.printError("cannot close the active database connection\n")
        return .failed
      }
      session.slots[slot] = nil
      return .done
    }
    return fail(".connection [close] [CONNECTION-NUMBER]", in: session)
  }
}

extension Session {
  /// How the active database is listed.
  var slotPath: String { path.isEmpty ? "(memory)" : path }

  /// Goes on with another connection, which is opened where it is not.
  func activate(_ slot: Int) {
    guard slot != activeSlot else { return }
    slots[activeSlot] = ConnectionSlot(connection: connection, path: path, isReadOnly: isReadOnly)
    Interruption.watch(nil)
    let next = slots[slot] ?? ConnectionSlot(path: "")
    slots[slot] = nil
    activeSlot = slot
    (connection, path, isReadOnly) = (next.connection, next.path, next.isReadOnly)
    if connection == nil { _ = open() }
    Interruption.watch(connection)
  }
}
