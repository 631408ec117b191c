import ActivityContract
import Operations
import ServiceKit
import Storage

/// The present totals of a day's movement.
struct MovementState: Hashable, Sendable {
  let day: LocalDay
  var steps = 0
  /// Distances in millimetres.
  var walking = 0
  var running = 0
  var cycling = 0
  /// The steps, and the distances in millimetres, without flags of samples or minutes.
  var plausibleSteps = 0
  var plausibleWalking = 0
  var plausibleRunning = 0
  var plausibleCycling = 0
  var flags = DayFlags()
  var revision = 0

  init(day: LocalDay) { self.day = day }

  /// The day that a row holds in its first eleven columns: the day, the amounts, the plausible amounts, the flags and the revision.
  init(_ row: Columns) {
    day = row.day(0)
    (steps, walking, running, cycling) = (row.number(1), row.number(2), row.number(3), row.number(4))
    (plausibleSteps, plausibleWalking) = (row.number(5), row.number(6))
    (plausibleRunning, plausibleCycling) = (row.number(7), row.number(8))
    flags = DayFlags(rawValue: row.number(9))
    revision = row.number(10)
  }

  /// The amount of a kind, in steps or millimetres.
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

  /// The amount without flags of samples or minutes, in steps or millimetres.
  subscript(plausible kind: MovementKind) -> Int {
    get {
      switch kind {
      case .steps: plausibleSteps
      case .walking: plausibleWalking
      case .running: plausibleRunning
      case .cycling: plausibleCycling
      }
    }
    set {
      switch kind {
      case .steps: plausibleSteps = newValue
      case .walking: plausibleWalking = newValue
      case .running: plausibleRunning = newValue
      case .cycling: plausibleCycling = newValue
      }
    }
  }

  /// The amount that may earn, in steps or millimetres: 0 where the whole day is flagged.
  func earning(_ kind: MovementKind) -> Int { flags[kind].isDisjoint(with: .ofDays) ? self[plausible: kind] : 0 }

  /// The steps that may earn.
  var earningSteps: Int { earning(.steps) }

  /// The flags by their kind; nil where there are none.
  private var flagged: [FlaggedMovement]? {
    let flagged = MovementKind.allCases.filter { !flags[$0].isEmpty }
    return flagged.isEmpty ? nil : flagged.map { FlaggedMovement(kind: $0, codes: flags[$0].list) }
  }

  /// The day as other services receive it.
  var published: MovementDaysChanged.Day {
    MovementDaysChanged.Day(
      day: day, steps: steps, earningSteps: earningSteps, walkingMeters: Amounts.amount(thousandths: walking),
      runningMeters: Amounts.amount(thousandths: running), cyclingMeters: Amounts.amount(thousandths: cycling),
      earningWalkingMeters: Amounts.amount(thousandths: earning(.walking)),
      earningRunningMeters: Amounts.amount(thousandths: earning(.running)),
      earningCyclingMeters: Amounts.amount(thousandths: earning(.cycling)), flagged: flagged, revision: revision)
  }

  /// The day as its owner sees it.
  func shown(_ rules: FairnessRules, _ language: Language, _ words: Words) -> MovementDay {
    MovementDay(
      day: day, steps: steps, earningSteps: earningSteps, walkingMeters: Amounts.amount(thousandths: walking),
      runningMeters: Amounts.amount(thousandths: running), cyclingMeters: Amounts.amount(thousandths: cycling),
      reasons: rules.reasons(flags, language, words))
  }
}
