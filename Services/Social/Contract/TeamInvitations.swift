public import Operations

extension FeatureContract {
  static let teamInvitations = FeatureContract(
    operations: [
      SendTeamInvitation.self, ListTeamInvitations.self, AcceptTeamInvitation.self, RejectTeamInvitation.self,
      WithdrawTeamInvitation.self,
    ],
    events: [TeamInvitationChanged.self])
}

/// An invitation to join a team, as its two sides see it: the invited account, and the team's owner (TEAM-1).
public struct TeamInvitation: Document, Hashable {
  public var id: ID<TeamInvitation>
  public var direction: ConnectionRequestDirection
  public var teamID: ID<Team>
  public var teamName: TeamName
  public var memberCount: Int
  public var accountID: AccountID
  public var username: Username
  public var nickname: String?
  public var photoURL: PhotoURL?
  public var state: ConnectionRequestState
  public var sentAt: Instant
  public var answeredAt: Instant?

  /// The invitation as the account that has `accountID` on its other end sees it.
  public init(
    id: ID<TeamInvitation>, direction: ConnectionRequestDirection, teamID: ID<Team>, teamName: TeamName, memberCount: Int,
    accountID: AccountID, username: Username, nickname: String?, photoURL: PhotoURL?, state: ConnectionRequestState,
    sentAt: Instant, answeredAt: Instant?
  ) {
    self.id = id
    self.direction = direction
    self.teamID = teamID
    self.teamName = teamName
    self.memberCount = memberCount
    self.accountID = accountID
    self.username = username
    self.nickname = nickname
    self.photoURL = photoURL
    self.state = state
    self.sentAt = sentAt
    self.answeredAt = answeredAt
  }

  public static let notes: Notes = [
    "id": "Id of the invitation.", "direction": "Whether the caller has received it, or the caller's team has sent it.",
    "teamID": "The team.",
    "teamName": "Its name.",
    "memberCount": Note("The number of members.", range: 1...Double(CreateTeam.Input.maxMembers)),
    "accountID": "The account on the other end: the one that has sent it, or that was invited.", "username": "Its username.",
    "nickname": "Its nickname, if it has one.", "photoURL": "Its photo, if it has one.",
    "state": "The state of the invitation.", "sentAt": "When it was sent.",
    "answeredAt": "When it was accepted, rejected or withdrawn, or when it expired.",
  ]
}

/// Why an account cannot be invited to a team, or an invitation cannot be answered; see ``TeamFailure`` and ``ConnectionRequestFailure``
/// too.
public enum TeamInvitationFailure: String, FailureCode {
  /// The invited account is in a team already, this one or another.
  case userInTeam = "user_in_team"
  /// One to the same account waits.
  case pending = "team_invitation_pending"
  /// It was accepted or rejected.
  case answered = "team_invitation_answered"
  /// It was withdrawn, or expired without an answer.
  case ended = "team_invitation_ended"
  /// As many wait as a team may have.
  case tooMany = "too_many_team_invitations"

  public var status: Int { 409 }
}

/// Invites an account to a team; its owner may (TEAM-1).
public enum SendTeamInvitation: AccountOperation {
  /// To which team, and whom.
  public struct Input: Document {
    public var teamID: ID<Team>
    public var username: Username

    /// The input from its parts.
    public init(teamID: ID<Team>, username: Username) {
      self.teamID = teamID
      self.username = username
    }

    public static let notes: Notes = ["teamID": "The caller's team.", "username": "The username of the account to invite."]
  }

  public typealias Output = TeamInvitation

  public static let spec = OperationSpec(
    "teamInvitations.send", of: .social, .post("/v1/teams/{teamID}/invitations"), by: .verifiedAccount, effect: .create,
    failures: TeamReference.failures + [
      ConnectionRequestFailure.unknownUser.kind, ConnectionRequestFailure.askedTooOften.kind,
      BlockFailure.blockedByYou.kind, TeamFailure.full.kind,
      TeamInvitationFailure.userInTeam.kind, TeamInvitationFailure.pending.kind, TeamInvitationFailure.tooMany.kind,
    ],
    requirements: ["TEAM-1"], "Invites somebody to a team that the caller owns; at most 100 invitations of it may be pending.")
}

/// The invitations that an account has received, and those that the team which it owns has sent, newest first (TEAM-1).
public enum ListTeamInvitations: AccountOperation {
  public typealias Input = ConnectionRequestFilter
  public typealias Output = Page<TeamInvitation>

