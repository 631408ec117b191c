import ActivityContract
import Client
import Cluster
import Foundation
import GRDB
import IdentityContract
import Logging
import Messaging
import Operations
import RewardsContract
import ServiceKit
import ServiceLifecycle
import Storage

/// Leaderboards of very many people, read while their days change.
struct LeaderboardLoad {
  let cluster: RunningCluster
  let report: Report
  let people: [People.Person]
  /// How many accounts are on them, all of whom are seen.
  let accounts: Int
  let seconds: Int

  /// Changed days a second, and how many of them are published at once.
  private static let rate = 1000
  private static let batch = 20
  /// How many pages of each leaderboard are asked for.
  private static let pages = 40

  func measure() async throws {
    for person in people { _ = try await person.client.call(SetLeaderboardVisibility.self, .init(isVisible: true)) }
    let ids = (0..<accounts).map { _ in AccountID() }
    try await fill(ids)
    let questions = try await questions()
    try await ask(questions, "at rest", until: ContinuousClock.now + .seconds(seconds))
    try await whileDaysChange(ids) { end in
      try await ask(questions, "with \(Self.rate) changed days a second", until: end)
    }
  }

  // MARK: - Reading

  /// Who asks for which page.
  private typealias Question = (person: People.Person, input: ListLeaderboard.Input)

  /// Pages of all leaderboards, of everyone of the month and of all time: the first and some far down.
  private func questions() async throws -> [Question] {
    var questions: [Question] = []
    for metric in LeaderboardMetric.allCases {
      for period in [nil, LeaderboardPeriod.allTime] {
        for person in people {
          var cursor: PageCursor?
          for _ in 0..<Self.pages / people.count {
            let input = ListLeaderboard.Input(metric: metric, period: period, limit: 200, cursor: cursor)
            questions.append((person, ListLeaderboard.Input(metric: metric, period: period, cursor: cursor)))
            cursor = try await person.client.call(ListLeaderboard.self, input).nextCursor
          }
        }
      }
    }
    return questions
  }

  /// Asks for them in turn, and with each for the reader's own place and its neighbours.
  private func ask(_ questions: [Question], _ name: String, until end: ContinuousClock.Instant) async throws {
    var next = 0
    let waits = try await Waits(until: { ContinuousClock.now >= end }) {
      let (person, input) = questions[next % questions.count]
      next += 1
      let page = try await person.client.call(ListLeaderboard.self, input)
      guard page.items.count == 50, page.neighbours.count == 11 else { throw ValidationProblem.leaderboard(page.items.count) }
    }
    report.add(
      "a page of a leaderboard of \(accounts) people and one's own place with neighbours, \(name), p99",
      String(format: "%.1f ms", waits.p99), target: "10 ms", isReached: waits.p99 <= 10)
    report.raw(
      String(format: "leaderboards \(name): p50 %.1f ms, longest %.1f ms, \(next) pages", waits.p50, waits.longest))
  }

  enum ValidationProblem: Error { case leaderboard(Int) }

  // MARK: - Days that change

  /// Lets a stand-in for activity publish changed days of people at random while the body runs.
  private func whileDaysChange(_ ids: [AccountID], _ body: (ContinuousClock.Instant) async throws -> Void) async throws {
    cluster.hold(.activity)
    // The end of a process is waited for; there is nothing that reports it.
    while cluster.processID(.activity) != 0 { try await Task.sleep(for: .milliseconds(5)) }
    let logger = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
    let environment = ServiceEnvironment(
      settings: Settings([:]), home: Home(path: "\(cluster.home)/stand-in"),
      bus: ZeroMQBus(.activity, endpoints: .local(directory: Home(path: cluster.home).sockets), logger: logger), logger: logger)
    let host = try ServiceHost(
      ServiceDefinition(.activity, environment, features: [], erasesAccounts: false), environment)
    let group = ServiceGroup(configuration: .init(services: [.init(service: host)], logger: logger))
    let running = Task { try await group.run() }
    try await cluster.waitUntilReady()
    let end = ContinuousClock.now + .seconds(seconds * 4)
    let store = host.store
    let publishing = Task { try await Self.publish(ids, to: store, until: end) }
    try await body(end)
    let published = try await publishing.value
    let lag = try await untilCounted(store)
    let perSecond = published / (seconds * 4)
    report.raw(
      "\(published) changed days in \(seconds * 4) s, \(perSecond) a second; the last one counted \(Int(lag)) ms after it was published"
    )
    report.add(
      "the last of those days counted", "\(Int(lag)) ms", target: "1,000 ms", isReached: lag <= 1000)
    await group.triggerGracefulShutdown()
    try await running.value
    try cluster.release(.activity)
    try await cluster.waitUntilReady()
  }

