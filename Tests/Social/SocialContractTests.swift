import Operations
import SocialContract
import Testing

@Suite("Contract of social")
struct SocialContractTests {
  let words = Words(Contract.social.words)

  @Test("every failure has its text in both languages", arguments: Language.allCases)
  func failures(language: Language) {
    for failure in FriendRequestFailure.allCases.map(\.rawValue) + FollowRequestFailure.allCases.map(\.rawValue)
      + MessageFailure.allCases.map(\.rawValue)
    {
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

  private func parameters(_ key: String, _ language: Language) -> Set<String> {
    // Given a mark as its value, each parameter shows where it stands.
    let marks = ["username": Parameter.text("\u{1}"), "most": .text("\u{2}")]
    let text = words.text(key, language, marks) ?? ""
    return Set(marks.compactMap { text.contains($0.value.description) ? $0.key : nil })
  }
}
