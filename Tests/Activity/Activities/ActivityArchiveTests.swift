import ActivityContract
import ActivityService
import InProcess
import Operations
import Testing

@Suite("Archiving an activity")
struct ActivityArchiveTests {
  @Test("An archived activity is hidden from today on: only the archive lists it, and recorded entries stay")
  func archive() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let activity = try await ana.makeActivity(startDay: "2026-11-19")
      let yesterday = try LocalDay(text: "2026-11-20")
      _ = try await ana.send(RecordEntry.self, .init(activityID: activity.id, day: .day(yesterday), isDone: true))
      let archived = try await ana.send(ArchiveActivity.self, .init(activityID: activity.id))
      #expect(archived.isArchived && archived.revision == 2)
      #expect(try await ana.send(ListActivities.self, .init()).items.isEmpty)
      #expect(try await ana.send(ListActivities.self, .init(isArchived: true)).items.map(\.activity) == [archived])
      #expect(try await ana.send(GetDay.self, .init(day: .today)).activities.isEmpty)
      #expect(try await ana.send(GetDay.self, .init(day: .day(yesterday))).activities.map(\.state) == [.done])
      #expect(try await ana.failure(RecordEntry.self, .init(activityID: activity.id, day: .today, isDone: true)) != nil)
      // Again it changes nothing.
      #expect(try await ana.send(ArchiveActivity.self, .init(activityID: activity.id)) == archived)
      #expect(
        try await services.published(by: .activity).map(\.name) == [
          "activities.changed", "entries.recorded", "activities.changed",
        ])
    }
  }

  @Test("An activity taken out of the archive continues, and its archived days break no streak")
  func unarchive() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2026-11-18T12:00:00.000Z") { services in
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

  @Test("An activity archived and unarchived on the same day leaves no trace in its days")
  func sameDay() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let activity = try await ana.makeActivity()
      _ = try await ana.send(ArchiveActivity.self, .init(activityID: activity.id))
      _ = try await ana.send(UnarchiveActivity.self, .init(activityID: activity.id))
      #expect(try await ana.send(GetActivity.self, .init(activityID: activity.id)).pauses.isEmpty)
      #expect(try await ana.send(GetDay.self, .init(day: .today)).activities.map(\.state) == [.pending])
    }
  }

  private func pauses(_ person: Person, _ id: ActivityID) async throws -> [String] {
    try await person.send(GetActivity.self, .init(activityID: id)).pauses.map {
      "\($0.firstDay) \($0.lastDay)\($0.isArchive ? " archive" : "")"
    }
  }

  @Test("An archived activity keeps the account's own pauses and can get new ones; all hold once it is unarchived")
  func ownPauses() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2026-11-18T12:00:00.000Z") { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(startDay: "2026-11-01").id
      func input(_ first: String, _ last: String) throws -> CreatePause.Input {
        .init(activityID: id, firstDay: try LocalDay(text: first), lastDay: try LocalDay(text: last))
      }
      _ = try await ana.send(CreatePause.self, input("2026-11-17", "2026-11-19"))
      let planned = try await ana.send(CreatePause.self, input("2026-12-01", "2026-12-05"))
      _ = try await ana.send(ArchiveActivity.self, .init(activityID: id))
      #expect(
        try await pauses(ana, id) == ["2026-11-17 2026-11-19", "2026-11-18 2199-12-31 archive", "2026-12-01 2026-12-05"])
      // Pauses of one's own still do not overlap.
      #expect(try await ana.failure(CreatePause.self, input("2026-12-05", "2026-12-06")) == "pause_overlaps")
      _ = try await ana.send(CreatePause.self, input("2026-11-21", "2026-11-21"))
      _ = try await ana.send(CreatePause.self, input("2026-12-10", "2026-12-12"))
      _ = try await ana.send(
        UpdatePause.self, .init(activityID: id, pauseID: planned.id, lastDay: .set(try LocalDay(text: "2026-12-03"))))
      try services.clock.set("2026-11-23T12:00:00.000Z")
      _ = try await ana.send(UnarchiveActivity.self, .init(activityID: id))
      #expect(
        try await pauses(ana, id) == [
          "2026-11-17 2026-11-19", "2026-11-20 2026-11-20", "2026-11-21 2026-11-21", "2026-11-22 2026-11-22",
          "2026-12-01 2026-12-03", "2026-12-10 2026-12-12",
        ])
      let calendar = try await ana.send(GetCalendar.self, .init(activityID: id, format: .twoWeeks))
      #expect(calendar.days[1...6].map(\.state) == [.paused, .paused, .paused, .paused, .paused, .paused])
      #expect(try await ana.send(GetDay.self, .init(day: .today)).activities.map(\.state) == [.pending])
      #expect(try await ana.send(GetDay.self, .init(day: .init(text: "2026-12-02"))).activities.map(\.state) == [.paused])
    }
  }

  @Test("An activity leaves the archive only by being unarchived: its pause cannot be changed, nor its days recorded")
  func onlyByUnarchiving() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(startDay: "2026-11-01").id
      _ = try await ana.send(ArchiveActivity.self, .init(activityID: id))
      let own = try #require(try await ana.send(GetActivity.self, .init(activityID: id)).pauses.first)
      let shorter = UpdatePause.Input(activityID: id, pauseID: own.id, lastDay: .set(own.firstDay))
      #expect(try await ana.failure(UpdatePause.self, shorter) == "activity_archived")
      #expect(try await ana.failure(DeletePause.self, .init(activityID: id, pauseID: own.id)) == "activity_archived")
      #expect(try await ana.failure(RecordEntry.self, .init(activityID: id, day: .today, isDone: true)) == "activity_archived")
      #expect(try await ana.failure(CreateSkip.self, .init(activityID: id, day: .today)) == "activity_archived")
      #expect(try await ana.send(GetActivity.self, .init(activityID: id)).pauses == [own])
      let words = Words(Contract.activity.words)
      #expect(words.text("failure.activity_archived.suggestion", .english) == "Unarchive it first.")
    }
  }
}
