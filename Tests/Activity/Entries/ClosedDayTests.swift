import ActivityContract
import ActivityService
import InProcess
import Operations
import Testing

@Suite("Closed days: not planned, paused, skipped, or in the archive (ACT-8, ACT-14)")
struct ClosedDayTests {
  /// How a day that has an entry comes to be closed.
  enum Closing: String, CaseIterable {
    case paused = "day_paused"
    case skipped = "day_skipped"
    case archived = "activity_archived"

    func close(_ person: Person, _ name: EntryName) async throws {
      switch self {
      case .paused:
        _ = try await person.send(
          CreatePause.self, .init(activityID: name.activityID, lastDay: try LocalDay(text: "2026-11-30")))
      case .skipped: _ = try await person.send(CreateSkip.self, .init(activityID: name.activityID, day: name.day))
      case .archived: _ = try await person.send(ArchiveActivity.self, .init(activityID: name.activityID))
      }
    }

    func open(_ person: Person, _ name: EntryName) async throws {
      switch self {
      case .paused:
        let pause = try #require(try await person.send(GetActivity.self, .init(activityID: name.activityID)).pauses.first)
        _ = try await person.send(DeletePause.self, .init(activityID: name.activityID, pauseID: pause.id))
      case .skipped: _ = try await person.send(DeleteSkip.self, .init(activityID: name.activityID, day: name.day))
      case .archived: _ = try await person.send(UnarchiveActivity.self, .init(activityID: name.activityID))
      }
    }
  }

  private static let today = LocalDay(year: 2026, month: 11, day: 21) ?? .placeholder
  private let place = EntryLocation(latitude: 1, longitude: 2)

  /// An entry of today with all that an entry can have.
  private func entry(_ person: Person) async throws -> EntryName {
    let id = try await person.makeActivity(goal: .duration(seconds: 600)).id
    _ = try await person.send(
      RecordEntry.self,
      .init(
        activityID: id, day: .today, durationSeconds: 60, comment: "mine", location: place, photo: try Snapshots.png()))
    return EntryName(activityID: id, day: .today)
  }

  private func change(
    _ id: String, _ activity: ActivityID, on day: LocalDay = ClosedDayTests.today, isDeleted: Bool? = nil, seconds: Int? = nil,
    comment: Patch<String?> = .keep, location: Patch<EntryLocation?> = .keep
  ) throws -> OfflineChange {
    OfflineChange(
      id: try ChangeID(text: id), deviceID: try DeviceID(text: "phone"), madeAt: try Instant(text: "2026-11-21T12:00:00.000Z"),
      activityID: activity, day: day, isDeleted: isDeleted, durationSeconds: seconds, comment: comment, location: location)
  }

