import IdentityContract
import Operations
import SocialContract
import Storage

/// Appeals of suspended accounts, which come by the link that identity mails.
enum AppealSubscriptions {
  /// Stores the appeal, once. A late appeal, or one of another account, has no effect, since there is no caller to answer.
  static func appealed(_ event: SuspensionAppealed, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    let database = transaction.database
    guard let suspension = try SuspensionStore.find(event.suspensionID, in: database), suspension.account == event.accountID,
      suspension.endedAt == nil, let found = try ModerationCaseStore.find(suspension.moderationCase, in: database),
      let decision = found.decision,
      AppealRules.canAppeal(decision, try AppealStore.state(of: found.id, in: database), at: transaction.now)
    else { return }
    try AppealStore.add(event.text, in: found.id, transaction)
  }
}
