public import Operations

extension FeatureContract {
  static let partnerMembers = FeatureContract(
    operations: [ListPartnerMembers.self, AddPartnerMember.self, RemovePartnerMember.self, LeavePartner.self])
}

/// What a member of a partner may do (REW-3).
public enum PartnerRole: String, Choice {
  /// Every operation of the partner.
  case owner
  /// Check and use codes, and read the partner's data.
  case clerk
}

/// An account that works for a partner (REW-3).
public struct PartnerMember: Document, Hashable {
  /// The account.
  public var accountID: AccountID
  /// The account's username.
  public var username: Username
  /// The member's role.
  public var role: PartnerRole
  /// Since when the account is a member.
  public var joinedAt: Instant

  /// A member from its parts.
  public init(accountID: AccountID, username: Username, role: PartnerRole, joinedAt: Instant) {
    self.accountID = accountID
    self.username = username
    self.role = role
    self.joinedAt = joinedAt
  }

  /// The maximum number of members of one partner.
  public static let maxPerPartner = 100

  public static let notes: Notes = [
    "accountID": "The account.", "username": "Its username.", "role": "Its role there.", "joinedAt": "Since when it is a member.",
  ]
}

/// All members of a partner.
public struct PartnerMembers: Document, Hashable {
  /// In the order in which they joined.
  public var members: [PartnerMember]

  /// The answer from its parts.
  public init(members: [PartnerMember]) { self.members = members }

  public static let notes: Notes = [
    "members": Note("The members in the order in which they joined.", items: 0...PartnerMember.maxPerPartner)
  ]
}

/// Why a change of a partner's members is refused.
public enum PartnerMemberFailure: String, FailureCode {
  /// The partner must keep at least one owner.
  case lastOwner = "last_partner_owner"
  /// The partner has reached the maximum number of members.
  case tooMany = "too_many_partner_members"

  public var status: Int { 409 }
}

/// Lists the members of the caller's partner (REW-3).
public enum ListPartnerMembers: AccountOperation {
  public typealias Input = Empty
  public typealias Output = PartnerMembers

  public static let spec = OperationSpec(
    "partnerMembers.list", of: .rewards, .get("/v1/partners/mine/members"), by: .partnerClerk, effect: .read,
    requirements: ["REW-3"], "Lists the members of the caller's company.")
}

/// Gives an account a role at the caller's partner, or changes its role (REW-3). The account can leave at any time.
///
/// The reply reveals whether the account exists, so the rate limit is that of searching for people.
public enum AddPartnerMember: AccountOperation {
  /// Which account, and its role.
  public struct Input: Document {
    /// The account's username.
    public var username: Username
    /// The new role.
    public var role: PartnerRole

    /// The input from its parts.
    public init(username: Username, role: PartnerRole) {
      self.username = username
      self.role = role
    }

    public static let notes: Notes = ["username": "The account's username.", "role": "Its new role."]
  }

  public typealias Output = PartnerMembers

  public static let spec = OperationSpec(
    "partnerMembers.add", of: .rewards, .post("/v1/partners/mine/members"), by: .partnerOwner, effect: .write, rate: .search,
    failures: [
      PartnerFailure.alreadyInPartner.kind, PartnerFailure.notApproved.kind, PartnerMemberFailure.lastOwner.kind,
      PartnerMemberFailure.tooMany.kind,
    ],
    requirements: ["REW-3"], "Makes an account an owner or a clerk of the caller's company.")
}

/// Removes an account from the caller's partner (REW-3).
public enum RemovePartnerMember: AccountOperation {
  /// Which member.
  public struct Input: Document {
    /// The account.
    public var accountID: AccountID

    /// The input from its parts.
    public init(accountID: AccountID) { self.accountID = accountID }

    public static let notes: Notes = ["accountID": "The account."]
  }

  public typealias Output = PartnerMembers

  public static let spec = OperationSpec(
    "partnerMembers.remove", of: .rewards, .delete("/v1/partners/mine/members/{accountID}"), by: .partnerOwner, effect: .write,
    failures: [RequestFailure.notFound.kind, PartnerMemberFailure.lastOwner.kind], requirements: ["REW-3"],
    "Removes an account from the caller's company.")
}

/// Leaves the partner that the account belongs to (REW-3). Once the last owner has left, the partner's offers pause and administrators are
/// told. A partner that is not approved and has sold nothing is deleted with its last member.
public enum LeavePartner: AccountOperation {
  public typealias Input = Empty
  public typealias Output = Empty

  // Open to any account, and refused by the handler: whoever has left, and repeats the call, is answered as the first time.
  public static let spec = OperationSpec(
    "partners.leave", of: .rewards, .post("/v1/partners/mine/leave"), by: .account, effect: .write,
    failures: [RequestFailure.forbidden.kind], requirements: ["REW-3"], "Leaves the caller's company.")
}
