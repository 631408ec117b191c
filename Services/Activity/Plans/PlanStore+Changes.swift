import ActivityContract
import GRDB
import Operations
import Storage

/// The versions and pauses of an account's activities that differ between the days of a range.
struct PlanChanges {
  /// All versions that apply to any of the days, for activities that have a version starting within them; other activities have one version
  /// for all days.
  var versions: [ActivityID: [ActivityVersion]] = [:]
  var pauses: [ActivityID: [ClosedRange<LocalDay>]] = [:]
  var skips: [ActivityID: Set<LocalDay>] = [:]
}

extension PlanStore {
  static let versionsOver = """
    SELECT activity_id, \(ActivityVersionStore.columns) FROM activity_versions
    WHERE account_id = ?1 AND from_day <= ?3 AND from_day >= (SELECT max(from_day) FROM activity_versions AS first
      WHERE first.activity_id = activity_versions.activity_id AND first.from_day <= ?2)
      AND activity_id IN (SELECT activity_id FROM activity_versions AS begun
        WHERE begun.account_id = ?1 AND begun.from_day > ?2 AND begun.from_day <= ?3)
    ORDER BY activity_id, from_day
    """

  static let pausesOver = """
    SELECT activity_id, first_day, last_day FROM activities JOIN activity_pauses USING (activity_id)
    WHERE account_id = ?1 AND first_day <= ?3 AND last_day >= ?2 ORDER BY activity_id, first_day
    """

  static let skipsOver = """
    SELECT activity_id, day FROM activities JOIN activity_skips USING (activity_id)
    WHERE account_id = ?1 AND day BETWEEN ?2 AND ?3
    """

  /// Reads what decides about some days, apart from versions that apply to all of them.
  static func changes(
    of account: AccountID, over days: ClosedRange<LocalDay>, in database: Database
  ) throws -> PlanChanges {
    let (account, first, last) = (Bound.id(account), Bound.day(days.lowerBound), Bound.day(days.upperBound))
    var changes = PlanChanges()
    try database.each(versionsOver, account, first, last) { row in
      changes.versions[try row.id(0), default: []].append(try ActivityVersion(row, behind: 0))
      return true
    }
    try database.each(pausesOver, account, first, last) { row in
      changes.pauses[try row.id(0), default: []].append(row.day(1)...row.day(2))
      return true
    }
    try database.each(skipsOver, account, first, last) { row in
      changes.skips[try row.id(0), default: []].insert(row.day(1))
      return true
    }
    return changes
  }
}
