public import Operations

extension FeatureContract {
  static let teams = FeatureContract(
    operations: [CreateTeam.self, GetOwnTeam.self, UpdateTeam.self, LeaveTeam.self, HandOverTeam.self, RemoveTeamMember.self],
    events: [TeamMembershipChanged.self, TeamMemberLeft.self])
}

/// A team as its members see it: its members, their common score, and its rank among all teams (TEAM-1, TEAM-2).
public struct Team: Document, Hashable {
  public var id: ID<Team>
  public var name: TeamName
  /// Whether the reader is the owner, who may rename it, invite, remove members and hand it over.
  public var isOwner: Bool
  /// In the order in which they came, the reader among them.
  public var members: [TeamMember]
  public var createdAt: Instant
  /// All that was scored since it was created.
  public var allTime: TeamStanding
  /// What was scored since the present month began, in UTC.
  public var month: TeamStanding

  /// The team from its parts.
  public init(
    id: ID<Team>, name: TeamName, isOwner: Bool, members: [TeamMember], createdAt: Instant, allTime: TeamStanding,
    month: TeamStanding
  ) {
    self.id = id
    self.name = name
    self.isOwner = isOwner
    self.members = members
    self.createdAt = createdAt
    self.allTime = allTime
    self.month = month
  }

  public static let notes: Notes = [
    "id": "Id of the team.", "name": "Its name.",
    "isOwner": "Whether the caller owns it, and so may rename it, invite people, remove members and hand it over.",
    "members": "The members, including the caller, in the order in which they joined; at most 50.",
    "createdAt": "When it was created.",
    "allTime": "Score and rank since it was created.", "month": "Score and rank in the present month, in UTC.",
  ]
}

/// A member of a team, with names and photo only (TEAM-1), and without these if the member has blocked the reader (SOC-8).
public struct TeamMember: Document, Hashable {
  public var accountID: AccountID
  public var username: Username?
  public var nickname: String?
  public var photoURL: PhotoURL?
  public var isOwner: Bool
  public var joinedAt: Instant

  /// The member from its parts.
  public init(
    accountID: AccountID, username: Username?, nickname: String?, photoURL: PhotoURL?, isOwner: Bool, joinedAt: Instant
  ) {
    self.accountID = accountID
    self.username = username
    self.nickname = nickname
    self.photoURL = photoURL
    self.isOwner = isOwner
    self.joinedAt = joinedAt
  }

  public static let notes: Notes = [
    "accountID": "The member's account.", "username": "Its username; absent if it is not shown to the caller.",
    "nickname": "Its nickname, if it has one that the caller may see.",
    "photoURL": "Its photo, if it has one that the caller may see.",
    "isOwner": "Whether this member owns the team.",
    "joinedAt": "Since when the account is in the team.",
  ]
}

/// What a team is called: 1 to 50 characters on one line, blanks at the ends cut off (TEAM-1).
public struct TeamName: TextValue {
  /// As people count them.
  public static let maxCharacters = 50

  public let description: String

  public init(text: String) throws(FieldRule) {
    let trimmed = text.trimmed
    guard !trimmed.isEmpty else { throw FieldRule("empty") }
    if let rule = ShortText.brokenLength(trimmed, maximum: TeamName.maxCharacters) { throw rule }
    if ShortText.hasControl(trimmed) { throw FieldRule("control_character") }
    description = trimmed
  }

  private init(trusted: String) { description = trusted }

  public static let placeholder = TeamName(trusted: "-")

  /// JSON Schema counts code points where people count characters, so only the outer bound can be said there.
  public static let schema: JSON = [
    "type": "string", "minLength": 1, "maxLength": .integer(maxCharacters * ShortText.maxBytesPerCharacter),
    "examples": ["Early Birds"],
  ]
}

/// Why a team is not created or changed.
public enum TeamFailure: String, FailureCode {
  /// Who calls is in a team already, and an account is in one at most.
  case alreadyInTeam = "already_in_team"
  /// It has as many members as a team may have, or would have more.
  case full = "team_full"
  /// The owner can hand the team over or leave it, and not remove itself.
  case removalOfOneself = "team_removal_of_oneself"

  public var status: Int {
    switch self {
    case .alreadyInTeam, .full: 409
    case .removalOfOneself: 422
    }
  }
}

