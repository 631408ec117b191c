import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Alerts of logins: listed and answered; and what their mails need.
struct LoginAlertHandlers: Sendable {
  let keys: IdentityKeys
  let watch: LoginWatch

  func list(_ input: ListPage, _ call: AccountCall, _ database: Database) throws -> Page<LoginAlert> {
    let account = try call.liveAccount(database)
    let page = try call.page(input)
    let session = try call.session
    // The other alerts would show a session in doubt by what a login is trusted.
    let alerts = try LoginAlertStore.list(
      of: account.id, over: try LoginAlertStore.isInDoubt(session, in: database) ? session : nil,
      before: page.cursor(LoginAlertID.init(text:)),
      limit: page.fetchLimit, in: database)
    return page.page(of: alerts, key: \.id) { $0.own(account.language, watch.places) }
  }

  func answer(
    _ input: AnswerLoginAlert.Input, _ call: AccountCall, _ transaction: Transaction
  ) throws -> AnswerLoginAlert.Output {
    let account = try call.liveAccount(transaction.database)
    guard let alert = try LoginAlertStore.find(input.alertID, in: transaction.database), alert.accountID == account.id else {
      throw Failure(RequestFailure.notFound)
    }
    let session = try LoginAlertStore.answering(try call.session, alert, watch, in: transaction.database)
    if let failure = LoginAlertRules.refusal(input.answer, by: session) { throw failure }
    if let failure = alert.refusal(now: transaction.now) { throw failure }
    return try Self.answer(alert, input.answer, isOwners: !session.isInDoubt, account, watch, call, transaction)
  }

  func answerByLink(_ input: AnswerLoginAlertByLink.Input, _ call: OpenCall) async throws -> AnswerLoginAlertByLink.Output {
    // A refusal is recorded in the transaction, so it must be thrown after it.
    try await call.write { try Self.answer(LoginAlertToken(input.token), input.answer, keys, watch, call, $0) }.get()
  }

  func getSecret(
    _ input: GetLoginAlertSecret.Input, _ call: OpenCall, _ database: Database
  ) throws -> GetLoginAlertSecret.Output {
    guard let alert = try LoginAlertStore.find(input.alertID, in: database),
      let account = try AccountStore.find(alert.accountID, in: database),
      alert.refusal(now: call.now) == nil
    else { throw Failure(RequestFailure.notFound) }
    let own = alert.own(account.language, watch.places)
    return GetLoginAlertSecret.Output(
      token: LoginAlertToken.text(alert, key: keys.loginAlerts), email: account.email, username: account.username,
      language: account.language, device: LinkFree.text(own.device), place: own.place.name, at: alert.createdAt)
  }

  /// The answer to an alert by the token of its mail, or a record that it was refused.
  private static func answer(
    _ token: LoginAlertToken?, _ answer: LoginAlertAnswer, _ keys: IdentityKeys, _ watch: LoginWatch, _ call: some Call,
    _ transaction: Transaction
  ) throws -> Result<AnswerLoginAlertByLink.Output, Failure> {
    switch try LoginAlertStore.open(token, keys, now: transaction.now, in: transaction.database) {
    case .refused(let refusal):
      try IncidentDetection.refuseLink(refusal, from: call.caller, transaction)
      return .failure(refusal.failure)
    case .works(let opened):
      return .success(try Self.answer(opened.alert, answer, isOwners: true, opened.account, watch, call, transaction))
    }
  }

  /// The answer to an alert that takes one.
  private static func answer(
    _ alert: LoginAlertRecord, _ answer: LoginAlertAnswer, isOwners: Bool, _ account: AccountRecord, _ watch: LoginWatch,
    _ call: some Call, _ transaction: Transaction
  ) throws -> AnswerLoginAlert.Output {
    let closed = try LoginAlertStore.answer(alert, answer, isOwners: isOwners, watch, from: call.caller, transaction)
    return AnswerLoginAlert.Output(
      username: account.username, answer: answer, closedCount: closed, isPasswordChangeAdvised: answer == .close)
  }
}
