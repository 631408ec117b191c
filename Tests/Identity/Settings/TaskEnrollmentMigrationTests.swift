import EarlierStores
import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage
import Testing

@testable import IdentityService

@Suite("Who may enrol accounts of earlier stores in tasks (TASK-1)")
struct TaskEnrollmentMigrationTests {
  private static let former = ["everybody", "friends", "nobody"]

  private func check(_ store: Store) async throws {
    let kept = try await store.read {
      try TaskEnrollment.fetchAll($0, sql: "SELECT task_enrollment FROM accounts ORDER BY username")
    }
    #expect(kept == [.everyone, .friends, .nobody])
    try await store.write { try $0.database.execute(sql: "UPDATE accounts SET task_enrollment = 'everyone'") }
    let changed = try await store.read { try TaskEnrollment.fetchSet($0, sql: "SELECT task_enrollment FROM accounts") }
    #expect(changed == [.everyone])
  }

  @Test("Identity's accounts open to everybody are open to everyone after an upgrade, and the others stay as they are")
  func identity() async throws {
    let migrations = try await RunningIdentity.migrations()
    let number = try #require(migrations.first { $0.name.hasPrefix("everyone may enrol") }).number
    try await UpgradedStore.upgrading(.identity, migrations, before: number) { transaction in
      for (index, enrollment) in Self.former.enumerated() {
        try transaction.database.execute(
          sql: """
            INSERT INTO accounts (account_id, email, email_normalized, username, password_hash, time_zone, language, created_at,
              task_enrollment, revision)
            VALUES (?1, ?2, ?2, ?3, '$argon2id$', 'UTC', 'en', 1, ?4, 1)
            """,
          arguments: [AccountID(), "p\(index)@example.com", "person\(index)", enrollment])
      }
    } check: {
      try await check($0)
    }
  }

  @Test("The read model of accounts follows, and events published earlier are understood")
  func readModel() async throws {
    let feature = AccountsFeature(migrations: (table: 1, settings: 2, people: 3, enrollment: 4, everyone: 5))
    try await UpgradedStore.upgrading(.social, feature.migrations, before: 5) { transaction in
      for (index, enrollment) in Self.former.enumerated() {
        try transaction.database.execute(
          sql: """
            INSERT INTO accounts (account_id, username, time_zone, day_start_hour, language, is_verified, task_enrollment, revision)
            VALUES (?, ?, 'UTC', 0, 'en', 1, ?, 1)
            """,
          arguments: [AccountID(), "person\(index)", enrollment])
      }
    } check: {
      try await check($0)
    }
    #expect(Self.former.map { TaskEnrollment(rawValue: $0) } == [.everyone, .friends, .nobody])
    #expect(TaskEnrollment.everyone.rawValue == "everyone")
  }
}
