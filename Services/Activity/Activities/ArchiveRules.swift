import ActivityContract
import Operations

/// The rules for the days that an activity spent in the archive.
enum ArchiveRules {
  /// Returns the archived days that no other pause covers.
  ///
  /// - Parameters:
  ///   - first: the day on which the activity was archived.
  ///   - today: the day on which it is unarchived, and asked for again.
  ///   - pauses: the account's own, oldest first, none over another.
  static func rest(from first: LocalDay, until today: LocalDay, beside pauses: [Pause]) -> [ClosedRange<LocalDay>] {
    var rest: [ClosedRange<LocalDay>] = []
    var next = first
    for pause in pauses where pause.lastDay >= next && pause.firstDay < today {
      if pause.firstDay > next { rest.append(next...pause.firstDay.advanced(by: -1)) }
      next = pause.lastDay.advanced(by: 1)
    }
    if next < today { rest.append(next...today.advanced(by: -1)) }
    return rest
  }
}
