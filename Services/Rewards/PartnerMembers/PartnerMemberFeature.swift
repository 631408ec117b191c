import IdentityContract
import Operations
import RewardsContract
import ServiceKit
import Storage

/// A partner's members: ordinary accounts with a role at it (REW-3). Decides for all contracts who is a partner's owner or clerk.
struct PartnerMemberFeature: Feature {
  let migrations = [PartnerMemberStore.migration(17)]
  let tables: [ErasedTable] = [
    ErasedTable.rows("partner_members", "account_id = :account", .profiles).atOnce
      .preceded(by: PartnerMemberStore.prepareErasure)
  ]

  func register(in service: inout ServiceDefinition) {
    service.decidePartner { try PartnerMemberStore.belongs($0, $1, in: $2) }
    service.serve(ListPartnerMembers.self, read: PartnerMemberHandlers.list)
    service.serve(AddPartnerMember.self, prepare: PartnerMemberHandlers.named, write: PartnerMemberHandlers.add)
    service.serve(RemovePartnerMember.self, write: PartnerMemberHandlers.remove)
    service.serve(LeavePartner.self, write: PartnerMemberHandlers.leave)
  }

  /// A suspended account does not count as an owner meanwhile.
  func accountChanged(_ account: AccountID, _ transaction: Transaction) throws {
    guard let membership = try PartnerMemberStore.membership(of: account, in: transaction.database), membership.role == .owner
    else { return }
    try PartnerStore.followOwners(of: membership.partner, transaction)
  }
}
