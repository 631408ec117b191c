import ActivityContract
import Foundation
import InProcess
import Operations
import RewardsContract
import ServiceKit
import SocialContract
import Storage
import Synchronization
import Testing

@testable import RewardsService

/// Rewards beside an activity and a social service that only publish, with definitions of the test's own.
enum ChallengeScene {
  /// A Saturday.
  static let today = LocalDay(daysSinceEpoch: 20_778)

  static func running(
    _ challenges: [ChallengesFile.Item] = [], settings: [String: String] = [:], at now: String? = "2026-11-21T12:00:00.000Z",
    beside others: [ServicesInProcess.Build] = [], _ body: (ServicesInProcess) async throws -> Void
  ) async throws {
    let publishers: [ServicesInProcess.Build] = [
      { _ in ServiceDefinition(.activity, migrations: []) }, { _ in ServiceDefinition(.social, migrations: []) },
    ]
    try await ServicesInProcess.running(
      publishers + [{ try Rewards.service($0) }] + others, settings: settings, at: now,
      prepare: { home in
        let file = ChallengesFile(challenges: challenges)
        try Data(file.json).write(to: URL(fileURLWithPath: "\(home.path)/\(ChallengesFile.name)"))
      },
      { services in
        // The definitions are put into the store by a worker.
        let store = services.store(of: .rewards)
        try await store.until { try await store.rows("challenges") == challenges.count }
        try await body(services)
      })
  }

  static func texts(_ name: String) -> ChallengeTexts {
    ChallengeTexts(
      en: ChallengeText(title: name, description: "Do \(name).", badge: "\(name) badge"),
      es: ChallengeText(title: "\(name) (es)", description: "Haz \(name).", badge: "Insignia \(name)"))
  }

  /// A challenge of steps in a day.
  static func challenge(_ name: String, _ threshold: Int, coins: Int? = nil) -> ChallengesFile.Item {
    challenge(name, .steps, .day, threshold, coins: coins)
  }

  static func challenge(
    _ name: String, _ metric: ChallengeMetric, _ window: ChallengeWindow, stepsPerDay: Int? = nil, newAccountDays: Int? = nil,
    _ threshold: Int, coins: Int? = nil
  ) -> ChallengesFile.Item {
    let rule = ChallengeRule(metric: metric, window: window, stepsPerDay: stepsPerDay, newAccountDays: newAccountDays)
    return ChallengesFile.Item(
      id: ChallengeID(),
      terms: ChallengeTerms(rule: rule, threshold: threshold, coins: coins, icon: .placeholder, texts: texts(name)))
  }

  static func achievement(
    _ name: String, _ metric: ChallengeMetric, in window: ChallengeWindow = .ever, stepsPerDay: Int? = nil, tiers: ChallengeTiers
  ) -> ChallengesFile.Item {
    ChallengesFile.Item(
      id: ChallengeID(),
      terms: ChallengeTerms(
        rule: ChallengeRule(metric: metric, window: window, stepsPerDay: stepsPerDay), tiers: tiers, icon: .placeholder,
        texts: texts(name)))
  }
}

extension MovementDaysChanged.Day {
  /// A day all of whose movement may earn.
  static func of(
    _ day: LocalDay, steps: Int = 0, walking: Double = 0, running: Double = 0, cycling: Double = 0, revision: Int
  ) -> MovementDaysChanged.Day {
    MovementDaysChanged.Day(
      day: day, steps: steps, earningSteps: steps, walkingMeters: walking, runningMeters: running, cyclingMeters: cycling,
      earningWalkingMeters: walking, earningRunningMeters: running, earningCyclingMeters: cycling, revision: revision)
  }
}

/// Revisions that grow.
private let revisions = Counter()

extension ServicesInProcess {
  /// Publishes a day's movement as activity does, and waits until it counts.
  func move(
    _ account: AccountID, steps: Int = 0, walking: Double = 0, running: Double = 0, cycling: Double = 0, daysAgo: Int = 0,
    recordedDaysAgo: Int = 0
  ) async throws {
    // Whose days they are is known before.
    try await hasReceived(.rewards, of: .identity)
    try await publish(
      .activity,
      MovementDaysChanged(
        accountID: account, recordedDay: ChallengeScene.today.advanced(by: -recordedDaysAgo),
        days: [
          .of(
            ChallengeScene.today.advanced(by: -daysAgo), steps: steps, walking: walking, running: running, cycling: cycling,
            revision: revisions.next())
        ]))
    try await hasReceived(.rewards, of: .activity)
  }

  /// Publishes an event of another service, and waits until rewards has received it.
  func publish(from publisher: ServiceName, _ event: any Event) async throws {
    // Whom it is about is known before.
    try await hasReceived(.rewards, of: .identity)
    try await publish(publisher, event)
    try await hasReceived(.rewards, of: publisher)
  }

  /// The names of the events that rewards has published about challenges and badges, oldest first.
  func publishedOfChallenges() async throws -> [String] {
    try await published(by: .rewards).map(\.name).filter { $0.hasPrefix("challenges.") || $0.hasPrefix("badges.") }
  }

  func coins(of person: Person) async throws -> Int { try await person.send(GetBalance.self, .init()).coins }
}

final class Counter: Sendable {
  private let value = Mutex(0)
  func next() -> Int {
    value.withLock {
      $0 += 1
      return $0
    }
  }
}
