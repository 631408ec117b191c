public import Operations

extension FeatureContract {
  static let challenges = FeatureContract(
    operations: [ListChallenges.self, ListCompletedChallenges.self],
    events: [ChallengeCompleted.self, ChallengeCompletionReversed.self])
}

/// A challenge that is open to the account, and the account's progress in it (REW-7).
public struct Challenge: Document, Hashable {
  /// Names the challenge.
  public var id: ChallengeID
  /// Its title, in the caller's language.
  public var title: String
  /// What is to be done, in the caller's language.
  public var description: String
  /// What is counted.
  public var metric: ChallengeMetric
  /// The window in which it is counted.
  public var window: ChallengeWindow
  /// The first day of the present window; nil where it has none.
  public var from: LocalDay?
  /// The last day of the present window; nil where it has none.
  public var to: LocalDay?
  /// How much completes it.
  public var threshold: Int
  /// The account's count in the present window.
  public var progress: Int
  /// How much is missing.
  public var remaining: Int
  /// What is missing, in words, such as `2,500 steps remaining` (E UC-06, AF-01).
  public var remainingText: String
  /// The coins that a completion pays.
  public var coins: Int
  /// The badge's name.
  public var badge: String
  /// The badge's picture.
  public var icon: BadgeIcon

  /// The challenge from its parts.
  public init(
    id: ChallengeID, text: ChallengeText, metric: ChallengeMetric, window: ChallengeWindow, from: LocalDay?, to: LocalDay?,
    threshold: Int, progress: Int, remainingText: String, coins: Int, icon: BadgeIcon
  ) {
    self.id = id
    title = text.title
    description = text.description
    self.metric = metric
    self.window = window
    self.from = from
    self.to = to
    self.threshold = threshold
    self.progress = progress
    remaining = max(0, threshold - progress)
    self.remainingText = remainingText
    self.coins = coins
    badge = text.badge
    self.icon = icon
  }

  public static let notes: Notes = [
    "id": "Its id.", "title": "Its title, in the caller's language.",
    "description": "What is to be done, in the caller's language.",
    "metric": "What is counted.", "window": "The window of time.",
    "from": "The first day of the present window; absent if it has none.",
    "to": "The last day of the present window; absent if it has none.",
    "threshold": Note("The threshold that completes it.", example: 10_000),
    "progress": Note("The progress in the present window.", example: 7500),
    "remaining": Note("What is missing.", example: 2500),
    "remainingText": Note("What is missing, in words.", example: "2,500 steps remaining"),
    "coins": Note("The coins that completing it pays.", example: 20), "badge": "The name of its badge, in the caller's language.",
    "icon": "The name of the badge's picture.",
  ]
}

/// A challenge that the account has completed (REW-7).
public struct CompletedChallenge: Document, Hashable {
  /// Names the challenge.
  public var id: ChallengeID
  /// Its title, in the caller's language.
  public var title: String
  /// What was to be done, in the caller's language.
  public var description: String
  /// When it was completed.
  public var completedAt: Instant
  /// The coins that it paid.
  public var coins: Int
  /// The badge's name.
  public var badge: String
  /// The badge's picture.
  public var icon: BadgeIcon

  /// The challenge from its parts.
  public init(id: ChallengeID, text: ChallengeText, completedAt: Instant, coins: Int, icon: BadgeIcon) {
    self.id = id
    title = text.title
    description = text.description
    self.completedAt = completedAt
    self.coins = coins
    badge = text.badge
    self.icon = icon
  }

  public static let notes: Notes = [
    "id": "Its id.", "title": "Its title, in the caller's language.",
    "description": "What was to be done, in the caller's language.",
    "completedAt": "When it was completed.",
    "coins": Note("The coins that it paid: none for movement before the time for which coins are paid.", example: 20),
    "badge": "The name of its badge, in the caller's language.", "icon": "The name of the badge's picture.",
  ]
}

