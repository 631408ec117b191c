import ActivityContract
import Operations

/// A goal and its progress as one whole number: 0 or 1 for a check, thousandths for a quantity, seconds for a duration.
///
/// Whole numbers make sums of decimals exact: ten times 0.1 litres are 1 litre.
struct GoalMeasure: Hashable, Sendable {
  let kind: Goal.Kind
  /// The progress that reaches the goal, or the maximum for a limit.
  let target: Int
  let direction: Goal.Direction

  init(kind: Goal.Kind, target: Int, direction: Goal.Direction = .atLeast) {
    self.kind = kind
    self.target = target
    self.direction = direction
  }

  init(_ goal: Goal) {
    kind = goal.kind
    direction = goal.direction ?? .atLeast
    switch goal.kind {
    case .check: target = 1
    case .quantity: target = goal.amount.map(Amounts.thousandths) ?? 0
    case .duration: target = goal.durationSeconds ?? 0
    }
  }

  /// The goal as clients see it.
  func goal(unit: String?) -> Goal {
    switch kind {
    case .check: .check
    case .quantity: .quantity(Amounts.amount(thousandths: target), unit: unit ?? "", direction)
    case .duration: .duration(seconds: target, direction)
    }
  }

  /// The largest possible progress of a day.
  var maximum: Int {
    switch kind {
    case .check: 1
    case .quantity: Amounts.thousandths(Amounts.maximum)
    case .duration: Amounts.maxSeconds
    }
  }

  /// Whether the goal is a limit, which is kept unless it is exceeded.
  var isLimit: Bool { direction == .atMost }

  /// Whether the progress reaches the goal of a day; a limit is kept once the day is over and the limit was not exceeded.
  func isDone(_ progress: Int, isOver: Bool) -> Bool { outcome(progress, isOver: isOver) == .kept }

  /// The amount or the time of a progress as clients see it; nil for a goal of another kind.
  func amount(_ progress: Int) -> Double? { kind == .quantity ? Amounts.amount(thousandths: progress) : nil }
  func durationSeconds(_ progress: Int) -> Int? { kind == .duration ? progress : nil }

  /// Returns the progress after it was set.
  ///
  /// Completing a day does not reduce progress that is already beyond the goal.
  ///
  /// - Throws: a field failure if the input does not fit the kind of goal, or completes a day whose limit is exceeded.
  func set(_ progress: Int, to input: RecordEntry.Input) throws(Failure) -> Int {
    if let isDone = input.isDone {
      guard isDone || kind == .check else { throw Failure.field("isDone", undoneByProgress) }
      guard isDone else { return 0 }
      guard isLimit else { return max(progress, target) }
      // A kept limit keeps its recorded amount; an exceeded one cannot be kept any more.
      guard progress <= target else { throw Failure.field("isDone", FieldRule("limit_exceeded")) }
      return progress
    }
    return try given(amount: input.amount, seconds: input.durationSeconds)
  }

  /// Returns the progress after an addition or subtraction: never below 0.
  ///
  /// - Throws: a field failure if the input does not fit the kind of goal, or the sum exceeds the ``maximum``.
  func add(_ input: IncrementEntry.Input, to progress: Int) throws(Failure) -> Int {
    let more = try given(amount: input.amount, seconds: input.durationSeconds)
    let sum = max(0, progress + more)
    guard sum <= maximum else {
      let maximum: Parameter = kind == .quantity ? .number(Int(Amounts.maximum)) : .number(maximum)
      let field = kind == .quantity ? "amount" : "durationSeconds"
      throw Failure.field(field, FieldRule("out_of_range", ["min": .number(0), "max": maximum]))
    }
    return sum
  }

  private func given(amount: Double?, seconds: Int?) throws(Failure) -> Int {
    if let amount {
      guard kind == .quantity else { throw Failure.field("amount", notForGoal) }
      return Amounts.thousandths(amount)
    }
    guard kind == .duration, let seconds else { throw Failure.field("durationSeconds", notForGoal) }
    return seconds
  }

  /// The rule for a progress that does not fit the goal of its day.
  private var notForGoal: FieldRule { FieldRule("not_for_goal", ["kind": .text(kind.rawValue)]) }

  /// The rule for a claim that a limit is kept although the amount is unknown.
  var doneByLimit: FieldRule { FieldRule("done_by_limit", ["kind": .text(kind.rawValue)]) }

  /// The rule for a claim that an amount or a time is not done, which would leave the amount unknown.
  private var undoneByProgress: FieldRule { FieldRule("undone_by_progress", ["kind": .text(kind.rawValue)]) }
}
