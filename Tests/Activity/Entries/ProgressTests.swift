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
    try await ServicesInProcess.running([{ .activity($0) }]) { services in
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
    try await ServicesInProcess.running([{ .activity($0) }]) { services in
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
    try await ServicesInProcess.running([{ .activity($0) }]) { services in
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

  @Test("H CU-29 5a, 5b: adding nothing, and taking from nothing, are refused, and nothing is written")
  func nothing() async throws {
    try await ServicesInProcess.running([{ .activity($0) }]) { services in
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
      #expect(try await ana.failure(IncrementEntry.self, less) == "nothing_to_take_from")
      #expect(try await services.store(of: .activity).rows("entries") == 0)
      #expect(try await services.told(by: .activity).allSatisfy { $0.name == "activities.changed" })
      // Where a comment alone was written there is no progress to take from either; where 0 was recorded there is.
      let change = OfflineChange(
        id: try ChangeID(text: "1"), deviceID: try DeviceID(text: "phone"), madeAt: services.clock.now, activityID: litres,
        day: try LocalDay(text: "2026-11-21"), comment: .set("a"))
      _ = try await ana.send(SyncEntries.self, .init(changes: [change]))
      #expect(try await ana.failure(IncrementEntry.self, less) == "nothing_to_take_from")
      _ = try await ana.send(RecordEntry.self, .init(activityID: litres, day: .today, amount: 0))
      #expect(try await ana.send(IncrementEntry.self, less).amount == 0)
    }
  }

  @Test("none is progress that people record: written down online or offline it is an entry, and the same one")
  func none() async throws {
    try await ServicesInProcess.running([{ .activity($0) }]) { services in
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

  @Test("many who add and take away at once, with and without a first entry, lose none of it")
  func races() async throws {
    try await ServicesInProcess.running([{ .activity($0) }]) { services in
      let ana = try await services.register()
      let id = try await ana.makeActivity(goal: .quantity(1_000, unit: "times")).id
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<300 {
          group.addTask {
            _ = try await ana.send(
              IncrementEntry.self, .init(activityID: id, day: .today, amount: Double(number % 3 + 1)), key: "key \(number)")
          }
        }
        try await group.waitForAll()
      }
      #expect(try await ana.send(GetEntry.self, .init(activityID: id, day: .today)).amount == 600)
      #expect(try await services.store(of: .activity).rows("entries") == 1)
    }
  }
}
