import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Mailed links: looked at before they are used.
struct EmailLinkHandlers: Sendable {
  let keys: IdentityKeys

  func validate(_ input: ValidateEmailLink.Input, _ call: OpenCall) async throws -> ValidateEmailLink.Output {
    switch try await call.read({ try Self.open(input, keys, now: call.now, in: $0) }) {
    case .works(let isDone): return ValidateEmailLink.Output(isDone: isDone)
    case .refused(let refusal):
      // It is recorded in the transaction, so it must be thrown after it.
      try await call.write { try IncidentDetection.refuseLink(refusal, from: call.caller, $0) }
      throw refusal.failure
    }
  }

  /// What the operation that uses the link would be refused for, and whether it has done its work, where it works.
  private static func open(
    _ link: ValidateEmailLink.Input, _ keys: IdentityKeys, now: Instant, in database: Database
  ) throws -> LinkOpening<Bool> {
    switch link.purpose {
    case .verification: try VerificationLinkStore.open(VerificationToken(link.token), keys, now: now, in: database).map(\.isDone)
    case .recovery: try PasswordRecoveryStore.open(RecoveryToken(link.token), keys, now: now, in: database).map { _ in false }
    case .emailChange: try EmailChangeStore.open(EmailChangeToken(link.token), keys, now: now, in: database).map { _ in false }
    case .emailChangeUndo:
      try EmailChangeStore.open(EmailChangeUndoToken(link.token), keys, now: now, in: database).map { _ in false }
    case .loginAlert: try LoginAlertStore.open(LoginAlertToken(link.token), keys, now: now, in: database).map { _ in false }
    case .suspension:
      try SuspensionLinkStore.open(SuspensionToken(link.token), keys, now: now, in: database).map { _ in false }
    }
  }
}
