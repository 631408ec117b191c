import IdentityContract
import Operations
import ServiceKit
import Testing

@testable import IdentityService

@Suite("Comparing names in the directory (ID-14)")
struct DirectoryRuleTests {
  @Test(
    "Names in the directory are compared without case, accents and repeated blanks",
    arguments: [
      ("Muñoz", "munoz"), ("MUN\u{303}OZ", "munoz"), ("  Ana \u{a0} María\t", "ana maria"), ("Straße", "strasse"),
      ("İstanbul ılık", "istanbul ilik"), ("Łódź", "lodz"), ("Sørensen", "sorensen"), ("ΣΊΣΥΦΟΣ", "σισυφοσ"), ("ﬁn", "fin"),
      ("Ａｎａ", "ana"), ("a\u{200b}na", "ana"), ("ana_ruiz.2%", "ana_ruiz.2%"), ("\u{301}", ""),
    ])
  func folding(text: String, folded: String) { #expect(DirectoryText(text).string == folded) }

  @Test(
    "An account found at several positions is shown at the best: the start of a name, then of a word, then within",
    arguments: [
      ("ana", "Ana Ruiz", "an", "name 0"), ("ana.ruiz", nil, "ru", "word 4"), ("banana", nil, "an", "inside 3"),
      ("xana", "Ana", "an", "name 5"), ("marian", "Juan Andrés", "an", "word 12"), ("ana", "Ruiz", "naru", "-"),
      ("anita", "Ana", "an", "name 6"), ("ana", nil, "ana.", "-"), ("pedro", "Ñandú", "NANDÚ", "name 6"),
      ("a2b", nil, "2b", "inside 1"), ("maximiliano.de.la.torre", nil, "maximiliano.de.la.t", "name 0"),
      ("maximiliano.de.la.torre", nil, "maximiliano.x", "-"),
    ])
  func places(username: String, nickname: String?, search: String, expected: String) throws {
    let names = DirectoryNames(try Username(text: username), try nickname.map(Nickname.init(text:)))
    let suffix = names.first(DirectoryText(search))
    #expect(suffix.map { "\($0.rank) \($0.offset)" } ?? "-" == expected)
    #expect(DirectoryNames(text: names.text) == names)
  }

  @Test("A position in the directory's list is read as it was written, whatever the names contain, and fits into a cursor")
  func positions() throws {
    for beginning in ["", "\u{903}a", "an", "de la torre ", "a  b", "a/b/", "👩‍👩‍👧‍👦", String(repeating: "\u{10FFFF}", count: 12)] {
      let position = DirectoryPosition(rank: .inside, suffix: beginning, number: .max, offset: 90)
      #expect(try DirectoryPosition(text: position.description) == position)
      #expect(position.description.utf8.count <= 120)
    }
    for text in ["", "1/2/3", "3/1/1/a", "a/1/1/a", "12 0 5 3 an"] {
      #expect(throws: PageCursor.invalid) { try DirectoryPosition(text: text) }
    }
  }

  @Test("A search in the directory has 2 to 30 characters")
  func length() throws {
    #expect(throws: FieldRule("too_short", ["min": .number(2)])) { try DirectoryQuery(text: " a ") }
    #expect(throws: FieldRule("too_long", ["max": .number(30)])) { try DirectoryQuery(text: String(repeating: "ñ", count: 31)) }
    #expect(try DirectoryQuery(text: "  ñu ").description == "ñu")
    #expect(try DirectoryQuery(text: String(repeating: "ñ", count: 30)).description.count == 30)
  }
}
