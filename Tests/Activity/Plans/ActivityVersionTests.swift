import ActivityContract
import EarlierStores
import GRDB
import InProcess
import Operations
import ServiceKit
import Storage
import Testing

@testable import ActivityService

@Suite("Versions of an activity's terms")
struct ActivityVersionTests {
  private func running(_ body: (ServicesInProcess, Person) async throws -> Void) async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }], at: "2026-11-20T12:00:00.000Z") { services in
      try await body(services, try await services.register())
    }
  }

  /// What editing an activity does with its terms.
  private func change(
    _ activity: Activity, of person: Person, in services: ServicesInProcess, on today: String = "2026-11-20",
    _ change: @escaping @Sendable (inout ActivityTerms) -> Void
  ) async throws -> Activity {
    let account = person.id
    return try await services.store(of: .activity).write { transaction in
      var terms = ActivityTerms(
        goal: activity.goal, schedule: activity.schedule, startDay: activity.startDay, endDay: activity.endDay)
      change(&terms)
      try ActivityVersionStore.change(
        activity.id, of: account, to: terms, today: try LocalDay(text: today), transaction)
      return try ActivityStore.find(activity.id, of: account, in: transaction.database)
    }
  }

  private func states(_ activity: Activity, of person: Person) async throws -> [DayState?] {
    try await person.send(GetCalendar.self, .init(activityID: activity.id, format: .week)).days.map(\.state)
  }

  @Test("T01.02: a changed schedule holds from today on, and leaves past days as they were")
  func schedule() async throws {
    try await running { services, ana in
      let walk = try await ana.makeActivity(startDay: "2026-11-16")
      _ = try await ana.record(walk, on: "2026-11-17")
      let changed = try await change(walk, of: ana, in: services) { $0.schedule = .weekdays([6]) }
      #expect(changed.schedule == .weekdays([6]) && changed.startDay == walk.startDay)
      #expect(try await states(walk, of: ana) == [.failed, .done, .failed, .failed, nil, .pending, nil])
      #expect(try await ana.failure(RecordEntry.self, .init(activityID: walk.id, day: .today, isDone: true)) == "not_planned")
      _ = try await ana.record(walk, on: "2026-11-18")
      #expect(try await ana.streak(of: walk) == Streak(current: 0, longest: 2))
      // Changed once more on the same day, only the last counts.
      let again = try await change(changed, of: ana, in: services) { $0.schedule = .weekdays([7]) }
      #expect(try await states(again, of: ana) == [.failed, .done, .done, .failed, nil, nil, .pending])
      #expect(try await services.store(of: .activity).rows("activity_versions") == 2)
      #expect(try await ana.send(ListActivities.self, .init()).items.map(\.activity) == [again])
    }
  }

  @Test("A changed goal evaluates today anew and publishes it, and leaves past days as they were")
  func goal() async throws {
    try await running { services, ana in
      let read = try await ana.makeActivity(goal: .quantity(10, unit: "pages"), startDay: "2026-11-18")
      for day in ["2026-11-18", "2026-11-19", "2026-11-20"] {
        _ = try await ana.send(RecordEntry.self, .init(activityID: read.id, day: .init(text: day), amount: 10))
      }
      let changed = try await change(read, of: ana, in: services) { $0.goal = .quantity(20, unit: "pages") }
      #expect(try await states(changed, of: ana) == [nil, nil, .done, .done, .partly, .pending, .pending])
      let published = try await services.published(by: .activity)
      let last = try EntryRecorded.decode(try #require(published.last).body)
      #expect(last.day.description == "2026-11-20" && !last.isDone && last.amount == 10)
      #expect(try await ana.streak(of: read) == Streak(current: 2, longest: 2))
      let limit = try await change(changed, of: ana, in: services) { $0.goal = .quantity(5, unit: "pages", .atMost) }
      #expect(try await states(limit, of: ana) == [nil, nil, .done, .done, .failed, .pending, .pending])
    }
  }

  @Test("An edited goal that does not fit today's entry takes effect tomorrow")
  func tomorrow() async throws {
    try await running { services, ana in
      let read = try await ana.makeActivity(goal: .quantity(10, unit: "pages"), startDay: "2026-11-19")
      _ = try await ana.send(RecordEntry.self, .init(activityID: read.id, day: .today, amount: 10))
      let hours = try await change(read, of: ana, in: services) { $0.goal = .duration(seconds: 3600) }
      #expect(hours.goal == .duration(seconds: 3600))
      let calendar = try await ana.send(GetCalendar.self, .init(activityID: read.id, format: .week))
      #expect(calendar.days[4].state == .done && calendar.days[4].amount == 10)
      let unplanned = try await change(hours, of: ana, in: services) { $0.schedule = .weekdays([7]) }
      #expect(try await states(unplanned, of: ana) == [nil, nil, nil, .failed, .done, nil, .pending])
    }
  }

  @Test(
    "Today's entry stays as it is however often its activity is edited, and the last edit takes effect tomorrow",
    arguments: [
      (.quantity(5, unit: "km"), [.goal(.duration(seconds: 3600)), .goal(.duration(seconds: 1200))]),
      (.quantity(5, unit: "km"), [.goal(.duration(seconds: 3600)), .endDay("2026-12-20")]),
      (.quantity(5, unit: "km"), [.goal(.duration(seconds: 3600)), .startDay("2026-11-01")]),
      (.quantity(5, unit: "km"), [.goal(.duration(seconds: 3600)), .schedule(.timesAWeek(3)), .schedule(.daily)]),
      (.quantity(5, unit: "km"), [.goal(.quantity(5000, unit: "m")), .goal(.quantity(6000, unit: "m"))]),
      (.quantity(5, unit: "km"), [.goal(.check), .startDay("2026-11-05")]),
      (.duration(seconds: 600), [.goal(.check), .goal(.quantity(5, unit: "km")), .goal(.quantity(6, unit: "km"))]),
      (.check, [.goal(.quantity(5, unit: "km")), .goal(.quantity(6, unit: "km"))]),
    ] as [(Goal, [OneEdit])], ["2026-11-10", "2026-11-20"])
  func severalEdits(of made: (goal: Goal, edits: [OneEdit]), startDay: String) async throws {
    try await running { services, ana in
      let activity = try await ana.makeActivity(goal: made.goal, startDay: startDay)
      let before = try await ana.send(RecordEntry.self, .init(activityID: activity.id, day: .today, isDone: true))
      let published = try await services.published(by: .activity).count { $0.name == EntryRecorded.spec.name }
      for edit in made.edits {
        let edited = try await ana.send(UpdateActivity.self, edit.input(activity.id))
        #expect(edited.holdsFrom?.description == "2026-11-21")
        #expect(try await ana.send(GetEntry.self, .init(activityID: activity.id, day: .today)) == before)
        #expect(try await ana.send(GetDay.self, .init(day: .today)).activities.map(\.goal) == [made.goal])
      }
      // Back to what the entry is of, nothing waits for tomorrow.
      let back = try await ana.send(
        UpdateActivity.self, .init(activityID: activity.id, goal: .set(made.goal), schedule: .set(.daily)))
      #expect(back.holdsFrom?.description != "2026-11-21")
      #expect(try await ana.send(GetEntry.self, .init(activityID: activity.id, day: .today)) == before)
      #expect(try await services.published(by: .activity).count { $0.name == EntryRecorded.spec.name } == published)
    }
  }

  /// An edit of one thing.
  enum OneEdit: Sendable {
    case goal(Goal), schedule(Schedule), startDay(String), endDay(String)

    func input(_ id: ActivityID) throws -> UpdateActivity.Input {
      switch self {
      case .goal(let goal): .init(activityID: id, goal: .set(goal))
      case .schedule(let schedule): .init(activityID: id, schedule: .set(schedule))
      case .startDay(let day): .init(activityID: id, startDay: .set(try LocalDay(text: day)))
      case .endDay(let day): .init(activityID: id, endDay: .set(try LocalDay(text: day)))
      }
    }
  }

  @Test("A running timer is saved under the goal it began under, however often that is changed meanwhile")
  func severalEditsWithTimer() async throws {
    try await running { services, ana in
      let read = try await ana.makeActivity(goal: .duration(seconds: 600), startDay: "2026-11-10")
      _ = try await ana.send(StartTimer.self, .init(activityID: read.id))
      for kilometres in [5.0, 6] {
        let edited = try await ana.send(
          UpdateActivity.self, .init(activityID: read.id, goal: .set(.quantity(kilometres, unit: "km"))))
        #expect(edited.holdsFrom?.description == "2026-11-21")
      }
      try services.clock.set("2026-11-20T12:10:00.000Z")
      let entry = try await ana.send(SaveTimer.self, .init(activityID: read.id))
      #expect(entry.durationSeconds == 600 && entry.isDone)
    }
  }

  @Test("After crossing the date line, entries of two days keep their own units")
  func severalDays() async throws {
    try await running { services, ana in
      let read = try await ana.makeActivity(goal: .quantity(10, unit: "pages"), startDay: "2026-11-10")
      let pages = try await ana.send(RecordEntry.self, .init(activityID: read.id, day: .today, amount: 10))
      _ = try await ana.send(UpdateActivity.self, .init(activityID: read.id, goal: .set(.duration(seconds: 600))))
      try services.clock.set("2026-11-21T12:00:00.000Z")
      _ = try await ana.send(RecordEntry.self, .init(activityID: read.id, day: .today, durationSeconds: 700))
      let goal = Goal.duration(seconds: 1200)
      let changed = try await change(read, of: ana, in: services, on: "2026-11-20") { $0.goal = goal }
      #expect(changed.holdsFrom?.description == "2026-11-21" && changed.goal == goal)
      #expect(try await ana.send(GetEntry.self, .init(activityID: read.id, day: .init(text: "2026-11-20"))) == pages)
      let time = try await ana.send(GetEntry.self, .init(activityID: read.id, day: .today))
      #expect(time.durationSeconds == 700 && !time.isDone)
    }
  }

  @Test("A goal that waits for its first planned day is used for today once today is planned")
  func waitedForDays() async throws {
    try await running { services, ana in
      let run = try await ana.makeActivity(goal: .quantity(5, unit: "km"), startDay: "2026-11-10")
      _ = try await ana.send(RecordEntry.self, .init(activityID: run.id, day: .today, amount: 5))
      // Today is a Friday.
      let saturdays = UpdateActivity.Input(
        activityID: run.id, goal: .set(.quantity(8, unit: "km")), schedule: .set(.weekdays([6])))
      #expect(try await ana.send(UpdateActivity.self, saturdays).holdsFrom?.description == "2026-11-21")
      #expect(try await ana.send(GetEntry.self, .init(activityID: run.id, day: .today)).isDone)
      _ = try await ana.send(UpdateActivity.self, .init(activityID: run.id, schedule: .set(.daily)))
      #expect(try await ana.send(GetDay.self, .init(day: .today)).activities.map(\.state) == [.partly])
      let published = try #require(try await services.published(by: .activity).last { $0.name == EntryRecorded.spec.name })
      #expect(try !EntryRecorded.decode(published.body).isDone)
      #expect(try await services.store(of: .activity).read { try Int.fetchOne($0, sql: "SELECT is_done FROM entries") } == 0)
    }
  }

  /// The days of the week from Monday, 2026-11-16: asked for, done or neither. Today is Friday.
  private func shown(_ activity: Activity, of person: Person) async throws -> String {
    let calendar = try await person.send(GetCalendar.self, .init(activityID: activity.id, format: .week))
    var days = ""
    for day in calendar.days {
      let list = try await person.send(GetDay.self, .init(day: .day(day.day))).activities.first { $0.id == activity.id }
      #expect(list?.state == day.state, "\(day.day): the day's list and the calendar")
      days += day.state.map { $0 == .done ? "x" : $0 == .failed ? "-" : "o" } ?? "."
    }
    return days
  }

  @Test(
    "Start and end day can be moved for past days, too, and calendar, day's list and streak agree",
    arguments: [
      // From the start day on, up to the end day; days with an entry; the new start and end day; what is asked for then.
      (16, nil, [], 18, nil, "..--ooo"), (16, nil, [18], 18, nil, "..x-ooo"), (16, nil, [], 20, nil, "....ooo"),
      (16, nil, [], 22, nil, "......o"), (18, nil, [18], 16, nil, "--x-ooo"), (20, nil, [], 17, nil, ".---ooo"),
      (22, nil, [], 17, nil, ".---ooo"), (20, nil, [20], 17, nil, ".---xoo"),
      (16, nil, [16], 16, 17, "x-....."), (16, nil, [16], 16, 19, "x---..."), (16, nil, [16], 16, 20, "x---o.."),
      (16, nil, [16, 20], 16, 20, "x---x.."), (16, 17, [16], 16, 18, "x--...."), (16, 17, [16], 16, nil, "x---ooo"),
      (16, 17, [16], 16, 21, "x---oo."), (16, 18, [17], 17, 17, ".x....."), (16, 21, [], 21, 22, ".....oo"),
    ] as [(Int, Int?, [Int], Int, Int?, String)])
  func bounds(start: Int, end: Int?, done: [Int], newStart: Int, newEnd: Int?, asked: String) async throws {
    try await running { services, ana in
      func day(_ number: Int) throws -> LocalDay { try LocalDay(text: "2026-11-\(number)") }
      let made = try await ana.makeActivity(startDay: "2026-11-\(start)")
      if let end {
        _ = try await ana.send(UpdateActivity.self, .init(activityID: made.id, endDay: .set(try day(end))))
      }
      for number in done { _ = try await ana.record(made, on: "2026-11-\(number)") }
      let moved = try await ana.send(
        UpdateActivity.self,
        .init(
          activityID: made.id, startDay: .set(try day(newStart)), endDay: .set(try newEnd.map(day))))
      let bounds = (start: try day(newStart), end: try newEnd.map(day))
      #expect(moved.startDay == bounds.start && moved.endDay == bounds.end)
      #expect(try await shown(moved, of: ana) == asked)
      // A streak ends with the last day that was missed and begins with the first that was done.
      let longest = asked.split { $0 != "x" }.map(\.count).max() ?? 0
      #expect(try await ana.streak(of: moved).longest == longest)
      for number in 16...20 {
        let input = RecordEntry.Input(activityID: made.id, day: .day(try day(number)), isDone: true)
        let isAsked = Array(asked)[number - 16] != "."
        #expect(try await ana.failure(RecordEntry.self, input) == (isAsked ? nil : "not_planned"), "\(number)")
      }
    }
  }

  @Test("Start and end days that would leave out an entry are refused with field, day and advice, and nothing changes")
  func entriesStay() async throws {
    try await running { services, ana in
      let walk = try await ana.makeActivity(startDay: "2026-11-16")
      for day in ["2026-11-17", "2026-11-19"] { _ = try await ana.record(walk, on: day) }
      func refused(_ start: String?, _ end: String?) async throws -> [String] {
        do {
          _ = try await ana.send(
            UpdateActivity.self,
            .init(
              activityID: walk.id, startDay: try start.map { .set(try LocalDay(text: $0)) } ?? .keep,
              endDay: try end.map { .set(try LocalDay(text: $0)) } ?? .keep))
          return []
        } catch let failure as Failure {
          let words = Words(Contract.activity.words)
          for problem in failure.fields {
            for language in Language.allCases {
              #expect(words.text("field.\(problem.code)", language, problem.parameters)?.contains("2026-11-1") == true)
              #expect(words.text("field.\(problem.code).suggestion", language, problem.parameters)?.isEmpty == false)
            }
          }
          return failure.fields.map { "\($0.field) \($0.code) \($0.parameters["day"] ?? .text("?"))" }
        }
      }
      func fault(_ text: String, _ day: String) -> String { "\(text) \(Parameter.text(day))" }
      #expect(try await refused("2026-11-18", nil) == [fault("startDay starts_after_entries", "2026-11-17")])
      #expect(try await refused("2026-12-24", nil) == [fault("startDay starts_after_entries", "2026-11-17")])
      #expect(try await refused(nil, "2026-11-18") == [fault("endDay ends_before_entries", "2026-11-19")])
      #expect(
        try await refused("2026-11-18", "2026-11-18") == [
          fault("startDay starts_after_entries", "2026-11-17"), fault("endDay ends_before_entries", "2026-11-19"),
        ])
      #expect(try await ana.send(GetActivity.self, .init(activityID: walk.id)).activity == walk)
      #expect(try await refused("2026-11-17", "2026-11-19") == [])
      // Once it is taken back it hinders nothing.
      _ = try await ana.send(DeleteEntry.self, .init(activityID: walk.id, day: .init(text: "2026-11-17")))
      #expect(try await refused("2026-11-18", nil) == [])
    }
  }

  @Test("The start and end shown last in an earlier store hold for all days, and leave no entry out")
  func boundsUpgrade() async throws {
    let before = [
      ActivityMigrations.accounts, ActivityStore.migration(2), EntryStore.migration(3), ActivityVersionStore.migration(4),
    ]
    @Sendable func day(_ number: Int) -> LocalDay { LocalDay(daysSinceEpoch: Int32(20_000 + number)) }
    let ids = (0..<3).map { _ in ActivityID() }
    let rows: [(ActivityID, LocalDay, LocalDay, LocalDay?)] = [
      (ids[0], ActivityVersionStore.beginning, day(0), nil), (ids[0], day(20), day(15), day(18)),
      (ids[1], ActivityVersionStore.beginning, day(0), day(5)), (ids[1], day(20), day(2), nil),
      (ids[2], ActivityVersionStore.beginning, day(0), nil), (ids[2], day(20), day(15), day(18)),
    ]
    try await UpgradedStore.upgrading(.activity, before, by: [ActivityVersionStore.boundsMigration(5)]) { transaction in
      for id in ids {
        try transaction.database.execute(
          sql: """
            INSERT INTO activities (activity_id, account_id, title, category, created_at) VALUES (?, zeroblob(16), 'Leer', 'other', 1)
            """, arguments: [id])
      }
      for (id, from, start, end) in rows {
        try transaction.database.execute(
          sql: """
            INSERT INTO activity_versions (activity_id, from_day, account_id, goal_kind, goal_target, goal_direction, schedule_kind,
              schedule_code, anchor_day, start_day, end_day)
            VALUES (?1, ?2, zeroblob(16), 'check', 1, 'atLeast', 'daily', 0, ?3, ?3, ?4)
            """, arguments: [id, from, start, end])
      }
      for number in [3, 19] {
        try transaction.database.execute(
          sql: "INSERT INTO entries (activity_id, day, progress, is_done, recorded_at) VALUES (?, ?, 1, 1, 1)",
          arguments: [ids[2], day(number)])
      }
    } check: { store in
      let bounds = try await store.read { database in
        try ids.map { try ActivityVersionStore.list(of: $0, in: database).map { [$0.startDay, $0.endDay] } }
      }
      #expect(bounds[0] == [[day(15), day(18)], [day(15), day(18)]])
      #expect(bounds[1] == [[day(2), nil], [day(2), nil]])
      #expect(bounds[2] == [[day(3), day(19)], [day(3), day(19)]])
    }
  }

  @Test("An edited activity that has not begun keeps nothing of the former terms")
  func notBegun() async throws {
    try await running { services, ana in
      let walk = try await ana.makeActivity()
      let changed = try await change(walk, of: ana, in: services) {
        $0.startDay = LocalDay(daysSinceEpoch: 20_773)
        $0.schedule = .everyNDays(3)
      }
      #expect(try await states(changed, of: ana) == [.failed, nil, nil, .failed, nil, nil, .pending])
      #expect(try await services.store(of: .activity).rows("activity_versions") == 1)
    }
  }

  @Test("A schedule of every so many days keeps counting from its start, unless it is changed")
  func anchor() async throws {
    try await running { services, ana in
      let walk = try await ana.makeActivity(schedule: .everyNDays(3), startDay: "2026-11-16")
      let ended = try await change(walk, of: ana, in: services) { $0.endDay = LocalDay(daysSinceEpoch: 20_900) }
      #expect(try await states(ended, of: ana) == [.failed, nil, nil, .failed, nil, nil, .pending])
      let often = try await change(ended, of: ana, in: services) { $0.schedule = .everyNDays(2) }
      #expect(try await states(often, of: ana) == [.failed, nil, nil, .failed, .pending, nil, .pending])
    }
  }

  @Test("An end day may not be before the start day, which is today by default")
  func endDay() async throws {
    try await running { _, ana in
      var input = CreateActivity.Input(title: "Fast", category: .health, goal: .check, schedule: .daily)
      input.endDay = try LocalDay(text: "2026-11-19")
      #expect(try await ana.refusedFields(CreateActivity.self, input) == ["endDay ends_before"])
      input.startDay = try LocalDay(text: "2026-11-21")
      #expect(try await ana.refusedFields(CreateActivity.self, input) == ["endDay ends_before"])
      input.endDay = input.startDay
      let made = try await ana.send(CreateActivity.self, input)
      #expect(made.endDay == input.endDay)
      #expect(try await states(made, of: ana) == [nil, nil, nil, nil, nil, .pending, nil])
    }
  }

  @Test("An activity of an earlier store has one version with all its terms")
  func upgrade() async throws {
    let before = [ActivityMigrations.accounts, ActivityStore.migration(2), EntryStore.migration(3)]
    let newer = [
      ActivityVersionStore.migration(4), ActivityStore.detailsMigration(5), MovementTieStore.migration(6),
      ActivityStore.archiveMigration(7),
      ActivityVersionStore.boundsMigration(8),
    ]
    try await UpgradedStore.upgrading(.activity, before, by: newer) { transaction in
      try transaction.database.execute(
        sql: """
          INSERT INTO activities (activity_id, account_id, title, category, goal_kind, goal_target, goal_unit, schedule_kind,
            schedule_bits, start_day, created_at)
          VALUES (zeroblob(16), zeroblob(16), 'Read', 'reading', 'quantity', 2500, 'pages', 'monthDays', 2147483650, 20000, 1);
          INSERT INTO entries (activity_id, day, progress, is_done, recorded_at) VALUES (zeroblob(16), 20001, 2500, 1, 2);
          """)
    } check: { store in
      let (activity, goal, entries) = try await store.read { database in
        (
          try ActivityStore.find(.placeholder, of: .placeholder, in: database),
          try ActivityStore.goal(
            .placeholder, of: .placeholder, on: LocalDay(daysSinceEpoch: 20_100), today: LocalDay(daysSinceEpoch: 20_100),
            in: database),
          try EntryStore.progress(of: .placeholder, in: database)
        )
      }
      #expect(activity.title == "Read" && activity.goal == .quantity(2.5, unit: "pages") && activity.endDay == nil)
      #expect(activity.schedule == .monthDays([1, 31]) && activity.startDay.daysSinceEpoch == 20_000)
      #expect(goal.measure == GoalMeasure(kind: .quantity, target: 2500) && goal.startDay == activity.startDay)
      #expect(entries == [DayProgress(day: LocalDay(daysSinceEpoch: 20_001), progress: 2500)])
      // What is deleted with it is.
      try await store.write { try $0.database.execute(sql: "DELETE FROM entries; DELETE FROM activities") }
      #expect(try await store.read { try ActivityVersionStore.list(of: .placeholder, in: $0) } == [])
    }
  }
}