  @Test(
    "A closed day refuses every way of writing an entry with the reason, and keeps what was recorded", arguments: Closing.allCases
  )
  func writing(closing: Closing) async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2026-11-21T12:00:00.000Z") { services in
      let ana = try await services.register()
      let name = try await entry(ana)
      let before = try await ana.send(GetEntry.self, name)
      let timed = try await ana.makeActivity(title: "Timed", goal: .duration(seconds: 600)).id
      _ = try await ana.send(StartTimer.self, .init(activityID: timed))
      try await closing.close(ana, name)
      try await closing.close(ana, EntryName(activityID: timed, day: .today))
      let id = name.activityID
      var codes: [String?] = [
        try await ana.failure(RecordEntry.self, .init(activityID: id, day: .today, isDone: true)),
        try await ana.failure(IncrementEntry.self, .init(activityID: id, day: .today, durationSeconds: 5)),
        try await ana.failure(UpdateEntry.self, .init(activityID: id, day: .today, durationSeconds: .set(5))),
        try await ana.failure(UpdateEntry.self, .init(activityID: id, day: .today, comment: .set("other"))),
        try await ana.failure(UpdateEntry.self, .init(activityID: id, day: .today, comment: .set(nil), location: .set(place))),
        try await ana.failure(PutEntryPhoto.self, .init(activityID: id, day: .today, content: try Snapshots.jpeg())),
        try await ana.failure(UndoEntry.self, name),
        try await ana.failure(SaveTimer.self, .init(activityID: timed)),
      ]
      let changes = [
        try change("1", id, seconds: 5), try change("2", id, comment: .set("other")),
        try change("3", id, comment: .set(nil), location: .set(place)),
      ]
      codes += try await ana.send(SyncEntries.self, .init(changes: changes)).results.map(\.refusal?.code)
      #expect(codes == Array(repeating: closing.rawValue, count: codes.count))
      #expect(try await ana.send(GetEntry.self, name) == before)
      // It counts again, and is written again, when the day is open.
      try await closing.open(ana, name)
      #expect(try await ana.send(UndoEntry.self, name).entry == nil)
    }
  }

  @Test(
    "On a closed day everything can be removed: comment, location, photo, history and the whole entry",
    arguments: Closing.allCases)
  func takingAway(closing: Closing) async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let (online, offline) = (try await entry(ana), try await entry(ana))
      for name in [online, offline] { try await closing.close(ana, name) }
      try services.clock.set("2026-11-21T12:00:01.000Z")
      var left = try await ana.send(
        UpdateEntry.self, .init(activityID: online.activityID, day: .today, comment: .set(nil), location: .set(nil)))
      #expect(left.comment == nil && left.location == nil && left.photoTag != nil)
      left = try await ana.send(DeleteEntryPhoto.self, online)
      #expect(left.photoTag == nil && left.durationSeconds == 60)
      _ = try await ana.send(DeleteEntryChanges.self, online)
      _ = try await ana.send(DeleteEntry.self, online)
      #expect(try await ana.failure(GetEntry.self, online) == "entry_not_found")
      let id = offline.activityID
      let removed = try await ana.send(
        SyncEntries.self, .init(changes: [try change("1", id, comment: .set(nil), location: .set(nil))])
      ).results[0]
      #expect(removed.outcome == .applied && removed.entry?.comment == nil && removed.entry?.location == nil)
      let deleted = try await ana.send(SyncEntries.self, .init(changes: [try change("2", id, isDeleted: true)])).results[0]
      #expect(deleted.outcome == .applied && deleted.entry == nil)
      // Where nothing is, there is nothing to take away, and nothing comes of it.
      let nothing = try await ana.send(SyncEntries.self, .init(changes: [try change("3", id, comment: .set(nil))])).results[0]
      #expect(nothing.refusal?.code == closing.rawValue && nothing.entry == nil)
    }
  }

  @Test("A day is closed once it is no longer planned, or has not yet begun again after travelling west")
  func otherDays() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2026-11-21T12:00:00.000Z") { services in
      let ana = try await services.register(timeZone: "Pacific/Kiritimati")
      let tomorrow = EntryName(activityID: try await entry(ana).activityID, day: try DayName(text: "2026-11-22"))
      try await services.move(ana, to: "Pacific/Pago_Pago", receivedBy: .activity)
      #expect(
        try await ana.failure(UpdateEntry.self, .init(activityID: tomorrow.activityID, day: tomorrow.day, comment: .set("x")))
          == "entry_in_future")
      #expect(try await ana.failure(UndoEntry.self, tomorrow) == "entry_in_future")
      let removal = try change(
        "1", tomorrow.activityID, on: try LocalDay(text: "2026-11-22"), isDeleted: true)
      #expect(try await ana.send(SyncEntries.self, .init(changes: [removal])).results[0].outcome == .applied)

      let gone = try await entry(ana)
      _ = try await ana.send(DeleteEntry.self, gone)
      _ = try await ana.send(
        UpdateActivity.self, .init(activityID: gone.activityID, startDay: .set(try LocalDay(text: "2026-12-24"))))
      #expect(try await ana.failure(UndoEntry.self, gone) == "not_planned")
    }
  }
}
