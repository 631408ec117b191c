public import ActivityContract
public import Operations

extension FeatureContract {
  static let friendChallenges = FeatureContract(
    operations: [
      SendFriendChallenge.self, ListFriendChallenges.self, GetFriendChallenge.self, AcceptFriendChallenge.self,
      RejectFriendChallenge.self, WithdrawFriendChallenge.self, EndFriendChallenge.self,
    ],
    events: [FriendChallengeChanged.self, FriendChallengeAccepted.self])
}

/// A challenge from one friend to another, to one of the sender's activities, as one of the two sees it (SOC-6).
public struct FriendChallenge: Document, Hashable {
  /// Names the challenge.
  public var id: ID<FriendChallenge>
  /// Whether it was received or sent.
  public var direction: ConnectionRequestDirection
  /// The account on the other end.
  public var accountID: AccountID
  /// Its username.
  public var username: Username
  /// Its nickname, if it has one.
  public var nickname: String?
  /// Where its photo is, if it has one.
  public var photoURL: PhotoURL?
  /// What became of it.
  public var state: FriendChallengeState
  /// When it was sent.
  public var sentAt: Instant
  /// When it was accepted, rejected or withdrawn.
  public var answeredAt: Instant?
  /// When it ended.
  public var endedAt: Instant?
  /// The activity as it was when the challenge was sent.
  public var activity: ChallengeActivity
  /// The caller's own activity: the one of the challenge that it sent, or the one that it got by accepting.
  public var activityID: ActivityID?
  /// The caller's streak in it, while the challenge goes on; nil until it is known.
  public var ownStreak: Streak?
  /// The other account's streak in it, while the challenge goes on; nil until it is known.
  public var otherStreak: Streak?

  /// The challenge as the account that has `accountID` on its other end sees it.
  public init(
    id: ID<FriendChallenge>, direction: ConnectionRequestDirection, accountID: AccountID, username: Username, nickname: String?,
    photoURL: PhotoURL?, state: FriendChallengeState, sentAt: Instant, answeredAt: Instant?, endedAt: Instant?,
    activity: ChallengeActivity, activityID: ActivityID?, ownStreak: Streak?, otherStreak: Streak?
  ) {
    self.id = id
    self.direction = direction
    self.accountID = accountID
    self.username = username
    self.nickname = nickname
    self.photoURL = photoURL
    self.state = state
    self.sentAt = sentAt
    self.answeredAt = answeredAt
    self.endedAt = endedAt
    self.activity = activity
    self.activityID = activityID
    self.ownStreak = ownStreak
    self.otherStreak = otherStreak
  }

  public static let notes: Notes = [
    "id": "Id of the challenge.", "direction": "Whether it was received or sent.", "accountID": "The account on the other end.",
    "username": "Its username.", "nickname": "Its nickname, if it has one.", "photoURL": "Its photo, if it has one.",
    "state": """
    `pending`: not answered; `accepted`: active; `rejected`; `withdrawn`: by its sender; `ended`: by one of the two, with the \
    friendship, or with one of the two activities.
    """,
    "sentAt": "When it was sent.", "answeredAt": "When it was accepted, rejected or withdrawn.", "endedAt": "When it ended.",
    "activity": "The activity as it was when the challenge was sent.",
    "activityID": "The caller's own activity: the one that the challenge is about, or the one added by accepting.",
    "ownStreak":
      "The caller's streak of it while the challenge is active; absent until it is known, a few seconds after accepting.",
    "otherStreak": "The other account's streak of it while the challenge is active; absent until it is known.",
  ]
}

/// What became of a challenge.
public enum FriendChallengeState: String, Choice {
  /// It waits for an answer.
  case pending
  /// Both keep the activity, and see both streaks.
  case accepted
  case rejected
  /// By who sent it, before it was answered.
  case withdrawn
  /// By one of the two, with the friendship, or with one of the two activities.
  case ended
}

/// Why a challenge cannot be sent or answered; see ``MessageFailure`` and `ActivityFailure` too.
public enum FriendChallengeFailure: String, FailureCode {
  /// One of the same activity waits with the same friend, or is accepted.
  case alreadySent = "challenge_already_sent"
  /// As many are waiting or accepted as one account may have sent.
  case tooMany = "too_many_challenges"
  /// As many were sent within a day as one account may send.
  case tooManyToday = "too_many_challenges_today"
  /// It was answered or withdrawn otherwise.
  case answered = "challenge_answered"
  /// It was never accepted, so there is nothing to end.
  case notAccepted = "challenge_not_accepted"
  /// The activity is gone, or its last day is over.
  case over = "challenge_over"

  public var status: Int { self == .tooManyToday ? 429 : 409 }
}

