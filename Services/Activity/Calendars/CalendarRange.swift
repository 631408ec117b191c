import ActivityContract
import Operations

/// The days that a calendar or chart shows, with links to the preceding and the following range.
struct CalendarRange: Hashable, Sendable {
  let days: ClosedRange<LocalDay>
  /// How many days after the last day the next range's day lies.
  private let step: Int

  /// A day of the preceding range; nil where there is none.
  var previousDay: LocalDay? { CalendarRange.plannable(days.lowerBound.advanced(by: -1)) }
  /// A day of the following range; nil where there is none.
  var nextDay: LocalDay? { CalendarRange.plannable(days.upperBound.advanced(by: step)) }

  init(_ format: CalendarFormat, around day: LocalDay) {
    switch format {
    case .week: self.init(day.monday...day.sunday)
    // Looks back, since future days show nothing done.
    case .twoWeeks: self.init(day.monday.advanced(by: -7)...day.sunday, step: 8)
    case .month: self.init(day.month)
    }
  }

  init(_ period: SeriesPeriod, around day: LocalDay) {
    switch period {
    case .week: self.init(day.monday...day.sunday)
    case .month: self.init(day.month)
    case .quarter: self.init(day.monday.advanced(by: 3).weeksOfQuarter)
    }
  }

  private init(_ days: ClosedRange<LocalDay>, step: Int = 1) {
    self.days = days
    self.step = step
  }

  private static func plannable(_ day: LocalDay) -> LocalDay? { PlannableDays.all.contains(day) ? day : nil }

  /// The range's whole weeks.
  var weeks: [ClosedRange<LocalDay>] {
    stride(from: days.lowerBound.monday, through: days.upperBound, by: 7).map { $0...$0.sunday }
  }
}

extension LocalDay {
  /// The first to the last day of its month.
  fileprivate var month: ClosedRange<LocalDay> {
    let (year, month, day) = parts
    let first = advanced(by: 1 - day)
    return first...first.advanced(by: LocalDay.length(ofMonth: month, year: year) - 1)
  }

  /// For a Thursday: the 12 to 14 weeks of its quarter, which are those whose Thursday lies in the quarter, by analogy with the weeks of a
  /// year in ISO 8601.
  fileprivate var weeksOfQuarter: ClosedRange<LocalDay> {
    var first = month.lowerBound
    while (first.parts.month - 1) % 3 != 0 { first = first.advanced(by: -1).month.lowerBound }
    var last = month.upperBound
    while last.parts.month % 3 != 0 { last = last.advanced(by: 1).month.upperBound }
    // The first and the last Thursday of it.
    let thursdays = first.advanced(by: (11 - first.weekday) % 7)...last.advanced(by: -((last.weekday + 3) % 7))
    return thursdays.lowerBound.monday...thursdays.upperBound.sunday
  }
}
