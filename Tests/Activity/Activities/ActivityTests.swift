import ActivityContract
import ActivityService
import InProcess
import Operations
import Testing

@Suite("Activities")
struct ActivityTests {
  @Test("Activities are created as filled in, start today in the account's time zone, and are published")
  func create() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2026-11-20T23:30:00.000Z") { services in
      let ana = try await services.register(timeZone: "Europe/Madrid")
      let made = try await ana.send(
        CreateActivity.self,
        .init(
          title: "  Drink water ", reason: "To feel awake", category: .hydration, goal: .quantity(2.5, unit: "litres"),
          schedule: .weekdays([7, 1, 1])))
      #expect(made.title == "Drink water" && made.icon == "droplet" && made.schedule == .weekdays([1, 7]))
      #expect(made.startDay.description == "2026-11-21")
      #expect(try await ana.send(GetActivity.self, .init(activityID: made.id)).activity == made)
      let published = try await services.published(by: .activity)
      #expect(published.map(\.name) == ["activities.changed"])
      #expect(try ActivityChanged.decode(published[0].body) == ActivityChanged(accountID: ana.id, activity: made))
    }
  }

  @Test("An account that has just registered can create activities before its event has arrived")
  func unknownYet() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2026-11-21T10:00:00.000Z") { services in
      let ana = try await services.register(timeZone: "Pacific/Kiritimati", isPublished: false)
      #expect(try await ana.makeActivity().startDay.description == "2026-11-22")
    }
  }

  @Test("An activity is created once for one idempotency key")
  func idempotent() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let first = try await ana.makeActivity(key: "one")
      #expect(try await ana.makeActivity(key: "one") == first)
      #expect(try await ana.send(ListActivities.self, .init()).items.map(\.activity) == [first])
      #expect(
        try await ana.failure(
          CreateActivity.self, .init(title: "Other", category: .other, goal: .check, schedule: .daily), key: "one")
          == "idempotency_key_reused")
    }
  }

  @Test(
    "An invalid activity is refused with every fault named",
    arguments: [
      (#"{"title":"","category":"health","goal":{"kind":"check"},"schedule":{"kind":"daily"}}"#, ["title empty"]),
      (#"{"title":" \u200b","category":"health","goal":{"kind":"check"},"schedule":{"kind":"daily"}}"#, ["title empty"]),
      (#"{"title":"   ","category":"health","goal":{"kind":"check"},"schedule":{"kind":"daily"}}"#, ["title empty"]),
      (
        #"{"category":"magic","goal":{},"schedule":{"kind":"weekdays"},"titel":"x"}"#,
        [
          "title required", "category not_a_choice", "goal.kind required", "schedule.weekdays required", "titel unknown_field",
        ]
      ),
      (
        #"{"title":"123456789012345678901","reason":"1234567890123456789012345678901","category":"health","goal":{"kind":"check"},"schedule":{"kind":"daily"}}"#,
        ["title too_long", "reason too_long"]
      ),
      (
        #"{"title":"a\u202eb","reason":"\u2066x","category":"health","goal":{"kind":"quantity","amount":1,"unit":"\u202dm"},"schedule":{"kind":"daily"}}"#,
        ["title control_character", "reason control_character", "goal.unit control_character"]
      ),
      (
        #"{"title":"\#(String(repeating: "👩‍👩‍👧‍👦", count: 20))","category":"health","goal":{"kind":"check"},"schedule":{"kind":"daily"}}"#,
        ["title too_many_bytes"]
      ),
      (
        #"{"title":"x","category":"health","goal":{"kind":"check"},"schedule":{"kind":"daily"},"startDay":"1969-12-31"}"#,
        ["startDay out_of_range"]
      ),
    ])
  func refused(json: String, faults: [String]) throws {
    // The form is handed on with what is wrong with it, for its handler to refuse.
    let found = FieldFindings(try CreateActivity.Input.decode(Array(json.utf8)).found)
    #expect(found.problems.map { "\($0.field) \($0.code)" } == faults)
  }

  @Test("An activity's title has at most twenty characters as people count them")
  func graphemes() throws {
    func isRight(_ title: String) throws -> Bool {
      let input = CreateActivity.Input(title: title, category: .family, goal: .check, schedule: .daily)
      return try CreateActivity.Input.decode(input.json).found.areRight("title")
    }
    // A family of four is one character for people, 25 bytes for machines.
    #expect(try isRight(String(repeating: "é", count: 20)))
    #expect(try isRight(String(repeating: "👨‍👩‍👧‍👦", count: 12)))
    #expect(try !isRight(String(repeating: "é", count: 21)))
    #expect(try !isRight("a" + String(repeating: "\u{301}", count: 10_000)))
  }

  @Test("Activities are listed page by page, oldest first, without those of other accounts")
  func list() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let ben = try await services.register()
      var made: [Activity] = []
      for number in 0..<5 {
        made.append(try await ana.makeActivity(title: "Activity \(number)"))
        _ = try await ben.makeActivity()
      }
      let first = try await ana.send(ListActivities.self, .init(limit: 2))
      let second = try await ana.send(ListActivities.self, .init(limit: 2, cursor: first.nextCursor))
      let third = try await ana.send(ListActivities.self, .init(limit: 2, cursor: second.nextCursor))
      #expect((first.items + second.items + third.items).map(\.activity) == made && third.nextCursor == nil)
      let nonsense = try PageCursor(text: "nonsense")
      #expect(try await ana.refusedFields(ListActivities.self, .init(cursor: nonsense)) == ["cursor invalid_cursor"])
      #expect(try await ben.refusedFields(ListActivities.self, .init(cursor: first.nextCursor)) == ["cursor invalid_cursor"])
    }
  }

  @Test("Activities of others are not found")
  func strangers() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let ben = try await services.register()
      let id = try await ana.makeActivity().id
      #expect(try await ben.failure(GetActivity.self, .init(activityID: id)) == "activity_not_found")
      #expect(try await ben.failure(RecordEntry.self, .init(activityID: id, day: .today, isDone: true)) == "activity_not_found")
      #expect(
        try await ben.failure(IncrementEntry.self, .init(activityID: id, day: .today, amount: 1)) == "activity_not_found")
      #expect(try await ben.failure(DeleteEntry.self, .init(activityID: id, day: .today)) == "activity_not_found")
      #expect(try await ben.send(GetDay.self, .init(day: .today)).activities.isEmpty)
    }
  }

  @Test("An account has at most a thousand activities")
  func tooMany() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<1000 { group.addTask { _ = try await ana.makeActivity() } }
        try await group.waitForAll()
      }
      let input = CreateActivity.Input(title: "One more", category: .other, goal: .check, schedule: .daily)
      #expect(try await ana.failure(CreateActivity.self, input) == "too_many_activities")
    }
  }
}

extension Person {
  func makeActivity(
    title: String = "Walk", goal: Goal = .check, schedule: Schedule = .daily, startDay: String? = nil, key: String? = nil
  ) async throws -> Activity {
    try await send(
      CreateActivity.self,
      .init(
        title: title, category: .fitness, goal: goal, schedule: schedule, startDay: try startDay.map(LocalDay.init(text:))),
      key: key)
  }
}
