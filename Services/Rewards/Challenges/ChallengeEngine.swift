import GRDB
import IdentityContract
import Operations
import RewardsContract
import ServiceKit
import Storage

/// Completes challenges and tiers from what accounts do (REW-7, REW-8).
///
/// Facts are stored by day, so that the stored state decides about a challenge, never the increment of an event. A changed day affects only
/// the definitions that count what changed on it.
struct ChallengeEngine: Sendable {
  let catalogues: ChallengeCatalogues
  let calendars: AccountCalendars
  /// For how many days a day's movement earns.
  let earningDays: Int
  let rewards: ChallengeRewards

  /// Applies changed days to the account's totals and its challenges.
  func settle(_ account: AccountID, _ changes: [DayChange], _ transaction: Transaction) throws {
    guard !changes.isEmpty else { return }
    let totals = try ChallengeFactStore.add(changes, of: account, in: transaction.database)
    // A new state without a difference needs no further work.
    guard changes.contains(where: { $0.before != $0.after }) else { return }
    var run = try begin(account, totals: totals, transaction)
    if try run.release() { return }
    for metric in ChallengeMetric.byDays {
      let changed = changes.filter { $0.before[metric] != $0.after[metric] }
      guard !changed.isEmpty else { continue }
      for challenge in run.catalogue[metric] {
        for change in changed { try run.look(at: challenge, change, metric) }
      }
    }
    try run.finish()
  }

  /// Applies changes of metrics that are not counted by day.
  func settle(_ account: AccountID, _ metrics: [ChallengeMetric], _ transaction: Transaction) throws {
    let totals = try ChallengeFactStore.ensureTotals(of: account, in: transaction.database)
    var run = try begin(account, totals: totals, transaction)
    if try run.release() { return }
    for metric in metrics { for challenge in run.catalogue[metric] { try run.count(challenge) } }
    try run.finish()
  }

  /// Counts everything that an account has done for one definition, or for all.
  func count(_ account: AccountID, for challenge: ChallengeID? = nil, _ transaction: Transaction) throws {
    let totals = try ChallengeFactStore.totals(of: account, in: transaction.database)
    var run = try begin(account, totals: totals ?? .init(), transaction)
    for known in run.catalogue.all where challenge == nil || known.id == challenge { try run.count(known) }
    try run.finish()
  }

  /// Awards what was withheld while the account was suspended or unknown.
  func releaseHeld(_ account: AccountID, _ transaction: Transaction) throws {
    guard let totals = try ChallengeFactStore.totals(of: account, in: transaction.database), totals.held != .nothing else {
      return
    }
    var run = try begin(account, totals: totals, transaction)
    _ = try run.release()
  }

  private func begin(
    _ account: AccountID, totals: ChallengeFactStore.Totals, _ transaction: Transaction
  ) throws -> ChallengeRun {
    ChallengeRun(
      account: account, catalogue: try catalogues.current(in: transaction.database), calendars: calendars,
      earningDays: earningDays, rewards: rewards, transaction: transaction, totals: totals)
  }
}

/// One evaluation of an account's challenges, within a transaction.
struct ChallengeRun {
  let account: AccountID
  let catalogue: ChallengeCatalogue
  let calendars: AccountCalendars
  let earningDays: Int
  let rewards: ChallengeRewards
  let transaction: Transaction
  let totals: ChallengeFactStore.Totals
  /// The completions read so far.
  private var completions: [ChallengeLevel: ChallengeCompletion]?
  private var sums: [ClosedRange<LocalDay>: DayFacts] = [:]
  private var amounts: [String: [DayAmount]] = [:]
  private var undatedAmounts: [ChallengeMetric: Int] = [:]
  private var registered: LocalDay?
  private var held = HeldAwards.nothing
  /// What is withheld from the account, once it was looked up.
  private var standing: HeldAwards?

  init(
    account: AccountID, catalogue: ChallengeCatalogue, calendars: AccountCalendars, earningDays: Int, rewards: ChallengeRewards,
    transaction: Transaction, totals: ChallengeFactStore.Totals
  ) {
    self.account = account
    self.catalogue = catalogue
    self.calendars = calendars
    self.earningDays = earningDays
    self.rewards = rewards
    self.transaction = transaction
    self.totals = totals
  }

  private var database: Database { transaction.database }

  /// Awards what was withheld, if that is possible now, by counting everything.
  mutating func release() throws -> Bool {
    guard totals.held != .nothing else { return false }
    let withheld = try withheld()
    guard withheld != .all, withheld != totals.held else { return false }
    for challenge in catalogue.all {
      try recheck(challenge)
      try count(challenge)
    }
    try ChallengeFactStore.hold(held, of: account, in: database)
    return true
  }

  private mutating func withheld() throws -> HeldAwards {
    if let standing { return standing }
    let found = ChallengeStanding.withheld(try EligibilityStore.find(account, at: transaction.now, in: database))
    standing = found
    return found
  }

