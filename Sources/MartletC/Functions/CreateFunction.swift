// Making and deleting functions (c3ref/create_function, c3ref/overload_function).
import CSQLite3
import MartletEngine

public typealias FunctionPointer =
  @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void
public typealias ResultPointer = @convention(c) (OpaquePointer?) -> Void

@c @implementation
public func sqlite3_create_function(
  _ database: OpaquePointer!, _ name: UnsafePointer<CChar>!, _ argumentCount: Int32,
  _ encoding: Int32, _ userData: UnsafeMutableRawPointer!, _ function: FunctionPointer!,
  _ step: FunctionPointer!, _ final: ResultPointer!
) -> Int32 {
  create(
    database, string(name), argumentCount, encoding, userData,
    Bodies(scalar: function, step: step, final: final), nil)
}

@c @implementation
public func sqlite3_create_function16(
  _ database: OpaquePointer!, _ name: UnsafeRawPointer!, _ argumentCount: Int32,
  _ encoding: Int32, _ userData: UnsafeMutableRawPointer!, _ function: FunctionPointer!,
  _ step: FunctionPointer!, _ final: ResultPointer!
) -> Int32 {
  create(
    database, name.map { utf8($0) }, argumentCount, encoding, userData,
    Bodies(scalar: function, step: step, final: final), nil)
}

@c @implementation
public func sqlite3_create_function_v2(
  _ database: OpaquePointer!, _ name: UnsafePointer<CChar>!, _ argumentCount: Int32,
  _ encoding: Int32, _ userData: UnsafeMutableRawPointer!, _ function: FunctionPointer!,
  _ step: FunctionPointer!, _ final: ResultPointer!, _ destroy: Destructor!
) -> Int32 {
  create(
    database, string(name), argumentCount, encoding, userData,
    Bodies(scalar: function, step: step, final: final), destroy)
}

@c @implementation
public func sqlite3_create_window_function(
  _ database: OpaquePointer!, _ name: UnsafePointer<CChar>!, _ argumentCount: Int32,
  _ encoding: Int32, _ userData: UnsafeMutableRawPointer!, _ step: FunctionPointer!,
  _ final: ResultPointer!, _ value: ResultPointer!, _ inverse: FunctionPointer!,
  _ destroy: Destructor!
) -> Int32 {
  create(
    database, string(name), argumentCount, encoding, userData,
    Bodies(step: step, final: final, value: value, inverse: inverse), destroy)
}

@c @implementation
public func sqlite3_overload_function(
  _ database: OpaquePointer!, _ name: UnsafePointer<CChar>!, _ argumentCount: Int32
) -> Int32 {
  guard let name = string(name), argumentCount >= -2 else { return SQLITE_MISUSE }
  return report(database) { connection throws(SQLError) in
    try connection.overloadFunction(name, argumentCount: Int(argumentCount))
  }
}

/// What the program gives as a function.
private struct Bodies {
  var scalar: CFunctionBody?
  var step: CFunctionBody?
  var final: CResultBody?
  var value: CResultBody?
  var inverse: CFunctionBody?

  var isValid: Bool {
    (scalar == nil || final == nil) && (step == nil) == (final == nil)
      && (value == nil) == (inverse == nil)
  }

  /// The aggregate; nil for a scalar function.
  func aggregate(of object: CFunction) -> CAggregate? {
    guard let step, let final else { return nil }
    var window: CAggregate.Window?
    if let inverse, let value { window = CAggregate.Window(value: value, inverse: inverse) }
    return CAggregate(object, step: step, result: final, window: window)
  }
}

private func create(
  _ database: OpaquePointer?, _ name: String?, _ argumentCount: Int32, _ representation: Int32,
  _ userData: UnsafeMutableRawPointer?, _ bodies: Bodies, _ destroy: Destructor?
) -> Int32 {
  guard let handle = ConnectionHandle(database), let engine = handle.core.engine, let name,
    bodies.isValid, (-1...1_000).contains(argumentCount), name.utf8.count <= 255
  else {
    destroy?(userData)
    return SQLITE_MISUSE
  }
  engine.enter()
  defer { engine.leave() }
  let object = CFunction(handle, userData, destroy)
  // Where no definition takes it, its end is the end of this call.
  object.registrationBegins()
  defer { object.registrationEnds() }
  let place = FunctionPlace(name, argumentCount, .utf8)
  let options = FunctionOptions(flags: representation)
  func define(_ encoding: TextEncoding) throws(SQLError) {
    let count = Int(argumentCount)
    if let scalar = bodies.scalar {
      try engine.createRawFunction(
        name, argumentCount: count, encoding: encoding, options: options,
        CScalarFunction(object, scalar))
    } else if let aggregate = bodies.aggregate(of: object) {
      try engine.createRawAggregate(
        name, argumentCount: count, encoding: encoding, options: options, aggregate)
    } else if try !engine.removeFunction(name, argumentCount: count, encoding: encoding) {
      return
    }
    let earlier = handle.core.functions.define(object, at: place.replacing(encoding: encoding))
    earlier?.registrationEnds()
  }
  do throws(SQLError) {
    let code = representation & 7
    // What is no encoding counts as UTF-8.
    guard code == SQLITE_ANY else {
      try define(TextEncoding(code) ?? .utf8)
      return SQLITE_OK
    }
    for encoding in TextEncoding.all { try define(encoding) }
    return SQLITE_OK
  } catch {
    return handle.fail(error.code.rawValue, error.message)
  }
}

extension TextEncoding {
  fileprivate static let all: [TextEncoding] = [.utf8, .utf16LittleEndian, .utf16BigEndian]
}

extension FunctionOptions {
  fileprivate init(flags: Int32) {
    self = []
    if flags & SQLITE_DETERMINISTIC != 0 { insert(.deterministic) }
    if flags & SQLITE_DIRECTONLY != 0 { insert(.directOnly) }
    if flags & SQLITE_INNOCUOUS != 0 { insert(.innocuous) }
    if flags & SQLITE_SUBTYPE != 0 { insert(.subtype) }
    if flags & SQLITE_RESULT_SUBTYPE != 0 { insert(.resultSubtype) }
  }
}

/// Under what a function can be called.
struct FunctionPlace: Hashable {
  private let name: ExactText
  private let argumentCount: Int32
  private var encoding: TextEncoding

  init(_ name: String, _ argumentCount: Int32, _ encoding: TextEncoding) {
    self.name = name.nameKey
    self.argumentCount = argumentCount
    self.encoding = encoding
  }

  func replacing(encoding: TextEncoding) -> FunctionPlace {
    var place = self
    place.encoding = encoding
    return place
  }
}

/// The functions of a connection, whose destructors are to be called.
struct DefinedFunctions {
  private var objects: [CFunction] = []
  private var numbers: [FunctionPlace: Int] = [:]

  /// Puts a function in the place of an earlier one, whose registration is to be ended: its
  /// destructor may register others.
  mutating func define(_ object: CFunction, at place: FunctionPlace) -> CFunction? {
    object.registrationBegins()
    guard let number = numbers[place] else {
      numbers[place] = objects.count
      objects.append(object)
      return nil
    }
    defer { objects[number] = object }
    return objects[number]
  }

  /// The connection has ended: the last that was defined ends first.
  func endAll() {
    for object in objects.reversed() { object.registrationEnds() }
  }
}
