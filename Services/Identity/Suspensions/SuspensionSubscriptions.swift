import IdentityContract
import Operations
import SocialContract
import Storage

/// What social decides about accounts (SOC-8).
enum SuspensionSubscriptions {
  /// Keeps the suspension. In the one transaction in which an account comes to be suspended, everything it has open ends: sessions,
  /// personal access tokens, links to a new password or address, and what it gave beyond them. So there is no moment at which it is
  /// suspended and yet in.
  @Sendable
  static func changed(_ suspension: SuspensionChanged, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    let change = try SuspensionStore.keep(suspension, transaction)
    guard change != .nothing else { return }
    let account = suspension.accountID
    _ = try AccountStore.publish(account, transaction)
    if change == .begin {
      try Revocation.revokeEverything(of: account, .accountSuspended, transaction)
      try PasswordRecoveryStore.replaceAll(of: account, transaction)
      // A link of an earlier suspension says nothing of this one, whose owner gets a link of its own.
      try SuspensionLinkStore.removeAll(of: account, transaction)
    }
    let kind: SecurityEvent.Kind = change == .lift ? .suspensionLifted : .accountSuspended
    try SecurityEventStore.record(
      SecurityEvent(kind, account: account, detail: suspension.suspensionID.description), from: .service(.social), transaction)
  }
}
