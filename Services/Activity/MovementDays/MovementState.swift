import ActivityContract
import GRDB
import Operations
import ServiceKit
import Storage

/// A day's movement as it stands.
struct MovementState: Hashable, Sendable {
  let day: LocalDay
  var steps = 0
  /// Distances in millimetres.
  var walking = 0
  var running = 0
  var cycling = 0
  /// The steps that are not flagged.
  var plausibleSteps = 0
  var flags = DayFlags()
  var revision = 0

  init(day: LocalDay) { self.day = day }

  init(_ row: Row) {
    day = row["day"]
    steps = row["steps"]
    walking = row["walking"]
    running = row["running"]
    cycling = row["cycling"]
    plausibleSteps = row["plausible_steps"]
    flags = DayFlags(rawValue: row["flags"])
    revision = row["revision"]
  }

  /// Steps, or millimetres.
  subscript(kind: MovementKind) -> Int {
    get {
      switch kind {
      case .steps: steps
      case .walking: walking
      case .running: running
      case .cycling: cycling
      }
    }
    set {
      switch kind {
      case .steps: steps = newValue
      case .walking: walking = newValue
      case .running: running = newValue
      case .cycling: cycling = newValue
      }
    }
  }

  /// The steps that may earn: none of a day that is flagged as a whole.
  var earningSteps: Int { flags[.steps].isDisjoint(with: .ofDays) ? plausibleSteps : 0 }

  /// As other services receive it.
  var published: MovementChanged.Day {
    MovementChanged.Day(
      day: day, steps: steps, earningSteps: earningSteps, walkingMeters: Amounts.amount(thousandths: walking),
      runningMeters: Amounts.amount(thousandths: running), cyclingMeters: Amounts.amount(thousandths: cycling),
      revision: revision)
  }

  /// As its owner sees it.
  func shown(_ rules: FairnessRules, _ language: Language, _ words: Words) -> MovementDay {
    MovementDay(
      day: day, steps: steps, earningSteps: earningSteps, walkingMeters: Amounts.amount(thousandths: walking),
      runningMeters: Amounts.amount(thousandths: running), cyclingMeters: Amounts.amount(thousandths: cycling),
      reasons: rules.reasons(flags, language, words))
  }
}
