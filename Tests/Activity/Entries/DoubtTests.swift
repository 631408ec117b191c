import ActivityContract
import ActivityService
import InProcess
import Operations
import Testing

@Suite("Entries and a session in doubt (ID-7)")
struct DoubtTests {
  @Test("A session in doubt reads days, and can neither change, remove nor add anything")
  func changesNothing() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let activity = try await ana.makeActivity().id
      let name = EntryName(activityID: activity, day: .today)
      _ = try await ana.send(RecordEntry.self, .init(activityID: activity, day: .today, isDone: true, comment: "mine"))
      _ = try await ana.send(CreateCalendarFeedLink.self, .init())
      let start = try Instant(text: "2026-11-21T08:00:00.000Z")
      let samples = [MovementSample(id: "a", start: start, end: start.adding(seconds: 600), steps: 500, source: "phone")]
      _ = try await ana.send(RecordMovementSamples.self, .init(samples: samples))
      let change = OfflineChange(
        id: try ChangeID(text: "1"), deviceID: try DeviceID(text: "phone"), madeAt: start, activityID: activity,
        day: try LocalDay(text: "2026-11-21"), comment: .set("theirs"))
      let doubtful = ana.inDoubt
      let refusals = [
        try await doubtful.failure(DeleteActivity.self, .init(activityID: activity, confirm: true)),
        try await doubtful.failure(UpdateActivity.self, .init(activityID: activity, title: .set("x"))),
        try await doubtful.failure(ArchiveActivity.self, .init(activityID: activity)),
        try await doubtful.failure(RecordEntry.self, .init(activityID: activity, day: .today, isDone: false)),
        try await doubtful.failure(DeleteEntry.self, name), try await doubtful.failure(UndoEntry.self, name),
        try await doubtful.failure(DeleteEntryChanges.self, name),
        try await doubtful.failure(SyncEntries.self, .init(changes: [change])),
        try await doubtful.failure(DeleteEntryPhoto.self, name), try await doubtful.failure(RevokeCalendarFeedLink.self, .init()),
        try await doubtful.failure(CreateCalendarFeedLink.self, .init()),
        try await doubtful.failure(RecordMovementSamples.self, .init(samples: samples)),
        try await doubtful.failure(CreateImport.self, .init(name: "a.gpx", totalBytes: 10)),
        try await doubtful.failure(StartTimer.self, .init(activityID: activity)),
      ]
      #expect(refusals.allSatisfy { $0 == "login_alert_unanswered" }, "\(refusals)")
      let entry = try await doubtful.send(GetEntry.self, name)
      #expect(entry.comment == "mine" && entry.isDone)
      #expect(try await doubtful.send(GetCalendarFeedLink.self, .init()).createdAt != nil)
    }
  }
}
