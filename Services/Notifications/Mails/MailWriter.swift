import IdentityContract
import Operations
import ServiceKit

/// Turns a mail of the queue into a letter, with what identity knows at this moment: addresses and secrets are kept nowhere else.
struct MailWriter: Sendable {
  let identity: ServiceClient
  let templates: MailTemplates
  let from: MailAddress
  /// Where people reach the system, without a slash at the end.
  let publicURL: String

  /// The letter; nil if there is no longer a reason for it.
  func letter(_ job: MailQueue.Job) async throws(MailFailure) -> Letter? {
    let found: MailContent
    do {
      found = try await content(job)
    } catch let failure as Failure where failure.status == RequestFailure.notFound.status {
      return nil
    } catch {
      throw .secretUnavailable
    }
    let message = try templates.message(job, found, from: from)
    return Letter(id: job.id, createdAt: job.createdAt, from: message.from, to: message.to, bytes: message.bytes)
  }

  /// Throws `not_found` for a link that no longer works and an account that is gone.
  private func content(_ job: MailQueue.Job) async throws -> MailContent {
    switch job.subject {
    case .verification(let id):
      return link("verify", try await identity.request(ReadVerificationSecret.self, .init(linkID: id)))
    case .recovery(let id):
      return link("recover", try await identity.request(ReadRecoverySecret.self, .init(recoveryID: id)))
    case .passwordChanged:
      let addressee = try await identity.request(ReadAddressee.self, .init(accountID: job.account))
      return notice(addressee, at: job.createdAt)
    case .emailChange(let id):
      return link("change-email", try await identity.request(ReadEmailChangeSecret.self, .init(changeID: id)))
    case .emailChangeNotice(let id), .emailChanged(let id):
      return link("undo-email-change", try await identity.request(ReadEmailChangeNotice.self, .init(changeID: id)))
    case .loginNoticed(let id), .loginSuspicious(let id), .loginRefused(let id):
      return login(try await identity.request(ReadLoginAlertSecret.self, .init(alertID: id)))
    case .locked, .tokensReused, .everythingRevoked, .identityLinked, .identityUnlinked:
      return notice(try await identity.request(ReadAddressee.self, .init(accountID: job.account)), at: job.createdAt)
    case .tokenCreated(let id):
      let notice = try await identity.request(ReadPersonalAccessTokenNotice.self, .init(tokenID: id))
      return MailContent(
        email: notice.email, username: notice.username, language: notice.language, url: "\(publicURL)/recover", token: nil,
        at: notice.token.createdAt, made: notice.token)
    case .incident(let id), .report(let id):
      let mail = try await identity.request(ReadSecurityMail.self, .init(mailID: id))
      var content = MailContent(
        email: mail.email, username: mail.username, language: mail.language, url: publicURL, token: nil, at: job.createdAt)
      content.security = mail
      return content
    case .accountDeleted(let id):
      let report = try await identity.request(ReadDeletionReport.self, .init(deletionID: id))
      var content = MailContent(
        email: report.addressee.email, username: report.addressee.username, language: report.addressee.language, url: publicURL,
        token: nil, at: report.deletion.requestedAt, erased: report.deletion.services.flatMap(\.counts))
      content.erasedAt = report.deletion.erasedAt
      content.cleanBy = report.deletion.cleanBy
      return content
    }
  }

  /// Both links lead to the same page, each with its own answer.
  private func login(_ secret: ReadLoginAlertSecret.Output) -> MailContent {
    var content = MailContent(
      email: secret.email, username: secret.username, language: secret.language,
      url: "\(publicURL)/login-alert?token=\(secret.token)&answer=\(LoginAlertAnswer.close)", token: secret.token, at: secret.at)
    content.confirmURL = "\(publicURL)/login-alert?token=\(secret.token)&answer=\(LoginAlertAnswer.confirm)"
    content.device = secret.device
    content.place = secret.place
    return content
  }

  /// Tells of something that happened then.
  private func notice(_ addressee: ReadAddressee.Output, at instant: Instant) -> MailContent {
    MailContent(
      email: addressee.email, username: addressee.username, language: addressee.language, url: "\(publicURL)/recover",
      token: nil, at: instant)
  }

  private func link(_ page: String, _ secret: ReadVerificationSecret.Output) -> MailContent {
    MailContent(
      email: secret.email, username: secret.username, language: secret.language,
      url: "\(publicURL)/\(page)?token=\(secret.token)",
      token: secret.token, at: secret.expiresAt)
  }
}
