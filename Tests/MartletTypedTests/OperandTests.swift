import MartletTyped
import Testing

/// Each infix operator with each pair of operands that it takes: expressions, optional expressions,
/// values, and nil.
@Suite struct OperandTests {
  let int = Columns.int, intOptional = Columns.intOptional
  let double = Columns.double, doubleOptional = Columns.doubleOptional
  let string = Columns.string, stringOptional = Columns.stringOptional
  let bool = Columns.bool, boolOptional = Columns.boolOptional

  @Test func `comparing integers`() {
    expectSQL("(\"int\" = \"int\")", (int == int) as Expression<Bool>)
    expectSQL("(\"int\" = \"intOptional\")", (int == intOptional) as Expression<Bool?>)
    expectSQL("(\"intOptional\" = \"int\")", (intOptional == int) as Expression<Bool?>)
    expectSQL(
      "(\"intOptional\" = \"intOptional\")", (intOptional == intOptional) as Expression<Bool?>)
    expectSQL("(\"int\" = 1)", (int == 1) as Expression<Bool>)
    expectSQL("(\"intOptional\" = 1)", (intOptional == 1) as Expression<Bool?>)
    expectSQL("(1 = \"int\")", (1 == int) as Expression<Bool>)
    expectSQL("(1 = \"intOptional\")", (1 == intOptional) as Expression<Bool?>)
    expectSQL("(\"intOptional\" IS NULL)", (intOptional == nil) as Expression<Bool?>)
    expectSQL("(\"intOptional\" IS NULL)", (nil == intOptional) as Expression<Bool?>)
    expectSQL("(\"int\" != \"int\")", (int != int) as Expression<Bool>)
    expectSQL("(\"int\" != \"intOptional\")", (int != intOptional) as Expression<Bool?>)
    expectSQL("(\"intOptional\" != \"int\")", (intOptional != int) as Expression<Bool?>)
    expectSQL(
      "(\"intOptional\" != \"intOptional\")", (intOptional != intOptional) as Expression<Bool?>)
    expectSQL("(\"int\" != 1)", (int != 1) as Expression<Bool>)
    expectSQL("(\"intOptional\" != 1)", (intOptional != 1) as Expression<Bool?>)
    expectSQL("(1 != \"int\")", (1 != int) as Expression<Bool>)
    expectSQL("(1 != \"intOptional\")", (1 != intOptional) as Expression<Bool?>)
    expectSQL("(\"intOptional\" IS NOT NULL)", (intOptional != nil) as Expression<Bool?>)
    expectSQL("(\"intOptional\" IS NOT NULL)", (nil != intOptional) as Expression<Bool?>)
    expectSQL("(\"int\" < \"int\")", (int < int) as Expression<Bool>)
    expectSQL("(\"int\" < \"intOptional\")", (int < intOptional) as Expression<Bool?>)
    expectSQL("(\"intOptional\" < \"int\")", (intOptional < int) as Expression<Bool?>)
    expectSQL(
      "(\"intOptional\" < \"intOptional\")", (intOptional < intOptional) as Expression<Bool?>)
    expectSQL("(\"int\" < 1)", (int < 1) as Expression<Bool>)
    expectSQL("(\"intOptional\" < 1)", (intOptional < 1) as Expression<Bool?>)
    expectSQL("(1 < \"int\")", (1 < int) as Expression<Bool>)
    expectSQL("(1 < \"intOptional\")", (1 < intOptional) as Expression<Bool?>)
    expectSQL("(\"intOptional\" < NULL)", (intOptional < nil) as Expression<Bool?>)
    expectSQL("(NULL < \"intOptional\")", (nil < intOptional) as Expression<Bool?>)
    expectSQL("(\"int\" <= \"int\")", (int <= int) as Expression<Bool>)
    expectSQL("(\"int\" <= \"intOptional\")", (int <= intOptional) as Expression<Bool?>)
    expectSQL("(\"intOptional\" <= \"int\")", (intOptional <= int) as Expression<Bool?>)
    expectSQL(
      "(\"intOptional\" <= \"intOptional\")", (intOptional <= intOptional) as Expression<Bool?>)
    expectSQL("(\"int\" <= 1)", (int <= 1) as Expression<Bool>)
    expectSQL("(\"intOptional\" <= 1)", (intOptional <= 1) as Expression<Bool?>)
    expectSQL("(1 <= \"int\")", (1 <= int) as Expression<Bool>)
    expectSQL("(1 <= \"intOptional\")", (1 <= intOptional) as Expression<Bool?>)
    expectSQL("(\"intOptional\" <= NULL)", (intOptional <= nil) as Expression<Bool?>)
    expectSQL("(NULL <= \"intOptional\")", (nil <= intOptional) as Expression<Bool?>)
    expectSQL("(\"int\" > \"int\")", (int > int) as Expression<Bool>)
    expectSQL("(\"int\" > \"intOptional\")", (int > intOptional) as Expression<Bool?>)
    expectSQL("(\"intOptional\" > \"int\")", (intOptional > int) as Expression<Bool?>)
    expectSQL(
      "(\"intOptional\" > \"intOptional\")", (intOptional > intOptional) as Expression<Bool?>)
    expectSQL("(\"int\" > 1)", (int > 1) as Expression<Bool>)
    expectSQL("(\"intOptional\" > 1)", (intOptional > 1) as Expression<Bool?>)
    expectSQL("(1 > \"int\")", (1 > int) as Expression<Bool>)
    expectSQL("(1 > \"intOptional\")", (1 > intOptional) as Expression<Bool?>)
    expectSQL("(\"intOptional\" > NULL)", (intOptional > nil) as Expression<Bool?>)
    expectSQL("(NULL > \"intOptional\")", (nil > intOptional) as Expression<Bool?>)
    expectSQL("(\"int\" >= \"int\")", (int >= int) as Expression<Bool>)
    expectSQL("(\"int\" >= \"intOptional\")", (int >= intOptional) as Expression<Bool?>)
    expectSQL("(\"intOptional\" >= \"int\")", (intOptional >= int) as Expression<Bool?>)
    expectSQL(
      "(\"intOptional\" >= \"intOptional\")", (intOptional >= intOptional) as Expression<Bool?>)
    expectSQL("(\"int\" >= 1)", (int >= 1) as Expression<Bool>)
    expectSQL("(\"intOptional\" >= 1)", (intOptional >= 1) as Expression<Bool?>)
    expectSQL("(1 >= \"int\")", (1 >= int) as Expression<Bool>)
    expectSQL("(1 >= \"intOptional\")", (1 >= intOptional) as Expression<Bool?>)
    expectSQL("(\"intOptional\" >= NULL)", (intOptional >= nil) as Expression<Bool?>)
    expectSQL("(NULL >= \"intOptional\")", (nil >= intOptional) as Expression<Bool?>)
  }

