import MartletEngine
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Ctrl-C (SIGINT): ends the statement that runs, not the shell.
///
/// The handler only counts, writes a byte to a pipe and calls `Connection.interrupt`, which sets a
/// bit: it may come between any two instructions. What takes long asks `isPending`; what waits for
/// input waits for the pipe, too, so that no signal is lost between asking and waiting.
enum Interruption {
  /// How often it came since `clear`.
  private static let counter = Atomic<Int>(0)
  /// The connection whose statements end; 0 for none. The session keeps it alive.
  private static let watched = Atomic<UInt>(0)
  /// Something that does not end after so many cannot be ended in order. (SQLite's shell exits at
  /// the second, also between two statements.)
  private static let lastCount = 3
  /// The ends of the pipe for reading and writing; -1 where there is none.
  private static let pipeEnds: (read: Int32, write: Int32) = makePipe()

  static var count: Int { counter.load(ordering: .relaxed) }

  static var isPending: Bool { count > 0 }

  /// What becomes readable when it comes.
  static var descriptor: Int32 { pipeEnds.read }

  /// As if it had come: Ctrl-C is a key where lines are edited.
  static func request() { counter.add(1, ordering: .relaxed) }

  static func clear() {
    guard isPending else { return }
    counter.store(0, ordering: .relaxed)
    var byte: UInt8 = 0
    while read(pipeEnds.read, &byte, 1) == 1 {}
  }

  /// Says whose statements end from now on. Must be told before the connection goes.
  static func watch(_ connection: Connection?) {
    let pointer = connection.map { Unmanaged.passUnretained($0).toOpaque() }
    watched.store(UInt(bitPattern: pointer), ordering: .releasing)
  }

  /// Waits until there is something to read, or its end; false when Ctrl-C has come.
  static func awaitInput(_ descriptor: Int32) -> Bool {
    var files = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: pipeEnds.read, events: Int16(POLLIN), revents: 0),
    ]
    while !isPending, !TerminalEvents.isHungUp {
      // A descriptor that cannot be waited for says what is wrong when it is read.
      if poll(&files, nfds_t(files.count), -1) >= 0 || errno != EINTR { break }
    }
    return !isPending && !TerminalEvents.isHungUp
  }

  static func install() {
    // The handler must find initialised what it uses.
    _ = (count, pipeEnds, lastCount)
    watch(nil)
    setHandler(SIGINT, flags: Int32(SA_RESTART), handle)
  }

  private static let handle: @convention(c) (Int32) -> Void = { _ in
    if counter.add(1, ordering: .relaxed).newValue >= lastCount { _exit(1) }
    let error = errno
    var byte: UInt8 = 0
    _ = write(pipeEnds.write, &byte, 1)
    errno = error
    interruptStatement()
  }

  /// Ends the statement that runs; may be called at any time.
  static func interruptStatement() {
    guard let pointer = UnsafeRawPointer(bitPattern: watched.load(ordering: .acquiring)) else {
      return
    }
    Unmanaged<Connection>.fromOpaque(pointer).takeUnretainedValue().interrupt()
  }
}
