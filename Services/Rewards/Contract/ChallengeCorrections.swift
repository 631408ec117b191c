public import Operations

/// What an administrator has corrected of what an account has completed (REW-7, REW-8).
public struct ChallengeCorrection: Document, Hashable {
  /// Names it.
  public var id: ID<ChallengeCorrection>
  /// Whose.
  public var accountID: AccountID
  /// Of which challenge or achievement.
  public var challengeID: ChallengeID
  /// Of an achievement: which tier.
  public var tier: ChallengeTier?
  /// Whether it was granted, or revoked.
  public var isGranted: Bool
  /// How many coins came or went with it.
  public var coins: Int
  /// Why, as the account's owner reads it.
  public var reason: String
  /// Who did it; nil once that account was deleted.
  public var administratorID: AccountID?
  /// When.
  public var at: Instant

  /// The correction from its parts.
  public init(
    id: ID<ChallengeCorrection>, accountID: AccountID, challengeID: ChallengeID, tier: ChallengeTier?, isGranted: Bool,
    coins: Int, reason: String, administratorID: AccountID?, at: Instant
  ) {
    self.id = id
    self.accountID = accountID
    self.challengeID = challengeID
    self.tier = tier
    self.isGranted = isGranted
    self.coins = coins
    self.reason = reason
    self.administratorID = administratorID
    self.at = at
  }

  public static let notes: Notes = [
    "id": "Names it.", "accountID": "Whose completion.", "challengeID": "Of which challenge or achievement.",
    "tier": "Of an achievement: which tier.", "isGranted": "Whether it was granted, or revoked.",
    "coins": "How many coins came or went with it.", "reason": ChallengeCorrectionInput.reason,
    "administratorID": "Who did it; absent once that account was deleted.", "at": "When.",
  ]
}

/// Whose completion of what is corrected, and why.
public struct ChallengeCorrectionInput: Document {
  /// Of which challenge or achievement.
  public var challengeID: ChallengeID
  /// Whose.
  public var accountID: AccountID
  /// Of an achievement: which tier.
  public var tier: ChallengeTier?
  /// Why.
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
    "challengeID": "Of which challenge or achievement.", "accountID": "Whose.",
    "tier": "Of an achievement: which tier; absent of a challenge.", "reason": reason,
  ]

  public func check(_ fields: inout FieldChecks) { fields.expect(!reason.isBlank, "reason", FieldRule("empty")) }
}

/// An administrator takes back what another account has completed, with a reason that its owner reads: badge and what is left of the coins go, and
/// nothing brings them back but a grant. Of an achievement the tiers above go too (REW-7, REW-8).
public enum RevokeChallenge: AccountOperation {
  public typealias Input = ChallengeCorrectionInput
  public typealias Output = ChallengeCorrection

  public static let spec = OperationSpec(
    "challengeCorrections.revoke", of: .rewards, .post("/v1/challenges/{challengeID}/revocations"), by: .administrator,
    effect: .create,
    failures: [RequestFailure.notFound.kind, ChallengeFailure.notFound.kind, ChallengeFailure.notHeld.kind],
    requirements: ["REW-7", "REW-8"],
    "Take back what another account has completed, its badge and what is left of its coins, with a reason that its owner reads.")
}

/// An administrator lets a challenge or a tier count as completed by another account, with a reason that its owner reads: badge and coins come, and no
/// correction of steps takes them back. Of an achievement the tiers below come too (REW-7, REW-8).
public enum GrantChallenge: AccountOperation {
  public typealias Input = ChallengeCorrectionInput
  public typealias Output = ChallengeCorrection

  public static let spec = OperationSpec(
    "challengeCorrections.grant", of: .rewards, .post("/v1/challenges/{challengeID}/grants"), by: .administrator,
    effect: .create,
    failures: [RequestFailure.notFound.kind, ChallengeFailure.notFound.kind, ChallengeFailure.held.kind],
    requirements: ["REW-7", "REW-8"],
    "Let a challenge or a tier count as completed by another account, with its badge and coins, and a reason that its owner reads."
  )
}

/// Lists what administrators have corrected of what an account has completed, newest first (REW-7, REW-8).
public enum ListChallengeCorrections: AccountOperation {
  /// Whose.
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

    public static let notes = listNotes(["accountID": "Whose."])
  }

  public typealias Output = Page<ChallengeCorrection>

  public static let spec = OperationSpec(
    "challengeCorrections.list", of: .rewards, .get("/v1/accounts/{accountID}/challenge-corrections"), by: .administrator,
    effect: .read, requirements: ["REW-7", "REW-8"],
    "List what administrators have corrected of what an account has completed, newest first.")
}

// MARK: - Events

/// An administrator has revoked or granted what an account has completed (REW-7, REW-8).
public struct ChallengeCorrected: Event, Hashable {
  /// Names the correction.
  public var correctionID: ID<ChallengeCorrection>
  /// Whose.
  public var accountID: AccountID
  /// Of which challenge or achievement.
  public var challengeID: ChallengeID
  /// Of an achievement: the tier.
  public var tier: ChallengeTier?
  /// What it and its badge are called.
  public var texts: ChallengeTexts
  /// Whether it was granted, or revoked.
  public var isGranted: Bool
  /// How many coins came or went with it.
  public var coins: Int
  /// Why.
  public var reason: String
  /// When.
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
    "correctionID": "Names the correction.", "accountID": "Whose completion.",
    "challengeID": "Of which challenge or achievement.", "tier": "Of an achievement: the tier.",
    "texts": "What it and its badge are called.", "isGranted": "Whether it was granted, or revoked.",
    "coins": "How many coins came or went with it.", "reason": ChallengeCorrectionInput.reason, "at": "When.",
  ]

  public static let spec = EventSpec(
    "challenges.corrected", by: .rewards, requirements: ["REW-7", "REW-8"],
    "An administrator has revoked or granted what an account has completed.")
}