  @Test func `comparing texts`() {
    expectSQL("(\"string\" = \"string\")", (string == string) as Expression<Bool>)
    expectSQL("(\"string\" = \"stringOptional\")", (string == stringOptional) as Expression<Bool?>)
    expectSQL("(\"stringOptional\" = \"string\")", (stringOptional == string) as Expression<Bool?>)
    expectSQL(
      "(\"stringOptional\" = \"stringOptional\")",
      (stringOptional == stringOptional) as Expression<Bool?>)
    expectSQL("(\"string\" = 'a')", (string == "a") as Expression<Bool>)
    expectSQL("(\"stringOptional\" = 'a')", (stringOptional == "a") as Expression<Bool?>)
    expectSQL("('a' = \"string\")", ("a" == string) as Expression<Bool>)
    expectSQL("('a' = \"stringOptional\")", ("a" == stringOptional) as Expression<Bool?>)
    expectSQL("(\"stringOptional\" IS NULL)", (stringOptional == nil) as Expression<Bool?>)
    expectSQL("(\"stringOptional\" IS NULL)", (nil == stringOptional) as Expression<Bool?>)
    expectSQL("(\"string\" != \"string\")", (string != string) as Expression<Bool>)
    expectSQL("(\"string\" != \"stringOptional\")", (string != stringOptional) as Expression<Bool?>)
    expectSQL("(\"stringOptional\" != \"string\")", (stringOptional != string) as Expression<Bool?>)
    expectSQL(
      "(\"stringOptional\" != \"stringOptional\")",
      (stringOptional != stringOptional) as Expression<Bool?>)
    expectSQL("(\"string\" != 'a')", (string != "a") as Expression<Bool>)
    expectSQL("(\"stringOptional\" != 'a')", (stringOptional != "a") as Expression<Bool?>)
    expectSQL("('a' != \"string\")", ("a" != string) as Expression<Bool>)
    expectSQL("('a' != \"stringOptional\")", ("a" != stringOptional) as Expression<Bool?>)
    expectSQL("(\"stringOptional\" IS NOT NULL)", (stringOptional != nil) as Expression<Bool?>)
    expectSQL("(\"stringOptional\" IS NOT NULL)", (nil != stringOptional) as Expression<Bool?>)
    expectSQL("(\"string\" < \"string\")", (string < string) as Expression<Bool>)
    expectSQL("(\"string\" < \"stringOptional\")", (string < stringOptional) as Expression<Bool?>)
    expectSQL("(\"stringOptional\" < \"string\")", (stringOptional < string) as Expression<Bool?>)
    expectSQL(
      "(\"stringOptional\" < \"stringOptional\")",
      (stringOptional < stringOptional) as Expression<Bool?>)
    expectSQL("(\"string\" < 'a')", (string < "a") as Expression<Bool>)
    expectSQL("(\"stringOptional\" < 'a')", (stringOptional < "a") as Expression<Bool?>)
    expectSQL("('a' < \"string\")", ("a" < string) as Expression<Bool>)
    expectSQL("('a' < \"stringOptional\")", ("a" < stringOptional) as Expression<Bool?>)
    expectSQL("(\"stringOptional\" < NULL)", (stringOptional < nil) as Expression<Bool?>)
    expectSQL("(NULL < \"stringOptional\")", (nil < stringOptional) as Expression<Bool?>)
    expectSQL("(\"string\" >= \"string\")", (string >= string) as Expression<Bool>)
    expectSQL("(\"string\" >= \"stringOptional\")", (string >= stringOptional) as Expression<Bool?>)
    expectSQL("(\"stringOptional\" >= \"string\")", (stringOptional >= string) as Expression<Bool?>)
    expectSQL(
      "(\"stringOptional\" >= \"stringOptional\")",
      (stringOptional >= stringOptional) as Expression<Bool?>)
    expectSQL("(\"string\" >= 'a')", (string >= "a") as Expression<Bool>)
    expectSQL("(\"stringOptional\" >= 'a')", (stringOptional >= "a") as Expression<Bool?>)
    expectSQL("('a' >= \"string\")", ("a" >= string) as Expression<Bool>)
    expectSQL("('a' >= \"stringOptional\")", ("a" >= stringOptional) as Expression<Bool?>)
    expectSQL("(\"stringOptional\" >= NULL)", (stringOptional >= nil) as Expression<Bool?>)
    expectSQL("(NULL >= \"stringOptional\")", (nil >= stringOptional) as Expression<Bool?>)
  }

