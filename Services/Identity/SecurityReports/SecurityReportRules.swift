import IdentityContract
import Operations

/// Which reports are made.
enum ReportSchedule: String, Choice {
  case none, daily, weekly, both

  var periods: [ReportPeriod] {
    switch self {
    case .none: []
    case .daily: [.daily]
    case .weekly: [.weekly]
    case .both: [.daily, .weekly]
    }
  }
}

/// The time that a report is about: whole days in UTC, so that no two reports of a period share an hour and none lacks one.
struct ReportSpan: Hashable, Sendable {
  let period: ReportPeriod
  let firstDay: LocalDay

  var lastDay: LocalDay { firstDay.advanced(by: Self.days(period) - 1) }
  /// From its first instant up to its end.
  var instants: Range<Instant> { Self.start(firstDay)..<Self.start(lastDay.advanced(by: 1)) }
  /// What it is compared with.
  var before: ReportSpan { earlier(by: 1) }

  /// The span that many periods earlier.
  func earlier(by count: Int) -> ReportSpan {
    ReportSpan(period: period, firstDay: firstDay.advanced(by: -count * Self.days(period)))
  }

  private static func days(_ period: ReportPeriod) -> Int { period == .daily ? 1 : 7 }

  private static func start(_ day: LocalDay) -> Instant { Instant(milliseconds: Int64(day.daysSinceEpoch) * 86_400_000) }
}

/// When reports are due, and what stands first in them (requirement ID-15).
enum SecurityReportRules {
  /// How many periods back a report is made that the service was not there to make.
  static func maxMissed(_ period: ReportPeriod) -> Int { period == .daily ? 7 : 4 }
  /// Incidents that a report shows.
  static let maxIncidents = 20
  static let keptSeconds = 366 * 86_400

  /// The spans that are over and have no report, the oldest first.
  ///
  /// - Parameters:
  ///   - began: when there was first anything to report of.
  ///   - made: those that have one.
  static func due(_ schedule: ReportSchedule, now: Instant, began: Instant, made: Set<ReportSpan>) -> [ReportSpan] {
    schedule.periods.flatMap { period -> [ReportSpan] in
      let current = span(period, at: now)
      return (1...maxMissed(period)).reversed().map { current.earlier(by: $0) }
        .filter { $0.instants.upperBound > began && !made.contains($0) }
    }
  }

  /// The span of that period in which an instant lies; weeks begin on Monday (ISO 8601).
  static func span(_ period: ReportPeriod, at instant: Instant) -> ReportSpan {
    let midnight = instant.milliseconds - (instant.milliseconds % 86_400_000 + 86_400_000) % 86_400_000
    let day = LocalDay(daysSinceEpoch: Int32(truncatingIfNeeded: midnight / 86_400_000))
    return ReportSpan(period: period, firstDay: period == .daily ? day : day.advanced(by: 1 - day.weekday))
  }

  /// What matters most first: by severity, then by the number of events.
  static func ranked(_ incidents: [ReportedIncident]) -> [ReportedIncident] {
    incidents.sorted {
      (rank($0.severity), $0.count, $1.incidentID.description) > (rank($1.severity), $1.count, $0.incidentID.description)
    }
  }

  /// The same for what happened.
  static func ranked(_ counts: [SecurityCount]) -> [SecurityCount] {
    counts.sorted { (rank($0.severity), $0.count, $1.kind) > (rank($1.severity), $1.count, $0.kind) }
  }

  private static func rank(_ severity: SecuritySeverity) -> Int {
    switch severity {
    case .info: 0
    case .warning: 1
    case .critical: 2
    }
  }
}

/// An incident as a report keeps it; its words are chosen for each reader.
struct ReportedIncident: Document, Hashable {
  var incidentID: IncidentID
  var pattern: IncidentPattern
  var severity: SecuritySeverity
  var accountID: AccountID?
  var count: Int

  static let notes: Notes = [
    "incidentID": "The incident.", "pattern": "What it is.", "severity": "How much it matters.",
    "accountID": "The affected account.", "count": "How many events it had.",
  ]
}

/// What a report keeps.
struct ReportContent: Document, Hashable {
  var counts: [SecurityCount]
  var incidentCount: Int
  var incidentCountBefore: Int
  var incidents: [ReportedIncident]

  static let notes: Notes = [
    "counts": "How often what happened.", "incidentCount": "How many incidents there were.",
    "incidentCountBefore": "How many in the period before.", "incidents": "Those that matter most, ranked.",
  ]
}
