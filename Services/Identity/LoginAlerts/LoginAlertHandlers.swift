import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves the answers to logins that were unlike their account (requirement ID-7).
  mutating func serveLoginAlerts(keys: IdentityKeys, watch: LoginWatch) {
    serve(
      ListLoginAlerts.self,
      read: { input, call, database in
        let account = try call.liveAccount(database)
        let page = try call.page(input)
        let session = try call.session
        // Others would tell whoever came in doubt by what a login is trusted.
        let alerts = try database.loginAlerts(
          of: account.id, over: try database.isInDoubt(session) ? session : nil, before: page.cursor(LoginAlertID.init(text:)),
          limit: page.fetchLimit)
        return page.page(of: alerts, key: \.id) { $0.own(account.language, watch.places) }
      })

    serve(
      AnswerLoginAlert.self,
      write: { input, call, transaction in
        let account = try call.liveAccount(transaction.database)
        guard let alert = try transaction.database.loginAlert(input.alertID), alert.accountID == account.id else {
          throw Failure(RequestFailure.notFound)
        }
        let session = try transaction.database.answering(try call.session, alert, watch)
        if let failure = LoginAlertRule.refusal(input.answer, by: session) { throw failure }
        if let failure = alert.refusal(now: transaction.now) { throw failure }
        return try transaction.answer(alert, input.answer, isOwners: !session.isInDoubt, account, watch, call)
      })

    serve(AnswerLoginAlertByLink.self) { input, call in
      // A refusal is recorded in the transaction, so it must be thrown after it.
      try await call.write { try $0.answer(LoginAlertToken(input.token), input.answer, keys, watch, call) }.get()
    }

    serve(
      ReadLoginAlertSecret.self,
      read: { input, call, database in
        guard let alert = try database.loginAlert(input.alertID), let account = try database.account(alert.accountID),
          alert.refusal(now: call.now) == nil
        else { throw Failure(RequestFailure.notFound) }
        let own = alert.own(account.language, watch.places)
        return ReadLoginAlertSecret.Output(
          token: LoginAlertToken.text(alert, key: keys.loginAlerts), email: account.email, username: account.username,
          language: account.language, device: LinkFree.text(own.device), place: own.place.name, at: alert.createdAt)
      })
  }
}

/// A link of a mail about a login, opened.
struct OpenedLoginAlert: Sendable {
  let alert: LoginAlertRecord
  let account: AccountRecord
}

extension Database {
  /// What the link of that token leads to.
  func open(_ token: LoginAlertToken?, _ keys: IdentityKeys, now: Instant) throws -> LinkOpening<OpenedLoginAlert> {
    func refused(_ failure: LoginAlertFailure, _ account: AccountID?) -> LinkOpening<OpenedLoginAlert> {
      .refused(LinkRefusal(.loginAlertRefused, failure, account))
    }
    guard let token, let alert = try loginAlert(token.claimedLink), token.isOf(alert, key: keys.loginAlerts),
      let account = try account(alert.accountID)
    else { return refused(.linkInvalid, nil) }
    if let failure = alert.refusal(now: now) { return refused(failure, account.id) }
    return .works(OpenedLoginAlert(alert: alert, account: account))
  }
}

extension LoginAlertRecord {
  /// Why it takes no answer; nil if it does.
  fileprivate func refusal(now: Instant) -> LoginAlertFailure? {
    LoginAlertRule.refusal(expiresAt: expiresAt, answeredAt: answeredAt, now: now)
  }
}

extension Transaction {
  /// The answer to an alert by the token of its mail, or a record that it was refused.
  fileprivate func answer(
    _ token: LoginAlertToken?, _ answer: LoginAlertAnswer, _ keys: IdentityKeys, _ watch: LoginWatch, _ call: Call
  ) throws -> Result<AnswerLoginAlertByLink.Output, Failure> {
    switch try database.open(token, keys, now: now) {
    case .refused(let refusal):
      try refuseLink(refusal, from: call.caller)
      return .failure(refusal.failure)
    case .works(let opened): return .success(try self.answer(opened.alert, answer, isOwners: true, opened.account, watch, call))
    }
  }

  /// The answer to an alert that takes one.
  fileprivate func answer(
    _ alert: LoginAlertRecord, _ answer: LoginAlertAnswer, isOwners: Bool, _ account: AccountRecord, _ watch: LoginWatch,
    _ call: Call
  ) throws -> AnswerLoginAlert.Output {
    let closed = try self.answer(alert, answer, isOwners: isOwners, watch, from: call.caller)
    return AnswerLoginAlert.Output(
      username: account.username, answer: answer, closedCount: closed, isPasswordChangeAdvised: answer == .close)
  }
}
