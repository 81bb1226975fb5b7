import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The terminal's raw mode: keys come one by one and without an echo.
///
/// It is on only while a line is edited; a statement that runs has the terminal as it was found.
/// Whatever ends or stops the process meanwhile first puts it back: `exit`, a signal that kills, a
/// crash, Ctrl-Z. What the handlers touch is made before they are installed, and they call only
/// what may be called at any time.
enum RawMode {
  /// The modes as they were found, and those for editing.
  nonisolated(unsafe) private static let found = UnsafeMutablePointer<termios>.allocate(capacity: 1)
  nonisolated(unsafe) private static let raw = UnsafeMutablePointer<termios>.allocate(capacity: 1)
  private static let isActive = Atomic<Bool>(false)
  private static let areHandlersInstalled = Atomic<Bool>(false)

  /// Brackets around what is pasted: `ESC [ 200 ~` and `ESC [ 201 ~`.
  private static let pasteOn: StaticString = "\u{1b}[?2004h"
  private static let pasteOff: StaticString = "\u{1b}[?2004l"

  /// What ends the process, and must not leave the terminal raw.
  private static let deadly: [Int32] = [
    SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGTERM, SIGQUIT,
  ]

  /// False where the terminal has no such mode or is gone.
  static func enter() -> Bool {
    guard tcgetattr(STDIN_FILENO, found) == 0 else { return false }
    raw.pointee = found.pointee
    cfmakeraw(raw)
    // A message of somebody else's still begins its lines on the left.
    raw.pointee.c_oflag |= tcflag_t(OPOST)
    withUnsafeMutableBytes(of: &raw.pointee.c_cc) { characters in
      characters[Int(VMIN)] = 1
      characters[Int(VTIME)] = 0
    }
    installHandlers()
    return set()
  }

  static func leave() {
    guard isActive.exchange(false, ordering: .sequentiallyConsistent) else { return }
    say(pasteOff)
    tcsetattr(STDIN_FILENO, TCSADRAIN, found)
  }

  /// Stops the process as Ctrl-Z does where nothing edits; goes on after `fg`.
  static func suspend() {
    leave()
    kill(0, SIGTSTP)
    _ = set()
  }

  private static func set() -> Bool {
    guard tcsetattr(STDIN_FILENO, TCSADRAIN, raw) == 0 else { return false }
    isActive.store(true, ordering: .sequentiallyConsistent)
    say(pasteOn)
    return true
  }

  private static func say(_ text: StaticString) {
    _ = write(STDOUT_FILENO, text.utf8Start, text.utf8CodeUnitCount)
  }

  // MARK: Signals

  private static func installHandlers() {
    _ = (stopFlags, found, raw)
    guard !areHandlersInstalled.exchange(true, ordering: .relaxed) else { return }
    atexit { RawMode.leave() }
    for signal in deadly {
      // Once only, so that the second time is what the system does of itself.
      setHandler(signal, flags: Int32(truncatingIfNeeded: SA_RESETHAND) | Int32(SA_NODEFER), die)
    }
    setHandler(SIGTSTP, flags: stopFlags, stop)
  }

  private static let stopFlags = Int32(SA_RESTART) | Int32(SA_NODEFER)

  private static let die: @convention(c) (Int32) -> Void = { signal in
    leave()
    raise(signal)
  }

  /// A stop, of our own or from elsewhere (`kill -TSTP`), is what the system makes of one: it has
  /// none for a process that nobody could continue.
  private static let stop: @convention(c) (Int32) -> Void = { number in
    let error = errno
    let wasActive = isActive.load(ordering: .relaxed)
    leave()
    signal(number, SIG_DFL)
    raise(number)
    setHandler(number, flags: stopFlags, stop)
    if wasActive { _ = set() }
    errno = error
  }
}

/// Installs a handler for one signal.
func setHandler(
  _ signal: Int32, flags: Int32, _ handler: @escaping @convention(c) (Int32) -> Void
) {
  var action = sigaction()
  sigemptyset(&action.sa_mask)
  action.sa_flags = flags
  #if canImport(Darwin)
    action.__sigaction_u.__sa_handler = handler
  #elseif canImport(Musl)
    action.__sa_handler.sa_handler = handler
  #else
    action.__sigaction_handler.sa_handler = handler
  #endif
  sigaction(signal, &action, nil)
}
