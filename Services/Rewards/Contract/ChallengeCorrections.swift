public import Operations

extension FeatureContract {
  static let challengeCorrections = FeatureContract(
    operations: [RevokeChallengeCompletion.self, GrantChallengeCompletion.self, ListChallengeCorrections.self],
    events: [ChallengeCorrected.self])
}

/// An administrator's correction of an account's completed challenge or achievement (REW-7, REW-8).
public struct ChallengeCorrection: Document, Hashable {
  /// Names the correction.
  public var id: ID<ChallengeCorrection>
  /// The account whose completion was corrected.
  public var accountID: AccountID
  /// The challenge or achievement.
  public var challengeID: ChallengeID
  /// For an achievement: the tier.
  public var tier: ChallengeTier?
  /// Whether it was granted, or revoked.
  public var isGranted: Bool
  /// How many coins were granted or taken back with it.
  public var coins: Int
  /// The reason, as the account's owner reads it.
  public var reason: String
  /// The administrator; nil once that account was deleted.
  public var administratorAccountID: AccountID?
  /// When the correction was made.
  public var at: Instant

  /// The correction from its parts.
  public init(
    id: ID<ChallengeCorrection>, accountID: AccountID, challengeID: ChallengeID, tier: ChallengeTier?, isGranted: Bool,
    coins: Int, reason: String, administratorAccountID: AccountID?, at: Instant
  ) {
    self.id = id
    self.accountID = accountID
    self.challengeID = challengeID
    self.tier = tier
    self.isGranted = isGranted
    self.coins = coins
    self.reason = reason
    self.administratorAccountID = administratorAccountID
    self.at = at
  }

  public static let notes: Notes = [
    "id": "Its id.", "accountID": "The account whose completion it is.", "challengeID": "The challenge or achievement.",
    "tier": "For an achievement: the tier.", "isGranted": "Whether it was granted or revoked.",
    "coins": "The number of coins granted or taken back with it.", "reason": ChallengeCorrectionInput.reason,
    "administratorAccountID": "The account that did it; absent once it was deleted.", "at": "When it happened.",
  ]
}

/// The completion to correct, and the reason.
public struct ChallengeCorrectionInput: Document {
  /// The challenge or achievement.
  public var challengeID: ChallengeID
  /// The account whose completion is corrected.
  public var accountID: AccountID
  /// For an achievement: the tier.
  public var tier: ChallengeTier?
  /// The reason.
  public var reason: String

  /// The input from its parts.
  public init(challengeID: ChallengeID, accountID: AccountID, tier: ChallengeTier? = nil, reason: String) {
    self.challengeID = challengeID
    self.accountID = accountID
    self.tier = tier
    self.reason = reason
  }

  static let reason = Note(
    "Why, as the account's owner reads it.", length: 1...500, breaksLines: true, example: "Steps of a borrowed device")

  public static let notes: Notes = [
    "challengeID": "The challenge or achievement.", "accountID": "The account.",
    "tier": "For an achievement: the tier; absent for a challenge.", "reason": reason,
  ]

  public func check(_ fields: inout FieldChecks) { fields.expect(!reason.isBlank, "reason", FieldRule("empty")) }
}

/// An administrator revokes another account's completion, with a reason that its owner reads: the badge and the unspent coins are taken
/// back, and only a grant restores them. For an achievement the higher tiers are revoked too (REW-7, REW-8).
public enum RevokeChallengeCompletion: AccountOperation {
  public typealias Input = ChallengeCorrectionInput
  public typealias Output = ChallengeCorrection

  public static let spec = OperationSpec(
    "challengeCompletions.revoke", of: .rewards, .post("/v1/challenges/{challengeID}/revocations"), by: .administrator,
    effect: .create,
    failures: [RequestFailure.notFound.kind, ChallengeFailure.notFound.kind, ChallengeFailure.notHeld.kind],
    requirements: ["REW-7", "REW-8"],
    "Revokes what another account has completed, with its badge and what is left of its coins; its owner reads the reason.")
}

/// An administrator grants another account the completion of a challenge or tier, with a reason that its owner reads: badge and coins are
/// awarded, and no correction of steps takes them back. For an achievement the lower tiers are granted too (REW-7, REW-8).
public enum GrantChallengeCompletion: AccountOperation {
  public typealias Input = ChallengeCorrectionInput
  public typealias Output = ChallengeCorrection

  public static let spec = OperationSpec(
    "challengeCompletions.grant", of: .rewards, .post("/v1/challenges/{challengeID}/grants"), by: .administrator,
    effect: .create,
    failures: [RequestFailure.notFound.kind, ChallengeFailure.notFound.kind, ChallengeFailure.held.kind],
    requirements: ["REW-7", "REW-8"],
    "Grants another account a challenge or a tier as completed, with its badge and coins; its owner reads the reason.")
}

/// Lists administrators' corrections of an account's completions, newest first (REW-7, REW-8).
public enum ListChallengeCorrections: AccountOperation {
  /// Whose corrections.
  public struct Input: ListInput {
    /// The account.
    public var accountID: AccountID
    public var limit: Int?
    public var cursor: PageCursor?

    /// The input from its parts.
    public init(accountID: AccountID, limit: Int? = nil, cursor: PageCursor? = nil) {
      self.accountID = accountID
      self.limit = limit
      self.cursor = cursor
    }

    public static let notes = listNotes(["accountID": "The account."])
  }

  public typealias Output = Page<ChallengeCorrection>

  public static let spec = OperationSpec(
    "challengeCorrections.list", of: .rewards, .get("/v1/accounts/{accountID}/challenge-corrections"), by: .administrator,
    effect: .read, requirements: ["REW-7", "REW-8"],
    "Lists the corrections that administrators made to what an account has completed, newest first.")
}

// MARK: - Events

/// An administrator revoked or granted an account's completion (REW-7, REW-8).
public struct ChallengeCorrected: Event, Hashable {
  /// Names the correction.
  public var correctionID: ID<ChallengeCorrection>
  /// The account whose completion was corrected.
  public var accountID: AccountID
  /// The challenge or achievement.
  public var challengeID: ChallengeID
  /// For an achievement: the tier.
  public var tier: ChallengeTier?
  /// Titles and badge names in each language.
  public var texts: ChallengeTexts
  /// Whether it was granted, or revoked.
  public var isGranted: Bool
  /// How many coins were granted or taken back with it.
  public var coins: Int
  /// The reason.
  public var reason: String
  /// When the correction was made.
  public var at: Instant

  /// The event from its parts.
  public init(_ correction: ChallengeCorrection, texts: ChallengeTexts) {
    correctionID = correction.id
    accountID = correction.accountID
    challengeID = correction.challengeID
    tier = correction.tier
    self.texts = texts
    isGranted = correction.isGranted
    coins = correction.coins
    reason = correction.reason
    at = correction.at
  }

  public static let notes: Notes = [
    "correctionID": "Id of the correction.", "accountID": "The account whose completion it is.",
    "challengeID": "The challenge or achievement.", "tier": "For an achievement: the tier.",
    "texts": "The names of the challenge and its badge.", "isGranted": "Whether it was granted or revoked.",
    "coins": "The number of coins granted or taken back with it.", "reason": ChallengeCorrectionInput.reason,
    "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "challenges.corrected", by: .rewards, requirements: ["REW-7", "REW-8"],
    "An administrator revoked or granted what an account has completed.")
}
