import MartletEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Runs inputs through the targets: with libFuzzer where it is linked in, and those of a corpus
/// anywhere.
@main
struct Fuzz {
  static let usage = """
    usage: fuzz TARGET [LIBFUZZER'S ARGUMENTS]
           fuzz replay FOLDER
           fuzz seeds FOLDER
           fuzz dictionary

    TARGET      \(Target.allCases.map(\.rawValue).joined(separator: ", "))
    replay      runs every file in the folders FOLDER/TARGET once, each target in a process of its
                own; the exit status is 1 when one of them ended it
    seeds       makes inputs for each target in FOLDER/TARGET
    dictionary  prints words of SQL in libFuzzer's form
    """

  static func main() {
    let arguments = CommandLine.arguments
    let argument = arguments.count > 2 ? arguments[2] : ""
    switch arguments.dropFirst().first {
    case "replay" where !argument.isEmpty: exit(Replay.run(folder: argument) ? 0 : 1)
    case "replay-target" where arguments.count > 3:
      guard let target = Target(rawValue: argument) else { break }
      Replay.run(target, folder: arguments[3])
      exit(0)
    case "seeds" where !argument.isEmpty:
      Seeds.make(in: argument)
      exit(0)
    case "dictionary":
      WordList.print()
      exit(0)
    case let name?:
      if let target = Target(rawValue: name) { fuzz(target) }
      // Children that libFuzzer starts have only its own arguments.
      if let name = getenv("FUZZ_TARGET"), let target = Target(rawValue: String(cString: name)) {
        fuzz(target, isChild: true)
      }
    case nil: break
    }
    printError(usage)
    exit(2)
  }

  private static func fuzz(_ target: Target, isChild: Bool = false) -> Never {
    #if LIBFUZZER
      setenv("FUZZ_TARGET", target.rawValue, 1)
      target.prepare()
      exit(LibFuzzer.run(target, skipping: isChild ? 0 : 1))
    #else
      printError("fuzz: this program was built without libFuzzer: use the package Fuzz")
      exit(2)
    #endif
  }
}
