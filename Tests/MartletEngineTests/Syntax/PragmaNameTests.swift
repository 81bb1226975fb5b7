import Testing

@testable import MartletEngine

@Suite struct PragmaNameTests {
  private func pragma(named name: String) throws -> Pragma? {
    let text = try SQLText.copying(name)
    return withExtendedLifetime(text) { Pragma(Name(start: text.start, count: text.count)) }
  }

  @Test func `each pragma has the name of its case, and is found by it in any case of letters`()
    throws
  {
    #expect(Pragma.names.count == Pragma.allCases.count)
    for known in Pragma.allCases {
      let name = known.name.description
      #expect("\(known)".lowercased() == name.split(separator: "_").joined())
      #expect(try pragma(named: name) == known)
      #expect(try pragma(named: name.uppercased()) == known)
    }
  }

  @Test(arguments: ["", "a", "cache", "cache_size_", "cache-size", "zebra", "\u{e9}ncoding"])
  func `a name that means nothing is none`(name: String) throws {
    #expect(try pragma(named: name) == nil)
  }
}
