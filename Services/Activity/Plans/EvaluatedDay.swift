import ActivityContract
import Operations

/// The progress of a day that has an entry, in the unit of its goal's ``GoalMeasure``.
struct DayProgress: Hashable, Sendable {
  let day: LocalDay
  let progress: Int
}

/// The evaluation of a day.
struct EvaluatedDay: Hashable, Sendable {
  /// The outcome of a day that is due.
  enum Outcome: Hashable, Sendable {
    case kept, missed
    /// It can still become either.
    case open
  }

  let day: LocalDay
  /// The version that applied then.
  let version: ActivityVersion
  let progress: Int?
  /// Nil where the day was not due: paused, skipped or lost.
  let outcome: Outcome?
  let isPaused: Bool
  /// How many days of the week are to be kept, where any days count.
  var timesAWeek: Int? { version.planned.timesAWeek }
}

/// A week in which so many days were to be kept, whichever they are.
///
/// - It is kept as soon as so many days are.
/// - It is missed when it is over and so many are not, though so many could have been: a week of which pauses, skipped days, the start or
///   the end leave fewer neither adds to a streak nor breaks it.
struct EvaluatedWeek: Hashable, Sendable {
  /// How many days were to be kept, by the last version that applied in it.
  private(set) var times = 0
  private(set) var kept = 0
  private var asked = 0

  mutating func add(_ day: EvaluatedDay, times: Int) {
    guard let outcome = day.outcome else { return }
    self.times = times
    asked += 1
    if outcome == .kept { kept += 1 }
  }

  func outcome(isOver: Bool) -> EvaluatedDay.Outcome? {
    guard asked > 0 else { return nil }
    if kept >= times { return .kept }
    guard isOver else { return .open }
    return asked >= times ? .missed : nil
  }
}

extension Plan {
  /// Evaluates the planned days of a range in order; days that are not planned are left out.
  ///
  /// - Parameters:
  ///   - progress: that of each day that has an entry, oldest first.
  ///   - today: the account's day. Days before it are over; later ones can have entries where the account travelled over the date line.
  func evaluate(
    _ progress: [DayProgress], from first: LocalDay, to last: LocalDay, today: LocalDay, _ body: (EvaluatedDay) -> Void
  ) {
    var walk = PlanWalk(self)
    var position = progress.startIndex
    var day = first
    while day <= last {
      defer { day = day.advanced(by: 1) }
      let version = versions[walk.versionIndex(on: day)]
      let isPaused = walk.isPaused(on: day)
      guard version.isPlanned(on: day) else { continue }
      while position < progress.endIndex, progress[position].day < day { position += 1 }
      let hasEntry = position < progress.endIndex && progress[position].day == day
      let done = hasEntry ? progress[position].progress : nil
      let outcome = version.measure.outcome(done ?? 0, isOver: day < today)
      let isAsked =
        !isPaused && (skips.isEmpty || !skips.contains(day))
        && (outcome != .missed || lostDays.isEmpty || !lostDays.contains(day))
      body(
        EvaluatedDay(day: day, version: version, progress: done, outcome: isAsked ? outcome : nil, isPaused: isPaused))
    }
  }
}

extension GoalMeasure {
  /// The outcome of a day with that progress.
  func outcome(_ progress: Int, isOver: Bool) -> EvaluatedDay.Outcome {
    switch direction {
    case .atLeast: progress >= target ? .kept : isOver ? .missed : .open
    case .atMost: progress > target ? .missed : isOver ? .kept : .open
    }
  }
}

extension LocalDay {
  /// The Monday of its week (ISO 8601).
  var monday: LocalDay { advanced(by: 1 - weekday) }
  /// The Sunday of its week.
  var sunday: LocalDay { advanced(by: 7 - weekday) }
}
