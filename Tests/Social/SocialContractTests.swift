import Operations
import SocialContract
import Testing

@Suite("Contract of social")
struct SocialContractTests {
  let words = Words(Contract.social.words)

  @Test("every failure has its text in both languages", arguments: Language.allCases)
  func failures(language: Language) {
    for failure in FriendRequestFailure.allCases.map(\.rawValue) + MessageFailure.allCases.map(\.rawValue) {
      #expect(words.text("failure.\(failure)", language) != nil, "\(failure) in \(language)")
    }
  }

  @Test("both languages have the same words with the same parameters")
  func languages() {
    #expect(words.keys(.english) == words.keys(.spanish))
    for key in words.keys(.english) {
      #expect(parameters(key, .english) == parameters(key, .spanish), "\(key)")
    }
  }

  private func parameters(_ key: String, _ language: Language) -> Set<Substring> {
    // A parameter that is not given is left out, so the text without parameters shows where they stood.
    let marked = ["username": "\u{1}username"].mapValues(Parameter.text)
    return Set((words.text(key, language, marked) ?? "").split(separator: "\u{1}").dropFirst().map { $0.prefix(8) })
  }
}
