import ActivityContract
import Foundation
import InProcess
import Operations
import ServiceKit
import Storage
import Testing

@testable import ActivityService

@Suite("The limit of an account's reminders (NOT-2)", .timeLimit(.minutes(1)))
struct ReminderLimitTests {
  private func running(_ body: (ServicesInProcess) async throws -> Void) async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }, ReminderTests.notifications], body)
  }

  @Test(
    "An activity can have as many reminders as its account has room for; an account beyond the limit keeps its own",
    arguments: [
      (10, 0, 190, nil), (10, 0, 191, 191), (1, 0, 200, 200), (0, 0, 200, nil), (5, 10, 300, nil), (10, 10, 300, nil),
      (11, 10, 300, 300),
    ] as [(Int, Int, Int, Int?)])
  func excess(count: Int, before: Int, others: Int, named: Int?) {
    let found = ReminderRules.excess(count, before: before, others: others, max: 200)
    let expected = named.map { FieldRule("too_many_reminders", ["max": .number(200), "others": .number($0)]) }
    #expect(found == expected)
  }

  @Test(
    "More than 200 reminders of an account are refused with field and rule in both languages; removing some makes room")
  func refused() async throws {
    try await running { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      let times = (0..<10).map { "0\($0):00" }
      var activities: [Activity] = []
      for number in 0..<20 { activities.append(try await ana.makeReminded("Walk \(number)", times)) }
      let more = CreateActivity.Input(
        title: "More", category: .fitness, goal: .check, schedule: .daily, reminders: [try ReminderTime(text: "12:00")])
      #expect(try await ana.refusedFields(CreateActivity.self, more) == ["reminders too_many_reminders"])
      // With all else that is wrong.
      var wrong = more
      wrong.title = " "
      #expect(
        try await ana.refusedFields(CreateActivity.self, wrong).sorted() == ["reminders too_many_reminders", "title empty"])
      _ = try await ana.makeReminded("Without", [])
      func edit(_ times: [String]) throws -> UpdateActivity.Input {
        .init(activityID: activities[0].id, reminders: .set(try times.map { try ReminderTime(text: $0) }))
      }
      // Others as many, or fewer.
      let changed = try await ana.send(UpdateActivity.self, try edit(Array(times.dropLast()) + ["23:00"]))
      #expect(changed.reminders.count == 10)
      _ = try await ana.send(UpdateActivity.self, try edit(Array(times.prefix(9))))
      _ = try await ana.send(CreateActivity.self, more)
      #expect(try await ana.refusedFields(UpdateActivity.self, try edit(times)) == ["reminders too_many_reminders"])
      _ = try await ana.send(DeleteActivity.self, .init(activityID: activities[1].id, confirm: true))
      _ = try await ana.send(UpdateActivity.self, try edit(times))
      #expect(try await services.store(of: .activity).rows("due_reminders") == 191)
      // Nobody else's count.
      _ = try await ben.makeReminded("Walk", times)
      let words = Words(Contract.activity.words)
      let parameters: [String: Parameter] = ["max": .number(200), "others": .number(199)]
      #expect(
        words.text("field.too_many_reminders", .english, parameters)
          == "An account may have 200 reminders, and your other activities have 199.")
      #expect(
        words.text("field.too_many_reminders", .spanish, parameters)
          == "Una cuenta puede tener 200 recordatorios, y tus otras actividades tienen 199.")
    }
  }

  @Test("An imported habit beyond the limit comes without its reminder, which is listed as a problem")
  func imported() async throws {
    try await running { services in
      let ana = try await services.register()
      for number in 0..<19 { _ = try await ana.makeReminded("Walk \(number)", (0..<10).map { "0\($0):00" }) }
      _ = try await ana.makeReminded("Walk", (0..<9).map { "0\($0):00" })
      let bytes = try LoopTests.database(
        LoopTests.habits, LoopTests.repetitions,
        """
        INSERT INTO Habits (id, archived, freq_den, freq_num, name, position, type, reminder_hour, reminder_min, reminder_days)
        VALUES (1, 0, 1, 1, 'Read', 1, 0, 7, 30, 127), (2, 0, 1, 1, 'Sing', 2, 0, 8, 30, 127)
        """)
      let made = try await ana.importFile("Loop Habits Backup.db", bytes)
      #expect(made.state == .done && made.counts.accepted == 2)
      #expect(try await ana.problems(of: made.id) == ["2 tooManyReminders"])
      let found = try await ana.send(ListActivities.self, .init()).items.map(\.activity).filter { !$0.title.hasPrefix("Walk") }
      #expect(Dictionary(uniqueKeysWithValues: found.map { ($0.title, $0.reminders.count) }) == ["Read": 1, "Sing": 0])
    }
  }
}