  @Test func `computing with reals`() {
    expectSQL("(\"double\" + \"double\")", (double + double) as Expression<Double>)
    expectSQL("(\"double\" + \"doubleOptional\")", (double + doubleOptional) as Expression<Double?>)
    expectSQL("(\"doubleOptional\" + \"double\")", (doubleOptional + double) as Expression<Double?>)
    expectSQL(
      "(\"doubleOptional\" + \"doubleOptional\")",
      (doubleOptional + doubleOptional) as Expression<Double?>)
    expectSQL("(\"double\" + 2.0)", (double + 2) as Expression<Double>)
    expectSQL("(\"doubleOptional\" + 2.0)", (doubleOptional + 2) as Expression<Double?>)
    expectSQL("(2.0 + \"double\")", (2 + double) as Expression<Double>)
    expectSQL("(2.0 + \"doubleOptional\")", (2 + doubleOptional) as Expression<Double?>)
    expectSQL("(\"doubleOptional\" + NULL)", (doubleOptional + nil) as Expression<Double?>)
    expectSQL("(NULL + \"doubleOptional\")", (nil + doubleOptional) as Expression<Double?>)
    expectSQL("(\"double\" - \"double\")", (double - double) as Expression<Double>)
    expectSQL("(\"double\" - \"doubleOptional\")", (double - doubleOptional) as Expression<Double?>)
    expectSQL("(\"doubleOptional\" - \"double\")", (doubleOptional - double) as Expression<Double?>)
    expectSQL(
      "(\"doubleOptional\" - \"doubleOptional\")",
      (doubleOptional - doubleOptional) as Expression<Double?>)
    expectSQL("(\"double\" - 2.0)", (double - 2) as Expression<Double>)
    expectSQL("(\"doubleOptional\" - 2.0)", (doubleOptional - 2) as Expression<Double?>)
    expectSQL("(2.0 - \"double\")", (2 - double) as Expression<Double>)
    expectSQL("(2.0 - \"doubleOptional\")", (2 - doubleOptional) as Expression<Double?>)
    expectSQL("(\"doubleOptional\" - NULL)", (doubleOptional - nil) as Expression<Double?>)
    expectSQL("(NULL - \"doubleOptional\")", (nil - doubleOptional) as Expression<Double?>)
    expectSQL("(\"double\" * \"double\")", (double * double) as Expression<Double>)
    expectSQL("(\"double\" * \"doubleOptional\")", (double * doubleOptional) as Expression<Double?>)
    expectSQL("(\"doubleOptional\" * \"double\")", (doubleOptional * double) as Expression<Double?>)
    expectSQL(
      "(\"doubleOptional\" * \"doubleOptional\")",
      (doubleOptional * doubleOptional) as Expression<Double?>)
    expectSQL("(\"double\" * 2.0)", (double * 2) as Expression<Double>)
    expectSQL("(\"doubleOptional\" * 2.0)", (doubleOptional * 2) as Expression<Double?>)
    expectSQL("(2.0 * \"double\")", (2 * double) as Expression<Double>)
    expectSQL("(2.0 * \"doubleOptional\")", (2 * doubleOptional) as Expression<Double?>)
    expectSQL("(\"doubleOptional\" * NULL)", (doubleOptional * nil) as Expression<Double?>)
    expectSQL("(NULL * \"doubleOptional\")", (nil * doubleOptional) as Expression<Double?>)
    expectSQL("(\"double\" / \"double\")", (double / double) as Expression<Double>)
    expectSQL("(\"double\" / \"doubleOptional\")", (double / doubleOptional) as Expression<Double?>)
    expectSQL("(\"doubleOptional\" / \"double\")", (doubleOptional / double) as Expression<Double?>)
    expectSQL(
      "(\"doubleOptional\" / \"doubleOptional\")",
      (doubleOptional / doubleOptional) as Expression<Double?>)
    expectSQL("(\"double\" / 2.0)", (double / 2) as Expression<Double>)
    expectSQL("(\"doubleOptional\" / 2.0)", (doubleOptional / 2) as Expression<Double?>)
    expectSQL("(2.0 / \"double\")", (2 / double) as Expression<Double>)
    expectSQL("(2.0 / \"doubleOptional\")", (2 / doubleOptional) as Expression<Double?>)
    expectSQL("(\"doubleOptional\" / NULL)", (doubleOptional / nil) as Expression<Double?>)
    expectSQL("(NULL / \"doubleOptional\")", (nil / doubleOptional) as Expression<Double?>)
  }

