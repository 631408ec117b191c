public import Operations

/// On which days an activity is planned (ACT-1).
public struct Schedule: Document, Hashable {
  /// How the days are chosen.
  public enum Kind: String, Choice {
    /// Every day.
    case daily
    /// Some days of the week.
    case weekdays
    /// Some days of the month.
    case monthDays
  }

  /// How the days are chosen.
  public var kind: Kind
  /// Days of the week, 1 is Monday and 7 is Sunday (ISO 8601).
  public var weekdays: [Int]?
  /// Days of the month; one that a month lacks means its last day.
  public var monthDays: [Int]?

  init(kind: Kind, weekdays: [Int]? = nil, monthDays: [Int]? = nil) {
    self.kind = kind
    self.weekdays = weekdays
    self.monthDays = monthDays
  }

  /// Every day.
  public static let daily = Schedule(kind: .daily)

  /// These days of the week, 1 is Monday and 7 is Sunday.
  public static func weekdays(_ days: [Int]) -> Schedule { Schedule(kind: .weekdays, weekdays: days) }

  /// These days of the month.
  public static func monthDays(_ days: [Int]) -> Schedule { Schedule(kind: .monthDays, monthDays: days) }

  public static let notes: Notes = [
    "kind": "`daily`, `weekdays` (days of the week) or `monthDays` (days of the month).",
    "weekdays": Note(
      "For `weekdays`: days of the week, 1 is Monday and 7 is Sunday.", items: 1...7, example: .array([.integer(1), .integer(3)])),
    "monthDays": Note(
      "For `monthDays`: days of the month, 1 to 31; one that a month lacks means its last day.", items: 1...31,
      example: .array([.integer(1), .integer(31)])),
  ]

  public func check(_ fields: inout FieldChecks) {
    Schedule.check(weekdays, "weekdays", kind, wanted: kind == .weekdays, within: 1...7, &fields)
    Schedule.check(monthDays, "monthDays", kind, wanted: kind == .monthDays, within: 1...31, &fields)
  }

  private static func check(
    _ days: [Int]?, _ field: String, _ kind: Kind, wanted: Bool, within range: ClosedRange<Int>, _ fields: inout FieldChecks
  ) {
    guard let days else {
      fields.expect(!wanted, field, FieldRule("required"))
      return
    }
    fields.expect(wanted, field, FieldRule("not_for_schedule", ["kind": .text(kind.rawValue)]))
    for (index, day) in days.enumerated() where !range.contains(day) {
      fields.refuse(
        "\(field)[\(index)]", FieldRule("out_of_range", ["least": .number(range.lowerBound), "most": .number(range.upperBound)]))
    }
  }
}