  /// Records what could not be awarded.
  func finish() throws {
    guard held != .nothing, totals.held != .all, held != totals.held else { return }
    try ChallengeFactStore.hold(held, of: account, in: database)
  }

  // MARK: - One challenge

  /// Applies a changed day to a challenge that counts it.
  mutating func look(at challenge: KnownChallenge, _ change: DayChange, _ metric: ChallengeMetric) throws {
    guard let before = change.before[metric], let after = change.after[metric] else { return }
    sums[change.day...change.day] = change.after
    let rule = challenge.terms.rule
    // For days in a row only the membership of a day in the row matters.
    if let stepsPerDay = rule.stepsPerDay, (before >= stepsPerDay) == (after >= stepsPerDay) { return }
    if after < before {
      if metric.isMeasured { try recheck(challenge, around: change.day) }
    } else if challenge.retiredAt == nil {
      try reach(challenge, around: change.day)
    }
  }

  /// Completes every level that is reached by the days of one period.
  ///
  /// Sums are usually read already, or too small, so the account's completions are read only where a sum suffices. For days in a row they
  /// are read first, because finding a row takes longer.
  private mutating func reach(_ challenge: KnownChallenge, around day: LocalDay) throws {
    if challenge.terms.rule.stepsPerDay != nil, try isComplete(challenge) { return }
    guard let (days, amount) = try amount(of: challenge, around: day), amount >= challenge.lowestThreshold,
      try !isComplete(challenge)
    else { return }
    for (index, threshold) in challenge.thresholds.enumerated() where amount >= threshold {
      try complete(challenge, level: index + 1, days)
    }
  }

  /// Completes every level that is reached by everything recorded, newest days first.
  mutating func count(_ challenge: KnownChallenge) throws {
    guard challenge.retiredAt == nil, try !isComplete(challenge) else { return }
    let metric = challenge.terms.rule.metric
    guard metric.column != nil else {
      let amount = try undatedAmount(of: metric)
      for (index, threshold) in challenge.thresholds.enumerated() where amount >= threshold {
        try complete(challenge, level: index + 1, ChallengeRules.ever)
      }
      return
    }
    let amounts = try amounts(of: metric)
    for (index, threshold) in challenge.thresholds.enumerated() {
      guard let days = try find(challenge, threshold, in: amounts) else { return }
      try complete(challenge, level: index + 1, days)
    }
  }

  /// Takes back each level that no days reach any more, the highest first.
  ///
  /// - Parameter day: a day with less than before; nil to check all.
  private mutating func recheck(_ challenge: KnownChallenge, around day: LocalDay? = nil) throws {
    guard challenge.terms.rule.metric.isMeasured else { return }
    for (index, threshold) in challenge.thresholds.enumerated().reversed() {
      let level = ChallengeLevel(challenge: challenge.id, level: index + 1)
      guard var completion = try completion(level), completion.isCurrent, completion.correction != .granted else { continue }
      if let day, !completion.days.contains(day) { continue }
      if try holds(completion, challenge, threshold) { continue }
      let amounts = try amounts(of: challenge.terms.rule.metric)
      if let others = try find(challenge, threshold, in: amounts) {
        completion.days = others
        try keep(level, completion)
      } else {
        try takeBack(challenge, level, completion)
      }
    }
  }

  private mutating func isComplete(_ challenge: KnownChallenge) throws -> Bool {
    try completion(ChallengeLevel(challenge: challenge.id, level: challenge.thresholds.count))?.isCurrent == true
  }

  /// The account's completion of a level, present or former.
  private mutating func completion(_ level: ChallengeLevel) throws -> ChallengeCompletion? {
    if let completions { return completions[level] }
    let found = try ChallengeCompletionStore.all(of: account, in: database)
    completions = found
    return found[level]
  }

  /// Whether the days that completed a level still suffice; false where that needs a longer search.
  private mutating func holds(
    _ completion: ChallengeCompletion, _ challenge: KnownChallenge, _ threshold: Int
  ) throws -> Bool {
    guard challenge.terms.rule.stepsPerDay == nil else { return false }
    return try sum(completion.days)[challenge.terms.rule.metric] ?? 0 >= threshold
  }

  // MARK: - Amounts

  /// The period of a day and its sum; nil where the day does not count.
  private mutating func amount(
    of challenge: KnownChallenge, around day: LocalDay
  ) throws -> (days: ClosedRange<LocalDay>, amount: Int)? {
    let rule = challenge.terms.rule
    let registered = try registeredOn(rule)
    if let stepsPerDay = rule.stepsPerDay {
      let counted = ChallengeRules.counted(rule, registeredOn: registered)
      let row = try ChallengeFactStore.row(around: day, stepsPerDay: stepsPerDay, in: counted, of: account, database)
      return row.map { ($0, $0.lowerBound.distance(to: $0.upperBound) + 1) }
    }
    guard let days = ChallengeRules.period(rule, of: day, registeredOn: registered) else { return nil }
    return (days, try sum(days)[rule.metric] ?? 0)
  }

