/// The days on which something is planned: an activity, a recurring task (ACT-1, ACT-15, TASK-1).
public struct Schedule: Document, Hashable {
  /// How the days are chosen.
  public enum Kind: String, Choice {
    /// Every day.
    case daily
    /// Some days of the week.
    case weekdays
    /// Some days of the month.
    case monthDays
    /// Every N-th day, counted from the start day.
    case everyNDays
    /// A number of days in each week, whichever they are.
    case timesAWeek
    /// Some weekdays of the month by their number, such as its first Monday.
    case nthWeekdays
  }

  /// How the days are chosen.
  public var kind: Kind
  /// Days of the week, 1 is Monday and 7 is Sunday (ISO 8601).
  public var weekdays: [Int]?
  /// Days of the month; a day that the month lacks means its last day.
  public var monthDays: [Int]?
  /// The number of days from one planned day to the next.
  public var everyDays: Int?
  /// The number of days per week.
  public var timesAWeek: Int?
  /// Weekdays of the month by their number.
  public var nthWeekdays: [NthWeekday]?

  init(
    kind: Kind, weekdays: [Int]? = nil, monthDays: [Int]? = nil, everyDays: Int? = nil, timesAWeek: Int? = nil,
    nthWeekdays: [NthWeekday]? = nil
  ) {
    self.kind = kind
    self.weekdays = weekdays
    self.monthDays = monthDays
    self.everyDays = everyDays
    self.timesAWeek = timesAWeek
    self.nthWeekdays = nthWeekdays
  }

  /// Every day.
  public static let daily = Schedule(kind: .daily)

  /// These days of the week, 1 is Monday and 7 is Sunday.
  public static func weekdays(_ days: [Int]) -> Schedule { Schedule(kind: .weekdays, weekdays: days) }

  /// These days of the month.
  public static func monthDays(_ days: [Int]) -> Schedule { Schedule(kind: .monthDays, monthDays: days) }

  /// The start day and every `days`-th day after it.
  public static func everyNDays(_ days: Int) -> Schedule { Schedule(kind: .everyNDays, everyDays: days) }

  /// A number of days in each week, Monday to Sunday, whichever they are.
  public static func timesAWeek(_ times: Int) -> Schedule { Schedule(kind: .timesAWeek, timesAWeek: times) }

  /// These weekdays of each month.
  public static func nthWeekdays(_ days: [NthWeekday]) -> Schedule { Schedule(kind: .nthWeekdays, nthWeekdays: days) }

  public static let notes: Notes = [
    "kind": """
    `daily`; `weekdays`: days of the week; `monthDays`: days of the month; `everyNDays`: one day of so many, counted from the start \
    day; `timesAWeek`: so many days of each week, whichever they are; `nthWeekdays`: weekdays of the month by their number.
    """,
    "weekdays": Note(
      "For `weekdays`: days of the week, 1 is Monday and 7 is Sunday.", items: 1...7, example: .array([.integer(1), .integer(3)])),
    "monthDays": Note(
      "For `monthDays`: days of the month, 1 to 31; one that a month lacks means its last day.", items: 1...31,
      example: .array([.integer(1), .integer(31)])),
    "everyDays": Note(
      "For `everyNDays`: from one planned day to the next. It counts from the start day, or from the day on which it was changed.",
      range: 2...365, example: 3),
    "timesAWeek": Note(
      "For `timesAWeek`: on how many days of each week, Monday to Sunday. Any day may be used.", range: 1...7, example: 3),
    "nthWeekdays": Note(
      "For `nthWeekdays`: such as the first Monday and the last Friday of the month. A month without a fifth has none.",
      items: 1...42),
  ]

  public func check(_ fields: inout FieldChecks) {
    Schedule.check(weekdays, "weekdays", within: 1...7, &fields)
    Schedule.check(monthDays, "monthDays", within: 1...31, &fields)
    guard fields.areRight("kind") else { return }
    expect(weekdays != nil, "weekdays", wanted: kind == .weekdays, &fields)
    expect(monthDays != nil, "monthDays", wanted: kind == .monthDays, &fields)
    expect(everyDays != nil, "everyDays", wanted: kind == .everyNDays, &fields)
    expect(timesAWeek != nil, "timesAWeek", wanted: kind == .timesAWeek, &fields)
    expect(nthWeekdays != nil, "nthWeekdays", wanted: kind == .nthWeekdays, &fields)
  }

  private func expect(_ isGiven: Bool, _ field: String, wanted: Bool, _ fields: inout FieldChecks) {
    guard isGiven != wanted else { return }
    fields.refuse(
      field, wanted ? FieldRule("required") : FieldRule("not_for_schedule", ["kind": .text(kind.rawValue)]))
  }

  private static func check(_ days: [Int]?, _ field: String, within range: ClosedRange<Int>, _ fields: inout FieldChecks) {
    for (index, day) in (days ?? []).enumerated() where !range.contains(day) {
      fields.refuse(
        "\(field)[\(index)]", FieldRule("out_of_range", ["min": .number(range.lowerBound), "max": .number(range.upperBound)]))
    }
  }
}

/// A weekday of the month by its number: the first Monday, the last Friday (ACT-15).
public struct NthWeekday: Document, Hashable {
  /// 1 to 5, or -1 for the month's last.
  public var nth: Int
  /// 1 is Monday and 7 is Sunday (ISO 8601).
  public var weekday: Int

  /// A weekday of the month from its parts.
  public init(nth: Int, weekday: Int) {
    self.nth = nth
    self.weekday = weekday
  }

  public static let notes: Notes = [
    "nth": Note("1 to 5 for the month's first to fifth, -1 for its last.", range: -1...5, isCheckedByFeature: true, example: 1),
    "weekday": Note("1 is Monday and 7 is Sunday.", range: 1...7, isCheckedByFeature: true, example: 1),
  ]

  public func check(_ fields: inout FieldChecks) {
    fields.expect(nth == -1 || (1...5).contains(nth), "nth", FieldRule("no_such_nth"))
    fields.expect((1...7).contains(weekday), "weekday", FieldRule("out_of_range", ["min": .number(1), "max": .number(7)]))
  }
}
