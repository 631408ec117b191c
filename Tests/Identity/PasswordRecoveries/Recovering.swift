import IdentityContract
import Operations
import Testing

@testable import IdentityService

extension RunningIdentity {
  /// Asks for a link that recovers the password of that address.
  @discardableResult
  func askToRecover(_ email: String = "ana@example.com", from address: String = "192.0.2.1") async throws
    -> RequestPasswordRecovery.Output
  {
    try await ask(RequestPasswordRecovery.self, .init(email: FormField(text: email)), by: .person(from: address))
  }

  /// The newest recovery link's token, as the notifications service gets it.
  func recoveryToken() async throws -> String {
    let asked = try #require(try await published(PasswordRecoveryRequested.self).last)
    return try await askAsNotifications(GetRecoverySecret.self, .init(recoveryID: asked.recoveryID)).token
  }

  /// Chooses another password by a link.
  @discardableResult
  func recover(_ token: String, _ password: String = RunningIdentity.otherPassword, repetition: String? = nil) async throws
    -> CompletePasswordRecovery.Output
  {
    try await ask(
      CompletePasswordRecovery.self,
      .init(
        token: token, password: FormField(text: password), passwordConfirmation: FormField(text: repetition ?? password)))
  }

  static let otherPassword = "Mar-9-azul"
}
