import ActivityContract
import IdentityContract
import Operations

extension OperationRound {
  static let activity = [
    OperationRound("activities") { try await $0.activities() },
    OperationRound("entries") { try await $0.entries() },
    OperationRound("plans and timers") { try await $0.plans() },
    OperationRound("movement") { try await $0.movement() },
    OperationRound("imports") { try await $0.imports() },
    OperationRound("looking back") { try await $0.lookBack() },
  ]
}

extension RoundWorker {
  private func makeActivity(_ goal: Goal = .quantity(1000, unit: "times")) async throws -> ActivityID {
    try await ana(
      CreateActivity.self,
      .init(title: "Round \(name)", category: .other, goal: goal, schedule: .daily, startDay: day(-10))
    ).id
  }

  func activities() async throws {
    let id = try await makeActivity()
    try await ana(GetActivity.self, .init(activityID: id))
    try await ana(UpdateActivity.self, .init(activityID: id, title: .set("Other \(name)")))
    try await ana(ReorderActivity.self, .init(activityID: id))
    try await ana(ListActivities.self, .init())
    try await ana(ArchiveActivity.self, .init(activityID: id))
    try await ana(UnarchiveActivity.self, .init(activityID: id))
    try await ana(ListCategories.self, .init())
    try await ana(ListTemplates.self, .init())
    try await ana(GetDay.self, .init(day: .today))
    try await ana(DeleteActivity.self, .init(activityID: id, confirm: true))
  }

  func entries() async throws {
    let id = try await makeActivity()
    let location = EntryLocation(latitude: 40.4, longitude: -3.7)
    try await ana(
      RecordEntry.self, .init(activityID: id, day: .today, amount: 3, comment: "by the river", location: location))
    try await ana(CreateEntry.self, .init(activityID: id, day: .day(day(-1)), amount: 2))
    try await ana(IncrementEntry.self, .init(activityID: id, day: .today, amount: 1))
    try await ana(UpdateEntry.self, .init(activityID: id, day: .today, comment: .set("in the rain")))
    try await ana(PutEntryPhoto.self, .init(activityID: id, day: .today, content: GrowthCast.picture))
    try await ana(GetEntryPhoto.self, .init(activityID: id, day: .today))
    try await ana(DeleteEntryPhoto.self, .init(activityID: id, day: .today))
    try await ana(GetEntry.self, .init(activityID: id, day: .today))
    try await ana(ListEntryChanges.self, .init(activityID: id, day: .today))
    try await ana(UndoEntry.self, .init(activityID: id, day: .today))
    try await ana(DeleteEntryChanges.self, .init(activityID: id, day: .today))
    let change = OfflineChange(
      id: try ChangeID(text: "change-\(name)"), deviceID: try DeviceID(text: "phone"), madeAt: .now, activityID: id, day: day(-2),
      amount: 5)
    try await ana(SyncEntries.self, .init(changes: [change]))
    try await ana(DeleteEntry.self, .init(activityID: id, day: .day(day(-1))))
    try await ana(DeleteActivity.self, .init(activityID: id, confirm: true))
  }

  func plans() async throws {
    let id = try await makeActivity(.duration(seconds: 600))
    let pause = try await ana(CreatePause.self, .init(activityID: id, firstDay: day(30), lastDay: day(31))).id
    try await ana(UpdatePause.self, .init(activityID: id, pauseID: pause, lastDay: .set(day(32))))
    try await ana(DeletePause.self, .init(activityID: id, pauseID: pause))
    try await ana(CreateSkip.self, .init(activityID: id, day: .day(day(1))))
    try await ana(DeleteSkip.self, .init(activityID: id, day: .day(day(1))))
    try await ana(StartTimer.self, .init(activityID: id))
    try await ana(GetTimer.self, .init(activityID: id))
    try await ana(ListTimers.self, .init())
    // A timer that ran for no second saves nothing.
    try await Task.sleep(for: .milliseconds(1010))
    try await ana(StopTimer.self, .init(activityID: id))
    try await ana(SaveTimer.self, .init(activityID: id))
    try await ana(StartTimer.self, .init(activityID: id))
    try await ana(DiscardTimer.self, .init(activityID: id))
    try await ana(SetInactivityNotice.self, .init(days: 20))
    try await ana(GetInactivityNotice.self, .init())
    try await ana(ClearInactivityNotice.self, .init())
    try await ana(SetStepGoal.self, .init(period: .week, goal: 50_000))
    try await ana(ListStepGoals.self, .init())
    try await ana(ClearStepGoal.self, .init(period: .week))
    let feed = try await ana(CreateCalendarFeedLink.self, .init())
    try await ana(GetCalendarFeedLink.self, .init())
    try await anybody(GetCalendarFeed.self, .init(key: feed.key))
    try await ana(RevokeCalendarFeedLink.self, .init())
    try await ana(DeleteActivity.self, .init(activityID: id, confirm: true))
  }

  func movement() async throws {
    let end = Instant.now.adding(seconds: -30)
    let sample = MovementSample(
      id: "round-\(name)", start: end.adding(seconds: -20), end: end, steps: 20, source: "health", device: "Watch6,2")
    try await ana(RecordMovementSamples.self, .init(samples: [sample]))
    try await ana(ListMovementDays.self, .init(from: day(-13), to: day(0)))
    let sources = try await ana(ListMovementSources.self, .init()).sources
    try await ana(ReorderMovementSources.self, .init(sources: sources))
    try await ana(DeleteMovementSamples.self, .init(ids: [sample.id]))
    try await ana(GetDashboard.self, .init())
  }

  func imports() async throws {
    let track = Array(
      """
      <?xml version="1.0"?><gpx version="1.1" creator="bench" xmlns="http://www.topografix.com/GPX/1/1"><trk><name>Walk</name><trkseg>\
      <trkpt lat="40.0" lon="-3.0"><time>2026-11-01T08:00:00Z</time></trkpt>\
      <trkpt lat="40.001" lon="-3.0"><time>2026-11-01T08:02:00Z</time></trkpt></trkseg></trk></gpx>
      """.utf8)
    let id = try await ana(CreateImport.self, .init(name: "walk.gpx", totalBytes: track.count)).id
    try await ana(UploadImportChunk.self, .init(importID: id, offset: 0, content: Base64Bytes(track)))
    try await ana(CompleteImport.self, .init(importID: id))
    // Three at most are under way.
    while try await !ana(GetImport.self, .init(importID: id)).state.isEnded { try await Task.sleep(for: .milliseconds(5)) }
    try await ana(ListImports.self, .init())
    try await ana(ListImportProblems.self, .init(importID: id))
    try await ana(ListImportedExercises.self, .init(importID: id))
    let other = try await ana(CreateImport.self, .init(name: "walk.gpx", totalBytes: track.count)).id
    try await ana(CancelImport.self, .init(importID: other))
  }

  func lookBack() async throws {
    let id = try await ana(ListActivities.self, .init()).items[0].activity.id
    try await ana(ListHistory.self, .init())
    try await ana(ListHistory.self, .init(text: "river"))
    try await ana(ListHistoryPoints.self, .init())
    try await ana(ListFollowedActivities.self, .init())
    try await ana(GetStatistics.self, .init())
    try await ana(GetCalendar.self, .init(activityID: id))
    try await ana(GetSeries.self, .init(activityID: id))
    try await ana(GetDay.self, .init(day: .day(day(-3))))
  }
}
