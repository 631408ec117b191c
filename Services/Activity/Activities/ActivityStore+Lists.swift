import ActivityContract
import GRDB
import Operations
import ServiceKit

extension ActivityStore {
  /// The account's activities that pass the filters, in its order, each with the days of this week.
  static func list(
    of days: AccountDays, _ input: ListActivities.Input, _ page: PageRequest, in database: Database
  ) throws -> Page<ListedActivity> {
    let statement = try database.cachedStatement(
      sql: """
        \(current)
        WHERE activities.account_id = ?1 AND (activities.position, activities.activity_id) > (?2, ?3)
          AND (activities.archived_day IS NOT NULL) = ?4
          AND (?5 IS NULL OR activities.category = ?5)
          AND (?6 IS NULL OR instr(activities.title_key, ?6) > 0)
          AND (?7 IS NULL OR EXISTS (SELECT 1 FROM activity_tags WHERE activity_id = activities.activity_id AND tag = ?7))
        ORDER BY activities.position, activities.activity_id LIMIT ?8
        """)
    let behind = try page.cursor(ListPosition.init(text:)) ?? .beginning
    let rows = try Row.fetchAll(
      statement,
      arguments: [
        days.account, behind.position, behind.id, input.isArchived ?? false, input.category, TitleKey.search(input.title),
        input.tag,
        page.fetchLimit,
      ])
    return try page.page(of: rows, key: { ListPosition(position: $0["position"], id: $0["activity_id"]) }) { row in
      try listed(Activity(row), days, in: database)
    }
  }

  private static func listed(_ activity: Activity, _ days: AccountDays, in database: Database) throws -> ListedActivity {
    let (today, monday, sunday) = (days.today, days.today.monday, days.today.sunday)
    var evaluated: [EvaluatedDay] = []
    var week = EvaluatedWeek()
    let progress = try EntryStore.progress(of: activity.id, from: monday, to: sunday, in: database)
    let plan = try PlanStore.find(activity.id, lostDays: days.lost, in: database)
    plan.evaluate(progress, from: monday, to: sunday, today: today) { day in
      evaluated.append(day)
      if let times = day.timesAWeek { week.add(day, times: times) }
    }
    let outcome = week.outcome(isOver: false)
    let states = Dictionary(uniqueKeysWithValues: evaluated.map { ($0.day, DayState($0, week: outcome)) })
    return ListedActivity(
      activity, state: states[today], week: (monday...sunday).map { WeekDay(day: $0, state: states[$0]) })
  }
}

/// The position at which a page of the list ends, as the cursor contains it.
private struct ListPosition: CustomStringConvertible {
  static let beginning = ListPosition(position: .min, id: .placeholder)

  let position: Int
  let id: ActivityID

  var description: String { "\(position)/\(id)" }

  init(position: Int, id: ActivityID) {
    self.position = position
    self.id = id
  }

  init(text: String) throws(FieldRule) {
    let parts = text.split(separator: "/")
    guard parts.count == 2, let position = Int(parts[0]) else { throw PageCursor.invalid }
    self.position = position
    id = try ActivityID(text: String(parts[1]))
  }
}
