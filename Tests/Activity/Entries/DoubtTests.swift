import ActivityContract
import ActivityService
import InProcess
import Operations
import Testing

@Suite("What a session in doubt does to somebody's days (ID-7)")
struct DoubtTests {
  private func running(_ body: (Person, ActivityID) async throws -> Void) async throws {
    try await ServicesInProcess.running([{ .activity($0) }]) { services in
      let ana = try await services.register()
      try await body(ana, try await ana.makeActivity().id)
    }
  }

  private func change(_ activity: ActivityID, _ id: String, isDeleted: Bool? = nil, isDone: Bool? = nil) throws -> OfflineChange {
    OfflineChange(
      id: try ChangeID(text: id), deviceID: try DeviceID(text: "phone"), madeAt: try Instant(text: "2026-11-21T11:00:00.000Z"),
      activityID: activity, day: try LocalDay(text: "2026-11-21"), isDeleted: isDeleted, isDone: isDone)
  }

  @Test("it reads and writes them, and what it overwrites can be read and taken back by their owner")
  func adds() async throws {
    try await running { ana, activity in
      let name = EntryName(activityID: activity, day: .today)
      _ = try await ana.send(RecordEntry.self, .init(activityID: activity, day: .today, isDone: true, comment: "mine"))
      _ = try await ana.inDoubt.send(EditEntry.self, .init(activityID: activity, day: .today, comment: .set("theirs")))
      _ = try await ana.inDoubt.send(RecordEntry.self, .init(activityID: activity, day: .today, isDone: false))
      #expect(try await ana.inDoubt.send(GetEntry.self, name).comment == "theirs")
      let lost = try await ana.send(ListEntryChanges.self, .init(activityID: activity, day: .today)).items
      #expect(lost.contains { $0.comment == "mine" })
      #expect(try await ana.send(UndoEntry.self, name).entry?.isDone == true)
      _ = try await ana.inDoubt.send(ArchiveActivity.self, .init(activityID: activity))
      _ = try await ana.send(UnarchiveActivity.self, .init(activityID: activity))
    }
  }

  @Test("it takes away nothing that would not come back: activities, entries, photos, their history, links")
  func takesNothing() async throws {
    try await running { ana, activity in
      let name = EntryName(activityID: activity, day: .today)
      let photo = try Snapshots.png()
      let first = RecordEntry.Input(activityID: activity, day: .today, isDone: true, photo: photo)
      let second = RecordEntry.Input(activityID: activity, day: .today, isDone: true, photo: try Snapshots.jpeg())
      // The first photo of an entry takes no other's place, sent again neither.
      for _ in 0..<2 { _ = try await ana.inDoubt.send(RecordEntry.self, first) }
      let kept = try await ana.send(GetEntry.self, name)
      _ = try await ana.send(CreateCalendarFeed.self, .init())
      let doubtful = ana.inDoubt
      let refusals = [
        try await doubtful.failure(DeleteActivity.self, .init(activityID: activity, confirm: true)),
        try await doubtful.failure(UpdateActivity.self, .init(activityID: activity, title: .set("x"))),
        try await doubtful.failure(DeleteEntry.self, name), try await doubtful.failure(UndoEntry.self, name),
        try await doubtful.failure(ForgetEntryChanges.self, name),
        try await doubtful.failure(PutEntryPhoto.self, .init(activityID: activity, day: .today, content: photo)),
        try await doubtful.failure(DeleteEntryPhoto.self, name), try await doubtful.failure(RecordEntry.self, second),
        try await doubtful.failure(RevokeCalendarFeed.self, .init()),
        try await doubtful.failure(CreateCalendarFeed.self, .init()),
      ]
      #expect(refusals.allSatisfy { $0 == "login_alert_unanswered" }, "\(refusals)")
      let results = try await doubtful.send(
        SyncEntries.self,
        .init(changes: [try change(activity, "1", isDeleted: true), try change(activity, "2", isDone: true)])
      ).results
      #expect(results.map(\.outcome) == [.refused, .superseded])
      #expect(results[0].refusal?.code == "login_alert_unanswered" && results[0].refusal?.message.contains("login") == true)
      #expect(try await ana.send(GetEntry.self, name).photoTag == kept.photoTag)
      #expect(try await ana.send(GetCalendarFeed.self, .init()).createdAt != nil)
    }
  }
}
