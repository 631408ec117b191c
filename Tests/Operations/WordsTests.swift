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

  @Test("are filled with values")
  func parameters() {
    #expect(words.text("field.too_long", .english, ["most": .number(20)]) == "This may have at most 20 characters.")
    #expect(words.text("nothing", .english) == nil)
  }
}
