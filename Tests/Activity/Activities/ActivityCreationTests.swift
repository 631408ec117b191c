import ActivityContract
import ActivityService
import InProcess
import Operations
import Testing

@Suite("Creating an activity")
struct ActivityCreationTests {
  private func made(_ json: String, language: Language = .english) async throws -> Activity {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register(language: language)
      let activity = try await ana.send(CreateActivity.self, json: Array(json.utf8))
      #expect(try await ana.send(GetActivity.self, .init(activityID: activity.id)).activity == activity)
      return activity
    }
  }

  @Test("H CU-22: an activity is created with title, reason, category, a yes/no goal, daily, and a reminder")
  func mainCourse() async throws {
    let activity = try await made(
      #"""
      {"title":"Vitamins","reason":"Strong defences","category":"health","goal":{"kind":"check"},"schedule":{"kind":"daily"},
       "reminders":["08:30"]}
      """#)
    #expect(activity.title == "Vitamins" && activity.reason == "Strong defences" && activity.icon == "heart-pulse")
    #expect(activity.goal == .check && activity.schedule == .daily && activity.startDay.description == "2026-11-21")
    #expect(activity.reminders.map(\.description) == ["08:30"] && activity.revision == 1 && !activity.isArchived)
  }

  @Test("H CU-22 4a: an activity is created without a reason")
  func noReason() async throws {
    let activity = try await made(
      #"{"title":"Vitamins","category":"health","goal":{"kind":"check"},"schedule":{"kind":"daily"}}"#)
    #expect(activity.reason == nil)
  }

  @Test("H CU-22 5a: an activity without a title is refused, and nothing is created")
  func noTitle() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let ana = try await services.register()
      let input = CreateActivity.Input(title: "", category: .health, goal: .check, schedule: .daily)
      #expect(try await ana.refusedFields(CreateActivity.self, input) == ["title empty"])
      #expect(try await ana.send(ListActivities.self, .init()).items.isEmpty)
      #expect(try await services.published(by: .activity).isEmpty)
    }
  }

  @Test("H CU-22 9a: an activity is created with an amount and its unit")
  func quantity() async throws {
    let activity = try await made(
      #"{"title":"Water","category":"hydration","goal":{"kind":"quantity","amount":1.5,"unit":"litres"},"schedule":{"kind":"daily"}}"#
    )
    #expect(activity.goal.amount == 1.5 && activity.goal.unit == "litres")
  }

  @Test("H CU-22 9b: an activity is created with a time of hours, minutes and seconds")
  func duration() async throws {
    let activity = try await made(
      #"{"title":"Run","category":"fitness","goal":{"kind":"duration","durationSeconds":5025},"schedule":{"kind":"daily"}}"#)
    #expect(activity.goal.durationSeconds == 1 * 3600 + 23 * 60 + 45)
  }

  @Test("H CU-22 10a, T UC 01.01: an activity is created for days of the week or of the month, and refused without any")
  func schedules() async throws {
    let weekly = try await made(
      #"{"title":"Run","category":"fitness","goal":{"kind":"check"},"schedule":{"kind":"weekdays","weekdays":[5,1]}}"#)
    #expect(weekly.schedule == .weekdays([1, 5]))
    let monthly = try await made(
      #"{"title":"Save","category":"finances","goal":{"kind":"check"},"schedule":{"kind":"monthDays","monthDays":[31,1]}}"#)
    #expect(monthly.schedule == .monthDays([1, 31]))
    let failure = await #expect(throws: Failure.self) {
      try await made(
        #"{"title":"","category":"fitness","goal":{"kind":"check"},"schedule":{"kind":"weekdays","weekdays":[]}}"#)
    }
    #expect(failure?.fields.map { "\($0.field) \($0.code)" } == ["title empty", "schedule.weekdays wrong_count"])
  }

  @Test("H CU-22 11a: an activity is created without reminders")
  func noReminder() async throws {
    let activity = try await made(
      #"{"title":"Vitamins","category":"health","goal":{"kind":"check"},"schedule":{"kind":"daily"},"reminders":[]}"#)
    #expect(activity.reminders.isEmpty)
  }

  @Test("T UC 01.01: an activity begins on the start day that is chosen")
  func startDay() async throws {
    let activity = try await made(
      #"{"title":"Run","category":"fitness","goal":{"kind":"check"},"schedule":{"kind":"daily"},"startDay":"2026-12-01"}"#)
    #expect(activity.startDay.description == "2026-12-01")
  }

  @Test("Reminders and tags are sorted without duplicates, and tags are normalized")
  func canonical() async throws {
    let activity = try await made(
      #"""
      {"title":"Run","category":"fitness","goal":{"kind":"check"},"schedule":{"kind":"daily"},
       "reminders":["21:00","07:30","21:00"],"tags":[" At   Home","CAFE\u0301","at home"]}
      """#)
    #expect(activity.reminders.map(\.description) == ["07:30", "21:00"])
    #expect(activity.tags.map(\.description) == ["at home", "café"])
    #expect(activity.tags.last?.description.unicodeScalars.count == 4)
  }

  @Test(
    "Invalid reminders and tags are reported with the broken rule",
    arguments: [
      (#""reminders":["7:30","24:00","12:60","noon"]"#, (0..<4).map { "reminders[\($0)] not_a_time_of_day" }),
      (
        #""reminders":["00:00","00:01","00:02","00:03","00:04","00:05","00:06","00:07","00:08","00:09","00:10"]"#,
        ["reminders wrong_count"]
      ),
      (
        #""tags":["","  ","123456789012345678901","a\u0007b"]"#,
        ["tags[0] empty", "tags[1] empty", "tags[2] too_long", "tags[3] control_character"]
      ),
      (#""tags":["a","b","c","d","e","f","g","h","i"]"#, ["tags wrong_count"]),
    ])
  func refused(fields: String, faults: [String]) throws {
    let json = #"{"title":"x","category":"health","goal":{"kind":"check"},"schedule":{"kind":"daily"},"# + fields + "}"
    // The form is handed on with what is wrong with it, for its handler to refuse.
    let found = FieldFindings(try CreateActivity.Input.decode(Array(json.utf8)).found)
    #expect(found.problems.map { "\($0.field) \($0.code)" } == faults)
  }
}
