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
        let sentAt = try transaction.database.verificationLinksSentAt(account.id, limit: VerificationRule.maxPerHour)
        let wait = VerificationRule.secondsUntilNext(sentAt: sentAt, now: transaction.now)
        guard wait == 0 else { throw ResendFailure.tooManyLinks.with(["seconds": .number(wait)], retryAfterSeconds: wait) }
        let link = try transaction.sendVerificationLink(to: account, .askedAgain)
        return ResendVerification.Output(email: account.email, expiresAt: link.expiresAt)
      })

    serve(
      ReadVerificationSecret.self,
      read: { input, call, database in
        guard let link = try database.verificationLink(input.linkID), let account = try database.account(link.accountID),
          VerificationRule.validate(link.opened, now: call.now) == .verify
        else { throw Failure(RequestFailure.notFound) }
        return ReadVerificationSecret.Output(
          token: VerificationToken.text(link, key: keys.verification), email: account.email, username: account.username,
          language: account.language, expiresAt: link.expiresAt)
      })
  }
}

/// A verification link, opened.
struct OpenedVerification: Sendable {
  let link: VerificationLinkRecord
  let account: AccountRecord
  /// Whether it did its work before.
  let isDone: Bool
}

extension Database {
  /// What the link of that token leads to.
  func open(
    _ token: VerificationToken?, _ keys: IdentityKeys, now: Instant
  ) throws -> LinkOpening<OpenedVerification> {
    func refused(_ failure: VerificationFailure, _ account: AccountID?) -> LinkOpening<OpenedVerification> {
      .refused(LinkRefusal(.verificationLinkRefused, failure, account))
    }
    // A link to an address that the account no longer has verifies nothing.
    guard let token, let link = try verificationLink(token.claimedLink), token.isOf(link, key: keys.verification),
      let account = try account(link.accountID), account.email.normalized == link.emailNormalized
    else { return refused(.linkInvalid, nil) }
    switch VerificationRule.validate(link.opened, now: now) {
    case .refuse(let failure): return refused(failure, account.id)
    case .verify: return .works(OpenedVerification(link: link, account: account, isDone: false))
    case .alreadyDone: return .works(OpenedVerification(link: link, account: account, isDone: true))
    }
  }
}

extension Transaction {
  /// Verifies the account whose link was opened, or records that the link was refused.
  fileprivate func verify(
    _ token: VerificationToken?, _ keys: IdentityKeys, _ call: Call
  ) throws -> Result<VerifyAccount.Output, Failure> {
    switch try database.open(token, keys, now: now) {
    case .refused(let refusal):
      try refuseLink(refusal, from: call.caller)
      return .failure(refusal.failure)
    case .works(let opened):
      if !opened.isDone {
        try useVerificationLink(opened.link)
        try verifyAccount(opened.account.id)
      }
      return .success(VerifyAccount.Output(username: opened.account.username, isVerified: true))
    }
  }
}
