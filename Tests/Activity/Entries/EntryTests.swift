import ActivityContract
import ActivityService
import GRDB
import InProcess
import Operations
import Storage
import Synchronization
import Testing

@Suite("Entries")
struct EntryTests {
  @Test("Entries set, add to and take back the progress of a day (CU-29)")
  func progress() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let water = try await ana.makeActivity(title: "Water", goal: .quantity(2, unit: "litres"))
      let id = water.id
      var entry = try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, amount: 0.5))
      #expect(entry.amount == 0.5 && !entry.isDone && entry.day.description == "2026-11-21")
      entry = try await ana.send(IncrementEntry.self, .init(activityID: id, day: .today, amount: 1.5))
      #expect(entry.amount == 2 && entry.isDone)
      entry = try await ana.send(IncrementEntry.self, .init(activityID: id, day: .today, amount: -5))
      #expect(entry.amount == 0 && !entry.isDone)
      _ = try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, isDone: true))
      #expect(try await ana.send(GetDay.self, .init(day: .today)).activities.map(\.state) == [.done])
      _ = try await ana.send(DeleteEntry.self, .init(activityID: id, day: .today))
      _ = try await ana.send(DeleteEntry.self, .init(activityID: id, day: .today))
      let day = try await ana.send(GetDay.self, .init(day: .today))
      #expect(day.activities.map(\.state) == [.pending] && day.activities[0].amount == nil)
      let published = try await services.published(by: .activity).dropFirst().map { try EntryRecorded.decode($0.body) }
      #expect(
        published.map(\.amount) == [0.5, 2, 0, 2, nil] && published.map(\.isDeleted) == [false, false, false, false, true])
      #expect(published.map(\.isDone) == [false, true, false, true, false])
    }
  }

  /// The fields that are refused, with their rules.
  private static func faults(_ body: () async throws -> Void) async -> Set<String> {
    do {
      try await body()
      return []
    } catch let failure as Failure {
      return Set(failure.fields.map { "\($0.field) \($0.code)" })
    } catch {
      return ["\(error)"]
    }
  }

  @Test("An entry gives exactly one field of progress: missing and surplus ones are named")
  func exactlyOne() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity().id
      func fields(_ input: RecordEntry.Input) async throws -> [String] {
        do {
          _ = try await ana.send(RecordEntry.self, input)
          return []
        } catch let failure as Failure {
          return failure.fields.map { "\($0.field) \($0.code) \($0.parameters["fields"]?.description ?? "")" }
        }
      }
      let names = "exactly_one isDone, amount, durationSeconds"
      #expect(
        try await fields(.init(activityID: id, day: .today))
          == ["isDone \(names)", "amount \(names)", "durationSeconds \(names)"])
      #expect(
        try await fields(.init(activityID: id, day: .today, isDone: true, durationSeconds: 5))
          == ["isDone \(names)", "durationSeconds \(names)"])
      // One that cannot be read may be the one that was meant; two that can be are too many whatever it is.
      for (body, broken) in [
        (#""amount":null"#, ["amount null"]), (#""amount":null,"isDone":true"#, ["amount null"]),
        (
          #""amount":null,"isDone":true,"durationSeconds":5"#,
          ["isDone exactly_one", "durationSeconds exactly_one", "amount null"]
        ),
      ] {
        let json = Array("{\"activityID\":\"\(id)\",\"day\":\"today\",\(body)}".utf8)
        #expect(await Self.faults { _ = try await ana.send(RecordEntry.self, json: json) } == Set(broken), "\(body)")
        #expect(await Self.faults { _ = try await ana.send(CreateEntry.self, json: json) } == Set(broken), "\(body)")
      }
      let less = Array("{\"activityID\":\"\(id)\",\"day\":\"today\",\"amount\":null}".utf8)
      #expect(await Self.faults { _ = try await ana.send(IncrementEntry.self, json: less) } == ["amount null"])
      do {
        _ = try await ana.send(IncrementEntry.self, .init(activityID: id, day: .today))
        Issue.record("an increment by nothing was taken")
      } catch let failure as Failure {
        #expect(failure.fields.map(\.field) == ["amount", "durationSeconds"])
      }
    }
  }

  @Test("Entries repeated unchanged are written and published once")
  func repeated() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity().id
      let first = try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, isDone: true))
      try services.clock.set("2026-11-21T13:00:00.000Z")
      #expect(try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, isDone: true)) == first)
      #expect(try await services.published(by: .activity).map(\.name) == ["activities.changed", "entries.recorded"])
    }
  }

  @Test("Entries can be recorded only for planned days that have begun in the account's time zone")
  func days() async throws {
    // Saturday 2026-11-21, 23:30 UTC: Sunday in Madrid.
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2026-11-21T23:30:00.000Z") { services in
      let ana = try await services.register(timeZone: "Europe/Madrid")
      let id = try await ana.makeActivity(schedule: .weekdays([7, 1]), startDay: "2026-11-15").id
      func failure(_ day: String) async throws -> String? {
        try await ana.failure(RecordEntry.self, .init(activityID: id, day: .init(text: day), isDone: true))
      }
      #expect(try await failure("2026-11-22") == nil)
      #expect(try await failure("today") == nil)
      #expect(try await failure("2026-11-15") == nil)
      #expect(try await failure("2026-11-21") == "not_planned")
      #expect(try await failure("2026-11-23") == "entry_in_future")
      #expect(try await failure("2026-11-08") == "not_planned")
    }
  }

  @Test("Concurrent increments make one entry for a day, and each idempotency key counts once")
  func races() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(goal: .quantity(10, unit: "times")).id
      let ends = Mutex<[String?: Int]>([:])
      try await services.together(300, waiting: 100, writingTo: .activity) { number in
        let end = try await ana.failure(
          IncrementEntry.self, .init(activityID: id, day: .today, amount: 0.1), key: "key \(number % 100)")
        ends.withLock { $0[end, default: 0] += 1 }
      }
      let (published, refused) = ends.withLock { ($0[nil] ?? 0, $0["still_running"] ?? 0) }
      #expect(published >= 100 && published + refused == 300)
      #expect(try await ana.send(GetDay.self, .init(day: .today)).activities.map(\.amount) == [10])
      #expect(try await services.store(of: .activity).rows("entries") == 1)
      #expect(try await services.published(by: .activity).count { $0.name == "entries.recorded" } == 100)
    }
  }

  @Test("A streak counts consecutive planned days with entries (CU-32)")
  func streaks() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(schedule: .weekdays([1, 3, 5]), startDay: "2026-11-02").id
      for day in ["2026-11-02", "2026-11-04", "2026-11-06", "2026-11-09", "2026-11-18", "2026-11-20"] {
        _ = try await ana.send(RecordEntry.self, .init(activityID: id, day: .init(text: day), isDone: true))
      }
      #expect(try await ana.send(GetActivity.self, .init(activityID: id)).streak == Streak(current: 2, longest: 4))
      try services.clock.set("2026-11-24T08:00:00.000Z")
      #expect(try await ana.send(GetActivity.self, .init(activityID: id)).streak == Streak(current: 0, longest: 4))
    }
  }

  @Test("Entries are published whole to a subscriber without history, with the activities they belong to")
  func snapshot() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      for number in 0..<3 {
        let id = try await ana.makeActivity(title: "\(number)", startDay: "2026-11-01").id
        for day in 1...number + 1 {
          let day = DayName.day(try #require(LocalDay(year: 2026, month: 11, day: day)))
          _ = try await ana.send(RecordEntry.self, .init(activityID: id, day: day, isDone: true))
        }
      }
      _ = try await ana.send(
        RecordMovementSamples.self,
        .init(samples: [
          MovementSample(
            id: "1", start: services.clock.now.adding(seconds: -60), end: services.clock.now, steps: 100)
        ]))
      var names: [String] = []
      var key: String?
      repeat {
        let page = try await services.store(of: .activity).log.snapshot(after: key)
        names += page.events.map(\.name)
        key = page.nextKey
      } while key != nil
      let expected = Array(repeating: "activities.changed", count: 3) + Array(repeating: "entries.recorded", count: 6)
      #expect(names == expected + ["movementDays.changed"])
    }
  }
}
