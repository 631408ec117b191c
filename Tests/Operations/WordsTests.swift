import Operations
import Testing

@Suite("Words")
struct WordsTests {
  let words = Words([])

  @Test("are there in both languages, with the same parameters")
  func bothLanguages() {
    #expect(words.keys(.english) == words.keys(.spanish))
    #expect(words.keys(.english).count > 40)
  }

  @Test("every failure of any request has its text")
  func failures() {
    for failure in RequestFailure.allCases {
      #expect(words.text("failure.\(failure.rawValue)", .spanish) != nil, "\(failure)")
    }
  }

  @Test("every rule of fields says what to do about it")
  func suggestions() {
    let rules = words.keys(.english).filter { $0.hasPrefix("field.") && !$0.hasSuffix(".suggestion") }
    #expect(rules.count > 20)
    for rule in rules {
      for language in Language.allCases { #expect(words.parameters("\(rule).suggestion", language) != nil, "\(rule)") }
    }
  }

  @Test("are filled with values")
  func parameters() {
    #expect(words.text("field.too_long", .english, ["most": .number(20)]) == "This may have at most 20 characters.")
    #expect(words.text("nothing", .english) == nil)
  }
}
