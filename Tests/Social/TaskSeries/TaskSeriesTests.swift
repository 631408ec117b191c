import GRDB
import IdentityContract
import InProcess
import NotificationsContract
import Operations
import SocialContract
import Storage
import Testing

@testable import ServiceKit
@testable import SocialService

@Suite("Recurring tasks (TASK-1)")
struct TaskSeriesTests {
  @Test("A recurring task has an occurrence on each planned day, which creator and participants complete as a task")
  func recurring() async throws {
    try await ServicesInProcess.withPeople(3, notified: true) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      // A Saturday; planned are Saturdays and Mondays.
      let series = try await services.makeSeries(
        "Bins", .weekdays([6, 1]), by: ana, with: [ben, eva], description: "All of them")
      #expect(series.state == .active && series.nextDay?.description == "2026-11-23" && series.isCreator)
      #expect(series.participants.map(\.accountID) == people.map(\.id))
      let first = try #require(try await ben.occurrences().first)
      #expect(first.dueDay?.description == "2026-11-21" && first.seriesID == series.id && first.participantCount == 3)
      #expect(first.description?.description == "All of them" && first.creator?.accountID == ana.id)
      for person in people { try await person.confirm(first) }
      try await services.pass(days: 1)
      #expect(try await ben.occurrences(.open).isEmpty)
      try await services.pass(days: 1)
      let second = try #require(try await ben.occurrences(.open).first)
      #expect(second.dueDay?.description == "2026-11-23" && second.confirmedCount == 0 && second.id != first.id)
      #expect(try await ben.occurrences(.completed).map(\.id) == [first.id])
      _ = try await ben.comment("Done?", on: second)
      #expect(try await ben.details(of: first).comments.isEmpty)
      // Of the first one they learnt with the series; the second is notified of to all, once.
      #expect(
        try await services.notices(of: eva).map(\.kind.rawValue).filter { $0.hasPrefix("taskSeries") || $0 == "taskRecurred" }
          == ["taskRecurred", "taskSeriesEnrolled"])
      #expect(try await services.notices(of: ana).map(\.kind.rawValue).filter { $0 == "taskRecurred" }.count == 1)
    }
  }

  @Test(
    "An invalid schedule of a recurring task is refused by name",
    arguments: [
      #"{"kind":"everyNDays","everyDays":0}"#, #"{"kind":"everyNDays","everyDays":-9223372036854775808}"#,
      #"{"kind":"nthWeekdays","nthWeekdays":[{"nth":9223372036854775807,"weekday":1}]}"#,
      #"{"kind":"nthWeekdays","nthWeekdays":[{"nth":1,"weekday":9223372036854775807}]}"#,
      #"{"kind":"nthWeekdays","nthWeekdays":[{"nth":1,"weekday":-9223372036854775808}]}"#,
      #"{"kind":"weekdays","weekdays":[9223372036854775807,-9223372036854775808]}"#,
      #"{"kind":"monthDays","monthDays":[-1,64]}"#, #"{"kind":"weekdays","weekdays":[]}"#,
    ])
  func nonsense(schedule: String) async throws {
    try await ServicesInProcess.withPeople(1) { services, people in
      let input = try CreateTaskSeries.Input.decode(Array(#"{"name":"Bins","schedule":\#(schedule)}"#.utf8))
      #expect(try await people[0].failure(CreateTaskSeries.self, input) == "invalid_fields")
      #expect(try await services.store(of: .social).rows("task_series") == 0)
    }
  }

  @Test("A planned day has one occurrence however often and late it is checked, and missed days are not made up for")
  func once() async throws {
    try await ServicesInProcess.withPeople(2) { services, people in
      let series = try await services.makeSeries(by: people[0], with: [people[1]])
      for _ in 0..<3 { try await services.pass(days: 0) }
      #expect(try await people[1].occurrences().map(\.dueDay?.description) == ["2026-11-21"])
      try await services.pass(days: 100)
      try await services.pass(days: 0)
      #expect(try await people[1].occurrences().map(\.dueDay?.description) == ["2027-03-01", "2026-11-21"])
      #expect(try await people[0].series(series).nextDay?.description == "2027-03-02")
    }
  }

  @Test("A clock that was ahead for a while neither doubles an occurrence nor ends the series")
  func clockAhead() async throws {
    try await ServicesInProcess.withPeople(1) { services, people in
      let series = try await services.makeSeries(by: people[0])
      try services.clock.set("2030-01-01T12:00:00.000Z")
      try await services.pass(days: 0)
      #expect(try await people[0].occurrences().map(\.dueDay?.description) == ["2030-01-01", "2026-11-21"])
      try services.clock.set("2026-11-22T12:00:00.000Z")
      try await services.pass(days: 0)
      #expect(try await people[0].occurrences().first?.dueDay?.description == "2026-11-22")
      // And back by some hours, over midnight.
      try services.clock.set("2026-11-21T23:00:00.000Z")
      try await services.pass(days: 0)
      try services.clock.set("2026-11-22T12:00:00.000Z")
      try await services.pass(days: 0)
      #expect(try await people[0].occurrences().map(\.dueDay?.description) == ["2026-11-22", "2030-01-01", "2026-11-21"])
      #expect(try await people[0].series(series).nextDay?.description == "2026-11-23")
    }
  }

  @Test("A day begins in its creator's time zone, also after travelling, at the creator's start of the day")
  func timeZones() async throws {
    try await ServicesInProcess.withPeople(0) { services, _ in
      // 02:00 on the 21st.
      try services.clock.set("2026-11-21T12:00:00.000Z")
      let ana = try await services.register(timeZone: "Pacific/Honolulu", dayStartHour: 3)
      let ben = try await services.register(timeZone: "UTC")
      try await services.hasReceived(.social, of: .identity)
      let series = try await services.makeSeries(by: ana, with: [ben])
      #expect(try await ben.occurrences().map(\.dueDay?.description) == ["2026-11-20"])
      services.clock.advance(seconds: 3599)
      try await services.pass(days: 0)
      #expect(try await ben.occurrences().count == 1)
      services.clock.advance(seconds: 61)
      try await services.pass(days: 0)
      #expect(try await ben.occurrences().map(\.dueDay?.description) == ["2026-11-21", "2026-11-20"])
      // 03:01 on the 22nd.
      try await services.move(ana, to: "Pacific/Kiritimati", receivedBy: .social)
      try await services.pass(days: 0)
      #expect(try await ben.occurrences().first?.dueDay?.description == "2026-11-22")
      // Back again: the 22nd has had its occurrence.
      try await services.move(ana, to: "Pacific/Honolulu", receivedBy: .social)
      try await services.pass(days: 1)
      #expect(try await ben.occurrences().count == 3)
      #expect(try await ana.series(series).nextDay?.description == "2026-11-23")
    }
  }

  @Test(
    "A missed occurrence stays open during two later ones, and is then cancelled without a notification")
  func missed() async throws {
    try await ServicesInProcess.withPeople(2, notified: true) { services, people in
      _ = try await services.makeSeries(by: people[0], with: [people[1]])
      for _ in 0..<4 { try await services.pass(days: 1) }
      #expect(
        try await people[1].occurrences(.open).map(\.dueDay?.description) == ["2026-11-25", "2026-11-24", "2026-11-23"])
      #expect(try await people[1].occurrences(.cancelled).map(\.dueDay?.description) == ["2026-11-22", "2026-11-21"])
      #expect(try await !services.notices(of: people[1]).map(\.kind.rawValue).contains("taskCancelled"))
      let late = try #require(try await people[1].occurrences(.open).last)
      for person in people { try await person.confirm(late) }
      #expect(try await people[1].occurrences(.completed).map(\.id) == [late.id])
    }
  }

  @Test(
    "Opting out of an occurrence does not affect the next; opting out of the series ends all, and keeps confirmed ones"
  )
  func optingOut() async throws {
    try await ServicesInProcess.withPeople(2, notified: true) { services, people in
      let (ana, ben) = (people[0], people[1])
      let series = try await services.makeSeries(by: ana, with: [ben])
      let first = try #require(try await ben.occurrences().first)
      try await ben.optOut(of: first)
      try await services.pass(days: 1)
      let second = try #require(try await ben.occurrences(.open).first)
      try await ben.confirm(second)
      try await services.pass(days: 1)
      let unconfirmed = try await ben.failure(OptOutOfTaskSeries.self, .init(seriesID: series.id))
      #expect(unconfirmed == "invalid_fields")
      _ = try await ben.send(OptOutOfTaskSeries.self, .init(seriesID: series.id, confirm: true))
      #expect(try await ben.occurrences(.open).map(\.id) == [second.id])
      #expect(try await ben.failure(GetTaskSeries.self, .init(seriesID: series.id)) == "not_found")
      #expect(try await services.notices(of: ana).first?.kind.rawValue == "taskSeriesOptedOut")
      try await services.pass(days: 1)
      #expect(try await ben.occurrences(.open).map(\.id) == [second.id])
      #expect(try await ana.occurrences(.open).first?.participantCount == 1)
      #expect(try await ana.series(series).participants.map(\.accountID) == [ana.id])
      let stays = try await ana.failure(OptOutOfTaskSeries.self, .init(seriesID: series.id, confirm: true))
      #expect(stays == "task_series_creator_stays")
    }
  }

  @Test("Only the creator can change a series for future occurrences, and end it; existing ones stay")
  func changing() async throws {
    try await ServicesInProcess.withPeople(3, notified: true) { services, people in
      let (ana, ben, eva) = (people[0], people[1], people[2])
      let series = try await services.makeSeries("Bins", by: ana, with: [ben])
      let edit = UpdateTaskSeries.Input(
        seriesID: series.id, name: .set(try TaskName(text: "Paper")), description: .set(try TaskDescription(text: "Only that")),
        schedule: .set(.weekdays([3])))
      #expect(try await ben.failure(UpdateTaskSeries.self, edit) == "forbidden")
      #expect(try await eva.failure(UpdateTaskSeries.self, edit) == "not_found")
      #expect(try await ben.failure(EndTaskSeries.self, .init(seriesID: series.id)) == "forbidden")
      let edited = try await ana.send(UpdateTaskSeries.self, edit)
      #expect(edited.nextDay?.description == "2026-11-25" && edited.schedule == .weekdays([3]))
      try await services.pass(days: 4)
      #expect(try await ben.occurrences().map(\.name.description) == ["Paper", "Bins"])
      let ended = try await ana.send(EndTaskSeries.self, .init(seriesID: series.id))
      #expect(ended.state == .ended && ended.nextDay == nil)
      #expect(try await ana.send(EndTaskSeries.self, .init(seriesID: series.id)) == ended)
      #expect(try await services.notices(of: ben).map(\.kind.rawValue).filter { $0 == "taskSeriesEnded" }.count == 1)
      #expect(try await ana.failure(UpdateTaskSeries.self, edit) == "task_series_ended")
      try await services.pass(days: 30)
      #expect(try await ben.occurrences(.open).count == 2)
    }
  }

  @Test("A schedule changed to include today gets one occurrence at once, and a series without planned days ends")
  func changedToToday() async throws {
    try await ServicesInProcess.withPeople(1) { services, people in
      let ana = people[0]
      let series = try await services.makeSeries(schedule: .weekdays([1]), by: ana)
      #expect(try await ana.occurrences().isEmpty)
      for schedule in [Schedule.daily, .weekdays([6]), .daily] {
        _ = try await ana.send(UpdateTaskSeries.self, .init(seriesID: series.id, schedule: .set(schedule)))
      }
      #expect(try await ana.occurrences().map(\.dueDay?.description) == ["2026-11-21"])
      let today = try LocalDay(text: "2026-11-21")
      let ended = try await ana.send(UpdateTaskSeries.self, .init(seriesID: series.id, endDay: .set(today)))
      #expect(ended.state == .ended)
    }
  }

  @Test("All faults of a new series are reported at once")
  func faults() async throws {
    try await ServicesInProcess.withPeople(1) { services, people in
      let json = """
        {"name":" ","participants":["no.one"],"schedule":{"kind":"timesAWeek","timesAWeek":2},"startDay":"2026-11-20"}
        """
      let failure = await #expect(throws: Failure.self) {
        _ = try await people[0].send(CreateTaskSeries.self, json: Array(json.utf8))
      }
      #expect(
        Set(failure?.fields.map { "\($0.field) \($0.code)" } ?? []) == [
          "name empty", "participants[0] unknown_user", "schedule schedule_without_days", "startDay before_today",
        ])
      let never = """
        {"name":"Never","schedule":{"kind":"weekdays","weekdays":[1]},"endDay":"2026-11-22"}
        """
      let other = await #expect(throws: Failure.self) {
        _ = try await people[0].send(CreateTaskSeries.self, json: Array(never.utf8))
      }
      #expect(other?.fields.map { "\($0.field) \($0.code)" } == ["schedule no_planned_day"])
    }
  }

  @Test("Participants who block the creator, forbid enrolment or are suspended are left out of an occurrence")
  func leftOut() async throws {
    try await ServicesInProcess.withPeople(4) { services, people in
      let (ana, ben, eva, leo) = (people[0], people[1], people[2], people[3])
      _ = try await services.makeSeries(by: ana, with: [ben, eva, leo])
      try await ben.block(ana)
      try await services.change(eva, receivedBy: .social) { $0.taskEnrollment = .nobody }
      try await services.change(leo, receivedBy: .social) {
        $0.suspendedUntil = try Instant(text: "2026-11-22T18:00:00.000Z")
      }
      try await services.pass(days: 1)
      #expect(try await ana.occurrences(.open).first?.participantCount == 1)
      for person in [ben, eva] { #expect(try await person.occurrences().count == 1) }
      try await services.change(eva, receivedBy: .social) { $0.taskEnrollment = .everyone }
      try await services.pass(days: 1)
      #expect(try await ana.occurrences(.open).first?.participantCount == 3)
    }
  }

  @Test("A deleted creator's series ends, stays with the others without its name, and is removed with the last of them")
  func deletion() async throws {
    try await ServicesInProcess.withPeople(2) { services, people in
      let (ana, ben) = (people[0], people[1])
      let series = try await services.makeSeries("Bins", by: ana, with: [ben])
      try await services.erase(ana)
      let left = try await ben.series(series)
      #expect(left.state == .ended && left.creator == nil && !left.isCreator && left.participants.map(\.accountID) == [ben.id])
      try await services.pass(days: 5)
      #expect(try await ben.occurrences().map(\.name.description) == ["Bins"])
      let store = services.store(of: .social)
      #expect(try await store.traces(of: ana.id).filter { $0.hasPrefix("task") }.isEmpty)
      try await services.erase(ben)
      #expect(try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM task_series") } == 0)
    }
  }

  @Test("An account has a limited number of active series, and limited space for their texts")
  func bounds() async throws {
    let settings = ["racha.tasks.bytesPerAccount": "\(1 << 20)"]
    try await ServicesInProcess.withPeople(1, settings: settings) { services, people in
      let ana = people[0]
      let series = try await services.makeSeries("Bins", by: ana, description: String(repeating: "x", count: 1900))
      let account = ana.id
      try await services.store(of: .social).write {
        try $0.database.run("UPDATE task_space SET bytes = ? WHERE account_id = ?", .number((1 << 20) - 100), .id(account))
      }
      try await services.pass(days: 1)
      let second = try #require(try await ana.occurrences().first)
      #expect(second.name.description == "Bins" && second.description == nil)
      let input = CreateTaskSeries.Input(
        name: try TaskName(text: "More"), description: try TaskDescription(text: String(repeating: "x", count: 200)),
        schedule: .daily)
      #expect(try await ana.failure(CreateTaskSeries.self, input) == "task_space_full")
      _ = try await ana.send(EndTaskSeries.self, .init(seriesID: series.id))
      for number in 0..<TaskSeriesRules.maxActive {
        try await services.store(of: .social).write {
          try $0.database.run("UPDATE task_space SET bytes = 0 WHERE account_id = ?", .id(account))
        }
        _ = try await services.makeSeries("\(number)", schedule: .weekdays([1]), by: ana)
      }
      let one = CreateTaskSeries.Input(name: try TaskName(text: "More"), schedule: .daily)
      #expect(try await ana.failure(CreateTaskSeries.self, one) == "too_many_task_series")
      let page = try await ana.send(ListTaskSeries.self, .init(limit: 2))
      #expect(page.items.map(\.name.description) == ["99", "98"])
      let next = try await ana.send(ListTaskSeries.self, .init(limit: 2, cursor: page.nextCursor))
      #expect(next.items.map(\.name.description) == ["97", "96"])
    }
  }
}

