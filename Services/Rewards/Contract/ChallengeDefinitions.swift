public import Operations

extension FeatureContract {
  static let challengeDefinitions = FeatureContract(
    operations: [CreateChallenge.self, UpdateChallenge.self, RetireChallenge.self, ListChallengeDefinitions.self])
}

/// A challenge or an achievement as administrators see it (REW-7, REW-8).
public struct ChallengeDefinition: Document, Hashable {
  /// Names the challenge or achievement.
  public var id: ChallengeID
  /// What the definition asks for and what it pays.
  public var terms: ChallengeTerms
  /// When it was defined. Coins are paid for days from the earning window before that on.
  public var createdAt: Instant
  /// Since when it can no longer be completed.
  public var retiredAt: Instant?

  /// The definition from its parts.
  public init(id: ChallengeID, terms: ChallengeTerms, createdAt: Instant, retiredAt: Instant? = nil) {
    self.id = id
    self.terms = terms
    self.createdAt = createdAt
    self.retiredAt = retiredAt
  }

  public static let notes: Notes = [
    "id": "Its id.", "terms": "What it requires and pays.", "createdAt": "When it was created.",
    "retiredAt": "When it was retired, so that nobody can complete it any more; absent until then.",
  ]
}

/// Names a challenge or an achievement.
public typealias ChallengeID = ID<Challenge>

/// Why a definition cannot be made or changed.
public enum ChallengeFailure: String, FailureCode {
  /// There is no definition with that id.
  case notFound = "challenge_not_found"
  /// The definition is already retired.
  case retired = "challenge_retired"
  /// The maximum number of active definitions is reached.
  case tooMany = "too_many_definitions"
  /// The account has not completed it, or the completion was already revoked.
  case notHeld = "challenge_not_held"
  /// The account has already completed it.
  case held = "challenge_held"

  public var status: Int { self == .notFound ? 404 : 409 }
}

/// Defines a challenge or an achievement (REW-7, REW-8). What accounts did before counts too.
public enum CreateChallenge: AccountOperation {
  public typealias Input = ChallengeTerms
  public typealias Output = ChallengeDefinition

  public static let spec = OperationSpec(
    "challengeDefinitions.create", of: .rewards, .post("/v1/challenge-definitions"), by: .administrator, effect: .create,
    failures: [ChallengeFailure.tooMany.kind], requirements: ["REW-7", "REW-8"],
    "Creates the definition of a challenge, or of an achievement in tiers; what accounts have already done counts.")
}

/// Changes a definition in ways that no account loses by (REW-7): its words and icon; a threshold may fall, coins may rise. The rule of
/// what is counted stays.
public enum UpdateChallenge: AccountOperation {
  /// Which definition, and what changes.
  public struct Input: Document {
    /// The challenge or achievement.
    public var challengeID: ChallengeID
    /// For a challenge: the threshold, not above the present one.
    public var threshold: Patch<Int>
    /// For an achievement: the tiers, none above its present threshold.
    public var tiers: Patch<ChallengeTiers>
    /// The coins that it pays, not below the present number.
    public var coins: Patch<Int>
    /// The badge's picture.
    public var icon: Patch<BadgeIcon>
    /// Titles, descriptions and badge names in each language.
    public var texts: Patch<ChallengeTexts>

    /// The input from its parts.
    public init(
      challengeID: ChallengeID, threshold: Patch<Int> = .keep, tiers: Patch<ChallengeTiers> = .keep, coins: Patch<Int> = .keep,
      icon: Patch<BadgeIcon> = .keep, texts: Patch<ChallengeTexts> = .keep
    ) {
      self.challengeID = challengeID
      self.threshold = threshold
      self.tiers = tiers
      self.coins = coins
      self.icon = icon
      self.texts = texts
    }

    public static let notes: Notes = [
      "challengeID": "The challenge or achievement.",
      "threshold": Note("For a challenge: the threshold, at most what it was.", range: ChallengeTerms.thresholds, example: 9000),
      "tiers": "For an achievement: the tiers, each at most what it was.",
      "coins": Note("The coins that completing it pays, not fewer than before.", range: 1...10_000, example: 25),
      "icon": "The name of its badge's picture.", "texts": "Its names and descriptions in each language.",
    ]
  }

  public typealias Output = ChallengeDefinition

  public static let spec = OperationSpec(
    "challengeDefinitions.update", of: .rewards, .patch("/v1/challenge-definitions/{challengeID}"), by: .administrator,
    effect: .write,
    failures: [ChallengeFailure.notFound.kind, ChallengeFailure.retired.kind], requirements: ["REW-7", "REW-8"],
    "Changes fields of a definition where nobody loses by it: words, icon, a lower threshold, more coins.")
}

/// Retires a definition: it can no longer be completed, and existing completions stay (REW-7). Idempotent.
public enum RetireChallenge: AccountOperation {
  /// Which definition.
  public struct Input: Document {
    /// The challenge or achievement.
    public var challengeID: ChallengeID

    /// The input from its parts.
    public init(challengeID: ChallengeID) { self.challengeID = challengeID }

    public static let notes: Notes = ["challengeID": "The challenge or achievement."]
  }

  public typealias Output = ChallengeDefinition

  public static let spec = OperationSpec(
    "challengeDefinitions.retire", of: .rewards, .post("/v1/challenge-definitions/{challengeID}/retire"), by: .administrator,
    effect: .write,
    failures: [ChallengeFailure.notFound.kind], requirements: ["REW-7", "REW-8"],
    "Retires a challenge or an achievement: nobody can complete it any more, and who has completed it keeps that.")
}

/// Lists all definitions, retired ones too, oldest first (REW-7, REW-8).
public enum ListChallengeDefinitions: AccountOperation {
  public typealias Input = ListPage
  public typealias Output = Page<ChallengeDefinition>

  public static let spec = OperationSpec(
    "challengeDefinitions.list", of: .rewards, .get("/v1/challenge-definitions"), by: .administrator, effect: .read,
    requirements: ["REW-7", "REW-8"],
    "Lists the definitions of challenges and achievements, including retired ones, oldest first.")
}
