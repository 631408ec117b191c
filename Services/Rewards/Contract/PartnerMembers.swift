public import Operations

/// What somebody may do at a partner (REW-3).
public enum PartnerRole: String, Choice {
  /// All that a partner can do.
  case owner
  /// Look at codes and use them up, and read what the partner has.
  case clerk
}

/// Somebody who works for a partner (REW-3).
public struct PartnerMember: Document, Hashable {
  /// The account.
  public var accountID: AccountID
  /// Its username.
  public var username: Username
  /// What it may do.
  public var role: PartnerRole
  /// Since when.
  public var since: Instant

  /// A member from its parts.
  public init(accountID: AccountID, username: Username, role: PartnerRole, since: Instant) {
    self.accountID = accountID
    self.username = username
    self.role = role
    self.since = since
  }

  /// The most of one partner.
  public static let maxPerPartner = 100

  public static let notes: Notes = [
    "accountID": "The account.", "username": "Its username.", "role": "What it may do there.", "since": "Since when.",
  ]
}

/// All people of a partner.
public struct PartnerMembers: Document, Hashable {
  /// In the order in which they came.
  public var members: [PartnerMember]

  /// The answer from its parts.
  public init(members: [PartnerMember]) { self.members = members }

  public static let notes: Notes = [
    "members": Note("In the order in which they came.", items: 0...PartnerMember.maxPerPartner)
  ]
}

/// Why a partner's people do not change.
public enum PartnerMemberFailure: String, FailureCode {
  /// Somebody must own the partner.
  case lastOwner = "last_partner_owner"
  /// It has as many people as a partner may.
  case tooMany = "too_many_partner_members"

  public var status: Int { 409 }
}

/// Lists the people of the caller's partner (REW-3).
public enum ListPartnerMembers: AccountOperation {
  public typealias Input = Empty
  public typealias Output = PartnerMembers

  public static let spec = OperationSpec(
    "partnerMembers.list", of: .rewards, .get("/v1/partners/own/members"), by: .partnerClerk, effect: .read,
    requirements: ["REW-3"], "List the people of the partner that you belong to.")
}

/// Gives an account a role at the caller's partner, or another role than it has (REW-3). It can leave at any time.
///
/// The answer says whether there is such an account, so calls are limited as searching for people is.
public enum AddPartnerMember: AccountOperation {
  /// Who, and what for.
  public struct Input: Document {
    /// The account's username.
    public var username: Username
    /// What it is to be.
    public var role: PartnerRole

    /// The input from its parts.
    public init(username: Username, role: PartnerRole) {
      self.username = username
      self.role = role
    }

    public static let notes: Notes = ["username": "The account's username.", "role": "What it is to be."]
  }

  public typealias Output = PartnerMembers

  public static let spec = OperationSpec(
    "partnerMembers.add", of: .rewards, .post("/v1/partners/own/members"), by: .partnerOwner, effect: .write, rate: .search,
    failures: [
      PartnerFailure.alreadyInPartner.kind, PartnerFailure.notApproved.kind, PartnerMemberFailure.lastOwner.kind,
      PartnerMemberFailure.tooMany.kind,
    ],
    requirements: ["REW-3"], "Make an account an owner or a clerk of your company.")
}

/// Takes an account its role at the caller's partner (REW-3).
public enum RemovePartnerMember: AccountOperation {
  /// Who.
  public struct Input: Document {
    /// The account.
    public var accountID: AccountID

    /// The input from its parts.
    public init(accountID: AccountID) { self.accountID = accountID }

    public static let notes: Notes = ["accountID": "The account."]
  }

  public typealias Output = PartnerMembers

  public static let spec = OperationSpec(
    "partnerMembers.remove", of: .rewards, .delete("/v1/partners/own/members/{accountID}"), by: .partnerOwner, effect: .write,
    failures: [RequestFailure.notFound.kind, PartnerMemberFailure.lastOwner.kind], requirements: ["REW-3"],
    "Take an account its role at your company.")
}

/// Leaves the partner that the account belongs to (REW-3). Once its last owner has left, its offers pause and administrators are told; one
/// that was never let in goes with the last of its people.
public enum LeavePartner: AccountOperation {
  public typealias Input = Empty
  public typealias Output = Empty

  public static let spec = OperationSpec(
    "partnerMembers.leave", of: .rewards, .post("/v1/partners/own/leave"), by: .partnerClerk, effect: .write,
    requirements: ["REW-3"], "Leave the partner that you belong to.")
}
