import ActivityContract
import ActivityService
import InProcess
import Operations
import Testing

@Suite("Tied activities and days of rest (MOVE-7, ACT-14)")
struct MovementTieRestTests {
  /// The ways in which the days from 2026-11-19 to 21, which is today, come to rest and are taken back.
  enum Rest: CaseIterable {
    case skips, deletedPause, shortenedPause, movedPause, archive

    /// The days that are asked for again when the rest is taken back.
    var days: [String] {
      switch self {
      case .shortenedPause: ["2026-11-20", "2026-11-21"]
      case .movedPause: ["2026-11-19"]
      case .archive: ["2026-11-21"]
      case .skips, .deletedPause: MovementTieRestTests.days
      }
    }

    func begin(_ person: Person, _ id: ActivityID) async throws {
      switch self {
      case .skips:
        for day in MovementTieRestTests.days {
          _ = try await person.send(CreateSkip.self, .init(activityID: id, day: .init(text: day)))
        }
      case .deletedPause, .shortenedPause, .movedPause:
        let pause = CreatePause.Input(
          activityID: id, firstDay: try LocalDay(text: "2026-11-19"), lastDay: try LocalDay(text: "2026-12-24"))
        _ = try await person.send(CreatePause.self, pause)
      case .archive: _ = try await person.send(ArchiveActivity.self, .init(activityID: id))
      }
    }

    func takeBack(_ person: Person, _ id: ActivityID) async throws {
      let pause = try await person.send(GetActivity.self, .init(activityID: id)).pauses.first?.id ?? PauseID()
      switch self {
      case .skips:
        for day in MovementTieRestTests.days {
          _ = try await person.send(DeleteSkip.self, .init(activityID: id, day: .init(text: day)))
        }
      case .deletedPause: _ = try await person.send(DeletePause.self, .init(activityID: id, pauseID: pause))
      case .shortenedPause:
        _ = try await person.send(
          UpdatePause.self, .init(activityID: id, pauseID: pause, lastDay: .set(try LocalDay(text: "2026-11-19"))))
      case .movedPause:
        _ = try await person.send(
          UpdatePause.self, .init(activityID: id, pauseID: pause, firstDay: .set(try LocalDay(text: "2026-11-20"))))
      case .archive: _ = try await person.send(UnarchiveActivity.self, .init(activityID: id))
      }
    }
  }

  private static let days = ["2026-11-19", "2026-11-20", "2026-11-21"]

