import ActivityContract
import ActivityService
import GRDB
import InProcess
import Operations
import Storage
import Testing

@Suite("The speed of a day's list")
struct DaySpeedTests {
  /// An account with 200 activities of several schedules, each with an entry on every one of so many past days.
  private func register(_ services: ServicesInProcess, days: Int) async throws -> Person {
    let person = try await services.register()
    let schedules: [Schedule] = [.daily, .weekdays([6, 7]), .monthDays([21, 31]), .everyNDays(2)]
    for number in 0..<200 {
      let activity = try await person.makeActivity(
        title: "Activity \(number)", schedule: schedules[number % 4], startDay: "2026-11-21")
      _ = try await person.send(RecordEntry.self, .init(activityID: activity.id, day: .today, isDone: true))
      _ = try await person.send(
        UpdateActivity.self, .init(activityID: activity.id, startDay: .set(try LocalDay(text: "2016-11-21"))))
    }
    try await services.store(of: .activity).write { transaction in
      let database = transaction.database
      // Today's entries once more on each day before, whatever columns there are.
      let columns = try String.fetchAll(database, sql: "SELECT name FROM pragma_table_info('entries') WHERE name <> 'day'")
      let list = columns.joined(separator: ", ")
      try database.execute(
        sql: """
          WITH RECURSIVE past (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM past WHERE number < ?)
          INSERT INTO entries (day, \(list)) SELECT day - number, \(list) FROM entries, past
          WHERE activity_id IN (SELECT activity_id FROM activities WHERE account_id = ?)
          """, arguments: [days, person.id])
    }
    return person
  }

  private func time(of person: Person) async throws -> Duration {
    let start = ContinuousClock.now
    let count = try await person.send(GetDay.self, .init(day: .today)).activities.count
    #expect(count == 200)
    return ContinuousClock.now - start
  }

  @Test(
    "A day's list takes no longer with ten years of entries than with a month (ACT-3)",
    .timeLimit(.minutes(3)))
  func tenYears() async throws {
    try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
      let short = try await register(services, days: 30)
      let long = try await register(services, days: 3650)
      // The shortest of some tries, by turns: what the machine does besides only ever adds, to either. A busy one gets more of them.
      var (month, years) = (Duration.seconds(60), Duration.seconds(60))
      for number in 0..<60 where number < 15 || years >= month * 2 {
        month = min(month, try await time(of: short))
        years = min(years, try await time(of: long))
      }
      #expect(years < month * 2, "\(years) of ten years, \(month) of a month")
    }
  }
}
