public import Operations

extension FeatureContract {
  static let badges = FeatureContract(
    operations: [
      ListBadges.self, ListFriendsBadges.self, GetBadgeVisibility.self, SetBadgeVisibility.self, GetBadgeProfilePart.self,
    ],
    events: [BadgeAwarded.self])
}

/// A badge that an account was awarded (REW-7, REW-8).
public struct Badge: Document, Hashable {
  /// The challenge or achievement of the badge.
  public var challengeID: ChallengeID
  /// The badge's name, in the caller's language.
  public var name: String
  /// What it is for, in the caller's language.
  public var description: String
  /// The badge's picture.
  public var icon: BadgeIcon
  /// For an achievement: the highest tier that was reached.
  public var tier: ChallengeTier?
  /// When the badge was awarded; for an achievement: when that tier was reached.
  public var awardedAt: Instant

  /// The badge from its parts.
  public init(challengeID: ChallengeID, text: ChallengeText, icon: BadgeIcon, tier: ChallengeTier?, awardedAt: Instant) {
    self.challengeID = challengeID
    name = text.badge
    description = text.description
    self.icon = icon
    self.tier = tier
    self.awardedAt = awardedAt
  }

  public static let notes: Notes = [
    "challengeID": "The challenge or the achievement that it is for.", "name": "Its name, in the caller's language.",
    "description": "A description, in the caller's language.", "icon": "The name of its picture.",
    "tier": "For an achievement: the highest tier that was reached.",
    "awardedAt": "When it was awarded; for an achievement, when that tier was reached.",
  ]
}

/// Who sees an account's badges besides the account itself (REW-7).
public struct BadgeVisibility: Document, Hashable {
  /// Whether friends see them.
  public var isVisibleToFriends: Bool
  /// Whether the public profile page shows them.
  public var isVisibleOnPublicProfile: Bool

  /// The choice from its parts.
  public init(isVisibleToFriends: Bool = false, isVisibleOnPublicProfile: Bool = false) {
    self.isVisibleToFriends = isVisibleToFriends
    self.isVisibleOnPublicProfile = isVisibleOnPublicProfile
  }

  public static let notes: Notes = [
    "isVisibleToFriends": "Whether the caller's friends see the caller's badges; off by default.",
    "isVisibleOnPublicProfile": "Whether the caller's public profile shows them to anyone who has its link; off by default.",
  ]
}

/// Lists the account's own badges, as its profile shows them, newest first (REW-7, REW-8; E UC-06, step 8).
public enum ListBadges: AccountOperation {
  public typealias Input = Empty
  /// All on one page: there are no more than challenges and achievements.
  public typealias Output = Page<Badge>

  public static let spec = OperationSpec(
    "badges.list", of: .rewards, .get("/v1/badges"), by: .account, effect: .read, requirements: ["REW-7", "REW-8"],
    "Lists the caller's badges, newest first.")
}

/// Lists a friend's badges, newest first; empty where the friend does not show them (REW-7). Callers who are not friends are told that the
/// account does not exist.
public enum ListFriendsBadges: AccountOperation {
  /// Whose badges.
  public struct Input: Document {
    /// The friend's account.
    public var accountID: AccountID

    /// The input from its parts.
    public init(accountID: AccountID) { self.accountID = accountID }

    public static let notes: Notes = ["accountID": "The friend's account."]
  }

  /// All on one page.
  public typealias Output = Page<Badge>

  public static let spec = OperationSpec(
    "badges.listOfFriend", of: .rewards, .get("/v1/accounts/{accountID}/badges"), by: .account, effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["REW-7", "REW-8"],
    "Lists a friend's badges, newest first, if the friend shows them.")
}

/// Returns who sees the account's badges (REW-7).
public enum GetBadgeVisibility: AccountOperation {
  public typealias Input = Empty
  public typealias Output = BadgeVisibility

  public static let spec = OperationSpec(
    "badges.getVisibility", of: .rewards, .get("/v1/badges/visibility"), by: .account, effect: .read, requirements: ["REW-7"],
    "Returns to whom the caller's badges are shown.")
}

/// Sets who sees the account's badges (REW-7).
public enum SetBadgeVisibility: AccountOperation {
  public typealias Input = BadgeVisibility
  public typealias Output = BadgeVisibility

  public static let spec = OperationSpec(
    "badges.setVisibility", of: .rewards, .put("/v1/badges/visibility"), by: .account, effect: .write, requirements: ["REW-7"],
    "Sets to whom the caller's badges are shown: to friends, on the public profile.")
}

/// Returns the part of a public profile page that shows an account's badges, if the account has chosen to show them there (REW-7).
public enum GetBadgeProfilePart: ProfilePartOperation {
  public typealias Input = ProfilePartInput
  public typealias Output = ProfilePart

  public static let spec = OperationSpec(
    "badges.getProfilePart", of: .rewards, nil, by: .services([.gateway]), effect: .read, requirements: ["REW-7"],
    "Returns the badges that the page of an account's public profile shows.")
}

// MARK: - Events

/// An account was awarded a badge: for a challenge, or for a tier of an achievement (REW-7, REW-8).
public struct BadgeAwarded: Event, Hashable {
  /// The account that was awarded the badge.
  public var accountID: AccountID
  /// For which challenge or achievement.
  public var challengeID: ChallengeID
  /// The completion that it is for.
  public var completionID: ID<CompletedChallenge>
  /// Of an achievement: the tier.
  public var tier: ChallengeTier?
  /// What the badge is called.
  public var texts: ChallengeTexts
  /// Its picture.
  public var icon: BadgeIcon
  /// When.
  public var at: Instant

  /// The event from its parts.
  public init(
    accountID: AccountID, challengeID: ChallengeID, completionID: ID<CompletedChallenge>, tier: ChallengeTier?,
    texts: ChallengeTexts, icon: BadgeIcon, at: Instant
  ) {
    self.accountID = accountID
    self.challengeID = challengeID
    self.completionID = completionID
    self.tier = tier
    self.texts = texts
    self.icon = icon
    self.at = at
  }

  public static let notes: Notes = [
    "accountID": "The account.", "challengeID": "The challenge or achievement that it is for.",
    "completionID": "The completion that it is for.",
    "tier": "For an achievement: the tier.", "texts": "The name of the badge.", "icon": "Its picture.", "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "badges.awarded", by: .rewards, requirements: ["REW-7", "REW-8"],
    "An account was awarded a badge, for a challenge or a tier of an achievement.")
}
