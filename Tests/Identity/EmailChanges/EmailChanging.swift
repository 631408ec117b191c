import IdentityContract
import Operations
import Testing

@testable import IdentityService

extension RunningIdentity {
  /// Asks for another address.
  @discardableResult
  func askToChange(
    _ signedIn: SignedIn, to email: String = "new@example.com", _ password: String = RunningIdentity.password
  ) async throws -> RequestEmailChange.Output {
    try await ask(
      RequestEmailChange.self, .init(email: FormField(text: email), currentPassword: FormField(text: password)),
      by: .signedIn(signedIn))
  }

  /// What the newest mail to a new address needs.
  func emailChangeMail() async throws -> GetEmailChangeSecret.Output {
    let asked = try #require(try await published(EmailChangeRequested.self).last)
    return try await askAsNotifications(GetEmailChangeSecret.self, .init(changeID: asked.changeID))
  }

  /// What the newest notice to a former address needs.
  func emailChangeNotice() async throws -> GetEmailChangeNotice.Output {
    let asked = try #require(try await published(EmailChangeRequested.self).last)
    return try await askAsNotifications(GetEmailChangeNotice.self, .init(changeID: asked.changeID))
  }

  /// Follows the link in a notice.
  @discardableResult
  func undo(_ token: String) async throws -> UndoEmailChange.Output { try await ask(UndoEmailChange.self, .init(token: token)) }

  /// Follows the link of that token.
  @discardableResult
  func follow(_ token: String) async throws -> CompleteEmailChange.Output {
    try await ask(CompleteEmailChange.self, .init(token: token))
  }
}
