import ActivityContract
import GRDB
import IdentityContract
import Operations
import RewardsContract
import ServiceKit
import SocialContract
import Storage

/// Applies events of other services to challenges.
struct ChallengeSubscriptions: Sendable {
  let engine: ChallengeEngine
  let formula: CoinFormula

  func subscribe(_ service: inout ServiceDefinition) {
    service.subscribe(to: MovementDaysChanged.self, movementChanged)
    service.subscribe(to: EntryRecorded.self, entryRecorded)
    service.subscribe(to: ActivityChanged.self, activityChanged)
    service.subscribe(to: ActivityDeleted.self, activityDeleted)
    service.subscribe(to: StreakChanged.self, streakChanged)
    service.subscribe(to: TaskChanged.self, taskChanged)
    service.subscribe(to: TaskHelpGiven.self, helpGiven)
    service.subscribe(to: TeamMembershipChanged.self, teamMembershipChanged)
    service.subscribe(to: RelationChanged.self, relationChanged)
    service.subscribe(to: AccountChanged.self, accountChanged)
  }

  // MARK: - Activity

  /// Takes in the present state of days that were recorded while their movement earns.
  @Sendable
  func movementChanged(_ event: MovementDaysChanged, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    try take(event, transaction)
  }

  /// The same; apart for those who count without a log.
  func take(_ event: MovementDaysChanged, _ transaction: Transaction) throws {
    let (account, database) = (event.accountID, transaction.database)
    guard try !database.isErased(account) else { return }
    let event = event.earning(by: formula)
    guard let days = event.allDays else { return }
    var known = try ChallengeFactStore.days(days, of: account, in: database)
    var changes: [DayChange] = []
    for day in event.days {
      let before = known[day.day] ?? .init()
      guard before.revision < day.revision else { continue }
      let after = ChallengeFactStore.Day(facts: before.facts.taking(day), revision: day.revision)
      try ChallengeFactStore.put(day.day, after, of: account, in: database)
      known[day.day] = after
      changes.append(DayChange(day: day.day, before: before.facts, after: after.facts))
    }
    try engine.settle(account, changes, transaction)
  }

  @Sendable
  func entryRecorded(_ event: EntryRecorded, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    guard try !transaction.database.isErased(event.accountID) else { return }
    let change = try ChallengeFactStore.noteEntry(
      event.activityID, on: event.day, isDone: event.isDone && !event.isDeleted, of: event.accountID, in: transaction.database)
    if let change { try engine.settle(event.accountID, [change], transaction) }
  }

  @Sendable
  func activityChanged(_ event: ActivityChanged, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    guard try !transaction.database.isErased(event.accountID) else { return }
    if try ChallengeFactStore.noteActivity(event.activity.id, of: event.accountID, in: transaction.database) {
      try engine.settle(event.accountID, [.activities], transaction)
    }
  }

  /// What was completed with it stays.
  @Sendable
  func activityDeleted(_ event: ActivityDeleted, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    guard try !transaction.database.isErased(event.accountID) else { return }
    try ChallengeFactStore.removeActivity(event.activityID, of: event.accountID, in: transaction.database)
  }

  @Sendable
  func streakChanged(_ event: StreakChanged, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    guard try !transaction.database.isErased(event.accountID) else { return }
    if try ChallengeFactStore.noteStreak(event, in: transaction.database) {
      try engine.settle(event.accountID, [.activityStreak, .activities], transaction)
    }
  }

  // MARK: - Social

  @Sendable
  func taskChanged(_ event: TaskChanged, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    let (account, database) = (event.accountID, transaction.database)
    guard try !database.isErased(account) else { return }
    let counts = event.isParticipant && event.isConfirmed
    let day = counts ? try engine.calendars.day(of: event.at, account, in: database) : nil
    let changes = try ChallengeFactStore.noteTask(event.taskID, .confirmed, on: day, of: account, in: database)
    try engine.settle(account, changes, transaction)
  }

  @Sendable
  func helpGiven(_ event: TaskHelpGiven, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    let (account, database) = (event.accountID, transaction.database)
    guard try !database.isErased(account) else { return }
    let day = try engine.calendars.day(of: event.at, account, in: database)
    let changes = try ChallengeFactStore.noteTask(event.taskID, .helped, on: day, of: account, in: database)
    try engine.settle(account, changes, transaction)
  }

  @Sendable
  func teamMembershipChanged(_ event: TeamMembershipChanged, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    guard event.isMember, try !transaction.database.isErased(event.accountID) else { return }
    if try ChallengeFactStore.noteTeam(event.teamID, of: event.accountID, in: transaction.database) {
      try engine.settle(event.accountID, [.teams], transaction)
    }
  }

  /// The read model of relations has already applied the event.
  @Sendable
  func relationChanged(_ event: RelationChanged, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    guard event.relation.isFriend, try !transaction.database.isErased(event.accountID) else { return }
    try engine.settle(event.accountID, [.friends], transaction)
  }

  // MARK: - Identity

  /// Releases awards that were withheld while the account was unknown, suspended or without consent.
  @Sendable
  func accountChanged(_ event: AccountChanged, _ logged: LoggedEvent, _ transaction: Transaction) throws {
    guard try !transaction.database.isErased(event.accountID) else { return }
    try engine.releaseHeld(event.accountID, transaction)
  }
}

extension DayFacts {
  /// These facts with a day's present movement.
  fileprivate func taking(_ day: MovementDaysChanged.Day) -> DayFacts {
    var facts = self
    facts.steps = day.earningSteps
    // Earlier versions of activity did not publish earning distances; its snapshot does.
    facts.walking = Int(day.earningWalkingMeters ?? 0)
    facts.running = Int(day.earningRunningMeters ?? 0)
    facts.cycling = Int(day.earningCyclingMeters ?? 0)
    return facts
  }
}
