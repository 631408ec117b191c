import ActivityContract
import ActivityService
import InProcess
import Operations
import Testing

@Suite("Editing an activity")
struct ActivityEditTests {
  private func running(
    at now: String = "2026-11-21T12:00:00.000Z", _ body: (ServicesInProcess, Person, Activity) async throws -> Void
  ) async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: now) { services in
      let ana = try await services.register()
      let activity = try await ana.send(
        CreateActivity.self,
        .init(
          title: "Run", reason: "Stamina", category: .fitness, goal: .quantity(5, unit: "km"), schedule: .daily,
          startDay: LocalDay(text: "2026-11-02"), reminders: [ReminderTime(text: "07:30")], tags: [Tag(text: "outside")]))
      try await body(services, ana, activity)
    }
  }

  @Test("H CU-28: an edit changes title, reason, category and reminders, is published with a higher revision, and the rest stays")
  func mainCourse() async throws {
    try await running { services, ana, activity in
      let edit = UpdateActivity.Input(
        activityID: activity.id, title: .set(" Jog "), reason: .set(try Reason(text: "Fresh air")),
        category: .set(.nature),
        reminders: .set([try ReminderTime(text: "20:00"), try ReminderTime(text: "06:45")]), tags: .set([try Tag(text: "park")]))
      let edited = try await ana.send(UpdateActivity.self, edit)
      var expected = activity
      (expected.title, expected.reason, expected.category, expected.icon) = ("Jog", "Fresh air", .nature, "leaf")
      expected.reminders = try [ReminderTime(text: "06:45"), ReminderTime(text: "20:00")]
      expected.tags = try [Tag(text: "park")]
      expected.revision = 2
      #expect(edited == expected)
      #expect(try await ana.send(GetActivity.self, .init(activityID: activity.id)).activity == expected)
      let published = try await services.published(by: .activity)
      #expect(published.map(\.name) == ["activities.changed", "activities.changed"])
      #expect(try ActivityChanged.decode(published[1].body) == ActivityChanged(accountID: ana.id, activity: expected))
    }
  }

  @Test("H CU-28 13a: an edit that blanks or nulls a required field is refused with its rule, and changes nothing")
  func required() async throws {
    try await running { services, ana, activity in
      func faults(_ json: String) async throws -> [String] {
        do {
          _ = try await ana.send(UpdateActivity.self, json: Array(json.utf8), parameters: ["activityID": activity.id.description])
          return []
        } catch let failure as Failure {
          return failure.fields.map { "\($0.field) \($0.code)" }
        }
      }
      let untitled = try await faults(#"{"title":""}"#)
      #expect(untitled == ["title empty"])
      #expect(try await faults(#"{"title":"  "}"#) == ["title empty"])
      #expect(
        try await faults(
          #"{"title":null,"category":null,"goal":null,"schedule":null,"startDay":null,"reminders":null,"tags":null}"#)
          == ["title", "category", "goal", "schedule", "startDay", "reminders", "tags"].map { "\($0) null" })
      #expect(try await faults(#"{"schedule":{"kind":"weekdays","weekdays":[]},"goal":{"kind":"quantity"}}"#).count == 3)
      #expect(try await faults(#"{"reason":"","titel":"x"}"#) == ["reason empty", "titel unknown_field"])
      #expect(try await faults(#"{"endDay":"2026-11-01"}"#) == ["endDay ends_before"])
      #expect(try await ana.send(GetActivity.self, .init(activityID: activity.id)).activity == activity)
      #expect(try await services.published(by: .activity).count == 1)
    }
  }

  @Test("An edit keeps the fields that it omits, and null clears optional ones")
  func patch() async throws {
    try await running { _, ana, activity in
      let ended = try await ana.send(
        UpdateActivity.self, .init(activityID: activity.id, endDay: .set(try LocalDay(text: "2026-12-31"))))
      #expect(ended.endDay?.description == "2026-12-31" && ended.reason == "Stamina" && ended.reminders == activity.reminders)
      let bare = try await ana.send(
        UpdateActivity.self,
        .init(activityID: activity.id, reason: .set(nil), endDay: .set(nil), reminders: .set([]), tags: .set([])))
      #expect(bare.reason == nil && bare.endDay == nil && bare.reminders == [] && bare.tags == [] && bare.title == "Run")
    }
  }

  @Test("An edit that changes nothing publishes nothing and keeps the revision")
  func nothing() async throws {
    try await running { services, ana, activity in
      let same = try await ana.send(UpdateActivity.self, .init(activityID: activity.id))
      #expect(same == activity)
      #expect(try await ana.send(UpdateActivity.self, .init(activityID: activity.id, title: .set("Run"))) == activity)
      #expect(try await services.published(by: .activity).count == 1)
    }
  }

  @Test("T UC 01.03: a changed schedule holds from today on; past days stay as they were")
  func schedule() async throws {
    // 2026-11-21 is a Saturday.
    try await running { _, ana, activity in
      let edited = try await ana.send(UpdateActivity.self, .init(activityID: activity.id, schedule: .set(.weekdays([6]))))
      #expect(edited.schedule == .weekdays([6]))
      func planned(_ day: String) async throws -> Bool {
        try await !ana.send(GetDay.self, .init(day: .init(text: day))).activities.isEmpty
      }
      let days = ["2026-11-20", "2026-11-21", "2026-11-22", "2026-11-28"]
      var found: [Bool] = []
      for day in days { found.append(try await planned(day)) }
      #expect(found == [true, true, false, true])
    }
  }

  @Test("A changed goal holds from today on; a past day keeps the goal it was evaluated by")
  func goal() async throws {
    try await running { _, ana, activity in
      _ = try await ana.send(
        RecordEntry.self, .init(activityID: activity.id, day: .day(try LocalDay(text: "2026-11-20")), amount: 5))
      _ = try await ana.send(UpdateActivity.self, .init(activityID: activity.id, goal: .set(.quantity(8, unit: "km"))))
      func day(_ day: String) async throws -> PlannedActivity? {
        try await ana.send(GetDay.self, .init(day: .init(text: day))).activities.first
      }
      let (yesterday, today) = (try await day("2026-11-20"), try await day("2026-11-21"))
      #expect(yesterday?.state == .done && yesterday?.goal.amount == 5)
      #expect(today?.goal.amount == 8)
    }
  }

  @Test("The answer to an edit says when its goal and schedule take effect, and so does what is refused until then")
  func holdsFrom() async throws {
    try await running { services, ana, activity in
      #expect(activity.holdsFrom == nil)
      let farther = try await ana.send(UpdateActivity.self, .init(activityID: activity.id, goal: .set(.quantity(8, unit: "km"))))
      #expect(farther.holdsFrom?.description == "2026-11-21")
      #expect(
        try await ana.send(UpdateActivity.self, .init(activityID: activity.id, title: .set("Jog"))).holdsFrom == farther.holdsFrom
      )
      _ = try await ana.send(RecordEntry.self, .init(activityID: activity.id, day: .today, amount: 1))
      let longer = try await ana.send(
        UpdateActivity.self, .init(activityID: activity.id, goal: .set(.duration(seconds: 60)), schedule: .set(.everyNDays(2))))
      #expect(longer.holdsFrom?.description == "2026-11-22" && longer.goal == .duration(seconds: 60))
      #expect(try await ana.send(GetActivity.self, .init(activityID: activity.id)).activity == longer)
      #expect(try await ana.send(ListActivities.self, .init()).items.map(\.activity) == [longer])
      let published = try await services.published(by: .activity).last { $0.name == ActivityChanged.spec.name }
      #expect(try ActivityChanged.decode(try #require(published).body).activity == longer)
      // Today it is a quantity still.
      let words = Words(Contract.activity.words)
      do {
        _ = try await ana.send(RecordEntry.self, .init(activityID: activity.id, day: .today, durationSeconds: 60))
        Issue.record("it was taken")
      } catch let failure as Failure {
        let problem = try #require(failure.fields.first)
        #expect(problem.code == "not_for_goal" && failure.fields.count == 1)
        #expect(
          words.text("field.not_for_goal", .english, problem.parameters)
            == "On that day the goal is an amount, such as 5 km, so this does not belong to it.")
        #expect(
          words.text("field.not_for_goal.suggestion", .spanish, problem.parameters)
            == "Indica cuánto está hecho. Un hito cambiado vale desde el día del cambio, o desde el siguiente si ese día ya había algo registrado."
        )
      }
      // Of what has not begun nothing of the former terms remains.
      let later = try await ana.makeActivity(startDay: "2026-12-01")
      #expect(
        try await ana.send(UpdateActivity.self, .init(activityID: later.id, goal: .set(.duration(seconds: 60)))).holdsFrom == nil)
    }
  }

  @Test("An edit that would take effect only after the end day is refused with field, day and advice; nothing changes")
  func holdsAfterEnd() async throws {
    try await running { services, ana, activity in
      _ = try await ana.send(RecordEntry.self, .init(activityID: activity.id, day: .today, amount: 1))
      let (today, tomorrow) = (try LocalDay(text: "2026-11-21"), try LocalDay(text: "2026-11-22"))
      let time = Goal.duration(seconds: 60)
      func refused(_ input: UpdateActivity.Input) async throws -> [String] {
        let before = try await ana.send(GetActivity.self, .init(activityID: activity.id)).activity
        do {
          _ = try await ana.send(UpdateActivity.self, input)
          return []
        } catch let failure as Failure {
          #expect(try await ana.send(GetActivity.self, .init(activityID: activity.id)).activity == before)
          let words = Words(Contract.activity.words)
          for problem in failure.fields {
            for language in Language.allCases {
              for text in ["field.\(problem.code)", "field.\(problem.code).suggestion"] {
                #expect(words.text(text, language, problem.parameters)?.contains("2026-11-22") == true)
              }
            }
          }
          return failure.fields.map { "\($0.field) \($0.code)" }
        }
      }
      #expect(
        try await refused(.init(activityID: activity.id, goal: .set(time), endDay: .set(today))) == [
          "goal holds_after_end"
        ])
      // Sundays.
      #expect(
        try await refused(.init(activityID: activity.id, schedule: .set(.weekdays([7])), endDay: .set(today)))
          == ["schedule holds_after_end"])
      // What suits the entry holds today.
      #expect(
        try await refused(.init(activityID: activity.id, goal: .set(.quantity(6, unit: "km")), endDay: .set(today))) == [])
      #expect(try await refused(.init(activityID: activity.id, goal: .set(time))) == ["goal holds_after_end"])
      #expect(try await refused(.init(activityID: activity.id, title: .set("Jog"))) == [])
      #expect(try await refused(.init(activityID: activity.id, goal: .set(time), endDay: .set(tomorrow))) == [])
      #expect(try await refused(.init(activityID: activity.id, endDay: .set(today))) == ["endDay holds_after_end"])
      #expect(
        try await refused(.init(activityID: activity.id, goal: .set(.quantity(6, unit: "km")), endDay: .set(today))) == [])
    }
  }

  @Test("T UC 01.03: an activity's start day can be moved, both ways")
  func startDay() async throws {
    try await running { _, ana, activity in
      let later = try await ana.send(
        UpdateActivity.self, .init(activityID: activity.id, startDay: .set(try LocalDay(text: "2026-12-24"))))
      #expect(later.startDay.description == "2026-12-24")
      #expect(try await ana.send(GetDay.self, .init(day: .today)).activities.isEmpty)
      let earlier = try await ana.send(
        UpdateActivity.self, .init(activityID: activity.id, startDay: .set(try LocalDay(text: "2026-11-01"))))
      #expect(earlier.startDay.description == "2026-11-01")
      #expect(try await ana.send(GetDay.self, .init(day: .today)).activities.count == 1)
    }
  }

  @Test("T UC 01.03: the second of two edits of one revision is refused, and changes nothing")
  func race() async throws {
    try await running { _, ana, activity in
      let titles = (0..<8).map { "Run \($0)" }
      let codes = try await withThrowingTaskGroup(of: String?.self) { group in
        for title in titles {
          group.addTask {
            try await ana.failure(UpdateActivity.self, .init(activityID: activity.id, revision: 1, title: .set(title)))
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(codes.count { $0 == nil } == 1 && codes.count { $0 == "activity_changed" } == 7)
      let present = try await ana.send(GetActivity.self, .init(activityID: activity.id)).activity
      #expect(present.revision == 2 && titles.contains(present.title))
      // Without a revision the fields given apply to whatever there is.
      _ = try await ana.send(UpdateActivity.self, .init(activityID: activity.id, category: .set(.other)))
      #expect(try await ana.send(GetActivity.self, .init(activityID: activity.id)).activity.title == present.title)
    }
  }

  @Test("Editing another account's activity is answered as not found")
  func strangers() async throws {
    try await running { services, _, activity in
      let ben = try await services.register()
      let id = activity.id
      #expect(try await ben.failure(UpdateActivity.self, .init(activityID: id, title: .set("Mine"))) == "activity_not_found")
      #expect(try await ben.failure(DeleteActivity.self, .init(activityID: id, confirm: true)) == "activity_not_found")
      #expect(try await ben.failure(ArchiveActivity.self, .init(activityID: id)) == "activity_not_found")
      #expect(try await ben.failure(UnarchiveActivity.self, .init(activityID: id)) == "activity_not_found")
      #expect(try await ben.failure(ReorderActivity.self, .init(activityID: id)) == "activity_not_found")
      let own = try await ben.makeActivity()
      #expect(try await ben.failure(ReorderActivity.self, .init(activityID: own.id, after: id)) == "activity_not_found")
    }
  }
}
