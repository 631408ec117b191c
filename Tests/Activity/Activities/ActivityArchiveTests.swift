import ActivityContract
import ActivityService
import InProcess
import Operations
import Testing

@Suite("Archiving an activity")
struct ActivityArchiveTests {
  @Test("puts it away from today on: in no list but that of the archived ones, and what was done stays")
  func archive() async throws {
    try await ServicesInProcess.running([{ .activity($0) }]) { services in
      let ana = try await services.register()
      let activity = try await ana.makeActivity(startDay: "2026-11-19")
      let yesterday = try LocalDay(text: "2026-11-20")
      _ = try await ana.send(RecordEntry.self, .init(activityID: activity.id, day: .day(yesterday), isDone: true))
      let archived = try await ana.send(ArchiveActivity.self, .init(activityID: activity.id))
      #expect(archived.isArchived && archived.revision == 2)
      #expect(try await ana.send(ListActivities.self, .init()).items.isEmpty)
      #expect(try await ana.send(ListActivities.self, .init(archived: true)).items.map(\.activity) == [archived])
      #expect(try await ana.send(GetDay.self, .init(day: .today)).activities.isEmpty)
      #expect(try await ana.send(GetDay.self, .init(day: .day(yesterday))).activities.map(\.state) == [.done])
      #expect(try await ana.failure(RecordEntry.self, .init(activityID: activity.id, day: .today, isDone: true)) != nil)
      // Again it changes nothing.
      #expect(try await ana.send(ArchiveActivity.self, .init(activityID: activity.id)) == archived)
      #expect(
        try await services.told(by: .activity).map(\.name) == ["activities.changed", "entries.recorded", "activities.changed"])
    }
  }

  @Test("is undone: it goes on, and the days in between have broken no streak")
  func unarchive() async throws {
    try await ServicesInProcess.running([{ .activity($0) }], at: "2026-11-18T12:00:00.000Z") { services in
      let ana = try await services.register()
      let activity = try await ana.makeActivity(startDay: "2026-11-16")
      for day in ["2026-11-16", "2026-11-17"] {
        _ = try await ana.send(
          RecordEntry.self, .init(activityID: activity.id, day: .day(try LocalDay(text: day)), isDone: true))
      }
      _ = try await ana.send(ArchiveActivity.self, .init(activityID: activity.id))
      try services.clock.set("2026-11-21T12:00:00.000Z")
      let back = try await ana.send(UnarchiveActivity.self, .init(activityID: activity.id))
      #expect(!back.isArchived && back.revision == 3)
      #expect(try await ana.send(UnarchiveActivity.self, .init(activityID: activity.id)) == back)
      _ = try await ana.send(RecordEntry.self, .init(activityID: activity.id, day: .today, isDone: true))
      let details = try await ana.send(GetActivity.self, .init(activityID: activity.id))
      #expect(details.streak.current == 3)
      #expect(details.pauses.map { "\($0.firstDay) \($0.lastDay)" } == ["2026-11-18 2026-11-20"])
      #expect(try await ana.send(GetDay.self, .init(day: .init(text: "2026-11-19"))).activities.map(\.state) == [.paused])
    }
  }

  @Test("and undone on the same day leaves no trace in its days")
  func sameDay() async throws {
    try await ServicesInProcess.running([{ .activity($0) }]) { services in
      let ana = try await services.register()
      let activity = try await ana.makeActivity()
      _ = try await ana.send(ArchiveActivity.self, .init(activityID: activity.id))
      _ = try await ana.send(UnarchiveActivity.self, .init(activityID: activity.id))
      #expect(try await ana.send(GetActivity.self, .init(activityID: activity.id)).pauses.isEmpty)
      #expect(try await ana.send(GetDay.self, .init(day: .today)).activities.map(\.state) == [.pending])
    }
  }

}
