import Operations

/// Everything that decides what an activity asks for on each day: its versions, its pauses, and its skipped days.
struct Plan: Sendable {
  /// Oldest first, and at least one. The first applies to all earlier days too.
  let versions: [ActivityVersion]
  /// Oldest first; the archive's own may overlap others.
  let pauses: [ClosedRange<LocalDay>]
  /// The days that the account skips.
  let skips: Set<LocalDay>
  /// The days that the account lost by travelling: a missed one counts as skipped.
  let lostDays: Set<LocalDay>

  init(
    _ versions: [ActivityVersion], pauses: [ClosedRange<LocalDay>] = [], skips: Set<LocalDay> = [],
    lostDays: Set<LocalDay> = []
  ) {
    precondition(!versions.isEmpty, "an activity has at least one version")
    self.versions = versions
    self.pauses = pauses
    self.skips = skips
    self.lostDays = lostDays
  }

  /// The first day that may be planned.
  var firstDay: LocalDay { versions[0].startDay }

  /// The version that applies to a day.
  func version(on day: LocalDay) -> ActivityVersion { versions.last { $0.fromDay <= day } ?? versions[0] }
}

/// Walks through the days of a plan in order, which avoids a search for each.
struct PlanWalk {
  private let plan: Plan
  private var versionIndex = 0
  private var pauseIndex = 0

  init(_ plan: Plan) { self.plan = plan }

  /// The index of the version that applies to a day, which must not be before the previous one.
  mutating func versionIndex(on day: LocalDay) -> Int {
    while versionIndex + 1 < plan.versions.count, plan.versions[versionIndex + 1].fromDay <= day { versionIndex += 1 }
    return versionIndex
  }

  /// Whether a day, which must not be before the previous one, is paused.
  mutating func isPaused(on day: LocalDay) -> Bool {
    while pauseIndex < plan.pauses.count, plan.pauses[pauseIndex].upperBound < day { pauseIndex += 1 }
    return pauseIndex < plan.pauses.count && plan.pauses[pauseIndex].lowerBound <= day
  }
}