  @Test func `computing with integers`() {
    expectSQL("(\"int\" + \"int\")", (int + int) as Expression<Int>)
    expectSQL("(\"int\" + \"intOptional\")", (int + intOptional) as Expression<Int?>)
    expectSQL("(\"intOptional\" + \"int\")", (intOptional + int) as Expression<Int?>)
    expectSQL(
      "(\"intOptional\" + \"intOptional\")", (intOptional + intOptional) as Expression<Int?>)
    expectSQL("(\"int\" + 1)", (int + 1) as Expression<Int>)
    expectSQL("(\"intOptional\" + 1)", (intOptional + 1) as Expression<Int?>)
    expectSQL("(1 + \"int\")", (1 + int) as Expression<Int>)
    expectSQL("(1 + \"intOptional\")", (1 + intOptional) as Expression<Int?>)
    expectSQL("(\"intOptional\" + NULL)", (intOptional + nil) as Expression<Int?>)
    expectSQL("(NULL + \"intOptional\")", (nil + intOptional) as Expression<Int?>)
    expectSQL("(\"int\" - \"int\")", (int - int) as Expression<Int>)
    expectSQL("(\"int\" - \"intOptional\")", (int - intOptional) as Expression<Int?>)
    expectSQL("(\"intOptional\" - \"int\")", (intOptional - int) as Expression<Int?>)
    expectSQL(
      "(\"intOptional\" - \"intOptional\")", (intOptional - intOptional) as Expression<Int?>)
    expectSQL("(\"int\" - 1)", (int - 1) as Expression<Int>)
    expectSQL("(\"intOptional\" - 1)", (intOptional - 1) as Expression<Int?>)
    expectSQL("(1 - \"int\")", (1 - int) as Expression<Int>)
    expectSQL("(1 - \"intOptional\")", (1 - intOptional) as Expression<Int?>)
    expectSQL("(\"intOptional\" - NULL)", (intOptional - nil) as Expression<Int?>)
    expectSQL("(NULL - \"intOptional\")", (nil - intOptional) as Expression<Int?>)
    expectSQL("(\"int\" * \"int\")", (int * int) as Expression<Int>)
    expectSQL("(\"int\" * \"intOptional\")", (int * intOptional) as Expression<Int?>)
    expectSQL("(\"intOptional\" * \"int\")", (intOptional * int) as Expression<Int?>)
    expectSQL(
      "(\"intOptional\" * \"intOptional\")", (intOptional * intOptional) as Expression<Int?>)
    expectSQL("(\"int\" * 1)", (int * 1) as Expression<Int>)
    expectSQL("(\"intOptional\" * 1)", (intOptional * 1) as Expression<Int?>)
    expectSQL("(1 * \"int\")", (1 * int) as Expression<Int>)
    expectSQL("(1 * \"intOptional\")", (1 * intOptional) as Expression<Int?>)
    expectSQL("(\"intOptional\" * NULL)", (intOptional * nil) as Expression<Int?>)
    expectSQL("(NULL * \"intOptional\")", (nil * intOptional) as Expression<Int?>)
    expectSQL("(\"int\" / \"int\")", (int / int) as Expression<Int>)
    expectSQL("(\"int\" / \"intOptional\")", (int / intOptional) as Expression<Int?>)
    expectSQL("(\"intOptional\" / \"int\")", (intOptional / int) as Expression<Int?>)
    expectSQL(
      "(\"intOptional\" / \"intOptional\")", (intOptional / intOptional) as Expression<Int?>)
    expectSQL("(\"int\" / 1)", (int / 1) as Expression<Int>)
    expectSQL("(\"intOptional\" / 1)", (intOptional / 1) as Expression<Int?>)
    expectSQL("(1 / \"int\")", (1 / int) as Expression<Int>)
    expectSQL("(1 / \"intOptional\")", (1 / intOptional) as Expression<Int?>)
    expectSQL("(\"intOptional\" / NULL)", (intOptional / nil) as Expression<Int?>)
    expectSQL("(NULL / \"intOptional\")", (nil / intOptional) as Expression<Int?>)
    expectSQL("(\"int\" % \"int\")", (int % int) as Expression<Int>)
    expectSQL("(\"int\" % \"intOptional\")", (int % intOptional) as Expression<Int?>)
    expectSQL("(\"intOptional\" % \"int\")", (intOptional % int) as Expression<Int?>)
    expectSQL(
      "(\"intOptional\" % \"intOptional\")", (intOptional % intOptional) as Expression<Int?>)
    expectSQL("(\"int\" % 1)", (int % 1) as Expression<Int>)
    expectSQL("(\"intOptional\" % 1)", (intOptional % 1) as Expression<Int?>)
    expectSQL("(1 % \"int\")", (1 % int) as Expression<Int>)
    expectSQL("(1 % \"intOptional\")", (1 % intOptional) as Expression<Int?>)
    expectSQL("(\"intOptional\" % NULL)", (intOptional % nil) as Expression<Int?>)
    expectSQL("(NULL % \"intOptional\")", (nil % intOptional) as Expression<Int?>)
    expectSQL("(\"int\" << \"int\")", (int << int) as Expression<Int>)
    expectSQL("(\"int\" << \"intOptional\")", (int << intOptional) as Expression<Int?>)
    expectSQL("(\"intOptional\" << \"int\")", (intOptional << int) as Expression<Int?>)
    expectSQL(
      "(\"intOptional\" << \"intOptional\")", (intOptional << intOptional) as Expression<Int?>)
    expectSQL("(\"int\" << 1)", (int << 1) as Expression<Int>)
    expectSQL("(\"intOptional\" << 1)", (intOptional << 1) as Expression<Int?>)
    expectSQL("(1 << \"int\")", (1 << int) as Expression<Int>)
    expectSQL("(1 << \"intOptional\")", (1 << intOptional) as Expression<Int?>)
    expectSQL("(\"intOptional\" << NULL)", (intOptional << nil) as Expression<Int?>)
    expectSQL("(NULL << \"intOptional\")", (nil << intOptional) as Expression<Int?>)
    expectSQL("(\"int\" >> \"int\")", (int >> int) as Expression<Int>)
    expectSQL("(\"int\" >> \"intOptional\")", (int >> intOptional) as Expression<Int?>)
    expectSQL("(\"intOptional\" >> \"int\")", (intOptional >> int) as Expression<Int?>)
    expectSQL(
      "(\"intOptional\" >> \"intOptional\")", (intOptional >> intOptional) as Expression<Int?>)
    expectSQL("(\"int\" >> 1)", (int >> 1) as Expression<Int>)
    expectSQL("(\"intOptional\" >> 1)", (intOptional >> 1) as Expression<Int?>)
    expectSQL("(1 >> \"int\")", (1 >> int) as Expression<Int>)
    expectSQL("(1 >> \"intOptional\")", (1 >> intOptional) as Expression<Int?>)
    expectSQL("(\"intOptional\" >> NULL)", (intOptional >> nil) as Expression<Int?>)
    expectSQL("(NULL >> \"intOptional\")", (nil >> intOptional) as Expression<Int?>)
    expectSQL("(\"int\" & \"int\")", (int & int) as Expression<Int>)
    expectSQL("(\"int\" & \"intOptional\")", (int & intOptional) as Expression<Int?>)
    expectSQL("(\"intOptional\" & \"int\")", (intOptional & int) as Expression<Int?>)
    expectSQL(
      "(\"intOptional\" & \"intOptional\")", (intOptional & intOptional) as Expression<Int?>)
    expectSQL("(\"int\" & 1)", (int & 1) as Expression<Int>)
    expectSQL("(\"intOptional\" & 1)", (intOptional & 1) as Expression<Int?>)
    expectSQL("(1 & \"int\")", (1 & int) as Expression<Int>)
    expectSQL("(1 & \"intOptional\")", (1 & intOptional) as Expression<Int?>)
    expectSQL("(\"intOptional\" & NULL)", (intOptional & nil) as Expression<Int?>)
    expectSQL("(NULL & \"intOptional\")", (nil & intOptional) as Expression<Int?>)
    expectSQL("(\"int\" | \"int\")", (int | int) as Expression<Int>)
    expectSQL("(\"int\" | \"intOptional\")", (int | intOptional) as Expression<Int?>)
    expectSQL("(\"intOptional\" | \"int\")", (intOptional | int) as Expression<Int?>)
    expectSQL(
      "(\"intOptional\" | \"intOptional\")", (intOptional | intOptional) as Expression<Int?>)
    expectSQL("(\"int\" | 1)", (int | 1) as Expression<Int>)
    expectSQL("(\"intOptional\" | 1)", (intOptional | 1) as Expression<Int?>)
    expectSQL("(1 | \"int\")", (1 | int) as Expression<Int>)
    expectSQL("(1 | \"intOptional\")", (1 | intOptional) as Expression<Int?>)
    expectSQL("(\"intOptional\" | NULL)", (intOptional | nil) as Expression<Int?>)
    expectSQL("(NULL | \"intOptional\")", (nil | intOptional) as Expression<Int?>)
  }

