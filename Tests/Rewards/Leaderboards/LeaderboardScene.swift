import ActivityContract
import GRDB
import IdentityContract
import InProcess
import Operations
import RewardsContract
import ServiceKit
import SocialContract
import Storage
import Synchronization
import Testing

@testable import RewardsService

/// Each is higher than the one before.
private let revisions = Mutex(0)

private func nextRevision() -> Int {
  revisions.withLock {
    $0 += 1
    return $0
  }
}

extension ServicesInProcess {
  /// Runs rewards beside services that publish what the test says.
  static func ranking<T>(
    at now: String = "2026-11-21T12:00:00.000Z", _ body: (ServicesInProcess) async throws -> T
  ) async throws -> T {
    try await running(
      [
        { try Rewards.service($0) }, { _ in ServiceDefinition(.activity, migrations: []) },
        { _ in ServiceDefinition(.social, migrations: []) },
      ], at: now, body)
  }

  /// Somebody who is seen on leaderboards, or not.
  func competitor(steps: Int = 0, on day: String = "2026-11-20", isVisible: Bool = true, timeZone: String = "UTC") async throws
    -> Person
  {
    let person = try await register(timeZone: timeZone)
    if isVisible { _ = try await person.send(SetLeaderboardVisibility.self, .init(isVisible: true)) }
    if steps > 0 { try await walk(person, steps, on: day) }
    return person
  }

  /// The steps of a day are now these, beside flagged ones.
  func walk(_ person: Person, _ steps: Int, on day: String, recordedOn recorded: String? = nil, flagged: Int = 0) async throws {
    let event = MovementDaysChanged(
      accountID: person.id, recordedDay: try LocalDay(text: recorded ?? day),
      days: [
        .init(day: try LocalDay(text: day), steps: steps + flagged, earningSteps: steps, revision: nextRevision())
      ])
    try await publish(.activity, event)
    try await hasReceived(.rewards, of: .activity)
  }

  /// What is between the two is now this.
  func relate(_ one: Person, _ other: Person, areFriends: Bool = false, oneHasBlocked: Bool = false) async throws {
    let revision = nextRevision()
    func event(_ account: Person, _ other: Person, hasBlocked: Bool, isBlocked: Bool) -> RelationChanged {
      RelationChanged(
        accountID: account.id, otherAccountID: other.id, relation: Relation(isFriend: areFriends, isBlocked: hasBlocked),
        isBlockedByOther: isBlocked, revision: revision, at: clock.now)
    }
    try await publish(
      .social, event(one, other, hasBlocked: oneHasBlocked, isBlocked: false),
      event(other, one, hasBlocked: false, isBlocked: oneHasBlocked))
    try await hasReceived(.rewards, of: .social)
  }

  /// The account is in that team now, or in it no more.
  func join(_ team: ID<Team>, _ person: Person, isMember: Bool = true) async throws {
    try await publish(
      .social,
      TeamMembershipChanged(
        accountID: person.id, teamID: team, teamName: nil, isMember: isMember, isOwner: false,
        change: isMember ? .joined : .left, revision: nextRevision(), at: clock.now))
    try await hasReceived(.rewards, of: .social)
  }

  /// Suspends an account, or lets it be one no more.
  func suspend(_ person: Person, until: Instant? = .endOfTime) async throws {
    try await change(person, receivedBy: .rewards) { $0.suspendedUntil = until }
  }

  /// Gives or withdraws the consent to activity data.
  func consent(_ person: Person, _ consents: Bool) async throws {
    try await change(person, receivedBy: .rewards) { $0.consents = consents ? [.activityData] : [] }
  }

  /// What the triggers have counted is what the rows come to, of periods that nobody was erased from.
  func countsAreRight(in periods: [Int]) async throws {
    for period in periods {
      for metric in LeaderboardMetric.allCases {
        for level in 0..<LeaderboardRules.levels {
          let (counted, rows) = try await store(of: .rewards).read { database in
            (
              try Row.fetchAll(
                database,
                sql: """
                  SELECT bucket, people FROM leaderboard_counts WHERE period = ? AND metric = ? AND level = ? ORDER BY bucket
                  """, arguments: [period, metric.number, level]
              ).map { [$0[0] as Int, $0[1] as Int] },
              try Row.fetchAll(
                database,
                sql: """
                  SELECT \(metric.column) / \(LeaderboardRules.width(ofLevel: level)), count(*) FROM leaderboard_scores
                  WHERE period = ? AND is_counted = 1 AND \(metric.column) > 0 GROUP BY 1 ORDER BY 1
                  """, arguments: [period]
              ).map { [$0[0] as Int, $0[1] as Int] }
            )
          }
          #expect(counted == rows, "\(period) \(metric) \(level)")
        }
      }
    }
  }
}

extension Person {
  /// A leaderboard as this person sees it.
  func leaderboard(
    _ metric: LeaderboardMetric = .steps, _ period: String? = nil, _ scope: LeaderboardScope? = nil, limit: Int? = nil,
    cursor: PageCursor? = nil
  ) async throws -> ListLeaderboard.Output {
    try await send(
      ListLeaderboard.self,
      .init(
        metric: metric, period: try period.map { try LeaderboardPeriod(text: $0) }, scope: scope, limit: limit, cursor: cursor))
  }

  /// All that is on it, page by page.
  func wholeLeaderboard(
    _ metric: LeaderboardMetric = .steps, _ period: String? = nil, _ scope: LeaderboardScope? = nil, limit: Int
  ) async throws -> [RankedPerson] {
    var people: [RankedPerson] = []
    var cursor: PageCursor?
    repeat {
      let page = try await leaderboard(metric, period, scope, limit: limit, cursor: cursor)
      people += page.items
      cursor = page.nextCursor
    } while cursor != nil
    return people
  }
}

extension [RankedPerson] {
  /// Each as rank and score.
  var ranks: [[Int]] { map { [$0.rank, $0.score] } }
}
