import GRDB
import InProcess
import Operations
import SocialContract
import Storage
import Testing

@testable import ServiceKit
@testable import SocialService

/// How long a first page of recurring tasks takes.
@Suite("The speed of recurring tasks", .serialized)
struct TaskSeriesSpeedTests {
  private func effort(series count: Int) async throws -> ReadingEffort {
    try await ServicesInProcess.withPeople(3) { services, people in
      let input = CreateTaskSeries.Input(
        name: try TaskName(text: "Bins"), participants: try services.usernames(of: [people[1], people[2]]),
        schedule: .weekdays([1]))
      _ = try await people[0].send(CreateTaskSeries.self, input)
      let store = services.store(of: .social)
      try await store.write { transaction in
        try transaction.database.execute(
          sql: """
            WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO task_series (series_id, creator_account, name, schedule_kind, schedule_code, anchor_day, start_day, next_day,
              next_at, advanced_day, created_at)
            SELECT randomblob(16), creator_account, name, schedule_kind, schedule_code, anchor_day, start_day, next_day, next_at,
              advanced_day, created_at FROM task_series, n;
            INSERT INTO task_series_participants (series_id, account_id, series_sequence, position)
            SELECT s.series_id, p.account_id, s.sequence, p.position FROM task_series s, task_series_participants p
            WHERE s.sequence > (SELECT min(sequence) FROM task_series);
            """)
      }
      let account = people[0].id
      return try await store.effort { database in
        let page = PageRequest(limit: nil, lastKey: nil) { _ in .placeholder }
        let found = try TaskSeriesStore.list(for: account, page, in: database)
        precondition(found.items.count == 50 && found.items.allSatisfy { $0.participants.count == 3 })
      }
    }
  }

  @Test("A first page takes at most 10 ms among 1,000 recurring tasks, and as many steps as among a tenth")
  func measured() async throws {
    let (small, large) = (try await effort(series: 100), try await effort(series: 1000))
    print("\(large.milliseconds) ms, \(large.steps) steps of ten")
    #expect(large.milliseconds <= max(10, 3 * small.milliseconds))
    #expect(large.steps <= small.steps + 20, "\(small.steps), \(large.steps)")
  }
}