  @Test func `joining texts`() {
    expectSQL("(\"string\" || \"string\")", (string + string) as Expression<String>)
    expectSQL(
      "(\"string\" || \"stringOptional\")", (string + stringOptional) as Expression<String?>)
    expectSQL(
      "(\"stringOptional\" || \"string\")", (stringOptional + string) as Expression<String?>)
    expectSQL(
      "(\"stringOptional\" || \"stringOptional\")",
      (stringOptional + stringOptional) as Expression<String?>)
    expectSQL("(\"string\" || 'a')", (string + "a") as Expression<String>)
    expectSQL("(\"stringOptional\" || 'a')", (stringOptional + "a") as Expression<String?>)
    expectSQL("('a' || \"string\")", ("a" + string) as Expression<String>)
    expectSQL("('a' || \"stringOptional\")", ("a" + stringOptional) as Expression<String?>)
    expectSQL("(\"stringOptional\" || NULL)", (stringOptional + nil) as Expression<String?>)
    expectSQL("(NULL || \"stringOptional\")", (nil + stringOptional) as Expression<String?>)
  }

  @Test func `combining conditions`() {
    expectSQL("(\"bool\" AND \"bool\")", (bool && bool) as Expression<Bool>)
    expectSQL("(\"bool\" AND \"boolOptional\")", (bool && boolOptional) as Expression<Bool?>)
    expectSQL("(\"boolOptional\" AND \"bool\")", (boolOptional && bool) as Expression<Bool?>)
    expectSQL(
      "(\"boolOptional\" AND \"boolOptional\")", (boolOptional && boolOptional) as Expression<Bool?>
    )
    expectSQL("(\"bool\" AND 1)", (bool && true) as Expression<Bool>)
    expectSQL("(\"boolOptional\" AND 1)", (boolOptional && true) as Expression<Bool?>)
    expectSQL("(1 AND \"bool\")", (true && bool) as Expression<Bool>)
    expectSQL("(1 AND \"boolOptional\")", (true && boolOptional) as Expression<Bool?>)
    expectSQL("(\"bool\" OR \"bool\")", (bool || bool) as Expression<Bool>)
    expectSQL("(\"bool\" OR \"boolOptional\")", (bool || boolOptional) as Expression<Bool?>)
    expectSQL("(\"boolOptional\" OR \"bool\")", (boolOptional || bool) as Expression<Bool?>)
    expectSQL(
      "(\"boolOptional\" OR \"boolOptional\")", (boolOptional || boolOptional) as Expression<Bool?>)
    expectSQL("(\"bool\" OR 1)", (bool || true) as Expression<Bool>)
    expectSQL("(\"boolOptional\" OR 1)", (boolOptional || true) as Expression<Bool?>)
    expectSQL("(1 OR \"bool\")", (true || bool) as Expression<Bool>)
    expectSQL("(1 OR \"boolOptional\")", (true || boolOptional) as Expression<Bool?>)
  }

