import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Verification of e-mail addresses: done by a link, which is sent again on request; and what its mail needs.
struct VerificationHandlers: Sendable {
  let keys: IdentityKeys

  func verify(_ input: VerifyAccount.Input, _ call: OpenCall) async throws -> VerifyAccount.Output {
    // A refusal is recorded in the transaction, so it must be thrown after it.
    try await call.write { try Self.verify(VerificationToken(input.token), keys, call, $0) }.get()
  }

  static func resend(_ input: Empty, _ call: AccountCall, _ transaction: Transaction) throws -> ResendVerification.Output {
    let account = try call.liveAccount(transaction.database)
    guard account.verifiedAt == nil else { throw ResendFailure.alreadyVerified }
    let sentAt = try VerificationLinkStore.sentAt(account.id, limit: VerificationRules.maxPerHour, in: transaction.database)
    let wait = VerificationRules.secondsUntilNext(sentAt: sentAt, now: transaction.now)
    guard wait == 0 else { throw ResendFailure.tooManyLinks.with(["seconds": .number(wait)], retryAfterSeconds: wait) }
    let link = try VerificationLinkStore.send(to: account, .askedAgain, transaction)
    return ResendVerification.Output(email: account.email, expiresAt: link.expiresAt)
  }

  func getSecret(
    _ input: GetVerificationSecret.Input, _ call: OpenCall, _ database: Database
  ) throws -> GetVerificationSecret.Output {
    guard let link = try VerificationLinkStore.find(input.linkID, in: database),
      let account = try AccountStore.find(link.accountID, in: database),
      VerificationRules.validate(link.opened, now: call.now) == .verify
    else { throw Failure(RequestFailure.notFound) }
    return GetVerificationSecret.Output(
      token: VerificationToken.text(link, key: keys.verification), email: account.email, username: account.username,
      language: account.language, expiresAt: link.expiresAt)
  }

  /// Verifies the account whose link was opened, or records that the link was refused.
  private static func verify(
    _ token: VerificationToken?, _ keys: IdentityKeys, _ call: OpenCall, _ transaction: Transaction
  ) throws -> Result<VerifyAccount.Output, Failure> {
    switch try VerificationLinkStore.open(token, keys, now: transaction.now, in: transaction.database) {
    case .refused(let refusal):
      try IncidentDetection.refuseLink(refusal, from: call.caller, transaction)
      return .failure(refusal.failure)
    case .works(let opened):
      if !opened.isDone {
        try VerificationLinkStore.use(opened.link, transaction)
        try AccountStore.verify(opened.account.id, transaction)
      }
      return .success(VerifyAccount.Output(username: opened.account.username, isVerified: true))
    }
  }
}
