import ActivityContract
import ActivityService
import GRDB
import InProcess
import Operations
import Storage
import Testing

@Suite("Recording progress (ACT-7; H CU-29)")
struct ProgressTests {
  @Test("H CU-29: an activity is completed, whatever its goal, and shown as done")
  func completed() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      for goal in [Goal.check, .quantity(2.5, unit: "litres"), .duration(seconds: 5400)] {
        let id = try await ana.makeActivity(goal: goal).id
        let entry = try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, isDone: true))
        #expect(entry.isDone && entry.amount == goal.amount && entry.durationSeconds == goal.durationSeconds)
      }
      #expect(try await ana.send(GetDay.self, .init(day: .today)).activities.map(\.state) == [.done, .done, .done])
    }
  }

  @Test("H CU-29 5a: incrementing adds one, or any whole or decimal amount, and shows the progress as it is then")
  func incremented() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(goal: .quantity(3, unit: "litres")).id
      var amounts: [Double?] = []
      for amount in [1, 0.1, 0.1, 0.125, 1.675] {
        amounts.append(try await ana.send(IncrementEntry.self, .init(activityID: id, day: .today, amount: amount)).amount)
      }
      #expect(amounts == [1, 1.1, 1.2, 1.325, 3])
      #expect(try await ana.send(GetEntry.self, .init(activityID: id, day: .today)).isDone)
      #expect(
        try await ana.refusedFields(IncrementEntry.self, .init(activityID: id, day: .today, amount: 0.0001))
          == ["amount too_precise"])
    }
  }

  @Test("H CU-29 5b: decrementing takes one away, never below 0")
  func decremented() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(goal: .quantity(2, unit: "litres")).id
      _ = try await ana.send(RecordEntry.self, .init(activityID: id, day: .today, amount: 2))
      var entries: [Entry] = []
      for _ in 0..<3 {
        entries.append(try await ana.send(IncrementEntry.self, .init(activityID: id, day: .today, amount: -1)))
      }
      #expect(entries.map(\.amount) == [1, 0, 0] && entries.map(\.isDone) == [false, false, false])
    }
  }

  @Test("H CU-29 5a, 5b: adding zero is refused; taking from nothing leaves 0, and the day can still be recorded")
  func nothing() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let litres = try await ana.makeActivity(goal: .quantity(2, unit: "litres")).id
      let minutes = try await ana.makeActivity(goal: .duration(seconds: 60)).id
      #expect(
        try await ana.refusedFields(IncrementEntry.self, .init(activityID: litres, day: .today, amount: 0))
          == ["amount adds_nothing"])
      #expect(
        try await ana.refusedFields(IncrementEntry.self, .init(activityID: minutes, day: .today, durationSeconds: 0))
          == ["durationSeconds adds_nothing"])
      let less = IncrementEntry.Input(activityID: litres, day: .today, amount: -5)
      #expect(try await services.store(of: .activity).rows("entries") == 0)
      #expect(try await services.published(by: .activity).allSatisfy { $0.name == "activities.changed" })
      let none = try await ana.send(IncrementEntry.self, less)
      #expect(none.amount == 0 && !none.isDone)
      #expect(try await ana.failure(GetEntry.self, .init(activityID: litres, day: .today)) == "entry_not_found")
      let shorter = IncrementEntry.Input(activityID: minutes, day: .today, durationSeconds: -5)
      #expect(try await ana.send(IncrementEntry.self, shorter).durationSeconds == 0)
      #expect(try await services.store(of: .activity).rows("entries") == 0)
      #expect(try await services.published(by: .activity).allSatisfy { $0.name == "activities.changed" })
      #expect(try await ana.send(CreateEntry.self, .init(activityID: litres, day: .today, amount: 1)).amount == 1)
      // What is there is taken from, down to 0, which is an entry then.
      #expect(try await ana.send(IncrementEntry.self, less).amount == 0)
      #expect(try await ana.failure(CreateEntry.self, .init(activityID: litres, day: .today, amount: 1)) == "entry_exists")
      _ = try await ana.send(DeleteEntry.self, .init(activityID: litres, day: .today))
      try services.clock.set("2026-11-21T12:00:01.000Z")
      // Where a comment alone was written there is no progress to take from either.
      let change = OfflineChange(
        id: try ChangeID(text: "1"), deviceID: try DeviceID(text: "phone"), madeAt: services.clock.now, activityID: litres,
        day: try LocalDay(text: "2026-11-21"), comment: .set("a"))
      _ = try await ana.send(SyncEntries.self, .init(changes: [change]))
      let commented = try await ana.send(IncrementEntry.self, less)
      #expect(commented.amount == 0 && commented.comment == "a")
      #expect(try await ana.send(IncrementEntry.self, less).amount == 0)
    }
  }

  @Test("Zero progress can be recorded, and makes the same entry online and offline")
  func none() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let today = try LocalDay(text: "2026-11-21")
      for (number, goal) in [Goal.check, .quantity(2, unit: "litres"), .duration(seconds: 60)].enumerated() {
        let (online, offline) = (try await ana.makeActivity(goal: goal).id, try await ana.makeActivity(goal: goal).id)
        let isDone = goal.kind == .check ? false : nil
        let amount: Double? = goal.kind == .quantity ? 0 : nil
        let seconds = goal.kind == .duration ? 0 : nil
        let entry = try await ana.send(
          RecordEntry.self,
          .init(activityID: online, day: .today, isDone: isDone, amount: amount, durationSeconds: seconds))
        let change = OfflineChange(
          id: try ChangeID(text: "\(number)"), deviceID: try DeviceID(text: "phone"), madeAt: services.clock.now,
          activityID: offline, day: today, isDone: isDone, amount: amount, durationSeconds: seconds)
        var synced = try #require(try await ana.send(SyncEntries.self, .init(changes: [change])).results[0].entry)
        synced.activityID = online
        #expect(!entry.isDone && synced == entry)
      }
    }
  }

  @Test("Concurrent increments and decrements are never lost, with or without a first entry")
  func races() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let (fresh, begun) = (
        try await ana.makeActivity(goal: .quantity(1_000, unit: "times")).id,
        try await ana.makeActivity(goal: .quantity(1_000, unit: "times")).id
      )
      _ = try await ana.send(RecordEntry.self, .init(activityID: begun, day: .today, amount: 500))
      try await services.together(400, writingTo: .activity) { number in
        // Of the first there is nothing to take from, whatever comes first.
        let amount = number % 2 == 0 ? Double(number % 3 + 1) : Double(number % 4) - 2
        _ = try await ana.send(
          IncrementEntry.self, .init(activityID: number % 2 == 0 ? fresh : begun, day: .today, amount: amount),
          key: "key \(number)")
      }
      func amount(_ id: ActivityID) async throws -> Double? {
        try await ana.send(GetEntry.self, .init(activityID: id, day: .today)).amount
      }
      let even = stride(from: 0, to: 400, by: 2).reduce(0) { $0 + $1 % 3 + 1 }
      #expect(try await amount(fresh) == Double(even))
      // A hundred each of one taken away and one added.
      #expect(try await amount(begun) == 500)
      let store = services.store(of: .activity)
      #expect(try await store.rows("entries") == 2)
      // Each found what those before it had left, and published what it left itself.
      let published = try await services.published(by: .activity).filter { $0.name == "entries.recorded" }.map {
        try EntryRecorded.decode($0.body)
      }
      #expect(published.count == 401)
      let steps = zip(
        [0] + published.filter { $0.activityID == fresh }.compactMap(\.amount), published.filter { $0.activityID == fresh })
      #expect(steps.allSatisfy { before, event in (1...3).contains((event.amount ?? 0) - before) })
    }
  }
}
