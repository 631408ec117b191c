import IdentityContract
import Operations
import SocialContract
import Storage

/// What social decides about accounts (SOC-8).
enum SuspensionSubscriptions {
  /// Stores the suspension. The transaction that suspends an account also ends all its access: sessions, personal access tokens, links to a
  /// new password or address, and the access derived from them. So there is no moment at which it is suspended and still logged in.
  @Sendable
  static func changed(_ suspension: SuspensionChanged, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    let change = try SuspensionStore.keep(suspension, transaction)
    guard change != .nothing else { return }
    let account = suspension.accountID
    _ = try AccountStore.publish(account, transaction)
    if change == .begin {
      try Revocation.revokeEverything(of: account, .accountSuspended, transaction)
      try PasswordRecoveryStore.replaceAll(of: account, transaction)
      // A link of an earlier suspension does not apply to this one, whose owner gets a new link.
      try SuspensionLinkStore.removeAll(of: account, transaction)
    }
    let kind: SecurityEvent.Kind = change == .lift ? .suspensionLifted : .accountSuspended
    try SecurityEventStore.record(
      SecurityEvent(kind, account: account, detail: suspension.suspensionID.description), from: .service(.social), transaction)
  }
}
