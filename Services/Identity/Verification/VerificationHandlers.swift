import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves the verification of e-mail addresses.
  mutating func serveVerification(keys: IdentityKeys) {
    serve(VerifyAccount.self) { input, call in
      // A refusal is recorded in the transaction, so it must be thrown after it.
      try await call.write { try $0.verify(VerificationToken(input.token), keys, call) }.get()
    }

    serve(
      ResendVerification.self,
      write: { _, call, transaction in
        let account = try call.liveAccount(transaction.database)
        guard account.verifiedAt == nil else { throw ResendFailure.alreadyVerified }
        let sentAt = try transaction.database.verificationLinksSentAt(account.id, limit: VerificationRule.mostPerHour)
        let wait = VerificationRule.secondsUntilNext(sentAt: sentAt, now: transaction.now)
        guard wait == 0 else { throw ResendFailure.tooManyLinks.with(["seconds": .number(wait)], retryAfterSeconds: wait) }
        let link = try transaction.sendVerificationLink(to: account, .askedAgain)
        return ResendVerification.Output(email: account.email, expiresAt: link.expiresAt)
      })

    serve(
      ReadVerificationSecret.self,
      read: { input, call, database in
        guard let link = try database.verificationLink(input.linkID), let account = try database.account(link.accountID),
          VerificationRule.judge(link.opened, now: call.now) == .verify
        else { throw Failure(RequestFailure.notFound) }
        return ReadVerificationSecret.Output(
          token: VerificationToken.text(link, key: keys.verification), email: account.email, username: account.username,
          language: account.language, expiresAt: link.expiresAt)
      })
  }
}

extension Transaction {
  /// Verifies the account whose link was opened, or records that the link was refused.
  fileprivate func verify(
    _ token: VerificationToken?, _ keys: IdentityKeys, _ call: Call
  ) throws -> Result<VerifyAccount.Output, VerificationFailure> {
    var link = try token.flatMap { try database.verificationLink($0.claimedLink) }
    if let found = link, let token, !token.isOf(found, key: keys.verification) { link = nil }
    let account = try link.flatMap { try database.account($0.accountID) }
    // A link to an address that the account no longer has verifies nothing.
    if account?.email.normalized != link?.emailNormalized { link = nil }

    switch VerificationRule.judge(link?.opened, now: now) {
    case .refuse(let failure):
      try refuseLink(
        .verificationLinkRefused, failure, account: link?.accountID, isGuess: failure == .linkInvalid, from: call.caller)
      return .failure(failure)
    case .verify:
      guard let link else { return .failure(.linkInvalid) }
      try useVerificationLink(link)
      try verifyAccount(link.accountID)
    case .alreadyDone: break
    }
    guard let account else { return .failure(.linkInvalid) }
    return .success(VerifyAccount.Output(username: account.username, isVerified: true))
  }
}