extension ServicesInProcess {
  /// A recurring task of one person with others.
  func makeSeries(
    _ name: String = "Bins", schedule: Schedule = .daily, by person: Person, with others: [Person] = [],
    description: String? = nil
  ) async throws -> TaskSeries {
    try await makeSeries(name, schedule, by: person, with: others, description: description)
  }

  func makeSeries(
    _ name: String, _ schedule: Schedule, by person: Person, with others: [Person] = [], description: String? = nil
  ) async throws -> TaskSeries {
    try await person.send(
      CreateTaskSeries.self,
      .init(
        name: TaskName(text: name), description: try description.map { try TaskDescription(text: $0) },
        participants: try usernames(of: others), schedule: schedule))
  }

  /// Lets so many days go by, and then the worker do what it does every half a minute.
  func pass(days: Int) async throws {
    clock.advance(days: days)
    let series = TaskSeriesStore(rules: TaskRules(bytesPerAccount: 1 << 20))
    try await TaskSeriesWorker(store: store(of: .social), series: series).advance()
  }

  /// Deletes an account, as identity publishes it, and waits until nothing of it is left.
  func erase(_ person: Person) async throws {
    try await publish(.identity, AccountDeleted(deletionID: ID(), accountID: person.id, at: .now))
    try await store(of: .social).hasErased(person.id)
  }
}

extension Person {
  /// Its tasks, the newest first; without a state, those that are open and those completed.
  func occurrences(_ state: TaskState? = nil) async throws -> [SharedTask] {
    try await send(ListTasks.self, .init(state: state)).items
  }

  func series(_ series: TaskSeries) async throws -> TaskSeries {
    try await send(GetTaskSeries.self, .init(seriesID: series.id))
  }
}