/// Challenges a friend to one of the caller's activities (SOC-6, H CU-17).
public enum SendFriendChallenge: AccountOperation {
  /// Whom, and to what.
  public struct Input: Document {
    /// The friend.
    public var accountID: AccountID?
    /// The caller's own activity.
    public var activityID: ActivityID?

    /// The input from its parts.
    public init(accountID: AccountID?, activityID: ActivityID?) {
      self.accountID = accountID
      self.activityID = activityID
    }

    public static let notes: Notes = [
      "accountID": "The friend's account; required.",
      "activityID": "The caller's activity; required.",
    ]

    public func check(_ fields: inout FieldChecks) {
      fields.expect(accountID != nil, "accountID", FieldRule("no_friend_chosen"))
      fields.expect(activityID != nil, "activityID", FieldRule("no_activity_chosen"))
    }
  }

  public typealias Output = FriendChallenge

  public static let spec = OperationSpec(
    "friendChallenges.send", of: .social, .post("/v1/friend-challenges"), by: .verifiedAccount, effect: .create,
    failures: [
      MessageFailure.notFriends.kind, ActivityFailure.notFound.kind, ActivityFailure.archived.kind,
      ChallengeActivityFailure.over.kind, FriendChallengeFailure.alreadySent.kind, FriendChallengeFailure.tooMany.kind,
      FriendChallengeFailure.tooManyToday.kind,
    ],
    requirements: ["SOC-6"],
    """
    Challenges a friend to one of the caller's activities; at most 1,000 sent challenges may be pending or accepted, and at \
    most 50 can be sent a day.
    """)
}

/// The challenges that an account has received and sent, newest first (SOC-6, H CU-18 to CU-20).
public enum ListFriendChallenges: AccountOperation {
  /// Which of them.
  public struct Input: ListInput {
    /// Only those received, or only those sent.
    public var direction: ConnectionRequestDirection?
    /// Only those in this state.
    public var state: FriendChallengeState?
    public var limit: Int?
    public var cursor: PageCursor?

    /// The input from its parts.
    public init(
      direction: ConnectionRequestDirection? = nil, state: FriendChallengeState? = nil, limit: Int? = nil,
      cursor: PageCursor? = nil
    ) {
      self.direction = direction
      self.state = state
      self.limit = limit
      self.cursor = cursor
    }

    public static let notes = listNotes([
      "direction": """
      Only those received, or only those sent. Without it and `state`: those that the caller has received and accepted, which a \
      person sees first.
      """,
      "state": "Only those in this state.",
    ])
  }

  public typealias Output = Page<FriendChallenge>

  public static let spec = OperationSpec(
    "friendChallenges.list", of: .social, .get("/v1/friend-challenges"), by: .account, effect: .read,
    requirements: ["SOC-6"],
    "Lists challenges, newest first: those that the caller has accepted, or those received, sent, or in a state.")
}

/// Shows one challenge of the caller (SOC-6).
public enum GetFriendChallenge: AccountOperation {
  public typealias Input = FriendChallengeName
  public typealias Output = FriendChallenge

  public static let spec = OperationSpec(
    "friendChallenges.get", of: .social, .get("/v1/friend-challenges/{friendChallengeID}"), by: .account, effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["SOC-6"],
    "Returns a challenge that the caller has received or sent.")
}

/// Accepts a challenge received: its activity becomes the caller's own too, once (SOC-6, H CU-21). Accepting it again changes nothing.
public enum AcceptFriendChallenge: AccountOperation {
  public typealias Input = FriendChallengeName
  public typealias Output = FriendChallenge

  public static let spec = OperationSpec(
    "friendChallenges.accept", of: .social, .post("/v1/friend-challenges/{friendChallengeID}/accept"), by: .verifiedAccount,
    effect: .write,
    failures: FriendChallengeName.failures + [
      FriendChallengeFailure.answered.kind, FriendChallengeFailure.over.kind, ActivityFailure.tooMany.kind,
    ],
    requirements: ["SOC-6"], "Accepts a challenge that the caller has received: its activity is added to the caller's.")
}

/// Rejects a challenge received (SOC-6, H CU-21). Who sent it sees its state and is not notified; it may challenge again.
public enum RejectFriendChallenge: AccountOperation {
  public typealias Input = FriendChallengeName
  public typealias Output = FriendChallenge

  public static let spec = OperationSpec(
    "friendChallenges.reject", of: .social, .post("/v1/friend-challenges/{friendChallengeID}/reject"), by: .account,
    effect: .write, failures: FriendChallengeName.failures + [FriendChallengeFailure.answered.kind], requirements: ["SOC-6"],
    "Rejects a challenge that the caller has received.")
}

