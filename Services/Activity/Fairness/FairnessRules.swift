import ActivityContract
import Operations
import ServiceKit

/// What keeps movement from earning (MOVE-6).
struct FairnessRule: Hashable, Sendable {
  enum Limit: Hashable, Sendable {
    /// What was typed in.
    case handTyped
    /// What ends more than so many seconds after now: a device's clock may be a little ahead.
    case secondsAhead(Int)
    /// What is told so many days after its day, or later.
    case daysLate(Int)
    /// A sample of more than so many steps or metres in a minute, where one that is shorter is judged as if it lasted one; and a minute
    /// of the clock in which more than so many count that are not marked, of all samples together.
    case perMinute(Int)
    /// A day of more than so many steps or metres.
    case perDay(Int)
    /// A day of which at least so many samples, and nearly all (``SameSeriesRule``), are those of another account.
    case sameSeries(Int)
  }

  let mark: MovementMark
  /// Nil for all.
  var kind: MovementKind?
  let limit: Limit
}

/// The rules of fairness: a table, judged sample by sample, minute by minute and day by day.
struct FairnessRules: Sendable {
  private static let usual = [
    FairnessRule(mark: .handTyped, limit: .handTyped),
    FairnessRule(mark: .inFuture, limit: .secondsAhead(300)),
    FairnessRule(mark: .late, limit: .daysLate(7)),
    FairnessRule(mark: .tooFast, kind: .steps, limit: .perMinute(300)),
    FairnessRule(mark: .tooFast, kind: .walking, limit: .perMinute(250)),
    FairnessRule(mark: .tooFast, kind: .running, limit: .perMinute(750)),
    FairnessRule(mark: .tooFast, kind: .cycling, limit: .perMinute(2000)),
    FairnessRule(mark: .tooMuch, kind: .steps, limit: .perDay(100_000)),
    FairnessRule(mark: .tooMuch, kind: .walking, limit: .perDay(150_000)),
    FairnessRule(mark: .tooMuch, kind: .running, limit: .perDay(350_000)),
    FairnessRule(mark: .tooMuch, kind: .cycling, limit: .perDay(1_000_000)),
    FairnessRule(mark: .sameSeries, kind: .steps, limit: .sameSeries(10)),
  ]

  /// The rules for each kind, by its number.
  private let byKind: [[FairnessRule]]

  init(_ rules: [FairnessRule] = usual) {
    byKind = [MovementKind.steps, .walking, .running, .cycling].map { kind in
      rules.filter { $0.kind == nil || $0.kind == kind }
    }
  }

  /// The rules with their limits as configured.
  init(_ settings: Settings) {
    let perMinute = settings.int("racha.fairness.stepsPerMinute", default: 300, in: 1...1_000_000)
    let perDay = settings.int("racha.fairness.stepsPerDay", default: 100_000, in: 1...1_000_000_000)
    // The same setting as that of rewards: what comes later earns nothing there.
    let earningDays = settings.int("racha.coins.earningDays", default: 7, in: 1...366)
    self.init(
      FairnessRules.usual.map { rule in
        switch (rule.limit, rule.kind) {
        case (.perMinute, .steps): FairnessRule(mark: rule.mark, kind: rule.kind, limit: .perMinute(perMinute))
        case (.perDay, .steps): FairnessRule(mark: rule.mark, kind: rule.kind, limit: .perDay(perDay))
        case (.daysLate, _): FairnessRule(mark: rule.mark, kind: rule.kind, limit: .daysLate(earningDays))
        default: rule
        }
      })
  }

  /// The marks of a sample.
  func marks(
    of spread: Spread, _ sample: MovementSample, now: Instant, recordedDay: LocalDay
  ) -> Marks {
    let kind = sample.kind
    var marks: Marks = []
    for rule in byKind[kind.number] {
      let isBroken =
        switch rule.limit {
        case .handTyped: sample.isHandTyped == true
        case .secondsAhead(let seconds): sample.end > now.adding(seconds: seconds)
        case .daysLate(let days): spread.lastDay.distance(to: recordedDay) >= days
        case .perMinute(let most):
          Int64(spread.amount) * 60_000 > Int64(most * kind.scale) * max(60_000, spread.until - spread.from)
        case .perDay, .sameSeries: false
        }
      if isBroken { marks.insert(Marks(rule.mark)) }
    }
    return marks
  }

  /// What of a day's minutes may earn, and the marks of the others: nothing of a minute in which there is more than there can be, for
  /// nobody knows what of it was moved.
  func judge(_ minutes: MinuteSums, _ kind: MovementKind) -> (plausible: Int, marks: Marks) {
    var least = Int.max
    for case .perMinute(let most) in byKind[kind.number].map(\.limit) { least = min(least, most * kind.scale) }
    let (sum, isExceeded) = minutes.sum(ofMinutesUpTo: least)
    return (sum, isExceeded ? Marks(.tooFast) : [])
  }

  /// The first day of which more may be told that is not late; a sample lies in two days beside its last one at most.
  func firstOpenDay(on recordedDay: LocalDay) -> LocalDay {
    var first = LocalDay(daysSinceEpoch: .min)
    for rule in byKind.joined() {
      if case .daysLate(let days) = rule.limit { first = max(first, recordedDay.advanced(by: -days - 1)) }
    }
    return first
  }

  /// The marks of a day's movement of one kind, beside those of its samples and minutes.
  ///
  /// - Parameter amount: what is not marked already.
  func dayMarks(kind: MovementKind, amount: Int) -> Marks {
    var marks: Marks = []
    for case .perDay(let most) in byKind[kind.number].map(\.limit) where amount > most * kind.scale {
      marks.insert(Marks(.tooMuch))
    }
    return marks
  }

  /// How many samples make a series that nobody else has by chance.
  var leastSeries: Int? {
    for case .sameSeries(let least) in byKind[MovementKind.steps.number].map(\.limit) { return least }
    return nil
  }

  /// What marks mean, in that language.
  func reasons(_ marks: DayMarks, _ language: Language, _ words: Words) -> [MarkReason] {
    guard marks.rawValue != 0 else { return [] }
    return MovementKind.allCases.flatMap { kind in
      marks[kind].list.map { mark in
        let unit = words.text(kind == .steps ? "unit.steps" : "unit.meters", language) ?? ""
        let parameters: [String: Parameter] = ["limit": .number(limit(of: mark, kind) ?? 0), "unit": .text(unit)]
        return MarkReason(
          kind: kind, code: mark, text: words.text("mark.\(mark.rawValue)", language, parameters) ?? mark.rawValue)
      }
    }
  }

  private func limit(of mark: MovementMark, _ kind: MovementKind) -> Int? {
    switch byKind[kind.number].first(where: { $0.mark == mark })?.limit {
    case .secondsAhead(let limit), .daysLate(let limit), .perMinute(let limit), .perDay(let limit), .sameSeries(let limit): limit
    case .handTyped, nil: nil
    }
  }
}
