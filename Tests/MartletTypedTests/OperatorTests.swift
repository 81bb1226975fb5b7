import Foundation
import MartletTyped
import Testing

@Suite struct OperatorTests {
  let bool = Columns.bool, boolOptional = Columns.boolOptional
  let double = Columns.double, doubleOptional = Columns.doubleOptional
  let int = Columns.int, intOptional = Columns.intOptional
  let string = Columns.string, stringOptional = Columns.stringOptional

  @Test func `equality takes each pair of optional and other operands`() {
    expectSQL("(\"int\" = \"int\")", int == int)
    expectSQL("(\"int\" = \"intOptional\")", int == intOptional)
    expectSQL("(\"intOptional\" = \"int\")", intOptional == int)
    expectSQL("(\"intOptional\" = \"intOptional\")", intOptional == intOptional)
    expectSQL("(\"int\" = 1)", int == 1)
    expectSQL("(\"intOptional\" = 1)", intOptional == 1)
    expectSQL("(1 = \"int\")", 1 == int)
    expectSQL("(1 = \"intOptional\")", 1 == intOptional)
    expectSQL("(\"int\" != 1)", int != 1)
    expectSQL("(\"int\" != \"intOptional\")", int != intOptional)
    expectSQL("(\"string\" = 'it''s')", string == "it's")
  }

  @Test func `nil compares by IS`() {
    expectSQL("(\"intOptional\" IS NULL)", intOptional == nil)
    expectSQL("(\"intOptional\" IS NOT NULL)", intOptional != nil)
    expectSQL("(\"intOptional\" IS NULL)", nil == intOptional)
    expectSQL("(\"intOptional\" IS NOT NULL)", nil != intOptional)
    let nothing: Int? = nil
    expectSQL("(\"intOptional\" IS NULL)", intOptional == nothing)
    expectSQL("(\"int\" IS NULL)", int === nil)
    expectSQL("(\"intOptional\" IS 1)", intOptional === 1)
    expectSQL("(\"int\" IS NOT \"intOptional\")", int !== intOptional)
    expectSQL("(\"intOptional\" IS NOT NULL)", nil !== intOptional)
  }

  @Test func `comparing gives optional conditions only of optional operands`() {
    let plain: Expression<Bool> = int < 1 && 1 <= int && int > int && int >= 2
    expectSQL(
      "((((\"int\" < 1) AND (1 <= \"int\")) AND (\"int\" > \"int\")) AND (\"int\" >= 2))", plain)
    let optional: Expression<Bool?> = intOptional < 1 || int <= intOptional
    expectSQL("((\"intOptional\" < 1) OR (\"int\" <= \"intOptional\"))", optional)
    expectSQL("(\"intOptional\" > \"int\")", intOptional > int)
    expectSQL("(2 >= \"intOptional\")", 2 >= intOptional)
    expectSQL("(\"string\" < 'b')", string < "b")
  }

  @Test func `arithmetic is in parentheses`() {
    expectSQL("(\"int\" + 1)", int + 1)
    expectSQL("(1 + \"intOptional\")", 1 + intOptional)
    expectSQL("(\"int\" - \"intOptional\")", int - intOptional)
    expectSQL("(\"double\" * 2.0)", double * 2)
    expectSQL("(\"doubleOptional\" / \"double\")", doubleOptional / double)
    expectSQL("(\"int\" % 3)", int % 3)
    expectSQL("-(\"double\")", -double)
    expectSQL("(\"string\" || 'x')", string + "x")
    expectSQL("('x' || \"stringOptional\")", "x" + stringOptional)
    expectSQL("(\"string\" || \"stringOptional\")", string + stringOptional)
    expectSQL("(\"stringOptional\" || NULL)", stringOptional + nil)
    let sum: Expression<Int?> = intOptional + int
    expectSQL("(\"intOptional\" + \"int\")", sum)
  }

  @Test func `bits of integers`() {
    expectSQL("(\"int\" << 1)", int << 1)
    expectSQL("(\"intOptional\" >> 1)", intOptional >> 1)
    expectSQL("(\"int\" & \"intOptional\")", int & intOptional)
    expectSQL("(1 | \"int\")", 1 | int)
    expectSQL("(~((\"int\" & 1)) & (\"int\" | 1))", int ^ 1)
    expectSQL("~(\"int\")", ~int)
  }

  @Test func `conditions are combined`() {
    expectSQL("(\"bool\" AND \"boolOptional\")", bool && boolOptional)
    expectSQL("(\"boolOptional\" AND \"bool\")", boolOptional && bool)
    expectSQL("(\"boolOptional\" OR \"boolOptional\")", boolOptional || boolOptional)
    expectSQL("(\"bool\" OR 1)", bool || true)
    expectSQL("(0 AND \"boolOptional\")", false && boolOptional)
    expectSQL("NOT (\"bool\")", !bool)
    expectSQL("NOT (\"boolOptional\")", !boolOptional)
    expectSQL("((\"bool\" AND \"bool\") AND \"bool\")", and(bool, bool, bool))
    expectSQL("(\"bool\" OR \"bool\")", or(bool, bool))
    expectSQL("1", and())
    expectSQL("0", or())
  }

  @Test func `ranges become BETWEEN or comparisons`() {
    expectSQL("\"int\" BETWEEN 0 AND 5", 0...5 ~= int)
    expectSQL("\"intOptional\" BETWEEN 0 AND 5", 0...5 ~= intOptional)
    expectSQL("\"int\" >= 0 AND \"int\" < 5", 0..<5 ~= int)
    expectSQL("\"int\" <= 5", ...5 ~= int)
    expectSQL("\"int\" < 5", ..<5 ~= int)
    expectSQL("\"int\" >= 4", 4... ~= int)
    expectSQL("\"string\" BETWEEN 'a' AND 'b'", "a"..."b" ~= string)
  }

  @Test func `a range keeps its meaning inside of other operators`() throws {
    let db = try Connection()
    let five = Expression<Int>(literal: "5")
    let isOutside = (0..<5 ~= five) == false
    expectSQL("((5 >= 0 AND 5 < 5) = 0)", isOutside)
    #expect(try db.scalar("SELECT \(isOutside.asSQL())") as? Int64 == 1)
    let retyped = Expression<Bool?>(0..<5 ~= five) == false
    expectSQL("((5 >= 0 AND 5 < 5) = 0)", retyped)
    let either = 6...9 ~= five || ...5 ~= five
    #expect(try db.scalar("SELECT \(either.asSQL())") as? Int64 == 1)
  }

  /// The compiler gives up on such an expression where it has too many candidates.
  @Test func `an expression with eight terms compiles`() {
    let condition =
      int == 1 && string != "a" && double > 2.5 && intOptional == nil && string.like("a%")
      && 1 + int * 2 < 10 && (stringOptional ?? "x") == "y" && boolOptional || bool
    expectSQL(
      "(((((((((\"int\" = 1) AND (\"string\" != 'a')) AND (\"double\" > 2.5)) AND "
        + "(\"intOptional\" IS NULL)) AND (\"string\" LIKE 'a%')) AND "
        + "((1 + (\"int\" * 2)) < 10)) AND (ifnull(\"stringOptional\", 'x') = 'y')) AND "
        + "\"boolOptional\") OR \"bool\")", condition)
  }
}
