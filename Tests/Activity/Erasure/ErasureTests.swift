import ActivityContract
import GRDB
import IdentityContract
import InProcess
import Operations
import ServiceKit
import Storage
import Testing

@testable import ActivityService

@Suite("Erasing an account's activities and steps (ID-12)")
struct ErasureTests {
  private func fill(_ services: ServicesInProcess, _ person: Person) async throws {
    let activity = try await person.makeActivity()
    let form = RecordEntry.Input(
      activityID: activity.id, day: .today, isDone: true, comment: "a", location: EntryLocation(latitude: 1, longitude: 2),
      photo: try Snapshots.png())
    _ = try await person.send(RecordEntry.self, form, key: "entry")
    // One that is written over, deleted and recorded anew, with a timer.
    let timed = try await person.makeActivity(goal: .duration(seconds: 60)).id
    _ = try await person.send(RecordEntry.self, .init(activityID: timed, day: .today, durationSeconds: 1))
    _ = try await person.send(DeleteEntry.self, .init(activityID: timed, day: .today))
    _ = try await person.send(StartTimer.self, .init(activityID: timed))
    // One made offline, too late.
    let late = OfflineChange(
      id: .placeholder, deviceID: .placeholder, madeAt: Instant(milliseconds: 0), activityID: activity.id,
      day: try LocalDay(text: "2026-11-21"), isDone: false)
    _ = try await person.send(SyncEntries.self, .init(changes: [late]))
    _ = try await person.send(SetStepGoal.self, .init(period: .day, goal: 100))
    try await services.store(of: .activity).write { transaction in
      try DashboardCoinStore.count(1, ID(), on: LocalDay(daysSinceEpoch: 20_000), of: person.id, transaction)
    }
    // Over midnight, so that it has a later day.
    let sample = MovementSample(
      id: "night", start: try Instant(text: "2026-11-20T23:00:00.000Z"), end: try Instant(text: "2026-11-21T01:00:00.000Z"),
      steps: 200, source: "watch")
    _ = try await person.send(RecordMovementSamples.self, .init(samples: [sample]))
  }

  @Test(
    "Erasing an account leaves nothing of it in any table and event, and everything of others, at once or in steps",
    arguments: ["500", "1"])
  func everyTable(rowsPerTransaction: String) async throws {
    let settings = ["racha.erasure.rowsPerTransaction": rowsPerTransaction]
    try await ServicesInProcess.running([{ Activities.service($0) }], settings: settings) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      for person in [ana, ben] { try await fill(services, person) }
      let store = services.store(of: .activity)
      // Each streak is counted and published by a worker; then nothing of it is due until something is written.
      try await store.until {
        try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM streaks WHERE due_at = 0") } == 0
      }
      let events = 8 + (try await services.streaks().count { $0.accountID == ana.id })
      let tables = [
        "accounts", "entries", "entry_photos", "entry_places", "entry_deletions", "entry_change_names",
        "entry_change_counts", "timers",
        "movement_accounts", "movement_sources", "movement_samples", "movement_series",
        "step_goals", "step_goal_stages", "dashboard_transfers",
      ]
      for table in tables { #expect(try await store.rows(table) == 2, "\(table)") }
      let more = [
        ("activities", 4), ("activity_versions", 4), ("streaks", 4), ("entry_stamps", 6), ("entry_changes", 4),
        ("movement_minutes", 4),
      ]
      for (table, count) in more { #expect(try await store.rows(table) == count, "\(table)") }
      // A share of what its idempotency keys may take up is drawn by chance.
      let traces = try await store.traces(of: ana.id).filter { $0 != "idempotency_draws.owner" }
      #expect(traces.count == 19)
      try await services.delete(ana, receivedBy: .activity)
      #expect(try await store.traces(of: ana.id) == [])
      for table in tables { #expect(try await store.rows(table) == 1, "\(table)") }
      for (table, count) in more { #expect(try await store.rows(table) == count / 2, "\(table)") }
      #expect(
        try await store.erasedCounts(of: ana.id) == [
          "profiles 3", "activities 2", "entries 1", "steps 13", "follows 0", "coins 3", "events \(events)",
        ])
      #expect(try await ben.send(GetDay.self, .init(day: .today)).activities.map(\.state) == [.done, .pending])
      let published = try await services.published(by: .activity)
      #expect(published.filter { $0.name == "events.erased" }.count == events)
    }
  }

  @Test("Late requests and events of an erased account have no effect")
  func late() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let activity = try await ana.makeActivity()
      try await services.delete(ana, receivedBy: .activity)
      let entry = RecordEntry.Input(activityID: activity.id, day: .today, isDone: true)
      // That she is gone refuses it, not that her activity is.
      #expect(try await ana.failure(RecordEntry.self, entry) == "session_revoked")
      let sample = MovementSample(
        id: "late", start: try Instant(text: "2026-11-21T09:00:00.000Z"), end: try Instant(text: "2026-11-21T10:00:00.000Z"),
        steps: 200)
      #expect(try await ana.failure(RecordMovementSamples.self, .init(samples: [sample])) == "session_revoked")
      // Identity's older events come once more, as after a restore.
      try await services.move(ana, to: "Europe/Madrid", receivedBy: .activity)
      #expect(try await services.store(of: .activity).traces(of: ana.id) == [])
    }
  }
}
