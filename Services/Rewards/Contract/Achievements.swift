public import Operations

extension FeatureContract {
  static let achievements = FeatureContract(operations: [ListAchievements.self])
}

/// An achievement, and the account's progress in it (REW-8).
public struct Achievement: Document, Hashable {
  /// Names the achievement.
  public var id: ChallengeID
  /// Its title, in the caller's language.
  public var title: String
  /// What it is for, in the caller's language.
  public var description: String
  /// What is counted.
  public var metric: ChallengeMetric
  /// What each tier takes.
  public var tiers: ChallengeTiers
  /// The highest tier that was reached; nil before the first.
  public var tier: ChallengeTier?
  /// When that tier was reached.
  public var reachedAt: Instant?
  /// The account's present count.
  public var progress: Int
  /// The next tier; nil after the last.
  public var nextTier: ChallengeTier?
  /// How much is missing for the next tier; nil after the last.
  public var remaining: Int?
  /// What is missing, in words; nil after the last tier.
  public var remainingText: String?
  /// The badge's name.
  public var badge: String
  /// The badge's picture.
  public var icon: BadgeIcon

  /// The achievement from its parts.
  public init(
    id: ChallengeID, text: ChallengeText, metric: ChallengeMetric, tiers: ChallengeTiers, tier: ChallengeTier?,
    reachedAt: Instant?, progress: Int, nextTier: ChallengeTier?, remaining: Int?, remainingText: String?, icon: BadgeIcon
  ) {
    self.id = id
    title = text.title
    description = text.description
    self.metric = metric
    self.tiers = tiers
    self.tier = tier
    self.reachedAt = reachedAt
    self.progress = progress
    self.nextTier = nextTier
    self.remaining = remaining
    self.remainingText = remainingText
    badge = text.badge
    self.icon = icon
  }

  public static let notes: Notes = [
    "id": "Its id.", "title": "Its title, in the caller's language.", "description": "A description, in the caller's language.",
    "metric": "What is counted.", "tiers": "The tiers and their thresholds.",
    "tier": "The highest tier that the caller has reached; absent before the first.", "reachedAt": "When the caller reached it.",
    "progress": Note("The caller's progress.", example: 42), "nextTier": "The next tier; absent after the last.",
    "remaining": Note("What is missing for the next tier.", example: 8),
    "remainingText": Note("The same in words.", example: "8 entries remaining"),
    "badge": "The name of its badge, in the caller's language.",
    "icon": "The name of the badge's picture.",
  ]
}

/// Lists all achievements, with the account's tier and progress (REW-8).
public enum ListAchievements: AccountOperation {
  public typealias Input = Empty
  /// In the order of their definition, all on one page.
  public typealias Output = Page<Achievement>

  public static let spec = OperationSpec(
    "achievements.list", of: .rewards, .get("/v1/achievements"), by: .account, effect: .read, requirements: ["REW-8"],
    "Lists the achievements, each with the tier that the caller has reached, the progress and what remains.")
}
