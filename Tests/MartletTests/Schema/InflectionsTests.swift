import Martlet
import Testing

@Suite struct InflectionsTests {
  @Test(arguments: [
    ("player", "players"), ("Book", "Books"), ("bus", "buses"), ("status", "statuses"),
    ("category", "categories"), ("day", "days"), ("box", "boxes"), ("church", "churches"),
    ("person", "people"), ("Person", "People"), ("child", "children"), ("man", "men"),
    ("salesman", "salesmen"), ("mouse", "mice"), ("matrix", "matrices"), ("analysis", "analyses"),
    ("datum", "data"), ("hero", "heroes"), ("half", "halves"), ("wife", "wives"),
    ("sheep", "sheep"), ("information", "information"), ("species", "species"),
    ("quiz", "quizzes"), ("leaf", "leaves"), ("bestFriend", "bestFriends"),
    ("best_friend", "best_friends"), ("playerInfo", "playerInfos"), ("player2", "players2"),
    ("bestPerson12", "bestPeople12"), ("FAQ", "FAQs"), ("database", "databases"),
    ("shoe", "shoes"), ("move", "moves"), ("movie", "movies"), ("octopus", "octopi"),
    ("crisis", "crises"), ("", ""), ("12", "12"),
  ])
  func `nouns have a plural, which has them as singular`(singular: String, plural: String) {
    #expect(Inflections.default.pluralize(singular) == plural)
    #expect(Inflections.default.singularize(plural) == singular)
    // What is in the wanted number stays.
    #expect(Inflections.default.pluralize(plural) == plural)
    #expect(Inflections.default.singularize(singular) == singular)
  }

  @Test func `rules can be added, and the last one counts`() {
    var inflections = Inflections()
    #expect(inflections.pluralize("player") == "player")
    inflections.plural("$", "s")
    inflections.plural("(o)$", "$1es")
    inflections.singular("s$", "")
    inflections.irregularSuffix("goose", "geese")
    inflections.uncountableWords(["Moose"])
    #expect(inflections.pluralize("hero") == "heroes")
    #expect(inflections.pluralize("snowGoose") == "snowGeese")
    #expect(inflections.singularize("geese") == "goose")
    #expect(inflections.pluralize("moose") == "moose")
  }
}