  private mutating func sum(_ days: ClosedRange<LocalDay>) throws -> DayFacts {
    if days == ChallengeRules.ever { return totals.facts }
    if let known = sums[days] { return known }
    let sum = try ChallengeFactStore.sum(days, of: account, in: database)
    sums[days] = sum
    return sum
  }

  /// The amounts of each day, read once for all definitions that count them.
  private mutating func amounts(of metric: ChallengeMetric) throws -> [DayAmount] {
    guard let column = metric.column else { return [] }
    if let known = amounts[column] { return known }
    let found = try ChallengeFactStore.amounts(of: metric, account, in: database)
    amounts[column] = found
    return found
  }

  /// The amount of a metric that is not counted by day.
  private mutating func undatedAmount(of metric: ChallengeMetric) throws -> Int {
    if let known = undatedAmounts[metric] { return known }
    let found = try ChallengeFactStore.amount(of: metric, account, isPresent: false, in: database)
    undatedAmounts[metric] = found
    return found
  }

  private mutating func find(
    _ challenge: KnownChallenge, _ threshold: Int, in amounts: [DayAmount]
  ) throws -> ClosedRange<LocalDay>? {
    let rule = challenge.terms.rule
    return ChallengeRules.find(rule, threshold: threshold, in: amounts, registeredOn: try registeredOn(rule))
  }

  /// The day of the registration, if the rule needs it.
  private mutating func registeredOn(_ rule: ChallengeRule) throws -> LocalDay {
    guard rule.newAccountDays != nil else { return .placeholder }
    if let registered { return registered }
    let day = try calendars.day(of: account.instant, account, in: database)
    registered = day
    return day
  }

  // MARK: - What comes of it

  private mutating func complete(_ challenge: KnownChallenge, level number: Int, _ days: ClosedRange<LocalDay>) throws {
    let level = ChallengeLevel(challenge: challenge.id, level: number)
    let before = try completion(level)
    guard before?.isCurrent != true, try !isRevoked(challenge, upTo: number) else { return }
    let withheld = try withheld()
    guard withheld == .nothing || withheld == .movement && !challenge.terms.rule.metric.isMeasured else {
      held = withheld
      return
    }
    // Coins that were paid and already spent when the completion was taken back are not paid again.
    let kept = before?.coins ?? 0
    let due = max(0, try coins(for: challenge, days) - kept)
    var completion = ChallengeCompletion(
      id: ID(), days: days, completedAt: transaction.now, coins: kept + due, isCurrent: true, transfer: before?.transfer)
    if due > 0 { completion.transfer = try rewards.pay(due, for: challenge, completion.id, to: account, transaction) }
    try keep(level, completion)
    for event in challenge.events(of: account, level: number, completion.id, coins: due, at: transaction.now) {
      try transaction.publish(event)
    }
  }

  /// Whether an administrator has revoked a level, or one below it.
  private mutating func isRevoked(_ challenge: KnownChallenge, upTo number: Int) throws -> Bool {
    for level in 1...number where try completion(.init(challenge: challenge.id, level: level))?.correction == .revoked {
      return true
    }
    return false
  }

  /// What a completion pays: everything if the days for which coins are paid suffice by themselves; otherwise nothing.
  private mutating func coins(for challenge: KnownChallenge, _ days: ClosedRange<LocalDay>) throws -> Int {
    guard let coins = challenge.terms.coins, let threshold = challenge.thresholds.last else { return 0 }
    let first = ChallengeRules.firstPaidDay(createdOn: challenge.createdOn, earningDays: earningDays)
    if days.lowerBound >= first { return coins }
    guard days.upperBound >= first else { return 0 }
    let paid = first...days.upperBound
    if challenge.terms.rule.stepsPerDay != nil {
      return paid.lowerBound.distance(to: paid.upperBound) + 1 >= threshold ? coins : 0
    }
    return try sum(paid)[challenge.terms.rule.metric] ?? 0 >= threshold ? coins : 0
  }

  private mutating func takeBack(
    _ challenge: KnownChallenge, _ level: ChallengeLevel, _ completion: ChallengeCompletion
  ) throws {
    var completion = completion
    let taken = try rewards.takeBack(completion, transaction)
    completion.coins -= taken
    completion.isCurrent = false
    try keep(level, completion)
    try transaction.publish(
      ChallengeCompletionReversed(
        accountID: account, challengeID: challenge.id, completionID: completion.id, tier: challenge.tier(ofLevel: level.level),
        coins: taken, at: transaction.now))
  }

  private mutating func keep(_ level: ChallengeLevel, _ completion: ChallengeCompletion) throws {
    completions?[level] = completion
    try ChallengeCompletionStore.put(level, completion, of: account, in: database)
  }
}
