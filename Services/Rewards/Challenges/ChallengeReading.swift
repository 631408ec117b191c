import GRDB
import Operations
import RewardsContract
import ServiceKit
import Storage

/// Reads an account's challenges from the store, for the account to see.
struct ChallengeReading {
  let account: AccountID
  let today: LocalDay
  let catalogue: ChallengeCatalogue
  let completions: [ChallengeLevel: ChallengeCompletion]
  private let registered: LocalDay
  private let database: Database

  init(
    _ account: AccountID, at now: Instant, _ catalogues: ChallengeCatalogues, _ calendars: AccountCalendars, _ database: Database
  ) throws {
    self.account = account
    self.database = database
    let calendar = try calendars.calendarOrUTC(of: account, in: database)
    today = calendar.day(of: now)
    registered = calendar.day(of: account.instant)
    catalogue = try catalogues.current(in: database)
    completions = try ChallengeCompletionStore.all(of: account, in: database).filter { $0.value.isCurrent }
  }

  /// The highest level that was reached, and its completion; nil before the first.
  func reached(_ challenge: KnownChallenge) -> (level: Int, completion: ChallengeCompletion)? {
    for level in challenge.thresholds.indices.reversed() {
      if let found = completions[ChallengeLevel(challenge: challenge.id, level: level + 1)] { return (level + 1, found) }
    }
    return nil
  }

  /// The present window of a challenge that is open to the account now; nil for others.
  func window(_ challenge: KnownChallenge) -> ClosedRange<LocalDay>? {
    guard challenge.retiredAt == nil else { return nil }
    return ChallengeRules.period(challenge.terms.rule, of: today, registeredOn: registered)
  }

  /// The account's count in the present window.
  func progress(_ challenge: KnownChallenge, in window: ClosedRange<LocalDay>) throws -> Int {
    let rule = challenge.terms.rule
    if let stepsPerDay = rule.stepsPerDay {
      let counted = ChallengeRules.counted(rule, registeredOn: registered)
      // Until today has its steps, the row may end yesterday.
      for day in [today, today.advanced(by: -1)] {
        let row = try ChallengeFactStore.row(around: day, stepsPerDay: stepsPerDay, in: counted, of: account, database)
        if let row { return row.lowerBound.distance(to: day) + 1 }
      }
      return 0
    }
    guard rule.metric.column != nil else {
      return try ChallengeFactStore.amount(of: rule.metric, account, isPresent: true, in: database)
    }
    if window == ChallengeRules.ever {
      return try ChallengeFactStore.totals(of: account, in: database)?.facts[rule.metric] ?? 0
    }
    return try ChallengeFactStore.sum(window, of: account, in: database)[rule.metric] ?? 0
  }

  /// The account's badges, newest first; for an achievement that of the highest tier.
  ///
  /// - Parameter withMovement: whether to include badges for measured movement.
  func badges(_ language: Language, withMovement: Bool = true) -> [Badge] {
    let badges = catalogue.all.compactMap { challenge -> Badge? in
      guard withMovement || !challenge.terms.rule.metric.isMeasured, let (level, completion) = reached(challenge) else {
        return nil
      }
      return Badge(
        challengeID: challenge.id, text: challenge.terms.texts[language], icon: challenge.terms.icon,
        tier: challenge.tier(ofLevel: level), awardedAt: completion.completedAt)
    }
    return badges.sorted { ($0.awardedAt, $0.challengeID) > ($1.awardedAt, $1.challengeID) }
  }
}
