#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(WASILibc)
  import WASILibc
#else
  import Darwin
#endif

extension BuiltInFunctions {
  static let math: [ScalarFunction] = [
    ScalarFunction("pi", .exactly(0)) { $0.setReal(.pi) },
    ScalarFunction("ceil", .exactly(1)) { toIntegral($0, .up) },
    ScalarFunction("ceiling", .exactly(1)) { toIntegral($0, .up) },
    ScalarFunction("floor", .exactly(1)) { toIntegral($0, .down) },
    ScalarFunction("trunc", .exactly(1)) { toIntegral($0, .towardZero) },
    ScalarFunction("ln", .exactly(1)) { logarithm($0) { log($0) } },
    ScalarFunction("log", .exactly(1)) { logarithm($0) { log10($0) } },
    ScalarFunction("log10", .exactly(1)) { logarithm($0) { log10($0) } },
    ScalarFunction("log2", .exactly(1)) { logarithm($0) { log2($0) } },
    ScalarFunction("log", .exactly(2), body: logarithmOfBase),
    ScalarFunction("exp", .exactly(1)) { unary($0) { exp($0) } },
    ScalarFunction("pow", .exactly(2)) { binary($0) { pow($0, $1) } },
    ScalarFunction("power", .exactly(2)) { binary($0) { pow($0, $1) } },
    ScalarFunction("mod", .exactly(2)) { binary($0) { fmod($0, $1) } },
    ScalarFunction("sqrt", .exactly(1)) { unary($0) { $0.squareRoot() } },
    ScalarFunction("sin", .exactly(1)) { unary($0) { sin($0) } },
    ScalarFunction("cos", .exactly(1)) { unary($0) { cos($0) } },
    ScalarFunction("tan", .exactly(1)) { unary($0) { tan($0) } },
    ScalarFunction("asin", .exactly(1)) { unary($0) { asin($0) } },
    ScalarFunction("acos", .exactly(1)) { unary($0) { acos($0) } },
    ScalarFunction("atan", .exactly(1)) { unary($0) { atan($0) } },
    ScalarFunction("atan2", .exactly(2)) { binary($0) { atan2($0, $1) } },
    ScalarFunction("sinh", .exactly(1)) { unary($0) { sinh($0) } },
    ScalarFunction("cosh", .exactly(1)) { unary($0) { cosh($0) } },
    ScalarFunction("tanh", .exactly(1)) { unary($0) { tanh($0) } },
    ScalarFunction("asinh", .exactly(1)) { unary($0) { asinh($0) } },
    ScalarFunction("acosh", .exactly(1)) { unary($0) { acosh($0) } },
    ScalarFunction("atanh", .exactly(1)) { unary($0) { atanh($0) } },
    ScalarFunction("degrees", .exactly(1)) { unary($0) { $0 * (180 / .pi) } },
    ScalarFunction("radians", .exactly(1)) { unary($0) { $0 * (.pi / 180) } },
  ]

  /// The argument as a real; nil unless it is a number or a text that is one (lang_mathfunc §1).
  private static func number(_ call: FunctionContext, _ index: Int) -> Double? {
    let (tag, number) = call.numeric(index)
    return tag == .integer || tag == .real ? number.real : nil
  }

  @inline(__always)
  private static func unary(_ call: FunctionContext, _ function: (Double) -> Double) {
    guard let value = number(call, 0) else { return call.setNull() }
    call.setReal(function(value))
  }

  @inline(__always)
  private static func binary(_ call: FunctionContext, _ function: (Double, Double) -> Double) {
    guard let first = number(call, 0), let second = number(call, 1) else {
      return call.setNull()
    }
    call.setReal(function(first, second))
  }

  private static func toIntegral(_ call: FunctionContext, _ rule: FloatingPointRoundingRule) {
    let (tag, number) = call.numeric(0)
    switch tag {
    case .integer: call.setInteger(number.integer)
    case .real: call.setReal(number.real.rounded(rule))
    default: call.setNull()
    }
  }

  @inline(__always)
  private static func logarithm(_ call: FunctionContext, _ function: (Double) -> Double) {
    guard let value = number(call, 0), value > 0 else { return call.setNull() }
    call.setReal(function(value))
  }

  @Sendable private static func logarithmOfBase(_ call: FunctionContext) {
    guard let base = number(call, 0), base > 0 else { return call.setNull() }
    let divisor = log(base), value = call.real(1)
    guard divisor > 0 && value > 0 else { return call.setNull() }
    call.setReal(log(value) / divisor)
  }
}
