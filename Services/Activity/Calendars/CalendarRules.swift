import ActivityContract
import Operations

extension ActivityCalendar {
  /// Evaluates how an activity stands on the days of a range (ACT-9).
  ///
  /// - Parameter progress: the progress on the days of all weeks that have a day in the range.
  init(_ format: CalendarFormat, _ range: CalendarRange, _ plan: Plan, _ progress: [DayProgress], today: LocalDay) {
    var evaluated: [EvaluatedDay] = []
    var weeks: [LocalDay: EvaluatedWeek] = [:]
    plan.evaluate(progress, from: range.days.lowerBound.monday, to: range.days.upperBound.sunday, today: today) { day in
      evaluated.append(day)
      if let times = day.timesAWeek { weeks[day.day.sunday, default: EvaluatedWeek()].add(day, times: times) }
    }
    var days = range.days.map { CalendarDay(day: $0, state: nil) }
    for day in evaluated where range.days.contains(day.day) {
      let week = weeks[day.day.sunday]?.outcome(isOver: day.day.sunday < today)
      let measure = day.version.measure
      days[range.days.lowerBound.distance(to: day.day)] = CalendarDay(
        day: day.day, state: DayState(day, week: week), amount: day.progress.flatMap(measure.amount),
        durationSeconds: day.progress.flatMap(measure.durationSeconds))
    }
    self.init(
      format: format, firstDay: range.days.lowerBound, lastDay: range.days.upperBound, previousDay: range.previousDay,
      nextDay: range.nextDay, days: days)
  }
}
