import GRDB
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// Links in mails that end them.
struct UnsubscribeHandlers: Sendable {
  let links: UnsubscribeLinks

  @Sendable
  func get(_ input: UnsubscribeToken, _ call: OpenCall, _ database: Database) throws -> MailUnsubscribe {
    let (account, scope) = try find(input)
    return try state(account, scope, call.language, in: database)
  }

  @Sendable
  func create(_ input: UnsubscribeToken, _ call: OpenCall, _ transaction: Transaction) throws -> MailUnsubscribe {
    let (account, scope) = try find(input)
    // Before anything is written for an account that there is not.
    _ = try state(account, scope, call.language, in: transaction.database)
    for kind in scope.kinds { try PreferenceStore.choose(.init(.kind(kind.name), .email), false, of: account, transaction) }
    try DailyCheckStore.follow(account, transaction)
    return try state(account, scope, call.language, in: transaction.database)
  }

  private func find(_ input: UnsubscribeToken) throws -> (AccountID, UnsubscribeScope) {
    guard let found = links.read(input.token) else { throw UnsubscribeFailure.linkInvalid }
    return found
  }

  private func state(
    _ account: AccountID, _ scope: UnsubscribeScope, _ language: Language, in database: Database
  ) throws -> MailUnsubscribe {
    guard let known = try Accounts.find(account, in: database) else { throw UnsubscribeFailure.linkInvalid }
    let choices = try PreferenceStore.choices(of: account, in: database)
    let name =
      switch scope {
      case .kind(let name): NotificationSpec.named(name)?.title(language)
      case .all: NotificationText.words.text("unsubscribe.all", language)
      }
    return MailUnsubscribe(
      name: name ?? "", username: known.username, isOff: scope.kinds.allSatisfy { choices.state(of: $0, .email) == .off })
  }
}
