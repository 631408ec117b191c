import ActivityContract
import EarlierStores
import GRDB
import InMemoryBus
import Logging
import Operations
import RewardsContract
import ServiceKit
import Storage
import Testing

@testable import RewardsService

@Suite("Challenges in stores of earlier versions (REW-7)")
struct ChallengeMigrationTests {
  @Test("An upgraded store receives all movement again, which counts for challenges and pays no coin twice")
  func upgrade() async throws {
    let environment = ServiceEnvironment(
      settings: Settings([:]), home: Home(path: "/nonexistent"), bus: MemoryBus(.rewards, on: MemoryExchange()),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let migrations = try Rewards.features(environment).flatMap(\.migrations).sorted { $0.number < $1.number }
    let (ana, banned) = (AccountID(), AccountID())
    let day = LocalDay(daysSinceEpoch: Int32(Instant.now.milliseconds / 86_400_000))
    let event = MovementDaysChanged(
      accountID: ana, recordedDay: day, days: [.of(day, steps: 950, walking: 700, revision: 5)])
    try await UpgradedStore.upgrading(.rewards, migrations, before: ChallengeMigrationTests.first) { transaction in
      let database = transaction.database
      for (account, until) in [(ana, Instant(milliseconds: 5)), (banned, .endOfTime)] {
        try database.execute(
          sql: """
            INSERT INTO accounts
              (account_id, username, time_zone, day_start_hour, language, is_verified, consents, suspended_until, revision)
            VALUES (?, ?, 'UTC', 0, 'en', 1, 'activityData', ?, 1)
            """, arguments: [account, "\(account)", until])
      }
      for (number, publisher) in ["activity", "identity", "social"].enumerated() {
        try database.execute(
          sql: "INSERT INTO subscription_cursors (publisher, epoch, number) VALUES (?, 'one', ?)", arguments: [publisher, number])
      }
      try CoinStore.count(event, by: CoinFormula(), expiry: CoinExpiry(), transaction)
    } check: { store in
      func read<T: DatabaseValueConvertible & Sendable>(_ sql: String) async throws -> [T] {
        try await store.read { try T.fetchAll($0, sql: sql) }
      }
      #expect(try await read("SELECT publisher FROM subscription_cursors") == ["identity"])
      #expect(try await read("SELECT count(*) FROM challenge_stamps") == [1])
      // A suspension that was over by then is looked at once more.
      #expect(try await read("SELECT account_id FROM suspension_ends") == [ana])
      let item = ChallengeScene.challenge("Walk", 900, coins: 4)
      try await store.write { transaction in
        try ChallengeDefinitionStore.add(item.id, item.terms, transaction)
        try CoinStore.count(event, by: CoinFormula(), expiry: CoinExpiry(), transaction)
        try ChallengeSubscriptions(engine: ChallengeHistoryTests.engine, formula: CoinFormula()).take(event, transaction)
      }
      #expect(try await read("SELECT kind FROM transfers ORDER BY number") == ["earned", "challengeReward"])
      #expect(try await store.read { try LedgerStore.balance(of: ana, at: .now, in: $0).coins } == 13)
      #expect(try await store.read { try LedgerCheck.faults(in: $0) } == [])
    }
  }

  /// The migration that brought challenges.
  private static let first = 24
}
