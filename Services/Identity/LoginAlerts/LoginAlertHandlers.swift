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
        let alerts = try database.loginAlerts(
          of: account.id, before: page.place(LoginAlertID.init(text:)), limit: page.fetchLimit)
        return page.page(of: alerts, key: \.id) { $0.own(account.language, watch.places) }
      })

    serve(
      AnswerLoginAlert.self,
      write: { input, call, transaction in
        let account = try call.liveAccount(transaction.database)
        guard let alert = try transaction.database.loginAlert(input.alertID), alert.accountID == account.id else {
          throw Failure(RequestFailure.notFound)
        }
        // Whoever came in so may be anybody; only to leave is theirs.
        let isInQuestion = try transaction.database.isInQuestion(try call.session)
        guard input.answer == .close || !isInQuestion else { throw LoginAlertFailure.ownSession }
        return try transaction.answer(alert, input.answer, account, watch, call).get()
      })

    serve(AnswerLoginAlertByLink.self) { input, call in
      // A refusal is recorded in the transaction, so it must be thrown after it.
      try await call.write { try $0.answer(LoginAlertToken(input.token), input.answer, keys, watch, call) }.get()
    }

    serve(
      ReadLoginAlertSecret.self,
      read: { input, call, database in
        guard let alert = try database.loginAlert(input.alertID), let account = try database.account(alert.accountID),
          LoginAlertRule.refusal(expiresAt: alert.expiresAt, answeredAt: alert.answeredAt, now: call.now) == nil
        else { throw Failure(RequestFailure.notFound) }
        let own = alert.own(account.language, watch.places)
        return ReadLoginAlertSecret.Output(
          token: LoginAlertToken.text(alert, key: keys.loginAlerts), email: account.email, username: account.username,
          language: account.language, device: LinkFree.text(own.device), place: own.place.name, at: alert.createdAt)
      })
  }
}

extension Transaction {
  /// The answer to an alert by the token of its mail.
  fileprivate func answer(
    _ token: LoginAlertToken?, _ answer: LoginAlertAnswer, _ keys: IdentityKeys, _ watch: LoginWatch, _ call: Call
  ) throws -> Result<AnswerLoginAlertByLink.Output, LoginAlertFailure> {
    guard let token, let alert = try database.loginAlert(token.claimedLink), token.isOf(alert, key: keys.loginAlerts),
      let account = try database.account(alert.accountID)
    else {
      try refuseLink(.loginAlertRefused, LoginAlertFailure.linkInvalid, account: nil, isGuess: true, from: call.caller)
      return .failure(.linkInvalid)
    }
    let result = try self.answer(alert, answer, account, watch, call)
    if case .failure(let failure) = result {
      try refuseLink(.loginAlertRefused, failure, account: account.id, isGuess: false, from: call.caller)
    }
    return result
  }

  fileprivate func answer(
    _ alert: LoginAlertRecord, _ answer: LoginAlertAnswer, _ account: AccountRecord, _ watch: LoginWatch, _ call: Call
  ) throws -> Result<AnswerLoginAlert.Output, LoginAlertFailure> {
    if let refusal = LoginAlertRule.refusal(expiresAt: alert.expiresAt, answeredAt: alert.answeredAt, now: now) {
      return .failure(refusal)
    }
    let closed = try self.answer(alert, answer, watch, from: call.caller)
    return .success(
      AnswerLoginAlert.Output(
        username: account.username, answer: answer, closedCount: closed, isPasswordChangeAdvised: answer == .close))
  }
}