  private static func publish(_ ids: [AccountID], to store: Store, until end: ContinuousClock.Instant) async throws -> Int {
    let today = today
    var due = ContinuousClock.now
    var published = 0
    while ContinuousClock.now < end {
      let revision = published
      try await store.write { transaction in
        for index in 0..<batch {
          guard let account = ids.randomElement() else { return }
          try transaction.publish(event(account, steps: Int.random(in: 100..<20_000), revision: revision + index + 1, on: today))
        }
      }
      published += batch
      due += .microseconds(1_000_000 * batch / rate)
      try await Task.sleep(until: due)
    }
    return published
  }

  /// Publishes one more day and waits for its place, in milliseconds.
  private func untilCounted(_ store: Store) async throws -> Double {
    let last = Self.event(people[0].account.id, steps: 1, revision: 1, on: Self.today)
    let before = try await score(of: people[0])
    let start = ContinuousClock.now
    try await store.write { try $0.publish(last) }
    while try await score(of: people[0]) == before { try await Task.sleep(for: .milliseconds(2)) }
    return (ContinuousClock.now - start).milliseconds
  }

  private func score(of person: People.Person) async throws -> Int? {
    try await person.client.call(ListLeaderboard.self, .init(metric: .steps, period: .allTime, limit: 1)).me?.score
  }

  private static var today: LocalDay { LocalCalendar.day(Instant.now.milliseconds) }

  private static func event(_ account: AccountID, steps: Int, revision: Int, on day: LocalDay) -> MovementDaysChanged {
    MovementDaysChanged(
      accountID: account, recordedDay: day, days: [.init(day: day, steps: steps, earningSteps: steps, revision: revision)])
  }

  // MARK: - Filling

  /// Fills the store while its service is away: everybody has steps of this month and of others.
  private func fill(_ ids: [AccountID]) async throws {
    let start = ContinuousClock.now
    cluster.hold(.rewards)
    while cluster.processID(.rewards) != 0 { try await Task.sleep(for: .milliseconds(5)) }
    var configuration = Configuration()
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF; PRAGMA cache_size = -500000") }
    let store = try DatabaseQueue(path: "\(cluster.home)/stores/rewards.sqlite", configuration: configuration)
    let own = people.map(\.account.id)
    let (year, month, _) = Self.today.parts
    try await store.write { try LeaderboardLoad.fill($0, ids, own: own, month: year * 100 + month) }
    try store.close()
    try cluster.release(.rewards)
    try await cluster.waitUntilReady()
    report.raw("leaderboards of \(ids.count) people written in \(Int((ContinuousClock.now - start).milliseconds)) ms")
  }

  private static func fill(_ database: Database, _ ids: [AccountID], own: [AccountID], month: Int) throws {
    // What the triggers and indexes come to is made at once.
    let kept = try Row.fetchAll(
      database,
      sql: """
        SELECT type, name, sql FROM sqlite_schema WHERE tbl_name = 'leaderboard_scores' AND type <> 'table' AND sql IS NOT NULL
        """
    ).map { (type: $0["type"] as String, name: $0["name"] as String, sql: $0["sql"] as String) }
    for (type, name, _) in kept { try database.execute(sql: "DROP \(type) \(name)") }
    let account = try database.makeStatement(
      sql: """
        INSERT INTO accounts (account_id, username, time_zone, day_start_hour, language, is_verified, consents, revision)
        VALUES (?, ?, 'UTC', 0, 'en', 1, 'activityData', 1)
        """)
    let choice = try database.makeStatement(
      sql: "INSERT INTO leaderboard_people (account_id, is_seen, is_shown) VALUES (?, 1, 1)")
    let score = try database.makeStatement(
      sql: """
        INSERT INTO leaderboard_scores (account_id, period, steps, coins, is_shown, is_counted) VALUES (?, ?, ?, ?, 1, 1)
        """)
    func add(_ id: AccountID, month steps: Int, before: Int) throws {
      try score.execute(arguments: [id, 0, steps + before, (steps + before) / 100])
      try score.execute(arguments: [id, month, steps, steps / 100])
    }
    for (number, id) in ids.enumerated() {
      try account.execute(arguments: [id, "bench.number\(number)"])
      try choice.execute(arguments: [id])
      // About as a bell: most people are near the middle.
      let steps = (0..<4).reduce(1) { sum, _ in sum + Int.random(in: 0..<120_000) }
      try add(id, month: steps, before: (0..<3).reduce(0) { sum, _ in sum + Int.random(in: 0..<2_000_000) })
    }
    // Near the top, in the middle, and far down.
    for (number, id) in own.enumerated() {
      let steps = [380_000, 240_000, 190_000, 90_000][number % 4]
      try add(id, month: steps, before: steps * 12)
    }
    for (metric, column) in ["steps", "coins"].enumerated() {
      for (level, width) in [1, 256, 65_536].enumerated() {
        try database.execute(
          sql: """
            INSERT INTO leaderboard_counts (period, metric, level, bucket, people)
            SELECT period, \(metric), \(level), \(column) / \(width), count(*) FROM leaderboard_scores
            WHERE is_counted = 1 AND \(column) > 0 GROUP BY period, \(column) / \(width)
            """)
      }
    }
    for (_, _, sql) in kept { try database.execute(sql: sql) }
  }
}