  @Test func `exclusive or`() {
    expectSQL(
      "(~((\"int\" & \"int\")) & (\"int\" | \"int\"))", (int ^ int) as Expression<Int>)
    expectSQL(
      "(~((\"int\" & \"intOptional\")) & (\"int\" | \"intOptional\"))",
      (int ^ intOptional) as Expression<Int?>)
    expectSQL(
      "(~((\"intOptional\" & \"int\")) & (\"intOptional\" | \"int\"))",
      (intOptional ^ int) as Expression<Int?>)
    expectSQL(
      "(~((\"intOptional\" & 1)) & (\"intOptional\" | 1))", (intOptional ^ 1) as Expression<Int?>)
    expectSQL(
      "(~((1 & \"int\")) & (1 | \"int\"))", (1 ^ int) as Expression<Int>)
    expectSQL(
      "(~((NULL & \"intOptional\")) & (NULL | \"intOptional\"))",
      (nil ^ intOptional) as Expression<Int?>)
  }

  @Test func `identity`() {
    expectSQL("(\"int\" IS \"int\")", (int === int) as Expression<Bool>)
    expectSQL("(\"int\" IS \"intOptional\")", (int === intOptional) as Expression<Bool>)
    expectSQL("(\"intOptional\" IS \"int\")", (intOptional === int) as Expression<Bool>)
    expectSQL(
      "(\"intOptional\" IS \"intOptional\")", (intOptional === intOptional) as Expression<Bool>)
    expectSQL("(\"int\" IS 1)", (int === 1) as Expression<Bool>)
    expectSQL("(\"intOptional\" IS NULL)", (intOptional === nil) as Expression<Bool>)
    expectSQL("(1 IS \"int\")", (1 === int) as Expression<Bool>)
    expectSQL("(1 IS \"intOptional\")", (1 === intOptional) as Expression<Bool>)
    expectSQL("(\"int\" IS NOT \"int\")", (int !== int) as Expression<Bool>)
    expectSQL("(\"int\" IS NOT \"intOptional\")", (int !== intOptional) as Expression<Bool>)
    expectSQL("(\"intOptional\" IS NOT \"int\")", (intOptional !== int) as Expression<Bool>)
    expectSQL(
      "(\"intOptional\" IS NOT \"intOptional\")", (intOptional !== intOptional) as Expression<Bool>)
    expectSQL("(\"int\" IS NOT 1)", (int !== 1) as Expression<Bool>)
    expectSQL("(\"intOptional\" IS NOT NULL)", (intOptional !== nil) as Expression<Bool>)
    expectSQL("(1 IS NOT \"int\")", (1 !== int) as Expression<Bool>)
    expectSQL("(1 IS NOT \"intOptional\")", (1 !== intOptional) as Expression<Bool>)
  }
}