  public static let spec = OperationSpec(
    "teamInvitations.list", of: .social, .get("/v1/team-invitations"), by: .account, effect: .read, requirements: ["TEAM-1"],
    "Lists the invitations that the caller has received and those that the caller's team has sent, newest first.")
}

/// Accepts an invitation: the account is in the team from then on (TEAM-1). Accepting it again changes nothing.
public enum AcceptTeamInvitation: AccountOperation {
  public typealias Input = AnswerTeamInvitation
  public typealias Output = TeamInvitation

  public static let spec = OperationSpec(
    "teamInvitations.accept", of: .social, .post("/v1/team-invitations/{teamInvitationID}/accept"), by: .verifiedAccount,
    effect: .write, rate: .registered,
    failures: AnswerTeamInvitation.failures + [TeamFailure.alreadyInTeam.kind, TeamFailure.full.kind],
    requirements: ["TEAM-1"], "Accepts an invitation to a team; the caller must be in none.")
}

/// Rejects an invitation (TEAM-1). Who sent it sees its state and is not notified; the team may invite again.
public enum RejectTeamInvitation: AccountOperation {
  public typealias Input = AnswerTeamInvitation
  public typealias Output = TeamInvitation

  public static let spec = OperationSpec(
    "teamInvitations.reject", of: .social, .post("/v1/team-invitations/{teamInvitationID}/reject"), by: .account, effect: .write,
    failures: AnswerTeamInvitation.failures, requirements: ["TEAM-1"], "Rejects an invitation to a team.")
}

/// Withdraws a pending invitation, by the team's owner (TEAM-1). The invited account sees its state and is not notified.
public enum WithdrawTeamInvitation: AccountOperation {
  public typealias Input = AnswerTeamInvitation
  public typealias Output = TeamInvitation

  public static let spec = OperationSpec(
    "teamInvitations.withdraw", of: .social, .post("/v1/team-invitations/{teamInvitationID}/withdraw"), by: .account,
    effect: .write, failures: AnswerTeamInvitation.failures, requirements: ["TEAM-1"],
    "Withdraws an invitation to a team that the caller owns.")
}

/// Which invitation is answered, or withdrawn.
public struct AnswerTeamInvitation: Document {
  public var teamInvitationID: ID<TeamInvitation>

  /// The input from its parts.
  public init(teamInvitationID: ID<TeamInvitation>) { self.teamInvitationID = teamInvitationID }

  public static let notes: Notes = ["teamInvitationID": "The invitation."]

  /// Only the invited account may answer, and only the owner may withdraw; for other accounts the invitation does not exist.
  static let failures = [
    RequestFailure.notFound.kind, RequestFailure.forbidden.kind, TeamInvitationFailure.answered.kind,
    TeamInvitationFailure.ended.kind,
  ]
}

// MARK: - Events

/// The state of an invitation to a team has changed: published separately for the invited account and for the sender (TEAM-1).
public struct TeamInvitationChanged: Event, Hashable {
  public var teamInvitationID: ID<TeamInvitation>
  public var accountID: AccountID
  public var direction: ConnectionRequestDirection
  public var otherAccountID: AccountID
  public var otherUsername: Username
  public var teamID: ID<Team>
  public var teamName: TeamName
  public var state: ConnectionRequestState
  public var revision: Int
  public var at: Instant

  /// The event from its parts.
  public init(
    teamInvitationID: ID<TeamInvitation>, accountID: AccountID, direction: ConnectionRequestDirection,
    otherAccountID: AccountID, otherUsername: Username, teamID: ID<Team>, teamName: TeamName, state: ConnectionRequestState,
    revision: Int, at: Instant
  ) {
    self.teamInvitationID = teamInvitationID
    self.accountID = accountID
    self.direction = direction
    self.otherAccountID = otherAccountID
    self.otherUsername = otherUsername
    self.teamID = teamID
    self.teamName = teamName
    self.state = state
    self.revision = revision
    self.at = at
  }

  public static let notes: Notes = [
    "teamInvitationID": "The invitation.", "accountID": "The account that receives the event.",
    "direction": "Whether it has received or sent the invitation.", "otherAccountID": "The account on the other end.",
    "otherUsername": "Its username at that time.", "teamID": "The team.", "teamName": "Its name.",
    "state": "The state of the invitation.",
    "revision": "Of two states, the one with the higher revision is the later.", "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "teamInvitations.changed", by: .social, requirements: ["TEAM-1"],
    "An invitation to a team was sent, accepted, rejected, withdrawn, or expired; one event for each of the two.")
}
