import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What happens to a terminal while a key is awaited: its size changes, the process goes on after a
/// stop, or the terminal goes away.
enum TerminalEvents {
  private static let redrawCount = Atomic<Int>(0)
  private static let hangUpCount = Atomic<Int>(0)
  private static let pipeEnds: (read: Int32, write: Int32) = makePipe()

  /// Whether the terminal went away: nothing more is read or run.
  static var isHungUp: Bool { hangUpCount.load(ordering: .relaxed) > 0 }

  static func install() {
    _ = (isHungUp, pipeEnds, redrawCount.load(ordering: .relaxed))
    setHandler(SIGHUP, flags: 0, hangUp)
    setHandler(SIGWINCH, flags: Int32(SA_RESTART), redraw)
    setHandler(SIGCONT, flags: Int32(SA_RESTART), redraw)
  }

  private static let redraw: @convention(c) (Int32) -> Void = { _ in
    redrawCount.add(1, ordering: .relaxed)
    wake()
  }

  /// The first ends what runs and lets the shell close its files; a second does not wait for that.
  private static let hangUp: @convention(c) (Int32) -> Void = { _ in
    if hangUpCount.add(1, ordering: .relaxed).newValue > 1 { _exit(1) }
    Interruption.interruptStatement()
    wake()
  }

  private static func wake() {
    let error = errno
    var byte: UInt8 = 0
    _ = write(pipeEnds.write, &byte, 1)
    errno = error
  }

  enum Wait { case input, redraw, interruption, hangUp, timeout }

  /// Waits for a key or for what else may happen.
  static func await(_ descriptor: Int32, milliseconds: Int32 = -1) -> Wait {
    var files = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: pipeEnds.read, events: Int16(POLLIN), revents: 0),
      pollfd(fd: Interruption.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      if isHungUp { return .hangUp }
      if Interruption.isPending { return .interruption }
      if redrawCount.exchange(0, ordering: .relaxed) > 0 {
        drain()
        return .redraw
      }
      let count = poll(&files, nfds_t(files.count), milliseconds)
      if count == 0 { return .timeout }
      if count < 0, errno != EINTR { return .input }
      if count > 0, files[0].revents != 0 { return .input }
      if count > 0, files[1].revents != 0, redrawCount.load(ordering: .relaxed) == 0 { drain() }
    }
  }

  private static func drain() {
    var byte: UInt8 = 0
    while read(pipeEnds.read, &byte, 1) == 1 {}
  }
}

/// Both ends of a pipe on which nothing waits; -1 where there is none.
func makePipe() -> (read: Int32, write: Int32) {
  var ends: [Int32] = [-1, -1]
  guard pipe(&ends) == 0 else { return (-1, -1) }
  for end in ends {
    _ = fcntl(end, F_SETFL, O_NONBLOCK)
    // The commands that the shell runs have no use for it.
    _ = fcntl(end, F_SETFD, FD_CLOEXEC)
  }
  return (ends[0], ends[1])
}

/// How many columns and rows the terminal has.
struct TerminalSize {
  var columns = 80
  var rows = 24

  static var current: TerminalSize {
    var size = winsize()
    var result = TerminalSize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 else { return result }
    if size.ws_col > 0 { result.columns = Int(size.ws_col) }
    if size.ws_row > 0 { result.rows = Int(size.ws_row) }
    return result
  }
}
