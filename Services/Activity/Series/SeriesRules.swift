import ActivityContract
import Operations

extension ActivitySeries {
  /// Computes an activity's progress over a range of days (ACT-11).
  ///
  /// - Parameter progress: the progress of the days of the range.
  init(_ period: SeriesPeriod, _ range: CalendarRange, _ plan: Plan, _ progress: [DayProgress], today: LocalDay) {
    var evaluated: [EvaluatedDay] = []
    plan.evaluate(progress, from: range.days.lowerBound, to: range.days.upperBound, today: today) { evaluated.append($0) }
    let present = plan.versions[plan.versions.count - 1]
    let bars = period == .quarter ? range.weeks : range.days.map { $0...$0 }
    var position = 0
    self.init(
      period: period, firstDay: range.days.lowerBound, lastDay: range.days.upperBound, previousDay: range.previousDay,
      nextDay: range.nextDay, unit: present.unit,
      bars: bars.map { days in
        let begin = position
        while position < evaluated.count, evaluated[position].day <= days.upperBound { position += 1 }
        return SeriesBar(days, evaluated[begin..<position], countedAs: present, today: today)
      },
      total: SeriesBar(range.days, evaluated[...], countedAs: present, today: today))
  }
}

extension SeriesBar {
  /// Sums up some days of an activity.
  ///
  /// - Parameter present: the present version. Days that counted something else are due and done, but add nothing to sums.
  fileprivate init(
    _ days: ClosedRange<LocalDay>, _ evaluated: ArraySlice<EvaluatedDay>, countedAs present: ActivityVersion, today: LocalDay
  ) {
    self.init(firstDay: days.lowerBound, lastDay: days.upperBound)
    var sums = Sums()
    for day in evaluated { sums.add(day, countedAs: present, today: today) }
    sums.closeWeek()
    dueDays = sums.due
    doneDays = sums.done
    share = sums.due == 0 ? nil : (sums.reached / Double(sums.due)).rounded(toPlaces: 3)
    amount = present.measure.amount(sums.progress)
    goalAmount = present.measure.amount(sums.goal)
    durationSeconds = present.measure.durationSeconds(sums.progress)
    goalDurationSeconds = present.measure.durationSeconds(sums.goal)
  }

  /// The sums of some days. In a week in which any days count, only so many are due.
  private struct Sums {
    var due = 0
    var done = 0
    var reached = 0.0
    var progress = 0
    var goal = 0
    private var week: Week?

    private struct Week {
      let sunday: LocalDay
      var times = 0
      var asked = 0
      var hasBegun = false
      var reached = 0.0
      var target = 0
    }

    mutating func add(_ day: EvaluatedDay, countedAs present: ActivityVersion, today: LocalDay) {
      let measure = day.version.measure
      let isCounted = measure.kind == present.measure.kind && day.version.unit == present.unit
      if isCounted { progress += day.progress ?? 0 }
      if let week, day.day > week.sunday { closeWeek() }
      guard let outcome = day.outcome else { return }
      if outcome == .kept { done += 1 }
      let target = isCounted ? measure.target : 0
      // The day of a limit is due once it is over or the limit is exceeded: until then there is nothing to reach.
      let hasBegun = outcome == .kept || day.day <= today && !(measure.isLimit && outcome == .open)
      let part = hasBegun ? measure.part(day.progress ?? 0, outcome) : 0
      guard let times = day.timesAWeek else {
        goal += target
        reached += part
        if hasBegun { due += 1 }
        return
      }
      var week = week ?? Week(sunday: day.day.sunday)
      week.times = times
      week.asked += 1
      week.hasBegun = week.hasBegun || hasBegun
      week.reached += part
      week.target = target
      self.week = week
    }

    mutating func closeWeek() {
      guard let week else { return }
      let asked = min(week.times, week.asked)
      goal += week.target * asked
      if week.hasBegun {
        due += asked
        reached += min(week.reached, Double(asked))
      }
      self.week = nil
    }
  }
}

extension GoalMeasure {
  /// The share of a day's goal that the progress reaches: 1 where the goal is reached or a limit kept.
  fileprivate func part(_ progress: Int, _ outcome: EvaluatedDay.Outcome) -> Double {
    outcome == .kept ? 1 : isLimit ? 0 : Double(progress) / Double(target)
  }
}