/// Lists the challenges that are open to the account, with progress and remaining amount (REW-7; E UC-06).
public enum ListChallenges: AccountOperation {
  public typealias Input = Empty
  /// Those nearest to completion first, all on one page.
  public typealias Output = Page<Challenge>

  public static let spec = OperationSpec(
    "challenges.list", of: .rewards, .get("/v1/challenges"), by: .account, effect: .read, requirements: ["REW-7"],
    """
    Lists the challenges that are open to the caller, with the progress and what remains; those nearest to completion come \
    first.
    """)
}

/// Lists the challenges that the account has completed, newest first (REW-7).
public enum ListCompletedChallenges: AccountOperation {
  public typealias Input = Empty
  /// All on one page: there are no more than challenges.
  public typealias Output = Page<CompletedChallenge>

  public static let spec = OperationSpec(
    "challenges.listCompleted", of: .rewards, .get("/v1/challenges/completed"), by: .account, effect: .read,
    requirements: ["REW-7"], "Lists the challenges that the caller has completed, newest first.")
}

// MARK: - Events

/// An account completed a challenge; it got the badge and the coins in the same transaction (REW-7).
public struct ChallengeCompleted: Event, Hashable {
  /// The account.
  public var accountID: AccountID
  /// The challenge.
  public var challengeID: ChallengeID
  /// Names this completion. A challenge completed again after it was taken back has a new completion id.
  public var completionID: ID<CompletedChallenge>
  /// Titles and badge names in each language.
  public var texts: ChallengeTexts
  /// The badge's picture.
  public var icon: BadgeIcon
  /// The coins that it paid.
  public var coins: Int
  /// When it was completed.
  public var at: Instant

  /// The event from its parts.
  public init(
    accountID: AccountID, challengeID: ChallengeID, completionID: ID<CompletedChallenge>, texts: ChallengeTexts, icon: BadgeIcon,
    coins: Int, at: Instant
  ) {
    self.accountID = accountID
    self.challengeID = challengeID
    self.completionID = completionID
    self.texts = texts
    self.icon = icon
    self.coins = coins
    self.at = at
  }

  public static let notes: Notes = [
    "accountID": "The account.", "challengeID": "The challenge or achievement.",
    "completionID": "Id of this completion: a challenge that was taken back and completed again has another.",
    "texts": "The names of the challenge and its badge.", "icon": "The badge's picture.", "coins": "The coins that it paid.",
    "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "challenges.completed", by: .rewards, requirements: ["REW-7"], "An account completed a challenge.")
}

/// A completion was reversed, because movement was corrected within the time in which it earns, or because an administrator revoked the
/// completion: the badge and the unspent coins are gone (REW-7).
public struct ChallengeCompletionReversed: Event, Hashable {
  /// The account.
  public var accountID: AccountID
  /// The challenge or achievement.
  public var challengeID: ChallengeID
  /// The completion that no longer holds.
  public var completionID: ID<CompletedChallenge>
  /// For an achievement: the tier.
  public var tier: ChallengeTier?
  /// How many coins were taken back.
  public var coins: Int
  /// When it was reversed.
  public var at: Instant

  /// The event from its parts.
  public init(
    accountID: AccountID, challengeID: ChallengeID, completionID: ID<CompletedChallenge>, tier: ChallengeTier?, coins: Int,
    at: Instant
  ) {
    self.accountID = accountID
    self.challengeID = challengeID
    self.completionID = completionID
    self.tier = tier
    self.coins = coins
    self.at = at
  }

  public static let notes: Notes = [
    "accountID": "The account.", "challengeID": "The challenge or achievement.",
    "completionID": "The completion that no longer holds.",
    "tier": "For an achievement: the tier.", "coins": "The number of coins taken back.", "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "challenges.completionReversed", formerly: "challenges.takenBack", by: .rewards, requirements: ["REW-7"],
    "A completed challenge or a reached tier was taken back: its movement was corrected, or an administrator revoked it.")
}
