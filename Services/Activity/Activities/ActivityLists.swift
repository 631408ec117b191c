import ActivityContract
import GRDB
import Operations
import ServiceKit

extension Activities {
  /// The account's activities that pass the filters, in its order, each with the days of this week.
  static func list(
    of days: AccountDays, _ input: ListActivities.Input, _ page: PageRequest, in database: Database
  ) throws -> Page<ListedActivity> {
    let statement = try database.cachedStatement(
      sql: """
        \(current)
        WHERE activities.account_id = ?1 AND (activities.place, activities.activity_id) > (?2, ?3)
          AND (activities.archived_day IS NOT NULL) = ?4
          AND (?5 IS NULL OR activities.category = ?5)
          AND (?6 IS NULL OR instr(activities.title_key, ?6) > 0)
          AND (?7 IS NULL OR EXISTS (SELECT 1 FROM activity_tags WHERE activity_id = activities.activity_id AND tag = ?7))
        ORDER BY activities.place, activities.activity_id LIMIT ?8
        """)
    let behind = try page.place(ListPlace.init(text:)) ?? .beginning
    let rows = try Row.fetchAll(
      statement,
      arguments: [
        days.account, behind.place, behind.id, input.archived ?? false, input.category, TitleKey.search(input.title), input.tag,
        page.fetchLimit,
      ])
    return try page.page(of: rows, key: { ListPlace(place: $0["place"], id: $0["activity_id"]) }) { row in
      try listed(Activity(row), days, in: database)
    }
  }

  private static func listed(_ activity: Activity, _ days: AccountDays, in database: Database) throws -> ListedActivity {
    let (today, monday, sunday) = (days.today, days.today.monday, days.today.sunday)
    var judged: [JudgedDay] = []
    var week = JudgedWeek()
    let progress = try Entries.progress(of: activity.id, from: monday, to: sunday, in: database)
    let plan = try Plans.find(activity.id, lostDays: days.lost, in: database)
    plan.judge(progress, from: monday, to: sunday, today: today) { day in
      judged.append(day)
      if let times = day.timesAWeek { week.add(day, times: times) }
    }
    let outcome = week.outcome(isOver: false)
    let states = Dictionary(uniqueKeysWithValues: judged.map { ($0.day, DayState($0, week: outcome)) })
    return ListedActivity(
      activity, state: states[today], week: (monday...sunday).map { WeekDay(day: $0, state: states[$0]) })
  }
}

/// Where a page of the list ends, as its cursor holds it.
private struct ListPlace: CustomStringConvertible {
  static let beginning = ListPlace(place: .min, id: .placeholder)

  let place: Int
  let id: ActivityID

  var description: String { "\(place)/\(id)" }

  init(place: Int, id: ActivityID) {
    self.place = place
    self.id = id
  }

  init(text: String) throws(FieldRule) {
    let parts = text.split(separator: "/")
    guard parts.count == 2, let place = Int(parts[0]) else { throw PageCursor.invalid }
    self.place = place
    id = try ActivityID(text: String(parts[1]))
  }
}
