import Operations
import Testing

@testable import IdentityService

@Suite("Suggested usernames")
struct UsernameSuggestionsTests {
  @Test(
    "Suggested usernames start with the closest well-formed one",
    arguments: [
      ("ana", "ana"), ("José Ruiz", "jose.ruiz"), ("Ana-María", "ana.maria"), ("  spaced out  ", "spaced.out"),
      ("Müller", "muller"),
      ("Straße", "strasse"), ("1337", "user"), ("ab", "ab_1"), ("a", "a_1"), ("", "user"), ("日本", "user"), ("ana!!", "ana"),
      ("_ana_", "ana"),
      (String(repeating: "x", count: 50), String(repeating: "x", count: 30)),
    ])
  func nearest(wished: String, first: String) {
    #expect(UsernameSuggestions.candidates(near: wished, others: []).first?.description == first)
  }

  @Test(
    "Suggested usernames are many, well formed and different",
    arguments: ["ana", String(repeating: "z", count: 30), "ñ", "a b c d e f g h i j k l m n o p"])
  func many(wished: String) {
    let found = UsernameSuggestions.candidates(near: wished, others: ["someone", "Ana Ruiz"])
    #expect(found.count > 30)
    #expect(Set(found).count == found.count)
  }
}