/// Takes back a challenge that was not answered yet (SOC-6).
public enum WithdrawFriendChallenge: AccountOperation {
  public typealias Input = FriendChallengeName
  public typealias Output = FriendChallenge

  public static let spec = OperationSpec(
    "friendChallenges.withdraw", of: .social, .post("/v1/friend-challenges/{friendChallengeID}/withdraw"), by: .account,
    effect: .write, failures: FriendChallengeName.failures + [FriendChallengeFailure.answered.kind], requirements: ["SOC-6"],
    "Withdraws a challenge that the caller has sent, before it is answered.")
}

/// Ends an accepted challenge for both (SOC-6): neither sees the other's streak any more, and both keep their activities.
public enum EndFriendChallenge: AccountOperation {
  public typealias Input = FriendChallengeName
  public typealias Output = FriendChallenge

  public static let spec = OperationSpec(
    "friendChallenges.end", of: .social, .post("/v1/friend-challenges/{friendChallengeID}/end"), by: .account, effect: .write,
    failures: [RequestFailure.notFound.kind, FriendChallengeFailure.notAccepted.kind], requirements: ["SOC-6"],
    "Ends an accepted challenge for both accounts; the activities stay.")
}

/// Which challenge.
public struct FriendChallengeName: Document {
  /// Names the challenge.
  public var friendChallengeID: ID<FriendChallenge>

  /// The input from its parts.
  public init(friendChallengeID: ID<FriendChallenge>) { self.friendChallengeID = friendChallengeID }

  public static let notes: Notes = ["friendChallengeID": "The challenge."]

  /// Only the addressee answers, and only the sender withdraws; to third accounts the challenge does not exist.
  static let failures = [RequestFailure.notFound.kind, RequestFailure.forbidden.kind]
}

// MARK: - Events

/// A challenge is now in this state: published for each of its two accounts apart (SOC-6).
public struct FriendChallengeChanged: Event, Hashable {
  public var friendChallengeID: ID<FriendChallenge>
  public var accountID: AccountID
  public var direction: ConnectionRequestDirection
  public var otherAccountID: AccountID
  public var otherUsername: Username
  public var activityTitle: String
  public var activityID: ActivityID?
  public var state: FriendChallengeState
  public var revision: Int
  public var at: Instant

  /// The event from its parts.
  public init(
    friendChallengeID: ID<FriendChallenge>, accountID: AccountID, direction: ConnectionRequestDirection,
    otherAccountID: AccountID, otherUsername: Username, activityTitle: String, activityID: ActivityID?,
    state: FriendChallengeState, revision: Int, at: Instant
  ) {
    self.friendChallengeID = friendChallengeID
    self.accountID = accountID
    self.direction = direction
    self.otherAccountID = otherAccountID
    self.otherUsername = otherUsername
    self.activityTitle = activityTitle
    self.activityID = activityID
    self.state = state
    self.revision = revision
    self.at = at
  }

  public static let notes: Notes = [
    "friendChallengeID": "The challenge.", "accountID": "The account that receives the event.",
    "direction": "Whether that account has received or sent it.",
    "otherAccountID": "The account on the other end.", "otherUsername": "Its username at that time.",
    "activityTitle": "The activity's title.", "activityID": "The account's own activity; absent if it has none.",
    "state": "The state of the challenge.", "revision": "Of two states, the one with the higher revision is the later.",
    "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "friendChallenges.changed", by: .social, requirements: ["SOC-6"],
    "A challenge was sent, accepted, rejected, withdrawn or ended; one event for each of the two.")
}

/// An account accepted a challenge and got this activity as its own; published once. It names no other account, and so outlives the
/// challenger (SOC-6).
public struct FriendChallengeAccepted: Event, Hashable {
  public var friendChallengeID: ID<FriendChallenge>
  public var accountID: AccountID
  public var activityID: ActivityID
  public var activity: ChallengeActivity
  public var at: Instant

  /// The event from its parts.
  public init(
    friendChallengeID: ID<FriendChallenge>, accountID: AccountID, activityID: ActivityID, activity: ChallengeActivity, at: Instant
  ) {
    self.friendChallengeID = friendChallengeID
    self.accountID = accountID
    self.activityID = activityID
    self.activity = activity
    self.at = at
  }

  public static let notes: Notes = [
    "friendChallengeID": "The challenge.", "accountID": "The account that accepted.",
    "activityID": "Id of the activity to be created.",
    "activity": "The activity to be created, with the first day that was decided.", "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "friendChallenges.accepted", by: .social, requirements: ["SOC-6"],
    "An account accepted a challenge, whose activity becomes its own.")
}
