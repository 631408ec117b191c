import IdentityContract
import Operations
import Testing

@testable import IdentityService

@Suite("Messages about logins that a provider refused (ID-10)")
struct ProviderWordsTests {
  @Test(
    "Messages about logins that a provider refused mention no password, which the account may not have",
    arguments: [ExternalLoginFailure.refused, .proofInvalid, .unknownProvider, .providerUnavailable, .cancelled],
    Language.allCases)
  func suggestions(failure: ExternalLoginFailure, language: Language) throws {
    let said = try #require(SessionWords.words.text("failure.\(failure.rawValue).suggestion", language))
    #expect(!said.contains("password") && !said.contains("contraseña"), "\(said)")
  }
}