  private func running(_ body: (ServicesInProcess, Person, ActivityID) async throws -> Void) async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2026-11-21T18:00:00.000Z") { services in
      let ana = try await services.register()
      let walk = CreateActivity.Input(
        title: "Walk", category: .fitness, goal: .quantity(8000, unit: "steps"), schedule: .daily,
        startDay: try LocalDay(text: "2026-11-01"), tie: .steps)
      try await body(services, ana, try await ana.send(CreateActivity.self, walk).id)
    }
  }

  private func amounts(_ person: Person, _ id: ActivityID) async throws -> [Double?] {
    let calendar = try await person.send(GetCalendar.self, .init(activityID: id, format: .week))
    return calendar.days[3...5].map(\.amount)
  }

  @Test("A tied activity takes up the movement of rest days once the rest is cancelled", arguments: Rest.allCases)
  func takenUp(rest: Rest) async throws {
    try await running { services, ana, id in
      for day in MovementTieRestTests.days { try await ana.walk("before \(day)", 5000, "\(day)T08:00:00Z") }
      #expect(try await amounts(ana, id) == [5000, 5000, 5000])
      try await rest.begin(ana, id)
      try services.clock.set("2026-11-21T19:00:00.000Z")
      for day in MovementTieRestTests.days { try await ana.walk("meanwhile \(day)", 3000, "\(day)T10:00:00Z") }
      // What was there stays, and does not count.
      let resting = try await amounts(ana, id)
      #expect(resting.suffix(rest == .archive ? 1 : 3).allSatisfy { $0 == 5000 })
      try services.clock.set("2026-11-21T20:00:00.000Z")
      try await rest.takeBack(ana, id)
      for day in rest.days {
        let entry = try await ana.send(GetEntry.self, .init(activityID: id, day: .init(text: day)))
        #expect(entry.amount == 8000 && entry.isDone, "\(day)")
      }
      let published = try await services.published(by: .activity).filter { $0.name == EntryRecorded.spec.name }.suffix(
        rest.days.count)
      #expect(try published.map { try EntryRecorded.decode($0.body).day.description } == rest.days)
    }
  }

  @Test("A correction that comes during a rest reopens a tied activity's day")
  func takenAway() async throws {
    try await running { services, ana, id in
      try await ana.walk("a", 9000, "2026-11-20T08:00:00Z")
      let day = EntryName(activityID: id, day: try DayName(text: "2026-11-20"))
      _ = try await ana.send(CreateSkip.self, .init(activityID: id, day: day.day))
      try services.clock.set("2026-11-21T19:00:00.000Z")
      _ = try await ana.send(DeleteMovementSamples.self, .init(ids: ["a"]))
      #expect(try await ana.send(GetEntry.self, day).amount == 9000)
      _ = try await ana.send(DeleteSkip.self, .init(activityID: id, day: day.day))
      #expect(try await ana.send(GetEntry.self, day).amount == 0)
    }
  }

  @Test("A manual write, deletion or undo stands until the movement changes", arguments: Rest.allCases)
  func byHand(rest: Rest) async throws {
    try await running { services, ana, id in
      for day in MovementTieRestTests.days { try await ana.walk(day, 5000, "\(day)T08:00:00Z") }
      try services.clock.set("2026-11-21T18:30:00.000Z")
      func name(_ index: Int) throws -> EntryName {
        .init(activityID: id, day: try DayName(text: MovementTieRestTests.days[index]))
      }
      _ = try await ana.send(DeleteEntry.self, name(0))
      _ = try await ana.send(RecordEntry.self, .init(activityID: id, day: name(1).day, amount: 7000))
      _ = try await ana.send(UndoEntry.self, name(2))
      #expect(try await amounts(ana, id) == [nil, 7000, nil])
      try services.clock.set("2026-11-21T19:00:00.000Z")
      try await rest.begin(ana, id)
      try services.clock.set("2026-11-21T20:00:00.000Z")
      try await rest.takeBack(ana, id)
      #expect(try await amounts(ana, id) == [nil, 7000, nil])
      // Movement that changes a day counts again from then on.
      for index in [0, 1, 2] where rest.days.contains(MovementTieRestTests.days[index]) {
        try await ana.walk("more \(index)", 1000, "\(MovementTieRestTests.days[index])T12:00:00Z")
        #expect(try await ana.send(GetEntry.self, name(index)).amount == 6000)
      }
    }
  }

  @Test("A manual write stands whatever is measured of another kind, also over a rest")
  func otherKinds() async throws {
    try await running { services, ana, id in
      let day = EntryName(activityID: id, day: try DayName(text: "2026-11-20"))
      func cycle(_ sample: String, _ hour: Int) async throws {
        let start = try Instant(text: "2026-11-20T00:00:00Z").adding(seconds: hour * 3600)
        try services.clock.set(services.clock.now.adding(seconds: 60).description)
        try await ana.record(
          MovementSample(id: sample, kind: .cycling, start: start, end: start.adding(seconds: 600), amount: 800))
      }
      try await ana.walk("a", 1500, "2026-11-20T08:00:00Z")
      _ = try await ana.send(RecordEntry.self, .init(activityID: id, day: day.day, amount: 42))
      try await cycle("b", 12)
      #expect(try await ana.send(GetEntry.self, day).amount == 42)
      _ = try await ana.send(CreateSkip.self, .init(activityID: id, day: day.day))
      try await cycle("c", 14)
      _ = try await ana.send(DeleteSkip.self, .init(activityID: id, day: day.day))
      #expect(try await ana.send(GetEntry.self, day).amount == 42)
      try await ana.walk("d", 100, "2026-11-20T16:00:00Z")
      #expect(try await ana.send(GetEntry.self, day).amount == 1600)
      // Also where no movement of the tie's kind was measured yet.
      let next = EntryName(activityID: id, day: try DayName(text: "2026-11-21"))
      _ = try await ana.send(RecordEntry.self, .init(activityID: id, day: next.day, amount: 7))
      try await cycle("e", 36)
      #expect(try await ana.send(GetEntry.self, next).amount == 7)
    }
  }

  @Test("An undone entry of a tied activity stays undone, also if its history was forgotten")
  func forgotten() async throws {
    try await running { services, ana, id in
      let day = EntryName(activityID: id, day: try DayName(text: "2026-11-20"))
      try await ana.walk("a", 1500, "2026-11-20T08:00:00Z")
      try services.clock.set("2026-11-21T18:30:00.000Z")
      _ = try await ana.send(UndoEntry.self, day)
      _ = try await ana.send(DeleteEntryChanges.self, day)
      _ = try await ana.send(CreateSkip.self, .init(activityID: id, day: day.day))
      _ = try await ana.send(DeleteSkip.self, .init(activityID: id, day: day.day))
      #expect(try await ana.failure(GetEntry.self, day) == "entry_not_found")
    }
  }

  @Test("Setting a tie keeps what was written by hand after the movement")
  func tiedLater() async throws {
    try await running { services, ana, id in
      let day = EntryName(activityID: id, day: try DayName(text: "2026-11-20"))
      for day in ["2026-11-19", "2026-11-20"] { try await ana.walk(day, 1200, "\(day)T08:00:00Z") }
      _ = try await ana.send(UpdateActivity.self, .init(activityID: id, tie: .set(nil)))
      try services.clock.set("2026-11-21T18:30:00.000Z")
      _ = try await ana.send(RecordEntry.self, .init(activityID: id, day: day.day, amount: 7))
      _ = try await ana.send(UpdateActivity.self, .init(activityID: id, tie: .set(.steps)))
      #expect(try await amounts(ana, id) == [1200, 7, nil])
      let start = try Instant(text: "2026-11-20T10:00:00Z")
      try await ana.record(
        MovementSample(id: "bike", kind: .cycling, start: start, end: start.adding(seconds: 600), amount: 800))
      #expect(try await amounts(ana, id) == [1200, 7, nil])
      try await ana.walk("more", 100, "2026-11-20T12:00:00Z")
      #expect(try await amounts(ana, id) == [1200, 1300, nil])
    }
  }

  @Test("An activity without a tie takes up no movement")
  func untied() async throws {
    try await running { services, ana, id in
      _ = try await ana.send(UpdateActivity.self, .init(activityID: id, tie: .set(nil)))
      let day = try DayName(text: "2026-11-20")
      _ = try await ana.send(CreateSkip.self, .init(activityID: id, day: day))
      try await ana.walk("a", 9000, "2026-11-20T08:00:00Z")
      _ = try await ana.send(DeleteSkip.self, .init(activityID: id, day: day))
      #expect(try await ana.failure(GetEntry.self, .init(activityID: id, day: day)) == "entry_not_found")
    }
  }

  @Test("Days opened by an earlier start, a later end or another schedule take up their movement, if they are of the last 30")
  func opened() async throws {
    try await running { services, ana, id in
      func edit(_ edit: UpdateActivity.Input) async throws { _ = try await ana.send(UpdateActivity.self, edit) }
      func has(_ day: String) async throws -> Double? {
        try await ana.send(GetDay.self, .init(day: ListedDay(text: day))).activities.first?.amount
      }
      try await edit(
        .init(activityID: id, startDay: .set(LocalDay(text: "2026-11-10")), endDay: .set(LocalDay(text: "2026-11-15"))))
      for day in ["2026-10-01", "2026-11-05", "2026-11-18", "2026-11-21"] { try await ana.walk(day, 9000, "\(day)T08:00:00Z") }
      try await edit(.init(activityID: id, startDay: .set(LocalDay(text: "2026-09-01")), endDay: .set(nil)))
      #expect(try await has("2026-11-05") == 9000)
      #expect(try await has("2026-11-18") == 9000)
      #expect(try await has("2026-11-21") == 9000)
      #expect(try await has("2026-10-01") == nil)
    }
  }
}