/// Creates a team with a name and its first members, who are all in it at once and can leave it (TEAM-1, B UC9).
///
/// If any of the users cannot be a member, nothing is created, and one answer names all of them by their position in `usernames`: unknown
/// users, members of other teams, and users who do not let others enrol them. The caller's own name and repetitions are ignored. Since an
/// answer reveals for up to fifty names whether there are such accounts, calls are limited like searches for people.
public enum CreateTeam: AccountOperation {
  /// What the person fills in.
  public struct Input: Form {
    /// Members of a team, who creates it included.
    public static let maxMembers = 50

    /// What the team is called.
    public var name: TeamName
    /// The members besides the caller.
    public var usernames: [Username]
    public var found = FoundProblems()

    private enum CodingKeys: String, CodingKey { case name, usernames }

    /// The input from its parts.
    public init(name: TeamName, usernames: [Username]) {
      self.name = name
      self.usernames = usernames
    }

    public static let notes: Notes = [
      "name": "The team's name: 1 to 50 characters.",
      "usernames": Note(
        "The usernames of the first members besides the caller: at most 49; the caller's own and repetitions are ignored.",
        items: 0...maxMembers, example: .array([.string("ben"), .string("eva")])),
    ]
  }

  public typealias Output = Team

  public static let spec = OperationSpec(
    "teams.create", of: .social, .post("/v1/teams"), by: .verifiedAccount, effect: .create, rate: .search,
    failures: [TeamFailure.alreadyInTeam.kind, TeamFailure.full.kind], requirements: ["TEAM-1"],
    "Creates a team owned by the caller, with other members by username; an account is in one team at most.")
}

/// The caller's own team with its members, score and rank; without a team, how to join one (TEAM-1, TEAM-2, B UC9, UC10).
public enum GetOwnTeam: AccountOperation {
  public typealias Input = Empty

  /// The team, if there is one.
  public struct Output: Document, Hashable {
    /// Absent where the account has no team.
    public var team: Team?
    /// What to do without a team, in the reader's language.
    public var hint: String?

    /// The answer from its parts.
    public init(team: Team?, hint: String?) {
      self.team = team
      self.hint = hint
    }

    public static let schemaName = "OwnTeam"

    public static let notes: Notes = [
      "team": "The caller's team; absent while the caller is in none.",
      "hint": "What the caller can do while in no team, in the caller's language; absent while in one.",
    ]
  }

  public static let spec = OperationSpec(
    "teams.getMine", of: .social, .get("/v1/teams/mine"), by: .account, effect: .read, requirements: ["TEAM-1", "TEAM-2"],
    "Returns the caller's team with its members, score and rank.")
}

/// Renames a team; its owner may (TEAM-1).
public enum UpdateTeam: AccountOperation {
  /// Which team, and its name.
  public struct Input: Document {
    /// The team.
    public var teamID: ID<Team>
    /// What it is to be called.
    public var name: Patch<TeamName>

    /// The input from its parts.
    public init(teamID: ID<Team>, name: Patch<TeamName>) {
      self.teamID = teamID
      self.name = name
    }

    public static let notes: Notes = ["teamID": "The caller's team.", "name": "Its new name: 1 to 50 characters."]
  }

  public typealias Output = Team

  public static let spec = OperationSpec(
    "teams.update", of: .social, .patch("/v1/teams/{teamID}"), by: .account, effect: .write, rate: .registered,
    failures: TeamReference.failures,
    requirements: ["TEAM-1"], "Renames a team that the caller owns.")
}

/// Leaves a team (TEAM-1). Where the owner leaves, the team is the longest member's; the last one to leave ends it. What was scored stays
/// with the team.
public enum LeaveTeam: AccountOperation {
  public typealias Input = TeamReference
  public typealias Output = Empty

  public static let spec = OperationSpec(
    "teams.leave", of: .social, .post("/v1/teams/{teamID}/leave"), by: .account, effect: .write, rate: .registered,
    failures: [RequestFailure.notFound.kind], requirements: ["TEAM-1"],
    """
    Leaves the caller's team. If the caller owns it, its longest-standing member becomes the owner; with its last member it \
    ends.
    """)
}

/// Hands a team over to another member; its owner may (TEAM-1).
public enum HandOverTeam: AccountOperation {
  public typealias Input = TeamMemberReference
  public typealias Output = Team

  public static let spec = OperationSpec(
    "teams.handOver", of: .social, .post("/v1/teams/{teamID}/members/{accountID}/hand-over"), by: .account, effect: .write,
    rate: .registered,
    failures: TeamReference.failures, requirements: ["TEAM-1"], "Hands the caller's team over to another of its members.")
}

/// Removes a member from a team; its owner may (TEAM-1). What the member scored stays with the team.
public enum RemoveTeamMember: AccountOperation {
  public typealias Input = TeamMemberReference
  public typealias Output = Team

