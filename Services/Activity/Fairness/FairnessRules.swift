import ActivityContract
import Operations
import ServiceKit

/// A rule under which movement earns nothing (MOVE-6).
struct FairnessRule: Hashable, Sendable {
  enum Limit: Hashable, Sendable {
    /// Movement that was typed in.
    case handTyped
    /// Movement that ends more than so many seconds from now: a device's clock may be a little ahead.
    case secondsAhead(Int)
    /// Movement reported so many days after its day, or later.
    case daysLate(Int)
    /// A sample with more than so many steps or metres per minute, where a shorter sample is treated as one minute long; and a minute of
    /// the clock in which all unflagged samples together have more.
    case perMinute(Int)
    /// A day with more than so many steps or metres.
    case perDay(Int)
    /// A day of which at least so many samples, and nearly all (``SameSeriesRules``), are the same as another account's.
    case sameSeries(Int)
  }

  let flag: MovementFlag
  /// The kind of movement; nil for all kinds.
  var kind: MovementKind?
  let limit: Limit
}

/// The rules of fairness: a table, evaluated sample by sample, minute by minute and day by day.
struct FairnessRules: Sendable {
  private static let usual = [
    FairnessRule(flag: .handTyped, limit: .handTyped),
    FairnessRule(flag: .inFuture, limit: .secondsAhead(300)),
    FairnessRule(flag: .late, limit: .daysLate(7)),
    FairnessRule(flag: .tooFast, kind: .steps, limit: .perMinute(300)),
    FairnessRule(flag: .tooFast, kind: .walking, limit: .perMinute(250)),
    FairnessRule(flag: .tooFast, kind: .running, limit: .perMinute(750)),
    FairnessRule(flag: .tooFast, kind: .cycling, limit: .perMinute(2000)),
    FairnessRule(flag: .tooMuch, kind: .steps, limit: .perDay(100_000)),
    FairnessRule(flag: .tooMuch, kind: .walking, limit: .perDay(150_000)),
    FairnessRule(flag: .tooMuch, kind: .running, limit: .perDay(350_000)),
    FairnessRule(flag: .tooMuch, kind: .cycling, limit: .perDay(1_000_000)),
    FairnessRule(flag: .sameSeries, kind: .steps, limit: .sameSeries(10)),
  ]

  /// The rules for each kind, by its number.
  private let byKind: [[FairnessRule]]
  /// The goals that are settled together with the evaluated days.
  let stepGoals: StepGoalRules

  init(_ rules: [FairnessRule] = usual, stepGoals: StepGoalRules = StepGoalRules()) {
    self.stepGoals = stepGoals
    byKind = [MovementKind.steps, .walking, .running, .cycling].map { kind in
      rules.filter { $0.kind == nil || $0.kind == kind }
    }
  }

  /// The rules with their limits as configured.
  init(_ settings: Settings) {
    let perMinute = settings.int("racha.fairness.stepsPerMinute", default: 300, in: 1...1_000_000)
    let perDay = settings.int("racha.fairness.stepsPerDay", default: 100_000, in: 1...1_000_000_000)
    // Shares the setting of rewards, where later movement earns nothing.
    let earningDays = settings.int("racha.coins.earningDays", default: 7, in: 1...366)
    self.init(
      FairnessRules.usual.map { rule in
        switch (rule.limit, rule.kind) {
        case (.perMinute, .steps): FairnessRule(flag: rule.flag, kind: rule.kind, limit: .perMinute(perMinute))
        case (.perDay, .steps): FairnessRule(flag: rule.flag, kind: rule.kind, limit: .perDay(perDay))
        case (.daysLate, _): FairnessRule(flag: rule.flag, kind: rule.kind, limit: .daysLate(earningDays))
        default: rule
        }
      }, stepGoals: StepGoalRules(settings))
  }

  /// The flags of a sample.
  func flags(
    of spread: Spread, _ sample: MovementSample, now: Instant, recordedDay: LocalDay
  ) -> SampleFlags {
    let kind = sample.kind
    var flags: SampleFlags = []
    for rule in byKind[kind.number] {
      let isBroken =
        switch rule.limit {
        case .handTyped: sample.isHandTyped == true
        case .secondsAhead(let seconds): sample.end > now.adding(seconds: seconds)
        case .daysLate(let days): spread.lastDay.distance(to: recordedDay) >= days
        case .perMinute(let maximum):
          Int64(spread.amount) * 60_000 > Int64(maximum * kind.scale) * max(60_000, spread.until - spread.from)
        case .perDay, .sameSeries: false
        }
      if isBroken { flags.insert(SampleFlags(rule.flag)) }
    }
    return flags
  }

  /// Returns how much of a day's minutes may earn, and the flags of the others: a minute with more than is possible earns nothing, for it
  /// is unknown which part of it is real.
  func evaluate(_ minutes: MinuteSums, _ kind: MovementKind) -> (plausible: Int, flags: SampleFlags) {
    var minimum = Int.max
    for case .perMinute(let maximum) in byKind[kind.number].map(\.limit) { minimum = min(minimum, maximum * kind.scale) }
    let (sum, isExceeded) = minutes.sum(ofMinutesUpTo: minimum)
    return (sum, isExceeded ? SampleFlags(.tooFast) : [])
  }

  /// The first day for which another report would not be late; a sample covers at most two days besides its last one.
  func firstOpenDay(on recordedDay: LocalDay) -> LocalDay {
    var first = LocalDay(daysSinceEpoch: .min)
    for rule in byKind.joined() {
      if case .daysLate(let days) = rule.limit { first = max(first, recordedDay.advanced(by: -days - 1)) }
    }
    return first
  }

  /// Returns the flags of a day's movement of one kind, besides those of its samples and minutes.
  ///
  /// - Parameter amount: the movement without flags so far.
  func dayFlags(kind: MovementKind, amount: Int) -> SampleFlags {
    var flags: SampleFlags = []
    for case .perDay(let maximum) in byKind[kind.number].map(\.limit) where amount > maximum * kind.scale {
      flags.insert(SampleFlags(.tooMuch))
    }
    return flags
  }

  /// How many samples make a series that no other account has by chance.
  var minSeries: Int? {
    for case .sameSeries(let minimum) in byKind[MovementKind.steps.number].map(\.limit) { return minimum }
    return nil
  }

  /// Explains flags in the given language.
  func reasons(_ flags: DayFlags, _ language: Language, _ words: Words) -> [FlagReason] {
    guard flags.rawValue != 0 else { return [] }
    return MovementKind.allCases.flatMap { kind in
      flags[kind].list.map { flag in
        let unit = words.text(kind == .steps ? "unit.steps" : "unit.meters", language) ?? ""
        let parameters: [String: Parameter] = ["limit": .number(limit(of: flag, kind) ?? 0), "unit": .text(unit)]
        return FlagReason(
          kind: kind, code: flag, text: words.text("flag.\(flag.rawValue)", language, parameters) ?? flag.rawValue)
      }
    }
  }

  private func limit(of flag: MovementFlag, _ kind: MovementKind) -> Int? {
    switch byKind[kind.number].first(where: { $0.flag == flag })?.limit {
    case .secondsAhead(let limit), .daysLate(let limit), .perMinute(let limit), .perDay(let limit), .sameSeries(let limit): limit
    case .handTyped, nil: nil
    }
  }
}
