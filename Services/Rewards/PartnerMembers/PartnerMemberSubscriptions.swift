import IdentityContract
import Operations
import RewardsContract
import Storage

/// What becomes of a partner when one of its people is suspended, or no longer.
enum PartnerMemberSubscriptions {
  /// Identity's event is in the read model of accounts by then, which subscribes before.
  static func accountChanged(_ event: AccountChanged, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    guard let membership = try PartnerMemberStore.membership(of: event.accountID, in: transaction.database),
      membership.role == .owner
    else { return }
    try PartnerStore.followOwners(of: membership.partner, transaction)
  }
}