  public static let spec = OperationSpec(
    "teamMembers.remove", of: .social, .delete("/v1/teams/{teamID}/members/{accountID}"), by: .account, effect: .write,
    rate: .registered,
    failures: TeamReference.failures + [TeamFailure.removalOfOneself.kind], requirements: ["TEAM-1"],
    "Removes a member from a team that the caller owns.")
}

/// Which team.
public struct TeamReference: Document {
  public var teamID: ID<Team>

  /// The input from its parts.
  public init(teamID: ID<Team>) { self.teamID = teamID }

  public static let notes: Notes = ["teamID": "The caller's team."]

  /// Only the owner may change a team; for accounts outside the team it does not exist.
  static let failures = [RequestFailure.notFound.kind, RequestFailure.forbidden.kind]
}

/// Which member of which team.
public struct TeamMemberReference: Document {
  public var teamID: ID<Team>
  public var accountID: AccountID

  /// The input from its parts.
  public init(teamID: ID<Team>, accountID: AccountID) {
    self.teamID = teamID
    self.accountID = accountID
  }

  public static let notes: Notes = ["teamID": "The caller's team.", "accountID": "The member's account."]
}

// MARK: - Events

/// An account's membership of a team has begun, changed or ended (TEAM-1): its whole current state.
///
/// It names that account alone, so that it outlives the other members. A subscriber keeps the event with the highest ``revision`` of an
/// account and ignores older ones.
public struct TeamMembershipChanged: Event, Hashable {
  public var accountID: AccountID
  public var teamID: ID<Team>
  /// Nil where the team has ended since.
  public var teamName: TeamName?
  public var isMember: Bool
  public var isOwner: Bool
  public var change: TeamMembershipChange
  public var revision: Int
  public var at: Instant

  /// The event from its parts.
  public init(
    accountID: AccountID, teamID: ID<Team>, teamName: TeamName?, isMember: Bool, isOwner: Bool, change: TeamMembershipChange,
    revision: Int, at: Instant
  ) {
    self.accountID = accountID
    self.teamID = teamID
    self.teamName = teamName
    self.isMember = isMember
    self.isOwner = isOwner
    self.change = change
    self.revision = revision
    self.at = at
  }

  public static let notes: Notes = [
    "accountID": "The account that receives the event.", "teamID": "The team; the last one if the account is no longer in any.",
    "teamName": "The team's name; absent if it has ended.", "isMember": "Whether the account is in the team.",
    "isOwner": "Whether the account owns the team.", "change": "The latest change.",
    "revision": "Of two states of an account, the one with the higher revision is the later.", "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "teamMemberships.changed", by: .social, requirements: ["TEAM-1"],
    "An account joined or left a team, or its role in it changed; one event for each account.")
}

/// A member left a team by its own wish: the team's owner is notified (TEAM-1, NOT-5).
public struct TeamMemberLeft: Event, Hashable {
  /// The owner's.
  public var accountID: AccountID
  public var noticeID: ID<TeamMemberLeft>
  public var teamID: ID<Team>
  public var teamName: TeamName
  public var memberAccountID: AccountID
  public var memberUsername: Username
  public var at: Instant

  /// The event from its parts.
  public init(
    accountID: AccountID, noticeID: ID<TeamMemberLeft>, teamID: ID<Team>, teamName: TeamName, memberAccountID: AccountID,
    memberUsername: Username, at: Instant
  ) {
    self.accountID = accountID
    self.noticeID = noticeID
    self.teamID = teamID
    self.teamName = teamName
    self.memberAccountID = memberAccountID
    self.memberUsername = memberUsername
    self.at = at
  }

  public static let notes: Notes = [
    "accountID": "The account that receives the event: the team's owner.", "noticeID": "Id of the notice.", "teamID": "The team.",
    "teamName": "The team's name.", "memberAccountID": "The account that left.", "memberUsername": "Its username.",
    "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "teamMembers.left", by: .social, requirements: ["TEAM-1", "NOT-5"], "A member left a team by their own choice.")
}

/// What happened last to an account's part in a team.
public enum TeamMembershipChange: String, Choice {
  /// It created the team.
  case created
  /// Named by the team's creator when the team was created.
  case added
  /// It accepted an invitation.
  case joined
  /// The team is its own now: by the owner's wish, or since the owner left or was deleted.
  case madeOwner
  /// It handed the team over and is a member still.
  case handedOver
  /// The team is called otherwise now.
  case renamed
  /// It left by its own wish.
  case left
  /// The owner removed it.
  case removed
}
