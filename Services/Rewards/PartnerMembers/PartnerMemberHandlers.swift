import GRDB
import Operations
import RewardsContract
import ServiceKit
import Storage

/// A partner's members: listed, added, removed, and leaving.
enum PartnerMemberHandlers {
  static func list(_ input: Empty, _ call: AccountCall, _ database: Database) throws -> PartnerMembers {
    try PartnerMemberStore.list(of: PartnerMemberStore.partner(of: call.account, in: database), in: database)
  }

  /// Returns the account with that name, requested from identity if its event has not arrived yet.
  static func named(_ input: AddPartnerMember.Input, _ call: AccountCall) async throws -> AccountID? {
    try await Accounts.resolve(input.username, call)?.id
  }

  static func add(
    _ input: AddPartnerMember.Input, _ account: AccountID?, _ call: AccountCall, _ transaction: Transaction
  ) throws -> PartnerMembers {
    let database = transaction.database
    let partner = try PartnerMemberStore.partner(ownedBy: call.account, in: database)
    // An account cannot be added by a partner that administrators have not approved, or by someone separated from it by a block.
    guard try PartnerStore.required(partner, in: database).state == .approved else { throw PartnerFailure.notApproved }
    guard let account, try !database.isErased(account), try !RelationStore.isApart(account, from: call.account, in: database)
    else {
      throw Failure.field("username", FieldRule("unknown_user", ["username": .text(input.username.description)]))
    }
    if let present = try PartnerMemberStore.membership(of: account, in: database) {
      guard present.partner == partner else { throw PartnerFailure.alreadyInPartner }
      if present.role == .owner, input.role != .owner {
        try PartnerMemberStore.expectOtherOwner(of: partner, than: account, in: database)
      }
    } else {
      guard try PartnerMemberStore.count(of: partner, in: database) < PartnerMember.maxPerPartner else {
        throw PartnerMemberFailure.tooMany.with(["max": .number(PartnerMember.maxPerPartner)])
      }
    }
    try PartnerMemberStore.add(account, to: partner, input.role, transaction)
    return try PartnerMemberStore.list(of: partner, in: database)
  }

  static func remove(
    _ input: RemovePartnerMember.Input, _ call: AccountCall, _ transaction: Transaction
  ) throws -> PartnerMembers {
    let database = transaction.database
    let partner = try PartnerMemberStore.partner(ownedBy: call.account, in: database)
    guard try PartnerMemberStore.membership(of: input.accountID, in: database)?.partner == partner else {
      throw Failure(RequestFailure.notFound)
    }
    try PartnerMemberStore.expectOtherOwner(of: partner, than: input.accountID, in: database)
    try PartnerMemberStore.remove(input.accountID, from: partner, transaction)
    return try PartnerMemberStore.list(of: partner, in: database)
  }

  static func leave(_ input: Empty, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    let database = transaction.database
    let partner = try PartnerMemberStore.partner(of: call.account, in: database)
    try PartnerMemberStore.leave(call.account, partner, transaction)
    return Empty()
  }
}
