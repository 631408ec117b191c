import IdentityContract
import Operations
import Testing

@testable import IdentityService

@Suite("What is said where a provider lets nobody in (ID-10)")
struct ProviderWordsTests {
  @Test(
    "The words for a login that a provider refused lead nobody to a password, which an account may not have",
    arguments: [ExternalLoginFailure.refused, .proofInvalid, .unknownProvider, .providerUnavailable, .cancelled],
    Language.allCases)
  func suggestions(failure: ExternalLoginFailure, language: Language) throws {
    let said = try #require(SessionWords.words.text("failure.\(failure.rawValue).suggestion", language))
    #expect(!said.contains("password") && !said.contains("contraseña"), "\(said)")
  }
}
